use std::path::Path;

use expect_test::expect;
use workspace::pending::{Pending, Response, Target};
use workspace::sidecar::{DocumentPaths, Sidecar};

use crate::child;
use crate::scratch::{Scratch, told};

const DRAFT: &str = "# Run\n\n## Log\n\n## End\n";
const START: u64 = 1_700_000_000_000;

fn paths(scratch: &Scratch, name: &str) -> DocumentPaths {
    Sidecar::open(&scratch.path("")).unwrap().paths_for(Path::new(name), None).unwrap()
}

/// A response that a killed agent left, with part of it in the document already.
fn leave_response(scratch: &Scratch) {
    let target = Target::Section("Log".to_owned());
    let mut response = Response::new("turn-1", "claude", target, DRAFT, START);
    response.text = "First half.\nSecond half.\n".to_owned();
    response.attempting(&DRAFT.into(), &"never written".into());
    Pending::at(&paths(scratch, "draft.md").pending_dir).put(&response).unwrap();
}

#[test]
fn nothing_waits_in_a_project_without_a_crash() {
    let scratch = Scratch::with(&[("draft.md", DRAFT)]);
    let nothing = "exit 0\n! nothing is waiting\n";
    assert_eq!(told(&scratch.run(&["recover"])), nothing);
    assert_eq!(told(&scratch.run(&["recover", "draft.md", "--list"])), nothing);
    assert_eq!(scratch.names(), ["draft.md"]);
    assert!(scratch.run(&["section", "append", "draft.md", "Log", "One."]).status.success());
    assert_eq!(told(&scratch.run(&["recover"])), nothing);
    scratch.check(
        &["recover", "gone.md"],
        expect![[r#"
            exit 2
            ! error: gone.md does not exist
            !   help: check the path, and the folder you are in
        "#]],
    );
}

#[test]
fn a_response_is_listed_then_brought_home_once() {
    let scratch = Scratch::with(&[("draft.md", DRAFT)]);
    leave_response(&scratch);
    scratch.check(
        &["recover", "--list"],
        expect![[r#"
        exit 0
        KIND      FILE      WHAT
        response  draft.md  25 bytes of claude for section Log, since 2023-11-14 22:13:20 UTC
        ! 'agent-doc recover' brings responses and saves into their documents
    "#]],
    );
    assert_eq!(scratch.read("draft.md"), DRAFT);
    scratch.check(
        &["recover"],
        expect![[r#"
        exit 0
        KIND      FILE      WHAT
        response  draft.md  25 bytes of claude for section Log, since 2023-11-14 22:13:20 UTC
        ! draft.md: the response of claude is in the document now; revision 1
    "#]],
    );
    let once = "# Run\n\n## Log\nFirst half.\nSecond half.\n\n## End\n";
    assert_eq!(scratch.read("draft.md"), once);
    assert_eq!(told(&scratch.run(&["recover"])), "exit 0\n! nothing is waiting\n");
    // It died after the document was written, before the response was forgotten.
    leave_response(&scratch);
    let again = told(&scratch.run(&["recover", "draft.md", "--json"]));
    assert!(again.contains("\"completed\": []") && again.contains("\"id\": \"turn-1\""), "{again}");
    assert_eq!(scratch.read("draft.md"), once);
}

#[test]
fn the_daemon_brings_a_response_home_too() {
    let scratch = Scratch::with(&[("draft.md", DRAFT)]);
    leave_response(&scratch);
    let _daemon = child::own(&scratch.path(""));
    assert!(scratch.run(&["section", "append", "draft.md", "End", "Meanwhile."]).status.success());
    let told = told(&scratch.run(&["recover", "draft.md"]));
    assert!(told.contains("the response of claude is in the document now; revision 2"), "{told}");
    let text = scratch.read("draft.md");
    assert!(text.contains("First half.\nSecond half.\n") && text.contains("Meanwhile."), "{text}");
}

#[test]
fn a_save_beside_the_document_is_taken_in_and_damage_is_listed() {
    let scratch = Scratch::with(&[("draft.md", DRAFT)]);
    assert!(scratch.run(&["section", "append", "draft.md", "Log", "One."]).status.success());
    // The number is larger than any process has.
    let left = ".draft.md.agent-doc-4194305-1.0000000000000001.0000000000000002.tmp";
    scratch.write(left, format!("{}Typed by a person.\n", scratch.read("draft.md")));
    scratch.write(".agent-doc/journal/abc.damaged-1", "??");
    scratch.check(&["recover", "--list"], expect![[r#"
        exit 0
        KIND      FILE                              WHAT
        save      draft.md                          perhaps a save, in .draft.md.agent-doc-4194305-1.0000000000000001.0000000000000002.tmp
        damaged   .agent-doc/journal/abc.damaged-1  2 bytes
        ! 'agent-doc recover' brings responses and saves into their documents
        ! damaged files are kept for you; look at them, and remove them when you like
    "#]]);
    scratch.check(&["recover"], expect![[r#"
        exit 0
        KIND      FILE                              WHAT
        save      draft.md                          perhaps a save, in .draft.md.agent-doc-4194305-1.0000000000000001.0000000000000002.tmp
        damaged   .agent-doc/journal/abc.damaged-1  2 bytes
        ! draft.md: the saves beside it are in the document now
        ! damaged files are kept for you; look at them, and remove them when you like
    "#]]);
    assert!(scratch.read("draft.md").ends_with("One.\n\n## End\nTyped by a person.\n"));
    assert_eq!(scratch.names(), [".agent-doc", "draft.md"]);
}
