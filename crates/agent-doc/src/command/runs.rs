//! `agent-doc conduct` and `agent-doc runs`: several agents at work in one document, and their runs. Never decides anything about a
//! run: the conductor does.

mod progress;
mod table;

use std::path::PathBuf;
use std::sync::Arc;

use agent::StreamController;
use anyhow::{Context as _, Result};
use conductor::limits::LISTED_MAX;
use conductor::record::Record;
use conductor::status::Status;
use conductor::{Started, Wanted};
use serde::Serialize;
use workspace::documents::Documents;
use workspace::owner::Options;
use workspace::sidecar::root_of;

use crate::arguments::{Conduct, Runs, RunsCommand, RunsShow};
use crate::reach::PERSON;
use crate::wiring::runs::{self, Opened, Purpose, told};
use crate::{Outcome, output, signals};
use progress::Progress;

/// What `--json` prints at the end.
#[derive(Debug, Serialize)]
struct Report<'a> {
    id: &'a str,
    path: String,
    revision: u64,
    canon: String,
    run: &'a Record,
}

pub(crate) fn conduct(given: &Conduct) -> Result<Outcome> {
    within(Purpose::Work(&given.allow), async |opened| {
        let wanted = Wanted {
            objective: given.objective.clone(),
            workers: given.workers.clone(),
            model: given.model.clone(),
        };
        let started = opened.runs.start(wanted).await.map_err(|error| told(&error))?;
        follow(opened, &started, given.json).await
    })
}

pub(crate) fn run(given: &Runs) -> Result<Outcome> {
    match &given.command {
        None => within(Purpose::Look, async |opened| {
            let listed = opened.runs.list(0, LISTED_MAX).await.map_err(|error| told(&error))?;
            if given.json {
                output::print_json(&listed)?;
            } else {
                output::print(table::list(&listed).as_bytes())?;
            }
            Ok(Outcome::Done)
        }),
        Some(RunsCommand::Show(given)) => within(Purpose::Look, async |opened| show(opened, given).await),
        Some(RunsCommand::Resume(given)) => within(Purpose::Work(&given.allow), async |opened| {
            let started = opened.runs.resume(&given.id).await.map_err(|error| told(&error))?;
            follow(opened, &started, given.json).await
        }),
        Some(RunsCommand::Cancel(given)) => within(Purpose::Look, async |opened| {
            opened.runs.cancel(&given.id, PERSON).await.map_err(|error| told(&error))?;
            output::notice("cancelled; what was found is in the document");
            Ok(Outcome::Done)
        }),
        Some(RunsCommand::Accept(given)) => within(Purpose::Look, async |opened| {
            opened.runs.accept(&given.id, &given.proposal, PERSON).await.map_err(|error| told(&error))?;
            settled(opened, &given.id, "accepted").await
        }),
        Some(RunsCommand::Reject(given)) => within(Purpose::Look, async |opened| {
            opened.runs.reject(&given.id, &given.proposal, PERSON).await.map_err(|error| told(&error))?;
            settled(opened, &given.id, "rejected").await
        }),
    }
}

/// Does something with the runs of the project around the current folder.
fn within(purpose: Purpose<'_>, work: impl AsyncFnOnce(&Opened) -> Result<Outcome>) -> Result<Outcome> {
    let runtime = tokio::runtime::Runtime::new().context("no thread can be started")?;
    let outcome = runtime.block_on(async {
        let root = root()?;
        let documents = Documents::new(root.clone(), Options::default());
        let opened = runs::open(&root, documents, purpose).await?;
        let outcome = work(&opened).await;
        opened.close().await;
        outcome
    });
    // A tool that does not listen must not keep the program alive.
    runtime.shutdown_background();
    outcome
}

/// The root of the project around the current folder.
pub(super) fn root() -> Result<PathBuf> {
    let folder = std::path::absolute(".").context("the current folder cannot be found")?;
    root_of(&folder.join("x")).canonicalize().context("the current folder cannot be found")
}

/// Shows how a run goes on, up to its end, and prints the canon.
async fn follow(opened: &Opened, started: &Started, is_json: bool) -> Result<Outcome> {
    let stop = StreamController::new();
    let signal = signals::listen(stop.clone());
    let mut events = opened.runs.subscribe(Some(&started.id));
    let mut progress = Progress::begin(&started.id, &started.path);
    let mut ticks = tokio::time::interval(progress::STEP);
    let ended = {
        let mut ended = std::pin::pin!(opened.runs.ended(&started.id));
        loop {
            tokio::select! {
                biased;
                () = stop.subscribe() => break None,
                Some(event) = events.next() => progress.tell(event.happening),
                view = &mut ended => break Some(view),
                _ = ticks.tick() => progress.draw(),
            }
        }
    };
    let Some(view) = ended else {
        progress.end();
        output::notice(&format!("interrupted; 'agent-doc runs resume {}' goes on", started.id));
        return Ok(Outcome::Code(signal.await.unwrap_or(signals::INTERRUPTED)));
    };
    signal.abort();
    let record: Arc<Record> = view.map_err(|error| told(&error))?.record;
    progress.end();
    output::notice(&format!(
        "{}{}",
        record.status.words(),
        record.why.as_ref().map(|why| format!(": {why}")).unwrap_or_default()
    ));
    let draft = opened.runs.draft(&started.id).await.map_err(|error| told(&error))?;
    if is_json {
        let (path, revision, canon) = (started.path.clone(), draft.revision, draft.canon());
        output::print_json(&Report { id: &started.id, path, revision, canon, run: &record })?;
    } else {
        output::print(format!("{}\n", draft.canon()).as_bytes())?;
    }
    Ok(if record.status == Status::Completed { Outcome::Done } else { Outcome::Code(1) })
}

async fn show(opened: &Opened, given: &RunsShow) -> Result<Outcome> {
    let view = opened.runs.show(&given.id).await.map_err(|error| told(&error))?;
    if given.json {
        output::print_json(&*view.record)?;
    } else {
        let proposals = opened.runs.proposals(&view.record.id).await.map_err(|error| told(&error))?;
        output::print(table::run(&view, &proposals).as_bytes())?;
    }
    Ok(Outcome::Done)
}

async fn settled(opened: &Opened, id: &str, how: &str) -> Result<Outcome> {
    opened.runs.ended(id).await.map_err(|error| told(&error))?;
    output::notice(how);
    Ok(Outcome::Done)
}
