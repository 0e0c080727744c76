//! `agent-doc restore`: a document as it was, made what it is, by its owner. Never takes a text out of the history, and never
//! writes over what was saved since we looked.

use anyhow::Result;
use workspace::command::{Actor, FileCommand, FileErrorKind, FileResult, Reply};
use workspace::reach::{Reach, ReachError};

use crate::arguments::Restore;
use crate::past::Past;
use crate::refusal::Refusal;
use crate::{output, reach};

pub(crate) fn run(given: &Restore) -> Result<()> {
    let past = Past::find(&given.file)?;
    let history = past.history()?;
    let wanted = past.text_at(&history, given.revision)?;
    if past.text.as_ref() == Some(&wanted) {
        output::notice(&format!("{} is as it was at revision {}", past.name, given.revision));
        return Ok(());
    }
    let path = past.relative()?;
    let (before, reply) = reach::run(&past.name, &past.root, async |reach| write(reach, path, wanted).await)?;
    match reply.result {
        FileResult::Error { message, kind: FileErrorKind::Conflict { .. } } => {
            Err(Refusal::new(message, "nothing was written; try again").into())
        }
        FileResult::Error { message, .. } => {
            let remedy = format!(
                "'agent-doc diff {} --revision {}' shows what it would change",
                past.name, given.revision
            );
            Err(Refusal::new(message, remedy).into())
        }
        FileResult::Written { .. }
        | FileResult::Content { .. }
        | FileResult::SectionContent { .. }
        | FileResult::Created { .. } => {
            let before = before.unwrap_or(history.latest_revision());
            output::notice(&format!(
                "{} is as it was at revision {}; to undo this, restore revision {before}",
                past.name, given.revision
            ));
            Ok(())
        }
    }
}

/// Has the whole text written on the grounds of what stands there. Gives the revision of that, too; none for a document that is gone.
async fn write(reach: &mut Reach, path: String, content: String) -> Result<(Option<u64>, Reply), ReachError> {
    let person = Actor::User(reach::PERSON.to_owned());
    let read = reach.execute(FileCommand::Read { path: path.clone() }.by(person.clone())).await?;
    let request = FileCommand::Write { path, content: content.into() }.by(person);
    match read.result {
        FileResult::Error { kind: FileErrorKind::NotFound, .. } => Ok((None, reach.execute(request).await?)),
        FileResult::Error { .. } => Ok((None, read)),
        FileResult::Content { .. }
        | FileResult::Written { .. }
        | FileResult::SectionContent { .. }
        | FileResult::Created { .. } => {
            Ok((Some(read.revision), reach.execute(request.on(read.revision)).await?))
        }
    }
}
