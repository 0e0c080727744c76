//! The one way of an answer into its document, whole or word by word: each time the answer so far is laid out on the text that it
//! answers, and what that adds to the last time is merged with the document as it is now. Never writes before the answer is on the
//! disk, and never takes away what somebody typed meanwhile.

use std::borrow::Cow;

use document::Edit;
use document::component::components;
use document::frontmatter::Write;
use document::merge::{NoticeKind, merge, merge_diff3, merge_into};
use document::patch::steady_prefix;

use super::layout::{Layout, LayoutError, Words};
use crate::SharedText;
use crate::command::{Actor, FileCommand, FileErrorKind, FileResult};
use crate::journal::{Pieces, edits_between};
use crate::kept::Seen;
use crate::pending::{Pending, Response, Target};
use crate::reach::{Reach, ReachError};
use crate::sidecar::{DocumentPaths, SidecarError};
use crate::snapshot::Snapshot;

/// How often a document may change between reading it and writing to it before we give up.
const RACES_MAX: usize = 100;

/// An answer on its way.
#[derive(Debug)]
pub struct Delivery {
    pending: Pending,
    snapshot: Snapshot,
    response: Response,
    layout: Layout,
    write: Write,
    /// The document's path from the root.
    path: String,
    /// The text that is answered.
    baseline: String,
    /// That text with what of the answer is in the document; none as long as nothing is.
    laid: Option<Laid>,
    /// What the document read after our last write.
    written: Option<SharedText>,
    /// What the document read, and its revision, if that was just asked for.
    known: Option<(SharedText, u64)>,
    /// The snapshot at the beginning.
    seen: Option<Seen>,
    /// What makes the text that is answered of that snapshot, if these are few edits.
    since: Option<Vec<Edit>>,
    /// The text that is answered is on the disk.
    is_base_kept: bool,
    outcome: Outcome,
}

/// What is known of how the delivery went.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outcome {
    /// The last revision that it made; none if it wrote nothing.
    pub revision: Option<u64>,
    /// Somebody else had changed the document.
    pub is_merged: bool,
    /// Places where conflict markers were written.
    pub conflicts: usize,
    /// An answer of this name was in the document before, so that nothing was written.
    pub is_repeated: bool,
    /// What the person may want to know.
    pub notices: Vec<String>,
    /// What the document read after the last write.
    pub left: Option<SharedText>,
}

/// How much of the answer is brought into the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Upto {
    /// What can be shown though more will come.
    Steady,
    /// All of it.
    End,
}

/// What came of bringing more of an answer into the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flushed {
    /// There was nothing new.
    Nothing,
    /// It is in the file.
    Written,
    /// Its place is not there, or its marks are broken. Nothing was written; it is tried again with the next words.
    NoPlace,
}

/// Why an answer did not get into its document. It is kept, and `recover` brings it there.
#[derive(Debug, thiserror::Error)]
pub enum DeliveryError {
    /// Nobody owns the document.
    #[error(transparent)]
    Reach(#[from] ReachError),
    /// The answer could not be kept.
    #[error(transparent)]
    Sidecar(#[from] SidecarError),
    /// It has no place.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// The document's owner refused.
    #[error("{message}")]
    Refused {
        /// What it said.
        message: String,
    },
}

/// What a delivery begins with.
#[derive(Debug, Clone)]
pub struct Order {
    /// The answer's name. The same name again is delivered once.
    pub id: String,
    /// Who answers.
    pub author: String,
    /// When it began, in milliseconds since 1970.
    pub time: u64,
    /// Where it goes.
    pub layout: Layout,
    /// How it is merged.
    pub write: Write,
    /// The document's path from the root.
    pub path: String,
    /// The text that is answered.
    pub baseline: String,
    /// The text was read some time ago, so that other answers may have come since.
    pub is_earlier: bool,
}

impl Delivery {
    /// A delivery of which nothing is said yet. Keeps what it needs to be gone on with after a crash.
    ///
    /// # Errors
    ///
    /// [`DeliveryError`] if that cannot be kept.
    pub fn begin(paths: &DocumentPaths, order: Order) -> Result<Delivery, DeliveryError> {
        let mut delivery = Delivery::new(paths, order)?;
        delivery.keep()?;
        Ok(delivery)
    }

    /// A delivery of which all is said. The answer is on the disk when it was [kept](Self::keep), and before the document is touched.
    ///
    /// # Errors
    ///
    /// [`DeliveryError`] if what is kept for the document cannot be read.
    pub fn begin_whole(paths: &DocumentPaths, order: Order, answer: &str) -> Result<Delivery, DeliveryError> {
        let mut delivery = Delivery::new(paths, order)?;
        delivery.say(answer);
        delivery.complete();
        Ok(delivery)
    }

    fn new(paths: &DocumentPaths, order: Order) -> Result<Delivery, DeliveryError> {
        let pending = Pending::at(&paths.pending_dir);
        let snapshot = Snapshot::at(&paths.snapshot);
        let Order { id, author, time, layout, write, path, baseline, is_earlier } = order;
        let mut response = Response::new(&id, &author, Target::Answer(layout.clone()), &baseline, time);
        let seen = snapshot.look()?;
        let before = seen.as_ref().map(|seen| seen.fingerprint().to_owned());
        // A snapshot that holds all of the text and more is of an answer that came since the text was read.
        response.is_later = is_earlier
            && before.as_ref().is_some_and(|before| *before != response.base)
            && snapshot.get()?.is_some_and(|before| is_extended(&baseline, &before));
        response.snapshot = before.filter(|_| !response.is_later);
        Ok(Delivery {
            pending,
            snapshot,
            response,
            layout,
            write,
            path,
            baseline,
            laid: None,
            written: None,
            known: None,
            seen,
            since: None,
            is_base_kept: false,
            outcome: Outcome::default(),
        })
    }

    /// A delivery that a crash broke off, to go on with in the document, which reads `current` now. None if the response is of another
    /// kind.
    ///
    /// # Errors
    ///
    /// [`DeliveryError`] if what it needs cannot be read.
    pub fn resume(
        paths: &DocumentPaths,
        path: &str,
        mut response: Response,
        current: &str,
    ) -> Result<Option<Delivery>, DeliveryError> {
        let Target::Answer(layout) = response.target.clone() else { return Ok(None) };
        let pending = Pending::at(&paths.pending_dir);
        let baseline = pending.base(&response.id)?.unwrap_or_else(|| current.to_owned());
        response.applied = response.applied_in(current);
        response.attempt = None;
        let write = document::frontmatter::Frontmatter::parse(&baseline).settings.write();
        let snapshot = Snapshot::at(&paths.snapshot);
        let mut delivery = Delivery {
            pending,
            seen: snapshot.look()?,
            snapshot,
            layout,
            write,
            path: path.to_owned(),
            baseline,
            laid: None,
            written: None,
            known: None,
            since: None,
            is_base_kept: true,
            outcome: Outcome::default(),
            response,
        };
        if delivery.response.applied > 0 {
            let words = delivery.words(delivery.response.applied);
            delivery.laid = Some(Laid::Whole(delivery.layout.lay(&delivery.baseline, &words)?.text));
        }
        Ok(Some(delivery))
    }

    /// Adds words of the answer.
    pub fn say(&mut self, text: &str) {
        self.response.text.push_str(text);
    }

    /// Takes note of what the document reads at a revision, so that it need not be asked for again.
    pub fn know(&mut self, text: SharedText, revision: u64) {
        self.known = Some((text, revision));
    }

    /// Takes back what was said after the first `length` bytes.
    pub fn take_back(&mut self, length: usize) {
        let length = document::text::floor_char_boundary(&self.response.text, length);
        self.response.text.truncate(length);
        self.response.applied = self.response.applied.min(length);
    }

    /// Adds words of the thinking.
    pub fn think(&mut self, text: &str) {
        self.response.thinking.push_str(text);
    }

    /// Keeps the conversation's name in the document.
    pub fn talk(&mut self, name: &str) {
        self.response.talk = Some(name.to_owned());
    }

    /// Nothing more will come.
    pub fn complete(&mut self) {
        self.response.is_whole = true;
    }

    /// What was said so far.
    #[must_use]
    pub fn said(&self) -> &str {
        &self.response.text
    }

    /// The answer's name.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.response.id
    }

    /// How it went so far.
    #[must_use]
    pub fn outcome(&self) -> &Outcome {
        &self.outcome
    }

    /// Puts the text that is answered on the disk, unless it is there.
    fn keep_base(&mut self) -> Result<(), DeliveryError> {
        if self.is_base_kept {
            return Ok(());
        }
        let Response { id, base, .. } = &self.response;
        // Most of the text is on the disk already, and whoever replaces the snapshot leaves that file alone.
        if let Some(seen) = &self.seen {
            self.since = self.snapshot.edits_to(seen, base, &self.baseline)?;
        }
        let is_linked = match (&self.seen, &self.since) {
            (Some(seen), Some(since)) => {
                self.pending.link_base(id, &self.snapshot, seen, since, &self.baseline)?
            }
            _ => false,
        };
        if !is_linked {
            self.pending.put_base(id, &self.baseline)?;
        }
        self.is_base_kept = true;
        Ok(())
    }

    /// Puts what was said on the disk, without touching the document.
    ///
    /// # Errors
    ///
    /// [`DeliveryError`] if that cannot be done.
    pub fn keep(&mut self) -> Result<(), DeliveryError> {
        self.keep_base()?;
        self.pending.put(&self.response)?;
        Ok(())
    }

    /// Brings what is new of the answer into the document.
    ///
    /// # Errors
    ///
    /// [`DeliveryError`] if it could not be written. What was said is kept.
    pub async fn flush(&mut self, reach: &mut Reach, upto: Upto) -> Result<Flushed, DeliveryError> {
        let length = match upto {
            Upto::Steady => steady_prefix(&self.response.text),
            Upto::End => self.response.text.len(),
        };
        let flushed = self.flush_to(reach, length, upto).await;
        if upto == Upto::End && !matches!(flushed, Ok(Flushed::Written)) {
            // Whatever happened, the answer is there.
            self.keep()?;
        }
        flushed
    }

    async fn flush_to(
        &mut self,
        reach: &mut Reach,
        length: usize,
        upto: Upto,
    ) -> Result<Flushed, DeliveryError> {
        let laid = self.layout.lay(&self.baseline, &self.words(length))?;
        self.outcome.notices = laid.notices;
        let mut laid = laid.text;
        if laid == *self.shown() {
            return Ok(Flushed::Nothing);
        }
        // The answer so far is laid out once more with the next words, if there will be any.
        let is_last = upto == Upto::End && self.response.is_whole;
        let mut refused = String::new();
        for _ in 0..RACES_MAX {
            let (current, revision) = match self.known.take() {
                Some(known) => known,
                None => read(reach, &self.path).await?,
            };
            let (merged, now) = if is_last {
                let edits = edits_between(&self.baseline, &laid);
                (self.merged(laid.into(), &current), Laid::Edits(edits))
            } else {
                (self.merged(Cow::Borrowed(&laid), &current), Laid::Whole(laid))
            };
            let Some(merged) = merged else { return Ok(Flushed::NoPlace) };
            self.response.attempt = None;
            self.response.attempting(&current, &merged.text);
            if let Some(attempt) = &mut self.response.attempt {
                attempt.upto = length;
            }
            self.keep()?;
            let mut request = FileCommand::Write { path: self.path.clone(), content: merged.text.clone() }
                .by(Actor::User(self.response.author.clone()))
                .on(revision);
            if is_last {
                request = request.named(format!("{}:whole", self.response.id));
            }
            let reply = reach.execute(request).await?;
            match reply.result {
                FileResult::Error { message, kind: FileErrorKind::Conflict { .. } } => {
                    refused = message;
                    laid = now.into_text(&self.baseline);
                }
                FileResult::Error { message, .. } => return Err(DeliveryError::Refused { message }),
                FileResult::Written { .. }
                | FileResult::Content { .. }
                | FileResult::SectionContent { .. }
                | FileResult::Created { .. } => {
                    // The same name may also be known because the owner died after it had done what was asked.
                    self.outcome.is_repeated =
                        reply.duplicate && *read(reach, &self.path).await?.0 == *current;
                    if !self.outcome.is_repeated {
                        self.outcome.is_merged |= *current != *self.shown();
                        self.outcome.conflicts += merged.conflicts;
                    }
                    self.outcome.revision = Some(reply.revision);
                    self.response.applied = length;
                    self.response.attempt = None;
                    self.laid = Some(now);
                    self.written = Some(merged.text);
                    return Ok(Flushed::Written);
                }
            }
        }
        Err(DeliveryError::Refused { message: refused })
    }

    /// The document with the answer so far; none if the answer has no place in it, or would break its structure.
    fn merged(&self, ours: Cow<'_, str>, current: &str) -> Option<Merged> {
        let is_as_we_left_it = self.written.as_deref().unwrap_or(&self.baseline) == current;
        // A long document is read through only if somebody else wrote in it.
        let names = if is_as_we_left_it { None } else { names(current) };
        if !is_as_we_left_it && !self.layout.has_place_in(current, names.as_deref()) {
            return None;
        }
        let merged = match (self.write, ours) {
            (Write::Merge, ours) => merge_diff3(&self.shown(), &ours, current),
            (Write::Crdt, Cow::Borrowed(ours)) => merge(&self.shown(), ours, current),
            (Write::Crdt, Cow::Owned(ours)) => merge_into(&self.shown(), ours, current),
        };
        let conflicts = merged.notices.iter().filter(|notice| notice.kind == NoticeKind::Conflict).count();
        let is_kept = is_as_we_left_it || names == self::names(&merged.text);
        is_kept.then(|| Merged { text: merged.text.into(), conflicts })
    }

    /// All is in the document: what comes after it is the person's next change, and nothing waits any more.
    ///
    /// # Errors
    ///
    /// [`DeliveryError`] if that cannot be kept; then the answer seems to wait still, and is found to be there already.
    pub fn settle(self) -> Result<Outcome, DeliveryError> {
        self.agree()?;
        if self.response.is_whole {
            self.pending.forget(&self.response.id)?;
        } else {
            self.pending.clear(&self.response.id)?;
        }
        Ok(Outcome { left: self.written, ..self.outcome })
    }

    /// Whether nobody else's answer came since the text was read that this one answers.
    fn is_as_it_was(&self) -> Result<bool, SidecarError> {
        let Response { is_later, snapshot, .. } = &self.response;
        let is_the_first = self.seen.as_ref().map(Seen::fingerprint) == snapshot.as_deref();
        Ok(!is_later && is_the_first && self.snapshot.is_still(self.seen.as_ref())?)
    }

    /// Keeps the text up to which everything is answered.
    fn agree(&self) -> Result<(), SidecarError> {
        let Response { is_whole, .. } = self.response;
        if is_whole && self.is_as_it_was()? {
            return self.agree_on_all();
        }
        match self.snapshot.get()? {
            Some(before) => self.snapshot.set(&merge(&self.baseline, &self.shown(), &before).text),
            None if is_whole => self.snapshot.set(&self.shown()),
            // Only a part of the answer came, so the question is still open.
            None => Ok(()),
        }
    }

    /// Keeps the text that is answered with all of the answer.
    fn agree_on_all(&self) -> Result<(), SidecarError> {
        let answer = match &self.laid {
            None => Cow::Borrowed(&[][..]),
            Some(Laid::Whole(text)) => Cow::Owned(edits_between(&self.baseline, text)),
            Some(Laid::Edits(edits)) => Cow::Borrowed(&edits[..]),
        };
        match (&self.seen, &self.since, pieces(&self.baseline, &answer)) {
            (Some(seen), Some(since), Some(pieces)) => {
                self.snapshot.change(seen, &[since, &answer[..]].concat(), pieces.parts())
            }
            (_, _, Some(pieces)) => self.snapshot.set_parts(pieces.parts()),
            (_, _, None) => self.snapshot.set(&self.shown()),
        }
    }

    /// The text that is answered with what of the answer is in the document.
    fn shown(&self) -> Cow<'_, str> {
        match &self.laid {
            None => Cow::Borrowed(&self.baseline),
            Some(Laid::Whole(text)) => Cow::Borrowed(text),
            Some(Laid::Edits(edits)) => Cow::Owned(edited(&self.baseline, edits)),
        }
    }

    /// Gives the answer up, as if it had never been asked for.
    ///
    /// # Errors
    ///
    /// [`DeliveryError`] if what waits cannot be removed.
    pub fn abandon(self) -> Result<(), DeliveryError> {
        Ok(self.pending.clear(&self.response.id)?)
    }

    fn words(&self, length: usize) -> Words {
        Words {
            text: self.response.text.get(..length).unwrap_or_default().to_owned(),
            thinking: self.response.thinking.clone(),
            talk: self.response.talk.clone(),
        }
    }
}

/// The names of a document's components, in order; none if its marks are broken.
fn names(text: &str) -> Option<Vec<String>> {
    Some(components(text).ok()?.into_iter().map(|component| component.name).collect())
}

/// The text that is answered with an answer in it.
#[derive(Debug)]
enum Laid {
    Whole(String),
    /// What makes it of the text that is answered, when nobody needs all of it any more.
    Edits(Vec<Edit>),
}

impl Laid {
    fn into_text(self, baseline: &str) -> String {
        match self {
            Laid::Whole(text) => text,
            Laid::Edits(edits) => edited(baseline, &edits),
        }
    }
}

/// A text after edits, last place first, in the pieces that they leave of it.
fn pieces<'t>(text: &'t str, edits: &'t [Edit]) -> Option<Pieces<'t>> {
    let mut pieces = Pieces::of(text);
    edits.iter().all(|edit| pieces.edit(edit.range.clone(), &edit.text).is_some()).then_some(pieces)
}

fn edited(text: &str, edits: &[Edit]) -> String {
    let mut edited = text.to_owned();
    for Edit { range, text } in edits {
        edited.replace_range(range.clone(), text);
    }
    edited
}

struct Merged {
    text: SharedText,
    conflicts: usize,
}

/// Whether `text` is `base` with more in it and nothing less.
fn is_extended(base: &str, text: &str) -> bool {
    base != text && document::diff::diff(base, text).iter().all(document::diff::Hunk::is_insertion)
}

/// The document as its owner has it now, and its revision.
pub(crate) async fn read(reach: &mut Reach, path: &str) -> Result<(SharedText, u64), DeliveryError> {
    let reply = reach.execute(FileCommand::Read { path: path.to_owned() }.by(Actor::System)).await?;
    match reply.result {
        FileResult::Content { content } => Ok((content, reply.revision)),
        FileResult::Error { message, .. } => Err(DeliveryError::Refused { message }),
        FileResult::Written { .. } | FileResult::SectionContent { .. } | FileResult::Created { .. } => {
            Err(DeliveryError::Refused { message: format!("{path}: no text came back; try again") })
        }
    }
}
