//! What a document has besides its text: mode, owner, attributes, access list, links. Kept, or refused with a message.
#![cfg(target_os = "linux")]

use std::fs::{self, Permissions};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::Path;
use std::process::Command;

use workspace::keeper::{Displaced, Keeper as _, KeeperError};
use workspace::store::{Options, Remark, StoredFile};

use crate::store::{names, quick, scene};

fn run(program: &str, arguments: &[&str], path: &Path) -> String {
    let output = Command::new(program).args(arguments).arg(path).output().unwrap();
    assert!(output.status.success(), "{program}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn refusal(result: Result<Displaced, KeeperError>) -> String {
    match result {
        Err(KeeperError::Refused { reason }) => reason,
        other => panic!("{other:?}"),
    }
}

// DS-18
#[test]
fn mode_owner_attributes_and_access_list_stay() {
    let mut scene = scene("one\n");
    fs::set_permissions(&scene.path, Permissions::from_mode(0o640)).unwrap();
    if fs::metadata(&scene.path).unwrap().uid() == 0 {
        std::os::unix::fs::chown(&scene.path, Some(1234), Some(4321)).unwrap();
    }
    run("setfattr", &["-n", "user.origin", "-v", "a friend"], &scene.path);
    run("setfacl", &["-m", "u:1000:rw"], &scene.path);
    let facts = |path: &Path| {
        let metadata = fs::metadata(path).unwrap();
        let attributes = run("getfattr", &["--absolute-names", "-d"], path);
        let access = run("getfacl", &["--absolute-names", "--numeric"], path);
        (metadata.mode(), metadata.uid(), metadata.gid(), attributes, access)
    };
    let before = facts(&scene.path);
    assert!(before.3.contains("a friend") && before.4.contains("user:1000:rw-"));
    for (old, new) in [("one\n", "two\n"), ("two\n", "three\n")] {
        assert_eq!(scene.file.write(&old.into(), &new.into()).unwrap(), Displaced::AsExpected);
    }
    assert_eq!(facts(&scene.path), before);
}

// DS-18
#[test]
fn a_link_stays_a_link_and_its_target_is_written() {
    let scene = scene("one\n");
    let elsewhere = tempfile::tempdir_in("/dev/shm").unwrap();
    let target = elsewhere.path().join("target.md");
    fs::write(&target, "one\n").unwrap();
    let link = scene.folder.path().join("link.md");
    symlink(&target, &link).unwrap();
    let mut file = StoredFile::open(&link, quick()).unwrap().file;
    file.write(&"one\n".into(), &"two\n".into()).unwrap();
    assert_eq!(fs::read_link(&link).unwrap(), target);
    assert_eq!(fs::read_to_string(&target).unwrap(), "two\n");
    assert_eq!(names(elsewhere.path()), ["target.md"]);
    let options = Options { root: Some(scene.folder.path().to_owned()), ..quick() };
    assert!(matches!(StoredFile::open(&link, options), Err(KeeperError::Refused { .. })));
}

// DS-18
#[test]
fn a_file_with_two_names_keeps_both() {
    let mut scene = scene("one\n");
    let other = scene.folder.path().join("other.md");
    fs::hard_link(&scene.path, &other).unwrap();
    assert_eq!(scene.file.write(&"one\n".into(), &"two\n".into()).unwrap(), Displaced::AsExpected);
    assert_eq!(fs::read_to_string(&other).unwrap(), "two\n");
    assert_eq!(scene.file.remarks(), [Remark::InPlace(scene.path.canonicalize().unwrap())]);
    fs::write(&other, "saved\n").unwrap();
    assert_eq!(
        scene.file.write(&"two\n".into(), &"three\n".into()).unwrap(),
        Displaced::Save("saved\n".to_owned())
    );
    assert_eq!(scene.file.write(&"three\n".into(), &"both\n".into()).unwrap(), Displaced::AsExpected);
    assert_eq!(fs::read_to_string(&scene.path).unwrap(), "both\n");
    assert_eq!(names(scene.folder.path()), ["other.md", "plan.md"]);
}

// DS-18, FT-2
#[test]
fn a_read_only_file_is_refused_even_to_root() {
    let mut scene = scene("one\n");
    fs::set_permissions(&scene.path, Permissions::from_mode(0o444)).unwrap();
    let reason = refusal(scene.file.write(&"one\n".into(), &"two\n".into()));
    assert_eq!(reason, "the file is read-only; make it writable and try again");
    assert_eq!(fs::read_to_string(&scene.path).unwrap(), "one\n");
}

// FT-6
#[test]
fn what_is_no_file_any_more_is_refused_at_once() {
    type Replace = fn(&Path);
    let replacements: [(&str, Replace); 4] = [
        ("is a folder now", |path| fs::create_dir(path).unwrap()),
        ("is no regular file", |path| drop(run("mkfifo", &[], path))),
        ("is a link now", |path| symlink("/dev/null", path).unwrap()),
        ("is a link now", |path| symlink("nowhere", path).unwrap()),
    ];
    for (expected, replace) in replacements {
        let mut scene = scene("one\n");
        fs::remove_file(&scene.path).unwrap();
        replace(&scene.path);
        let kind = fs::symlink_metadata(&scene.path).unwrap().file_type();
        let reason = refusal(scene.file.write(&"one\n".into(), &"two\n".into()));
        assert!(reason.contains(expected), "{reason}");
        assert!(matches!(scene.file.read(), Err(KeeperError::Refused { .. })));
        assert_eq!(fs::symlink_metadata(&scene.path).unwrap().file_type(), kind);
        assert_eq!(names(scene.folder.path()), ["plan.md"]);
    }
}

// FT-3
#[test]
fn a_deleted_document_is_not_made_again_unless_asked() {
    let mut scene = scene("one\n");
    fs::remove_file(&scene.path).unwrap();
    assert!(matches!(scene.file.read(), Err(KeeperError::Gone)));
    assert!(matches!(scene.file.write(&"one\n".into(), &"two\n".into()), Err(KeeperError::Gone)));
    assert_eq!(names(scene.folder.path()), [""; 0]);
    scene.file.restore(&"two\n".into()).unwrap();
    assert_eq!(fs::read_to_string(&scene.path).unwrap(), "two\n");
    assert!(matches!(scene.file.restore(&"three\n".into()), Err(KeeperError::Io(_))));
    assert_eq!(names(scene.folder.path()), ["plan.md"]);
}

#[test]
fn a_file_that_is_made_has_the_mode_of_any_new_file() {
    let mut scene = scene("one\n");
    let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o7777;
    let usual = scene.folder.path().join("usual.md");
    fs::write(&usual, "").unwrap();
    fs::remove_file(&scene.path).unwrap();
    scene.file.restore(&"two\n".into()).unwrap();
    assert_eq!(mode(&scene.path), mode(&usual));
    let new = scene.folder.path().join("new.md");
    workspace::store::create(&new, "new\n").unwrap();
    assert_eq!((mode(&new), fs::read_to_string(&new).unwrap()), (mode(&usual), "new\n".to_owned()));
    let again = workspace::store::create(&new, "other\n");
    assert_eq!(again.unwrap_err().kind(), std::io::ErrorKind::AlreadyExists);
    assert_eq!(fs::read_to_string(&new).unwrap(), "new\n");
    assert_eq!(names(scene.folder.path()), ["new.md", "plan.md", "usual.md"]);
}
