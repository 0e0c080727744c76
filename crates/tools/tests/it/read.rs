//! Reading files of every kind. Never makes a large file for real: sparse ones are as long and take no room.

use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use expect_test::{Expect, expect};
use rustix::fs::{CWD, RenameFlags, renameat_with};
use serde_json::json;
use tools::files::{DirectWriter, Fingerprint, Writer as _};

use crate::desk::Desk;

async fn check(desk: &Desk, path: &str, expected: Expect) {
    let said = desk.call("Read", json!({ "file_path": path })).await;
    let root = desk.root.display().to_string();
    let mark = if said.is_error { "error: " } else { "" };
    expected.assert_eq(&format!("{mark}{}", said.text.replace(&root, "ROOT")));
}

#[tokio::test]
async fn lines_have_numbers_and_files_are_read_in_pages() {
    let desk = Desk::new();
    desk.write("a.txt", "one\ntwo\r\nthree");
    let said = desk.call("Read", json!({ "file_path": "a.txt" })).await.ok();
    assert_eq!(said, "     1\tone\n     2\ttwo\n     3\tthree\n");
    let lines: String = (1..=5000).map(|line| format!("line {line}\n")).collect();
    desk.write("long.txt", lines);
    let page = desk.call("Read", json!({ "file_path": "long.txt", "offset": 2001, "limit": 2 })).await.ok();
    assert_eq!(page, "  2001\tline 2001\n  2002\tline 2002\n[more lines follow; read on with offset 2003]\n");
    let first = desk.call("Read", json!({ "file_path": "long.txt" })).await.ok();
    assert!(first.ends_with("  2000\tline 2000\n[more lines follow; read on with offset 2001]\n"));
    let beyond = desk.call("Read", json!({ "file_path": "long.txt", "offset": 9000 })).await.failed();
    assert_eq!(beyond, "long.txt has only 5000 lines; give a smaller offset than 9000");
}

#[tokio::test]
async fn what_is_no_plain_text_is_said() {
    let desk = Desk::new();
    desk.write("empty", "");
    check(
        &desk,
        "empty",
        expect![[r#"
        [the file is empty]
    "#]],
    )
    .await;
    desk.write("binary", b"\x7fELF\0\0");
    check(
        &desk,
        "binary",
        expect!["error: binary is a binary file of 6 bytes and is not shown; use Bash to look into it"],
    )
    .await;
    desk.write("latin", b"caf\xe9\n");
    check(
        &desk,
        "latin",
        expect![[r#"
             1	caf�
        [the file is no UTF-8; what is not is shown as �, and the file cannot be edited]
    "#]],
    )
    .await;
    desk.write("tricky", "a\u{202e}b\u{1b}[31m\n");
    check(
        &desk,
        "tricky",
        expect![[r#"
             1	a<U+202E>b<U+001B>[31m
        [characters that cannot be seen are shown as <U+XXXX>]
    "#]],
    )
    .await;
    desk.write("wide", "x".repeat(5000));
    let wide = desk.call("Read", json!({ "file_path": "wide" })).await.ok();
    assert_eq!(
        wide,
        format!("     1\t{}…\n[lines that end in … have more than 2000 characters]\n", "x".repeat(2000))
    );
}

#[tokio::test]
async fn what_is_no_file_is_said() {
    let desk = Desk::new();
    desk.write("src/main.rs", "");
    check(&desk, "src", expect!["error: src is a folder; use List to see what is in it"]).await;
    check(&desk, "src/mian.rs", expect!["error: there is no file src/mian.rs; did you mean src/main.rs?"])
        .await;
    check(&desk, "none/at/all", expect!["error: there is no file none/at/all; look for it with Glob"]).await;
    let fifo = desk.root.join("fifo");
    assert!(std::process::Command::new("mkfifo").arg(&fifo).status().unwrap().success());
    check(&desk, "fifo", expect!["error: fifo is a pipe, a socket or a device, and is not read"]).await;
    check(&desk, "/dev/zero", expect!["error: /dev/zero is a pipe, a socket or a device, and is not read"])
        .await;
    check(&desk, "", expect![[r#"error: InputValidationError: `file_path`: "" is empty; give a path"#]])
        .await;
    std::os::unix::fs::symlink("nowhere", desk.root.join("dangling")).unwrap();
    check(&desk, "dangling", expect![[r#"error: InputValidationError: `file_path`: "dangling" is or passes a link that leads nowhere; name the file itself"#]]).await;
}

#[tokio::test]
async fn a_file_of_three_gigabytes_is_read_without_being_held() {
    let desk = Desk::new();
    let path = desk.write("huge.txt", "begin\nsecond\n");
    File::options().write(true).open(&path).unwrap().set_len(3 << 30).unwrap();
    let page = desk.call("Read", json!({ "file_path": "huge.txt", "limit": 2 })).await;
    // Its holes are zeros, so it counts as binary; what matters is that nobody waits and nothing is held.
    assert!(page.failed().contains("binary file of 3221225472 bytes"));
    let text = "a line of text\n".repeat(2 << 20);
    desk.write("large.txt", text);
    let page =
        desk.call("Read", json!({ "file_path": "large.txt", "offset": 2_000_000, "limit": 1 })).await.ok();
    assert!(page.starts_with("2000000\ta line of text\n"), "{page}");
}

#[tokio::test]
async fn an_image_is_passed_on_as_one() {
    let desk = Desk::new();
    desk.write("dot.png", b"\x89PNG\r\n\x1a\nrest");
    let said = desk.call("Read", json!({ "file_path": "dot.png" })).await;
    assert_eq!((said.images, said.text.as_str(), said.is_error), (1, "dot.png: image/png, 12 bytes", false));
}

#[tokio::test]
async fn a_path_is_claimed_as_written_and_as_it_really_is() {
    let desk = Desk::new();
    let outside = desk.folder.path().canonicalize().unwrap().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("secret"), "x").unwrap();
    std::os::unix::fs::symlink(&outside, desk.root.join("link")).unwrap();
    let read = desk.tool("Read");
    let root = desk.root.display();
    for (given, expected) in [
        ("a/../b", vec![format!("{root}/b")]),
        ("../project-twin/x", vec![format!("{root}-twin/x")]),
        ("%2e%2e/x", vec![format!("{root}/%2e%2e/x")]),
        ("link/secret", vec![format!("{root}/link/secret"), format!("{}/secret", outside.display())]),
        ("link/new/file", vec![format!("{root}/link/new/file"), format!("{}/new/file", outside.display())]),
        ("/etc/../etc/hostname", vec!["/etc/hostname".to_owned()]),
    ] {
        let permit = desk.permit(&*read, &json!({ "file_path": given }).to_string()).await.unwrap();
        assert_eq!(permit.claim().paths[0].spellings, expected, "{given}");
    }
}

#[tokio::test]
async fn a_link_that_appears_after_the_permit_is_not_followed() {
    let desk = Desk::new();
    let secret = desk.folder.path().canonicalize().unwrap().join("secret");
    std::fs::write(&secret, "canary").unwrap();
    desk.write("plain", "harmless\n");
    desk.write("sub/plain", "harmless\n");
    let (read, scope) = (desk.tool("Read"), desk.scope());
    let permit = desk.permit(&*read, r#"{"file_path": "plain"}"#).await.unwrap();
    std::fs::remove_file(desk.root.join("plain")).unwrap();
    std::os::unix::fs::symlink(&secret, desk.root.join("plain")).unwrap();
    let output = read.run(permit, scope.clone()).await;
    assert!(output.is_error && !format!("{output:?}").contains("canary"), "{output:?}");
    let permit = desk.permit(&*read, r#"{"file_path": "sub/plain"}"#).await.unwrap();
    std::fs::rename(desk.root.join("sub"), desk.root.join("old")).unwrap();
    std::fs::write(secret.parent().unwrap().join("plain"), "canary").unwrap();
    std::os::unix::fs::symlink(secret.parent().unwrap(), desk.root.join("sub")).unwrap();
    let output = read.run(permit, scope).await;
    assert!(output.is_error && !format!("{output:?}").contains("canary"), "{output:?}");
}

/// How often a reading meets a folder that is a link half of the time, and how often a writing, which waits for the disk.
const READINGS: usize = 5_000;
const WRITINGS: usize = 50;

#[tokio::test]
async fn a_link_that_comes_and_goes_never_leads_out() {
    let desk = Desk::new();
    let outside = desk.folder.path().canonicalize().unwrap().join("outside");
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(outside.join("file"), "canary").unwrap();
    desk.write("way/file", "harmless\n");
    let (way, link) = (desk.root.join("way"), desk.root.join("link"));
    std::os::unix::fs::symlink(&outside, &link).unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let swapping = std::thread::spawn({
        let (stop, way) = (stop.clone(), way.clone());
        move || {
            while !stop.load(Ordering::Relaxed) {
                // In one step, so that there is always something by that name.
                renameat_with(CWD, &way, CWD, &link, RenameFlags::EXCHANGE).unwrap();
                // Without a pause nobody else would get through the kernel's lock on names.
                std::thread::sleep(Duration::from_micros(20));
            }
        }
    });
    let inside = way.join("file");
    let (writer, known) = (DirectWriter::default(), Fingerprint::of(b"harmless\n"));
    let outcomes: Vec<bool> =
        (0..WRITINGS).map(|_| writer.replace(&inside, Some(&known), b"harmless\n").is_ok()).collect();
    assert!(outcomes.contains(&true) && outcomes.contains(&false), "nobody met a link");
    let (read, mut refused) = (desk.tool("Read"), 0);
    for _ in 0..READINGS {
        let Ok(permit) = desk.permit(&*read, r#"{"file_path": "way/file"}"#).await else { continue };
        // A permit for the outside would have been asked about; here all is allowed, so only those for the inside count.
        if permit.claim().paths[0].spellings.iter().any(|path| Path::new(path) != inside) {
            continue;
        }
        let output = read.run(permit, desk.scope()).await;
        assert!(!format!("{output:?}").contains("canary"), "{output:?}");
        refused += usize::from(output.is_error);
    }
    stop.store(true, Ordering::Relaxed);
    swapping.join().unwrap();
    assert!(refused > 0, "nobody met a link");
    let names: Vec<_> =
        std::fs::read_dir(&outside).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["file"]);
    assert_eq!(std::fs::read_to_string(outside.join("file")).unwrap(), "canary");
}
