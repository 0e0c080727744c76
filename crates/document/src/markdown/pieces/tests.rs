//! Texts of hard lines, cut into pieces and read as a whole. Never trusts a cut that changes what is found.

use std::ops::Range;

use proptest::prelude::*;

use pulldown_cmark::Event;

use super::super::{events, fragment_events};
use super::{Cuts, last_piece, pieces_with};
use crate::comment::html::{comments, comments_of_file};

/// Lines that open, close, nest and end blocks, each where it is hard to tell.
const LINES: [&str; 64] = [
    "",
    "",
    "",
    " ",
    "\t",
    "a",
    "a <!-- b -->",
    "a <!-- b",
    "b --> a",
    "-->",
    "<!-- a -->",
    "<!--",
    "<!-->",
    "<!-- a --> <!-- b",
    "  <!-- a -->",
    "  <!--",
    "    <!-- a -->",
    "\t<!-- a -->",
    "```",
    "```rust",
    "``` a`",
    "````",
    "~~~",
    "~~~ `",
    " ```",
    "  ```",
    "   ```",
    "    ```",
    "```  ",
    "```\t",
    "  ~~~",
    "- a",
    "- <!-- a -->",
    "-",
    "- ```",
    "- <!--",
    "  - a",
    "   - a",
    "1. a",
    "10. a",
    "  a",
    "   a",
    "    a",
    "* * *",
    "---",
    "> a",
    "> ```",
    "> <!--",
    "> - a",
    ">",
    "# a <!-- b -->",
    "<div>",
    "</div>",
    "<b>",
    "<pre>",
    "</pre>",
    "<?",
    "<!A",
    "[a]: <!-- b -->",
    "[a]:",
    "[a][<!-- b -->]",
    "[^a]: b",
    "| a | <!-- b --> |",
    "|---|---|",
];

/// The block of the top level that reaches to the end of the text: what may be open there.
fn last_block(text: &str, start: usize) -> Option<String> {
    let mut depth = 0_usize;
    let mut last = None;
    for (event, range) in fragment_events(&text[start..]) {
        match event {
            Event::Start(tag) => {
                if depth == 0 {
                    last = Some((tag, range.start + start..range.end + start));
                }
                depth += 1;
            }
            Event::End(_) => depth -= 1,
            _ => {}
        }
    }
    last.filter(|(_, range)| range.end >= text.trim_end().len()).map(|block| format!("{block:?}"))
}

fn text_of(numbers: &[usize], ending: &str, is_ended: bool) -> String {
    let lines: Vec<&str> = numbers.iter().map(|number| LINES[*number]).collect();
    lines.join(ending) + if is_ended { ending } else { "" }
}

/// The pieces of `text` with a comment in them, found by reading every line.
fn pieces_line_by_line(text: &str) -> Vec<Range<usize>> {
    let bounds: Vec<usize> =
        std::iter::once(0).chain(Cuts::new(text, 0)).chain(std::iter::once(text.len())).collect();
    let pieces = bounds.windows(2).map(|bounds| bounds[0]..bounds[1]);
    pieces.filter(|piece| text[piece.clone()].contains("<!--")).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn the_comments_of_pieces_are_those_of_the_whole(
        numbers in prop::collection::vec(0..LINES.len(), 0..16),
        ending in prop::sample::select(vec!["\n", "\n", "\n", "\r\n", "\r"]),
        is_ended: bool,
    ) {
        let text = text_of(&numbers, ending, is_ended);
        prop_assert_eq!(comments_of_file(&text), comments(&text, events(&text)), "{:?}", text);
    }

    #[test]
    fn lines_that_are_passed_over_change_no_piece(
        numbers in prop::collection::vec(0..LINES.len(), 0..40),
        ending in prop::sample::select(vec!["\n", "\r\n"]),
        is_ended: bool,
    ) {
        let text = text_of(&numbers, ending, is_ended);
        prop_assert_eq!(pieces_with(&text, 0, "<!--"), pieces_line_by_line(&text), "{:?}", text);
        prop_assert_eq!(last_piece(&text, 0), Cuts::new(&text, 0).last().unwrap_or(0), "{:?}", text);
    }

    #[test]
    fn what_is_open_at_the_end_was_opened_in_the_last_piece(
        numbers in prop::collection::vec(0..LINES.len(), 0..16),
        is_ended: bool,
    ) {
        let text = text_of(&numbers, "\n", is_ended);
        let last = last_piece(&text, 0);
        let (whole, piece) = (last_block(&text, 0), last_block(&text, last));
        let is_list = whole.as_ref().is_some_and(|block| block.starts_with("(List"));
        prop_assert!(is_list || whole == piece, "{text:?}: {whole:?} {piece:?}");
    }
}
