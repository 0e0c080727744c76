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

/// Begins to watch, and waits until it does.
fn watched(scene: &Scene, arguments: &[&str]) -> std::process::Child {
    let child = scene.spawn_piped(&[&["watch"], arguments].concat());
    scene.until("it watches", || scene.run(&["watch", "--status"]).status.success());
    child
}

/// The state of a document, and how often it was answered.
fn state(scene: &Scene, path: &str) -> (String, u64) {
    let output = scene.run(&["watch", "--status", "--json"]);
    let status: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let rows = status["documents"].as_array().unwrap();
    let row = rows.iter().find(|row| row["path"] == path).unwrap();
    (row["state"].to_string(), row["answered"].as_u64().unwrap())
}

fn asked(scene: &Scene) -> usize {
    std::fs::read_to_string(scene.path("notes.md.asked")).unwrap_or_default().lines().count()
}

/// What an agent left in the file that failed is no save of a person, also where it is shown as it comes.
fn check_failing(document: &str) {
    let script =
        "echo x >> \"$DOC.asked\"; ! grep -q Fail \"$HOME/prompt\" || { echo Half.; exit 3; }; echo Yes.";
    let scene = Scene::new(document, script);
    scene.write("other.md", APPEND);
    let child = watched(&scene, &["--debounce", "30"]);
    scene.write("notes.md", &document.replace("What is it?", "Fail?"));
    scene.until("it failed", || state(&scene, "notes.md").0.contains("failed"));
    // Another document is answered after everything that was saved before it has been looked at.
    scene.append("other.md", "And this?\n");
    scene.until("the other one is answered", || state(&scene, "other.md").1 == 1);
    assert_eq!(asked(&scene), 2);
    assert!(state(&scene, "notes.md").0.contains("failed"));
    scene.write("notes.md", &scene.read("notes.md").replace("Fail?", "And now?"));
    scene.until("it is answered", || state(&scene, "notes.md").1 == 1);
    assert_eq!(asked(&scene), 3);
    scene.well(&["watch", "--stop"]);
    assert!(child.wait_with_output().unwrap().status.success());
}

#[test]
fn an_agent_that_fails_is_shown_and_not_asked_again_until_the_next_save() {
    check_failing(APPEND);
    check_failing(STREAM);
}

#[test]
fn a_stream_is_answered_at_once_and_others_when_they_were_quiet_for_long_enough() {
    let scene = Scene::new(STREAM, "echo Yes.");
    scene.write("slow.md", APPEND);
    let child = watched(&scene, &["--debounce", "600000"]);
    scene.append("slow.md", "And this?\n");
    scene.write("notes.md", &STREAM.replace("What is it?\n", "What is it?\nReally?\n"));
    scene.until("the stream is answered", || state(&scene, "notes.md").1 == 1);
    assert_eq!(state(&scene, "slow.md").1, 0);
    assert_eq!(scene.read("slow.md"), format!("{APPEND}And this?\n"));
    scene.well(&["watch", "--stop"]);
    assert!(child.wait_with_output().unwrap().status.success());
}

#[test]
fn an_agent_that_changes_the_document_itself_is_asked_as_often_as_max_cycles_says() {
    let script =
        "echo x >> \"$DOC.asked\"; echo \"I was here, $(wc -l < \"$DOC.asked\").\" >> \"$DOC\"; echo Yes.";
    let scene = Scene::new(APPEND, script);
    let child = watched(&scene, &["--debounce", "30", "--max-cycles", "1"]);
    scene.append("notes.md", "Begin!\n");
    scene.until("it is left alone", || state(&scene, "notes.md").0.contains("skipped"));
    assert_eq!(asked(&scene), 2);
    scene.well(&["watch", "--stop"]);
    assert!(child.wait_with_output().unwrap().status.success());
}

#[test]
fn a_run_beside_it_finds_the_turn_taken_and_nothing_is_answered_twice() {
    let script = "echo x >> \"$DOC.asked\"; while [ ! -e \"$DOC.go\" ]; do sleep 0.02; done; echo Yes.";
    let scene = Scene::new(APPEND, script);
    let child = watched(&scene, &["--debounce", "30"]);
    scene.append("notes.md", "Really?\n");
    scene.until("it is asked", || asked(&scene) == 1);
    let told = scene.told(&["run", "notes.md"]);
    assert!(told.starts_with("exit 2\n") && told.contains("agent-doc watch (process"), "{told}");
    scene.write("notes.md.go", "");
    scene.until("it is answered", || state(&scene, "notes.md").1 == 1);
    assert!(scene.well(&["run", "notes.md"]).contains("Nothing changed"));
    scene.well(&["watch", "--stop"]);
    assert!(child.wait_with_output().unwrap().status.success());
    assert_eq!((asked(&scene), scene.read("notes.md").matches("Yes.\n").count()), (1, 1));
}

#[test]
fn the_end_in_the_middle_of_an_answer_leaves_what_was_said_and_no_agent() {
    let scene = Scene::new(STREAM, "echo $$ > \"$DOC.pid\"; echo Begun.; exec sleep 300");
    let child = watched(&scene, &[]);
    scene.write("notes.md", &STREAM.replace("What is it?\n", "What is it?\nReally?\n"));
    scene.until("words are shown", || scene.read("notes.md").contains("Begun."));
    scene.well(&["watch", "--stop"]);
    assert!(child.wait_with_output().unwrap().status.success());
    let pid = scene.read("notes.md.pid");
    let alive = std::process::Command::new("kill").args(["-0", pid.trim()]).output().unwrap();
    assert!(!alive.status.success(), "the agent is still there");
    assert!(scene.read("notes.md").contains("Really?\n\nBegun.\n<!-- /agent"), "{}", scene.read("notes.md"));
    assert!(scene.well(&["diff", "notes.md"]).contains("+Really?"));
}

/// User and system time of a process, in hundredths of a second.
#[cfg(target_os = "linux")]
fn ticks(pid: u32) -> u64 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap();
    let fields: Vec<&str> = stat.rsplit_once(')').unwrap().1.split_whitespace().collect();
    fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap()
}

#[cfg(target_os = "linux")]
#[test]
fn it_costs_next_to_nothing_while_nobody_saves() {
    let scene = Scene::new(APPEND, "echo Yes.");
    for number in 0..50 {
        scene.write(&format!("note-{number}.md"), APPEND);
    }
    let child = watched(&scene, &[]);
    let before = ticks(child.id());
    // There is nothing to wait for: that nothing happens is what is looked at.
    std::thread::sleep(std::time::Duration::from_secs(3));
    let spent = ticks(child.id()) - before;
    assert!(spent <= 3, "{spent} hundredths of a second in three seconds");
    scene.well(&["watch", "--stop"]);
    assert!(child.wait_with_output().unwrap().status.success());
}
