//! Keys and escape sequences on every way that they could take. Never prints one where a person would meet it.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::json;

use crate::anthropic::{answer, body, call, words};
use crate::chat::{KEY, Person, ended, text};
use crate::chat_server::{accept, world};
use crate::scratch::{PROGRAM, Scratch, told};

/// Moves the cursor, writes to the clipboard, makes a link, sets the title, draws over the line, and turns the text around.
const HOSTILE: &str = "a\u{1b}[2Jb\u{1b}]52;c;ZXZpbA==\u{7}c\u{1b}]8;;http://evil.example\u{1b}\\d\u{9b}31me\rf\u{202e}g\u{200b}h\u{e0041}i";

fn has_escape(text: &str) -> bool {
    text.chars().any(|letter| {
        (letter.is_control() && !matches!(letter, '\n' | '\t'))
            || matches!(letter, '\u{202e}' | '\u{200b}' | '\u{e0041}')
    })
}

fn files_below(folder: &Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap().flatten();
    entries
        .flat_map(|entry| {
            let mut found = vec![entry.path()];
            if entry.file_type().unwrap().is_dir() {
                found.extend(files_below(&entry.path()));
            }
            found
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_that_files_commands_and_errors_hold_is_neither_sent_nor_kept() {
    let (person, server) = world().await;
    person.scratch.write("project/notes.md", format!("the key is {KEY}, keep it\n"));
    let child = person.start(&server, &["chat", "-p", "look", "--allow", "Bash", "--allow", "Edit"]);
    let busy =
        format!(r#"{{"type":"error","error":{{"type":"overloaded_error","message":"busy with {KEY}"}}}}"#);
    accept(&server).await.answer(529, &[("retry-after-ms", "1")], busy.as_bytes()).await.unwrap();
    let calls = [
        call(0, "t0", "Read", r#"{"file_path":"notes.md"}"#),
        call(1, "t1", "Bash", &json!({ "command": format!("cat notes.md; env; echo \"$ANTHROPIC_API_KEY\"; tr '\\0' '\\n' < /proc/self/environ") }).to_string()),
        call(2, "t2", "Grep", r#"{"pattern":"key is","output_mode":"content"}"#),
        call(3, "t3", "Edit", &json!({ "file_path": "notes.md", "old_string": "keep it", "new_string": "hide it" }).to_string()),
    ];
    answer(accept(&server).await, calls.concat(), "tool_use").await;
    let exchange = accept(&server).await;
    let sent = body(&exchange).to_string();
    assert!(!sent.contains(KEY), "{sent}");
    assert_eq!(sent.matches("the key is [the value of ANTHROPIC_API_KEY], ").count(), 4, "{sent}");
    answer(exchange, words(0, "Seen."), "end_turn").await;
    let output = ended(child).await;
    assert!(text(&output) == "Seen.\n" && !told(&output).contains(KEY), "{}", told(&output));
    // The file of the person is theirs, key and all.
    assert_eq!(person.scratch.read("project/notes.md"), format!("the key is {KEY}, hide it\n"));
    let kept = files_below(&person.scratch.path("project/.agent-doc"));
    assert!(kept.iter().any(|path| path.ends_with("logs")) && kept.len() > 5, "{kept:?}");
    let is_file_with_key = |path: &&std::path::PathBuf| {
        std::fs::read(path).is_ok_and(|bytes| bytes.windows(KEY.len()).any(|part| part == KEY.as_bytes()))
    };
    // A checkpoint and the history of a document are the person's file as it was; they are theirs like the file.
    let is_of_person = |path: &std::path::Path| {
        ["checkpoints", "journal"].iter().any(|name| path.to_string_lossy().contains(name))
    };
    let found: Vec<_> = kept.iter().filter(is_file_with_key).filter(|path| !is_of_person(path)).collect();
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn no_other_program_and_no_core_dump_sees_our_memory() {
    let scratch = Scratch::with(&[("notes.md", "# Title\n")]);
    let output = Command::new("strace")
        .args(["-f", "-qq", "-e", "trace=prctl,openat", "-o"])
        .arg(scratch.path("trace"))
        .args([PROGRAM, "outline", "notes.md"])
        .current_dir(scratch.path(""))
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", told(&output));
    let trace = scratch.read("trace");
    let changes: Vec<&str> = trace.lines().filter(|line| line.contains("PR_SET_DUMPABLE")).collect();
    assert!(matches!(changes[..], [line] if line.ends_with("SUID_DUMP_DISABLE) = 0")), "{changes:?}");
    // Before anything of the person is read.
    let at = |what: &str| trace.find(what).unwrap();
    assert!(at("PR_SET_DUMPABLE") < at("notes.md"), "{trace}");
}

#[test]
fn what_is_kept_is_for_its_owner_alone_whatever_the_umask_says() {
    let person = Person::new();
    let usual = person.command(&[]);
    let mut command = Command::new("bash");
    command.args([
        "-c",
        "umask 000; for words in \"$@\"; do \"$0\" chat -p \"$words\" --allow Bash --allow Edit; done",
        PROGRAM,
    ]);
    command
        .args(["$ seq 1 20000; echo new > src/main.rs", "what is in README.md?"])
        .current_dir(usual.get_current_dir().unwrap());
    for (name, value) in usual.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "{}", told(&output));
    let folder = person.scratch.path("project/.agent-doc");
    // What a command leaves among its own temporary files is its own.
    let kept = files_below(&folder)
        .into_iter()
        .filter(|path| !path.starts_with(folder.join("tmp/")) || *path == folder.join("tmp"));
    let kept: Vec<_> = kept.chain([folder.clone()]).collect();
    for name in ["logs", "sessions", "artifacts", "checkpoints", "tmp"] {
        assert!(kept.contains(&folder.join(name)), "{name}: {kept:?}");
    }
    let is_open =
        |path: &&std::path::PathBuf| path.symlink_metadata().unwrap().permissions().mode() & 0o077 != 0;
    let open: Vec<_> = kept.iter().filter(is_open).collect();
    assert!(open.is_empty(), "{open:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn escape_sequences_of_a_model_reach_neither_the_terminal_nor_the_log() {
    let (person, server) = world().await;
    let child = person.start(&server, &["chat", "-p", "tell"]);
    let input = json!({ "command": format!("rm '{HOSTILE}'") }).to_string();
    answer(accept(&server).await, call(0, "t1", "Bash", &input), "tool_use").await;
    answer(accept(&server).await, words(0, HOSTILE), "end_turn").await;
    let output = ended(child).await;
    let said = told(&output);
    assert!(said.contains("did not run") && !has_escape(&said), "{said:?}");
    assert!(!has_escape(&person.log()));
}

#[test]
fn a_document_on_a_terminal_obeys_nobody_and_in_a_pipe_is_what_it_is() {
    let hostile = format!("# T {HOSTILE}\n\n{HOSTILE}\n");
    let scratch = Scratch::with(&[("notes.md", &hostile), ("base.md", "# T\n"), ("other.md", "# T\n")]);
    for arguments in [
        "outline notes.md",
        "section list notes.md",
        "section read notes.md 1",
        "merge base.md notes.md other.md -o -",
    ] {
        let typed = format!("'{PROGRAM}' {arguments} 2>&1");
        let output = Command::new("script")
            .args(["-qec", &typed, "/dev/null"])
            .current_dir(scratch.path(""))
            .stdin(Stdio::null())
            .output()
            .unwrap();
        let shown = String::from_utf8_lossy(&output.stdout).replace("\r\n", "\n");
        assert!(!has_escape(&shown), "{arguments}: {shown:?}");
    }
    let piped = scratch.run(&["merge", "base.md", "notes.md", "other.md", "-o", "-"]);
    assert_eq!(text(&piped), hostile);
}
