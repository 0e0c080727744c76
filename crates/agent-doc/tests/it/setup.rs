use crate::scratch::Scratch;

#[test]
fn every_shell_gets_completions() {
    let scratch = Scratch::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = scratch.run(&["completions", shell]);
        assert!(output.status.success(), "{shell}");
        let script = String::from_utf8(output.stdout).unwrap();
        assert!(script.contains("agent-doc") && script.contains("outline"), "{shell}");
    }
    assert_eq!(scratch.run(&["completions", "tcsh"]).status.code(), Some(2));
}

#[cfg(unix)]
#[test]
fn bash_can_read_its_completions() {
    let scratch = Scratch::new();
    scratch.write("completions", scratch.run(&["completions", "bash"]).stdout);
    let mut bash = std::process::Command::new("bash");
    let output = bash.arg("-n").arg(scratch.path("completions")).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

const PAGES: [&str; 55] = [
    "agent-doc-acp.1",
    "agent-doc-blame.1",
    "agent-doc-chat.1",
    "agent-doc-checkpoints-list.1",
    "agent-doc-checkpoints-restore.1",
    "agent-doc-checkpoints.1",
    "agent-doc-clean.1",
    "agent-doc-commit.1",
    "agent-doc-compact.1",
    "agent-doc-completions.1",
    "agent-doc-conduct.1",
    "agent-doc-config.1",
    "agent-doc-convert.1",
    "agent-doc-diff.1",
    "agent-doc-doctor.1",
    "agent-doc-follow.1",
    "agent-doc-history.1",
    "agent-doc-init.1",
    "agent-doc-man.1",
    "agent-doc-mcp.1",
    "agent-doc-merge.1",
    "agent-doc-models-list.1",
    "agent-doc-models-replay.1",
    "agent-doc-models.1",
    "agent-doc-outline.1",
    "agent-doc-patch.1",
    "agent-doc-permissions-add.1",
    "agent-doc-permissions-check.1",
    "agent-doc-permissions-list.1",
    "agent-doc-permissions-remove.1",
    "agent-doc-permissions.1",
    "agent-doc-recover.1",
    "agent-doc-reset.1",
    "agent-doc-restore.1",
    "agent-doc-run.1",
    "agent-doc-runs-accept.1",
    "agent-doc-runs-cancel.1",
    "agent-doc-runs-reject.1",
    "agent-doc-runs-resume.1",
    "agent-doc-runs-show.1",
    "agent-doc-runs.1",
    "agent-doc-section-append.1",
    "agent-doc-section-edit.1",
    "agent-doc-section-list.1",
    "agent-doc-section-read.1",
    "agent-doc-section-write.1",
    "agent-doc-section.1",
    "agent-doc-serve.1",
    "agent-doc-show.1",
    "agent-doc-stats.1",
    "agent-doc-stream.1",
    "agent-doc-trust.1",
    "agent-doc-watch.1",
    "agent-doc-write.1",
    "agent-doc.1",
];

#[test]
fn the_manual_holds_every_command() {
    let output = Scratch::new().run(&["man"]);
    assert!(output.status.success());
    let manual = String::from_utf8(output.stdout).unwrap();
    for page in PAGES {
        // A hyphen is escaped in the language of manual pages.
        let name = page.trim_end_matches(".1").replace('-', "\\-");
        assert!(manual.contains(&format!("\n.SH NAME\n{name}")), "{name}");
    }
}

#[test]
fn the_manual_is_written_as_one_page_for_each_command() {
    let scratch = Scratch::new();
    let output = scratch.run(&["man", "--out", "share/man1"]);
    assert!(output.status.success());
    for page in PAGES {
        assert!(scratch.read(&format!("share/man1/{page}")).contains(".TH"), "{page}");
    }
    assert_eq!(String::from_utf8(output.stdout).unwrap().lines().count(), PAGES.len());
}

#[test]
fn a_manual_that_cannot_be_written_says_where() {
    let scratch = Scratch::with(&[("file", "")]);
    let output = scratch.run(&["man", "--out", "file"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8(output.stderr).unwrap().starts_with("error: cannot write file: "));
}
