//! The Writer's server as a process: other commands beside it, a second one, and its end.

use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::path::Path;
use std::process::Command;

use crate::scratch::{PROGRAM, Scratch, told};
use crate::serving::Serving;

const PLAN: &str = "# Plan\n\n## Log\n\nOne.\n";

#[test]
fn other_commands_write_through_the_server() {
    let scratch = Scratch::with(&[("plan.md", PLAN)]);
    let serving = Serving::start(&scratch, &[]);
    assert!(serving.get("/api/document?path=plan.md").contains("One."));
    let written = scratch.run(&["section", "append", "plan.md", "Log", "Two."]);
    assert!(written.status.success(), "{}", told(&written));
    // The server's own text, not what lies on the disk: it knew at once.
    let read = serving.get("/api/document?path=plan.md");
    assert!(read.contains("Two.") && read.contains("\"revision\":1"), "{read}");
    assert_eq!(scratch.read("plan.md"), "# Plan\n\n## Log\n\nOne.\n\nTwo.\n");
    assert_eq!(serving.end(), Some(0));
    let after = scratch.run(&["section", "append", "plan.md", "Log", "Three."]);
    assert!(after.status.success(), "{}", told(&after));
}

#[test]
fn a_second_server_shows_the_link_of_the_first() {
    let scratch = Scratch::with(&[("plan.md", PLAN)]);
    let serving = Serving::start(&scratch, &["plan.md"]);
    assert!(serving.link.contains("/write?path=plan.md#token="), "{}", serving.link);
    let second = scratch.run(&["serve", "--no-open", "plan.md"]);
    assert!(second.status.success(), "{}", told(&second));
    assert_eq!(String::from_utf8(second.stdout).unwrap().trim_end(), serving.link);
}

#[test]
fn a_page_finds_the_server_again_after_a_restart() {
    let scratch = Scratch::with(&[("plan.md", PLAN)]);
    let serving = Serving::start(&scratch, &[]);
    let (first, old) = (serving.link.clone(), serving.token().to_owned());
    assert_eq!(serving.end(), Some(0));
    let again = Serving::start(&scratch, &[]);
    assert_eq!(again.link, first);
    assert_eq!(again.end(), Some(0));
    let renewed = Serving::start(&scratch, &["--new-token"]);
    assert_ne!(renewed.token(), old);
}

#[test]
fn sv_8_what_is_noted_and_listened_on_is_for_its_owner_alone_whatever_the_umask() {
    let scratch = Scratch::with(&[("plan.md", PLAN)]);
    let mut shell = Command::new("sh");
    shell.args(["-c", "umask 000; exec \"$0\" serve --no-open", PROGRAM]).current_dir(scratch.path("."));
    let serving = Serving::spawned(shell);
    let mode = |path: &Path| path.symlink_metadata().unwrap().permissions().mode() & 0o777;
    let folder = scratch.path(".agent-doc");
    assert_eq!(mode(&folder), 0o700);
    let mut sockets = 0;
    for entry in std::fs::read_dir(&folder).unwrap() {
        let entry = entry.unwrap();
        let is_folder = entry.file_type().unwrap().is_dir();
        sockets += usize::from(entry.file_type().unwrap().is_socket());
        assert_eq!(mode(&entry.path()), if is_folder { 0o700 } else { 0o600 }, "{:?}", entry.path());
    }
    assert_eq!(sockets, 1);
    assert!(folder.join("server.json").is_file());
    assert_eq!(serving.end(), Some(0));
}

#[test]
fn sv_9_a_document_named_like_an_option_is_a_document() {
    let names = ["--settings=x.md", "-h.md", "#token=0&path=plan.md", "a b?c.md", "%2e%2e.md"];
    for name in names {
        let scratch = Scratch::with(&[(name, PLAN), ("plan.md", PLAN)]);
        let serving = Serving::start(&scratch, &["--", name]);
        let shown = serving.link.split('#').next().unwrap().split("path=").nth(1).unwrap().to_owned();
        assert!(
            shown.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~/%".contains(&byte)),
            "{shown}"
        );
        let answer = serving.get(&format!("/api/document?path={shown}"));
        assert!(answer.starts_with("HTTP/1.1 200") && answer.contains("# Plan"), "{name}: {answer}");
        assert_eq!(serving.link.matches('#').count(), 1, "{}", serving.link);
        assert_eq!(serving.end(), Some(0));
    }
}

#[test]
fn sv_7_a_new_secret_ends_the_old_one_in_the_server_that_runs() {
    let scratch = Scratch::with(&[("plan.md", PLAN)]);
    let mut serving = Serving::start(&scratch, &[]);
    let second = scratch.run(&["serve", "--no-open", "--new-token"]);
    assert!(second.status.success(), "{}", told(&second));
    assert!(serving.get("/api/home").starts_with("HTTP/1.1 401"));
    serving.link = String::from_utf8(second.stdout).unwrap().trim_end().to_owned();
    assert!(serving.get("/api/home").starts_with("HTTP/1.1 200"));
    // The next start knows it, too.
    let link = serving.link.clone();
    assert_eq!(serving.end(), Some(0));
    assert_eq!(Serving::start(&scratch, &[]).link, link);
}
