//! Where the owner's document and the disk meet: what was left is taken up, saves are taken in, words are noted and written.
//! Never acknowledges anything; that is done when all of this is over.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use document::{Edit, Revision};

use super::Options;
use super::crowd::Crowd;
use super::desk::{Change, Desk};
use super::peer::Peers;
use super::requests::Requests;
use super::touched::Touched;
use crate::SharedText;
use crate::command::Actor;
use crate::event::ChangeKind;
use crate::journal::edits_between;
use crate::keeper::{Beginning, Displaced, Found, Keeper, KeeperError, Save};

/// How many saves in a row may race one write before it is put off.
const RACES_MAX: usize = 16;

/// From how many changes on the journal and the file are written at the same time: a thread more is worth it when many wait.
const TOGETHER_MIN: usize = 2;

/// Where a save was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    InFile,
    Displaced,
}

/// How closely the file is looked at before something is done.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// Somebody says that it changed, so all of it is compared.
    Whole,
    /// Its number, length and time tell enough.
    Glance,
}

impl Desk {
    /// Opens the document that the keeper keeps, with all that lies on the disk for it. A disk that cannot be written now is no
    /// reason not to open it: that is tried again.
    pub(super) fn open(
        path: Arc<str>,
        mut keeper: Box<dyn Keeper>,
        options: Options,
    ) -> Result<Self, KeeperError> {
        let Beginning { document, revision, written, requests, displaced, in_file, found } =
            keeper.begin(&options.person)?;
        let mut desk = Self {
            path,
            written,
            perhaps: revision,
            document,
            revision,
            touched: Touched::new(revision),
            requests: Requests::of(&requests),
            streams: BTreeMap::new(),
            next_stream: 0,
            peers: Peers::default(),
            options,
            keeper,
            in_file,
            unnoted: Vec::new(),
            untold: Vec::new(),
            trouble: None,
            structure: None,
            shared: None,
            crowd: Crowd::default(),
            is_doubtful: false,
        };
        for save in displaced {
            desk.absorb(&save.into(), Place::Displaced);
        }
        // They must be noted and gone before anything later is: taken in a second time, they would seem to delete what came since.
        desk.trouble = desk.note().err();
        desk.tend();
        let in_file = desk.in_file.clone();
        match found {
            Found::Ours => {}
            Found::Saved => desk.absorb(&in_file, Place::InFile),
            Found::PutBack => desk.take_at_its_word(),
        }
        if desk.is_in_file() {
            desk.share(&in_file);
        }
        desk.trouble = desk.flush().err();
        // Nobody can have listened yet.
        desk.untold.clear();
        Ok(desk)
    }

    /// Reads the file and takes in what somebody saved there. Of several texts only the last is in the file; those before it were
    /// written late into a file that we had displaced.
    pub(super) fn take_in(&mut self, how: How) -> Result<(), KeeperError> {
        let (mut last, mut result) = (None, Ok(()));
        for _ in 0..RACES_MAX {
            let read = match how {
                How::Whole => self.keeper.read(),
                How::Glance => self.keeper.glance(),
            };
            let read = read.unwrap_or_else(|error| {
                result = Err(error);
                None
            });
            let Some(saved) = read else { break };
            if let Some(earlier) = last.replace(saved) {
                self.absorb(&earlier, Place::Displaced);
            }
        }
        if let Some(saved) = last {
            self.absorb(&saved, Place::InFile);
            self.in_file = saved;
            if self.is_in_file() {
                self.share(&self.in_file.clone());
            }
        }
        result
    }

    /// Brings the words to the disk, together with whatever is saved there meanwhile.
    pub(super) fn flush(&mut self) -> Result<(), KeeperError> {
        for _ in 0..RACES_MAX {
            let is_crowd = self.unnoted.len() >= TOGETHER_MIN && !self.is_in_file();
            let displaced = if is_crowd {
                self.prepare_notes();
                let text = self.shared_text();
                let displaced = self.keeper.note_and_write(&self.unnoted, &self.in_file, &text)?;
                self.unnoted.clear();
                displaced
            } else {
                self.note()?;
                if self.is_in_file() {
                    if self.written == self.revision {
                        self.keeper.settled(self.revision);
                    }
                    return Ok(());
                }
                let text = self.shared_text();
                self.keeper.write(&self.in_file, &text)
            };
            if displaced.as_ref().err().is_none_or(may_be_written) {
                self.document.publish();
                self.perhaps = self.revision;
            }
            let displaced = displaced?;
            self.in_file = self.shared_text();
            self.written = self.revision;
            match displaced {
                Displaced::AsExpected => {
                    self.keeper.settled(self.revision);
                    return Ok(());
                }
                Displaced::Save(saved) => self.absorb(&saved.into(), Place::Displaced),
            }
        }
        if self.is_dirty() { Err(KeeperError::Busy) } else { Ok(()) }
    }

    /// Does what nobody who was answered needs.
    pub(super) fn rest(&mut self) {
        self.document.catch_up();
        self.keeper.rest();
    }

    /// Has the disk looked after, and says when it wants that again. What is not noted yet must stay as it is.
    pub(super) fn tend(&mut self) -> Option<Duration> {
        if self.unnoted.is_empty() { self.keeper.tend() } else { None }
    }

    fn absorb(&mut self, saved: &SharedText, place: Place) {
        let person = &self.options.person;
        let before = self.document.mark();
        let absorbed = match place {
            Place::InFile => self.document.absorb_shared(saved.held(), person),
            Place::Displaced => self.document.absorb_displaced(saved, person),
        };
        self.tell_of_clashes(&absorbed.notices);
        if absorbed.edits.is_empty() {
            return;
        }
        self.saved(absorbed.edits, before, saved, place);
    }

    /// The file was set to an older version while nobody ran. Somebody wanted that, so it is no origin of a save but the save itself.
    fn take_at_its_word(&mut self) {
        let (before, saved) = (self.document.mark(), self.in_file.clone());
        let edits = edits_between(self.document.text(), &saved);
        if self.document.repeat_save(&edits, &saved, &self.options.person, false) {
            self.saved(edits, before, &saved, Place::InFile);
        }
    }

    /// Keeps account of a save that is in the document already.
    fn saved(&mut self, edits: Vec<Edit>, before: Revision, saved: &SharedText, place: Place) {
        let actor = Actor::User(self.options.person.name().to_owned());
        let change = Change { actor: &actor, section: None, request: None, kind: ChangeKind::Saved };
        self.changed(edits, &change);
        self.touched.compare(before, self.document.mark(), self.revision);
        if let Some(entry) = self.unnoted.last_mut() {
            let is_all = saved.is_held_as(self.document.shared_text());
            let edits = if is_all { Vec::new() } else { edits_between(self.document.text(), saved) };
            if edits.is_empty() && place == Place::InFile {
                self.written = self.revision;
            }
            entry.file.save = Some(Save { edits, is_displaced: place == Place::Displaced });
        }
    }

    /// Gives the journal what it has not got yet.
    fn note(&mut self) -> Result<(), KeeperError> {
        if self.unnoted.is_empty() {
            return Ok(());
        }
        self.prepare_notes();
        let text = self.shared_text();
        self.keeper.note(&self.unnoted, &text)?;
        self.unnoted.clear();
        Ok(())
    }

    fn prepare_notes(&mut self) {
        for entry in &mut self.unnoted {
            entry.file.written = Some(self.written);
            entry.file.perhaps = Some(self.perhaps);
        }
    }
}

/// Whether the text may stand in the file all the same, so that an editor may have loaded it.
fn may_be_written(error: &KeeperError) -> bool {
    match error {
        KeeperError::Io(error) => !matches!(
            error.kind(),
            io::ErrorKind::StorageFull
                | io::ErrorKind::QuotaExceeded
                | io::ErrorKind::PermissionDenied
                | io::ErrorKind::ReadOnlyFilesystem
        ),
        KeeperError::Busy => true,
        KeeperError::Gone
        | KeeperError::Refused { .. }
        | KeeperError::NotText(_)
        | KeeperError::Owned
        | KeeperError::TooLarge { .. } => false,
    }
}
