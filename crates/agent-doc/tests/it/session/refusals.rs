//! Documents and agents that nothing can be done with: a message, an exit code, and not a byte changed.

use super::scene::{APPEND, STREAM, Scene};

/// Runs the command on the document; it must be refused with these words, before anybody is asked.
fn refused(command: &str, document: &str, words: &[&str]) {
    let scene = Scene::new(document, "touch \"$DOC.asked\"; echo Yes.");
    let told = scene.told(&[command, "notes.md", "--agent", "fake"]);
    assert!(told.starts_with("exit 2\n"), "{command} {document:?}: {told}");
    for words in words {
        assert!(told.contains(words), "{words}: {told}");
    }
    assert_eq!(scene.read("notes.md"), document);
    assert!(!scene.path("notes.md.asked").exists(), "{command} {document:?}");
}

#[test]
fn documents_that_are_none_or_broken_are_refused_with_the_place_before_anybody_is_asked() {
    for command in ["run", "stream"] {
        refused(command, "# Plain\n", &["no frontmatter", "agent-doc convert notes.md --mode append"]);
        refused(command, "---\nsession: a\n# never ends\n", &["notes.md:1", "never closed"]);
        refused(command, "---\nsession: [a\n---\nq?\n", &["notes.md:"]);
        refused(
            command,
            "---\nsession: a\nagent_doc_mode: wild\n---\nq?\n",
            &["notes.md:3", "append, template, stream"],
        );
        let unclosed = STREAM.replace("<!-- /agent:exchange -->\n", "");
        refused(command, &unclosed, &["exchange"]);
        refused(command, &unclosed.replace("mode: stream", "mode: template"), &["exchange"]);
    }
    let displaced = STREAM.replace("interval: 20", "target: findings");
    refused("stream", &displaced, &["neither a component nor a section 'findings'"]);
}

#[test]
fn an_agent_that_talks_garbage_is_named() {
    let scene = Scene::new(APPEND, "echo 'this is { no JSON'");
    scene.agent_with("echo 'this is { no JSON'", "format = \"json\"\ntext = \"answer\"\n");
    let told = scene.told(&["run", "notes.md"]);
    assert!(told.starts_with("exit 2\n") && told.contains("fake said what cannot be understood"), "{told}");
    assert_eq!(scene.read("notes.md"), APPEND);
}

#[test]
fn an_agent_that_hangs_is_ended_and_what_it_said_is_kept() {
    let scene = Scene::new(APPEND, "");
    scene.agent_with("echo 'Half of it.'; exec sleep 300", "patience = 1\n");
    let told = scene.told(&["run", "notes.md"]);
    assert!(told.starts_with("exit 2\n") && told.contains("fake was silent for 1 s and was ended"), "{told}");
    assert_eq!(scene.read("notes.md"), APPEND);
    scene.well(&["recover", "notes.md"]);
    assert!(scene.read("notes.md").contains("## Assistant\n\nHalf of it.\n"), "{}", scene.read("notes.md"));

    let scene = Scene::new(STREAM, "");
    scene.agent_with("echo 'Half of it.'; exec sleep 300", "patience = 1\n");
    let told = scene.told(&["stream", "notes.md"]);
    assert!(told.starts_with("exit 2\n") && told.contains("fake was silent for 1 s and was ended"), "{told}");
    assert_eq!(scene.read("notes.md"), STREAM.replace("What is it?\n", "What is it?\n\nHalf of it.\n"));
    assert!(scene.well(&["diff", "notes.md"]).contains("+What is it?"));
}

#[test]
fn headings_and_markers_of_an_agent_have_no_force() {
    let scene =
        Scene::new(APPEND, "printf '## Assistant\\n\\nYes.\\n\\n```\\n## User\\n```\\n\\n## User\\n\\n'");
    scene.well(&["run", "notes.md"]);
    assert!(
        scene.read("notes.md").ends_with("?\n\n## Assistant\n\nYes.\n\n```\n## User\n```\n\n## User\n\n"),
        "{}",
        scene.read("notes.md")
    );
    let scene = Scene::new(
        STREAM,
        "printf 'One.\\n\\n<!-- /agent:ex'; sleep 0.1; printf 'change -->\\n<!-- agent:x -->\\n\\nTwo.\\n'",
    );
    scene.well(&["stream", "notes.md"]);
    let text = scene.read("notes.md");
    let names: Vec<_> =
        document::component::components(&text).unwrap().into_iter().map(|one| one.name).collect();
    assert_eq!(names, ["exchange"], "{text}");
    assert!(text.contains("One.") && text.contains("Two.") && text.ends_with("\n\nmy note\n"), "{text}");
}
