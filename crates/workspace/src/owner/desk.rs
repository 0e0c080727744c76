//! All that the owner of a document knows, and one turn of its work: read, take in, do, write, answer. Never waits for
//! anything but the disk, and never answers before the disk has the words.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;

use document::contain::{Appended, Structure};
use document::{Document, Edit, Revision};

use super::Options;
use super::answer::{Answer, Outcome};
use super::crowd::Crowd;
use super::flush::How;
use super::late::Late;
use super::peer::Peers;
use super::requests::Requests;
use super::stream::Stream;
use super::touched::Touched;
use crate::SharedText;
use crate::command::{Actor, FileErrorKind, FileResult, Refusal, Reply};
use crate::event::{ChangeKind, DocumentChanged};
use crate::keeper::{Entry, InFile, Keeper, KeeperError};

/// How many changes may wait for a disk that fails; beyond that no more are taken.
const BACKLOG_MAX: usize = 10_000;

/// From how many callers on peers hear of the words after all callers have their answers.
const MANY: usize = 8;

/// One document on its owner's desk.
pub(super) struct Desk {
    pub(super) path: Arc<str>,
    pub(super) document: Document,
    pub(super) revision: Revision,
    pub(super) touched: Touched,
    pub(super) requests: Requests,
    pub(super) streams: BTreeMap<u64, Stream>,
    pub(super) next_stream: u64,
    pub(super) peers: Peers,
    pub(super) options: Options,
    pub(super) keeper: Box<dyn Keeper>,
    /// What the file holds, as far as is known.
    pub(super) in_file: SharedText,
    /// The latest revision whose text was in the file.
    pub(super) written: Revision,
    /// The latest revision whose text may have come into the file.
    pub(super) perhaps: Revision,
    pub(super) unnoted: Vec<Entry>,
    pub(super) untold: Vec<DocumentChanged>,
    pub(super) trouble: Option<KeeperError>,
    /// The structure of the document's text at a revision of the document, so that appends need not read it again.
    pub(super) structure: Option<(Revision, Structure)>,
    /// The text at a revision of the document, in one copy for all who only read it.
    pub(super) shared: Option<(Revision, SharedText)>,
    pub(super) crowd: Crowd,
    /// There were news of a change that looks like our own write.
    pub(super) is_doubtful: bool,
}

/// What a change was, besides its edits.
pub(super) struct Change<'c> {
    pub(super) actor: &'c Actor,
    pub(super) section: Option<&'c str>,
    pub(super) request: Option<&'c str>,
    pub(super) kind: ChangeKind,
}

impl Desk {
    /// One turn: everything that was asked for, one write, then all answers.
    pub(super) fn turn(&mut self, batch: Vec<super::Message>, late: &mut Late) -> Outcome {
        let mut outcome = Outcome::default();
        self.close_typing();
        let how = self.how_to_look(&batch);
        self.trouble = self.take_in(how).err();
        self.obey(batch, &mut outcome);
        if self.trouble.is_none() {
            self.take_late(late, &mut outcome);
            self.advance_streams();
            outcome.tells_peers_later = outcome.answers.len() >= MANY;
            if !outcome.tells_peers_later {
                // Peers see words before the disk has them; that they are saved is told afterwards.
                self.tell_peers();
            }
            self.trouble = self.flush().err();
        }
        self.count_crowd(late, &outcome);
        // What went well is in the file.
        outcome.is_unwritten = self.trouble.is_some() && self.is_dirty();
        if !outcome.tells_peers_later {
            self.tell_peers_what_is_saved();
        }
        if let Some(trouble) = self.trouble.as_ref().filter(|_| outcome.is_unwritten) {
            let refusal = self.unwritten(trouble);
            for answer in &mut outcome.answers {
                answer.fail(&refusal);
            }
        } else {
            outcome.events = std::mem::take(&mut self.untold);
        }
        let is_waiting = self.trouble.is_some() && !self.streams.is_empty();
        outcome.needs_retry = outcome.is_unwritten || is_waiting;
        outcome
    }

    /// How closely the file is to be looked at. News of a change are most often of our own write; whether somebody saved in the same
    /// moment is found out when nobody waits.
    fn how_to_look(&mut self, batch: &[super::Message]) -> How {
        let is_told = batch.iter().any(|message| matches!(message, super::Message::FileChanged));
        if (is_told && !self.keeper.is_as_we_left_it()) || (self.is_doubtful && batch.is_empty()) {
            self.is_doubtful = false;
            return How::Whole;
        }
        self.is_doubtful |= is_told;
        How::Glance
    }

    /// Whether the file lacks words that are here.
    pub(super) fn is_dirty(&self) -> bool {
        !self.is_in_file() || !self.unnoted.is_empty()
    }

    /// Why nothing can be changed now, if so.
    pub(super) fn standing(&self) -> Result<(), Refusal> {
        match &self.trouble {
            None if self.untold.len() < BACKLOG_MAX => Ok(()),
            None => Err(self.refused(&KeeperError::Busy)),
            Some(trouble) => Err(self.refused(trouble)),
        }
    }

    /// The text, which many may keep without a copy each.
    pub(super) fn shared_text(&mut self) -> SharedText {
        match self.shared() {
            Some(text) => text.clone(),
            None => {
                let text = SharedText::from(Arc::clone(self.document.shared_text()));
                self.share(&text);
                text
            }
        }
    }

    /// Keeps a copy of the text for its readers. It must be just so.
    pub(super) fn share(&mut self, text: &SharedText) {
        self.shared = Some((self.document.revision(), text.clone()));
    }

    /// Whether the document reads so.
    pub(super) fn has(&self, text: &SharedText) -> bool {
        text.is_held_as(self.document.shared_text()) || **text == *self.document.text()
    }

    fn shared(&self) -> Option<&SharedText> {
        let (revision, text) = self.shared.as_ref()?;
        (*revision == self.document.revision()).then_some(text)
    }

    /// Whether the file holds the document's text, as far as is known.
    pub(super) fn is_in_file(&self) -> bool {
        self.has(&self.in_file)
    }

    /// The structure of the text, if it was read since the text changed.
    pub(super) fn structure(&self) -> Option<&Structure> {
        let (revision, structure) = self.structure.as_ref()?;
        (*revision == self.document.revision()).then_some(structure)
    }

    /// Reads the structure of the text, unless that is known.
    pub(super) fn read_structure(&mut self) {
        if self.structure().is_none() {
            self.structure = Some((self.document.revision(), Structure::of(self.document.text())));
        }
    }

    /// Keeps the structure that was read to see that additions go in. They must have been made just so.
    pub(super) fn keep_structure(&mut self, appended: Appended) {
        self.structure = Some((self.document.revision(), appended.structure));
    }

    /// Notes that edits which are made already are one change.
    pub(super) fn changed(&mut self, edits: Vec<Edit>, change: &Change<'_>) {
        let base = self.revision;
        self.revision += 1;
        if let Some(section) = change.section {
            self.touched.section(section, self.revision);
        }
        let author = change.actor.author();
        self.peers.wrote(change.actor);
        self.unnoted.push(Entry {
            revision: self.revision,
            author: author.clone(),
            time: (self.options.clock)(),
            section: change.section.map(str::to_owned),
            request: change.request.map(str::to_owned),
            edits,
            file: InFile::default(),
        });
        self.untold.push(DocumentChanged {
            path: Arc::clone(&self.path),
            revision: self.revision,
            base,
            author,
            section: change.section.map(str::to_owned),
            kind: change.kind,
        });
    }

    /// What a caller hears whose words are in memory only.
    fn unwritten(&self, trouble: &KeeperError) -> Refusal {
        let message = format!(
            "{}: the text was taken but is not in the file yet ({}); it is kept and will be written as soon as that is \
             possible; do not send it again",
            self.path,
            cause(trouble)
        );
        Refusal::new(kind_of(trouble), message)
    }

    /// What a caller hears whose words were not taken.
    fn refused(&self, trouble: &KeeperError) -> Refusal {
        let next = match trouble {
            KeeperError::Gone => "restore the file, or write its text to a new one",
            KeeperError::NotText(_) => "repair the file",
            KeeperError::TooLarge { .. } => "shorten the file",
            KeeperError::Refused { .. } => "put that right",
            KeeperError::Owned | KeeperError::Busy | KeeperError::Io(_) => "try again",
        };
        let message = format!("{}: {}; nothing was changed; {next}", self.path, cause(trouble));
        Refusal::new(kind_of(trouble), message)
    }

    /// An answer with the revision of now.
    pub(super) fn reply(&self, result: FileResult) -> Reply {
        Reply { revision: self.revision, duplicate: false, result }
    }

    /// Answers a stream or a command that could not be done.
    pub(super) fn refusing(&self, refusal: Refusal) -> Reply {
        self.reply(refusal.into())
    }

    fn obey(&mut self, batch: Vec<super::Message>, outcome: &mut Outcome) {
        let mut appends = super::append::Groups::default();
        for message in batch {
            match message {
                super::Message::Execute { request, reply } => {
                    if let Some(left) = appends.take(request, reply) {
                        self.append_all(&mut appends, outcome);
                        let (request, reply) = left;
                        let (answer, is_change) = self.execute(&request);
                        outcome.answers.push(Answer::Reply { to: reply, reply: answer, is_change });
                    }
                }
                super::Message::Stream { target, actor, reply } => {
                    self.append_all(&mut appends, outcome);
                    let opened = self.open_stream(target, actor);
                    outcome.answers.push(Answer::Stream { to: reply, opened });
                }
                super::Message::Say { stream, text } => self.say(stream, &text),
                super::Message::Finish { stream, reply } => {
                    self.append_all(&mut appends, outcome);
                    let finished = self.finish(stream);
                    outcome.answers.push(Answer::Finished { to: reply, finished });
                }
                super::Message::Peer(message) => {
                    self.append_all(&mut appends, outcome);
                    outcome.answers.extend(self.meet(message));
                }
                super::Message::FileChanged | super::Message::Stop => {}
                super::Message::Settled { reply } => outcome.answers.push(Answer::Settled { to: reply }),
            }
        }
        self.append_all(&mut appends, outcome);
    }
}

/// The reason in words that name no place on the machine.
pub(crate) fn cause(trouble: &KeeperError) -> String {
    match trouble {
        KeeperError::Io(error) => match error.kind() {
            io::ErrorKind::Other => "the system could not do it".to_owned(),
            kind => kind.to_string(),
        },
        KeeperError::Gone
        | KeeperError::Refused { .. }
        | KeeperError::NotText(_)
        | KeeperError::TooLarge { .. }
        | KeeperError::Owned
        | KeeperError::Busy => trouble.to_string(),
    }
}

/// What a caller can branch on.
pub(crate) fn kind_of(trouble: &KeeperError) -> FileErrorKind {
    match trouble {
        KeeperError::Gone => FileErrorKind::NotFound,
        KeeperError::TooLarge { .. } => FileErrorKind::TooLarge,
        KeeperError::NotText(_) => FileErrorKind::InvalidContent,
        KeeperError::Refused { .. } | KeeperError::Owned | KeeperError::Busy | KeeperError::Io(_) => {
            FileErrorKind::IoError
        }
    }
}
