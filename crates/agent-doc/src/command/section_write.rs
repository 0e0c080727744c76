//! `agent-doc section append|write|edit`: a section written through the document's owner. Never writes a file itself.

use std::path::{Path, PathBuf};

use anyhow::Result;
use workspace::command::{Actor, FileCommand, FileResult, Reply, Request};
use workspace::reach::{Reach, ReachError};
use workspace::sidecar::root_of;

use crate::arguments::{SectionAppend, SectionEdit, SectionPlace, SectionWrite};
use crate::refusal::Refusal;
use crate::{input, output, reach};

pub(crate) fn append(given: &SectionAppend) -> Result<()> {
    let content = content(given.text.as_deref())?;
    perform(&given.place, |path, section| FileCommand::AppendSection { path, section, content })
}

pub(crate) fn write(given: &SectionWrite) -> Result<()> {
    let content = content(given.text.as_deref())?;
    perform(&given.place, |path, section| FileCommand::WriteSection { path, section, content })
}

pub(crate) fn edit(given: &SectionEdit) -> Result<()> {
    let (old, new) = (given.old.clone(), given.new.clone());
    perform(&given.place, |path, section| FileCommand::EditSection { path, section, old, new })
}

fn content(text: Option<&str>) -> Result<String> {
    match text {
        Some(text) => Ok(text.to_owned()),
        None => input::read(Path::new("-")),
    }
}

/// Has the document's owner do it, and says which revision came of it.
fn perform(place: &SectionPlace, command: impl FnOnce(String, String) -> FileCommand) -> Result<()> {
    let name = input::shown(&place.file);
    let (root, relative) = located(&place.file)?;
    let actor = match place.writer.as_deref() {
        None => Actor::User(reach::PERSON.to_owned()),
        Some("conductor") => Actor::Conductor,
        Some(worker) => Actor::Worker(worker.to_owned()),
    };
    let mut request = command(relative, place.title.clone()).by(actor);
    request.base = place.base;
    request.request_id.clone_from(&place.request);
    let reply = reach::run(&name, &root, async |reach| asked(reach, request).await)?;
    match reply.result {
        FileResult::Error { message, .. } => Err(Refusal::new(
            message,
            "nothing was written; 'agent-doc section read' shows what is there now",
        )
        .into()),
        FileResult::Written { .. }
        | FileResult::Content { .. }
        | FileResult::SectionContent { .. }
        | FileResult::Created { .. } => {
            output::notice(&format!("{name}: revision {}", reply.revision));
            Ok(())
        }
    }
}

/// Asks on the grounds of the named revision, or of the one that the document has now.
async fn asked(reach: &mut Reach, mut request: Request) -> Result<Reply, ReachError> {
    if request.base.is_none()
        && let FileCommand::WriteSection { path, section, .. }
        | FileCommand::EditSection { path, section, .. } = &request.command
    {
        let (path, section) = (path.clone(), section.clone());
        let read = FileCommand::ReadSection { path, section }.by(request.actor.clone());
        request.base = Some(reach.execute(read).await?.revision);
    }
    reach.execute(request).await
}

/// The root of the project that a file belongs to, and the file's path in it.
fn located(file: &Path) -> Result<(PathBuf, String)> {
    let name = input::shown(file);
    if input::is_standard(file) {
        return Err(Refusal::new("standard input cannot be written", "name a file").into());
    }
    let place = input::whole(file)?;
    let root = root_of(&place).to_owned();
    let relative = place.strip_prefix(&root).unwrap_or(&place).to_str().map(str::to_owned);
    let relative = relative.ok_or_else(|| {
        Refusal::new(format!("the name of {name} is not UTF-8"), "rename the file, then try again")
    })?;
    Ok((root, relative))
}
