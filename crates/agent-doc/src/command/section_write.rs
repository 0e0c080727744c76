//! `agent-doc section append|write|edit`: a section written through the document's owner. Never writes a file itself.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use web::remote::{Remote, Said};
use web::wire::{SectionCall, SectionChange};
use workspace::command::{Actor, FileCommand, FileResult, Reply, Request};
use workspace::hub::Hub;
use workspace::owner::Options;
use workspace::project;
use workspace::sidecar::root_of;

use crate::arguments::{SectionAppend, SectionEdit, SectionPlace, SectionWrite};
use crate::refusal::Refusal;
use crate::{input, output};

pub(crate) fn append(given: &SectionAppend) -> Result<()> {
    let content = content(given.text.as_deref())?;
    perform(&given.place, SectionChange::Append { content })
}

pub(crate) fn write(given: &SectionWrite) -> Result<()> {
    let content = content(given.text.as_deref())?;
    perform(&given.place, SectionChange::Write { content })
}

pub(crate) fn edit(given: &SectionEdit) -> Result<()> {
    let (old, new) = (given.old.clone(), given.new.clone());
    perform(&given.place, SectionChange::Edit { old, new })
}

fn content(text: Option<&str>) -> Result<String> {
    match text {
        Some(text) => Ok(text.to_owned()),
        None => input::read(Path::new("-")),
    }
}

/// Has the document's owner do it, and says which revision came of it.
fn perform(place: &SectionPlace, change: SectionChange) -> Result<()> {
    let name = input::shown(&place.file);
    let (root, path) = located(&place.file)?;
    let section = place.title.clone();
    if let Some(remote) = Remote::find(&root) {
        let call = SectionCall { path, section, writer: place.writer.clone(), change };
        return perform_there(&remote, &call, place.base, &name);
    }
    let actor = match place.writer.as_deref() {
        None => Actor::User("user".to_owned()),
        Some("conductor") => Actor::Conductor,
        Some(worker) => Actor::Worker(worker.to_owned()),
    };
    let command = match change {
        SectionChange::Append { content } => FileCommand::AppendSection { path, section, content },
        SectionChange::Write { content } => FileCommand::WriteSection { path, section, content },
        SectionChange::Edit { old, new } => FileCommand::EditSection { path, section, old, new },
    };
    let request = command.by(actor);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build()?;
    let reply = runtime.block_on(async {
        let hub = project::open(&root, Options::default()).with_context(|| {
            Refusal::new(
                format!("{name} cannot be written"),
                "look at the project's folder, or run 'agent-doc doctor'",
            )
        })?;
        let reply = asked(&hub, request, place.base).await;
        hub.shutdown().await;
        anyhow::Ok(reply)
    })?;
    match reply.result {
        FileResult::Error { message, .. } => Err(refused(message).into()),
        FileResult::Written { .. }
        | FileResult::Content { .. }
        | FileResult::SectionContent { .. }
        | FileResult::Created { .. } => {
            output::notice(&format!("{name}: revision {}", reply.revision));
            Ok(())
        }
    }
}

/// Has the server do it that has the document open.
fn perform_there(remote: &Remote, call: &SectionCall, base: Option<u64>, name: &str) -> Result<()> {
    let silent = || {
        let what = format!("the server that has {name} open did not answer");
        Refusal::new(what, "look whether 'agent-doc serve' still runs; the text may have been written")
    };
    let base = base.map_or_else(|| remote.revision(&call.path), Ok).with_context(silent)?;
    match remote.section(call, base).with_context(silent)? {
        Said::Done(done) => {
            output::notice(&format!("{name}: revision {}", done.revision));
            Ok(())
        }
        Said::Refused(problem) => Err(refused(problem.message).into()),
    }
}

fn refused(message: String) -> Refusal {
    Refusal::new(message, "nothing was written; 'agent-doc section read' shows what is there now")
}

/// Asks on the grounds of the named revision, or of the one that the document has now.
async fn asked(hub: &Hub, request: Request, base: Option<u64>) -> Reply {
    let path = request.command.path().unwrap_or_default().to_owned();
    let base = match (base, hub.document(&path).await) {
        (Some(base), _) => base,
        (None, Ok(handle)) => handle.read().revision,
        (None, Err(_)) => 0,
    };
    hub.execute(request.on(base)).await
}

/// The root of the project that a file belongs to, and the file's path in it.
fn located(file: &Path) -> Result<(PathBuf, String)> {
    let name = input::shown(file);
    if input::is_standard(file) {
        return Err(Refusal::new("standard input cannot be written", "name a file").into());
    }
    let place = file.canonicalize().with_context(|| {
        Refusal::new(format!("{name} does not exist"), "check the path, and the folder you are in")
    })?;
    let root = root_of(&place).to_owned();
    let relative = place.strip_prefix(&root).unwrap_or(&place).to_str().map(str::to_owned);
    let relative = relative.ok_or_else(|| {
        Refusal::new(format!("the name of {name} is not UTF-8"), "rename the file, then try again")
    })?;
    Ok((root, relative))
}
