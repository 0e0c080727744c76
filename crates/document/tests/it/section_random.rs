use document::section::{SectionError, append, find_sections, mark_proposal, outline, replace};
use proptest::prelude::*;

use crate::generate::{MARKDOWN, Random, markdown};

const DOCUMENTS: u64 = 10_000;

#[test]
fn replacing_a_section_with_its_own_content_changes_no_byte() {
    for seed in 0..DOCUMENTS {
        let text = markdown(seed);
        for section in find_sections(&text) {
            if let Ok(same) = replace(&text, &section.title, &section.content) {
                // The title may name another section of this document; its content then is another one, too.
                let named = document::section::find_section(&text, &section.title).unwrap();
                if named.start == section.start {
                    assert_eq!(same, text, "seed {seed} title {:?}", section.title);
                }
            }
        }
    }
}

#[test]
fn writing_a_section_changes_no_byte_outside_it() {
    let mut random = Random::new(7);
    for seed in 0..DOCUMENTS {
        let text = markdown(seed);
        let content = random.joined(MARKDOWN, 4);
        for title in ["One", "Two", "A", "B", "Two/Three"] {
            let Some(section) = document::section::find_section(&text, title) else {
                continue;
            };
            let results = [
                replace(&text, title, &content),
                append(&text, title, &content),
                mark_proposal(&text, title, true),
                mark_proposal(&text, title, false),
            ];
            // A marker that is not closed may not be written; nothing else fails.
            for written in results.into_iter().filter(|result| !is_unclosed(result)).map(Result::unwrap) {
                assert_eq!(
                    written.get(..section.content_start),
                    text.get(..section.content_start),
                    "seed {seed}"
                );
                assert!(written.ends_with(&text[section.end..]), "seed {seed}");
                assert!(written.len() >= section.content_start + text.len() - section.end, "seed {seed}");
            }
        }
    }
}

fn is_unclosed(result: &Result<String, SectionError>) -> bool {
    matches!(result, Err(SectionError::UnclosedMarker { .. }))
}

#[test]
fn marking_keeps_the_list_of_sections_and_sticks() {
    for seed in 0..DOCUMENTS {
        let text = markdown(seed);
        let Ok(marked) = mark_proposal(&text, "A", true) else {
            continue;
        };
        let titles = |text: &str| {
            find_sections(text).into_iter().map(|one| (one.level, one.title)).collect::<Vec<_>>()
        };
        assert_eq!(titles(&marked), titles(&text), "seed {seed}");
        let bare = mark_proposal(&marked, "A", false).unwrap();
        assert_eq!(titles(&bare), titles(&text), "seed {seed}: {text:?}");
    }
}

/// The preamble and the pieces between headings, put together again.
fn check_pieces(text: &str) {
    let sections = find_sections(text);
    let mut cuts: Vec<usize> = sections.iter().map(|section| section.start).collect();
    cuts.push(text.len());
    let mut whole = text.get(..cuts[0]).unwrap().to_owned();
    for pair in cuts.windows(2) {
        whole.push_str(text.get(pair[0]..pair[1]).unwrap());
    }
    assert_eq!(whole, text);
    for section in &sections {
        assert_eq!(text.get(section.content_start..section.end), Some(section.content.as_str()));
        assert_eq!(section.line, document::text::position(text, section.start).line);
    }
    assert!(outline(text).len() >= sections.len());
}

#[test]
fn the_pieces_of_a_document_are_the_document() {
    for seed in 0..DOCUMENTS {
        check_pieces(&markdown(seed));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]

    #[test]
    fn any_text_at_all_falls_into_pieces_and_back(text in "[#\\-= \\n\\r\\ta-c`~<!>:é漢😀\u{200b}\\PC]{0,60}") {
        check_pieces(&text);
    }
}

#[test]
fn large_and_hostile_documents_take_linear_time() {
    let deep = format!("{} x\n## A\n", ">".repeat(5_000));
    let long = format!("## A\n{}\n## B\n", "x".repeat(1_000_000));
    let many = "## A\ntext\n".repeat(10_000);
    let open = "```\n## A\n".repeat(5_000) + "~~~\n" + &"## A\n".repeat(5_000);
    for text in [deep, long, many, open] {
        assert!(!find_sections(&text).is_empty());
        assert!(!outline(&text).is_empty());
    }
}
