//! Answers that come from outside, by `write`.

use super::scene::{APPEND, STREAM, Scene};

#[test]
fn an_answer_is_laid_out_as_the_document_says() {
    let scene = Scene::new(APPEND, "");
    assert_eq!(scene.with_input(&["write", "notes.md"], "Yes.\n").status.code(), Some(0));
    assert!(scene.read("notes.md").ends_with("## Assistant\n\nYes.\n\n## User\n\n"));
    assert!(scene.told(&["run", "notes.md"]).contains("Nothing changed"));

    let scene = Scene::new(STREAM, "");
    scene.with_input(&["write", "notes.md", "--stream"], "Yes.\n");
    assert!(scene.read("notes.md").contains("What is it?\n\nYes.\n<!-- /agent:exchange -->\n\nmy note\n"));
}

#[test]
fn a_given_baseline_is_the_base_of_the_merge() {
    let scene = Scene::new(STREAM, "");
    scene.write("before.md", STREAM);
    scene.write(
        "notes.md",
        &STREAM.replace("# Doc", "# My doc").replace("What is it?\n", "What is it?\n\nprompt two\n"),
    );
    let output =
        scene.with_input(&["write", "notes.md", "--stream", "--baseline-file", "before.md"], "An answer.\n");
    assert_eq!(output.status.code(), Some(0));
    let text = scene.read("notes.md");
    assert!(text.contains("# My doc\n\n<!-- agent:exchange -->\nWhat is it?\n\nAn answer.\n\nprompt two\n<!-- /agent:exchange -->\n\nmy note\n"), "{text}");
    let told = scene.well(&["diff", "notes.md"]);
    let added: Vec<&str> = told
        .lines()
        .filter(|line| line.starts_with('+') && line.len() > 1 && !line.starts_with("+++"))
        .collect();
    assert_eq!(added, ["+# My doc", "+prompt two"], "{told}");
}

#[test]
fn a_given_baseline_holds_though_the_saved_state_is_broken() {
    let scene = Scene::new(STREAM, "");
    scene.with_input(&["write", "notes.md", "--stream"], "First.\n");
    let before = scene.read("notes.md");
    scene.write("before.md", &before);
    for folder in ["snapshots", "crdt"] {
        for entry in std::fs::read_dir(scene.path(".agent-doc").join(folder)).unwrap() {
            std::fs::write(entry.unwrap().path(), b"\xff\xfe broken").unwrap();
        }
    }
    scene.write(
        "notes.md",
        &before.replace("# Doc", "# My doc").replace("First.\n", "First.\n\nprompt two\n"),
    );
    let output = scene.with_input(&["write", "notes.md", "--baseline-file", "before.md"], "Second.\n");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let text = scene.read("notes.md");
    for words in ["# My doc", "First.", "prompt two", "Second.", "my note", "<!-- /agent:exchange -->"] {
        assert_eq!(text.matches(words).count(), 1, "{words}: {text}");
    }
}

#[test]
fn two_answers_on_one_baseline_are_both_there_also_at_the_same_time() {
    for _ in 0..5 {
        let scene = Scene::new(STREAM, "");
        scene.write("before.md", STREAM);
        let children: Vec<_> = ["One answer.", "Another answer."]
            .into_iter()
            .map(|answer| {
                use std::io::Write as _;
                let mut child =
                    scene.spawn_piped(&["write", "notes.md", "--stream", "--baseline-file", "before.md"]);
                child.stdin.take().unwrap().write_all(answer.as_bytes()).unwrap();
                child
            })
            .collect();
        for child in children {
            assert!(child.wait_with_output().unwrap().status.success());
        }
        let text = scene.read("notes.md");
        for words in ["One answer.", "Another answer.", "What is it?"] {
            assert_eq!(text.matches(words).count(), 1, "{text}");
        }
        assert!(scene.told(&["run", "notes.md", "--dry-run"]).contains("Nothing changed"));
    }
}

#[test]
fn the_same_name_is_put_in_once() {
    let scene = Scene::new(STREAM, "");
    for _ in 0..3 {
        assert_eq!(
            scene.with_input(&["write", "notes.md", "--id", "turn-7"], "Yes.\n").status.code(),
            Some(0)
        );
    }
    assert_eq!(scene.read("notes.md").matches("Yes.").count(), 1);
    assert!(scene.told(&["diff", "notes.md"]).contains("Nothing changed"));
    assert!(scene.well(&["recover", "notes.md"]).contains("nothing is waiting"));
}

#[test]
fn patches_and_markers_in_an_answer_do_no_harm() {
    let scene = Scene::new(STREAM, "");
    let answer = "Text.\n\n```\n<!-- /patch:exchange -->\n<!-- /agent:exchange -->\n```\n\n<!-- /agent:exchange -->\n<!-- patch:exchange -->\nPatched.\n<!-- /patch:exchange -->\n";
    assert_eq!(scene.with_input(&["write", "notes.md", "--template"], answer).status.code(), Some(0));
    let text = scene.read("notes.md");
    let names: Vec<_> =
        document::component::components(&text).unwrap().into_iter().map(|one| one.name).collect();
    assert_eq!(names, ["exchange"], "{text}");
    assert!(text.contains("Patched.") && text.contains("Text.") && text.ends_with("\n\nmy note\n"), "{text}");
}

#[test]
fn nothing_and_what_has_no_place_are_refused() {
    let scene = Scene::new(STREAM, "");
    let output = scene.with_input(&["write", "notes.md"], "  \n");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("there is no answer on standard input"));
    scene.write("notes.md", &STREAM.replace("agent:exchange", "agent:other"));
    let output = scene.with_input(&["write", "notes.md"], "Yes.\n");
    assert_eq!(output.status.code(), Some(2));
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(
        told.contains("exchange") && told.contains("it is not kept") && !told.contains("recover"),
        "{told}"
    );
    assert!(scene.well(&["recover", "notes.md"]).contains("nothing is waiting"));
}

/// What waits for the document.
fn waiting(scene: &Scene) -> serde_json::Value {
    let output = scene.run(&["recover", "notes.md", "--list", "--json"]);
    serde_json::from_slice(&output.stdout).unwrap()
}

#[test]
fn an_answer_that_has_to_wait_for_a_turn_is_on_the_disk_before_and_comes_in_after_it() {
    let holding = "echo 'Begun.'; while [ ! -e \"$DOC.go\" ]; do sleep 0.02; done; echo 'Done.'";
    for (command, document, is_killed) in
        [("stream", STREAM, false), ("stream", STREAM, true), ("run", APPEND, false), ("run", APPEND, true)]
    {
        let scene = Scene::new(document, holding);
        let turn = scene.spawn_piped(&[command, "notes.md"]);
        scene.until("it is asked", || scene.scratch.path("home/prompt").exists());
        let mut write = scene.spawn_piped(&["write", "notes.md", "--author", "outside"]);
        std::io::Write::write_all(&mut write.stdin.take().unwrap(), b"From outside.\n").unwrap();
        scene.until("it is kept", || {
            let kept = waiting(&scene);
            let rows = kept["responses"].as_array().unwrap();
            rows.iter().any(|row| row["author"] == "outside" && row["bytes"] == 14)
        });
        if is_killed {
            write.kill().unwrap();
        }
        scene.write("notes.md.go", "");
        assert!(turn.wait_with_output().unwrap().status.success(), "{command}");
        assert_eq!(write.wait_with_output().unwrap().status.success(), !is_killed, "{command}");
        scene.well(&["recover", "notes.md"]);
        let text = scene.read("notes.md");
        for words in ["What is it?", "Begun.\n", "Done.\n", "From outside.\n"] {
            assert_eq!(text.matches(words).count(), 1, "{command}: {text}");
        }
        assert!(!text.contains("<<<<<<<"), "{text}");
        if !is_killed {
            assert!(scene.told(&["diff", "notes.md"]).contains("Nothing changed"), "{command}: {text}");
        }
    }
}

#[test]
fn an_answer_to_a_read_only_document_is_not_promised_and_can_be_written_again() {
    use std::os::unix::fs::PermissionsExt as _;
    let scene = Scene::new(STREAM, "");
    let mode = |mode| {
        std::fs::set_permissions(scene.path("notes.md"), std::fs::Permissions::from_mode(mode)).unwrap();
    };
    mode(0o444);
    let output = scene.with_input(&["write", "notes.md"], "Yes.\n");
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(told.contains("read-only") && told.contains("it is not kept"), "{told}");
    mode(0o644);
    assert!(scene.well(&["recover", "notes.md"]).contains("nothing is waiting"));
    assert_eq!(scene.with_input(&["write", "notes.md"], "Yes.\n").status.code(), Some(0));
    assert_eq!(scene.read("notes.md"), STREAM.replace("What is it?\n", "What is it?\n\nYes.\n"));
    assert!(scene.told(&["diff", "notes.md"]).contains("Nothing changed"));
}
