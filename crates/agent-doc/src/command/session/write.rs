//! `agent-doc write`: an answer from standard input into a document, by the same way as any other. Never puts the same one in twice,
//! and never says that one is kept which is not.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result};
use document::frontmatter::{Frontmatter, Presence, Session, Settings, Write as WriteMode, presence};
use serde::Serialize;
use workspace::lock::{LockError, TurnLock};
use workspace::pending::Pending;
use workspace::reach::Reach;
use workspace::rooms;
use workspace::session::delivery::{Delivery, DeliveryError, Flushed, Order, Outcome as Delivered, Upto};
use workspace::session::file::SessionFile;
use workspace::session::layout::{Layout, LayoutError};
use workspace::sidecar::{DocumentPaths, Sidecar};

use super::found;
use crate::arguments::Write;
use crate::refusal::Refusal;
use crate::{Outcome, input, moment, output, reach};

/// How long to wait for a turn that is under way.
const PATIENCE: Duration = Duration::from_secs(60);
/// Who has the turn, for those who find it taken.
const BY: &str = "agent-doc write";

#[derive(Debug, Serialize)]
struct Report<'a> {
    document: &'a str,
    revision: Option<u64>,
    merged: bool,
    conflicts: usize,
    notices: &'a [String],
}

/// An answer that is to be delivered.
struct Letter<'a> {
    given: &'a Write,
    file: SessionFile,
    paths: DocumentPaths,
    /// The answer's name.
    id: String,
    now: u64,
    answer: String,
    /// The text that it answers, if the caller has it.
    baseline: Option<String>,
}

pub(crate) fn run(given: &Write) -> Result<Outcome> {
    // Before the first long text is read, which may be the one that is answered.
    rooms::prepare();
    let name = input::shown(&given.file);
    let mut letter = Letter::read(given, &name)?;
    let done = letter.deliver(&name);
    let delivered = done.with_context(|| {
        let what = format!("{name}: the answer is not in the document");
        if letter.is_kept() {
            let remedy =
                format!("it is kept; mend what is wrong, then 'agent-doc recover {name}' puts it there");
            return Refusal::new(what, remedy);
        }
        Refusal::new(what, "it is not kept either; mend what is wrong, then write it again")
    })?;
    tell(&name, given, &delivered)?;
    Ok(if delivered.conflicts > 0 { Outcome::Conflicts } else { Outcome::Done })
}

impl Letter<'_> {
    fn read<'a>(given: &'a Write, name: &str) -> Result<Letter<'a>> {
        let file = found(&given.file)?;
        let answer = input::read(Path::new("-"))?;
        if answer.trim().is_empty() {
            return Err(Refusal::new(
                "there is no answer on standard input",
                "pipe the answer into the command",
            )
            .into());
        }
        let baseline = given.baseline_file.as_deref().map(input::read).transpose()?;
        let text = known_by(&given.file)?;
        let unusable =
            || Refusal::new(format!("{name} cannot be worked on"), "look who owns the folder '.agent-doc'");
        let sidecar = Sidecar::open(&file.root).with_context(unusable)?;
        let paths = file.paths(&sidecar, &text).with_context(unusable)?;
        let now = moment::now();
        let id = given.id.clone().unwrap_or_else(|| format!("write-{now:x}-{}", std::process::id()));
        Ok(Letter { given, file, paths, id, now, answer, baseline })
    }

    /// Waits for the turn, and brings the answer into the document.
    fn deliver(&mut self, name: &str) -> Result<Delivered> {
        let _turn = self.turn()?;
        let root = self.file.root.clone();
        reach::run(name, &root, async |reach| Ok(self.put(reach).await))?
    }

    /// The turn on the document. If it has to be waited for, the answer is on the disk before.
    fn turn(&self) -> Result<TurnLock> {
        match TurnLock::take(&self.paths.lock, BY, self.now) {
            Err(LockError::Held(_)) => {}
            taken => return Ok(taken?),
        }
        let text = input::read(&self.given.file)?;
        let order = self.order(&text, self.baseline.clone())?;
        Delivery::begin_whole(&self.paths, order, &self.answer)?.keep()?;
        // The document is not open meanwhile: whoever has the turn may have to open it to end.
        Ok(TurnLock::wait(&self.paths.lock, BY, self.now, PATIENCE)?)
    }

    async fn put(&mut self, reach: &mut Reach) -> Result<Delivered> {
        let (current, revision) = super::read(reach, &self.file.path).await?;
        let baseline = self.baseline.take();
        let mut delivery = match self.broken_off(&current)? {
            Some(delivery) => delivery,
            None => Delivery::begin_whole(&self.paths, self.order(&current, baseline)?, &self.answer)?,
        };
        delivery.know(current, revision);
        match delivery.flush(reach, Upto::End).await {
            Ok(Flushed::Written) if delivery.outcome().is_repeated => {
                let outcome = delivery.outcome().clone();
                delivery.abandon()?;
                Ok(outcome)
            }
            Ok(Flushed::Written | Flushed::Nothing) => Ok(delivery.settle()?),
            Ok(Flushed::NoPlace) => {
                anyhow::bail!("the place of the answer is gone or its markers are broken")
            }
            Err(error @ DeliveryError::Layout(_)) => {
                // It would never fit, and the caller has it still.
                delivery.abandon()?;
                Err(error.into())
            }
            Err(error) => Err(error.into()),
        }
    }

    /// The same answer, if a process died while it wrote it into the document.
    fn broken_off(&self, current: &str) -> Result<Option<Delivery>> {
        let waiting = Pending::at(&self.paths.pending_dir).get(&self.id)?;
        match waiting.filter(|waiting| waiting.applied > 0 || waiting.attempt.is_some()) {
            Some(response) => Ok(Delivery::resume(&self.paths, &self.file.path, response, current)?),
            None => Ok(None),
        }
    }

    /// What is ordered if the document reads `current`, and what is answered is the baseline, where there is one.
    fn order(&self, current: &str, baseline: Option<String>) -> Result<Order, LayoutError> {
        let settings = Frontmatter::parse(current).settings;
        let is_earlier = baseline.is_some();
        let baseline = baseline.unwrap_or_else(|| current.to_owned());
        Ok(Order {
            id: self.id.clone(),
            author: self.given.author.clone(),
            time: self.now,
            layout: self.layout(&baseline, &settings)?,
            write: if self.given.stream { WriteMode::Crdt } else { settings.write() },
            path: self.file.path.clone(),
            baseline,
            is_earlier,
        })
    }

    fn layout(&self, baseline: &str, settings: &Settings) -> Result<Layout, LayoutError> {
        match (self.given.stream, self.given.template) {
            (true, _) => Layout::streaming(baseline, settings, None),
            (false, true) => Ok(Layout::Template),
            (false, false) if settings.is_stream() => Layout::streaming(baseline, settings, None),
            (false, false) => Ok(Layout::of(settings)),
        }
    }

    /// Whether `recover` would find the answer.
    fn is_kept(&self) -> bool {
        let waiting = Pending::at(&self.paths.pending_dir).get(&self.id);
        waiting.is_ok_and(|waiting| waiting.is_some_and(|waiting| waiting.text == self.answer))
    }
}

/// The text as far as it says what is kept for the document: its frontmatter if that names a session, else all of it.
fn known_by(path: &Path) -> Result<String> {
    let head = input::beginning(path)?;
    match Frontmatter::parse(&head).settings.session {
        Session::Id(_) if presence(&head) == Presence::Readable => Ok(head),
        Session::Id(_) | Session::Absent | Session::Empty => input::read(path),
    }
}

fn tell(name: &str, given: &Write, delivered: &Delivered) -> Result<()> {
    let Delivered { revision, is_merged, conflicts, notices, .. } = delivered;
    if given.json {
        let (revision, merged, conflicts) = (*revision, *is_merged, *conflicts);
        return output::print_json(&Report { document: name, revision, merged, conflicts, notices });
    }
    for notice in notices {
        output::notice(&format!("warning: {notice}"));
    }
    if *conflicts > 0 {
        output::notice("WARNING: Merge conflicts detected.");
    } else if *is_merged {
        output::notice("Merge successful — user edits preserved.");
    }
    match revision {
        Some(revision) => output::notice(&format!("{name}: revision {revision}")),
        None => output::notice(&format!("{name}: nothing to write")),
    }
    Ok(())
}
