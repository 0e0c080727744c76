//! A document and a run, followed in a terminal.

use super::pane::{PROGRAM, Pane};
use crate::chat::Person;
use crate::scratch::told;

#[test]
fn changes_of_a_document_are_shown_as_they_come_and_words_are_answered_in_it() {
    let person = Person::new();
    let document =
        "---\nsession:\nagent_doc_mode: append\nagent: offline\n---\n\n# Talk\n\n## User\n\nHello.\n";
    person.scratch.write("project/notes.md", document);
    let pane = Pane::shell(&person, None, 100, 45);
    pane.line(&format!("{PROGRAM} follow notes.md"));
    pane.until("following notes.md");
    let shown = pane.until("What changes is shown here");
    assert!(shown.contains("Hello."), "{shown}");
    person.scratch.write("project/notes.md", document.replace("Hello.", "Good day."));
    let shown = pane.until("+ Good day.");
    assert!(shown.contains("- Hello.") && shown.contains("notes.md +1 -1"), "{shown}");
    pane.line("$ touch made");
    pane.question();
    pane.keys(&["1"]);
    pane.until("answered in the document");
    assert!(person.scratch.path("project/made").exists());
    assert!(person.scratch.read("project/notes.md").contains("$ touch made"));
    pane.leave();
}

#[test]
fn a_run_is_followed_to_its_end() {
    let person = Person::new();
    let done = person.run(&["conduct", "what does this project do?", "--json"]);
    let report: serde_json::Value =
        serde_json::from_slice(&done.stdout).unwrap_or_else(|_| panic!("{}", told(&done)));
    let id = report["id"].as_str().unwrap();
    let pane = Pane::shell(&person, None, 100, 45);
    pane.line(&format!("{PROGRAM} follow {id}"));
    pane.until("the run is ");
    assert!(pane.all().contains("Put together from the sections of the workers"), "{}", pane.all());
    pane.leave();
    let unknown = person.run(&["follow", "nobody"]);
    assert!(told(&unknown).contains("there is no terminal to follow in"), "{}", told(&unknown));
    pane.line(&format!("clear; {PROGRAM} follow nobody"));
    pane.until("'nobody' is neither a file nor a run");
}
