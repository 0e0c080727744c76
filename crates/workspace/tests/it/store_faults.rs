//! System calls that fail and disks that are full, on the real disk. Children are this test binary, started again.
#![cfg(target_os = "linux")]

use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use std::process::{Command, Stdio};

use document::{Author, Document};
use workspace::keeper::{Keeper as _, KeeperError};
use workspace::store::{Flushed, StoredFile, flush};

use crate::store::{names, quick};

const FLUSHES: &str = "AGENT_DOC_TEST_FAULT";
const FILLS: &str = "AGENT_DOC_TEST_FULL";
const MOUNTS: &str = "AGENT_DOC_TEST_MOUNT";
const OLD: &str = "# Plan\n\nend\n";
const NEW: &str = "# Plan\n\nanswer\nend\n";

/// One flush of an agent's answer.
fn answer(path: &Path) -> Result<Flushed, KeeperError> {
    let person = Author::new("person");
    let opened = StoredFile::open(path, quick())?;
    let (mut file, mut in_file) = (opened.file, opened.text);
    let mut document = Document::open(&*in_file, &person);
    if !in_file.contains("answer") {
        document.edit(8..8, "answer\n", &Author::new("agent")).unwrap();
    }
    flush(&mut document, &mut in_file, &mut file, &person)
}

#[test]
fn child_that_flushes_once() {
    if let Some(path) = std::env::var_os(FLUSHES) {
        answer(Path::new(&path)).unwrap();
    }
}

/// The call, the error, and at which of the calls.
fn cases() -> Vec<(&'static str, &'static str, String)> {
    let mut cases = Vec::new();
    for error in ["EIO", "ENOSPC", "EINTR", "EACCES"] {
        cases.extend((1..=2).map(|at| ("fsync", error, at.to_string())));
        cases.extend((1..=2).map(|at| ("renameat2", error, at.to_string())));
        cases.extend((1..=6).map(|at| ("write", error, at.to_string())));
    }
    cases.extend((1..=45).step_by(2).map(|at| ("openat", "EMFILE", at.to_string())));
    cases.extend((1..=12).map(|at| ("openat2", "EMFILE", at.to_string())));
    let single = [
        ("renameat2", "EINVAL", "2"),
        ("renameat2", "ENOSYS", "1+"),
        ("fcntl", "EINVAL", "1+"),
        ("fcntl", "EAGAIN", "1+"),
        ("fchmod", "EPERM", "1"),
        ("flistxattr", "EIO", "1"),
        ("unlink", "EIO", "1"),
        ("getdents64", "EIO", "1"),
    ];
    cases.extend(single.map(|(call, error, at)| (call, error, at.to_owned())));
    cases
}

// DS-14, F18
#[test]
fn whichever_system_call_fails_the_document_is_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan.md");
    let (mut told, mut done) = (0, 0);
    for (call, error, at) in cases() {
        fs::write(&path, OLD).unwrap();
        let status = Command::new("strace")
            .args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("trace={call}")])
            .args(["-e", &format!("inject={call}:error={error}:when={at}")])
            .arg(std::env::current_exe().unwrap())
            .args(["store_faults::child_that_flushes_once", "--exact", "--test-threads=1"])
            .env(FLUSHES, &path)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .unwrap();
        let text = fs::read_to_string(&path).unwrap();
        let place = format!("{call} {error} at {at}: {status}, {text:?}");
        assert!(text == OLD || text == NEW, "{place}");
        assert!(!status.success() || text == NEW, "{place}");
        if status.success() {
            done += 1;
        } else {
            told += 1;
        }
        answer(&path).unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), NEW, "{place}");
        assert_eq!(names(folder.path()), ["plan.md"], "{place}");
    }
    println!("{} faults: {told} told, {done} overcome, 0 documents damaged", told + done);
    assert!(told > 10 && done > 10);
}

#[test]
fn child_on_a_full_disk() {
    let Some(folder) = std::env::var_os(FILLS) else { return };
    let folder = Path::new(&folder);
    let path = folder.join("plan.md");
    let (old, new) = (OLD.repeat(1000), NEW.repeat(1000));
    let mut refusals = 0;
    for filler in (0..=21).map(|pages| pages * 4096) {
        fs::write(&path, &old).unwrap();
        let mut file = StoredFile::open(&path, quick()).unwrap().file;
        fs::write(folder.join("filler"), vec![b'x'; filler]).unwrap();
        match file.write(&old.as_str().into(), &new.as_str().into()) {
            Ok(_) => assert_eq!(fs::read_to_string(&path).unwrap(), new),
            Err(KeeperError::Io(error)) => {
                refusals += 1;
                assert_eq!(error.kind(), ErrorKind::StorageFull);
                assert!(error.to_string().contains("make room on the disk"), "{error}");
                assert_eq!(fs::read_to_string(&path).unwrap(), old);
                assert_eq!(names(folder), ["filler", "plan.md"]);
                fs::remove_file(folder.join("filler")).unwrap();
                file.write(&old.as_str().into(), &new.as_str().into()).unwrap();
                assert_eq!(fs::read_to_string(&path).unwrap(), new);
            }
            Err(error) => panic!("{error:?}"),
        }
    }
    assert!(refusals > 2, "the disk was full only {refusals} times");
}

#[test]
fn child_with_a_mounted_file() {
    let Some(folder) = std::env::var_os(MOUNTS) else { return };
    let path = Path::new(&folder).join("plan.md");
    match StoredFile::open(&path, quick()).err() {
        Some(KeeperError::Refused { reason }) => assert!(reason.contains("mounted by itself"), "{reason}"),
        other => panic!("{other:?}"),
    }
}

/// Runs a child in a namespace where it may mount.
pub(crate) fn mounted(script: &str, variable: &str, folder: &Path) {
    let is_root = std::os::unix::fs::MetadataExt::uid(&fs::metadata("/proc/self").unwrap()) == 0;
    let namespaces: &[&str] = if is_root { &["--mount"] } else { &["--user", "--map-root-user", "--mount"] };
    let output = Command::new("unshare")
        .args(namespaces)
        .args(["--", "sh", "-c", script, "sh"])
        .arg(folder)
        .arg(std::env::current_exe().unwrap())
        .env(variable, folder)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{output:?}");
}

#[test]
fn a_file_that_is_mounted_by_itself_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let elsewhere = tempfile::NamedTempFile::new_in("/dev/shm").unwrap();
    fs::write(folder.path().join("plan.md"), OLD).unwrap();
    let script = format!(
        r#"mount --bind {} "$1/plan.md" && exec "$2" store_faults::child_with_a_mounted_file --exact --test-threads=1"#,
        elsewhere.path().display()
    );
    mounted(&script, MOUNTS, folder.path());
}

// FT-5
#[test]
fn a_folder_that_is_gone_takes_the_document_with_it_and_nothing_else() {
    let mut scene = crate::store::scene("one\n");
    fs::remove_dir_all(scene.folder.path()).unwrap();
    assert!(matches!(scene.file.read(), Err(KeeperError::Gone)));
    assert!(matches!(scene.file.write(&"one\n".into(), &"two\n".into()), Err(KeeperError::Gone)));
    fs::create_dir(scene.folder.path()).unwrap();
    fs::write(&scene.path, "back\n").unwrap();
    assert_eq!(scene.file.read().unwrap().as_deref(), Some("back\n"));
    scene.file.write(&"back\n".into(), &"two\n".into()).unwrap();
    assert_eq!(names(scene.folder.path()), ["plan.md"]);
}

// FT-1, F18
#[test]
fn a_full_disk_leaves_the_document_and_the_next_write_succeeds() {
    let folder = tempfile::tempdir().unwrap();
    let script = r#"mount -t tmpfs -o size=96k tmpfs "$1" && exec "$2" store_faults::child_on_a_full_disk --exact --test-threads=1"#;
    mounted(script, FILLS, folder.path());
    println!("22 fillings of a disk of 96 KB: document whole each time");
}
