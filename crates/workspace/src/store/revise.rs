//! A new text for a file that has no owner, together with whatever is saved in it meanwhile. Never writes over a text that the caller
//! does not know.

use std::path::Path;
use std::time::Duration;

use document::{Author, Document};

use super::file::{Opened, Options, StoredFile, refused};
use super::flush::{Flushed, flush};
use super::leftover::united;
use crate::SharedText;
use crate::journal::edits_between;
use crate::keeper::KeeperError;

/// How often a program that saves without pause is waited for.
const ATTEMPTS_MAX: usize = 4;
/// How often a file is looked at again after a save that raced us, how often at most, and how long to wait before each look.
const LOOKS: usize = 10;
const LOOKS_MAX: usize = 100;
const PAUSE: Duration = Duration::from_millis(10);

/// What came of a new text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Revised {
    /// It is in the file, with what others saved there in the same moment.
    Written,
    /// The file is not what the caller knows, and was left alone.
    Changed,
}

/// Gives the file at `path`, which has no link in it, a new text if it holds what the caller expects. What a dead process left
/// beside it is taken in first; then it is another file than the caller knows.
///
/// # Errors
///
/// [`KeeperError`] if the file cannot be read or written.
pub fn revise(path: &Path, is_expected: &dyn Fn(&str) -> bool, text: &str) -> Result<Revised, KeeperError> {
    let Opened { mut file, text: mut in_file, leftovers, .. } = StoredFile::open(path, Options::default())?;
    if file.path() != path {
        return Err(refused("lies behind a link by now; name the file itself"));
    }
    let (person, agent) = (Author::new("person"), Author::new("agent"));
    let mut document = Document::open(&*in_file, &person);
    for leftover in &leftovers {
        let whole = united(document.text(), leftover);
        document.absorb_displaced(&whole, &person);
    }
    let is_known = leftovers.is_empty() && is_expected(&in_file);
    if leftovers.is_empty() && !(is_known && document.repeat(&edits_between(&in_file, text), &agent)) {
        return Ok(Revised::Changed);
    }
    let mut settle = || settled(&mut document, &mut in_file, &mut file, &person);
    let mut looks = if settle()?.written > 1 { LOOKS } else { 0 };
    // A save raced us, so that for a moment our text stood there without it. Who loaded that may save it just now.
    for _ in 0..LOOKS_MAX {
        if looks == 0 {
            break;
        }
        std::thread::sleep(PAUSE);
        looks = if settle()?.written > 1 { LOOKS } else { looks - 1 };
    }
    file.leftovers_absorbed()?;
    Ok(if is_known { Revised::Written } else { Revised::Changed })
}

/// Brings both together, also if somebody saves without pause for a while.
fn settled(
    document: &mut Document,
    in_file: &mut SharedText,
    file: &mut StoredFile,
    person: &Author,
) -> Result<Flushed, KeeperError> {
    let mut attempts = 1;
    loop {
        match flush(document, in_file, file, person) {
            Err(KeeperError::Busy) if attempts < ATTEMPTS_MAX => attempts += 1,
            flushed => return flushed,
        }
    }
}
