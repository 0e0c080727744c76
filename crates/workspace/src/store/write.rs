//! The steps of one replacement: a whole new file beside the old one, on the disk for good, exchanged with it in one step, and
//! then a look at what came out. Never removes what came out before it was read.

use std::io;
use std::path::{Path, PathBuf};

use super::disk::{Disk, Kind, Like};
use super::file::{Remark, StoredFile, failed, refused};
use super::held::Held;
use super::name::IN_PLACE;
use super::quiet::Pauses;
use crate::SharedText;
use crate::keeper::{Displaced, KeeperError};

/// How many names are tried that files of an earlier process may have taken.
const NAMES_MAX: usize = 1000;

/// One replacement: the text that is expected in the file and the one that comes in its place.
#[derive(Clone, Copy)]
struct Replacement<'t> {
    expected: &'t SharedText,
    text: &'t SharedText,
}

/// A replacement that is ready to be made.
pub(crate) struct Prepared {
    /// The new file; none if the old one is to be written in place.
    whole: Option<PathBuf>,
}

impl<D: Disk> StoredFile<D> {
    pub(super) fn replace(
        &mut self,
        expected: &SharedText,
        text: &SharedText,
    ) -> Result<Displaced, KeeperError> {
        let prepared = self.prepare(expected, text)?;
        self.put_in(prepared, expected, text)
    }

    /// All of a replacement that changes nothing that anybody else sees.
    pub(crate) fn prepare(
        &mut self,
        expected: &SharedText,
        text: &SharedText,
    ) -> Result<Prepared, KeeperError> {
        let length = text.len() as u64;
        if length > self.options.limit {
            return Err(KeeperError::TooLarge { length, limit: self.options.limit });
        }
        let look = self.wait_for_name()?;
        self.check(&look)?;
        if look.links > 1 || !look.keeps_owner {
            return Ok(Prepared { whole: None });
        }
        let sums = [expected.sum().value(), text.sum().value()];
        let path = self.path.clone();
        let whole = match self.make(sums, Like::File(&path), text) {
            Err(KeeperError::Io(error)) if is_full(&error) && self.make_room() => {
                self.make(sums, Like::File(&path), text)?
            }
            made => made?,
        };
        Ok(Prepared { whole: Some(whole) })
    }

    /// Does what was prepared for these very texts.
    pub(crate) fn put_in(
        &mut self,
        Prepared { whole }: Prepared,
        expected: &SharedText,
        text: &SharedText,
    ) -> Result<Displaced, KeeperError> {
        let replacement = Replacement { expected, text };
        match whole {
            None => self.write_in_place(replacement),
            Some(whole) if self.can_exchange => self.exchange(whole, replacement),
            Some(whole) => self.compare_and_rename(&whole, replacement),
        }
    }

    /// Drops what was prepared.
    pub(crate) fn abandon(&self, prepared: Prepared) {
        if let Some(whole) = prepared.whole {
            self.discard_quietly(&whole);
        }
    }

    /// A new file with this text, durable under a name that says that it is whole.
    pub(super) fn make(
        &mut self,
        known: [u64; 2],
        like: Like<'_>,
        text: &str,
    ) -> Result<PathBuf, KeeperError> {
        for _ in 0..NAMES_MAX {
            self.generation += 1;
            let (unfinished, whole) = self.names.of(self.generation, known);
            let (unfinished, whole) = (self.folder.join(unfinished), self.folder.join(whole));
            match self.disk.create(&unfinished, like, text.as_bytes()) {
                // A process of our number was here before. It is not ours to remove.
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                made => made.and_then(|()| self.give_name(&unfinished, &whole)),
            }
            .map_err(|error| {
                self.discard_quietly(&unfinished);
                failed("write", &self.path, &error)
            })?;
            return Ok(whole);
        }
        Err(failed("write", &self.path, &io::ErrorKind::AlreadyExists.into()))
    }

    /// Says by its name that a file is whole.
    fn give_name(&self, unfinished: &Path, whole: &Path) -> io::Result<()> {
        match self.disk.place(unfinished, whole) {
            // No renaming without replacing here; the name is new, so that nothing is there to be replaced.
            Err(error) if is_unsupported(&error) => self.disk.rename(unfinished, whole),
            placed => placed,
        }
    }

    fn exchange(&mut self, whole: PathBuf, replacement: Replacement<'_>) -> Result<Displaced, KeeperError> {
        let Replacement { expected, text } = replacement;
        // Whoever writes in it once it is in its place changes this.
        let look = self.disk.look(&whole).ok();
        let mut pauses = Pauses::within(self.options.patience.missing);
        while let Err(error) = self.disk.exchange(&whole, &self.path) {
            if error.kind() == io::ErrorKind::NotFound && pauses.pause() {
                continue;
            }
            if is_unsupported(&error) {
                self.can_exchange = false;
                self.remarks.push(Remark::NoExchange(self.path.clone()));
                return self.compare_and_rename(&whole, replacement);
            }
            self.discard_quietly(&whole);
            return Err(failed("replace", &self.path, &error));
        }
        // From here on `whole` names what stood in the file, and only a look tells whose words those are. Until the caller
        // has heard, an error makes the next read tell everything again.
        self.forget();
        if self.disk.look(&whole).is_ok_and(|look| look.kind != Kind::File) {
            return Err(self.put_back(&whole, text, refused("is no regular file any more")));
        }
        let synced = self.disk.sync_folder(&self.folder);
        let file = match self.disk.open(&whole) {
            Ok(file) => file,
            Err(error) => {
                let error = failed("read", &whole, &error);
                self.unopened.push(whole);
                return Err(error);
            }
        };
        let came_out = self.other_than(Some(expected), &file);
        if let Err(error @ (KeeperError::NotText(_) | KeeperError::TooLarge { .. })) = came_out {
            return Err(self.put_back(&whole, text, error));
        }
        let heard = synced.map_err(|error| failed("replace", &self.path, &error)).and(came_out);
        let came_out = match heard {
            Ok(came_out) => came_out,
            Err(error) => {
                self.held.push(Held::unread(whole, file));
                return Err(error);
            }
        };
        self.settle_on(text, look);
        self.let_go_of_absorbed();
        match came_out {
            Some(save) => {
                self.hold(Held::named(whole, file, &save));
                Ok(Displaced::Save(save))
            }
            None => {
                self.discard_quietly(&whole);
                self.hold(Held::nameless(file, expected));
                Ok(Displaced::AsExpected)
            }
        }
    }

    /// Gives the file back what must not be replaced, and looks at what came out then.
    fn put_back(&mut self, whole: &Path, text: &str, error: KeeperError) -> KeeperError {
        if let Err(error) = self.disk.exchange(whole, &self.path) {
            return failed("put back", &self.path, &error);
        }
        let Ok(file) = self.disk.open(whole) else {
            self.unopened.push(whole.to_owned());
            return error;
        };
        if self.other_than(Some(text), &file).is_ok_and(|other| other.is_none()) {
            self.discard_quietly(whole);
        } else {
            self.held.push(Held::unread(whole.to_owned(), file));
        }
        error
    }

    /// Where files cannot be exchanged: read once more, and replace only what the caller knows.
    fn compare_and_rename(
        &mut self,
        whole: &Path,
        Replacement { expected, text }: Replacement<'_>,
    ) -> Result<Displaced, KeeperError> {
        let (file, current) = match self.current() {
            Ok(current) => current,
            Err(error) => {
                self.discard_quietly(whole);
                return Err(error);
            }
        };
        if let Some(save) = self.unknown(&current, expected) {
            self.discard_quietly(whole);
            return Ok(save);
        }
        let look = self.disk.look(whole).ok();
        if let Err(error) = self.disk.rename(whole, &self.path) {
            self.discard_quietly(whole);
            return Err(failed("replace", &self.path, &error));
        }
        self.forget();
        self.hold(Held::nameless(file, &current));
        self.disk.sync_folder(&self.folder).map_err(|error| failed("replace", &self.path, &error))?;
        self.settle_on(text, look);
        self.let_go_of_absorbed();
        Ok(Displaced::AsExpected)
    }

    /// For a file with several names, or of another owner, which a new file would not have. A copy stays until all is written.
    fn write_in_place(&mut self, replacement: Replacement<'_>) -> Result<Displaced, KeeperError> {
        let Replacement { expected, text } = replacement;
        let remark = Remark::InPlace(self.path.clone());
        if !self.remarks.contains(&remark) {
            self.remarks.push(remark);
        }
        let (file, current) = self.current()?;
        drop(file);
        if let Some(save) = self.unknown(&current, expected) {
            return Ok(save);
        }
        let copy = self.make(IN_PLACE, Like::Private, &current)?;
        self.forget();
        if let Err(error) = self.disk.overwrite(&self.path, text.as_bytes()) {
            let restored = self.disk.overwrite(&self.path, current.as_bytes());
            if restored.is_ok() {
                self.discard_quietly(&copy);
            }
            return Err(failed("write", &self.path, &error));
        }
        // Nobody can tell whether it was us who wrote last.
        self.settle_on(text, None);
        self.written = self.disk.look(&self.path).ok().map(|look| (look, text.sum().value()));
        self.let_go_of_absorbed();
        self.discard_quietly(&copy);
        Ok(Displaced::AsExpected)
    }

    /// What is in the file, if the caller has never seen it. It is not replaced this time; next time it is known.
    fn unknown(&mut self, current: &SharedText, expected: &SharedText) -> Option<Displaced> {
        let sum_current = current.sum().value();
        if current == expected || self.given == Some(sum_current) {
            return None;
        }
        self.given = Some(sum_current);
        self.forget();
        Some(Displaced::Save(current.to_string()))
    }

    /// A file of ours that holds nothing new. If it cannot be removed now, it is compared and removed at the next opening.
    pub(super) fn discard_quietly(&self, path: &Path) {
        drop(self.disk.remove(path));
    }
}

/// Whether there was no room.
pub(crate) fn is_full(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
}

fn is_unsupported(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::Unsupported | io::ErrorKind::InvalidInput)
}
