//! The folder of a run, `runs/ID`: its record, the lock of whoever works on it, and the place for artifacts. Never follows a link out
//! of the project, and never replaces a record that it could not read without keeping that one.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use workspace::lock::{LockError, OwnerLock};
use workspace::sidecar::Sidecar;
use workspace::store::{replace_small, set_aside};

use crate::draft::{CANON, Draft, PERSON};
use crate::error::RunError;
use crate::limits::{GUESTS_MAX, OBJECTIVE_MAX};
use crate::plan::{self, ItemState};
use crate::record::{FORMAT, Guest, Record};
use crate::role::Role;
use crate::status::{Phase, Status};

/// The folder of all runs.
pub(crate) const RUNS: &str = "runs";
const RECORD: &str = "run.json";
const ARTIFACTS: &str = "artifacts";
/// The longest name of a run, as the owner of documents has it.
const NAME_MAX: usize = 64;
/// A record that is longer was not written by us.
const RECORD_MAX: u64 = 64 << 20;

/// The folder of one run, which is there.
#[derive(Debug, Clone)]
pub(crate) struct RunFolder {
    id: String,
    folder: PathBuf,
}

/// What is known of a run on the disk.
#[derive(Debug)]
pub(crate) enum Found {
    /// Its record.
    Record(Box<Record>),
    /// A record that is damaged or missing.
    Lost,
}

impl RunFolder {
    /// The folder of a run of the project below `root`, which has no link in it.
    pub(crate) fn find(root: &Path, id: &str) -> Result<RunFolder, RunError> {
        check_name(id)?;
        let folder = root.join(RUNS).join(id);
        let absent = || RunError::Absent(id.to_owned());
        let real = folder.canonicalize().map_err(|_| absent())?;
        if real != folder || !folder.join("draft.md").is_file() {
            return Err(absent());
        }
        Ok(RunFolder { id: id.to_owned(), folder })
    }

    /// The run whose name begins so.
    pub(crate) fn named(root: &Path, begin: &str) -> Result<RunFolder, RunError> {
        check_name(begin)?;
        if let Ok(folder) = RunFolder::find(root, begin) {
            return Ok(folder);
        }
        let mut found = names(root)?.into_iter().filter(|name| name.starts_with(begin));
        match (found.next(), found.next()) {
            (Some(id), None) => RunFolder::find(root, &id),
            (Some(_), Some(_)) => Err(RunError::Ambiguous(begin.to_owned())),
            (None, _) => Err(RunError::Absent(begin.to_owned())),
        }
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// Where long output goes; made if it is not there.
    pub(crate) fn artifacts(&self) -> Result<PathBuf, RunError> {
        let path = self.folder.join(ARTIFACTS);
        match fs::create_dir(&path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(self.failed(ARTIFACTS, &error)),
            Ok(()) | Err(_) => Ok(path),
        }
    }

    /// The right to work on the run, which one process at a time has.
    pub(crate) fn lock(&self, sidecar: &Sidecar) -> Result<OwnerLock, RunError> {
        let path = sidecar.folder().join("locks").join(format!("run-{}.lock", self.id));
        OwnerLock::take(&path, "agent-doc").map_err(|error| match error {
            LockError::Held(held) => RunError::Held { run: self.id.clone(), by: held.by, process: held.pid },
            LockError::Io { source, .. } => self.failed("its lock", &source),
        })
    }

    /// The record, or that it is lost. Blocks.
    pub(crate) fn read(&self) -> Result<Found, RunError> {
        let path = self.folder.join(RECORD);
        let length = match fs::symlink_metadata(&path) {
            Ok(metadata) if metadata.is_file() => metadata.len(),
            Ok(_) => return Ok(Found::Lost),
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Found::Lost),
            Err(error) => return Err(self.failed(RECORD, &error)),
        };
        if length > RECORD_MAX {
            return Ok(Found::Lost);
        }
        let bytes = fs::read(&path).map_err(|error| self.failed(RECORD, &error))?;
        let value: Option<serde_json::Value> = serde_json::from_slice(&bytes).ok();
        let format = value.as_ref().and_then(|value| value.get("format")).and_then(serde_json::Value::as_u64);
        if let Some(newer) =
            format.and_then(|format| u32::try_from(format).ok()).filter(|format| *format > FORMAT)
        {
            return Err(RunError::Newer { run: self.id.clone(), format: newer });
        }
        let record = value.and_then(|value| serde_json::from_value::<Record>(value).ok());
        Ok(match record.filter(|record| record.id == self.id) {
            Some(record) => Found::Record(Box::new(record)),
            None => Found::Lost,
        })
    }

    /// Keeps the record; on the disk when this returns. Blocks.
    pub(crate) fn keep(&self, record: &Record) -> Result<(), RunError> {
        let mut bytes = serde_json::to_vec_pretty(record)
            .map_err(|error| self.failed(RECORD, &io::Error::other(error)))?;
        bytes.push(b'\n');
        replace_small(&self.folder.join(RECORD), &bytes).map_err(|error| self.failed(RECORD, &error))
    }

    /// Puts a record that cannot be read aside, so that another can take its place. Blocks.
    pub(crate) fn set_aside(&self) -> Result<(), RunError> {
        match fs::read(self.folder.join(RECORD)) {
            Ok(bytes) => set_aside(&self.folder.join(RECORD), &bytes)
                .map(drop)
                .map_err(|error| self.failed(RECORD, &error)),
            Err(_) => Ok(()),
        }
    }

    fn failed(&self, what: &str, error: &io::Error) -> RunError {
        RunError::Io { what: format!("{RUNS}/{}/{what}", self.id), why: error.to_string() }
    }
}

/// A record made of the document alone: who wrote something is done, and the canon is made anew. A section with words that belongs to
/// nobody who can work here is a guest's; one that is not marked is the person's.
pub(crate) fn rebuilt(id: &str, draft: &Draft, roles: &[Role], person: &str, now: u64) -> Record {
    let is_role = |title: &String| roles.iter().any(|role| role.name.eq_ignore_ascii_case(title));
    let all = draft.titles().into_iter().filter(|title| title != CANON && title != PERSON);
    let titles: Vec<String> = all.collect();
    let known: Vec<String> = titles.iter().filter(|title| is_role(title)).cloned().collect();
    let guests = draft.guests(&known);
    let is_worker = |title: &String| is_role(title) || (!guests.contains(title) && draft.is_proposed(title));
    let mut workers: Vec<String> = titles.into_iter().filter(is_worker).collect();
    workers.dedup();
    let mut record = Record::new(id, &draft.title(), &workers, person, now);
    let done = |name: &String| Guest { phase: Phase::Done, ..Guest::new(name) };
    record.guests = guests.iter().take(GUESTS_MAX).map(done).collect();
    record.plan = plan::standing(&record.objective, &workers);
    for worker in &mut record.workers {
        if draft.section(&worker.name).is_ok_and(|text| !text.is_empty()) {
            worker.phase = Phase::Done;
            let own = record.plan.iter_mut().filter(|item| item.worker == worker.name);
            own.for_each(|item| item.state = ItemState::Done);
        }
    }
    // What stands in the canon may be the person's, so it is kept.
    record.canon.is_due = true;
    record.status = Status::Queued;
    record.decided("the record of the run was lost and made again from the document");
    record
}

/// The names of all runs, latest first. A name is made of the time, and so is its order.
pub(crate) fn names(root: &Path) -> Result<Vec<String>, RunError> {
    let failed = |error: io::Error| RunError::Io { what: RUNS.to_owned(), why: error.to_string() };
    let entries = match fs::read_dir(root.join(RUNS)) {
        Ok(entries) => entries,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(failed(error)),
    };
    let mut names = Vec::new();
    for entry in entries {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_str().map(str::to_owned);
        names.extend(name.filter(|name| check_name(name).is_ok() && entry.path().join("draft.md").is_file()));
    }
    names.sort_unstable_by(|one, other| other.cmp(one));
    Ok(names)
}

/// Refuses what could not be the name of a run, before any path is made of it.
pub(crate) fn check_name(id: &str) -> Result<(), RunError> {
    let is_plain = id.bytes().all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, b'-' | b'_'));
    if is_plain && !id.is_empty() && id.len() <= NAME_MAX {
        return Ok(());
    }
    Err(RunError::Name(id.chars().take(NAME_MAX).collect()))
}

/// An objective as it is kept: with something in it, and not without end.
pub(crate) fn objective(words: &str) -> Result<String, RunError> {
    let visible = |letter: char| !letter.is_whitespace() && !letter.is_control();
    if !words.chars().any(visible) {
        return Err(RunError::NoObjective);
    }
    Ok(words.get(..words.floor_char_boundary(OBJECTIVE_MAX)).unwrap_or(words).to_owned())
}
