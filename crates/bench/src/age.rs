//! What thousands of flushes leave behind in a living document: time, memory and size, beside its own first flushes and beside
//! a fresh document with the same text. Never counts single allocations: memory is what the system says this process holds.

use std::fs;
use std::time::Duration;

use anyhow::{Context as _, Result};
use document::Document;

use super::Size;
use super::measure::{median, once};
use super::merge::{Live, Peers};
use super::page::{line, page, three_lines_changed};
use super::table::{Table, bytes, ratio, time};

/// After so many flushes the agent begins another answer, a third into the text as at the start. Else its place and those of the
/// person would wander towards each other, and the last flushes would not be of the same kind as the first ones.
const ANSWER_FLUSHES: usize = 100;

/// Flushes of one document before it is another one's turn.
const TURN_FLUSHES: usize = 20;

/// How a document ages.
#[derive(Clone, Copy)]
struct Life {
    first_bytes: usize,
    /// By so much the text grows in `flushes`.
    growth: usize,
    flushes: usize,
    /// The cost of a flush is the median of so many.
    sample: usize,
}

/// Prints what a document without peers has become, and one with a session that is open all the time.
pub(crate) fn run(size: Size) -> Result<()> {
    let life = match size {
        Size::Full => Life { first_bytes: 100_000, growth: 900_000, flushes: 10_000, sample: 200 },
        Size::Smoke => Life { first_bytes: 5_000, growth: 1_000, flushes: 8, sample: 2 },
    };
    let lives =
        [("no peers", Aged::measure(life, Peers::None)?), ("peers", Aged::measure(life, Peers::Some)?)];
    println!(
        "cpu of a flush, measured by turns: the first {} of a document, those after {}, and those of a fresh one with the last text\n",
        life.sample, life.flushes
    );
    let mut flushes =
        Table::new(&["", "first text", "first", "last text", "last", "last/first", "fresh", "last/fresh"]);
    let mut holding =
        Table::new(&["", "text", "memory", "memory/text", "state", "state/text", "load", "a peer joins"]);
    for (name, aged) in &lives {
        flushes.row(aged.flushes(name));
        holding.row(aged.holding(name));
    }
    println!("{flushes}\n{holding}");
    if size == Size::Full {
        for (name, aged) in &lives {
            aged.judge(name);
        }
    }
    Ok(())
}

/// What a document has become.
struct Aged {
    first_bytes: usize,
    first: Duration,
    last_bytes: usize,
    last: Duration,
    fresh: Duration,
    memory: usize,
    state: usize,
    load: Duration,
    join: Option<Duration>,
}

impl Aged {
    fn measure(life: Life, peers: Peers) -> Result<Aged> {
        let before = resident()?;
        let mut aged = Course::begin(&page(life.first_bytes), life, peers)?;
        aged.flushes(life.flushes)?;
        let memory = resident()?.saturating_sub(before);
        let last_bytes = aged.text().len();
        let state = aged.live.document().encode();
        let (load, loaded) = once(|| Ok(Document::decode(&state)?))?;
        // The session of a loaded document is built when the first peer asks for it.
        let join = match peers {
            Peers::Some => Some(once(|| Ok(loaded.update_since(None)?))?.0.cpu),
            Peers::None => None,
        };
        drop(loaded);
        let young = Course::begin(&page(life.first_bytes), life, peers)?;
        let fresh = Course::begin(aged.text(), Life { first_bytes: last_bytes, ..life }, peers)?;
        let first_bytes = young.text().len();
        let [first, last, fresh] = by_turns([young, aged, fresh], life.sample)?;
        Ok(Aged {
            first_bytes,
            first,
            last_bytes,
            last,
            fresh,
            memory,
            state: state.len(),
            load: load.cpu,
            join,
        })
    }

    fn flushes(&self, name: &str) -> [String; 8] {
        [
            name.to_owned(),
            bytes(self.first_bytes),
            time(self.first),
            bytes(self.last_bytes),
            time(self.last),
            ratio(self.last, self.first),
            time(self.fresh),
            ratio(self.last, self.fresh),
        ]
    }

    fn holding(&self, name: &str) -> [String; 8] {
        let of_text = |bytes: usize| format!("{:.2}×", bytes as f64 / self.last_bytes as f64);
        [
            name.to_owned(),
            bytes(self.last_bytes),
            bytes(self.memory),
            of_text(self.memory),
            bytes(self.state),
            of_text(self.state),
            time(self.load),
            self.join.map(time).unwrap_or_default(),
        ]
    }

    fn judge(&self, name: &str) {
        let say = |target: &str, is_reached: bool| {
            println!("{:<11} {name}: {target}", if is_reached { "reached" } else { "NOT reached" });
        };
        say("a text of at least 1 MB", self.last_bytes >= 1_000_000);
        say("memory at most 20 times the text", self.memory <= 20 * self.last_bytes);
        say("state at most twice the text", self.state <= 2 * self.last_bytes);
        say("load at most 100 ms", self.load <= Duration::from_millis(100));
        say("a flush at most 3 times the first", self.last <= 3 * self.first);
    }
}

/// What a flush of each document costs in the median of `sample`. They take turns, so that other work on the machine moves all alike.
fn by_turns(mut courses: [Course; 3], sample: usize) -> Result<[Duration; 3]> {
    let mut costs = [const { Vec::new() }; 3];
    while costs.iter().any(|costs| costs.len() < sample) {
        for (course, costs) in courses.iter_mut().zip(&mut costs) {
            costs.extend(course.flushes(TURN_FLUSHES.min(sample))?);
        }
    }
    let [first, last, fresh] = costs.map(|costs| median(costs).context("no rounds"));
    Ok([first?, last?, fresh?])
}

/// A document on its way through its flushes.
struct Course {
    live: Live,
    life: Life,
    flushed: usize,
}

impl Course {
    fn begin(text: &str, life: Life, peers: Peers) -> Result<Course> {
        Ok(Course { live: Live::open(text, peers)?, life, flushed: 0 })
    }

    fn text(&self) -> &str {
        self.live.document().text()
    }

    /// The next flushes, and what each cost.
    fn flushes(&mut self, count: usize) -> Result<Vec<Duration>> {
        (0..count).map(|_| self.flush()).collect()
    }

    /// Three changed lines, and a line of the agent that is as long as the text has to grow.
    fn flush(&mut self) -> Result<Duration> {
        if self.flushed.is_multiple_of(ANSWER_FLUSHES) {
            self.live.begin_answer()?;
        }
        let saved = three_lines_changed(self.text(), self.flushed);
        self.flushed += 1;
        let length = self.life.first_bytes + self.life.growth * self.flushed / self.life.flushes;
        let added = line(self.flushed, length.saturating_sub(saved.len()));
        Ok(once(|| self.live.flush(&saved, &added))?.0.cpu)
    }
}

/// The memory that this process holds.
pub(super) fn resident() -> Result<usize> {
    let status =
        fs::read_to_string("/proc/self/status").context("this system does not tell what a process holds")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.split_whitespace().next()).context("no VmRSS")?;
    Ok(kilobytes.parse::<usize>()? * 1024)
}
