//! What a turn does with git, and what it leaves alone.

use super::scene::{APPEND, STREAM, Scene};

#[test]
fn only_the_document_is_committed_and_the_answer_shows_as_new() {
    let scene = Scene::in_git(APPEND, "echo 'It is a test.'");
    scene.write("other.txt", "staged\n");
    scene.git(&["add", "other.txt"]);
    scene.write("README.md", "# Changed\n");
    let told = scene.well(&["run", "notes.md"]);
    assert!(told.contains("fake answered in"), "{told}");
    assert_eq!(scene.git(&["show", "--name-only", "--format=%s", "HEAD"]).lines().last(), Some("notes.md"));
    assert_eq!(scene.git(&["show", "HEAD:notes.md"]), APPEND);
    assert_eq!(
        scene.git(&["status", "--porcelain", "--untracked-files=no"]),
        " M README.md\n M notes.md\nA  other.txt\n"
    );
    assert!(scene.read("notes.md").ends_with("What is it?\n\n## Assistant\n\nIt is a test.\n\n## User\n\n"));
    // The next turn commits the answer with the next question.
    scene.append("notes.md", "And?\n");
    scene.well(&["run", "notes.md"]);
    assert!(scene.git(&["show", "HEAD:notes.md"]).ends_with("It is a test.\n\n## User\n\nAnd?\n"));
    assert_eq!(scene.git(&["rev-list", "--count", "HEAD"]).trim(), "3");
}

#[test]
fn nothing_to_answer_asks_nobody_and_commits_nothing() {
    let scene = Scene::in_git(APPEND, "echo Yes.");
    scene.well(&["run", "notes.md"]);
    let head = scene.git(&["rev-parse", "HEAD"]);
    scene.agent("echo 'asked again' >> \"$DOC\"; echo No.");
    assert_eq!(
        scene.told(&["run", "notes.md"]),
        "exit 0\n! Nothing changed since last submit for notes.md\n"
    );
    assert_eq!(scene.git(&["rev-parse", "HEAD"]), head);
}

#[test]
fn a_document_that_git_has_already_is_answered_at_the_first_run() {
    let scene = Scene::in_git(APPEND, "echo Yes.");
    scene.git(&["add", "notes.md"]);
    scene.git(&["commit", "--quiet", "-m", "the document"]);
    scene.well(&["run", "notes.md"]);
    assert!(scene.read("notes.md").contains("\n\nYes.\n"));
    assert!(scene.prompt().contains("What is it?"));
}

#[test]
fn a_branch_of_its_own_is_begun_once() {
    let scene = Scene::in_git(APPEND, "echo Yes.");
    let told = scene.well(&["run", "notes.md", "-b"]);
    assert!(told.contains("commits go to the new branch agent-doc/notes"), "{told}");
    assert_eq!(scene.git(&["branch", "--show-current"]).trim(), "agent-doc/notes");
    scene.append("notes.md", "More?\n");
    let told = scene.well(&["run", "notes.md", "-b"]);
    assert!(!told.contains("branch"), "{told}");
    assert_eq!(scene.git(&["rev-list", "--count", "main..agent-doc/notes"]).trim(), "2");
    assert_eq!(scene.git(&["rev-list", "--count", "main"]).trim(), "1");
}

#[test]
fn it_works_without_git_in_an_empty_repository_in_a_worktree_and_on_no_branch() {
    let without = Scene::new(APPEND, "echo Yes.");
    without.well(&["run", "notes.md"]);
    assert!(without.read("notes.md").contains("Yes."));

    let refused = Scene::in_git(APPEND, "echo Yes.");
    refused.well(&["run", "notes.md", "--no-git"]);
    assert_eq!(refused.git(&["rev-list", "--count", "HEAD"]).trim(), "1");

    let empty = Scene::new(APPEND, "echo Yes.");
    empty.git(&["init", "--quiet"]);
    empty.well(&["run", "notes.md"]);
    assert_eq!(empty.git(&["rev-list", "--count", "HEAD"]).trim(), "1");

    let detached = Scene::in_git(APPEND, "echo Yes.");
    detached.git(&["checkout", "--quiet", "--detach"]);
    detached.well(&["run", "notes.md"]);
    assert_eq!(detached.git(&["show", "HEAD:notes.md"]), APPEND);
    assert_eq!(detached.git(&["rev-list", "--count", "main"]).trim(), "1");

    let locked = Scene::in_git(APPEND, "echo Yes.");
    locked.write(".git/index.lock", "");
    locked.well(&["run", "notes.md"]);
    assert_eq!(locked.git(&["show", "HEAD:notes.md"]), APPEND);
}

#[test]
fn a_linked_worktree_and_a_submodule_get_the_commits_of_their_own_documents() {
    let scene = Scene::in_git(APPEND, "echo Yes.");
    scene.git(&["worktree", "add", "--quiet", "../linked"]);
    scene.write("../linked/notes.md", APPEND);
    scene.well(&["run", "../linked/notes.md"]);
    assert!(scene.read("../linked/notes.md").contains("\n\nYes.\n"));
    assert_eq!(scene.git(&["show", "linked:notes.md"]), APPEND);
    assert_eq!(scene.git(&["rev-list", "--count", "main"]).trim(), "1");

    scene.git(&["init", "--quiet", "../origin"]);
    scene.git(&["-C", "../origin", "commit", "--quiet", "--allow-empty", "-m", "begin"]);
    scene.git(&["-c", "protocol.file.allow=always", "submodule", "--quiet", "add", "../origin", "part"]);
    scene.git(&["commit", "--quiet", "-m", "a part"]);
    scene.write("part/notes.md", APPEND);
    scene.well(&["run", "part/notes.md"]);
    assert_eq!(scene.git(&["-C", "part", "show", "HEAD:notes.md"]), APPEND);
    assert_eq!(scene.git(&["rev-list", "--count", "main"]).trim(), "2");
}

#[test]
fn without_a_name_for_git_nothing_is_sent() {
    let scene = Scene::in_git(APPEND, "echo Yes.");
    let mut command = scene.command(&["run", "notes.md"]);
    for name in ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL"] {
        command.env_remove(name);
    }
    let output = command
        .env("GIT_CONFIG_COUNT", "1")
        .env("GIT_CONFIG_KEY_0", "user.useConfigOnly")
        .env("GIT_CONFIG_VALUE_0", "true")
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("git does not know your name") && said.contains("--no-git"), "{said}");
    assert_eq!(scene.read("notes.md"), APPEND);
}

#[test]
fn no_program_of_the_repository_runs() {
    let scene = Scene::in_git(STREAM, "echo Yes.");
    for hook in ["pre-commit", "commit-msg", "post-commit", "prepare-commit-msg", "reference-transaction"] {
        let path = scene.path(&format!(".git/hooks/{hook}"));
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, format!("#!/bin/sh\ntouch '{}'\n", scene.path("hooked").display())).unwrap();
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    }
    scene.git(&[
        "config",
        "filter.evil.clean",
        &format!("touch '{}'; cat", scene.path("filtered").display()),
    ]);
    scene.write(".gitattributes", "*.md filter=evil\n");
    scene.well(&["stream", "notes.md"]);
    assert!(!scene.path("hooked").exists() && !scene.path("filtered").exists());
    assert_eq!(scene.git(&["-c", "filter.evil.clean=cat", "show", "HEAD:notes.md"]), STREAM);
}

#[test]
fn a_session_that_began_the_repository_is_cleaned_and_one_that_was_pushed_is_not() {
    let scene = Scene::new(APPEND, "echo Yes.");
    scene.git(&["init", "--quiet", "--initial-branch=main"]);
    scene.well(&["run", "notes.md"]);
    scene.append("notes.md", "More?\n");
    scene.well(&["run", "notes.md"]);
    scene.git(&["init", "--quiet", "--bare", "../elsewhere"]);
    scene.git(&["remote", "add", "origin", "../elsewhere"]);
    scene.git(&["push", "--quiet", "origin", "main"]);
    let told = scene.told(&["clean", "notes.md"]);
    assert!(told.starts_with("exit 2\n"), "{told}");
    assert_eq!(scene.git(&["rev-list", "--count", "HEAD"]).trim(), "2");
    scene.git(&["remote", "remove", "origin"]);
    assert!(scene.well(&["clean", "notes.md"]).contains("2 session commits are 1 now"));
    assert_eq!(scene.git(&["rev-list", "--count", "HEAD"]).trim(), "1");
}

#[test]
fn session_commits_are_joined_and_those_of_others_stay() {
    let scene = Scene::in_git(APPEND, "echo Yes.");
    scene.well(&["run", "notes.md"]);
    scene.write("work.txt", "work\n");
    scene.git(&["add", "work.txt"]);
    scene.git(&["commit", "--quiet", "-m", "my own work"]);
    scene.append("notes.md", "More?\n");
    scene.well(&["run", "notes.md"]);
    scene.write("staged.txt", "s\n");
    scene.git(&["add", "staged.txt"]);
    let text = scene.read("notes.md");
    let told = scene.well(&["clean", "notes.md"]);
    assert!(told.contains("2 session commits are 1 now"), "{told}");
    let subjects = scene.git(&["log", "--format=%s"]);
    assert_eq!(
        subjects.lines().filter(|line| line.starts_with("agent-doc(notes):")).count(),
        1,
        "{subjects}"
    );
    assert!(subjects.contains("my own work") && subjects.contains("begin"));
    assert_eq!(scene.read("notes.md"), text);
    assert!(scene.git(&["status", "--porcelain"]).contains("A  staged.txt"));
    assert!(scene.told(&["commit", "notes.md"]).contains("notes.md: commit "));
    assert_eq!(scene.git(&["show", "HEAD:notes.md"]), text);
}
