//! One owner and its commands, on a disk in memory.

mod commands;
mod concurrency;
mod disk;
mod late;
mod peers;
mod scenarios;
mod streams;

use std::time::Duration;

use tokio::task::JoinSet;
use workspace::command::{Actor, FileCommand, FileErrorKind, FileResult, Reply, Request};
use workspace::owner::{DocumentActor, DocumentHandle, Options};

use crate::memory_keeper::MemoryKeeper;

pub(crate) const RUN: &str = "# Compare\n\n## Conductor\n\n## Researcher\n<!-- proposal -->\nfound one\n\n## Terminal\n<!-- proposal -->\n\n## User\n<!-- proposal -->\n";

/// A document with its owner at work.
pub(crate) struct Desk {
    pub(crate) handle: DocumentHandle,
    pub(crate) keeper: MemoryKeeper,
    pub(crate) tasks: JoinSet<()>,
}

pub(crate) fn open(text: &str) -> Desk {
    open_with(text, Options { interval: Duration::ZERO, ..Options::default() })
}

pub(crate) fn open_with(text: &str, options: Options) -> Desk {
    open_kept(MemoryKeeper::holding(text), options)
}

pub(crate) fn open_kept(keeper: MemoryKeeper, options: Options) -> Desk {
    let (handle, actor) = DocumentActor::open("draft.md", Box::new(keeper.clone()), options).unwrap();
    let mut tasks = JoinSet::new();
    tasks.spawn(actor.run());
    Desk { handle, keeper, tasks }
}

pub(crate) fn worker(name: &str) -> Actor {
    Actor::Worker(name.into())
}

pub(crate) fn anna() -> Actor {
    Actor::User("anna".into())
}

pub(crate) fn append(section: &str, content: &str) -> FileCommand {
    FileCommand::AppendSection { path: "draft.md".into(), section: section.into(), content: content.into() }
}

pub(crate) fn rewrite(section: &str, content: &str) -> FileCommand {
    FileCommand::WriteSection { path: "draft.md".into(), section: section.into(), content: content.into() }
}

pub(crate) fn edit(section: &str, old: &str, new: &str) -> FileCommand {
    FileCommand::EditSection {
        path: "draft.md".into(),
        section: section.into(),
        old: old.into(),
        new: new.into(),
    }
}

pub(crate) fn write(content: &str) -> FileCommand {
    FileCommand::Write { path: "draft.md".into(), content: content.into() }
}

pub(crate) fn read() -> FileCommand {
    FileCommand::Read { path: "draft.md".into() }
}

pub(crate) fn read_section(section: &str) -> FileCommand {
    FileCommand::ReadSection { path: "draft.md".into(), section: section.into() }
}

pub(crate) fn refusal(reply: Reply) -> (FileErrorKind, String) {
    match reply.result {
        FileResult::Error { message, kind } => (kind, message),
        other => panic!("expected a refusal, got {other:?}"),
    }
}

pub(crate) fn bytes(reply: &Reply) -> usize {
    match &reply.result {
        FileResult::Written { bytes } => *bytes,
        other => panic!("expected a write, got {other:?}"),
    }
}

impl Desk {
    pub(crate) async fn ask(&self, request: Request) -> Reply {
        self.handle.execute(request).await
    }
}
