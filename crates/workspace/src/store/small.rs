//! A small file of our own, such as the state of a run: replaced whole, and on the disk when that is said. Never merges anything into
//! it: nobody but us writes such a file.

use std::io;
use std::path::{Path, PathBuf};

use crate::private;

/// Gives the file at `path` these bytes; a crash leaves the old ones or the new ones. Makes it if it is not there.
///
/// # Errors
///
/// [`io::Error`] if it cannot be written; then it is what it was.
pub fn replace_small(path: &Path, bytes: &[u8]) -> io::Result<()> {
    private::replace(path, bytes)
}

/// Keeps bytes that cannot be used under a free name beside `path`.
///
/// # Errors
///
/// [`io::Error`] if there is no room for them.
pub fn set_aside(path: &Path, bytes: &[u8]) -> io::Result<PathBuf> {
    private::keep_aside(path, bytes)
}
