//! The commands around a session document.

use super::scene::{APPEND, STREAM, Scene};

#[test]
fn a_new_document_of_each_mode_can_be_answered_at_once() {
    for (mode, command) in [("append", "run"), ("template", "run"), ("stream", "stream")] {
        let scene = Scene::new(APPEND, "echo Yes.");
        scene.well(&["init", "sub/plan.md", "The  plan", "--mode", mode, "--agent", "fake"]);
        let text = scene.read("sub/plan.md");
        assert!(text.starts_with("---\nsession:\n") && text.contains("# Session: The plan\n"), "{text}");
        let asked = if mode == "append" {
            text + "Well?\n"
        } else {
            text.replace("<!-- /agent", "Well?\n<!-- /agent")
        };
        scene.write("sub/plan.md", &asked);
        scene.well(&[command, "sub/plan.md"]);
        assert!(scene.read("sub/plan.md").contains("Well?\n\n"), "{}", scene.read("sub/plan.md"));
        assert!(scene.read("sub/plan.md").contains("Yes.\n"));
        let told = scene.told(&["init", "sub/plan.md"]);
        assert!(told.starts_with("exit 2\n") && told.contains("exists already"), "{told}");
    }
}

#[test]
fn a_plain_file_becomes_a_session_document() {
    let scene = Scene::new("# Plain\r\n\r\nHello?\r\n", "echo Yes.");
    let told = scene.told(&["run", "notes.md"]);
    assert!(
        told.starts_with("exit 2\n") && told.contains("agent-doc convert notes.md --mode append"),
        "{told}"
    );
    scene.well(&["convert", "notes.md", "--mode", "stream"]);
    let text = scene.read("notes.md");
    assert!(
        text.contains("agent_doc_mode: stream\r\n")
            && text.ends_with("<!-- agent:exchange -->\r\n<!-- /agent:exchange -->\r\n"),
        "{text:?}"
    );
    assert!(scene.well(&["convert", "notes.md", "--mode", "stream"]).contains("already"));
    scene.well(&["run", "notes.md", "--agent", "fake"]);
    assert!(
        scene.read("notes.md").contains("<!-- agent:exchange -->\r\nYes.\r\n<!-- /agent:exchange -->"),
        "{:?}",
        scene.read("notes.md")
    );
}

#[test]
fn a_component_is_patched_in_its_own_way() {
    let document = STREAM.to_owned() + "\n<!-- agent:status -->\nold\n<!-- /agent:status -->\n";
    let scene = Scene::new(&document, "");
    scene.well(&["patch", "notes.md", "status", "new"]);
    assert!(scene.read("notes.md").contains("<!-- agent:status -->\nnew\n<!-- /agent:status -->"));
    scene.well(&["patch", "notes.md", "exchange", "More."]);
    assert!(scene.read("notes.md").contains("What is it?\n\nMore.\n<!-- /agent:exchange -->"));
    let told = scene.told(&["patch", "notes.md", "statsu", "x"]);
    assert!(told.starts_with("exit 2\n") && told.contains("status"), "{told}");
}

#[test]
fn a_reset_document_is_new_again() {
    let scene = Scene::new(APPEND, "echo Yes.");
    scene.well(&["run", "notes.md"]);
    let before = scene.read("notes.md");
    scene.well(&["reset", "notes.md"]);
    assert_eq!(scene.read("notes.md"), before);
    assert!(scene.well(&["run", "notes.md", "--dry-run"]).contains("This is your first answer"));
}

#[test]
fn old_exchanges_go_to_the_archive_and_are_no_change() {
    let scene = Scene::new(APPEND, "echo Yes.");
    for number in 0..4 {
        scene.well(&["run", "notes.md"]);
        scene.append("notes.md", &format!("Question {number}?\n"));
    }
    scene.well(&["run", "notes.md"]);
    scene.well(&["compact", "notes.md", "--keep", "2"]);
    let text = scene.read("notes.md");
    assert_eq!(text.matches("## Assistant").count(), 2, "{text}");
    assert!(!text.contains("What is it?") && text.contains("Question 3?"));
    let archives: Vec<_> = std::fs::read_dir(scene.path(".agent-doc/archives")).unwrap().collect();
    assert_eq!(archives.len(), 1);
    assert!(
        scene.told(&["run", "notes.md"]).contains("Nothing changed"),
        "{}",
        scene.well(&["diff", "notes.md"])
    );
    assert!(scene.well(&["compact", "notes.md", "--keep", "2"]).contains("no more than 2"));
}

#[test]
fn the_change_that_would_be_sent_is_shown_and_nothing_else_happens() {
    let scene = Scene::in_git(APPEND, "touch \"$DOC.asked\"; echo Yes.");
    let told = scene.well(&["run", "notes.md", "--dry-run"]);
    assert!(told.contains("What is it?"), "{told}");
    assert!(!scene.path("notes.md.asked").exists());
    assert_eq!(scene.git(&["rev-list", "--count", "HEAD"]).trim(), "1");
    let told = scene.well(&["run", "notes.md", "--json"]);
    assert!(told.contains("\"outcome\": \"answered\"") && told.contains("\"conflicts\": 0"), "{told}");
    let told = scene.well(&["run", "notes.md", "--json"]);
    assert!(told.contains("\"outcome\": \"nothing\""), "{told}");
}

#[test]
fn editors_are_set_up_in_the_project_and_never_over_what_is_there() {
    let scene = Scene::new(APPEND, "");
    scene.well(&["init", "--editor", "vscode"]);
    let tasks: serde_json::Value = serde_json::from_str(&scene.read(".vscode/tasks.json")).unwrap();
    assert_eq!(tasks["tasks"][0]["label"], "agent-doc: run");
    assert!(scene.told(&["init", "--editor", "vscode"]).contains("exists already"));
    scene.well(&["init", "--editor", "vim"]);
    assert!(scene.read(".agent-doc/agent-doc.vim").contains("autoread"));
}

#[test]
fn without_a_key_or_an_agent_the_offline_model_answers() {
    let scene = Scene::new(&APPEND.replace("agent: fake\n", ""), "");
    let mut command = scene.command(&["run", "notes.md"]);
    let output = command.env("PATH", "/usr/bin:/bin").output().unwrap();
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(scene.read("notes.md").contains("offline model"));
    assert!(scene.read("notes.md").contains("session: 0"));
}

#[test]
fn a_component_takes_its_text_from_standard_input() {
    let scene = Scene::new(STREAM, "");
    let output = scene.with_input(&["patch", "notes.md", "exchange"], "Piped.\n");
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    assert!(scene.read("notes.md").contains("What is it?\n\nPiped.\n<!-- /agent:exchange -->"));
}

#[test]
fn what_was_a_comment_is_a_change_once_it_is_none() {
    let scene = Scene::new(APPEND, "echo Yes.");
    scene.well(&["run", "notes.md"]);
    scene.append("notes.md", "<!-- And why? -->\n");
    assert!(scene.told(&["diff", "notes.md"]).contains("Nothing changed"));
    scene.write("notes.md", &scene.read("notes.md").replace("<!-- And why? -->", "And why?"));
    assert!(scene.well(&["diff", "notes.md"]).contains("+And why?"));
}

#[test]
fn old_entries_of_a_component_go_to_the_archive_too() {
    for (mode, command) in [("template", "run"), ("stream", "stream")] {
        let document = STREAM.replace("mode: stream", &format!("mode: {mode}"));
        let scene = Scene::new(&document, "printf '### Re: it\\n\\nYes.\\n'");
        for number in 1..=3 {
            scene.well(&[command, "notes.md"]);
            let asked = format!("Question {number}?\n<!-- /agent");
            scene.write("notes.md", &scene.read("notes.md").replace("<!-- /agent", &asked));
        }
        scene.well(&["compact", "notes.md", "--keep", "1"]);
        let text = scene.read("notes.md");
        assert_eq!(text.matches("### Re: it").count(), 1, "{mode}: {text}");
        assert!(text.contains("Question 3?") && text.ends_with("\n\nmy note\n"), "{mode}: {text}");
        let told = scene.well(&["diff", "notes.md"]);
        assert!(told.contains("+Question 3?") && !told.contains("\n-Y"), "{mode}: {told}");
    }
}

#[test]
fn a_document_can_be_converted_to_every_mode_and_is_answered_there() {
    for (mode, command) in [("append", "run"), ("template", "run"), ("stream", "stream")] {
        for start in [APPEND, STREAM] {
            let scene = Scene::new(start, "echo Yes.");
            scene.well(&["convert", "notes.md", "--mode", mode]);
            let text = scene.read("notes.md");
            assert!(text.contains(&format!("agent_doc_mode: {mode}\n")), "{text}");
            assert!(text.contains("What is it?\n"), "{text}");
            scene.well(&[command, "notes.md"]);
            let text = scene.read("notes.md");
            let place =
                if mode == "append" { "## Assistant\n\nYes.\n" } else { "Yes.\n<!-- /agent:exchange -->" };
            assert_eq!(text.matches(place).count(), 1, "{mode}: {text}");
        }
    }
}
