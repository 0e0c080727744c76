//! How the working folder goes from one command to the next: the shell writes it down when it ends. Never trusts the note: a
//! command can write there what it likes.

use std::fs;
use std::io::Read as _;
use std::os::unix::ffi::OsStringExt as _;
use std::path::{Path, PathBuf};

use rustix::fs::{Mode, OFlags, open};

/// The longest path that a system takes.
const PATH_MAX: u64 = 4096;

/// Runs its first argument as it is, and notes the folder at the end.
pub(super) fn script(note: &Path) -> String {
    let note = quoted(&quoted(&note.display().to_string()));
    // `>|` also if the command turned on the protection of files.
    format!("trap 'pwd -P >|'{note} EXIT; eval \"$1\"")
}

/// What the note says. The note is gone then.
pub(super) fn taken(note: &Path) -> Option<PathBuf> {
    // Neither a link nor a pipe that someone put there is followed or waited for.
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = fs::File::from(open(note, flags, Mode::empty()).ok()?);
    let is_plain = file.metadata().is_ok_and(|metadata| metadata.is_file());
    let mut text = Vec::new();
    let read = file.take(PATH_MAX).read_to_end(&mut text);
    fs::remove_file(note).ok();
    if !is_plain || read.is_err() {
        return None;
    }
    if text.last() == Some(&b'\n') {
        text.pop();
    }
    let path = PathBuf::from(std::ffi::OsString::from_vec(text));
    path.is_absolute().then_some(path)
}

/// One word for a shell, whatever is in it.
fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
