//! Answers that a crash left on their way, brought home through the same merge.

use std::path::{Path, PathBuf};

use document::frontmatter::Write;
use workspace::owner::Options;
use workspace::pending::Pending;
use workspace::reach::Reach;
use workspace::recovery;
use workspace::session::delivery::{Delivery, Flushed, Order, Upto};
use workspace::session::layout::{Layout, Place};
use workspace::sidecar::{DocumentPaths, Sidecar};
use workspace::snapshot::Snapshot;

use super::desk::{Desk, added};

const START: &str =
    "---\nsession: a\nagent_doc_mode: stream\n---\n<!-- agent:exchange -->\nq?\n<!-- /agent:exchange -->\n";
const ANSWER: &str = "One line.\n\nAnother line.\n\nThe last line.\n";

/// Where a delivery is killed.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Killed {
    BeforeAnything,
    AfterHalf,
    AfterAll,
    /// The snapshot is set, and the answer seems to wait still.
    BeforeForgotten,
}

const ALL: [Killed; 4] =
    [Killed::BeforeAnything, Killed::AfterHalf, Killed::AfterAll, Killed::BeforeForgotten];

/// Each place in each document.
fn everywhere() -> Vec<(Killed, String)> {
    ALL.into_iter().flat_map(|killed| texts().map(|text| (killed, text))).collect()
}

impl Killed {
    /// Whether all of the answer is in the document.
    fn has_all(self) -> bool {
        matches!(self, Killed::AfterAll | Killed::BeforeForgotten)
    }
}

struct Broken {
    desk: Desk,
    paths: DocumentPaths,
}

/// A document of which all but the question was answered before. Of a long one only the edits are kept that make the texts of each
/// other.
fn texts() -> [String; 2] {
    [START.to_owned(), format!("{START}\n# Notes\n\n{}", "A line that nobody asks about.\n".repeat(4000))]
}

async fn broken(killed: Killed, start: &str) -> Broken {
    let desk = Desk::new(start, Vec::new());
    let sidecar = Sidecar::open(desk.root()).unwrap();
    let paths = desk.file().paths(&sidecar, start).unwrap();
    Snapshot::at(&paths.snapshot).set(&start.replace("q?\n", "")).unwrap();
    let order = Order {
        id: "turn".into(),
        author: "claude".into(),
        time: 1,
        layout: Layout::Stream { target: Place::Component("exchange".into()), thinking: None },
        write: Write::Crdt,
        path: "notes.md".into(),
        baseline: start.into(),
        is_earlier: false,
    };
    let mut reach = Reach::open(desk.root(), Options::default()).await.unwrap();
    let mut delivery = Delivery::begin(&paths, order).unwrap();
    let has_edits =
        files(&paths.pending_dir).iter().any(|(path, _)| path.extension().is_some_and(|end| end == "edits"));
    assert_eq!(has_edits, start != START);
    let (half, rest) = ANSWER.split_at(ANSWER.find("The last").unwrap());
    delivery.say(half);
    if killed != Killed::BeforeAnything {
        assert_eq!(delivery.flush(&mut reach, Upto::Steady).await.unwrap(), Flushed::Written);
    }
    delivery.say(rest);
    delivery.complete();
    delivery.keep().unwrap();
    if killed.has_all() {
        assert_eq!(delivery.flush(&mut reach, Upto::End).await.unwrap(), Flushed::Written);
    }
    if killed == Killed::BeforeForgotten {
        let waiting = files(&paths.pending_dir);
        delivery.settle().unwrap();
        for (path, bytes) in waiting {
            std::fs::write(path, bytes).unwrap();
        }
    } else {
        drop(delivery);
    }
    reach.close().await;
    Broken { desk, paths }
}

/// What lies in a folder.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| (path.clone(), std::fs::read(path).unwrap())).collect()
}

impl Broken {
    async fn recover(&self) -> usize {
        let mut reach = Reach::open(self.desk.root(), Options::default()).await.unwrap();
        let done = recovery::complete(&mut reach, "notes.md".as_ref(), &self.paths, 5).await.unwrap();
        reach.close().await;
        done.len()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_is_brought_home_once_wherever_it_was_broken_off() {
    for (killed, start) in everywhere() {
        let broken = broken(killed, &start).await;
        assert_eq!(broken.recover().await, usize::from(!killed.has_all()), "{killed:?}");
        let expected = start.replace("q?\n", &format!("q?\n\n{ANSWER}"));
        assert_eq!(broken.desk.text(), expected, "{killed:?}");
        assert!(broken.desk.change().is_empty, "{killed:?}");
        assert_eq!(broken.recover().await, 0);
        assert_eq!(broken.desk.text(), expected);
        assert!(Pending::at(&broken.paths.pending_dir).list().unwrap().is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn edits_after_the_crash_stay_and_are_the_next_change() {
    for (killed, start) in everywhere() {
        let broken = broken(killed, &start).await;
        broken.desk.append("my line after it\n");
        broken.recover().await;
        let text = broken.desk.text();
        for line in ["One line.", "Another line.", "The last line.", "my line after it"] {
            assert_eq!(text.matches(line).count(), 1, "{killed:?}: {text}");
        }
        assert_eq!(added(&broken.desk.change()), ["my line after it"], "{killed:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_whose_place_is_gone_waits_until_it_is_back() {
    let broken = broken(Killed::AfterHalf, START).await;
    let whole = broken.desk.text();
    broken.desk.write("---\nsession: a\n---\nnotes\n");
    let mut reach = Reach::open(broken.desk.root(), Options::default()).await.unwrap();
    let done = recovery::complete(&mut reach, "notes.md".as_ref(), &broken.paths, 5).await;
    reach.close().await;
    assert!(done.unwrap_err().to_string().contains("place of an answer"));
    broken.desk.write(&whole);
    assert_eq!(broken.recover().await, 1);
    assert!(broken.desk.text().contains("The last line.\n<!-- /agent:exchange -->"));
}
