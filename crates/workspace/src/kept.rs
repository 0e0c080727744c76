//! A long text that is kept on the disk, and beside it the edits that made a later text of it, because to write all of it anew is most
//! of what a short answer costs. Never loses a text to a crash: each of the two files is replaced whole, and edits count only on the
//! very text that they were made for.

mod changes;
mod label;

use std::fs::{self, File};
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use document::Edit;

use crate::checksum::LongSum;
use crate::journal::edits_between;
use crate::private;
use changes::Changes;

/// How much is read at a time where the whole text is not needed.
const PIECE: usize = 64 << 10;
/// How the name of the file ends that holds the edits.
pub(crate) const CHANGES: &str = "edits";
/// A text of fewer bytes is written anew each time.
const CHANGED_MIN: u64 = 64 << 10;
/// Edits may hold this part of what the text has in bytes.
const CHANGES_PART: u64 = 8;
/// So many edits are kept: each of them moves what stands behind it when the text is read.
const EDITS_MAX: usize = 256;

/// Where a text is kept.
#[derive(Debug, Clone)]
pub(crate) struct KeptText {
    path: PathBuf,
}

/// When what is kept is on the disk for good.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum When {
    Now,
    /// With the next file that is put into the folder, because it matters only together with that one.
    Next,
}

/// A text that was looked at. Its files are open, so that it can be told from every later one without reading either.
#[derive(Debug)]
pub(crate) struct Seen {
    file: File,
    /// The file that may hold edits.
    beside: Option<File>,
    changes: Option<Changes>,
    fingerprint: String,
}

impl Seen {
    /// The [`fingerprint`](crate::pending::fingerprint) of the text.
    pub(crate) fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// What makes `text`, whose fingerprint is this, of the text that was seen; none if the text is better kept as a whole.
    pub(crate) fn edits_to(&self, fingerprint: &str, text: &str) -> io::Result<Option<Vec<Edit>>> {
        if self.fingerprint == fingerprint {
            return Ok(Some(Vec::new()));
        }
        if self.file.metadata()?.len() < CHANGED_MIN {
            return Ok(None);
        }
        let edits = self.text()?.map(|before| edits_between(&before, text));
        Ok(edits.filter(|edits| edits.len() <= EDITS_MAX))
    }

    /// The text; none if it is none.
    fn text(&self) -> io::Result<Option<String>> {
        let mut text = String::new();
        let mut file = &self.file;
        file.seek(SeekFrom::Start(0))?;
        match file.read_to_string(&mut text) {
            Err(error) if error.kind() == ErrorKind::InvalidData => Ok(None),
            Err(error) => Err(error),
            Ok(_) => Ok(match &self.changes {
                Some(changes) => changes.applied_to(text),
                None => Some(text),
            }),
        }
    }
}

impl When {
    fn replace(
        self,
        path: &Path,
        parts: &[&[u8]],
        prepare: impl FnOnce(&File) -> io::Result<()>,
    ) -> io::Result<()> {
        let replaced = match self {
            When::Now => private::replace_with(path, parts, prepare),
            When::Next => private::replace_named(path, parts, prepare),
        };
        replaced.map(drop)
    }
}

impl KeptText {
    /// The text that is kept at `path`.
    pub(crate) fn at(path: &Path) -> KeptText {
        KeptText { path: path.to_owned() }
    }

    /// Where it is kept.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// The files that it may take. Neither is ever written in place.
    pub(crate) fn files(&self) -> [PathBuf; 2] {
        [self.path.clone(), self.beside()]
    }

    /// The text, if there is one. What is no text is an error of the kind [`ErrorKind::InvalidData`].
    pub(crate) fn get(&self) -> io::Result<Option<String>> {
        let Some(mut file) = opened(&self.path)? else { return Ok(None) };
        let mut text = String::new();
        file.read_to_string(&mut text)?;
        match self.changes()? {
            Some((_, changes)) if changes.before == fingerprint_of(&[&text]) => {
                changes.applied_to(text).map(Some).ok_or(ErrorKind::InvalidData.into())
            }
            Some(_) | None => Ok(Some(text)),
        }
    }

    /// What is kept now, if there is anything.
    pub(crate) fn look(&self) -> io::Result<Option<Seen>> {
        let Some(mut file) = opened(&self.path)? else { return Ok(None) };
        let of_file = match label::of(&file) {
            Some(fingerprint) => fingerprint,
            None => summed(&mut file)?,
        };
        let (beside, changes) = match self.changes() {
            Ok(found) => found.unzip(),
            // It does not count, as long as nobody wants the text.
            Err(error) if error.kind() == ErrorKind::InvalidData => (opened(&self.beside())?, None),
            Err(error) => return Err(error),
        };
        let changes = changes.filter(|changes| changes.before == of_file);
        let fingerprint = changes.as_ref().map_or(of_file, |changes| changes.after.clone());
        Ok(Some(Seen { file, beside, changes, fingerprint }))
    }

    /// The edits that are kept beside the text, and their file.
    fn changes(&self) -> io::Result<Option<(File, Changes)>> {
        let Some(mut file) = opened(&self.beside())? else { return Ok(None) };
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes)?;
        Changes::read(&bytes).map(|changes| Some((file, changes)))
    }

    /// Whether what is kept is what was seen then, and nothing is kept if nothing was.
    pub(crate) fn is_still(&self, seen: Option<&Seen>) -> io::Result<bool> {
        let Some(seen) = seen else { return Ok(!fs::exists(&self.path)?) };
        let is_as_changed = match &seen.beside {
            Some(file) => private::is_under(&self.beside(), file)?,
            None => !fs::exists(self.beside())?,
        };
        Ok(is_as_changed && private::is_under(&self.path, &seen.file)?)
    }

    /// Keeps a text, given in parts, instead of what was kept before.
    pub(crate) fn set(&self, parts: &[&str], when: When) -> io::Result<()> {
        let (beside, fingerprint) = (self.beside(), fingerprint_of(parts));
        // Edits of this very text would count again. Without them, what is kept is this text already.
        if self.changes().is_ok_and(|found| found.is_some_and(|(_, changes)| changes.before == fingerprint)) {
            private::remove_all(&[&beside])?;
        }
        let bytes: Vec<&[u8]> = parts.iter().map(|part| part.as_bytes()).collect();
        when.replace(&self.path, &bytes, |file| {
            label::put(file, &fingerprint);
            Ok(())
        })?;
        private::forget_all(&[&beside]).map(drop)
    }

    /// Keeps what `edits`, one after another, make of the text that was seen here: a text with these parts.
    pub(crate) fn change(&self, seen: &Seen, edits: &[Edit], parts: &[&str], when: When) -> io::Result<()> {
        let after = fingerprint_of(parts);
        let changes = match &seen.changes {
            Some(changes) => changes.and(edits, after),
            None => Changes::new(&seen.fingerprint, edits, after),
        };
        let (bytes, length) = (changes.bytes()?, seen.file.metadata()?.len());
        let is_short = changes.count() <= EDITS_MAX && bytes.len() as u64 <= length / CHANGES_PART;
        if length >= CHANGED_MIN && is_short && self.is_still(Some(seen))? {
            when.replace(&self.beside(), &[&bytes], |_| Ok(()))
        } else {
            self.set(parts, when)
        }
    }

    /// Keeps the text that was seen, which is kept at `other`, here as well, as second names of its files. Whether that could be done.
    /// It is on the disk for good with the next file that is put into the folder.
    pub(crate) fn link(&self, other: &KeptText, seen: &Seen) -> io::Result<bool> {
        let ([text, beside], [its_text, its_beside]) = (self.files(), other.files());
        private::forget_all(&[&text, &beside])?;
        // Not every file system has second names; and another process may have replaced the text in this moment.
        let is_linked = fs::hard_link(its_text, text).is_ok()
            && (seen.beside.is_none() || fs::hard_link(its_beside, beside).is_ok());
        Ok(is_linked && self.is_still(Some(seen))?)
    }

    fn beside(&self) -> PathBuf {
        self.path.with_extension(CHANGES)
    }
}

fn opened(path: &Path) -> io::Result<Option<File>> {
    match File::open(path) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn fingerprint_of(parts: &[&str]) -> String {
    let mut sum = LongSum::default();
    parts.iter().for_each(|part| sum.add(part.as_bytes()));
    sum.hex128()
}

/// The fingerprint of what the file holds.
fn summed(file: &mut File) -> io::Result<String> {
    let (mut sum, mut room) = (LongSum::default(), vec![0; PIECE]);
    loop {
        let length = file.read(&mut room)?;
        match room.get(..length) {
            Some(piece) if length > 0 => sum.add(piece),
            Some(_) | None => return Ok(sum.hex128()),
        }
    }
}

#[cfg(test)]
mod tests;
