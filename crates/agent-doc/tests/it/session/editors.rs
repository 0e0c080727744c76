//! Editors of all kinds that save a document again and again while it is answered.

use std::io::Write as _;

use super::scene::{APPEND, STREAM, Scene};
use super::vim::Vim;

/// Saves while one answer streams in, half of them by vim.
const SAVES: usize = 190;
/// Questions that are answered one by one while the project is watched.
const QUESTIONS: usize = 10;

/// How many lines of the answer come while a person has typed and not yet saved.
const LINES_BEHIND: usize = 120;

/// Talks until somebody says that it is enough.
const TALKER: &str = "i=0
while [ ! -e \"$DOC.enough\" ] && [ $i -lt 5000 ]; do i=$((i+1)); echo \"Answer line $i.\"; sleep 0.03; done
echo $i > \"$DOC.count\"";
/// Numbers its answers.
const COUNTER: &str = "echo x >> \"$DOC.asked\"; echo \"Answer number $(wc -l < \"$DOC.asked\").\"";

/// How an editor saves, beside vim.
#[derive(Clone, Copy)]
enum Saver {
    /// Opens the file, empties it, and writes it in two pieces, as Visual Studio Code does with a longer one.
    InPlace,
    /// Writes another file and puts it in the place of the first.
    Rename,
}

impl Saver {
    fn save(self, scene: &Scene, change: impl Fn(&str) -> String) {
        let path = scene.path("notes.md");
        // Vim that moves the file aside, and nobody else, leaves no file for a moment; it has said that it is done.
        let text = change(&std::fs::read_to_string(&path).unwrap());
        match self {
            Saver::InPlace => {
                let mut file = std::fs::File::create(&path).unwrap();
                let (first, second) = text.as_bytes().split_at(text.len() / 2);
                file.write_all(first).unwrap();
                // Long enough for somebody to look at half a file.
                std::thread::sleep(std::time::Duration::from_millis(5));
                file.write_all(second).unwrap();
            }
            Saver::Rename => {
                let beside = path.with_extension("md.tmp");
                std::fs::write(&beside, text).unwrap();
                std::fs::rename(beside, path).unwrap();
            }
        }
    }
}

/// The line that is typed at this save.
fn line(number: usize) -> String {
    format!("Line {number} of a person.")
}

/// All of these stand in the document, each once.
fn assert_once(text: &str, lines: impl IntoIterator<Item = String>) {
    let wrong: Vec<String> =
        lines.into_iter().filter(|line| text.lines().filter(|found| found == line).count() != 1).collect();
    assert!(wrong.is_empty(), "not there, or more than once: {wrong:#?}\n{text}");
}

/// Saves a new line in one of the four ways, in turn, at the places where people type.
fn save(scene: &Scene, vim: &mut Vim<'_>, number: usize) {
    let line = line(number);
    match number % 4 {
        0 => Saver::InPlace.save(scene, |text| text.replace("# Doc\n", &format!("# Doc\n\n{line}\n"))),
        // Into the answer itself.
        2 => Saver::Rename.save(scene, |text| text.replace("<!-- /agent", &format!("{line}\n<!-- /agent"))),
        _ => vim.type_and_save(&line),
    }
}

#[test]
fn vim_and_editors_that_save_in_place_and_by_renaming_lose_nothing_while_answers_come() {
    let scene = Scene::new(STREAM, TALKER);
    let mut vim = Vim::open(&scene);
    let child = scene.spawn_piped(&["stream", "notes.md"]);
    scene.until("words are shown", || scene.read("notes.md").contains("Answer line 1."));
    for number in 1..=SAVES {
        if number % 50 == 1 {
            vim.saves_with(if number % 100 == 1 { "yes" } else { "no" });
        }
        save(&scene, &mut vim, number);
        // Two editors that overwrite each other before anybody looks are not ours to bring together.
        let shown = scene.read("notes.md").matches("Answer line").count();
        scene.until("the answer goes on after the save", || {
            let text = scene.read("notes.md");
            text.contains(&line(number)) && text.matches("Answer line").count() > shown
        });
    }
    // A person who types at length: the buffer is older than many a write.
    let shown = || scene.read("notes.md").matches("Answer line").count();
    vim.type_line("A line that took long.");
    let before = shown();
    scene.until("much more is answered", || shown() > before + LINES_BEHIND);
    vim.save();
    scene.until("the line is there", || scene.read("notes.md").contains("A line that took long.\n"));
    scene.write("notes.md.enough", "");
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let said: usize = scene.read("notes.md.count").trim().parse().unwrap();
    let streamed = |number| format!("Answer line {number}.");
    let text = scene.read("notes.md");
    assert_once(&text, (1..=SAVES).map(line));
    assert_once(&text, (1..=said).map(streamed).chain(["A line that took long.".to_owned()]));

    scene.agent(COUNTER);
    let child = scene.spawn_piped(&["watch", "--debounce", "30"]);
    scene.until("it watches", || scene.run(&["watch", "--status"]).status.success());
    let is_answered = |number: usize| {
        let told = scene.told(&["watch", "--status", "--json"]);
        told.contains(&format!("\"answered\": {number}")) && told.contains("\"idle\"")
    };
    for number in 1..=QUESTIONS {
        save(&scene, &mut vim, SAVES + number);
        let answer = format!("Answer number {number}.\n");
        scene.until("it is answered", || scene.read("notes.md").contains(&answer));
        scene.until("it is idle", || is_answered(number));
    }
    // Another document is answered after everything that was saved before it has been looked at.
    scene.write("other.md", APPEND);
    scene.until("the other one is answered", || scene.read("other.md").contains("Answer number 11.\n"));
    scene.well(&["watch", "--stop"]);
    assert!(child.wait_with_output().unwrap().status.success());
    let text = scene.read("notes.md");
    let numbered = |number| format!("Answer number {number}.");
    assert_once(&text, (1..=SAVES + QUESTIONS).map(line).chain((1..=QUESTIONS).map(numbered)));
    assert_eq!(scene.read("notes.md.asked").lines().count(), QUESTIONS + 1);
}

#[test]
fn the_tasks_of_visual_studio_code_answer_the_open_file_and_stand_in_the_guide() {
    for number in [0, 1] {
        let scene = Scene::new(STREAM, "echo Yes.");
        scene.well(&["init", "--editor", "vscode"]);
        let tasks: serde_json::Value = serde_json::from_str(&scene.read(".vscode/tasks.json")).unwrap();
        let task = &tasks["tasks"][number];
        assert_eq!((&task["type"], &task["command"]), (&"process".into(), &"agent-doc".into()));
        let file = scene.path("notes.md").display().to_string();
        let given: Vec<String> = serde_json::from_value(task["args"].clone()).unwrap();
        let given: Vec<&str> =
            given.iter().map(|word| if word == "${file}" { file.as_str() } else { word }).collect();
        scene.well(&given);
        assert!(scene.read("notes.md").contains("What is it?\n\nYes.\n<!-- /agent"), "{given:?}");
    }
    let guide = include_str!("../../../../../docs/guide/editors.md");
    let blocks: Vec<serde_json::Value> = guide
        .split("```json\n")
        .skip(1)
        .map(|rest| serde_json::from_str(rest.split("```").next().unwrap()).unwrap())
        .collect();
    let written = include_str!("../../../src/command/session/init/editor/tasks.json");
    let written: serde_json::Value = serde_json::from_str(written).unwrap();
    assert_eq!(blocks[0], written["tasks"][0]);
    assert_eq!(blocks[1]["args"], written["tasks"][0]["label"]);
    assert_eq!(blocks[1]["command"], "workbench.action.tasks.runTask");
    assert!(blocks[1]["key"].is_string() && blocks[1]["when"] == "editorLangId == markdown");
}

#[test]
fn the_task_of_zed_in_the_guide_answers_the_open_file() {
    let guide = include_str!("../../../../../docs/guide/editors.md");
    let zed = guide.split("## Zed").nth(1).unwrap();
    let mut blocks = zed.split("```json\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let tasks: serde_json::Value = serde_json::from_str(blocks.next().unwrap()).unwrap();
    let keys: serde_json::Value = serde_json::from_str(blocks.next().unwrap()).unwrap();
    let task = &tasks[0];
    assert_eq!((&task["command"], &task["save"]), (&"agent-doc".into(), &"current".into()));
    let bound = &keys[0]["bindings"]["ctrl-alt-a"];
    assert_eq!((&bound[0], &bound[1]["task_name"]), (&"task::Spawn".into(), &task["label"]));
    let scene = Scene::new(STREAM, "echo Yes.");
    let file = scene.path("notes.md").display().to_string();
    let given: Vec<String> = serde_json::from_value(task["args"].clone()).unwrap();
    let given: Vec<&str> =
        given.iter().map(|word| if word == "$ZED_FILE" { file.as_str() } else { word }).collect();
    scene.well(&given);
    assert!(scene.read("notes.md").contains("What is it?\n\nYes.\n<!-- /agent"), "{given:?}");
}

#[test]
fn the_keys_and_commands_of_vim_answer_the_document_and_the_buffer_shows_it() {
    let scene = Scene::new(STREAM, COUNTER);
    let mut vim = Vim::open(&scene);
    for (number, typed) in (1..).zip([r"\ar", r"\as", ":AgentRun\n", ":AgentStream\n"]) {
        vim.type_line(&format!("Question {number}?"));
        vim.press(typed);
        let answer = format!("Answer number {number}.");
        scene.until("the file has the answer", || scene.read("notes.md").contains(&answer));
        scene.until("the buffer shows it", || vim.shows(&answer));
    }
    let text = scene.read("notes.md");
    assert_once(
        &text,
        (1..=4).flat_map(|number| [format!("Question {number}?"), format!("Answer number {number}.")]),
    );
}
