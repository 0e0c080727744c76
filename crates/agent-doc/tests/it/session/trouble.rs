//! Agents and files that misbehave: a clear message, an exit code, and nothing lost.

use std::process::Command;
use std::time::Duration;

use super::scene::{APPEND, STREAM, Scene};

#[test]
fn an_agent_that_fails_says_nothing_or_garbage_changes_nothing_and_says_so() {
    for (script, words) in [
        ("echo 'half an answer'; echo 'out of tokens' >&2; exit 3", "out of tokens"),
        ("exit 0", "answered nothing"),
        ("kill -9 $$", "fake failed"),
    ] {
        let scene = Scene::new(APPEND, script);
        let told = scene.told(&["run", "notes.md"]);
        assert!(told.starts_with("exit 2\n") && told.contains(words), "{told}");
        assert_eq!(scene.read("notes.md"), APPEND);
    }
    let scene = Scene::new(&APPEND.replace("agent: fake", "agent: nobody"), "");
    let told = scene.told(&["run", "notes.md"]);
    assert!(told.contains("there is no agent 'nobody'") && told.contains("claude"), "{told}");
    let scene = Scene::new(&APPEND.replace("agent: fake", "agent: codex"), "");
    let told = scene.told(&["run", "notes.md"]);
    assert!(told.starts_with("exit 2\n"), "{told}");
}

#[test]
fn half_an_answer_is_kept_and_recovered_once() {
    let scene = Scene::new(APPEND, "echo 'Half of it.'; exit 3");
    let told = scene.told(&["run", "notes.md"]);
    assert!(told.contains("bytes of the answer came before that and are kept"), "{told}");
    assert!(scene.well(&["recover", "notes.md", "--list"]).contains("response"));
    scene.well(&["recover", "notes.md"]);
    let text = scene.read("notes.md");
    assert!(text.contains("## Assistant\n\nHalf of it.\n\n## User\n"), "{text}");
    scene.well(&["recover", "notes.md"]);
    assert_eq!(scene.read("notes.md"), text);
}

#[test]
fn a_streamed_half_answer_stays_visible_and_can_be_asked_for_again() {
    let scene = Scene::new(STREAM, "echo 'Half of it.'; exit 3");
    let told = scene.told(&["stream", "notes.md"]);
    assert!(told.starts_with("exit 2\n") && !told.contains("answered in"), "{told}");
    assert!(
        scene.read("notes.md").contains("What is it?\n\nHalf of it.\n<!-- /agent"),
        "{}",
        scene.read("notes.md")
    );
    scene.agent("echo 'All of it.'");
    scene.well(&["stream", "notes.md"]);
    assert!(scene.read("notes.md").contains("All of it."));
}

#[test]
fn an_agent_that_edits_the_document_itself_loses_nothing() {
    let scene = Scene::new(
        APPEND,
        "printf '\\nThe agent wrote this by itself.\\n' >> \"$DOC\"; echo 'And said this.'",
    );
    scene.well(&["run", "notes.md"]);
    let text = scene.read("notes.md");
    for words in ["What is it?", "The agent wrote this by itself.", "And said this."] {
        assert_eq!(text.matches(words).count(), 1, "{words}: {text}");
    }
}

#[test]
fn both_changing_the_same_words_is_marked_and_has_a_code_of_its_own() {
    let template = "---\nsession: a\nagent_doc_mode: template\nagent: fake\n---\n<!-- agent:status -->\nold words\n<!-- /agent:status -->\n\n<!-- agent:exchange -->\nq?\n<!-- /agent:exchange -->\n";
    let scene = Scene::new(
        template,
        "sed -i 's/old words/my own words/' \"$DOC\"\nprintf '<!-- patch:status -->\\nthe agent says so\\n<!-- /patch:status -->\\nDone.\\n'",
    );
    let told = scene.told(&["run", "notes.md"]);
    assert!(told.starts_with("exit 1\n") && told.contains("WARNING: Merge conflicts detected."), "{told}");
    let text = scene.read("notes.md");
    for words in [
        "<<<<<<< agent-response",
        "||||||| original",
        ">>>>>>> your-edits",
        "my own words",
        "the agent says so",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
}

#[test]
fn a_person_who_types_meanwhile_is_told_that_their_edits_are_there() {
    let scene = Scene::new(APPEND, "printf '\\nAnd why?\\n' >> \"$DOC\"; echo Yes.");
    let told = scene.well(&["run", "notes.md"]);
    assert!(told.contains("Merge successful — user edits preserved."), "{told}");
    let told = scene.well(&["diff", "notes.md"]);
    let added: Vec<&str> = told
        .lines()
        .filter(|line| line.starts_with('+') && line.len() > 1 && !line.starts_with("+++"))
        .collect();
    assert_eq!(added, ["+And why?"], "{told}");
}

#[test]
fn an_interrupt_ends_the_agent_and_the_command() {
    let scene = Scene::new(STREAM, "echo 'Begun.'; trap '' TERM INT; sleep 300 & wait; sleep 300");
    let mut child = scene.spawn_piped(&["stream", "notes.md"]);
    scene.until("words are shown", || scene.read("notes.md").contains("Begun."));
    let signalled = Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    assert!(signalled.success());
    let begun = std::time::Instant::now();
    let status = child.wait().unwrap();
    assert_eq!(status.code(), Some(130));
    assert!(begun.elapsed() < Duration::from_secs(60));
    assert!(scene.read("notes.md").contains("Begun."));
}

#[test]
fn a_process_that_is_killed_at_any_moment_loses_neither_answer_nor_edit() {
    for round in 0..8 {
        let scene = Scene::new(STREAM, "for i in 1 2 3 4 5 6 7 8; do echo \"Line $i.\"; sleep 0.05; done");
        let mut child = scene.spawn_piped(&["stream", "notes.md"]);
        let line = format!("Line {}.", round + 1);
        scene.until("words are shown", || scene.read("notes.md").contains(&line));
        child.kill().unwrap();
        child.wait().unwrap();
        let text = scene.read("notes.md").replace("my note", "my own note");
        scene.write("notes.md", &text);
        scene.well(&["recover", "notes.md"]);
        let text = scene.read("notes.md");
        for number in 1..=round + 1 {
            assert_eq!(text.matches(&format!("Line {number}.")).count(), 1, "round {round}: {text}");
        }
        assert!(text.contains("my own note"), "{text}");
        scene.agent("echo 'Whole.'");
        scene.well(&["stream", "notes.md"]);
        let text = scene.read("notes.md");
        assert!(text.contains("Whole.") && text.contains("my own note"), "{text}");
        assert_eq!(text.matches("Line 1.").count(), 1, "{text}");
    }
}

#[test]
fn two_turns_at_once_ask_once() {
    for (first, second, document) in
        [("run", "run", APPEND), ("stream", "stream", STREAM), ("stream", "run", STREAM)]
    {
        let scene = Scene::new(document, "while [ ! -e \"$DOC.go\" ]; do sleep 0.02; done; echo Yes.");
        let child = scene.spawn_piped(&[first, "notes.md"]);
        scene.until("the first asks", || scene.scratch.path("home/prompt").exists());
        let told = scene.told(&[second, "notes.md"]);
        assert!(told.starts_with("exit 2\n"), "{told}");
        assert!(told.contains(&format!("agent-doc {first} (process")), "{told}");
        scene.write("notes.md.go", "");
        assert!(child.wait_with_output().unwrap().status.success());
        assert_eq!(scene.read("notes.md").matches("Yes.\n").count(), 1);
    }
}

#[test]
fn a_run_that_is_killed_leaves_what_was_said_for_recover() {
    let scene = Scene::new(APPEND, "echo 'Half of it.'; while [ ! -e \"$DOC.go\" ]; do sleep 0.02; done");
    let mut child = scene.spawn_piped(&["run", "notes.md"]);
    scene.until("words are kept", || {
        let told = scene.told(&["recover", "notes.md", "--list"]);
        told.contains("12 bytes of fake")
    });
    child.kill().unwrap();
    child.wait().unwrap();
    scene.write("notes.md.go", "");
    scene.append("notes.md", "And my line.\n");
    scene.well(&["recover", "notes.md"]);
    let text = scene.read("notes.md");
    assert!(text.contains("## Assistant\n\nHalf of it.\n") && text.contains("And my line.\n"), "{text}");
    assert!(scene.well(&["diff", "notes.md"]).contains("+What is it?"));
    assert!(scene.well(&["recover", "notes.md"]).contains("nothing is waiting"));
}

#[test]
fn a_read_only_document_keeps_its_answer_for_later() {
    use std::os::unix::fs::PermissionsExt as _;
    let scene = Scene::new(APPEND, "chmod 444 \"$DOC\"; echo Yes.");
    let told = scene.told(&["run", "notes.md"]);
    assert!(told.starts_with("exit 2\n") && told.contains("read-only") && told.contains("recover"), "{told}");
    assert_eq!(scene.read("notes.md"), APPEND);
    std::fs::set_permissions(scene.path("notes.md"), std::fs::Permissions::from_mode(0o644)).unwrap();
    let told = scene.well(&["recover", "notes.md"]);
    assert!(scene.read("notes.md").contains("\n\nYes.\n"), "{told}");
}

#[test]
fn mode_and_link_of_a_document_are_kept() {
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    let scene = Scene::new(APPEND, "echo Yes.");
    std::fs::rename(scene.path("notes.md"), scene.path("real.md")).unwrap();
    std::fs::set_permissions(scene.path("real.md"), std::fs::Permissions::from_mode(0o664)).unwrap();
    symlink("real.md", scene.path("notes.md")).unwrap();
    scene.well(&["run", "notes.md"]);
    assert!(std::fs::symlink_metadata(scene.path("notes.md")).unwrap().is_symlink());
    assert!(scene.read("real.md").contains("Yes."));
    assert_eq!(std::fs::metadata(scene.path("real.md")).unwrap().permissions().mode() & 0o777, 0o664);
}

#[test]
fn a_document_that_was_renamed_keeps_what_was_answered() {
    let scene = Scene::new(APPEND, "echo Yes.");
    scene.well(&["run", "notes.md"]);
    scene.append("notes.md", "More?\n");
    scene.write("notes.md", &scene.read("notes.md").replace("session:\n", "session: mine\n"));
    scene.well(&["run", "notes.md"]);
    std::fs::rename(scene.path("notes.md"), scene.path("moved.md")).unwrap();
    assert!(scene.told(&["run", "moved.md"]).contains("Nothing changed since last submit for moved.md"));
}

#[test]
fn a_document_without_a_session_that_was_renamed_is_not_answered_again() {
    let scene = Scene::new(APPEND, "echo Yes.");
    scene.well(&["run", "notes.md"]);
    std::fs::create_dir(scene.path("sub")).unwrap();
    std::fs::rename(scene.path("notes.md"), scene.path("sub/moved.md")).unwrap();
    assert!(scene.told(&["run", "sub/moved.md"]).contains("Nothing changed"));
    scene.append("sub/moved.md", "And more?\n");
    scene.agent("echo Sure.");
    scene.well(&["run", "sub/moved.md"]);
    let asked = scene.prompt();
    assert!(asked.contains("+And more?") && !asked.contains("This is your first answer"), "{asked}");
    // Its old name is free, and a copy is a document of its own.
    scene.write("notes.md", &APPEND.replace("What is it?", "What else?"));
    scene.write("copy.md", &scene.read("sub/moved.md"));
    for name in ["notes.md", "copy.md"] {
        scene.well(&["run", name]);
        assert!(scene.prompt().contains("This is your first answer"), "{name}");
    }
    assert!(scene.told(&["run", "sub/moved.md"]).contains("Nothing changed"));
}

#[test]
fn others_can_write_while_an_answer_streams() {
    let scene =
        Scene::new(STREAM, "echo 'Begun.'; while [ ! -e \"$DOC.go\" ]; do sleep 0.02; done; echo 'Done.'");
    let child = scene.spawn_piped(&["stream", "notes.md"]);
    scene.until("words are shown", || scene.read("notes.md").contains("Begun."));
    scene.well(&["section", "append", "notes.md", "Doc", "A line of a third one."]);
    scene.write("notes.md.go", "");
    assert!(child.wait_with_output().unwrap().status.success());
    let text = scene.read("notes.md");
    for words in ["Begun.", "Done.", "A line of a third one.", "my note"] {
        assert_eq!(text.matches(words).count(), 1, "{words}: {text}");
    }
}

/// A program that speaks as Claude Code does, and ends well before it has said all.
#[test]
fn an_answer_that_ends_without_its_last_event_is_kept_and_the_question_stays_open() {
    let event =
        r#"{"type":"assistant","message":{"id":"m","content":[{"type":"text","text":"Half of it."}]}}"#;
    for (command, document) in [("run", APPEND), ("stream", STREAM)] {
        let scene = Scene::in_git(document, "");
        scene.agent_with(&format!("echo '{event}'"), "format = \"claude\"\n");
        let told = scene.told(&[command, "notes.md"]);
        assert!(told.starts_with("exit 2\n") && !told.contains("answered in"), "{told}");
        assert!(told.contains("fake failed: it ended before its answer was whole"), "{told}");
        let asked = scene.well(&["diff", "notes.md"]);
        assert!(asked.contains("+What is it?"), "{asked}");
        scene.well(&["recover", "notes.md"]);
        assert_eq!(scene.read("notes.md").matches("Half of it.").count(), 1, "{}", scene.read("notes.md"));
        let asked = scene.well(&["diff", "notes.md"]);
        assert!(asked.contains("+What is it?"), "{asked}");
    }
}
