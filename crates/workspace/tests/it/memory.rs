//! A folder in memory, for tests that wait for the disk thousands of times.

use std::path::Path;

use tempfile::TempDir;

pub(crate) fn folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    let made = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    made.or_else(|_| tempfile::tempdir()).unwrap()
}
