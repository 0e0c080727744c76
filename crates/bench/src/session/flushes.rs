//! Two thousand flushes of one answer into a long document, while a person goes on writing. Never counts a flush that changed
//! anything but its own words.

use std::fmt;
use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, bail, ensure};
use document::frontmatter::Frontmatter;
use workspace::owner;
use workspace::reach::Reach;
use workspace::session::delivery::{Delivery, Flushed, Order, Upto};
use workspace::session::file::SessionFile;
use workspace::session::layout::Layout;
use workspace::sidecar::Sidecar;

use super::super::measure::{median, process_cpu};
use super::super::table::{bytes, time};
use super::stage::{Mode, document};

/// A person saves the document after so many flushes.
const SAVE_EVERY: usize = 20;

/// What the flushes took.
pub(super) struct Flushes {
    length: usize,
    count: usize,
    pub(super) middle: Duration,
    merged: Duration,
    slowest: Duration,
}

impl fmt::Display for Flushes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Flushes { length, count, middle, merged, slowest } = self;
        write!(
            f,
            "{count} flushes into {}: {} of cpu each, {} after a person saved, {} the slowest; nothing else changed",
            bytes(*length),
            time(*middle),
            time(*merged),
            time(*slowest)
        )
    }
}

/// Streams `count` chunks into a document of `length` bytes, half of which stand in the target.
pub(super) fn measure(folder: &Path, length: usize, count: usize) -> Result<Flushes> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    fs::create_dir_all(folder.join(".agent-doc"))?;
    let path = folder.join("notes.md");
    let text = document(Mode::Stream, length, length / 2);
    fs::write(&path, &text)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build()?;
    let flushes = runtime.block_on(streamed(&path, &text, count))?;
    let after = fs::read_to_string(&path)?;
    let (head, tail) = text.split_once("<!-- /agent:exchange -->").context("there is no target")?;
    let answer: String = (0..count).map(chunk).collect();
    let lines: String = (0..count).filter_map(saved).collect();
    let rest = after.strip_prefix(head).context("what stood before the answer is not as it was")?;
    let rest = rest.trim_start().strip_prefix(answer.trim()).context("the answer is not as it was said")?;
    let rest =
        rest.trim_start().strip_prefix("<!-- /agent:exchange -->").context("more than the answer came")?;
    ensure!(rest == format!("{tail}{lines}"), "what stood after the answer is not as it was");
    Ok(flushes)
}

async fn streamed(path: &Path, text: &str, count: usize) -> Result<Flushes> {
    let file = SessionFile::at(path)?;
    let sidecar = Sidecar::open(&file.root)?;
    let paths = file.paths(&sidecar, text)?;
    let settings = Frontmatter::parse(text).settings;
    let order = Order {
        id: "bench".to_owned(),
        author: "claude".to_owned(),
        time: 1,
        layout: Layout::streaming(text, &settings, None)?,
        write: settings.write(),
        path: file.path.clone(),
        baseline: text.to_owned(),
        is_earlier: false,
    };
    let mut reach = Reach::open(&file.root, owner::Options::default()).await?;
    let mut delivery = Delivery::begin(&paths, order)?;
    let (mut alone, mut merged) = (Vec::new(), Vec::new());
    for number in 0..count {
        delivery.say(&chunk(number));
        let before = process_cpu()?;
        match delivery.flush(&mut reach, Upto::Steady).await? {
            Flushed::Written => {}
            Flushed::Nothing | Flushed::NoPlace => bail!("chunk {number} was not written"),
        }
        let cost = process_cpu()?.saturating_sub(before);
        if number > 0 && saved(number - 1).is_some() {
            merged.push(cost);
        } else {
            alone.push(cost);
        }
        if let Some(line) = saved(number) {
            fs::write(path, fs::read_to_string(path)? + &line)?;
        }
    }
    delivery.complete();
    delivery.flush(&mut reach, Upto::End).await?;
    delivery.settle()?;
    reach.close().await;
    let slowest = alone.iter().chain(&merged).max().copied().unwrap_or_default();
    let middle = median(alone).context("no flushes")?;
    Ok(Flushes { length: text.len(), count, middle, merged: median(merged).unwrap_or_default(), slowest })
}

fn chunk(number: usize) -> String {
    format!("Sentence {number} of the answer is here. It goes on.\n")
}

/// What the person adds after a flush, if they do.
fn saved(number: usize) -> Option<String> {
    (number % SAVE_EVERY == SAVE_EVERY / 2).then(|| format!("A person added line {number}.\n"))
}
