//! From a name on the command line to text. Never decodes with loss, and never reads without end.

use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use document::text::{InvalidText, decode_owned};

use crate::refusal::Refusal;

/// The longest text that is taken. Beyond it nobody writes, and memory is not endless.
const BYTES_MAX: u64 = 64 * 1024 * 1024;

/// How many bytes are taken for the beginning of a file.
const BEGINNING: u64 = 16 * 1024;

/// The name that means standard input, or standard output where something is written.
pub(crate) const STANDARD: &str = "-";

/// Whether `path` means standard input or output.
pub(crate) fn is_standard(path: &Path) -> bool {
    path == Path::new(STANDARD)
}

/// How `path` is called in messages.
pub(crate) fn shown(path: &Path) -> String {
    if is_standard(path) { "standard input".to_owned() } else { path.display().to_string() }
}

/// The text of the file at `path`, or of standard input if it is `-`.
pub(crate) fn read(path: &Path) -> Result<String> {
    let name = shown(path);
    let bytes = if is_standard(path) {
        limited(std::io::stdin().lock(), 0, &name)?
    } else {
        if path.is_dir() {
            let remedy = "name a markdown file in it";
            return Err(Refusal::new(format!("{name} is a folder"), remedy).into());
        }
        let file = File::open(path).map_err(|error| unreadable(&name, error))?;
        let length = file.metadata().map_or(0, |metadata| metadata.len());
        limited(file, length, &name)?
    };
    Ok(decode_owned(bytes).map_err(|invalid| undecodable(&name, &invalid))?)
}

/// The beginning of the file at `path`, which holds all that a frontmatter says unless that is very long.
pub(crate) fn beginning(path: &Path) -> Result<String> {
    let file = File::open(path).map_err(|error| unreadable(&shown(path), error))?;
    let mut bytes = Vec::new();
    match file.take(BEGINNING).read_to_end(&mut bytes) {
        // The last character may be cut in two.
        Ok(_) => Ok(bytes.utf8_chunks().next().map_or_else(String::new, |chunk| chunk.valid().to_owned())),
        // A folder, for example: whoever reads all of it says so.
        Err(_) => Ok(String::new()),
    }
}

/// The path from the top of a file that is there, with links followed.
pub(crate) fn whole(path: &Path) -> Result<PathBuf> {
    let name = shown(path);
    let whole = path.canonicalize().map_err(|error| unreadable(&name, error))?;
    if whole.is_dir() {
        return Err(Refusal::new(format!("{name} is a folder"), "name a markdown file in it").into());
    }
    Ok(whole)
}

/// All bytes of `from`, unless they are too many. About `length` are expected.
fn limited(from: impl Read, length: u64, name: &str) -> Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(usize::try_from(length.min(BYTES_MAX)).unwrap_or_default() + 1);
    let remedy = "look whether the disk or the connection it lies on still works";
    from.take(BYTES_MAX + 1)
        .read_to_end(&mut bytes)
        .with_context(|| Refusal::new(format!("cannot read {name}"), remedy))?;
    if bytes.len() as u64 > BYTES_MAX {
        let what = format!("{name} is larger than {} MiB", BYTES_MAX / 1024 / 1024);
        return Err(Refusal::new(what, "split it; agent-doc works on texts that people write").into());
    }
    Ok(bytes)
}

fn unreadable(name: &str, error: std::io::Error) -> anyhow::Error {
    let remedy = match error.kind() {
        ErrorKind::NotFound => {
            let remedy = "check the path, and the folder you are in";
            return Refusal::new(format!("{name} does not exist"), remedy).into();
        }
        ErrorKind::PermissionDenied => "ask its owner for permission to read it",
        _ => "check the path",
    };
    anyhow::Error::new(error).context(Refusal::new(format!("cannot read {name}"), remedy))
}

fn undecodable(name: &str, invalid: &InvalidText) -> Refusal {
    match invalid {
        InvalidText::Utf16 => Refusal::new(format!("{name} is UTF-16"), "save it as UTF-8 and try again"),
        InvalidText::InvalidUtf8 { offset, line } => Refusal::new(
            format!("{name}: line {line}: byte {offset} is not UTF-8"),
            "save the file as UTF-8 or remove that byte",
        ),
        InvalidText::Nul { offset, line } => Refusal::new(
            format!("{name}: line {line}: byte {offset} is NUL, so this is no text file"),
            "restore the file or remove that byte",
        ),
    }
}
