//! Contents by their fingerprint, and records by their number, in one folder for its owner alone. Never changes an object.

use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use super::Record;
use crate::files::{Fingerprint, Opened, opened, read_whole};
use crate::limits::CHECKPOINT_FILE_MAX;

pub(super) struct Objects {
    folder: PathBuf,
}

impl Objects {
    pub(super) fn open(folder: PathBuf) -> io::Result<Self> {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder.join("objects"))?;
        Ok(Self { folder })
    }

    /// Gives the name of the object.
    pub(super) fn keep(&self, content: &[u8]) -> io::Result<String> {
        let name = Fingerprint::of(content).hex();
        self.put(&self.folder.join("objects").join(&name), content)?;
        Ok(name)
    }

    /// Whether the file still is what it was said to be and is kept now.
    pub(super) fn keep_file(&self, path: &Path, fingerprint: &Fingerprint) -> io::Result<bool> {
        if self.folder.join("objects").join(fingerprint.hex()).exists() {
            return Ok(true);
        }
        let Opened::File(file, _) = opened(path)? else { return Ok(false) };
        let content = read_whole(file, CHECKPOINT_FILE_MAX)?;
        Ok(self.keep(&content)? == fingerprint.hex())
    }

    pub(super) fn content(&self, name: &str) -> io::Result<Vec<u8>> {
        fs::read(self.folder.join("objects").join(name))
    }

    /// Whether the number was free and is the record's now.
    pub(super) fn add(&self, record: &Record) -> io::Result<bool> {
        let temporary = self.written(&serde_json::to_vec(record)?)?;
        // A second name is given only if it is free, also among processes.
        let named = fs::hard_link(&temporary, self.place(record.id));
        fs::remove_file(&temporary)?;
        match named {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error),
        }
    }

    pub(super) fn record(&self, id: u64) -> io::Result<Record> {
        Ok(serde_json::from_slice(&fs::read(self.place(id))?)?)
    }

    pub(super) fn forget(&self, id: u64) -> io::Result<()> {
        fs::remove_file(self.place(id))
    }

    /// The numbers of all records, in order.
    pub(super) fn ids(&self) -> io::Result<Vec<u64>> {
        let entries = fs::read_dir(&self.folder)?.flatten();
        let mut ids: Vec<u64> = entries
            .filter_map(|entry| entry.file_name().to_str()?.strip_suffix(".json")?.parse().ok())
            .collect();
        ids.sort_unstable();
        Ok(ids)
    }

    fn place(&self, id: u64) -> PathBuf {
        self.folder.join(format!("{id:08}.json"))
    }

    /// Whole or not at all: a name is given to what is written and not before.
    fn put(&self, place: &Path, content: &[u8]) -> io::Result<()> {
        if place.exists() {
            return Ok(());
        }
        fs::rename(self.written(content)?, place)
    }

    /// A file without a name that anybody knows.
    fn written(&self, content: &[u8]) -> io::Result<PathBuf> {
        let temporary =
            self.folder.join(format!("{}-{:?}.tmp", std::process::id(), std::thread::current().id()));
        let mut file =
            OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&temporary)?;
        file.write_all(content)?;
        Ok(temporary)
    }
}
