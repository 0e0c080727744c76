//! A file system that can neither exchange files nor tell who is writing: slower, and said so, but no half save is believed.

use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use workspace::keeper::{Displaced, Keeper as _, KeeperError};
use workspace::store::{Disk, Glimpse, Like, Look, Options, Patience, RealDisk, Remark, StoredFile};

struct PlainDisk(RealDisk);

impl Disk for PlainDisk {
    type File = PathBuf;

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        self.0.resolve(path)
    }

    fn look(&self, path: &Path) -> io::Result<Look> {
        self.0.look(path)
    }

    fn open(&self, path: &Path) -> io::Result<PathBuf> {
        self.0.open(path).map(|_| path.to_owned())
    }

    fn glimpse(&self, file: &PathBuf, _: u64) -> io::Result<Glimpse> {
        Ok(Glimpse::Unsure(std::fs::read(file)?, self.0.look(file)?))
    }

    fn create(&self, path: &Path, like: Like<'_>, bytes: &[u8]) -> io::Result<()> {
        self.0.create(path, like, bytes)
    }

    fn overwrite(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        self.0.overwrite(path, bytes)
    }

    fn exchange(&self, _: &Path, _: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn place(&self, _: &Path, _: &Path) -> io::Result<()> {
        Err(io::ErrorKind::InvalidInput.into())
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.0.rename(from, to)
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.0.remove(path)
    }

    fn sync_folder(&self, folder: &Path) -> io::Result<()> {
        self.0.sync_folder(folder)
    }

    fn names(&self, folder: &Path) -> io::Result<Vec<String>> {
        self.0.names(folder)
    }

    fn is_running(&self, process: u32) -> bool {
        self.0.is_running(process)
    }
}

fn open(folder: &Path, text: &str) -> (PathBuf, StoredFile<PlainDisk>) {
    let path = folder.join("plan.md");
    std::fs::write(&path, text).unwrap();
    let patience = Patience {
        stable: Duration::from_millis(10),
        truncated: Duration::from_millis(200),
        ..Patience::default()
    };
    let options = Options { patience, ..Options::default() };
    let file = StoredFile::open_on(PlainDisk(RealDisk), &path, options).unwrap().file;
    (path, file)
}

#[test]
fn a_save_is_seen_before_it_would_be_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let (path, mut file) = open(folder.path(), "one\n");
    assert_eq!(file.write(&"one\n".into(), &"two\n".into()).unwrap(), Displaced::AsExpected);
    assert!(matches!(file.remarks()[..], [Remark::NoExchange(_)]));
    std::fs::write(&path, "saved\n").unwrap();
    assert_eq!(
        file.write(&"two\n".into(), &"three\n".into()).unwrap(),
        Displaced::Save("saved\n".to_owned())
    );
    assert_eq!(file.read().unwrap().as_deref(), Some("saved\n"));
    assert_eq!(file.write(&"saved\n".into(), &"both\n".into()).unwrap(), Displaced::AsExpected);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "both\n");
    assert_eq!(crate::store::names(folder.path()), ["plan.md"]);
}

#[test]
fn an_emptied_or_cut_off_file_is_not_believed_at_once() {
    for cut in ["", "one\n"] {
        let folder = tempfile::tempdir().unwrap();
        let (path, mut file) = open(folder.path(), "one\ntwo\n");
        std::fs::write(&path, cut).unwrap();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(60));
                std::fs::write(&path, "one\ntwo\nthree\n").unwrap();
            });
            assert_eq!(file.read().unwrap().as_deref(), Some("one\ntwo\nthree\n"));
        });
        // If it stays so, somebody meant it.
        std::fs::write(&path, cut).unwrap();
        let begun = Instant::now();
        let read = file.read().unwrap();
        assert_eq!(read.as_deref(), Some(cut));
        assert!(begun.elapsed() >= Duration::from_millis(200));
    }
}

#[test]
fn a_file_that_never_stands_still_is_busy() {
    let folder = tempfile::tempdir().unwrap();
    let (path, mut file) = open(folder.path(), "one\n");
    let is_over = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut text = "one\n".to_owned();
            while !is_over.load(std::sync::atomic::Ordering::SeqCst) {
                text.push('x');
                std::fs::write(&path, &text).unwrap();
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        let read = file.read();
        is_over.store(true, std::sync::atomic::Ordering::SeqCst);
        // On a slow machine the writer may pause for long enough to be believed.
        assert!(matches!(read, Err(KeeperError::Busy) | Ok(Some(_))), "{read:?}");
    });
}
