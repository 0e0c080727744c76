//! Cases of characters of several bytes, line endings, a missing last line break, and blanks that mean something.

use super::{Row, row};

pub(super) fn rows() -> Vec<Row> {
    let mut rows = characters();
    rows.extend(endings());
    rows.extend(blanks());
    rows
}

fn characters() -> Vec<Row> {
    vec![
        row("Two letters whose first byte is the same", ["a\n", "a\né agent\n", "a\nè user\n"])
            .gives("a\né agent\nè user\n"),
        row("Two emoji that differ in their last byte only", ["a\n", "a\n👍🏽 agent\n", "a\n👍🏻 user\n"])
            .gives("a\n👍🏽 agent\n👍🏻 user\n"),
        row(
            "A child joins a family of joined emoji while the agent writes below",
            [
                "👨\u{200d}👩\u{200d}👧 family\n日本語\n",
                "👨\u{200d}👩\u{200d}👧 family\n日本語\nagent line\n",
                "👨\u{200d}👩\u{200d}👧\u{200d}👦 family\n日本語!\n",
            ],
        )
        .gives("👨\u{200d}👩\u{200d}👧\u{200d}👦 family\n日本語!\nagent line\n"),
        row(
            "A byte order mark stays the first character",
            ["\u{feff}# T\n\nq\n", "\u{feff}# T\n\nq\n\nA\n", "\u{feff}# T2\n\nq\n"],
        )
        .gives("\u{feff}# T2\n\nq\n\nA\n"),
    ]
}

fn endings() -> Vec<Row> {
    vec![
        row(
            "Both sides end their lines as the file does",
            ["# T\r\n\r\nq?\r\n", "# T\r\n\r\nq?\r\n\r\nA.\r\n", "# T2\r\n\r\nq?\r\n"],
        )
        .gives("# T2\r\n\r\nq?\r\n\r\nA.\r\n"),
        row(
            "The agent's bare line feeds become what the file uses",
            ["# T\r\n\r\nq?\r\n", "# T\r\n\r\nq?\r\n\n## Assistant\n\nA.\n", "# T2\r\n\r\nq?\r\n"],
        )
        .gives("# T2\r\n\r\nq?\r\n\r\n## Assistant\r\n\r\nA.\r\n"),
        row(
            "A last line without a line break grows, and the answer begins on a line of its own",
            ["Q", "Q\n\n## Assistant\n\nA\n", "Q and more"],
        )
        .gives("Q and more\n\n## Assistant\n\nA\n"),
        row(
            "A file of lone carriage returns is written in at both ends",
            ["one\rtwo\r", "one\rtwo\rthree\r", "zero one\rtwo\r"],
        )
        .gives("zero one\rtwo\rthree\r"),
        row("Nobody ends the last line, and both add one", ["Q", "Q\n\nA", "Q\nmore"]).gives("Q\n\nA\nmore"),
    ]
}

fn blanks() -> Vec<Row> {
    vec![
        row("The person adds blank lines only", ["q\n", "q\n\nA\n", "q\n\n\n"])
            .once(&["q\n", "A\n"])
            .in_order(&["q", "A"]),
        row(
            "Two blanks at the end of a line are a line break and stay",
            ["one  \ntwo\n", "one  \ntwo\n\nA  \nB\n", "one  \ntwo  \nthree\n"],
        )
        .gives("one  \ntwo  \n\nA  \nB\nthree\n"),
        row(
            "Two blanks added to the line above the answer",
            ["one  \ntwo\n", "one  \ntwo\n\nA\n", "one  \ntwo  \n"],
        )
        .gives("one  \ntwo  \n\nA\n"),
    ]
}
