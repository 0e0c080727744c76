//! The merge driver, used by git itself.

use std::process::{Command, Output};

use crate::scratch::{PROGRAM, Scratch};

const BASE: &str = "# Plan\n\nWe ship the parser in May.\n";

fn git(scratch: &Scratch, arguments: &[&str]) -> Output {
    let mut command = Command::new("git");
    command
        .args(arguments)
        .current_dir(scratch.path(""))
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("LC_ALL", "C");
    for role in ["AUTHOR", "COMMITTER"] {
        command
            .env(format!("GIT_{role}_NAME"), "A Person")
            .env(format!("GIT_{role}_EMAIL"), "person@example.org");
    }
    // A hook that runs the tests has these set for its own repository.
    for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
        command.env_remove(name);
    }
    command.output().unwrap()
}

fn done(scratch: &Scratch, arguments: &[&str]) {
    let output = git(scratch, arguments);
    assert!(output.status.success(), "{arguments:?}: {output:?}");
}

/// A repository with `ours` on `main` and `theirs` on `other`, and what git says when they are merged.
fn merged(name: &str, ours: &str, theirs: impl AsRef<[u8]>, options: &str) -> (Scratch, Output) {
    let scratch = Scratch::new();
    done(&scratch, &["init", "--quiet", "--initial-branch=main"]);
    let driver = format!("'{PROGRAM}' merge %O %A %B -o %A --name %P {options}");
    done(&scratch, &["config", "merge.agent-doc.driver", &driver]);
    scratch.write(".gitattributes", "*.md merge=agent-doc\n");
    commit(&scratch, name, BASE);
    done(&scratch, &["checkout", "--quiet", "-b", "other"]);
    commit(&scratch, name, theirs);
    done(&scratch, &["checkout", "--quiet", "main"]);
    commit(&scratch, name, ours);
    let output = git(&scratch, &["merge", "--no-edit", "other"]);
    (scratch, output)
}

fn commit(scratch: &Scratch, name: &str, text: impl AsRef<[u8]>) {
    scratch.write(name, text);
    done(scratch, &["add", "."]);
    done(scratch, &["commit", "--quiet", "-m", "change"]);
}

#[test]
fn two_branches_change_different_words_of_one_line() {
    let (scratch, output) = merged(
        "notes.md",
        "# Plan\n\nWe ship the fast parser in May.\n",
        "# Plan\n\nWe ship the parser in June.\n",
        "",
    );
    assert!(output.status.success(), "{output:?}");
    assert_eq!(scratch.read("notes.md"), "# Plan\n\nWe ship the fast parser in June.\n");
    assert!(git(&scratch, &["status", "--porcelain"]).stdout.is_empty());
}

#[test]
fn two_branches_change_the_same_words_and_both_lines_stay() {
    let (scratch, output) = merged(
        "my notes.md",
        "# Plan\n\nWe ship the parser in July.\n",
        "# Plan\n\nWe ship the parser in June.\n",
        "",
    );
    assert!(output.status.success(), "{output:?}");
    assert_eq!(
        scratch.read("my notes.md"),
        "# Plan\n\nWe ship the parser in July.\nWe ship the parser in June.\n"
    );
    let told = String::from_utf8(output.stderr).unwrap() + &String::from_utf8(output.stdout).unwrap();
    assert!(told.contains("my notes.md: line 3: both changed this line"), "{told}");
}

#[test]
fn markers_make_git_report_a_conflict() {
    let (scratch, output) = merged(
        "notes.md",
        "# Plan\n\nWe ship the parser in July.\n",
        "# Plan\n\nWe ship the parser in June.\n",
        "--style diff3",
    );
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(told.contains("CONFLICT (content): Merge conflict in notes.md"), "{told}");
    assert!(scratch.read("notes.md").contains("<<<<<<< agent-response\n"));
    assert_eq!(git(&scratch, &["status", "--porcelain"]).stdout, b"UU notes.md\n");
}

#[test]
fn what_is_no_text_is_left_to_the_person() {
    let ours = "# Plan\n\nOurs.\n";
    let (scratch, output) = merged("notes.md", ours, b"# Plan\n\nCaf\xe9.\n", "");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert_eq!(scratch.read("notes.md"), ours);
    assert_eq!(git(&scratch, &["status", "--porcelain"]).stdout, b"UU notes.md\n");
}
