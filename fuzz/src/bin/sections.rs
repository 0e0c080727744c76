//! Any text has sections, and they lie in order inside the text.
//! Never asks what a heading says; only that finding and writing sections cannot panic, lose text or touch a byte elsewhere.
#![no_main]

use document::section::{
    SectionError, append, find_section, find_sections, is_proposal, mark_proposal, outline, replace,
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let [text, content] = fuzz::texts::<2>(bytes);
    let sections = find_sections(&text);
    let mut rebuilt = String::new();
    let mut at = 0;
    for section in &sections {
        assert!(at <= section.start && section.start < section.end);
        assert!(section.start < section.content_start && section.content_start <= section.end);
        rebuilt.push_str(&text[at..section.start]);
        at = section.start;
        assert_eq!(text[section.content_start..section.end], section.content);
        assert_eq!(document::text::position(&text, section.start).line, section.line);
        assert!(!is_proposal(section) || section.content.contains("proposal"));
    }
    rebuilt.push_str(&text[at..]);
    assert_eq!(rebuilt, text);
    assert!(outline(&text).len() >= sections.len());

    for section in sections.iter().take(8) {
        let Some(named) = find_section(&text, &section.title) else {
            continue;
        };
        if named.start == section.start {
            match replace(&text, &section.title, &section.content) {
                Ok(same) => assert_eq!(same, text),
                Err(error) => assert!(matches!(error, SectionError::UnclosedMarker { .. })),
            }
        }
        let written = [
            replace(&text, &section.title, &content),
            append(&text, &section.title, &content),
            mark_proposal(&text, &section.title, true),
            mark_proposal(&text, &section.title, false),
        ];
        for written in written.into_iter().flatten() {
            assert!(written.starts_with(&text[..named.content_start]));
            assert!(written.ends_with(&text[named.end..]));
            assert!(written.len() >= named.content_start + text.len() - named.end);
        }
    }
});
