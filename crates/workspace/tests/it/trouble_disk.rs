//! Trouble with the disk beneath a whole project: system calls that fail, a full or read-only file system, folders that become links,
//! too few handles. The children are this test binary, started again.
#![cfg(target_os = "linux")]

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use workspace::command::{FileErrorKind, Reply};
use workspace::hub::Hub;

use crate::site::{PLAN, Site, append, is_written, log, options, refusal};
use crate::store_faults::mounted;

const ONCE: &str = "AGENT_DOC_TEST_APPENDS_ONCE";
const FULL: &str = "AGENT_DOC_TEST_FULL_PROJECT";
const READ_ONLY: &str = "AGENT_DOC_TEST_READ_ONLY_PROJECT";
const FEW_HANDLES: &str = "AGENT_DOC_TEST_FEW_HANDLES";

fn has(text: &str, line: &str) -> bool {
    text.lines().filter(|found| *found == line).count() == 1
}

fn given(variable: &str) -> Option<PathBuf> {
    std::env::var_os(variable).map(PathBuf::from)
}

async fn write(hub: &Hub, name: &str, line: &str) -> Reply {
    hub.execute(append(name, line).by(log()).named(line)).await
}

#[tokio::test]
async fn child_that_appends_once() {
    let Some(folder) = given(ONCE) else { return };
    let hub = workspace::project::open(&folder, options()).unwrap();
    let reply = write(&hub, "plan.md", "an answer").await;
    assert!(is_written(&reply));
    println!("acknowledged");
}

/// Each system call of an append, from opening the project to the last sync, fails in turn.
fn faults() -> Vec<(&'static str, &'static str, usize)> {
    let mut faults = Vec::new();
    for (call, errors, last) in [
        ("fsync", &["EIO", "ENOSPC"][..], 6),
        ("fdatasync", &["EIO", "ENOSPC"], 3),
        ("renameat2", &["EIO", "ENOSPC", "EACCES"], 3),
        ("ftruncate", &["EIO"], 2),
        ("unlink", &["EIO", "EACCES"], 3),
        ("flock", &["EIO"], 3),
        ("fcntl", &["EINVAL"], 4),
        ("pwrite64", &["ENOSPC"], 2),
    ] {
        for error in errors {
            faults.extend((1..=last).map(|at| (call, *error, at)));
        }
    }
    faults
}

// DS-14
#[test]
fn whichever_system_call_fails_in_a_project_nothing_acknowledged_is_missing() {
    let (mut told, mut done) = (0, 0);
    for (call, error, at) in faults() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plan.md");
        fs::write(&path, PLAN).unwrap();
        let output = Command::new("strace")
            .args(["-f", "-qq", "-o", "/dev/null", "-e", &format!("trace={call}")])
            .args(["-e", &format!("inject={call}:error={error}:when={at}")])
            .arg(std::env::current_exe().unwrap())
            .args(["trouble_disk::child_that_appends_once", "--exact", "--nocapture", "--test-threads=1"])
            .env(ONCE, folder.path())
            .stderr(Stdio::null())
            .output()
            .unwrap();
        let is_acknowledged = String::from_utf8_lossy(&output.stdout).contains("acknowledged");
        let place = format!("{call} {error} at {at}");
        let text = fs::read_to_string(&path).unwrap();
        assert!(text == PLAN || has(&text, "an answer"), "{place}: {text:?}");
        assert!(!is_acknowledged || has(&text, "an answer"), "{place}: {text:?}");
        told += usize::from(!is_acknowledged);
        done += usize::from(is_acknowledged);
        again(folder.path(), &place);
    }
    println!("{} faults in a project: {told} told, {done} overcome, 0 documents damaged", told + done);
    assert!(told > 5 && done > 5, "{told} told, {done} done");
}

// FT-13
#[test]
fn with_no_thread_to_be_had_nothing_acknowledged_is_missing() {
    for at in 1..=4 {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("plan.md"), PLAN).unwrap();
        let output = Command::new("strace")
            .args(["-f", "-qq", "-o", "/dev/null", "-e", "trace=clone3"])
            .args(["-e", &format!("inject=clone3:error=EAGAIN:when={at}+")])
            .arg(std::env::current_exe().unwrap())
            .args(["trouble_disk::child_that_appends_once", "--exact", "--nocapture", "--test-threads=1"])
            .env(ONCE, folder.path())
            .stderr(Stdio::null())
            .output()
            .unwrap();
        let is_acknowledged = String::from_utf8_lossy(&output.stdout).contains("acknowledged");
        // One thread is enough; without any nothing is begun.
        assert_eq!(is_acknowledged, at > 1);
        let text = fs::read_to_string(folder.path().join("plan.md")).unwrap();
        assert!(if is_acknowledged { has(&text, "an answer") } else { text == PLAN }, "{at}: {text:?}");
        again(folder.path(), &format!("no thread from the {at}. on"));
    }
}

/// The next process does what the one with the fault was asked for, once.
fn again(folder: &Path, place: &str) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let hub = workspace::project::open(folder, options()).unwrap();
        assert!(is_written(&write(&hub, "plan.md", "an answer").await), "{place}");
        hub.shutdown().await;
    });
    let text = fs::read_to_string(folder.join("plan.md")).unwrap();
    assert!(has(&text, "an answer"), "{place}: {text:?}");
    assert_eq!(crate::store::names(folder), [".agent-doc", "plan.md"], "{place}");
}

#[tokio::test]
async fn child_in_a_project_on_a_full_disk() {
    let Some(folder) = given(FULL) else { return };
    for name in ["plan.md", "other.md"] {
        fs::write(folder.join(name), PLAN).unwrap();
    }
    let hub = workspace::project::open(&folder, options()).unwrap();
    assert!(is_written(&write(&hub, "other.md", "before").await));
    let (mut kept, mut lines) = (0, Vec::new());
    for round in 0..20 {
        let (before, during) = (format!("before {round}"), format!("during {round} {}", "x".repeat(9000)));
        assert!(is_written(&write(&hub, "plan.md", &before).await));
        fill(&folder.join("filler"), round);
        let reply = write(&hub, "plan.md", &during).await;
        if !is_written(&reply) {
            let (kind, message) = refusal(&reply);
            assert_eq!(kind, FileErrorKind::IoError, "{message}");
            assert!(message.contains("it is kept and will be written"), "{message}");
            assert!(hub.document("plan.md").await.unwrap().read().text.contains(&during));
            kept += 1;
        }
        lines.extend([before, during]);
        assert_eq!(hub.document("other.md").await.unwrap().read().revision, 1);
        fs::remove_file(folder.join("filler")).unwrap();
        let handle = hub.document("plan.md").await.unwrap();
        handle.file_changed();
        handle.settled().await;
        // As soon as there is room it is written, though nobody asks again.
        let text = fs::read_to_string(folder.join("plan.md")).unwrap();
        for line in &lines {
            assert!(has(&text, line), "{line:.20} is missing in round {round}");
        }
    }
    assert!(kept > 2, "the disk was full only {kept} times");
    hub.shutdown().await;
}

/// Takes all room but for some pages.
fn fill(path: &Path, pages: usize) {
    assert!(fs::write(path, vec![b'x'; 8 << 20]).is_err(), "the disk is not full");
    let file = fs::OpenOptions::new().write(true).open(path).unwrap();
    let length = file.metadata().unwrap().len();
    file.set_len(length.saturating_sub(pages as u64 * 4096)).unwrap();
}

// FT-1, F18
#[test]
fn a_full_disk_beneath_a_project_keeps_the_words_until_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    let script = r#"mount -t tmpfs -o size=2m tmpfs "$1" && exec "$2" trouble_disk::child_in_a_project_on_a_full_disk --exact --test-threads=1"#;
    mounted(script, FULL, folder.path());
    println!("20 times a full disk beneath a project: 0 words lost");
}

#[tokio::test]
async fn child_in_a_project_on_a_read_only_disk() {
    let Some(folder) = given(READ_ONLY) else { return };
    for name in ["plan.md", "other.md"] {
        fs::write(folder.join(name), PLAN).unwrap();
    }
    let hub = workspace::project::open(&folder, options()).unwrap();
    assert!(is_written(&write(&hub, "plan.md", "before").await));
    cover(&folder);
    let (kind, message) = refusal(&write(&hub, "plan.md", "in vain").await);
    assert_eq!(kind, FileErrorKind::IoError);
    assert!(message.contains("read-only"), "{message}");
    mount(&["--verbose"], "umount", &folder);
    assert!(is_written(&write(&hub, "plan.md", "after").await));
    // Now the journals alone: nothing that cannot be noted is acknowledged or written.
    cover(&folder.join(".agent-doc/journal"));
    fs::write(folder.join("third.md"), PLAN).unwrap();
    let (_, message) = refusal(&write(&hub, "third.md", "not noted").await);
    assert!(message.starts_with("third.md: "), "{message}");
    assert_eq!(fs::read_to_string(folder.join("third.md")).unwrap(), PLAN);
    hub.shutdown().await;
    let text = fs::read_to_string(folder.join("plan.md")).unwrap();
    assert!(has(&text, "before") && has(&text, "after"), "{text:?}");
}

/// Lays the folder over itself, read-only, for everything that is opened from now on.
fn cover(folder: &Path) {
    mount(&["--bind", &folder.display().to_string()], "mount", folder);
    mount(&["-o", "remount,bind,ro"], "mount", folder);
}

fn mount(arguments: &[&str], program: &str, folder: &Path) {
    let output = Command::new(program).args(arguments).arg(folder).output().unwrap();
    assert!(output.status.success(), "{output:?}");
}

// FT-2
#[test]
fn a_read_only_disk_beneath_a_project_is_said_and_passes() {
    let folder = tempfile::tempdir().unwrap();
    let script = r#"mount -t tmpfs -o size=4m tmpfs "$1" && exec "$2" trouble_disk::child_in_a_project_on_a_read_only_disk --exact --test-threads=1"#;
    mounted(script, READ_ONLY, folder.path());
}

#[tokio::test]
async fn child_with_few_handles() {
    let Some(folder) = given(FEW_HANDLES) else { return };
    let hub = workspace::project::open(&folder, options()).unwrap();
    let (mut opened, mut refused) = (0, 0);
    for number in 0..80 {
        match hub.document(&format!("{number}.md")).await {
            Ok(_) => opened += 1,
            Err(refusal) => {
                assert!(refusal.message.starts_with(&format!("{number}.md: ")), "{}", refusal.message);
                refused += 1;
            }
        }
    }
    assert!(opened > 5 && refused > 5, "{opened} opened, {refused} refused");
    // With no handle left an open document can refuse, but not break.
    let (mut written, mut put_off) = (0, 0);
    for number in 0..opened {
        if is_written(&write(&hub, &format!("{number}.md"), "a line").await) {
            written += 1;
        } else {
            put_off += 1;
        }
    }
    println!(
        "64 handles: {opened} documents opened, {refused} refused; {written} written, {put_off} put off"
    );
    hub.shutdown().await;
    let hub = workspace::project::open(&folder, options()).unwrap();
    for number in 0..80 {
        assert!(is_written(&write(&hub, &format!("{number}.md"), "a line").await), "{number}");
        if number % 10 == 9 {
            hub.shutdown().await;
            return;
        }
    }
}

// FT-13, F18
#[test]
fn with_few_handles_documents_are_refused_and_not_broken() {
    let folder = tempfile::tempdir().unwrap();
    for number in 0..80 {
        fs::write(folder.path().join(format!("{number}.md")), PLAN).unwrap();
    }
    let output = Command::new("sh")
        .args(["-c", r#"ulimit -n 64 && exec "$0" "$@""#])
        .arg(std::env::current_exe().unwrap())
        .args(["trouble_disk::child_with_few_handles", "--exact", "--nocapture", "--test-threads=1"])
        .env(FEW_HANDLES, folder.path())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success() && said.contains("1 passed"), "{output:?}");
    println!("{}", said.lines().find(|line| line.contains("64 handles")).unwrap());
    for number in 0..80 {
        let text = fs::read_to_string(folder.path().join(format!("{number}.md"))).unwrap();
        assert!(text == PLAN || has(&text, "a line"), "{number}: {text:?}");
    }
}

// F17
#[tokio::test]
async fn a_folder_that_becomes_a_link_leads_no_write_out_of_the_root() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("plan.md"), "secret\n").unwrap();
    let site = Site::with(&[("other.md", PLAN)]);
    fs::create_dir(site.path("sub")).unwrap();
    fs::write(site.path("sub/plan.md"), PLAN).unwrap();
    assert!(is_written(&site.append("sub/plan.md", "before").await));
    fs::rename(site.path("sub"), site.path("aside")).unwrap();
    symlink(outside.path(), site.path("sub")).unwrap();
    let (_, message) = refusal(&site.append("sub/plan.md", "astray").await);
    assert!(message.contains("a link leads to now"), "{message}");
    assert!(is_written(&site.append("other.md", "meanwhile").await));
    assert_eq!(crate::store::names(outside.path()), ["plan.md"]);
    assert_eq!(fs::read_to_string(outside.path().join("plan.md")).unwrap(), "secret\n");
    fs::remove_file(site.path("sub")).unwrap();
    fs::rename(site.path("aside"), site.path("sub")).unwrap();
    assert!(is_written(&site.append("sub/plan.md", "after").await));
    site.close().await;
}

// F17
#[test]
fn a_folder_that_is_swapped_for_a_link_again_and_again_leads_no_document_out_of_the_root() {
    let outside = tempfile::tempdir().unwrap();
    fs::write(outside.path().join("plan.md"), "secret\n").unwrap();
    let site = Site::with(&[]);
    fs::create_dir(site.path("sub")).unwrap();
    fs::write(site.path("sub/plan.md"), PLAN).unwrap();
    symlink(outside.path(), site.path("link")).unwrap();
    let is_over = AtomicBool::new(false);
    let (inside, outside_read) = std::thread::scope(|scope| {
        scope.spawn(|| {
            // Bounded, in case the other side stops early.
            for _ in 0..300_000 {
                if is_over.load(Ordering::SeqCst) {
                    return;
                }
                exchange(&site.path("sub"), &site.path("link"));
                std::thread::sleep(Duration::from_micros(100));
            }
        });
        let (mut inside, mut outside_read) = (0, 0);
        for round in 0..300 {
            let text = written_anew(site.folder.path(), &format!("line {round}"));
            inside += usize::from(text.is_some());
            outside_read += usize::from(text.is_some_and(|text| text.contains("secret")));
        }
        is_over.store(true, Ordering::SeqCst);
        (inside, outside_read)
    });
    println!("300 openings while the folder was swapped: {inside} inside, {outside_read} outside");
    assert_eq!(outside_read, 0);
    assert_eq!(crate::store::names(outside.path()), ["plan.md"]);
    assert_eq!(fs::read_to_string(outside.path().join("plan.md")).unwrap(), "secret\n");
}

/// Opens the project, writes to the document and reads it, if that can be done just now.
fn written_anew(folder: &Path, line: &str) -> Option<String> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let hub = workspace::project::open(folder, options()).ok()?;
        let handle = hub.document("sub/plan.md").await.ok();
        let text = handle.as_ref().map(|handle| handle.read().text.to_string());
        if handle.is_some() {
            write(&hub, "sub/plan.md", line).await;
        }
        hub.shutdown().await;
        text
    })
}

fn exchange(one: &Path, other: &Path) {
    // A swap in one step, as an attacker would do it.
    rustix::fs::renameat_with(
        rustix::fs::CWD,
        one,
        rustix::fs::CWD,
        other,
        rustix::fs::RenameFlags::EXCHANGE,
    )
    .unwrap();
}
