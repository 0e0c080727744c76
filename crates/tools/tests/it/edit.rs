//! Changing files. Never leaves one half changed.

use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;

use agent::permission::{Mode, Places, Policy, Verdict};
use serde_json::json;
use tools::files::{Files, Fingerprint, WriteError, Writer};
use tools::tool::Write;

use crate::desk::Desk;

async fn read(desk: &Desk, path: &str) {
    desk.call("Read", json!({ "file_path": path })).await.ok();
}

#[tokio::test]
async fn a_text_is_replaced_and_the_rest_stays() {
    let desk = Desk::new();
    let path = desk.write("a.sh", "\u{feff}#!/bin/sh\r\necho one\r\necho two");
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o751)).unwrap();
    read(&desk, "a.sh").await;
    let said = desk.call("Edit", json!({ "file_path": "a.sh", "old_string": "echo one\necho two", "new_string": "echo 1\necho 2" })).await;
    assert_eq!(
        said.ok(),
        "a.sh was changed in 1 place:\n     1\t<U+FEFF>#!/bin/sh\n     2\techo 1\n     3\techo 2\n"
    );
    assert_eq!(desk.read("a.sh"), "\u{feff}#!/bin/sh\r\necho 1\r\necho 2");
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o751);
    // What was written is known; no new reading is needed.
    desk.call("Edit", json!({ "file_path": "a.sh", "old_string": "echo 2", "new_string": "echo zwei" }))
        .await
        .ok();
    assert_eq!(std::fs::read_dir(&desk.root).unwrap().count(), 1, "nothing is left beside the file");
}

#[tokio::test]
async fn only_what_was_read_and_did_not_change_is_edited() {
    let desk = Desk::new();
    let path = desk.write("a.txt", "one\n");
    let edit = json!({ "file_path": "a.txt", "old_string": "one", "new_string": "1" });
    let unread = desk.call("Edit", edit.clone()).await.failed();
    assert_eq!(unread, "File has not been read yet. Read a.txt first, then change it");
    let unread = desk.call("Write", json!({ "file_path": "a.txt", "content": "x" })).await.failed();
    assert_eq!(unread, "File has not been read yet. Read a.txt first, then change it");
    read(&desk, "a.txt").await;
    desk.write("a.txt", "one!\n");
    let stale = desk.call("Edit", edit.clone()).await.failed();
    assert_eq!(stale, "File has been modified since it was read. Read a.txt again, then change it");
    desk.write("a.txt", "one\n");
    std::fs::File::options()
        .write(true)
        .open(&path)
        .unwrap()
        .set_modified(std::time::SystemTime::UNIX_EPOCH)
        .unwrap();
    desk.call("Edit", edit).await.ok();
    assert_eq!(desk.read("a.txt"), "1\n");
}

#[tokio::test]
async fn several_changes_are_made_all_or_none() {
    let desk = Desk::new();
    desk.write("a.txt", "one two three\n");
    read(&desk, "a.txt").await;
    let edits = |last: &str| json!([{ "old_string": "one", "new_string": "1" }, { "old_string": "two", "new_string": "2" }, { "old_string": last, "new_string": "3" }]);
    let failed =
        desk.call("MultiEdit", json!({ "file_path": "a.txt", "edits": edits("four") })).await.failed();
    assert!(failed.starts_with("edits[2]: String to replace not found in file."), "{failed}");
    assert_eq!(desk.read("a.txt"), "one two three\n");
    desk.call("MultiEdit", json!({ "file_path": "a.txt", "edits": edits("three") })).await.ok();
    assert_eq!(desk.read("a.txt"), "1 2 3\n");
    let bad = desk
        .call("MultiEdit", json!({ "file_path": "a.txt", "edits": [{ "old_string": "1" }] }))
        .await
        .failed();
    assert_eq!(bad, "InputValidationError: `edits[0]`: missing field `new_string`");
}

#[tokio::test]
async fn a_new_file_gets_its_folders() {
    let desk = Desk::new();
    let said =
        desk.call("Write", json!({ "file_path": "deep/er/new.txt", "content": "one\ntwo\n" })).await.ok();
    assert_eq!(said, "deep/er/new.txt was made: 2 lines");
    assert_eq!(desk.read("deep/er/new.txt"), "one\ntwo\n");
    let said = desk.call("Write", json!({ "file_path": "deep/er/new.txt", "content": "three\n" })).await.ok();
    assert_eq!(said, "deep/er/new.txt was replaced: 1 lines");
    let folder = desk.call("Write", json!({ "file_path": "deep", "content": "" })).await.failed();
    assert_eq!(folder, "deep is a folder; give the name of a file in it");
    let through =
        desk.call("Write", json!({ "file_path": "deep/er/new.txt/below", "content": "" })).await.failed();
    assert!(through.contains("could not be written and is as it was"), "{through}");
}

#[tokio::test]
async fn what_belongs_to_git_or_to_us_always_asks() {
    let desk = Desk::new();
    let write = desk.tool("Write");
    for path in [
        ".git/hooks/pre-commit",
        ".agent-doc/config.toml",
        "sub/.git/config",
        ".GIT/config",
        ".Agent-Doc/x",
        "AGENTS.md",
    ] {
        let input = json!({ "file_path": path, "content": "canary" }).to_string();
        let call = crate::desk::call(&*write, &input);
        let claim = write.inspect(&call).await.unwrap();
        let policy = Policy::new(Mode::Bypass, Places::default(), Vec::new());
        assert!(matches!(policy.weigh(call, claim), Verdict::MustAsk(_)), "{path}");
    }
    assert_eq!(std::fs::read_dir(&desk.root).unwrap().count(), 0);
}

#[tokio::test]
async fn a_file_with_other_names_is_not_changed() {
    let desk = Desk::new();
    let outside = desk.folder.path().join("outside");
    std::fs::write(&outside, "one\n").unwrap();
    std::fs::hard_link(&outside, desk.root.join("linked")).unwrap();
    read(&desk, "linked").await;
    let said = desk
        .call("Edit", json!({ "file_path": "linked", "old_string": "one", "new_string": "1" }))
        .await
        .failed();
    assert!(said.contains("hard links"), "{said}");
    assert_eq!(std::fs::read_to_string(outside).unwrap(), "one\n");
}

#[tokio::test]
async fn what_is_no_plain_text_file_is_left_as_it_is() {
    let desk = Desk::new();
    let fifo = desk.root.join("fifo");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    desk.write("folder/file", "");
    desk.write("latin", b"caf\xe9\n");
    let huge = desk.write("huge", "begin\n");
    std::fs::File::options().write(true).open(&huge).unwrap().set_len(3 << 30).unwrap();
    read(&desk, "latin").await;
    let write = |path: &str| ("Write", json!({ "file_path": path, "content": "x" }));
    let edit = |path: &str| ("Edit", json!({ "file_path": path, "old_string": "caf", "new_string": "x" }));
    for ((tool, input), expected) in [
        (write("fifo"), "fifo is a pipe, a socket or a device, and is not written"),
        (edit("fifo"), "fifo is a pipe, a socket or a device, and is not edited"),
        (write("/dev/null"), "/dev/null is a pipe, a socket or a device, and is not written"),
        (write("folder"), "folder is a folder; give the name of a file in it"),
        (edit("folder"), "folder is a folder; give the name of a file in it"),
        (edit("foldr/file"), "there is no file foldr/file; look for it with Glob"),
        (edit("latin"), "latin is no UTF-8 and cannot be edited; use Bash"),
        (write("huge"), "huge cannot be written: it has more than 16777216 bytes"),
        (edit("huge"), "huge cannot be edited: it has more than 16777216 bytes"),
    ] {
        assert_eq!(desk.call(tool, input.clone()).await.failed(), expected, "{tool} {input}");
    }
    assert_eq!(std::fs::read(desk.root.join("latin")).unwrap(), b"caf\xe9\n");
    assert_eq!(
        (huge.metadata().unwrap().len(), std::fs::read_dir(&desk.root).unwrap().count()),
        (3 << 30, 4)
    );
}

#[tokio::test]
async fn a_link_out_of_the_workspace_is_asked_about_by_where_it_leads() {
    let desk = Desk::new();
    let outside = desk.folder.path().canonicalize().unwrap().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("file"), "one\n").unwrap();
    std::os::unix::fs::symlink(outside.join("file"), desk.root.join("link")).unwrap();
    std::os::unix::fs::symlink(&outside, desk.root.join("way")).unwrap();
    // Names that only look like one inside.
    let twin = format!("../{}-twin/x", desk.root.file_name().unwrap().to_str().unwrap());
    let fd = std::fs::File::open(outside.join("file")).unwrap();
    let open = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&fd));
    let root = desk.root.display().to_string();
    let places = Places { project: root.clone(), current: root.clone(), ..Places::default() };
    let policy = Policy::new(Mode::AcceptEdits, places, Vec::new());
    let cased = format!("../{}/x", desk.root.file_name().unwrap().to_str().unwrap().to_uppercase());
    for (path, is_inside) in [
        ("link", false),
        ("way/file", false),
        ("way/new/file", false),
        ("way/../x", true),
        ("../outside/file", false),
        ("sub/../../outside/file", false),
        ("/etc/hostname", false),
        (&twin, false),
        (&cased, false),
        (&format!("{root}./x"), false),
        (&open, false),
        ("/proc/self/cwd/../../etc/passwd", false),
        ("/proc/self/root/etc/passwd", false),
        ("%2e%2e/x", true),
        ("..%2fx", true),
        ("cafe\u{301}", true),
        ("a/./b//c", true),
    ] {
        let write = desk.tool("Write");
        let call = crate::desk::call(&*write, &json!({ "file_path": path, "content": "x" }).to_string());
        let claim = write.inspect(&call).await.unwrap();
        let verdict = policy.weigh(call, claim);
        assert_eq!(matches!(verdict, Verdict::Allowed(_)), is_inside, "{path}: {verdict:?}");
    }
    assert_eq!(std::fs::read_to_string(outside.join("file")).unwrap(), "one\n");
}

/// A disk that is full.
struct FullDisk;

impl Writer for FullDisk {
    fn replace(&self, _: &Path, _: Option<&Fingerprint>, _: &[u8]) -> Result<(), WriteError> {
        Err(std::io::Error::from(std::io::ErrorKind::StorageFull).into())
    }
}

#[tokio::test]
async fn a_full_disk_is_said_and_the_file_is_as_it_was() {
    let desk = Desk::new();
    let files = Files::new(desk.root.clone(), Arc::new(FullDisk), None);
    let said = desk.run(&Write::new(files), json!({ "file_path": "a.txt", "content": "x" })).await.failed();
    assert_eq!(said, "a.txt could not be written and is as it was: no storage space");
    assert!(!desk.root.join("a.txt").exists());
}

#[tokio::test]
async fn a_really_full_disk_leaves_the_old_file_and_nothing_else() {
    // The limit on the size of files is that of a process, so the writer runs in one of its own.
    let desk = Desk::new();
    desk.write("a.txt", "old\n");
    let output = std::process::Command::new("bash")
        .args([
            "-c",
            "ulimit -f 1; trap '' XFSZ; exec \"$0\" --exact edit::child_writes_a_large_file --nocapture",
        ])
        .arg(std::env::current_exe().unwrap())
        .env("TOOLS_TEST_FOLDER", &desk.root)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(text.contains("refused: File too large"), "{text}");
    assert_eq!(desk.read("a.txt"), "old\n");
    assert_eq!(std::fs::read_dir(&desk.root).unwrap().count(), 1);
}

#[test]
fn child_writes_a_large_file() {
    let Some(folder) = std::env::var_os("TOOLS_TEST_FOLDER") else { return };
    let writer = tools::files::DirectWriter::default();
    let outcome = writer.replace(
        &Path::new(&folder).join("a.txt"),
        Some(&Fingerprint::of(b"old\n")),
        &vec![b'x'; 1 << 20],
    );
    println!("refused: {}", outcome.unwrap_err());
}
