//! What a person says to a run from elsewhere than its document. Never acts on it here: the conductor finds it in the person's section,
//! as if it was typed there.

use workspace::command::Actor as Hand;

use super::{Heard, Runs, document_of};
use crate::draft::PERSON;
use crate::error::RunError;
use crate::folder::RunFolder;
use crate::paper::Paper;
use crate::status::Status;

impl Runs {
    /// Says something to a run, as [`tell`](Self::tell) does. One that nobody works on is gone on with, so that somebody hears it.
    ///
    /// # Errors
    ///
    /// [`RunError`] if there is no such run, it was cancelled, or nothing was said.
    pub async fn direct(
        &self,
        id: &str,
        words: &str,
        person: &str,
        request: Option<&str>,
    ) -> Result<(), RunError> {
        match self.tell(id, words, person, request).await? {
            Heard::Now => Ok(()),
            Heard::Later => match self.open(id, None).await {
                // Somebody was quicker, and hears it.
                Ok(_) | Err(RunError::Held { .. }) => Ok(()),
                Err(error) => Err(error),
            },
        }
    }

    /// Says something to a run, as if it stood in the section of the person, and whether somebody hears it. Words without `/` or `@` are
    /// something more to do. `request` names what is said: under one name it is said once.
    ///
    /// # Errors
    ///
    /// [`RunError`] if there is no such run, it was cancelled, or nothing was said.
    pub async fn tell(
        &self,
        id: &str,
        words: &str,
        person: &str,
        request: Option<&str>,
    ) -> Result<Heard, RunError> {
        let folder = self.folder(id).await?;
        let status = self.show(folder.id()).await?.record.status;
        if status == Status::Cancelled {
            return Err(RunError::Over { run: folder.id().to_owned(), status: status.words() });
        }
        self.say(&folder, words, person, request).await?;
        if let Some(handle) = self.listening(folder.id()).await {
            let is_ending = handle.view.borrow().record.status.is_final();
            if !is_ending {
                return Ok(Heard::Now);
            }
            handle.gone().await;
        }
        match folder.lock(&self.inner.sidecar) {
            Ok(_lock) => Ok(Heard::Later),
            Err(RunError::Held { .. }) => Ok(Heard::Now),
            Err(error) => Err(error),
        }
    }

    /// Puts a line in the section of the person, once under this name.
    pub(super) async fn say(
        &self,
        folder: &RunFolder,
        words: &str,
        person: &str,
        request: Option<&str>,
    ) -> Result<(), RunError> {
        let line = words.split_whitespace().collect::<Vec<_>>().join(" ");
        if line.is_empty() {
            return Err(RunError::NoObjective);
        }
        let line = if line.starts_with(['/', '@']) { line } else { format!("/also {line}") };
        let paper = Paper::open(&self.inner.documents, &document_of(folder.id())).await?;
        paper.restore(&[PERSON.to_owned()]).await?;
        let name = request.map_or_else(|| uuid::Uuid::now_v7().to_string(), str::to_owned);
        let name = format!("{}/said/{name}", folder.id());
        paper.append(PERSON, &line, Hand::User(person.to_owned()), name).await.map(drop)
    }
}
