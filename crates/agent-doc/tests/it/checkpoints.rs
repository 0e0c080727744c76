//! Taking back what an agent did, in a real repository.

use std::process::Command;

use loopback::Server;
use serde_json::{Value, json};

use crate::anthropic::{answer, words};
use crate::chat::{Person, ended, text};
use crate::documents::{EDIT, accept, does, got};
use crate::scratch::told;

fn git(person: &Person, arguments: &[&str]) -> String {
    let mut command = Command::new("git");
    command.current_dir(person.scratch.path("project")).args(arguments);
    for (name, value) in [
        ("GIT_CONFIG_GLOBAL", "/dev/null"),
        ("GIT_CONFIG_SYSTEM", "/dev/null"),
        ("GIT_AUTHOR_NAME", "anna"),
        ("GIT_AUTHOR_EMAIL", "anna@example.org"),
        ("GIT_COMMITTER_NAME", "anna"),
        ("GIT_COMMITTER_EMAIL", "anna@example.org"),
    ] {
        command.env(name, value);
    }
    let output = command.output().unwrap();
    assert!(output.status.success(), "git {arguments:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

/// All that git knows of the project but our own folder.
fn state(person: &Person) -> Vec<String> {
    let status = git(person, &["status", "--porcelain", "--untracked-files=all"]);
    let ours = |line: &&str| !line.contains(".agent-doc/");
    let mut state: Vec<String> = status.lines().filter(ours).map(str::to_owned).collect();
    for arguments in [
        &["stash", "list"][..],
        &["rev-parse", "HEAD"],
        &["branch"],
        &["ls-files", "-s"],
        &["diff", "--cached"],
    ] {
        state.push(git(person, arguments));
    }
    state
}

/// A person with a repository in the middle of work: a stash, something staged, something not.
fn busy() -> Person {
    let person = Person::new();
    std::fs::remove_dir_all(person.scratch.path("project/.git")).unwrap();
    git(&person, &["init", "-q", "-b", "main"]);
    person.scratch.write("project/plan.md", "# Plan\n\nfirst\n");
    git(&person, &["add", "-A"]);
    git(&person, &["commit", "-q", "-m", "begin"]);
    person.scratch.write("project/plan.md", "# Plan\n\nstashed\n");
    git(&person, &["stash", "-q"]);
    person.scratch.write("project/staged.txt", "staged\n");
    git(&person, &["add", "staged.txt"]);
    person.scratch.write("project/plan.md", "# Plan\n\nmine\n");
    person
}

/// An agent that edits, makes and removes files, with tools and with a command.
async fn works(person: &Person) {
    let server = Server::start().await.unwrap();
    let allow = [&["chat", "-p", "work", "--allow", "Bash"][..], &EDIT].concat();
    let child = person.start(&server, &allow);
    does(&server, "t1", "Read", json!({ "file_path": "plan.md" })).await;
    let edit = json!({ "file_path": "plan.md", "old_string": "mine", "new_string": "the agent's" });
    does(&server, "t2", "Edit", edit).await;
    let command = "echo more >> src/main.rs; rm staged.txt; echo x > made.txt; echo y > other.txt";
    does(&server, "t3", "Bash", json!({ "command": command })).await;
    let exchange = accept(&server).await;
    assert!(!got(&exchange).1, "{}", got(&exchange).0);
    answer(exchange, words(0, "Done."), "end_turn").await;
    let output = ended(child).await;
    assert_eq!(text(&output), "Done.\n", "{}", told(&output));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_agent_did_is_taken_back_and_git_never_hears_of_it() {
    let person = busy();
    let before = state(&person);
    works(&person).await;
    assert_eq!(person.scratch.read("project/plan.md"), "# Plan\n\nthe agent's\n");
    let listed = person.run(&["checkpoints", "list", "--json"]);
    let listed: Value = serde_json::from_slice(&listed.stdout).unwrap();
    let files = |index: usize| {
        let files = listed[index]["files"].as_array().unwrap().iter();
        files.map(|file| format!("{} {}", file["change"], file["path"]).replace('"', "")).collect::<Vec<_>>()
    };
    assert_eq!(files(0), ["changed plan.md"]);
    assert_eq!(files(1), ["made made.txt", "made other.txt", "changed src/main.rs", "removed staged.txt"]);
    let restored = person.run(&["checkpoints", "restore", "1"]);
    assert_eq!(restored.status.code(), Some(0), "{}", told(&restored));
    assert_eq!(state(&person), before);
    assert_eq!(person.scratch.read("project/plan.md"), "# Plan\n\nmine\n");
    assert_eq!(
        text(&person.run(&["checkpoints", "list"])),
        "no checkpoints; agents have changed nothing here\n"
    );
    let again = person.run(&["checkpoints", "restore"]);
    assert_eq!(again.status.code(), Some(2), "{}", told(&again));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_somebody_changed_since_is_left_alone_and_named() {
    let person = busy();
    works(&person).await;
    person.scratch.write("project/made.txt", "a person's\n");
    person.scratch.write("project/plan.md", "# Plan\n\nthe agent's, and mine\n");
    let restored = person.run(&["checkpoints", "restore", "1"]);
    assert_eq!(restored.status.code(), Some(1), "{}", told(&restored));
    assert_eq!(
        text(&restored),
        "restored    other.txt\nrestored    src/main.rs\nrestored    staged.txt\n\
         left alone  made.txt  (somebody changed it since)\nleft alone  plan.md  (somebody changed it since)\n"
    );
    assert_eq!(person.scratch.read("project/made.txt"), "a person's\n");
    assert_eq!(person.scratch.read("project/plan.md"), "# Plan\n\nthe agent's, and mine\n");
    assert_eq!(person.scratch.read("project/staged.txt"), "staged\n");
}

#[test]
fn a_folder_where_no_agent_worked_has_no_checkpoints_and_gets_no_folder() {
    let person = Person::new();
    assert!(text(&person.run(&["checkpoints", "list"])).starts_with("no checkpoints"));
    assert_eq!(text(&person.run(&["checkpoints", "list", "--json"])), "[]\n");
    assert_eq!(person.run(&["checkpoints", "restore", "7"]).status.code(), Some(2));
    assert!(!person.scratch.path("project/.agent-doc").exists());
}
