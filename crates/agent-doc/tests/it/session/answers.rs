//! Answers that stream into documents of every kind, and what people do to them meanwhile.

use super::scene::{APPEND, STREAM, Scene};

#[test]
fn a_long_history_in_the_target_is_untouched() {
    let history = |name: &str| -> String {
        (0..15_000).map(|number| format!("{name} {number} of the history, as it was.\n")).collect()
    };
    let start = STREAM.replace("What is it?\n", &(history("Line") + "What is it?\n")) + &history("Note");
    assert!(start.len() > 1_000_000);
    let scene = Scene::new(&start, "for i in 1 2 3; do echo \"Answer $i.\"; sleep 0.05; done");
    scene.well(&["stream", "notes.md"]);
    let expected = start.replace("What is it?\n", "What is it?\n\nAnswer 1.\nAnswer 2.\nAnswer 3.\n");
    assert!(scene.read("notes.md") == expected, "the history is another");
}

#[test]
fn rapid_saves_while_an_answer_streams_are_all_there() {
    const SAVES: usize = 94;
    let talker = "i=0; while [ ! -e \"$DOC.go\" ]; do i=$((i+1)); echo \"Talk $i.\"; sleep 0.02; done
echo $i > \"$DOC.count\"; echo 'Done.'";
    let scene = Scene::new(STREAM, talker);
    let child = scene.spawn_piped(&["stream", "notes.md", "--interval", "50"]);
    scene.until("words are shown", || scene.read("notes.md").contains("Talk 1."));
    for number in 0..SAVES {
        scene.append("notes.md", &format!("save {number}.\n"));
    }
    let talked = scene.read("notes.md").matches("Talk").count();
    scene.until("the answer goes on", || scene.read("notes.md").matches("Talk").count() > talked);
    scene.write("notes.md.go", "");
    assert!(child.wait_with_output().unwrap().status.success());
    let text = scene.read("notes.md");
    for number in 0..SAVES {
        assert_eq!(text.matches(&format!("save {number}.\n")).count(), 1, "{text}");
    }
    let count: usize = scene.read("notes.md.count").trim().parse().unwrap();
    let talk: String = (1..=count).map(|number| format!("Talk {number}.\n")).collect();
    assert!(text.contains(&format!("What is it?\n\n{talk}Done.\n<!-- /agent:exchange -->")), "{text}");
}

#[test]
fn line_endings_a_byte_order_mark_and_the_end_of_the_file_stay_as_they_are() {
    let windows = format!("\u{feff}{}", STREAM.trim_end().replace('\n', "\r\n"));
    let scene = Scene::new(&windows, "printf 'One.\\nTwo.\\n'");
    scene.well(&["stream", "notes.md"]);
    let expected = windows.replace("What is it?\r\n", "What is it?\r\n\r\nOne.\r\nTwo.\r\n");
    assert_eq!(scene.read("notes.md"), expected);

    let scene = Scene::new(APPEND.trim_end(), "echo Yes.");
    scene.well(&["run", "notes.md"]);
    let text = scene.read("notes.md");
    assert!(text.contains("What is it?\n\n## Assistant\n\nYes.\n"), "{text:?}");
}

#[test]
fn letters_with_marks_and_signs_of_many_parts_can_be_typed_by_both() {
    for (mine, yours) in [("é", "è"), ("👍🏽", "👍🏻"), ("日本", "日曜")] {
        let scene = Scene::new(
            &STREAM.replace("What is it?", &format!("What is it? {mine}")),
            &format!("sed -i 's/it? {mine}/it? {mine}{yours}/' \"$DOC\"; echo '{yours} {mine}'"),
        );
        scene.well(&["stream", "notes.md"]);
        let text = scene.read("notes.md");
        assert!(
            text.contains(&format!("What is it? {mine}{yours}\n\n{yours} {mine}\n<!-- /agent")),
            "{text}"
        );
    }
    let unfinished = "日本語の未完の行は六十バイトより長いけれども途中で切れてはいけないのであ";
    let scene = Scene::new(&APPEND.replace("What is it?", unfinished), "echo はい。");
    scene.well(&["diff", "notes.md"]);
    scene.well(&["run", "notes.md"]);
    assert!(scene.read("notes.md").contains(&format!("{unfinished}\n\n## Assistant\n\nはい。\n")));
}

#[test]
fn a_component_that_is_deleted_meanwhile_is_not_made_again_and_recover_waits_for_it() {
    let scene = Scene::new(
        STREAM,
        "echo 'Begun.'; while ! grep -q Begun \"$DOC\"; do sleep 0.02; done
printf -- '---\\nsession:\\nagent_doc_mode: stream\\nagent: fake\\n---\\njust notes\\n' > \"$DOC\"; echo 'Done.'",
    );
    let told = scene.told(&["stream", "notes.md"]);
    assert!(told.starts_with("exit 2\n") && told.contains("put the place back"), "{told}");
    let text = scene.read("notes.md");
    assert!(
        text.ends_with("just notes\n") && !text.contains("agent:exchange") && !text.contains("Done."),
        "{text}"
    );
    // As long as the place is gone, asking for it again and again neither helps nor harms.
    for arguments in [["recover", "notes.md"].as_slice(), &["recover"], &["recover", "notes.md", "--json"]] {
        let told = scene.told(arguments);
        assert!(told.starts_with("exit 1\n") && told.contains("put it back"), "{told}");
        assert_eq!(scene.read("notes.md"), text);
    }
    assert!(scene.well(&["recover", "notes.md", "--list"]).contains("response"));
    scene.append("notes.md", "\n<!-- agent:exchange -->\n<!-- /agent:exchange -->\n");
    for _ in 0..2 {
        scene.well(&["recover", "notes.md"]);
        let text = scene.read("notes.md");
        assert_eq!(text.matches("Done.\n<!-- /agent:exchange -->").count(), 1, "{text}");
    }
}
