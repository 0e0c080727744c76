//! `agent-doc watch`: documents answered when they are saved. Never goes to the background by itself.

mod told;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use agent::StreamController;
use anyhow::{Context as _, Result};
use serde::Serialize;
use workspace::session::file::SessionFile;
use workspace::session::turn::{Git, Manner, Pace};
use workspace::session::watching::{self, DocumentStatus, Event, Options, State, Status};
use workspace::sidecar::root_of;

use crate::arguments::Watch;
use crate::command::visible;
use crate::refusal::Refusal;
use crate::wiring::answerer::{self, Wanted};
use crate::{Outcome, desk, input, moment, output, signals};

/// How long `--stop` waits for the end.
const PATIENCE: Duration = Duration::from_secs(10);
const PAUSE: Duration = Duration::from_millis(20);

/// What `--status --json` prints.
#[derive(Debug, Serialize)]
struct Report {
    watching: bool,
    process: Option<u32>,
    documents: Vec<Row>,
}

/// What `--stop --json` prints.
#[derive(Debug, Serialize)]
struct Stopped {
    watching: bool,
    /// The process that was ended, if there was one.
    process: Option<u32>,
}

#[derive(Debug, Serialize)]
struct Row {
    path: String,
    #[serde(flatten)]
    status: DocumentStatus,
}

pub(crate) fn run(given: &Watch) -> Result<Outcome> {
    let root = root(&given.paths)?;
    if given.status {
        return status(&root, given.json);
    }
    if given.stop {
        return stop(&root, given.json);
    }
    let runtime = tokio::runtime::Runtime::new().context("no thread can be started")?;
    let done = runtime.block_on(async {
        let stop = StreamController::new();
        let signal = signals::listen(stop.clone());
        let mut tell = |event: Event| tell(&root, given, &event);
        let done = watching::watch(&root, &given.paths, options(given), stop, &mut tell).await;
        signal.abort();
        done
    });
    runtime.shutdown_background();
    done.with_context(|| {
        Refusal::new("nothing is watched", "'agent-doc watch --status' says whether it is watched already")
    })?;
    if !given.json {
        output::notice("no longer watching");
    }
    Ok(Outcome::Done)
}

/// The root of the project that the paths are in.
fn root(paths: &[PathBuf]) -> Result<PathBuf> {
    let first = paths.first().map_or(Path::new("."), PathBuf::as_path);
    let whole = first.canonicalize().with_context(|| {
        Refusal::new(
            format!("{} does not exist", input::shown(first)),
            "check the path, and the folder you are in",
        )
    })?;
    let file = if whole.is_dir() { whole.join("any") } else { whole };
    Ok(root_of(&file).to_owned())
}

fn options(given: &Watch) -> Options {
    let (named, allow) = (given.agent.clone(), given.allow.clone());
    let desk = desk::desk(false);
    let git = if given.no_git { Git::Off } else { Git::Commit };
    Options {
        debounce: Duration::from_millis(given.debounce),
        recheck: watching::RECHECK,
        max_cycles: given.max_cycles,
        agent: Arc::new(move |file: &SessionFile, settings| {
            let wanted = Wanted {
                by_person: named.as_deref(),
                by_document: settings.agent.as_deref(),
                allow: &allow,
                desk: desk.as_ref(),
            };
            answerer::find(wanted, &file.root).map_err(|error| format!("{error:#}"))
        }),
        manner: Arc::new(move |pace: Pace| {
            let now = moment::now();
            Manner {
                model: None,
                git,
                pace,
                target: None,
                by: "agent-doc watch",
                stamp: moment::shown(now),
                id: format!("{now:x}-{}-{}", std::process::id(), turn()),
                now,
            }
        }),
        clock: moment::now,
    }
}

/// Tells the turns of this process apart.
fn turn() -> u64 {
    use std::sync::atomic::{AtomicU64, Ordering};
    static TURNS: AtomicU64 = AtomicU64::new(0);
    TURNS.fetch_add(1, Ordering::Relaxed)
}

fn tell(root: &Path, given: &Watch, event: &Event) {
    if given.json {
        if let Some(line) = told::line(event)
            && output::print_line(&line).is_err()
        {
            // Whoever read the lines is gone, or cannot take more. The documents are answered all the same.
        }
    } else if let Some(sentence) = told::sentence(root, event) {
        output::notice(&visible(&sentence));
    }
}

fn status(root: &Path, is_json: bool) -> Result<Outcome> {
    let found = watching::status(root);
    let outcome = if found.is_some() { Outcome::Done } else { Outcome::Code(1) };
    if is_json {
        let rows = found.iter().flat_map(|status| &status.documents);
        let documents =
            rows.map(|(path, status)| Row { path: path.clone(), status: status.clone() }).collect();
        let process = found.as_ref().map(|status| status.process);
        output::print_json(&Report { watching: found.is_some(), process, documents })?;
        return Ok(outcome);
    }
    match found {
        Some(status) => output::print(table(&status).as_bytes())?,
        None => output::notice(&format!("{} is not watched", root.display())),
    }
    Ok(outcome)
}

fn table(status: &Status) -> String {
    let width = status.documents.keys().map(|path| path.chars().count()).max().unwrap_or_default().max(8);
    let mut table = format!("process {} since {} UTC\n", status.process, moment::shown(status.since));
    table.push_str(&format!("{:width$}  STATE     ANSWERED\n", "DOCUMENT"));
    for (path, document) in &status.documents {
        let (state, why) = match &document.state {
            State::Idle => ("idle", ""),
            State::Waiting => ("waiting", ""),
            State::Running => ("running", ""),
            State::Skipped(why) => ("skipped", why.as_str()),
            State::Failed(why) => ("failed", why.as_str()),
        };
        let line = format!("{:width$}  {state:8}  {:8}  {}", visible(path), document.answered, visible(why));
        table.push_str(line.trim_end());
        table.push('\n');
    }
    table
}

fn stop(root: &Path, is_json: bool) -> Result<Outcome> {
    let Some(status) = watching::status(root) else {
        ended(is_json, None, &format!("{} is not watched", root.display()))?;
        return Ok(Outcome::Done);
    };
    watching::end(&status).with_context(|| {
        Refusal::new(format!("process {} cannot be ended", status.process), "look who runs it")
    })?;
    let begun = std::time::Instant::now();
    while watching::status(root).is_some_and(|now| now.process == status.process) {
        if begun.elapsed() > PATIENCE {
            let what = format!("process {} has not ended yet", status.process);
            return Err(Refusal::new(what, "it ends when its turns have; wait, or end it by hand").into());
        }
        std::thread::sleep(PAUSE);
    }
    ended(is_json, Some(status.process), "no longer watched")?;
    Ok(Outcome::Done)
}

/// Says that nothing is watched any more, and which process did.
fn ended(is_json: bool, process: Option<u32>, words: &str) -> Result<()> {
    if is_json {
        return output::print_json(&Stopped { watching: false, process });
    }
    output::notice(words);
    Ok(())
}
