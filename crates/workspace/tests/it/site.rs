//! A project on the real disk with its hub, as tests see it: documents by name, a person who saves, workers who append. Never
//! looks inside of the state folder for a test that does not ask.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use tempfile::TempDir;
use workspace::command::{Actor, FileCommand, FileErrorKind, FileResult, Reply};
use workspace::hub::Hub;
use workspace::journal::{History, Journal};
use workspace::owner::{DocumentHandle, Options};
use workspace::sidecar::Sidecar;

pub(crate) const PLAN: &str = "# Plan\n\n## Log\n\n## Last\n\nend\n";

pub(crate) struct Site {
    pub(crate) folder: TempDir,
    pub(crate) hub: Hub,
}

pub(crate) fn options() -> Options {
    Options { interval: Duration::ZERO, ..Options::default() }
}

impl Site {
    /// A project with these documents.
    pub(crate) fn with(documents: &[(&str, &str)]) -> Site {
        let folder = tempfile::tempdir().unwrap();
        for (name, text) in documents {
            fs::write(folder.path().join(name), text).unwrap();
        }
        Site::in_folder(folder)
    }

    pub(crate) fn in_folder(folder: TempDir) -> Site {
        Site::in_folder_with(folder, options())
    }

    pub(crate) fn in_folder_with(folder: TempDir, options: Options) -> Site {
        let hub = workspace::project::open(folder.path(), options).unwrap();
        Site { folder, hub }
    }

    /// Ends in order, and gives the folder for whatever happens while nobody runs.
    pub(crate) async fn close(self) -> TempDir {
        self.hub.shutdown().await;
        self.folder
    }

    pub(crate) async fn restarted(self) -> Site {
        Site::in_folder(self.close().await)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    /// A person saves, and the owner has taken it in.
    pub(crate) async fn save(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
        let handle = self.document(name).await;
        handle.file_changed();
        handle.settled().await;
    }

    pub(crate) async fn document(&self, name: &str) -> DocumentHandle {
        self.hub.document(name).await.unwrap()
    }

    pub(crate) async fn append(&self, name: &str, line: &str) -> Reply {
        self.hub.execute(append(name, line).by(log()).named(line)).await
    }
}

pub(crate) fn append(name: &str, line: &str) -> FileCommand {
    FileCommand::AppendSection { path: name.into(), section: "Log".into(), content: line.into() }
}

pub(crate) fn log() -> Actor {
    Actor::Worker("Log".into())
}

pub(crate) fn journal_path(root: &Path, name: &str) -> PathBuf {
    Sidecar::open(&root.canonicalize().unwrap()).unwrap().paths_for(Path::new(name), None).unwrap().journal
}

/// What the journal of a document holds.
pub(crate) fn history(root: &Path, name: &str) -> History {
    Journal::read(&journal_path(root, name)).unwrap().0
}

pub(crate) fn is_written(reply: &Reply) -> bool {
    matches!(reply.result, FileResult::Written { .. })
}

pub(crate) fn refusal(reply: &Reply) -> (FileErrorKind, String) {
    match &reply.result {
        FileResult::Error { message, kind } => {
            assert!(!message.contains("/tmp"), "{message}");
            (kind.clone(), message.clone())
        }
        other => panic!("expected a refusal, got {other:?}"),
    }
}

/// Options with a clock that stands still.
pub(crate) fn at(time: u64) -> Options {
    Options { clock: Arc::new(move || time), ..options() }
}
