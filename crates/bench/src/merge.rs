//! What a merge costs beside its floor: copying the text, reading and writing the file, and git's own program.
//! Never judges by wall time, which other work on the machine moves; wall time is only shown.

use std::fs::{self, File};
use std::hint::black_box;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use anyhow::{Context as _, Result};
use document::{Anchor, Author, Document};

use super::Size;
use super::io::Scratch;
use super::measure::{Cost, child, median, median_of, once};
use super::page::{answer, page, three_lines_changed};
use super::table::{Table, bytes, ratio, time};

const SIZES: &[usize] = &[10_000, 100_000, 1_000_000, 10_000_000];
const SIZES_SMOKE: &[usize] = &[10_000];
/// The size that the targets are stated for.
const JUDGED_BYTES: usize = 1_000_000;

/// Prints all costs of all sizes, and whether the targets are reached.
pub(crate) fn run(size: Size) -> Result<()> {
    let sizes = match size {
        Size::Full => SIZES,
        Size::Smoke => SIZES_SMOKE,
    };
    let scratch = Scratch::new(crate::folder("merge"))?;
    let mut table = Table::new(&[
        "cpu",
        "copy",
        "compare",
        "merge",
        "live",
        "in session",
        "read+write",
        "durable",
        "durable wall",
        "git",
        "merge/rw",
        "git/merge",
    ]);
    let mut judged = None;
    for &length in sizes {
        let rounds = match size {
            Size::Full => (20_000_000 / length).clamp(7, 201),
            Size::Smoke => 1,
        };
        let row = Row::measure(scratch.folder(), length, rounds)?;
        table.row(row.cells(length));
        if length == JUDGED_BYTES {
            judged = Some(row);
        }
    }
    println!("{table}");
    if let Some(row) = judged {
        row.judge();
    }
    Ok(())
}

struct Row {
    copy: Duration,
    compare: Duration,
    merge: Duration,
    live: Duration,
    in_session: Duration,
    read_write: Duration,
    durable: Cost,
    git: Duration,
}

impl Row {
    fn measure(folder: &Path, length: usize, rounds: usize) -> Result<Row> {
        let base = page(length);
        let ours = format!("{base}{}", answer());
        let theirs = three_lines_changed(&base, 0);
        let same = base.clone();
        let merge = median_of(rounds, || Ok(document::merge::merge(&base, &ours, &theirs)))?;
        let copy = median_of(rounds, || Ok(black_box(base.as_str()).to_owned()))?;
        let compare = median_of(rounds, || Ok(black_box(black_box(&base) == black_box(&same))))?;
        let path = folder.join("document.md");
        let read_write = median_of(rounds, || {
            let text = fs::read(&path).unwrap_or_default();
            fs::write(&path, &base)?;
            Ok(text)
        })?;
        let durable = median_of(rounds.min(15), || replace(&path, base.as_bytes()))?;
        Ok(Row {
            copy: copy.cpu,
            compare: compare.cpu,
            merge: merge.cpu,
            live: live(&base, rounds, Peers::None)?,
            in_session: live(&base, rounds, Peers::Some)?,
            read_write: read_write.cpu,
            durable,
            git: git(folder, [&base, &ours, &theirs], rounds.min(15))?,
        })
    }

    fn cells(&self, length: usize) -> [String; 12] {
        [
            bytes(length),
            time(self.copy),
            time(self.compare),
            time(self.merge),
            time(self.live),
            time(self.in_session),
            time(self.read_write),
            time(self.durable.cpu),
            time(self.durable.wall),
            time(self.git),
            ratio(self.merge, self.read_write),
            ratio(self.git, self.merge),
        ]
    }

    fn judge(&self) {
        let say = |target: &str, is_reached: bool| {
            println!("{:<11} {target}", if is_reached { "reached" } else { "NOT reached" });
        };
        say("1 MB: merge at most half the cpu of read+write", self.merge * 2 <= self.read_write);
        say("1 MB: a live flush at most 1 ms", self.live <= Duration::from_millis(1));
        say("1 MB: a live flush with peers at most 1 ms", self.in_session <= Duration::from_millis(1));
        say("1 MB: at least 50 times less cpu than git", self.git >= self.merge * 50);
    }
}

/// Whether web peers hold a session open.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Peers {
    None,
    Some,
}

/// A document that is being written in, and the place where its agent writes.
pub(super) struct Live {
    document: Document,
    anchor: Anchor,
    person: Author,
    agent: Author,
}

impl Live {
    pub(super) fn open(text: &str, peers: Peers) -> Result<Live> {
        let person = Author::new("person");
        let mut document = Document::open(text, &person);
        if peers == Peers::Some {
            document.open_session();
        }
        let anchor = document.anchor_at(a_third_into(text))?;
        Ok(Live { document, anchor, person, agent: Author::new("agent") })
    }

    /// The agent goes on at the line a third into the text as it is now.
    pub(super) fn begin_answer(&mut self) -> Result<()> {
        self.document.release(self.anchor);
        self.anchor = self.document.anchor_at(a_third_into(self.document.text()))?;
        Ok(())
    }

    pub(super) fn document(&self) -> &Document {
        &self.document
    }

    /// One flush: what the person saved comes in, what the agent wrote is added, and the file holds it.
    pub(super) fn flush(&mut self, saved: &str, added: &str) -> Result<()> {
        self.document.absorb(saved, &self.person);
        self.document.insert_at(self.anchor, added, &self.agent)?;
        self.document.publish();
        black_box(self.document.drain_updates());
        Ok(())
    }

    /// Measures a flush of one answer and three changed lines; the person's part is made before the clock runs.
    pub(super) fn measure(&mut self, stamp: usize) -> Result<Cost> {
        let saved = three_lines_changed(self.document.text(), stamp);
        Ok(once(|| self.flush(&saved, &answer()))?.0)
    }
}

/// Where a line begins, about a third into the text.
fn a_third_into(text: &str) -> usize {
    let third = text.floor_char_boundary(text.len() / 3);
    let line = text.get(..third).and_then(|head| head.rfind('\n'));
    line.map_or(0, |newline| newline + 1)
}

fn live(base: &str, rounds: usize, peers: Peers) -> Result<Duration> {
    let mut live = Live::open(base, peers)?;
    live.measure(0)?;
    let costs = (1..=rounds).map(|stamp| Ok(live.measure(stamp)?.cpu)).collect::<Result<Vec<Duration>>>()?;
    median(costs).context("no rounds")
}

fn git(folder: &Path, texts: [&str; 3], rounds: usize) -> Result<Duration> {
    for (name, text) in ["base", "ours", "theirs"].iter().zip(texts) {
        fs::write(folder.join(name), text)?;
    }
    let costs = (0..rounds)
        .map(|_| {
            let mut command = Command::new("git");
            command.args(["merge-file", "-p", "--diff3", "ours", "base", "theirs"]);
            Ok(child(command.current_dir(folder).stdout(Stdio::null()))?.cpu)
        })
        .collect::<Result<Vec<Duration>>>()?;
    median(costs).context("no rounds")
}

/// Writes a sibling, syncs it and renames it over `path`, as a flush has to; reads the old file first.
fn replace(path: &Path, content: &[u8]) -> Result<Vec<u8>> {
    let old = fs::read(path)?;
    let sibling = path.with_extension("new");
    let mut file = File::create(&sibling)?;
    file.write_all(content)?;
    file.sync_all()?;
    fs::rename(&sibling, path)?;
    Ok(old)
}
