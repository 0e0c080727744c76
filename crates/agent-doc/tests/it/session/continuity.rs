//! Which conversation of an agent a document goes on with, and how its progress is shown.

use std::os::unix::fs::PermissionsExt as _;

use super::scene::{APPEND, STREAM, Scene};
use super::terminal::Terminal;

#[test]
fn an_empty_session_forks_a_name_resumes_and_a_deleted_name_begins_anew() {
    let scene = Scene::new(&APPEND.replace("agent: fake", "agent: claude"), "");
    let folder = scene.scratch.path("home/bin");
    std::fs::create_dir(&folder).unwrap();
    let script = "#!/bin/sh\ncat >/dev/null; echo \"$*\" >> \"$HOME/called\"
echo '{\"type\":\"system\",\"subtype\":\"init\",\"session_id\":\"talk-1\"}'
echo '{\"type\":\"result\",\"is_error\":false,\"result\":\"Yes.\",\"session_id\":\"talk-1\"}'\n";
    std::fs::write(folder.join("claude"), script).unwrap();
    std::fs::set_permissions(folder.join("claude"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let turn = || {
        let path = format!("{}:/usr/bin:/bin", folder.display());
        let output = scene.command(&["run", "notes.md"]).env("PATH", path).output().unwrap();
        assert_eq!(output.status.code(), Some(0), "{output:?}");
    };
    turn();
    assert!(scene.read("notes.md").starts_with("---\nsession: talk-1\n"), "{}", scene.read("notes.md"));
    scene.append("notes.md", "And why?\n");
    turn();
    scene.write(
        "notes.md",
        &(scene.read("notes.md").replace("session: talk-1\n", "session:\n") + "And now?\n"),
    );
    turn();
    let called = scene.scratch.read("home/called");
    let called: Vec<&str> = called.lines().collect();
    assert_eq!(called.len(), 3, "{called:?}");
    assert!(called[0].ends_with("--continue --fork-session"), "{called:?}");
    assert!(called[1].ends_with("--resume talk-1"), "{called:?}");
    assert!(!called[2].contains("--resume") && !called[2].contains("--continue"), "{called:?}");
}

#[test]
fn the_conversation_of_an_agent_that_answers_in_json_is_kept_in_the_document() {
    let scene = Scene::new(APPEND, "");
    let settings = "format = \"json\"\ntext = \"out.0.words\"\nsession = \"meta.id\"\nresume_args = [\"--on\", \"{session}\"]\n";
    let script = "echo \"$*\" >> \"$HOME/called\"; echo '{\"out\":[{\"words\":\"Yes.\"}],\"meta\":{\"id\":\"talk-9\"}}'";
    scene.agent_with(script, settings);
    scene.well(&["run", "notes.md"]);
    let text = scene.read("notes.md");
    assert!(text.starts_with("---\nsession: talk-9\n") && text.contains("\n\nYes.\n"), "{text}");
    scene.append("notes.md", "And why?\n");
    scene.well(&["run", "notes.md"]);
    assert_eq!(scene.scratch.read("home/called").lines().last(), Some("--on talk-9"));
}

/// Speaks as Claude Code does, with its tokens, until it may end.
const COUNTS: &str = r#"echo '{"type":"stream_event","event":{"type":"message_start","message":{"id":"m"}}}'
echo '{"type":"stream_event","event":{"type":"message_delta","usage":{"output_tokens":1234}}}'
while [ ! -e "$DOC.go" ]; do sleep 0.02; done
echo '{"type":"result","is_error":false,"result":"Yes."}'"#;

#[test]
fn a_terminal_shows_seconds_and_tokens_and_nothing_of_it_stays() {
    let scene = Scene::new(STREAM, "");
    scene.agent_with(COUNTS, "format = \"claude\"\n");
    let program = env!("CARGO_BIN_EXE_agent-doc");
    let home = scene.scratch.path("home").display().to_string();
    let command = format!("env HOME='{home}' '{program}' stream notes.md --no-git; echo over; exec cat");
    let terminal = Terminal::open(&scene, &command);
    scene.until("tokens are shown", || terminal.shown().contains(" s · 1234 tokens"));
    scene.until("seconds are shown", || terminal.shown().contains("fake · 1 s · 1234 tokens"));
    scene.write("notes.md.go", "");
    scene.until("it is over", || terminal.shown().contains("over"));
    let shown = terminal.shown();
    assert!(shown.contains("fake answered in") && !shown.contains("tokens"), "{shown}");
}

#[test]
fn without_a_terminal_progress_is_a_plain_line() {
    let scene = Scene::new(STREAM, "");
    scene.agent_with(COUNTS, "format = \"claude\"\n");
    scene.write("notes.md.go", "");
    let output = scene.run(&["stream", "notes.md"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success() && said.contains("asking fake\n"), "{said}");
    assert!(!said.contains('\r') && !said.contains('\u{1b}'), "{said:?}");
}
