//! Answers that are cut anywhere: the file is looked at after every flush.

use document::component::components;
use document::frontmatter::Write;
use workspace::owner::Options;
use workspace::reach::Reach;
use workspace::session::delivery::{Delivery, Flushed, Order, Upto};
use workspace::session::layout::{Layout, Place};
use workspace::sidecar::Sidecar;

use super::desk::Desk;

const START: &str = "---\nsession: a\nagent_doc_mode: stream\n---\n# Doc\n\n<!-- agent:exchange -->\nq?\n<!-- /agent:exchange -->\n\n<!-- agent:status -->\nidle\n<!-- /agent:status -->\n";

/// Delivers an answer letter by letter, and looks at the file after each. What it reads in the end.
async fn delivered(answer: &str) -> String {
    let desk = Desk::new(START, Vec::new());
    let paths = desk.file().paths(&Sidecar::open(desk.root()).unwrap(), START).unwrap();
    let order = Order {
        id: "turn".into(),
        author: "claude".into(),
        time: 1,
        layout: Layout::Stream { target: Place::Component("exchange".into()), thinking: None },
        write: Write::Crdt,
        path: "notes.md".into(),
        baseline: START.into(),
        is_earlier: false,
    };
    let mut reach = Reach::open(desk.root(), Options::default()).await.unwrap();
    let mut delivery = Delivery::begin(&paths, order).unwrap();
    for letter in answer.chars() {
        delivery.say(letter.encode_utf8(&mut [0; 4]));
        if delivery.flush(&mut reach, Upto::Steady).await.unwrap() == Flushed::Written {
            assert_parses(&desk.text(), delivery.said());
        }
    }
    delivery.complete();
    delivery.flush(&mut reach, Upto::End).await.unwrap();
    delivery.settle().unwrap();
    reach.close().await;
    assert_parses(&desk.text(), answer);
    assert!(desk.change().is_empty, "{}", desk.change().diff);
    desk.text()
}

/// The document has the components that it had: half a marker outside of code would take what follows along.
fn assert_parses(text: &str, said: &str) {
    let names: Vec<String> = components(text).unwrap().into_iter().map(|one| one.name).collect();
    assert_eq!(names, ["exchange", "status"], "after {said:?}: {text}");
    assert!(text.ends_with("<!-- /agent:status -->\n"), "after {said:?}: {text}");
}

/// The whole answer at once must give the same.
async fn check(answer: &str) {
    let text = delivered(answer).await;
    let layout = Layout::Stream { target: Place::Component("exchange".into()), thinking: None };
    let words = workspace::session::layout::Words { text: answer.to_owned(), ..Default::default() };
    assert_eq!(text, layout.lay(START, &words).unwrap().text, "{answer:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_patch_that_comes_letter_by_letter_never_leaves_half_a_marker() {
    check("Well.\n\n<!-- patch:status -->\nbusy\n<!-- /patch:status -->\n\n<!-- patch:exchange -->\nIn it.\n<!-- /patch:exchange -->\n").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn markers_in_code_and_out_of_it_never_break_the_document() {
    check("Code:\n\n```html\n<!-- /agent:exchange -->\n```\n\nand `<!-- agent:x -->` too.\n").await;
    check("Forged:\n\n<!-- /agent:exchange -->\n<!-- agent:x -->\n\nend\n").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn letters_of_four_bytes_and_headings_come_whole() {
    check("## Title 👍🏽\n\n日本語\n\n---\n\nend 👩‍👩‍👧\n").await;
}
