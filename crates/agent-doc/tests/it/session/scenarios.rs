//! What a person does while an answer comes, as a table: a document, an agent that edits it in the middle of its answer, the text in
//! the end, and the next change. Real git, real files, the real program.

use super::scene::{APPEND, STREAM, Scene};

/// Waits until the document holds some words.
const PRELUDE: &str = "await() { while ! grep -qF -- \"$1\" \"$DOC\"; do sleep 0.01; done; }\n";

struct Case {
    command: &'static str,
    document: String,
    /// What the agent says and does.
    script: &'static str,
    text: String,
    /// The lines of the next diff, without blank ones.
    diff: &'static [&'static str],
}

/// The lines that the next turn would answer.
fn change(scene: &Scene) -> Vec<String> {
    let told = scene.well(&["diff", "notes.md"]);
    let is_changed = |line: &&str| {
        line.starts_with(['+', '-']) && !line.starts_with("+++") && !line.starts_with("---") && line.len() > 1
    };
    told.lines().filter(is_changed).map(str::to_owned).collect()
}

fn check(case: &Case) {
    let Case { command, document, script, text, diff } = case;
    let scene = Scene::in_git(document, &format!("{PRELUDE}{script}"));
    scene.well(&[command, "notes.md"]);
    assert_eq!(scene.read("notes.md"), *text, "{script}");
    assert_eq!(change(&scene), *diff, "{script}");
    // What was asked is committed, and nothing that came later.
    assert_eq!(scene.git(&["show", "HEAD:notes.md"]), *document, "{script}");
    assert_eq!(scene.git(&["show", "--name-only", "--format=", "HEAD"]).trim(), "notes.md");
}

/// The document of a stream after these words of the answer.
fn streamed(answer: &str) -> String {
    STREAM.replace("What is it?\n", &format!("What is it?\n\n{answer}"))
}

fn answered(question: &str) -> String {
    format!("{}\n## Assistant\n\nYes.\n\n## User\n\n", APPEND.replace("What is it?\n", question))
}

#[test]
fn typing_in_the_target_and_outside_of_it_survives_and_is_the_next_change() {
    check(&Case {
        command: "stream",
        document: STREAM.to_owned(),
        script: "echo One.; await One.; echo Two.; await Two.
sed -i 's/^<!-- .agent/TYPED INSIDE\\n&/; s/my note/my own note/' \"$DOC\"; echo Three.; await Three.; echo Four.",
        text: streamed("One.\nTwo.\nThree.\nFour.\nTYPED INSIDE\n").replace("my note", "my own note"),
        diff: &["+TYPED INSIDE", "-my note", "+my own note"],
    });
}

#[test]
fn words_that_are_corrected_deleted_or_put_between_in_the_answer_stay_so() {
    check(&Case {
        command: "stream",
        document: STREAM.to_owned(),
        script: "printf 'The anwser is simple.\\n\\n'; await simple.
sed -i s/anwser/answer/ \"$DOC\"; echo 'It is 42.'; await 42; echo Surely.",
        text: streamed("The answer is simple.\n\nIt is 42.\nSurely.\n"),
        diff: &["-The anwser is simple.", "+The answer is simple."],
    });
    check(&Case {
        command: "stream",
        document: STREAM.to_owned(),
        script: "printf 'First.\\n\\nSecond.\\n\\n'; await Second.
sed -i '/^First/,+1d' \"$DOC\"; printf 'Third.\\n\\n'; await Third.
sed -i 's/^Second.$/Second.\\n\\n> why?/' \"$DOC\"; echo Fourth.",
        text: streamed("Second.\n\n> why?\n\nThird.\n\nFourth.\n"),
        diff: &["-First.", "+> why?"],
    });
}

#[test]
fn a_word_that_is_cut_by_a_flush_is_completed_above_what_the_person_adds() {
    check(&Case {
        command: "stream",
        document: STREAM.to_owned(),
        script: "printf 'The ans'; await 'The ans'; sed -i 's/^The ans$/The ans\\nuser line/' \"$DOC\"
printf 'wer is'; await 'The answer is'; echo ' here.'",
        text: streamed("The answer is here.\nuser line\n"),
        diff: &["+user line"],
    });
}

#[test]
fn a_marker_a_fence_and_a_letter_that_are_cut_never_stand_half_in_the_document() {
    check(&Case {
        command: "stream",
        document: STREAM.to_owned(),
        script: "printf 'Before.\\n\\n<!-- patch'; await Before.; ! grep -q '<!-- p' \"$DOC\" || exit 9
printf ':exchange -->\\nIn it.\\n<!-- /patch:exch'; printf 'ange -->\\n'",
        // Patches go to their places first.
        text: streamed("In it.\n\nBefore.\n"),
        diff: &[],
    });
    check(&Case {
        command: "stream",
        document: STREAM.to_owned(),
        script: "printf 'Code:\\n\\n``'; await Code:; printf '`\\n<!-- /agent:exchange -->\\n'; await '```'
printf '```\\n\\n\\360\\237'; await '```'; printf '\\221\\215\\n'",
        text: streamed("Code:\n\n```\n<!-- /agent:exchange -->\n```\n\n👍\n"),
        diff: &[],
    });
}

#[test]
fn messages_around_the_calls_of_tools_are_all_there_while_the_next_one_comes() {
    let message = |id: &str, content: &str| {
        format!(
            r#"echo '{{"type":"assistant","message":{{"id":"{id}","content":[{content}]}},"session_id":"s-1"}}'"#
        )
    };
    let words = |text: &str| format!(r#"{{"type":"text","text":"{text}"}}"#);
    let script = [
        PRELUDE,
        &message("m1", &words("I look.")),
        "await 'I look.'",
        &message("m1", r#"{"type":"tool_use","name":"Bash","input":{}}"#),
        &message("m2", &words("Two files.")),
        "await 'Two files.'; grep -q 'I look.' \"$DOC\" || exit 9",
        &message("m3", &words("That is all.")),
        r#"echo '{"type":"result","is_error":false,"result":"That is all.","session_id":"s-1"}'"#,
    ]
    .join("\n");
    let scene = Scene::in_git(STREAM, "");
    scene.agent_with(&script, "format = \"claude\"\n");
    scene.well(&["stream", "notes.md"]);
    let expected =
        streamed("I look.\n\nTwo files.\n\nThat is all.\n").replace("session:\n", "session: s-1\n");
    assert_eq!(scene.read("notes.md"), expected);
}

#[test]
fn a_question_that_is_corrected_or_shortened_while_it_is_answered_makes_no_conflict() {
    check(&Case {
        command: "run",
        document: APPEND.replace("What is it?", "Waht is it?"),
        script: "sed -i s/Waht/What/ \"$DOC\"; echo Yes.",
        text: answered("What is it?\n"),
        diff: &["-Waht is it?", "+What is it?"],
    });
    check(&Case {
        command: "run",
        document: APPEND.replace("What is it?\n", "What is it?\nDrop me.\n"),
        script: "sed -i '/Drop me/d' \"$DOC\"; echo Yes.",
        text: answered("What is it?\n"),
        diff: &["-Drop me."],
    });
}

#[test]
fn keys_comments_order_and_quotes_of_the_frontmatter_stay_however_often_it_is_answered() {
    let head = "---\ntitle: \"A: b\"   # mine\n# a comment\nsession:\ntags: [x, 'y']\nagent: fake\nagent_doc_mode: append\n---\n";
    let scene = Scene::in_git(&format!("{head}## User\n\nOne?\n"), "echo Yes.");
    for question in ["Two?", "Three?", "Four?"] {
        scene.well(&["run", "notes.md"]);
        let text = scene.read("notes.md");
        assert!(text.starts_with(&format!("{head}## User\n\nOne?\n\n## Assistant\n")), "{text}");
        assert!(text.ends_with("Yes.\n\n## User\n\n"), "{text}");
        scene.append("notes.md", &format!("{question}\n"));
    }
}

#[test]
fn a_document_with_line_endings_of_windows_is_answered_in_them_by_the_agent_that_it_names() {
    check(&Case {
        command: "run",
        document: APPEND.replace('\n', "\r\n"),
        script: "printf 'And why?\\r\\n' >> \"$DOC\"; echo Yes.",
        text: format!("{}\nAnd why?\n", answered("What is it?\n").trim_end_matches('\n').to_owned() + "\n")
            .replace('\n', "\r\n"),
        diff: &["+And why?"],
    });
}

#[test]
fn a_closing_marker_that_is_deleted_is_warned_of_once_and_the_answer_goes_on_when_it_is_back() {
    use std::io::{BufRead as _, BufReader};
    let script = format!(
        "{PRELUDE}echo One.; await One.; sed -i '/^<!-- .agent/d' \"$DOC\"; echo Two.
while [ ! -e \"$DOC.go\" ]; do sleep 0.01; done; echo Three."
    );
    let scene = Scene::in_git(STREAM, &script);
    let mut child = scene.spawn_piped(&["stream", "notes.md"]);
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.any(|line| line.contains("the place of the answer is gone or its markers are broken")));
    let text = scene.read("notes.md");
    assert!(text.contains("One.\n") && !text.contains("Two."), "{text}");
    scene.write("notes.md", &text.replace("One.\n", "One.\n<!-- /agent:exchange -->\n"));
    scene.write("notes.md.go", "");
    let rest: Vec<String> = lines.collect();
    assert!(child.wait().unwrap().success(), "{rest:?}");
    assert!(!rest.iter().any(|line| line.contains("warning")), "{rest:?}");
    assert_eq!(scene.read("notes.md"), streamed("One.\nTwo.\nThree.\n"));
}

#[test]
fn a_patch_holds_code_with_its_own_closing_marker_as_it_is() {
    let patch = "<!-- patch:exchange -->\nText.\n\n```html\n<!-- /patch:exchange -->\n```\n\nAfter.\n<!-- /patch:exchange -->\n";
    let expected = streamed("Text.\n\n```html\n<!-- /patch:exchange -->\n```\n\nAfter.\n");
    let scene = Scene::new(STREAM, &format!("cat <<'END'\n{patch}END"));
    assert_eq!(scene.with_input(&["write", "notes.md", "--template"], patch).status.code(), Some(0));
    assert_eq!(scene.read("notes.md"), expected);
    for command in ["run", "stream"] {
        scene.write("notes.md", STREAM);
        scene.well(&["reset", "notes.md"]);
        scene.well(&[command, "notes.md"]);
        assert_eq!(scene.read("notes.md"), expected, "{command}");
    }
}
