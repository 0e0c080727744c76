//! Markdown while it arrives: the same rows however it was cut, and nothing that went out changes.

use expect_test::{Expect, expect};
use proptest::prelude::*;
use ratatui::text::Line;
use tui::{Event, Markdown, Theme, rendered};

use crate::kit::Stage;

const ANSWER: &str = "# Findings\n\nThe **build** fails in `main.rs`, see [docs](https://example.org).\n\n\
1. first\n   - inner one\n   - inner *two*\n2. second item that is long enough to be broken into several rows of the terminal\n\n\
```rust\nfn main() { // say it\n    println!(\"hello {}\", 42);\n}\n```\n\n\
| name | count |\n|:-----|------:|\n| alpha | 1 |\n| 多くの | 200 |\n\n> quoted\n> words\n\n- [x] done\n- [ ] open\n\nThe end.";

fn text(rows: &[Line<'_>]) -> String {
    let rows = rows.iter().map(|row| row.spans.iter().map(|span| span.content.as_ref()).collect::<String>());
    rows.map(|row| row.trim_end().to_owned()).collect::<Vec<_>>().join("\n")
}

fn check(source: &str, columns: usize, expect: Expect) {
    expect.assert_eq(&text(&rendered(source, columns, Theme::colourless())));
}

#[test]
fn an_answer_is_laid_out() {
    check(
        ANSWER,
        50,
        expect![[r#"
        Findings

        The build fails in main.rs, see docs
        (https://example.org).

        1. first
           ◦ inner one
           ◦ inner two
        2. second item that is long enough to be broken
           into several rows of the terminal

          fn main() { // say it
              println!("hello {}", 42);
          }

        name   │ count
        ───────┼──────
        alpha  │     1
        多くの │   200

        ▎ quoted words

        • ☑ done
        • ☐ open

        The end."#]],
    );
}

#[test]
fn a_table_without_room_becomes_a_list() {
    check(
        "| name | what it is for |\n|--|--|\n| a | many words in a cell |\n| b | few |\n",
        9,
        expect![[r#"
            name: a
            what it
            is for:
            many
            words in
            a cell

            name: b
            what it
            is for:
            few"#]],
    );
}

#[test]
fn markup_and_odd_things_are_shown_as_they_are() {
    check(
        "<b>bold</b> & <script>\nalert(1)\n</script>\n\n#hashtag\n\n    indented\n\n* * *\n\n![alt](x.png)\n",
        40,
        expect![[r#"
            <b>bold</b> & <script> alert(1)
            </script>

            #hashtag

              indented

            ────────────────────────────────────────

            alt (x.png)"#]],
    );
}

/// The rows when the text comes in pieces, as they went out.
fn arrived(source: &str, cuts: &[usize], columns: usize) -> Vec<Line<'static>> {
    let mut markdown = Markdown::new(Theme::coloured());
    let (mut rows, mut start) = (Vec::new(), 0);
    let mut places: Vec<usize> = cuts.iter().map(|cut| cut % (source.len() + 1)).collect();
    places.sort_unstable();
    places.push(source.len());
    for place in places {
        let place = (0..=place).rev().find(|at| source.is_char_boundary(*at)).unwrap();
        if place > start {
            markdown.push(&source[start..place]);
            start = place;
        }
        rows.extend(markdown.finished(columns));
        markdown.tail(columns);
    }
    rows.extend(markdown.end(columns));
    rows
}

#[test]
fn letter_by_letter_gives_the_same_rows_as_the_whole() {
    let every: Vec<usize> = (0..ANSWER.len()).collect();
    for columns in [1, 7, 40, 80, 300] {
        assert_eq!(
            arrived(ANSWER, &every, columns),
            rendered(ANSWER, columns, Theme::coloured()),
            "{columns}"
        );
    }
}

fn source() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        Just("\n"),
        Just("\n\n"),
        Just("- "),
        Just("  - "),
        Just("1. "),
        Just("```"),
        Just("```rust\n"),
        Just("~~~\n"),
        Just("| a | b |\n"),
        Just("|--|--|\n"),
        Just("> "),
        Just("# "),
        Just("#tag"),
        Just("**"),
        Just("`"),
        Just("<b>"),
        Just("<!-- "),
        Just("-->"),
        Just("    code"),
        Just("word "),
        Just("more"),
        Just("==="),
        Just("---"),
        Just("[a]: x\n"),
        Just("[a]"),
        Just("\t"),
        Just(" "),
        Just("多"),
        Just("\\"),
        Just("* * *\n"),
    ];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_cut_anywhere_gives_the_same_rows(source in source(), cuts in prop::collection::vec(0_usize..400, 0..30)) {
        prop_assert_eq!(text(&arrived(&source, &cuts, 30)), text(&rendered(&source, 30, Theme::coloured())));
    }

    #[test]
    fn no_row_is_wider_than_the_terminal(source in source(), columns in 1_usize..40) {
        for row in rendered(&source, columns, Theme::coloured()) {
            prop_assert!(row.width() <= columns, "{:?}", row);
        }
    }
}

#[test]
fn what_went_out_never_changes_and_the_end_is_the_whole() {
    let mut stage = Stage::new(60, 16);
    stage.apply(Event::TurnBegan);
    let mut before = String::new();
    for letter in ANSWER.chars() {
        stage.view.apply(Event::Text(letter.to_string()), stage.now);
        let finished = stage.view.take_finished();
        before.push_str(&text(&finished));
    }
    stage.view.apply(Event::Break, stage.now);
    before.push_str(&text(&stage.view.take_finished()));
    let whole: String = text(&rendered(ANSWER, 60, Theme::coloured()));
    assert_eq!(before.replace('\n', ""), whole.replace('\n', ""));
}

#[test]
fn a_resize_in_the_middle_wraps_the_live_part_anew() {
    let mut stage = Stage::new(60, 16);
    stage.apply(Event::TurnBegan);
    stage
        .apply(Event::Text("many words that are not finished yet and go on and on over the line".to_owned()));
    stage.resize(30, 16);
    let shown = stage.shown();
    assert_eq!(shown.matches("many words").count(), 1, "{shown}");
    assert!(shown.lines().all(|line| line.chars().count() <= 30), "{shown}");
}

#[test]
fn code_has_colours_and_words_have_none() {
    let mut stage = crate::kit::Stage::new(60, 24);
    stage.apply(tui::Event::TurnBegan);
    stage.apply(tui::Event::Text("Some words.\n\n```rust\nfn main() { \"text\"; }\n```\n\n".to_owned()));
    assert_eq!(stage.colour_of("fn main"), vt100::Color::Idx(5));
    assert_eq!(stage.colour_of("\"text\""), vt100::Color::Idx(2));
    assert_eq!(stage.colour_of("Some words."), vt100::Color::Default);
}
