//! A flush of a document of 100 KB, with and without its journal, beside the bare exchange. Never lets one way have the quieter
//! half of the run: they take turns.

use std::fs;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context as _, Result, bail};
use document::{Author, Document};
use workspace::command::{Actor, FileCommand, FileResult};
use workspace::owner;
use workspace::store::{Options, StoredFile, flush};

use super::super::Size;
use super::super::measure::{median, once};
use super::super::page::page;
use super::super::table::time;
use super::{Figure, Wanted, bare, runtime, times};

const LENGTH: usize = 100_000;
const ROUNDS: usize = 201;

pub(super) fn figures(folder: &Path, size: Size) -> Result<[Figure; 2]> {
    fs::create_dir_all(folder)?;
    let rounds = if size == Size::Full { ROUNDS } else { 3 };
    let text = format!("{}\n## Log\n\n", page(LENGTH));
    let [plain, bare_path, owned] = ["plain.md", "bare.md", "owned.md"].map(|name| folder.join(name));
    for path in [&plain, &bare_path, &owned] {
        fs::write(path, &text)?;
    }
    let (person, agent) = (Author::new("person"), Author::new("agent"));
    let opened = StoredFile::open(&plain, Options::default())?;
    let (mut file, mut in_file) = (opened.file, opened.text);
    let mut document = Document::open(&*in_file, &person);
    let runtime = runtime()?;
    let hub = workspace::project::open(folder, owner::Options::default())?;
    let (mut flushes, mut bares, mut appends) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..rounds {
        let end = document.text().len();
        document.edit(end..end, &format!("Line {round} of an answer.\n"), &agent)?;
        let whole = document.text().to_owned();
        flushes.push(once(|| Ok(flush(&mut document, &mut in_file, &mut file, &person)?))?.0.wall);
        bares.push(once(|| bare::exchange(&bare_path, &whole))?.0.wall);
        let (path, section) = ("owned.md".to_owned(), "Log".to_owned());
        let content = format!("Line {round} of an answer.");
        let request =
            FileCommand::AppendSection { path, section, content }.by(Actor::User("user".to_owned()));
        let (cost, reply) = once(|| Ok(runtime.block_on(hub.execute(request))))?;
        if let FileResult::Error { message, .. } = reply.result {
            bail!("an append failed: {message}");
        }
        appends.push(cost.wall);
    }
    runtime.block_on(hub.shutdown());
    let middle = |costs: Vec<Duration>| median(costs).context("no rounds");
    let (flushed, bare, appended) = (middle(flushes)?, middle(bares)?, middle(appends)?);
    let figure = |name: &str, ours: Duration, wanted| Figure {
        name: name.to_owned(),
        ours: time(ours),
        other: time(bare),
        ratio: times(ours, bare),
        wanted,
    };
    Ok([
        figure("flush of 100 KB / bare exchange", flushed, Wanted::AtMost(1.5)),
        figure("the same as a command, with its journal", appended, Wanted::Shown),
    ])
}
