//! Cases in which the two sides meet at one line: both change it, one deletes it, one writes beside it.

use super::{Row, row, template};

pub(super) fn rows() -> Vec<Row> {
    let mut rows = rewritten();
    rows.extend(deleted());
    rows.extend(same_line());
    rows
}

fn rewritten() -> Vec<Row> {
    vec![
        row(
            "A line in one star and a line in two are two lines",
            [
                "# Doc\n\nPrevious content.\n\n",
                "# Doc\n\nPrevious content.\n\n*Compacted. Content archived to*\n",
                "# Doc\n\nPrevious content.\n\n**Soft-bristle brush only**\n",
            ],
        )
        .gives(
            "# Doc\n\nPrevious content.\n\n*Compacted. Content archived to*\n**Soft-bristle brush only**\n",
        ),
        row(
            "One line became two different ones: both stand whole and the old one is gone",
            [
                "Some base text\n",
                "Agent wrote this line\n",
                "User wrote different text\n",
            ],
        )
        .once(&["Agent wrote this line\n", "User wrote different text\n"])
        .never(&["Some base text"])
        .contested(),
        row(
            "A line typed into a block that the agent rewrites is kept beside the new block",
            [
                "Line one of old content\nLine two of old content\nLine three of old content\n",
                "Completely new line one\nCompletely new line two\nCompletely new line three\nCompletely new line four\n",
                "Line one of old content\nUser inserted this line\nLine two of old content\nLine three of old content\n",
            ],
        )
        .once(&[
            "Completely new line one\nCompletely new line two\nCompletely new line three\nCompletely new line four\n",
            "User inserted this line\n",
        ])
        .never(&["of old content"])
        .contested()
        .inside(template),
    ]
}

fn deleted() -> Vec<Row> {
    vec![
        row(
            "The line above the agent's new one is deleted",
            [
                "a\nkeep\nremove me\n",
                "a\nkeep\nremove me\nagent line\n",
                "a\nkeep\n",
            ],
        )
        .gives("a\nkeep\nagent line\n"),
        row(
            "The line below the agent's new one is deleted",
            [
                "a\nb\nremove me\nz\n",
                "a\nb\nagent line\nremove me\nz\n",
                "a\nb\nz\n",
            ],
        )
        .gives("a\nb\nagent line\nz\n"),
        row(
            "The person deletes a paragraph that the agent has just rewritten: the new words stay, the old ones do not",
            [
                "intro\n\nThe paragraph as it was.\n\nend\n",
                "intro\n\nSomething else entirely now.\n\nend\n",
                "intro\n\nend\n",
            ],
        )
        .once(&["intro\n", "Something else entirely now.\n", "end\n"])
        .never(&["as it was"])
        .contested(),
    ]
}

fn same_line() -> Vec<Row> {
    vec![
        row(
            "Two cells of one table row",
            [
                "| a | b |\n|---|---|\n| 1 | 2 |\n",
                "| a | b |\n|---|---|\n| 1 | 22 |\n",
                "| a | b |\n|---|---|\n| 11 | 2 |\n",
            ],
        )
        .gives("| a | b |\n|---|---|\n| 11 | 22 |\n"),
        row(
            "The first word of a sentence and its last",
            [
                "The quick brown fox jumps over the lazy dog.\n",
                "The quick brown fox jumps over the lazy cat.\n",
                "A quick brown fox jumps over the lazy dog.\n",
            ],
        )
        .gives("A quick brown fox jumps over the lazy cat.\n"),
        row("The same correction on both sides is made once", ["a\nb\n", "a\nB\nagent\n", "a\nB\n"])
            .gives("a\nB\nagent\n"),
        row(
            "The same word added to a line on both sides stands there once",
            ["ship it\nend\n", "ship it now\nend\nagent\n", "ship it now\nthe end\n"],
        )
        .gives("ship it now\nthe end\nagent\n"),
        row(
            "The same line added on both sides, and one more by the person",
            ["a\n", "a\nshared line\n", "a\nshared line\nuser more\n"],
        )
        .gives("a\nshared line\nuser more\n"),
        row(
            "The same line added on both sides, and one more by the agent",
            ["a\nz\n", "a\nshared line\nagent more\nz\n", "a\nshared line\nz\n"],
        )
        .gives("a\nshared line\nagent more\nz\n"),
    ]
}
