//! What an agent of others says to a run: that it is done. Never gives a guest a part in a run that the person has ended, and never lets
//! a run that was interrupted go on because of one.

use tokio::time::Instant;

use super::{Heard, PATIENCE, PAUSE, Runs};
use crate::error::RunError;
use crate::folder::RunFolder;
use crate::mark::{Mark, Marks};
use crate::record::Record;
use crate::role;
use crate::status::Status;

/// Characters of what a guest says at its end.
const SUMMARY_CHARS: usize = 1000;

impl Runs {
    /// A guest says that it is done. What it wrote is merged, also into a run that was over.
    ///
    /// # Errors
    ///
    /// [`RunError`] if it has added nothing since it last said so, if it is no guest, or if the person has ended the run.
    pub async fn finished(&self, id: &str, guest: &str, summary: &str) -> Result<Heard, RunError> {
        let folder = self.folder(id).await?;
        let view = self.show(folder.id()).await?;
        check_guest(&view.record, guest)?;
        if view.record.status == Status::Cancelled {
            return Err(RunError::Over { run: folder.id().to_owned(), status: Status::Cancelled.words() });
        }
        let mark = self.marked(&folder, guest, summary).await?;
        let begun = Instant::now();
        while begun.elapsed() < PATIENCE {
            let lock = match folder.lock(&self.inner.sidecar) {
                Ok(lock) => Some(lock),
                // Whoever works on it looks for what guests say.
                Err(RunError::Held { .. }) => None,
                Err(error) => return Err(error),
            };
            let record = self.show(folder.id()).await?.record;
            if record.guest(guest).and_then(|guest| guest.finished.as_ref()) == Some(&mark.id) {
                return Ok(Heard::Now);
            }
            match lock {
                None => tokio::time::sleep(PAUSE).await,
                // Workers are begun again by a person, and not by an agent of others.
                Some(_) if !record.status.is_final() => return Ok(Heard::Later),
                Some(lock) => {
                    drop(lock);
                    self.open(folder.id(), None).await?;
                }
            }
        }
        Ok(Heard::Later)
    }

    /// Keeps the last word of a guest.
    async fn marked(&self, folder: &RunFolder, guest: &str, summary: &str) -> Result<Mark, RunError> {
        let draft = self.draft(folder.id()).await?;
        let is_silent = !draft.section(guest).is_ok_and(|text| !text.is_empty());
        let mark = Mark {
            id: uuid::Uuid::now_v7().to_string(),
            guest: guest.to_owned(),
            summary: summary.trim().chars().take(SUMMARY_CHARS).collect(),
            section: draft.sum_of(guest),
        };
        let (marks, kept) = (Marks::of(&self.inner.sidecar, folder.id()), mark.clone());
        let keep = move || {
            let is_said = marks.last(&kept.guest).is_some_and(|last| last.section == kept.section);
            if is_silent || is_said {
                return Err(RunError::Unreported(kept.guest));
            }
            let failed =
                |error: std::io::Error| RunError::Io { what: "guests".to_owned(), why: error.to_string() };
            marks.keep(&kept).map_err(failed)
        };
        tokio::task::spawn_blocking(keep).await.map_err(|_| RunError::Closing)??;
        Ok(mark)
    }
}

/// Whether somebody of this name may be a guest of a run.
///
/// # Errors
///
/// [`RunError::Taken`] if a worker has the name.
pub fn check_guest(record: &Record, name: &str) -> Result<(), RunError> {
    let is_worker = record.workers.iter().any(|worker| worker.name.eq_ignore_ascii_case(name));
    if is_worker || !role::is_name(name) {
        return Err(RunError::Taken(name.to_owned()));
    }
    Ok(())
}
