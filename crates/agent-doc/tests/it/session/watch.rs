//! `watch`, as a process that other processes see.

use super::scene::{APPEND, STREAM, Scene};

#[test]
fn saves_are_answered_and_its_status_and_end_are_for_everybody() {
    let scene = Scene::in_git(APPEND, "echo \"Answer to $(tail -n 1 \"$DOC\" | wc -c).\"");
    assert!(scene.told(&["watch", "--status"]).starts_with("exit 1\n"));
    let child = scene.spawn_piped(&["watch", "--debounce", "30"]);
    scene.until("it watches", || scene.run(&["watch", "--status"]).status.success());
    for number in 1..=3 {
        scene.append("notes.md", &format!("Question {number}?\n"));
        scene.until("it is answered", || scene.read("notes.md").matches("## Assistant").count() == number);
        scene.until("it is idle", || {
            let told = scene.told(&["watch", "--status", "--json"]);
            told.contains(&format!("\"answered\": {number}")) && told.contains("\"idle\"")
        });
    }
    // Others work through it.
    scene.well(&["section", "append", "notes.md", "Talk", "<!-- a note of a third one -->"]);
    let told = scene.well(&["watch", "--status"]);
    assert!(told.contains("notes.md") && told.contains("idle"), "{told}");
    let second = scene.told(&["watch"]);
    assert!(
        second.starts_with("exit 2\n") && second.contains("owns the documents of this project already"),
        "{second}"
    );
    assert!(scene.well(&["watch", "--stop"]).contains("no longer watched"));
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(said.matches("notes.md: answered").count(), 3, "{said}");
    assert!(scene.well(&["watch", "--stop"]).contains("is not watched"));
    assert_eq!(scene.git(&["rev-list", "--count", "HEAD"]).trim(), "4");
}

#[test]
fn stream_documents_are_answered_in_their_place_and_only_named_ones_are_watched() {
    let scene = Scene::new(STREAM, "echo Streamed.");
    scene.write("other.md", APPEND);
    let child = scene.spawn_piped(&["watch", "notes.md"]);
    scene.until("it watches", || scene.run(&["watch", "--status"]).status.success());
    scene.append("other.md", "Nobody hears this.\n");
    scene.write("notes.md", &scene.read("notes.md").replace("What is it?\n", "What is it?\nReally?\n"));
    scene.until("it is answered", || {
        scene.read("notes.md").contains("Really?\n\nStreamed.\n<!-- /agent:exchange -->")
    });
    scene.well(&["watch", "--stop"]);
    assert!(child.wait_with_output().unwrap().status.success());
    assert_eq!(scene.read("other.md"), format!("{APPEND}Nobody hears this.\n"));
}
