//! Documents that cannot be written for a while, or for good, while an answer comes: the agent goes on, and its words are kept.

use std::io::{BufRead as _, BufReader, Lines};
use std::path::Path;
use std::process::{Child, ChildStderr, Command};

use super::scene::{STREAM, Scene};

/// An agent that hinders us after its first words, and goes on when the test says so.
fn scene(hindrance: &str) -> Scene {
    let script = format!(
        "echo $$ > \"$DOC.pid\"; echo 'Begun.'; while ! grep -q Begun \"$DOC\"; do sleep 0.02; done
{hindrance}; echo 'More.'
while [ ! -e \"$DOC.go\" ]; do sleep 0.02; done; echo 'Done.'"
    );
    Scene::new(STREAM, &script)
}

/// All that is kept of answers, as it lies on the disk.
fn kept(folder: &Path) -> String {
    let mut found = String::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.path().is_dir() {
            found += &kept(&entry.path());
        } else if entry.path().extension().is_some_and(|extension| extension == "json") {
            // It may be replaced in this moment; then it is looked at again.
            found += &std::fs::read_to_string(entry.path()).unwrap_or_default();
        }
    }
    found
}

/// A turn, and what it says on standard error.
struct Turn {
    child: Child,
    lines: Lines<BufReader<ChildStderr>>,
    said: String,
}

/// Begins to stream, and waits until it says that words cannot be shown; they are kept then.
fn begin(scene: &Scene) -> Turn {
    let mut child = scene.spawn_piped(&["stream", "notes.md"]);
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    let mut said = String::new();
    while !said.contains("the answer waits, and is tried again") {
        let line = lines.next().unwrap_or_else(|| panic!("it did not go on: {said}"));
        said += &(line.unwrap() + "\n");
    }
    scene.until("the words are kept", || kept(&scene.path(".agent-doc/pending")).contains("More."));
    Turn { child, lines, said }
}

fn is_alive(pid: &str) -> bool {
    Command::new("kill").args(["-0", pid.trim()]).output().unwrap().status.success()
}

/// Lets the agent end, and has the command end after it. What it said.
fn end(scene: &Scene, turn: Turn, code: i32) -> String {
    let Turn { mut child, lines, mut said } = turn;
    scene.write("notes.md.go", "");
    for line in lines {
        said += &(line.unwrap() + "\n");
    }
    assert_eq!(child.wait().unwrap().code(), Some(code), "{said}");
    assert!(!is_alive(&scene.read("notes.md.pid")), "the agent is still there");
    said
}

fn assert_whole(text: &str) {
    assert_eq!(text, STREAM.replace("What is it?\n", "What is it?\n\nBegun.\nMore.\nDone.\n"));
}

#[test]
fn a_document_that_is_replaced_by_a_folder_gets_its_answer_when_it_is_back() {
    let scene = scene("mv \"$DOC\" \"$DOC.aside\"; mkdir \"$DOC\"");
    let told = end(&scene, begin(&scene), 2);
    assert!(told.contains("the answer is kept") && !told.contains("answered in"), "{told}");
    std::fs::remove_dir(scene.path("notes.md")).unwrap();
    std::fs::rename(scene.path("notes.md.aside"), scene.path("notes.md")).unwrap();
    scene.well(&["recover", "notes.md"]);
    assert_whole(&scene.read("notes.md"));
}

#[test]
fn a_document_that_is_read_only_for_a_while_has_the_whole_answer_in_the_end() {
    use std::os::unix::fs::PermissionsExt as _;
    let scene = scene("chmod 444 \"$DOC\"");
    let child = begin(&scene);
    std::fs::set_permissions(scene.path("notes.md"), std::fs::Permissions::from_mode(0o644)).unwrap();
    let told = end(&scene, child, 0);
    assert_eq!(told.matches("the answer waits, and is tried again").count(), 1, "{told}");
    assert_whole(&scene.read("notes.md"));
}

#[test]
fn a_document_that_stays_read_only_keeps_its_answer_for_recover() {
    use std::os::unix::fs::PermissionsExt as _;
    let scene = scene("chmod 444 \"$DOC\"");
    let told = end(&scene, begin(&scene), 2);
    assert!(told.contains("read-only") && told.contains("the answer is kept"), "{told}");
    std::fs::set_permissions(scene.path("notes.md"), std::fs::Permissions::from_mode(0o644)).unwrap();
    scene.well(&["recover", "notes.md"]);
    assert_whole(&scene.read("notes.md"));
}

/// Has git do something in the middle of an answer; the answer is whole in the end.
fn check_git(meanwhile: &str) {
    let script = format!(
        "echo 'Begun.'; while ! grep -q Begun \"$DOC\"; do sleep 0.02; done
{meanwhile}
echo 'More.'; while ! grep -q More \"$DOC\"; do sleep 0.02; done; echo 'Done.'"
    );
    let scene = Scene::in_git(STREAM, &script);
    scene.git(&["branch", "without"]);
    scene.well(&["stream", "notes.md"]);
    assert_whole(&scene.read("notes.md"));
    assert!(scene.told(&["diff", "notes.md"]).contains("Nothing changed"));
    assert!(scene.well(&["recover", "notes.md"]).contains("nothing is waiting"));
}

#[test]
fn a_document_that_git_takes_back_in_the_middle_of_an_answer_has_all_of_it_in_the_end() {
    check_git("git checkout --quiet -- notes.md");
}

#[test]
fn a_branch_without_the_document_and_back_again_loses_nothing_of_an_answer() {
    check_git(
        "git checkout --quiet --force without; [ ! -e \"$DOC\" ] || exit 9; echo 'Away.' >&2
git checkout --quiet main",
    );
    // With words that come while the document is away.
    check_git(
        "git stash --quiet; git checkout --quiet without; [ ! -e \"$DOC\" ] || exit 9
git checkout --quiet main; { git stash pop --quiet || git stash drop --quiet; } >/dev/null 2>&1",
    );
}
