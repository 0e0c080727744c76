//! The commands on session documents. Never decides what an answer is or where it goes; the workspace does.

pub(crate) mod compact;
pub(crate) mod convert;
pub(crate) mod git;
pub(crate) mod init;
pub(crate) mod patch;
mod progress;
pub(crate) mod reset;
pub(crate) mod turn;
pub(crate) mod watch;
pub(crate) mod write;

use std::path::Path;

use anyhow::{Context as _, Result};
use workspace::SharedText;
use workspace::command::{Actor, FileCommand, FileErrorKind, FileResult};
use workspace::reach::{Reach, ReachError};
use workspace::session::file::SessionFile;

use crate::refusal::Refusal;
use crate::{input, reach};

/// How often a document may change between reading and writing it before we give up.
const RACES_MAX: usize = 100;

/// The document that a person named.
pub(super) fn found(file: &Path) -> Result<SessionFile> {
    if input::is_standard(file) {
        return Err(Refusal::new("standard input is no document", "name a file").into());
    }
    let whole = input::whole(file)?;
    SessionFile::at(&whole).map_err(|error| Refusal::new(error.to_string(), "rename the file").into())
}

/// Changes a document through its owner; `change` may be asked again if somebody else changes the document meanwhile. The revision that
/// came of it; none if there was nothing to change.
fn changed(
    file: &SessionFile,
    name: &str,
    author: &str,
    change: impl Fn(&str) -> Result<String>,
) -> Result<Option<u64>> {
    let done =
        reach::run(name, &file.root, async |reach| Ok(change_through(reach, file, author, &change).await))?;
    done.with_context(|| {
        Refusal::new(format!("{name} was not changed"), "see the cause; the document is as it was")
    })
}

async fn change_through(
    reach: &mut Reach,
    file: &SessionFile,
    author: &str,
    change: &impl Fn(&str) -> Result<String>,
) -> Result<Option<u64>> {
    for _ in 0..RACES_MAX {
        let (text, revision) = read(reach, &file.path).await?;
        let new = change(&text)?;
        if *new == *text {
            return Ok(None);
        }
        let write = FileCommand::Write { path: file.path.clone(), content: new.into() };
        let reply = reach.execute(write.by(Actor::User(author.to_owned())).on(revision)).await?;
        match reply.result {
            FileResult::Error { kind: FileErrorKind::Conflict { .. }, .. } => {}
            FileResult::Error { message, .. } => anyhow::bail!(message),
            FileResult::Written { .. }
            | FileResult::Content { .. }
            | FileResult::SectionContent { .. }
            | FileResult::Created { .. } => return Ok(Some(reply.revision)),
        }
    }
    anyhow::bail!("others keep writing {}", file.path)
}

async fn read(reach: &mut Reach, path: &str) -> Result<(SharedText, u64)> {
    let read = FileCommand::Read { path: path.to_owned() }.by(Actor::System);
    let reply = reach.execute(read).await.map_err(|error: ReachError| anyhow::Error::new(error))?;
    match reply.result {
        FileResult::Content { content } => Ok((content, reply.revision)),
        FileResult::Error { message, .. } => anyhow::bail!(message),
        FileResult::Written { .. } | FileResult::SectionContent { .. } | FileResult::Created { .. } => {
            anyhow::bail!("{path}: no text came back; try again")
        }
    }
}
