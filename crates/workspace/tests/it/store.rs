//! The small promises of the store, one at a time.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use document::{Author, Document};
use workspace::SharedText;
use workspace::keeper::{Displaced, Keeper as _, KeeperError};
use workspace::store::{Capabilities, Options, Patience, StoredFile, capabilities, flush, united};

/// A folder with one document, and the document opened.
pub(crate) struct Scene {
    pub(crate) folder: tempfile::TempDir,
    pub(crate) path: PathBuf,
    pub(crate) file: StoredFile,
}

pub(crate) fn quick() -> Options {
    let patience = Patience {
        busy: Duration::from_millis(200),
        missing: Duration::from_millis(20),
        ..Patience::default()
    };
    Options { patience, ..Options::default() }
}

pub(crate) fn scene(text: &str) -> Scene {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("plan.md");
    fs::write(&path, text).unwrap();
    let file = StoredFile::open(&path, quick()).unwrap().file;
    Scene { folder, path, file }
}

pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[test]
fn a_write_replaces_the_text_and_leaves_nothing_beside_it() {
    let mut scene = scene("one\n");
    assert_eq!(scene.file.write(&"one\n".into(), &"two\n".into()).unwrap(), Displaced::AsExpected);
    assert_eq!(fs::read_to_string(&scene.path).unwrap(), "two\n");
    assert_eq!(names(scene.folder.path()), ["plan.md"]);
    assert_eq!(scene.file.read().unwrap(), None);
    assert!(scene.file.is_own());
}

#[test]
fn a_save_that_nobody_had_read_comes_out_of_the_write() {
    let mut scene = scene("one\n");
    fs::write(&scene.path, "saved\n").unwrap();
    assert_eq!(
        scene.file.write(&"one\n".into(), &"two\n".into()).unwrap(),
        Displaced::Save("saved\n".to_owned())
    );
    // Until the next write it stays on the disk, in case we crash.
    assert_eq!(names(scene.folder.path()).len(), 2);
    let again = StoredFile::open(&scene.path, quick()).unwrap();
    assert_eq!((&*again.text, again.leftovers), ("two\n", vec!["saved\n".to_owned()]));
    assert_eq!(scene.file.write(&"two\n".into(), &"three\n".into()).unwrap(), Displaced::AsExpected);
    assert_eq!(names(scene.folder.path()), ["plan.md"]);
}

#[test]
fn what_is_written_late_into_a_displaced_file_is_found() {
    use std::io::Write as _;
    let mut scene = scene("one\n");
    let options = Options {
        patience: Patience { second_look: Duration::ZERO, ..quick().patience },
        ..Options::default()
    };
    scene.file = StoredFile::open(&scene.path, options).unwrap().file;
    let path = scene.path.clone();
    scene.file.write(&"one\n".into(), &"two\n".into()).unwrap();
    assert_eq!(scene.file.look_again(), [""; 0]);
    let mut late = fs::OpenOptions::new().append(true).open(&path).unwrap();
    assert!(matches!(scene.file.write(&"two\n".into(), &"three\n".into()), Err(KeeperError::Busy)));
    late.write_all(b"late\n").unwrap();
    drop(late);
    assert_eq!(scene.file.read().unwrap().as_deref(), Some("two\nlate\n"));
    assert_eq!(scene.file.read().unwrap().as_deref(), Some("three\n"));
    assert_eq!(scene.file.read().unwrap(), None);
}

#[test]
fn news_of_our_own_write_is_told_from_a_save() {
    let mut scene = scene("one\n");
    assert!(!scene.file.is_own());
    scene.file.write(&"one\n".into(), &"two\n".into()).unwrap();
    assert!(scene.file.is_own());
    fs::write(&scene.path, "owt\n").unwrap();
    assert!(!scene.file.is_own());
    assert_eq!(scene.file.read().unwrap().as_deref(), Some("owt\n"));
}

/// A save in place that leaves number, length and time as they were.
fn save_unnoticed(path: &Path, text: &str) {
    let modified = fs::metadata(path).unwrap().modified().unwrap();
    fs::write(path, text).unwrap();
    fs::File::options().write(true).open(path).unwrap().set_modified(modified).unwrap();
}

#[test]
fn a_glance_sees_saves_and_what_it_misses_comes_out_of_the_write() {
    let mut scene = scene("one\n");
    assert_eq!(scene.file.glance().unwrap(), None);
    fs::write(&scene.path, "three\n").unwrap();
    assert_eq!(scene.file.glance().unwrap().as_deref(), Some("three\n"));
    save_unnoticed(&scene.path, "eerht\n");
    assert_eq!(scene.file.glance().unwrap(), None);
    let written = scene.file.write(&"three\n".into(), &"four\n".into()).unwrap();
    assert_eq!(written, Displaced::Save("eerht\n".to_owned()));
    assert_eq!(scene.file.glance().unwrap(), None);
    save_unnoticed(&scene.path, "ruof\n");
    assert_eq!(scene.file.glance().unwrap(), None);
    assert_eq!(scene.file.read().unwrap().as_deref(), Some("ruof\n"));
}

#[test]
fn a_save_right_after_our_write_is_seen_at_a_glance() {
    let mut scene = scene("one\n");
    scene.file.write(&"one\n".into(), &"two\n".into()).unwrap();
    fs::write(&scene.path, "two and more\n").unwrap();
    assert_eq!(scene.file.glance().unwrap().as_deref(), Some("two and more\n"));
}

#[test]
fn bytes_that_are_no_text_are_left_as_they_are() {
    let mut scene = scene("one\n");
    fs::write(&scene.path, b"\xff\xfe\x00").unwrap();
    assert!(matches!(scene.file.read(), Err(KeeperError::NotText(_))));
    assert!(matches!(scene.file.write(&"one\n".into(), &"two\n".into()), Err(KeeperError::NotText(_))));
    assert_eq!(fs::read(&scene.path).unwrap(), b"\xff\xfe\x00");
    assert_eq!(names(scene.folder.path()), ["plan.md"]);
}

#[test]
fn a_file_beyond_the_limit_is_neither_read_nor_replaced() {
    let mut scene = scene("one\n");
    let options = Options { limit: 10, ..quick() };
    scene.file = StoredFile::open(&scene.path, options).unwrap().file;
    fs::write(&scene.path, "eleven bytes").unwrap();
    assert!(matches!(scene.file.read(), Err(KeeperError::TooLarge { length: 12, limit: 10 })));
    assert!(matches!(scene.file.write(&"one\n".into(), &"two\n".into()), Err(KeeperError::TooLarge { .. })));
    assert_eq!(fs::read_to_string(&scene.path).unwrap(), "eleven bytes");
    assert!(matches!(
        scene.file.write(&"one\n".into(), &"also too long".into()),
        Err(KeeperError::TooLarge { .. })
    ));
}

#[test]
fn a_flush_brings_both_sides_together() {
    let mut scene = scene("# Plan\n\nend\n");
    let (person, agent) = (Author::new("person"), Author::new("agent"));
    let mut in_file = SharedText::from("# Plan\n\nend\n");
    let mut document = Document::open(&*in_file, &person);
    document.edit(8..8, "answer\n", &agent).unwrap();
    fs::write(&scene.path, "# The plan\n\nend\n").unwrap();
    let flushed = flush(&mut document, &mut in_file, &mut scene.file, &person).unwrap();
    assert_eq!((flushed.absorbed, flushed.written), (1, 1));
    assert_eq!(fs::read_to_string(&scene.path).unwrap(), "# The plan\n\nanswer\nend\n");
}

#[test]
fn what_is_left_over_only_ever_adds() {
    assert_eq!(united("a\nb\n", "a\nc\n"), "a\nb\nc\n");
    assert_eq!(united("a\nagent\nb\n", "a\nb\nperson\n"), "a\nagent\nb\nperson\n");
    assert_eq!(united("a\nb\n", ""), "a\nb\n");
    assert_eq!(united("", "a"), "a\n");
    assert_eq!(united("a", "b"), "a\nb\n");
    assert_eq!(united("x\ny\n", "x"), "x\ny\n");
}

#[test]
#[cfg(target_os = "linux")]
fn a_local_file_system_can_do_all_that_is_asked() {
    let all = Capabilities { exchange: true, no_replace: true, lease: true, sync_folder: true };
    for folder in [tempfile::tempdir().unwrap(), tempfile::tempdir_in("/dev/shm").unwrap()] {
        assert_eq!(capabilities(folder.path()).unwrap(), all);
        assert_eq!(names(folder.path()), [""; 0]);
    }
}

#[test]
fn a_new_file_without_words_is_waited_for_and_believed_if_it_stays_so() {
    let Scene { folder: _folder, path, mut file } = scene("one\ntwo\n");
    // An editor that moved the old file aside and has made the new one, and is stopped before it opens it for writing.
    fs::rename(&path, path.with_extension("old")).unwrap();
    drop(fs::File::create(&path).unwrap());
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(Duration::from_millis(60));
            fs::write(&path, "one\ntwo\nthree\n").unwrap();
        });
        assert_eq!(file.read().unwrap().as_deref(), Some("one\ntwo\nthree\n"));
    });
    fs::write(&path, "").unwrap();
    assert_eq!(file.read().unwrap().as_deref(), Some(""));
}
