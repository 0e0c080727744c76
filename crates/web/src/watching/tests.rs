//! Tests of what is said about the watching itself.

use workspace::project;
use workspace::watch::{Options, Source};

use super::Watching;
use crate::wire::WireWatched;

#[tokio::test]
async fn a_document_whose_changes_are_found_by_looking_is_known_to_be() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("plan.md"), "# Plan\n").unwrap();
    let hub = project::open(folder.path(), workspace::owner::Options::default()).unwrap();
    let told = Watching::with(&hub, Options::default());
    told.document("plan.md");
    assert_eq!(told.how("plan.md"), WireWatched::Told);
    let looking = Watching::with(&hub, Options { source: Source::Polling, ..Options::default() });
    looking.document("plan.md");
    assert_eq!(looking.how("plan.md"), WireWatched::Looking);
}
