//! The document of a run under many workers: each at a steady pace in its own section, with a page of the Writer that shows it. Never
//! passes with a line that is missing, doubled or out of order.

mod page;

use std::fs;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail, ensure};
use document::{Author, Document};
use tokio::task::JoinSet;
use tokio::time::{MissedTickBehavior, interval};
use workspace::command::{Actor, FileCommand, FileResult};
use workspace::hub::Hub;
use workspace::owner::Options;
use workspace::store::{self, StoredFile, flush};

use super::Size;
use super::io::Scratch;
use super::measure::once;
use super::table::{Table, time};
use page::Page;

const WORKERS: usize = 64;
const LINES_PER_SECOND: usize = 20;
const SECONDS: usize = 30;
/// How often the bare flush is measured.
const ROUNDS: usize = 400;
/// How much slower an append may be than a flush that nobody else wants anything from, at the ninety-ninth of a hundred.
const SLOWER_MAX: f64 = 3.0;
const RUN: &str = "bench";

/// Prints how long appends took beside the flush of a file of the same length, and how soon a page shows them.
pub(crate) fn run(size: Size) -> Result<()> {
    let scratch = Scratch::new(crate::folder("run"))?;
    let (workers, seconds) = if size == Size::Full { (WORKERS, SECONDS) } else { (8, 1) };
    let lines = LINES_PER_SECOND * seconds;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let hub = workspace::project::open(scratch.folder(), Options::default())?;
    let path = runtime.block_on(prepared(&hub, workers))?;
    let Worked { took, shown, pings } = runtime.block_on(worked(&hub, &path, workers, lines))?;
    runtime.block_on(hub.shutdown());
    let written = fs::read_to_string(scratch.folder().join(&path))?;
    let right = (0..workers).map(|worker| in_order(&written, worker)).sum::<usize>();
    let all = written.lines().filter(|line| line.starts_with('W')).count();
    let total = workers * lines;
    ensure!((right, all) == (total, total), "{right} of {all} lines are right, and there should be {total}");
    let rounds = if size == Size::Full { ROUNDS } else { 3 };
    // In the middle of the run the document was half as long.
    let half =
        written.get(..document::text::floor_char_boundary(&written, written.len() / 2)).unwrap_or(&written);
    let flushes = flushes(&scratch.folder().join("bare.md"), half, rounds)?;
    let mut table = Table::new(&["name", "ours", "bare flush", "ratio", "wanted", ""]);
    for (name, part, limit) in [("median", 50, None), ("99 of 100", 99, Some(SLOWER_MAX))] {
        let (ours, bare) = (part_of(&took, part)?, part_of(&flushes, part)?);
        let ratio = ours.as_secs_f64() / bare.as_secs_f64().max(f64::MIN_POSITIVE);
        let verdict = limit.map_or("", |limit| if ratio <= limit { "reached" } else { "missed" });
        let wanted = limit.map_or(String::new(), |limit| format!("≤ {limit}"));
        let cells = [
            format!("append, {name} of {total}"),
            time(ours),
            time(bare),
            format!("{ratio:.2}"),
            wanted,
            verdict.to_owned(),
        ];
        table.row(cells);
    }
    let (late, ping) = (part_of(&shown, 99)?, part_of(&pings, 50)?);
    let limit = ping * 2 + Options::default().interval;
    table.row([
        "sent to shown in the page, 99 of 100".to_owned(),
        time(late),
        String::new(),
        String::new(),
        format!("≤ {}", time(limit)),
        if late <= limit { "reached" } else { "missed" }.to_owned(),
    ]);
    println!(
        "{workers} workers × {LINES_PER_SECOND} lines a second for {seconds} s: each of {total} lines once\n{table}\nthe way to the server and back takes {} (half of {}); words are written every {} at most",
        time(ping),
        pings.len(),
        time(Options::default().interval)
    );
    Ok(())
}

/// The document of a run with a section for each worker.
async fn prepared(hub: &Hub, workers: usize) -> Result<String> {
    let create = FileCommand::CreateRunDocument { run_id: RUN.to_owned(), objective: "Append".to_owned() };
    let made = hub.execute(create.by(Actor::Conductor)).await;
    let FileResult::Created { path } = made.result else { bail!("no document was made: {made:?}") };
    let handle = hub.document(&path).await?;
    let mut text = handle.read().text.to_string();
    for worker in 0..workers {
        text.push_str(&format!("\n## W{worker}\n<!-- proposal -->\n"));
    }
    let write =
        FileCommand::Write { path: path.clone(), content: text.into() }.by(Actor::System).on(made.revision);
    let reply = hub.execute(write).await;
    ensure!(matches!(reply.result, FileResult::Written { .. }), "the sections were not made: {reply:?}");
    Ok(path)
}

/// What the workers and the page waited for.
struct Worked {
    /// From sending a line to its acknowledgement.
    took: Vec<Duration>,
    /// From sending a line to the frame of the page that has it.
    shown: Vec<Duration>,
    pings: Vec<Duration>,
}

async fn worked(hub: &Hub, path: &str, workers: usize, lines: usize) -> Result<Worked> {
    let mut page = Page::open(hub, path, workers * lines).await?;
    let pings = std::mem::take(&mut page.pings);
    let mut tasks = JoinSet::new();
    for worker in 0..workers {
        tasks.spawn(work(hub.clone(), path.to_owned(), worker, lines));
    }
    let (mut took, mut sent) = (Vec::new(), Vec::new());
    while let Some(done) = tasks.join_next().await {
        let (worker, appends) = done.context("a worker stopped")??;
        took.extend(appends.iter().map(|append| append.took));
        sent.extend(appends.iter().enumerate().map(|(number, append)| ((worker, number), append.begun)));
    }
    let seen = page.close().await?;
    let mut shown = Vec::with_capacity(sent.len());
    for (line, begun) in sent {
        shown.push(seen.get(&line).context("a line was never shown")?.duration_since(begun));
    }
    Ok(Worked { took, shown, pings })
}

/// One line that was added.
struct Append {
    begun: Instant,
    took: Duration,
}

/// One worker at its pace.
async fn work(hub: Hub, path: String, worker: usize, lines: usize) -> Result<(usize, Vec<Append>)> {
    let mut pace = interval(Duration::from_millis(1000 / LINES_PER_SECOND as u64));
    pace.set_missed_tick_behavior(MissedTickBehavior::Burst);
    let mut appends = Vec::with_capacity(lines);
    for number in 0..lines {
        pace.tick().await;
        let (path, section) = (path.clone(), format!("W{worker}"));
        let content = format!("W{worker} line {number}");
        let append = FileCommand::AppendSection { path, section: section.clone(), content };
        let begun = Instant::now();
        let reply = hub.execute(append.by(Actor::Worker(section)).named(format!("{worker}-{number}"))).await;
        appends.push(Append { begun, took: begun.elapsed() });
        ensure!(matches!(reply.result, FileResult::Written { .. }), "a line failed: {:?}", reply.result);
    }
    Ok((worker, appends))
}

/// How long the store takes for one more line when nobody else wants anything.
fn flushes(path: &std::path::Path, text: &str, rounds: usize) -> Result<Vec<Duration>> {
    fs::write(path, text)?;
    let (person, agent) = (Author::new("person"), Author::new("agent"));
    let opened = StoredFile::open(path, store::Options::default())?;
    let (mut file, mut in_file) = (opened.file, opened.text);
    let mut document = Document::open(&in_file, &person);
    let mut took = Vec::new();
    for round in 0..rounds {
        let end = document.text().len();
        document.edit(end..end, &format!("Line {round} of an answer.\n"), &agent)?;
        took.push(once(|| Ok(flush(&mut document, &mut in_file, &mut file, &person)?))?.0.wall);
    }
    Ok(took)
}

/// The time that so many of a hundred stay under.
fn part_of(times: &[Duration], part: usize) -> Result<Duration> {
    let mut sorted = times.to_vec();
    sorted.sort();
    let place = (sorted.len() * part / 100).min(sorted.len().saturating_sub(1));
    sorted.get(place).copied().context("nothing was measured")
}

/// How many lines of a worker stand in their order.
fn in_order(text: &str, worker: usize) -> usize {
    let start = format!("W{worker} line ");
    let numbers = text.lines().filter_map(|line| line.strip_prefix(&start));
    numbers.enumerate().take_while(|(index, number)| index.to_string() == *number).count()
}
