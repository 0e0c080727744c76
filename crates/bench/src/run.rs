//! The document of a run under many workers: each at a steady pace in its own section, with a page of the Writer that shows it. Never
//! passes with a line that is missing, doubled or out of order.

mod crowd;
mod page;

use std::fs;
use std::path::Path;
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
/// How much slower an append may be than a flush that nobody else wants anything from, at the ninety-ninth of a hundred.
const SLOWER_MAX: f64 = 3.0;
/// What a crowd may take, each of its lines, and a person's save in a flood.
const CROWD_MAX: Duration = Duration::from_secs(1);
const CROWD_LINE_MAX: Duration = Duration::from_millis(150);
const SAVE_MAX: Duration = Duration::from_millis(200);
const RUN: &str = "bench";

/// Prints how long appends took beside the flush of a file of the same length, and how soon a page shows them.
pub(crate) fn run(size: Size) -> Result<()> {
    let scratch = Scratch::new(crate::folder("run"))?;
    let (workers, seconds) = if size == Size::Full { (WORKERS, SECONDS) } else { (8, 1) };
    let lines = LINES_PER_SECOND * seconds;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let hub = workspace::project::open(scratch.folder(), Options::default())?;
    let path = runtime.block_on(prepared(&hub, RUN, workers))?;
    // The page's server closes the hub when it ends.
    let worked = runtime.block_on(worked(&hub, &path, workers, lines))?;
    let many = match size {
        Size::Full => Some(runtime.block_on(many(scratch.folder()))?),
        Size::Smoke => None,
    };
    let written = fs::read_to_string(scratch.folder().join(&path))?;
    let right = (0..workers).map(|worker| in_order(&written, worker)).sum::<usize>();
    let all = written.lines().filter(|line| line.starts_with('W')).count();
    let total = workers * lines;
    ensure!((right, all) == (total, total), "{right} of {all} lines are right, and there should be {total}");
    // A turn of the run adds a line of each worker, so that this many make the document.
    let flushes = flushes(&scratch.folder().join("bare.md"), &written, lines)?;
    println!(
        "{workers} workers × {LINES_PER_SECOND} lines a second for {seconds} s: each of {total} lines once"
    );
    println!("{}", table(&worked, many.as_ref(), &flushes)?);
    Ok(())
}

/// What many at once waited for.
struct Many {
    crowd: crowd::Crowd,
    saves: Vec<Duration>,
}

async fn many(folder: &Path) -> Result<Many> {
    let hub = workspace::project::open(folder, Options::default())?;
    let path = prepared(&hub, "crowd", 2).await?;
    let crowd = crowd::crowd(&hub, &path).await?;
    let path = prepared(&hub, "flood", 2).await?;
    let saves = crowd::saves_in_a_flood(&hub, &path).await?;
    hub.shutdown().await;
    Ok(Many { crowd, saves })
}

fn table(worked: &Worked, many: Option<&Many>, flushes: &[Duration]) -> Result<Table> {
    let mut table = Table::new(&["name", "ours", "beside", "ratio", "wanted", ""]);
    for (name, part, limit) in [("half", 50, None), ("99 of 100", 99, Some(SLOWER_MAX))] {
        let (ours, bare) = (part_of(&worked.took, part)?, part_of(flushes, part)?);
        let ratio = ours.as_secs_f64() / bare.as_secs_f64().max(f64::MIN_POSITIVE);
        let verdict = limit.map_or("", |limit| said(ratio <= limit));
        let wanted = limit.map_or(String::new(), |limit| format!("≤ {limit}"));
        let beside = format!("{} for a bare flush", time(bare));
        table.row([
            format!("append, {name}"),
            time(ours),
            beside,
            format!("{ratio:.2}"),
            wanted,
            verdict.to_owned(),
        ]);
    }
    let (late, ping) = (part_of(&worked.shown, 99)?, part_of(&worked.pings, 50)?);
    let limit = ping * 2 + Options::default().interval;
    let beside = format!("{} for a ping", time(ping));
    let wanted = |limit: Duration| format!("≤ {}", time(limit));
    let shown = "sent to shown in the page, 99 of 100".to_owned();
    table.row([shown, time(late), beside, String::new(), wanted(limit), said(late <= limit).to_owned()]);
    let Some(Many { crowd, saves }) = many else { return Ok(table) };
    for (name, took, limit) in [
        ("100 workers × 10 lines at once, all", crowd.all, CROWD_MAX),
        ("… each line, 99 of 100", part_of(&crowd.each, 99)?, CROWD_LINE_MAX),
        ("a person's save in a flood of 10,000, the slowest", part_of(saves, 100)?, SAVE_MAX),
    ] {
        let verdict = said(took <= limit).to_owned();
        table.row([name.to_owned(), time(took), String::new(), String::new(), wanted(limit), verdict]);
    }
    Ok(table)
}

fn said(is_reached: bool) -> &'static str {
    if is_reached { "reached" } else { "missed" }
}

/// The document of a run with a section for each worker.
async fn prepared(hub: &Hub, run: &str, workers: usize) -> Result<String> {
    let create = FileCommand::CreateRunDocument { run_id: run.to_owned(), objective: "Append".to_owned() };
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

/// How long each step takes if the store alone writes the same document in so many steps, and nobody else wants anything: a flush takes
/// longer the longer the document is, and so does an append.
fn flushes(path: &Path, text: &str, steps: usize) -> Result<Vec<Duration>> {
    fs::write(path, "")?;
    let (person, agent) = (Author::new("person"), Author::new("agent"));
    let opened = StoredFile::open(path, store::Options::default())?;
    let (mut file, mut in_file) = (opened.file, opened.text);
    let mut document = Document::open(&*in_file, &person);
    let mut took = Vec::new();
    for step in 1..=steps {
        let end = document.text().len();
        let upto = document::text::floor_char_boundary(text, text.len() * step / steps);
        document.edit(end..end, text.get(end..upto).unwrap_or_default(), &agent)?;
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
