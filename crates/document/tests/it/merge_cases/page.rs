//! Cases in which the two sides work on different parts of a page, move things, or replace all of it.

use super::{Row, row};

pub(super) fn rows() -> Vec<Row> {
    let mut rows = apart();
    rows.extend(frontmatter());
    rows.extend(whole());
    rows
}

fn apart() -> Vec<Row> {
    vec![
        row(
            "A heading is corrected above while an answer is added below",
            [
                "# Tilte\n\nQ?\n",
                "# Tilte\n\nQ?\n\n## Assistant\n\nA.\n",
                "# Title\n\nQ?\n",
            ],
        )
        .gives("# Title\n\nQ?\n\n## Assistant\n\nA.\n"),
        row(
            "Two blocks at the same end: the agent's comes first and neither is torn",
            [
                "# Document\n\nBase content.\n",
                "# Document\n\nBase content.\n### Agent Response\n\nAgent wrote this.\n",
                "# Document\n\nBase content.\nUser added this line.\n",
            ],
        )
        .gives("# Document\n\nBase content.\n### Agent Response\n\nAgent wrote this.\nUser added this line.\n"),
        row(
            "A prompt that both sides already hold stands once, with the answer behind it",
            [
                "## Assistant\n\nPrevious response content.\n\nCommitted and pushed.\n\n",
                "## Assistant\n\nPrevious response content.\n\nCommitted and pushed.\n\nOpening a video a shows video a.\nClosing video a then opening video b start video b but video b is hidden.\n### Re: Close A → Open B still hidden\n\nAdded explicit height and visibility reset.\n\nCommitted and pushed.\n\n",
                "## Assistant\n\nPrevious response content.\n\nCommitted and pushed.\n\nOpening a video a shows video a.\nClosing video a then opening video b start video b but video b is hidden.\n\n",
            ],
        )
        .once(&["Opening a video a shows video a.", "Closing video a then", "### Re: Close A"])
        .in_order(&["Opening a video", "Closing video a then", "### Re: Close A", "Added explicit"]),
        row(
            "Two equal paragraphs of the base are nobody's mistake",
            [
                "# T\n\n- [ ] todo\n\n- [ ] todo\n\nend\n",
                "# T\n\n- [ ] todo\n\n- [ ] todo\n\nend\n\nA.\n",
                "# Title\n\n- [ ] todo\n\n- [ ] todo\n\nend\n",
            ],
        )
        .gives("# Title\n\n- [ ] todo\n\n- [ ] todo\n\nend\n\nA.\n"),
    ]
}

fn frontmatter() -> Vec<Row> {
    vec![
        row(
            "The agent names its conversation in the frontmatter while the person picks another model",
            [
                "---\nagent: claude\nmodel: opus\n---\n\nhi\n",
                "---\nresume: abc\nagent: claude\nmodel: opus\n---\n\nhi\n\n## Assistant\n\nA\n",
                "---\nagent: claude\nmodel: sonnet\n---\n\nhi\n",
            ],
        )
        .gives("---\nresume: abc\nagent: claude\nmodel: sonnet\n---\n\nhi\n\n## Assistant\n\nA\n"),
        row(
            "Comments and unknown keys of the frontmatter stay as they are written",
            [
                "---\nmodel: opus # fast\nmine: [1,  2]\n---\n\nhi\n",
                "---\nmodel: opus # fast\nmine: [1,  2]\nresume: abc\n---\n\nhi\n\nA\n",
                "---\nmodel: sonnet # fast\nmine: [1,  2]\n---\n\nhi\n",
            ],
        )
        .gives("---\nmodel: sonnet # fast\nmine: [1,  2]\nresume: abc\n---\n\nhi\n\nA\n"),
    ]
}

fn whole() -> Vec<Row> {
    vec![
        row(
            "A paragraph that is carried to the end is neither doubled nor lost",
            [
                "A para.\n\nB para.\n\nC para.\n",
                "A para.\n\nB para.\n\nC para.\n\nAgent.\n",
                "B para.\n\nC para.\n\nA para.\n",
            ],
        )
        .once(&["A para.", "B para.", "C para.", "Agent."]),
        row(
            "Of three equal items the second is ticked, and a fourth is added",
            [
                "- [ ] todo\n- [ ] todo\n- [ ] todo\n",
                "- [ ] todo\n- [ ] todo\n- [ ] todo\n- [ ] new\n",
                "- [ ] todo\n- [x] todo\n- [ ] todo\n",
            ],
        )
        .gives("- [ ] todo\n- [x] todo\n- [ ] todo\n- [ ] new\n"),
        row(
            "Without a common beginning, what both wrote stands once",
            ["", "# Doc\n\nq\n\nA\n", "# Doc\n\nq\nuser more\n"],
        )
        .once(&["# Doc", "q\n", "A\n", "user more"]),
        row(
            "The person starts over with another page, and the answer still lands",
            [
                "old title\n\nold body\n",
                "old title\n\nold body\n\nA.\n",
                "brand new title\n\ncompletely different body\n",
            ],
        )
        .once(&["brand new title", "completely different body", "A.\n"])
        .never(&["old title", "old body"]),
        row(
            "A stale copy without the newest part, and a line of its own: both new lines stand",
            ["q\n\nFlushed.\n", "q\n\nFlushed.\nNext part.\n", "q\nmy own thought\n"],
        )
        .once(&["q\n", "Next part.", "my own thought"]),
    ]
}
