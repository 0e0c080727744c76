//! Cases of a conversation: a person asks, corrects and deletes in the exchange while the agent answers there.

use super::{Row, row, template};

pub(super) fn rows() -> Vec<Row> {
    let mut rows = answers();
    rows.extend(questions());
    rows.extend(streams());
    rows.into_iter().map(|row| row.inside(template)).collect()
}

fn answers() -> Vec<Row> {
    vec![
        row(
            "An old answer is deleted while a new one arrives, and stays deleted",
            [
                "q1\n\n### Re: first\n\nOld answer to delete.\n\nq2\n",
                "q1\n\n### Re: first\n\nOld answer to delete.\n\nq2\n\n### Re: second\n\nNew answer.\n",
                "q1\n\nq2\n",
            ],
        )
        .gives("q1\n\nq2\n\n### Re: second\n\nNew answer.\n")
        .never(&["Old answer to delete."]),
        row(
            "A paragraph that the person repeats on purpose is there twice",
            [
                "Intro.\n\nSame para.\n\n",
                "Intro.\n\nSame para.\n\n### Re: x\n\nAnswer.\n",
                "Intro.\n\nSame para.\n\nSame para.\n\n",
            ],
        )
        .times("Same para.", 2)
        .once(&["Intro.", "### Re: x", "Answer."])
        .in_order(&["Intro.", "Same para.", "Answer."]),
        row(
            "The first prompt of an empty exchange stands before its answer",
            [
                "\n",
                "\n### Re: topic\n\nResponse content here.\n",
                "User prompt line one.\nLast line of user prompt.\n\n",
            ],
        )
        .once(&["User prompt line one.", "Last line of user prompt.", "### Re: topic", "Response content"])
        .in_order(&["User prompt line one.", "Last line of user prompt.", "### Re: topic"]),
    ]
}

fn questions() -> Vec<Row> {
    vec![
        row(
            "The question is put better while it is answered",
            [
                "What is teh plan?\n",
                "What is teh plan?\n\n### Re: plan\n\nPlan.\n",
                "What is the plan for Q3?\n",
            ],
        )
        .gives("What is the plan for Q3?\n\n### Re: plan\n\nPlan.\n"),
        row(
            "The last line of the question grows, and the answer follows it",
            ["first\nsecond\n", "first\nsecond\n\n### Re: s\n\nA\n", "first\nsecond, really\n"],
        )
        .gives("first\nsecond, really\n\n### Re: s\n\nA\n"),
        row(
            "A second question is asked while the first is answered",
            [
                "### Re: old\n\nOld answer.\n\nprompt one\n",
                "### Re: old\n\nOld answer.\n\nprompt one\n\n### Re: one\n\nA1\n",
                "### Re: old\n\nOld answer.\n\nprompt one\n\nprompt two\n",
            ],
        )
        .gives("### Re: old\n\nOld answer.\n\nprompt one\n\n### Re: one\n\nA1\n\nprompt two\n"),
        row(
            "A remark goes into an earlier answer while the next one lands",
            [
                "### Re: old\n\nOld answer line.\n\nprompt\n",
                "### Re: old\n\nOld answer line.\n\nprompt\n\n### Re: p\n\nA1\n",
                "### Re: old\n\nOld answer line (wrong!).\n\nprompt\n",
            ],
        )
        .gives("### Re: old\n\nOld answer line (wrong!).\n\nprompt\n\n### Re: p\n\nA1\n"),
        row(
            "Two agents answer in one exchange: two whole blocks with a blank line between them",
            ["q\n", "q\n\n### Re: A\n\nalpha one\nalpha two\n", "q\n\n### Re: B\n\nbeta one\nbeta two\n"],
        )
        .gives("q\n\n### Re: A\n\nalpha one\nalpha two\n\n### Re: B\n\nbeta one\nbeta two\n"),
    ]
}

fn streams() -> Vec<Row> {
    vec![
        row(
            "A misspelt word of the stream is corrected while the stream goes on",
            [
                "q\n\nThe anwser is 42.\n",
                "q\n\nThe anwser is 42.\nBecause of deep thought.\n",
                "q\n\nThe answer is 42.\n",
            ],
        )
        .gives("q\n\nThe answer is 42.\nBecause of deep thought.\n"),
        row(
            "A streamed paragraph is deleted while the stream goes on",
            [
                "q\n\nPara one.\n\nPara two.\n",
                "q\n\nPara one.\n\nPara two.\n\nPara three.\n",
                "q\n\nPara two.\n",
            ],
        )
        .gives("q\n\nPara two.\n\nPara three.\n"),
        row(
            "A note between two streamed paragraphs stays between them",
            [
                "q\n\nPara one.\n\nPara two.\n",
                "q\n\nPara one.\n\nPara two.\n\nPara three.\n",
                "q\n\nPara one.\n\nuser note\n\nPara two.\n",
            ],
        )
        .gives("q\n\nPara one.\n\nuser note\n\nPara two.\n\nPara three.\n"),
        row(
            "The stream stops within a word, the person writes below, and the word is finished",
            ["q\n\nThe ans\n", "q\n\nThe answer is\n", "q\n\nThe ans\nuser line\n"],
        )
        .gives("q\n\nThe answer is\nuser line\n"),
    ]
}

const ANSWER: &str = "q\n\n### Re: q\n\nA\n";

/// A document whose parts are given: before the exchange, in it, after it.
fn page(before: &str, content: &str, after: &str) -> String {
    format!("{before}<!-- agent:exchange -->\n{content}<!-- /agent:exchange -->\n{after}")
}

fn page_row(title: &'static str, texts: [String; 3], expected: &str) -> Row {
    row(title, texts.each_ref().map(String::as_str)).gives(expected)
}

/// Cases in which the person changes markers and other components around the exchange.
pub(super) fn components() -> Vec<Row> {
    let mut rows = around();
    rows.extend(other_components());
    rows.push(
        row(
            "The exchange itself is deleted while it is answered: it does not come back, and the answer is not lost",
            [
                &template("q\n"),
                &template(ANSWER),
                "---\nagent_doc_format: template\nagent_doc_write: crdt\n---\n\n# Doc\n\njust notes\n",
            ],
        )
        .once(&["just notes", "### Re: q", "A\n"])
        .never(&["agent:exchange"])
        .contested(),
    );
    rows
}

fn around() -> Vec<Row> {
    let head = "# Doc\n\n";
    let fence =
        |line: &str| format!("```html\n<!-- agent:exchange -->\n{line}\n<!-- /agent:exchange -->\n```\n");
    let marked = page(head, "q\n", "").replace("exchange -->\nq", "exchange patch=append -->\nq");
    vec![
        page_row(
            "The person writes below the exchange",
            [
                page(head, "q\n", "tail\n"),
                page(head, ANSWER, "tail\n"),
                page(head, "q\n", "tail\nuser note\n"),
            ],
            &page(head, ANSWER, "tail\nuser note\n"),
        ),
        page_row(
            "Both change the text around the exchange, each another line of it",
            [
                page(head, "q\n", "notes\n\nfooter\n"),
                page(head, ANSWER, "notes (agent ref)\n\nfooter\n"),
                page(head, "q\n", "notes\n\nfooter user\n"),
            ],
            &page(head, ANSWER, "notes (agent ref)\n\nfooter user\n"),
        ),
        page_row(
            "An attribute is added to the opening marker",
            [page(head, "q\n", ""), page(head, ANSWER, ""), marked.clone()],
            &marked.replace("q\n", ANSWER),
        ),
        page_row(
            "A marker that is only quoted in a code block stays a quotation",
            [
                page(head, "q\n", &fence("x")),
                page(head, ANSWER, &fence("x")),
                page(head, "q\n", &fence("x edited")),
            ],
            &page(head, ANSWER, &fence("x edited")),
        ),
    ]
}

fn other_components() -> Vec<Row> {
    let component =
        |name: &str, content: &str| format!("<!-- agent:{name} -->\n{content}<!-- /agent:{name} -->\n");
    let status = |content: &str| component("status", content) + "\n";
    let todo = format!("\n{}", component("todo", "- x\n"));
    let queue = |content: &str| component("queue", content);
    let asked = "q1\n\n### Re: q1\n\nFirst.\n\nq2\n";
    let answered = format!("{asked}\n### Re: q2\n\none\ntwo\nthree\n");
    vec![
        page_row(
            "The status is changed while the exchange is answered",
            [
                page(&status("ok\n"), "q\n", ""),
                page(&status("ok\n"), "q\n\nA\n", ""),
                page(&status("ok!\n"), "q\n", ""),
            ],
            &page(&status("ok!\n"), "q\n\nA\n", ""),
        ),
        page_row(
            "Another component is added below",
            [page("", "q\n", ""), page("", ANSWER, ""), page("", "q\n", &todo)],
            &page("", ANSWER, &todo),
        ),
        page_row(
            "Another component is deleted",
            [page(&status("ok\n"), "q\n", ""), page(&status("ok\n"), ANSWER, ""), page("", "q\n", "")],
            &page("", ANSWER, ""),
        )
        .never(&["agent:status"]),
        page_row(
            "An item is queued below while an answer is written",
            [
                page(&status(""), asked, &queue("")),
                page(&status(""), &answered, &queue("")),
                page(&status(""), asked, &queue("- do x\n")),
            ],
            &page(&status(""), &answered, &queue("- do x\n")),
        ),
        page_row(
            "The agent strikes one item of the queue while the person adds another",
            [queue("- one\n- two\n"), queue("- ~~one~~\n- two\n"), queue("- one\n- two\n- three\n")],
            &queue("- ~~one~~\n- two\n- three\n"),
        ),
    ]
}
