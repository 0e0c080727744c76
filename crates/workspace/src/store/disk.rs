//! The few things that the store asks of a file system, so that tests can put a simulated one in its place.
//! Never waits and never decides: an answer is what was there at one moment.

use std::io;
use std::path::{Path, PathBuf};

/// A file system.
pub trait Disk: Send + 'static {
    /// An open file. It stays readable when its name is gone.
    type File: Send + 'static;

    /// The path without any link in it.
    fn resolve(&self, path: &Path) -> io::Result<PathBuf>;

    /// What stands at a path; a link is not followed.
    fn look(&self, path: &Path) -> io::Result<Look>;

    /// Opens a file for reading. Never blocks on a pipe, and never follows a link.
    fn open(&self, path: &Path) -> io::Result<Self::File>;

    /// Reads an open file from its beginning, if nobody is writing it.
    fn glimpse(&self, file: &Self::File, limit: u64) -> io::Result<Glimpse>;

    /// Shows the content of an open file piece by piece, as long as `wants` it. True if all was shown and nobody was writing meanwhile,
    /// for certain; where that cannot be told it is false, and [`glimpse`](Disk::glimpse) is the way.
    fn show(&self, file: &Self::File, wants: &mut dyn FnMut(&[u8]) -> bool) -> io::Result<bool> {
        let _ = (file, wants);
        Ok(false)
    }

    /// Makes a new file, and brings its content to the disk for good.
    fn create(&self, path: &Path, like: Like<'_>, bytes: &[u8]) -> io::Result<()>;

    /// Writes over a file where it is, and brings the content to the disk for good.
    fn overwrite(&self, path: &Path, bytes: &[u8]) -> io::Result<()>;

    /// Two files change names in one step.
    fn exchange(&self, one: &Path, other: &Path) -> io::Result<()>;

    /// Renames a file, unless the new name is taken.
    fn place(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Renames a file, whatever stood at the new name.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;

    /// Removes a name.
    fn remove(&self, path: &Path) -> io::Result<()>;

    /// Brings the names in a folder to the disk for good.
    fn sync_folder(&self, folder: &Path) -> io::Result<()>;

    /// The names in a folder.
    fn names(&self, folder: &Path) -> io::Result<Vec<String>>;

    /// Whether another process of this number is running.
    fn is_running(&self, process: u32) -> bool;
}

/// What stood at a path at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// What it is.
    pub kind: Kind,
    /// The number of the file system it is on.
    pub device: u64,
    /// Its number in that file system; zero where there is none.
    pub inode: u64,
    /// Its length in bytes.
    pub size: u64,
    /// When its content changed last, in nanoseconds since 1970.
    pub modified: i128,
    /// How many names it has.
    pub links: u64,
    /// We may write it, and it does not say that nobody should.
    pub is_writable: bool,
    /// A new file of ours can have the same owner and group.
    pub keeps_owner: bool,
}

/// What a path can lead to, as far as it matters here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A link.
    Link,
    /// A pipe, a device or a socket.
    Other,
}

/// What one try to read gave.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Glimpse {
    /// Nobody was writing while this was read.
    Quiet(Vec<u8>),
    /// Somebody has the file open for writing.
    Busy,
    /// This file system cannot tell whether somebody is writing.
    Unsure(Vec<u8>, Look),
    /// The file has this many bytes, which is more than the limit.
    TooLong(u64),
}

/// Who may use a new file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Like<'p> {
    /// Those who may use that one: with its mode, owner, attributes and access list.
    File(&'p Path),
    /// Those who may use any new file of this user.
    New,
    /// Its owner alone.
    Private,
}
