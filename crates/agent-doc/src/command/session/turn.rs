//! `agent-doc run` and `agent-doc stream`: one turn on a session document. Never says that a document was answered when it was not.

use std::path::Path;

use agent::StreamController;
use anyhow::{Context as _, Result};
use serde::Serialize;
use workspace::git::{Branched, Committed};
use workspace::session::agent::AgentError;
use workspace::session::delivery::{DeliveryError, Outcome as Delivered};
use workspace::session::file::{NoSession, SessionFile};
use workspace::session::turn::{self, Git, Manner, Pace, Taken, Told, TurnError};

use super::found;
use super::progress::Progress;
use crate::arguments::{Run, Stream, TurnArguments};
use crate::refusal::Refusal;
use crate::wiring::answerer::{self, Wanted};
use crate::{Outcome, desk, input, moment, output, signals};

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Report<'a> {
    document: &'a str,
    agent: &'a str,
    /// `answered` or `nothing`.
    outcome: &'static str,
    revision: Option<u64>,
    merged: bool,
    conflicts: usize,
    notices: &'a [String],
    seconds: f64,
}

/// What `--dry-run --json` prints.
#[derive(Debug, Serialize)]
struct Preview<'a> {
    document: &'a str,
    /// `preview` or `nothing`.
    outcome: &'static str,
    /// Whether nothing was answered yet.
    first: bool,
    diff: &'a str,
    prompt: Option<&'a str>,
}

pub(crate) fn run(given: &Run) -> Result<Outcome> {
    let file = found(&given.turn.file)?;
    if given.dry_run {
        return preview(&file, &given.turn);
    }
    perform(&file, &given.turn, Pace::Whole, None)
}

pub(crate) fn stream(given: &Stream) -> Result<Outcome> {
    let file = found(&given.turn.file)?;
    perform(&file, &given.turn, Pace::Streamed(given.interval), given.target.clone())
}

fn preview(file: &SessionFile, given: &TurnArguments) -> Result<Outcome> {
    let text = input::read(&file.whole)?;
    let manner = manner(given, Pace::Whole, None);
    let preview = turn::preview(file, &text, &manner).map_err(|error| refused(&given.file, error))?;
    if given.json {
        let outcome = if preview.change.is_empty { "nothing" } else { "preview" };
        output::print_json(&Preview {
            document: &input::shown(&given.file),
            outcome,
            first: preview.change.is_first,
            diff: &preview.change.diff,
            prompt: (!preview.change.is_empty).then_some(preview.prompt.as_str()),
        })?;
    } else if preview.change.is_empty {
        output::notice(&nothing(&given.file));
    } else {
        output::print(preview.prompt.as_bytes())?;
    }
    Ok(Outcome::Done)
}

fn perform(file: &SessionFile, given: &TurnArguments, pace: Pace, target: Option<String>) -> Result<Outcome> {
    let text = input::read(&file.whole)?;
    let settings = file.settings(&text).map_err(|error| refused(&given.file, error.into()))?;
    let desk = desk::desk(given.json);
    let wanted = Wanted {
        by_person: given.agent.as_deref(),
        by_document: settings.agent.as_deref(),
        allow: &given.allow,
        desk: desk.as_ref(),
    };
    let agent = answerer::find(wanted, &file.root)?;
    let manner = manner(given, pace, target);
    let runtime = tokio::runtime::Runtime::new().context("no thread can be started")?;
    let mut progress = None;
    let taken = runtime.block_on(async {
        let stop = StreamController::new();
        let signal = signals::listen(stop.clone());
        let mut tell = |told: Told| match (&told, &progress) {
            (Told::Asked, _) => progress = Some(Progress::begin(agent.name(), given.json)),
            (Told::Said(said), Some(progress)) => progress.said(said),
            (told, _) => tell(told, given.json),
        };
        let taken = turn::take(file, &agent, &manner, &turn::Door::Root, &stop, &mut tell).await;
        let is_stopped = stop.is_aborted();
        let code = if is_stopped { signal.await.ok() } else { None };
        (taken, code)
    });
    // An agent that does not listen must not keep the program alive.
    runtime.shutdown_background();
    let seconds = progress.map_or(0.0, |progress| progress.end().as_secs_f64());
    let (taken, code) = taken;
    match (taken, code) {
        (Err(error), Some(code)) => {
            output::failure(&refused(&given.file, error), given.json);
            Ok(Outcome::Code(code))
        }
        (Err(error), None) => Err(refused(&given.file, error)),
        (Ok(taken), _) => told(given, agent.name(), &taken, seconds),
    }
}

fn manner(given: &TurnArguments, pace: Pace, target: Option<String>) -> Manner {
    let git = match (given.no_git, given.branch) {
        (true, _) => Git::Off,
        (false, true) => Git::Branch,
        (false, false) => Git::Commit,
    };
    let now = moment::now();
    Manner {
        model: given.model.clone(),
        git,
        pace,
        target,
        by: if pace == Pace::Whole { "agent-doc run" } else { "agent-doc stream" },
        stamp: moment::shown(now),
        id: format!("{now:x}-{}", std::process::id()),
        now,
    }
}

/// Says what happened beside the answer, where a person wants to know.
fn tell(told: &Told, is_quiet: bool) {
    let line = match told {
        Told::Recovered(1) => "an answer of an earlier turn that waited is in the document now".to_owned(),
        Told::Recovered(count) => {
            format!("{count} answers of earlier turns that waited are in the document now")
        }
        Told::Committed(Committed::Not(why)) => format!("warning: {why}"),
        Told::Branched(name, Branched::Begun) => format!("commits go to the new branch {name}"),
        Told::Branched(name, Branched::Joined) => format!("commits go to the branch {name}"),
        Told::Branched(name, Branched::Elsewhere) => {
            format!("warning: the branch {name} is at another commit; the change is committed where you are")
        }
        Told::NoPlace => {
            "warning: the place of the answer is gone or its markers are broken; the answer waits".to_owned()
        }
        Told::Stuck(why) => format!("warning: {why}; the answer waits, and is tried again"),
        Told::Committed(Committed::Made { .. } | Committed::Unchanged)
        | Told::Branched(_, Branched::Already)
        | Told::Asked
        | Told::Said(_)
        | Told::Flushed { .. } => return,
    };
    if !is_quiet {
        output::notice(&line);
    }
}

fn nothing(file: &Path) -> String {
    format!("Nothing changed since last submit for {}", input::shown(file))
}

fn told(given: &TurnArguments, agent: &str, taken: &Taken, seconds: f64) -> Result<Outcome> {
    let none = Delivered::default();
    let (outcome, delivered) = match taken {
        Taken::Nothing => ("nothing", &none),
        Taken::Answered(delivered) => ("answered", delivered),
    };
    if given.json {
        output::print_json(&Report {
            document: &input::shown(&given.file),
            agent,
            outcome,
            revision: delivered.revision,
            merged: delivered.is_merged,
            conflicts: delivered.conflicts,
            notices: &delivered.notices,
            seconds,
        })?;
    } else {
        say(given, agent, taken, seconds);
    }
    Ok(if delivered.conflicts > 0 { Outcome::Conflicts } else { Outcome::Done })
}

fn say(given: &TurnArguments, agent: &str, taken: &Taken, seconds: f64) {
    let Taken::Answered(delivered) = taken else {
        return output::notice(&nothing(&given.file));
    };
    for notice in &delivered.notices {
        output::notice(&format!("warning: {notice}"));
    }
    if delivered.conflicts > 0 {
        output::notice("WARNING: Merge conflicts detected.");
    } else if delivered.is_merged {
        output::notice("Merge successful — user edits preserved.");
    }
    output::notice(&format!("{}: {agent} answered in {seconds:.1} s", input::shown(&given.file)));
}

/// An error with the way out.
pub(crate) fn refused(file: &Path, error: TurnError) -> anyhow::Error {
    let name = input::shown(file);
    let recover = format!("'agent-doc recover {name}' puts what was said into the document");
    let (what, remedy) = match &error {
        TurnError::NoSession(NoSession::Plain(_)) => (
            format!("{name} is no session document, because it has no frontmatter"),
            format!("'agent-doc convert {name} --mode append' makes it one"),
        ),
        TurnError::NoSession(why) => (why.to_string(), "nothing was sent or changed".to_owned()),
        TurnError::Lock(why) => {
            (why.to_string(), "nothing was sent; your change is answered by that turn or the next".to_owned())
        }
        TurnError::Layout(why) => (format!("{name}: {why}"), "nothing was sent or changed".to_owned()),
        TurnError::Git(why) => (why.to_string(), "nothing was sent; or work with --no-git".to_owned()),
        TurnError::Agent { source: AgentError::Stopped, waiting: 0 } => (
            format!("{name}: stopped"),
            "what was said is in the document; run it again to ask anew".to_owned(),
        ),
        TurnError::Agent { source, waiting: 0 } => {
            (source.to_string(), "run it again; what was said so far is in the document".to_owned())
        }
        TurnError::Agent { source, waiting } => (
            format!("{source} ({waiting} bytes of the answer came before that and are kept)"),
            format!("run it again, or: {recover}"),
        ),
        TurnError::Displaced => {
            (format!("{name}: {error}; the answer is kept"), format!("put the place back, then: {recover}"))
        }
        TurnError::TooLong => (format!("{name}: {error}"), recover),
        TurnError::Delivery(DeliveryError::Sidecar(why)) => (
            format!("{name}: not all of what was said could be kept: {why}"),
            format!("make room on the disk, or look who owns the folder '.agent-doc'; then: {recover}"),
        ),
        TurnError::Delivery(why) => (format!("{name}: {why}"), format!("the answer is kept; {recover}")),
        TurnError::Sidecar(_) | TurnError::Reach(_) | TurnError::Recover(_) => (
            format!("{name} cannot be worked on"),
            "look at the folder '.agent-doc' of the project, or run 'agent-doc doctor'".to_owned(),
        ),
    };
    let refusal = Refusal::new(what, remedy);
    match error {
        TurnError::Sidecar(_) | TurnError::Reach(_) | TurnError::Recover(_) => {
            anyhow::Error::new(error).context(refusal)
        }
        _ => refusal.into(),
    }
}
