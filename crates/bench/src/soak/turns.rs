//! A conversation of many turns with long results. Never keeps more than the model can see, and what is on the disk makes the
//! same request as what is in memory.

use std::path::Path;
use std::sync::{Arc, Mutex};

use agent::StreamController;
use agent::history::History;
use agent::message::{Block, StopReason, ToolCall};
use agent::model::{Limits, Model, ModelEvent, ModelStream, Request, ToolSpec};
use agent::permission::{Access, Claim, Permit};
use agent::request::{Ending, build};
use agent::tool::{Output, RunScope, Tool, ToolFuture};
use agent::turn::EndReason;
use anyhow::{Context as _, Result, ensure};
use workspace::conversation::Toolbox;

use crate::talk;

/// What each result holds.
const RESULT_BYTES: usize = 10 * 1024;
/// After so much of the run memory has found its level.
const WARM_UP: usize = 5;

/// Runs `count` turns, each with one call.
pub(super) fn run(count: usize) -> Result<()> {
    let folder = tempfile::tempdir()?;
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(turns(folder.path(), count))
}

async fn turns(folder: &Path, count: usize) -> Result<()> {
    let (model, tool) = (Arc::new(Steady::default()), Arc::new(Fetch::new()));
    let mut conversation = talk::begin(folder, model.clone(), vec![tool.clone()])?;
    let stop = StreamController::new();
    let mut resident = Vec::new();
    for number in 0..count {
        let ended = talk::turn(&mut conversation, &format!("turn {number}"), &stop).await?;
        ensure!(ended.reason == EndReason::Completed, "turn {number} ended otherwise: {:?}", ended.reason);
        resident.push(resident_bytes()?);
    }
    let level = resident.get(count / WARM_UP..).context("too few turns")?;
    let (least, most) = (level.iter().min().context("no turns")?, level.iter().max().context("no turns")?);
    let (id, history) = (conversation.id().to_owned(), conversation.history().cloned());
    drop(conversation);
    let (_, records) = talk::transcripts(folder).resume(&id)?;
    let kept = request(&History::replay(records), tool.clone());
    let same = history.is_some_and(|history| request(&history, tool) == kept);
    let asked = model.asked.lock().map(|asked| *asked).unwrap_or_default();
    println!(
        "{count} turns with {RESULT_BYTES} bytes of results each, {asked} requests\n\
         memory from turn {}: {:.1} to {:.1} MB, {:.1} % apart\n\
         the transcript makes the identical request: {same}",
        count / WARM_UP,
        megabytes(*least),
        megabytes(*most),
        (megabytes(*most) / megabytes(*least) - 1.0) * 100.0,
    );
    ensure!(same, "the transcript makes another request");
    ensure!(*most * 10 <= *least * 12, "memory is not within a tenth of its middle");
    Ok(())
}

fn request(history: &History, tool: Arc<Fetch>) -> Request {
    let policy = talk::policy();
    let frame = talk::frame(&Toolbox::new([tool as Arc<dyn Tool>]), &policy);
    build(&frame, history.messages(), 8192, Ending::Person)
}

/// Calls the tool for each prompt, and says a word about each result.
#[derive(Default)]
struct Steady {
    asked: Mutex<usize>,
}

impl Model for Steady {
    fn id(&self) -> &'static str {
        "steady"
    }

    fn limits(&self) -> Limits {
        Limits { context_window: 100_000, output_max: 8192 }
    }

    fn stream(&self, request: Request) -> ModelStream {
        let number = self.asked.lock().map_or(0, |mut asked| {
            *asked += 1;
            *asked
        });
        let last = request.messages.last();
        let is_prompt = last.is_some_and(|message| {
            matches!(message.content.last(), Some(Block::Text(text)) if text.text.starts_with("turn "))
        });
        let (block, reason) = if is_prompt {
            (Block::call(format!("call_{number}"), "Fetch", "{}"), StopReason::ToolUse)
        } else {
            (Block::text(format!("Seen, as number {number}.")), StopReason::EndTurn)
        };
        let events =
            [Ok(ModelEvent::Block { index: 0, block }), Ok(ModelEvent::Stopped { reason, detail: None })];
        Box::pin(futures_util::stream::iter(events))
    }
}

struct Fetch {
    spec: ToolSpec,
}

impl Fetch {
    fn new() -> Fetch {
        let spec = ToolSpec {
            name: "Fetch".to_owned(),
            description: "Gives ten kilobytes.".to_owned(),
            input_schema: serde_json::json!({ "type": "object" }),
        };
        Fetch { spec }
    }
}

impl Tool for Fetch {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn inspect<'a>(&'a self, _call: &'a ToolCall) -> ToolFuture<'a, Result<Claim, String>> {
        Box::pin(async { Ok(Claim::of(Access::ReadOnly)) })
    }

    fn run(&self, permit: Permit, _scope: RunScope) -> ToolFuture<'_, Output> {
        let line = format!("{} is what was asked for\n", permit.call().id);
        Box::pin(async move { Output::success(line.repeat(RESULT_BYTES / line.len())) })
    }
}

/// The memory of this process.
fn resident_bytes() -> Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status").context("this system does not tell memory")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("no VmRSS")?;
    let kilobytes: u64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(kilobytes * 1024)
}

#[expect(clippy::cast_precision_loss, reason = "a share of memory is shown with one digit")]
fn megabytes(bytes: u64) -> f64 {
    bytes as f64 / 1e6
}
