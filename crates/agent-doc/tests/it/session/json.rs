//! What programs read: one JSON object from each command on session documents, also from one that fails.

use std::io::{BufRead as _, BufReader};
use std::process::Output;

use serde_json::{Value, json};

use super::scene::{APPEND, STREAM, Scene};

/// The one value on standard output.
fn value(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output:?}"))
}

/// Runs a command that must go well.
fn well(scene: &Scene, arguments: &[&str]) -> Value {
    let output = scene.run(&[arguments, &["--json"]].concat());
    assert_eq!(output.status.code(), Some(0), "{arguments:?}: {output:?}");
    value(&output)
}

#[test]
fn every_command_on_a_document_says_what_it_did() {
    let scene = Scene::in_git(APPEND, "echo Yes.");
    let made = well(&scene, &["init", "new.md", "--mode", "stream", "--editor", "vim"]);
    assert_eq!(made, json!({ "document": "new.md", "editor": ".agent-doc/agent-doc.vim" }));
    let preview = well(&scene, &["run", "notes.md", "--dry-run"]);
    assert_eq!((&preview["outcome"], &preview["first"]), (&json!("preview"), &json!(true)));
    assert!(preview["prompt"].as_str().unwrap().contains("What is it?"), "{preview}");
    assert_eq!(well(&scene, &["diff", "notes.md"])["changed"], json!(true));
    let first = well(&scene, &["commit", "notes.md"]);
    assert_eq!(first["commit"].as_str().unwrap(), scene.git(&["rev-parse", "HEAD"]).trim());
    assert_eq!(
        well(&scene, &["commit", "notes.md"]),
        json!({ "document": "notes.md", "commit": null, "notices": [] })
    );
    well(&scene, &["run", "notes.md"]);
    let nothing =
        json!({ "document": "notes.md", "since": "answer", "revision": null, "changed": false, "diff": "" });
    assert_eq!(well(&scene, &["diff", "notes.md"]), nothing);
    assert_eq!(well(&scene, &["run", "notes.md", "--dry-run"])["outcome"], json!("nothing"));
    assert_eq!(well(&scene, &["diff", "notes.md", "--revision", "0"])["since"], json!("revision"));
    scene.append("notes.md", "And why?\n");
    well(&scene, &["run", "notes.md"]);
    let cleaned = well(&scene, &["clean", "notes.md"]);
    assert_eq!((&cleaned["from"], &cleaned["into"]), (&json!(2), &json!(1)), "{cleaned}");
    assert!(cleaned["before"].as_str().unwrap().len() >= 40, "{cleaned}");
    let compacted = well(&scene, &["compact", "notes.md", "--keep", "1"]);
    assert!(std::path::Path::new(compacted["archive"].as_str().unwrap()).is_file(), "{compacted}");
    assert_eq!(well(&scene, &["compact", "notes.md", "--keep", "1"])["archive"], Value::Null);
    let converted = well(&scene, &["convert", "notes.md", "--mode", "stream"]);
    assert_eq!(converted["mode"], json!("stream"));
    let patched = well(&scene, &["patch", "notes.md", "exchange", "More."]);
    assert!(patched["revision"].as_u64() > converted["revision"].as_u64(), "{patched} {converted}");
    assert_eq!(well(&scene, &["reset", "notes.md"])["document"], json!("notes.md"));
}

#[test]
fn answers_say_how_they_came_into_the_document() {
    let scene = Scene::new(STREAM, "sed -i 's/my note/my own note/' \"$DOC\"; echo Yes.");
    let streamed = well(&scene, &["stream", "notes.md"]);
    assert_eq!(
        (&streamed["outcome"], &streamed["agent"], &streamed["merged"], &streamed["conflicts"]),
        (&json!("answered"), &json!("fake"), &json!(true), &json!(0)),
        "{streamed}"
    );
    assert!(streamed["revision"].is_u64() && streamed["seconds"].is_f64(), "{streamed}");
    let output = scene.with_input(&["write", "notes.md", "--json"], "From outside.\n");
    let written = value(&output);
    assert_eq!((&written["document"], &written["conflicts"]), (&json!("notes.md"), &json!(0)), "{written}");
    assert!(written["revision"].as_u64() > streamed["revision"].as_u64(), "{written}");
}

#[test]
fn what_fails_says_why_and_what_to_do() {
    let scene = Scene::new(APPEND, "echo 'no credit' >&2; exit 3");
    for (arguments, words) in [
        (["run", "notes.md"].as_slice(), "no credit"),
        (&["stream", "notes.md"], "no credit"),
        (&["write", "notes.md"], "no answer on standard input"),
        (&["diff", "gone.md"], "gone.md"),
        (&["compact", "gone.md"], "gone.md"),
        (&["commit", "notes.md"], "no git repository"),
        (&["clean", "notes.md"], "no git repository"),
        (&["convert", "gone.md", "--mode", "append"], "gone.md"),
        (&["patch", "notes.md", "nowhere", "x"], "nowhere"),
        (&["reset", "gone.md"], "gone.md"),
        (&["init", "notes.md"], "exists already"),
        (&["watch", "gone"], "gone"),
    ] {
        let output = scene.run(&[arguments, &["--json"]].concat());
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let failure = value(&output);
        assert!(failure["error"].as_str().unwrap().contains(words), "{arguments:?}: {failure}");
        assert!(failure["remedy"].is_string(), "{arguments:?}: {failure}");
        // The person reads it, too.
        assert!(String::from_utf8(output.stderr).unwrap().contains("error: "), "{arguments:?}");
    }
}

#[test]
fn each_thing_that_happens_while_documents_are_watched_is_a_line() {
    let scene = Scene::new(APPEND, "echo Yes.");
    let idle = json!({ "watching": false, "process": null });
    assert_eq!(well(&scene, &["watch", "--stop"]), idle);
    let mut child = scene.spawn_piped(&["watch", "--debounce", "30", "--json"]);
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    let mut next = || serde_json::from_str::<Value>(&lines.next().unwrap().unwrap()).unwrap();
    assert_eq!(next(), json!({ "event": "watching", "documents": ["notes.md"] }));
    scene.append("notes.md", "Really?\n");
    assert_eq!(next(), json!({ "event": "answering", "document": "notes.md" }));
    let answered = next();
    assert_eq!((&answered["event"], &answered["conflicts"]), (&json!("answered"), &json!(0)), "{answered}");
    scene.agent("echo 'no credit' >&2; exit 3");
    scene.append("notes.md", "And now?\n");
    assert_eq!(next()["event"], "answering");
    let failed = next();
    assert_eq!(failed["event"], "failed");
    assert!(failed["why"].as_str().unwrap().contains("no credit"), "{failed}");
    let stopped = well(&scene, &["watch", "--stop"]);
    assert_eq!(stopped, json!({ "watching": false, "process": child.id() }));
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}
