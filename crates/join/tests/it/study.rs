//! A project with one document and a door to it.

use std::path::PathBuf;

use join::Door;
use tempfile::TempDir;
use workspace::command::{Actor, FileCommand, FileResult};
use workspace::documents::Documents;
use workspace::owner::Options;

pub(crate) const PLAN: &str = "# Plan\n\n## Conductor\n\nThe canon.\n\n## User\n";

pub(crate) struct Study {
    _folder: TempDir,
    root: PathBuf,
    pub(crate) documents: Documents,
}

impl Study {
    pub(crate) fn new() -> Study {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        std::fs::write(root.join("plan.md"), PLAN).unwrap();
        let documents = Documents::new(root.clone(), Options::default());
        Study { _folder: folder, root, documents }
    }

    pub(crate) fn door(&self, name: Option<&str>) -> Door {
        Door::new(self.documents.clone(), "plan.md", name, "test").unwrap()
    }

    pub(crate) fn text(&self) -> String {
        std::fs::read_to_string(self.root.join("plan.md")).unwrap()
    }

    /// Somebody else appends to a section.
    pub(crate) async fn append(&self, section: &str, content: &str, actor: Actor) {
        let command = FileCommand::AppendSection {
            path: "plan.md".to_owned(),
            section: section.to_owned(),
            content: content.to_owned(),
        };
        let reply = self.documents.execute(command.by(actor)).await.unwrap();
        assert!(matches!(reply.result, FileResult::Written { .. }), "{reply:?}");
    }
}
