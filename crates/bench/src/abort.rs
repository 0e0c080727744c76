//! How long a turn takes to end once a person wants it to, while the server holds the connection. Never counts an abort whose
//! connection stayed open.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use agent::StreamController;
use agent::model::Limits;
use agent::turn::EndReason;
use anyhow::{Context as _, Result, ensure};
use loopback::Server;
use models::{Endpoint, Http, Protocol, Remote, Timeouts};

use super::Size;
use super::io::Scratch;
use super::measure::{median, once};
use super::soak::editor::Dice;
use super::table::{Table, ratio, time};
use super::talk;

/// The most that all but one of a hundred aborts may take.
const TARGET: Duration = Duration::from_millis(50);
/// Aborts come at any moment up to this one: before the request, in the head, in the body.
const MOMENTS_MAX: u64 = 20_000;
const START: &str = "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"m\",\"role\":\"assistant\",\"usage\":{\"input_tokens\":1,\"output_tokens\":1}}}\n\nevent: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"text\",\"text\":\"\"}}\n\n";
const DELTA: &str = "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"word \"}}\n\n";

/// Prints the times of all aborts, beside what keeping their last line on the disk costs.
pub(crate) fn run(size: Size) -> Result<()> {
    let count = match size {
        Size::Full => 200,
        Size::Smoke => 3,
    };
    let scratch = Scratch::new(crate::folder("abort"))?;
    let runtime = tokio::runtime::Runtime::new()?;
    let mut times = runtime.block_on(aborts(scratch.folder(), count))?;
    times.sort();
    let bare = durable_line(scratch.folder())?;
    let at = |share: usize| times.get((times.len() * share / 100).min(times.len() - 1)).copied();
    let mut table = Table::new(&["abort to the end of the turn", "time", "of a durable line"]);
    for (name, time_taken) in [("half", at(50)), ("99 of 100", at(99)), ("all", times.last().copied())] {
        let taken = time_taken.context("nothing was measured")?;
        table.row([name.to_owned(), time(taken), ratio(taken, bare)]);
    }
    table.row(["one line, written and synced".to_owned(), time(bare), String::new()]);
    println!("{table}\n{count} aborts, {count} connections seen closed by the server");
    if size == Size::Full {
        let word = if at(99).is_some_and(|taken| taken < TARGET) { "reached" } else { "NOT reached" };
        println!("{word:<11} 99 of 100 in less than {}", time(TARGET));
    }
    Ok(())
}

async fn aborts(folder: &Path, count: usize) -> Result<Vec<Duration>> {
    let mut dice = Dice(0xab07);
    let server = Server::start().await?;
    let endpoint = Endpoint::new(Protocol::Anthropic, &server.url(), None, "ANTHROPIC_API_KEY");
    let limits = Limits { context_window: 200_000, output_max: 8192 };
    let model = Arc::new(Remote::new("measured", endpoint, limits, Http::new(Timeouts::patient())?));
    let mut times = Vec::new();
    for _ in 0..count {
        let mut conversation = talk::begin(folder, model.clone(), Vec::new())?;
        let stop = StreamController::new();
        let switch = stop.clone();
        let turn = tokio::spawn(async move {
            let ended = talk::turn(&mut conversation, "count to a million", &switch).await;
            (ended, Instant::now())
        });
        let mut exchange = server.accept().await?;
        let begun = dice.below(4) > 0;
        if begun {
            exchange.begin(200, &[("content-type", "text/event-stream")]).await?;
            exchange.send(START.as_bytes()).await?;
            for _ in 0..dice.below(20) {
                exchange.send(DELTA.as_bytes()).await?;
            }
        }
        tokio::time::sleep(Duration::from_micros(dice.below(MOMENTS_MAX))).await;
        let aborted = Instant::now();
        stop.abort();
        let (ended, at) = turn.await?;
        ensure!(ended?.reason == EndReason::Interrupted, "a turn ended in another way");
        times.push(at.duration_since(aborted));
        tokio::time::timeout(Duration::from_secs(10), exchange.closed())
            .await
            .context("a connection stayed open")??;
    }
    Ok(times)
}

/// What one line costs that is on the disk before anybody is told.
fn durable_line(folder: &Path) -> Result<Duration> {
    let mut file = File::create(folder.join("line"))?;
    let line = [b'x'; 400];
    let one = |_| {
        let (cost, ()) = once(|| {
            file.write_all(&line)?;
            Ok(file.sync_data()?)
        })?;
        Ok(cost.wall)
    };
    median((0..50).map(one).collect::<Result<_>>()?).context("nothing was measured")
}
