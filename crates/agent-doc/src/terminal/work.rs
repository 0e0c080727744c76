//! Work beside the conversation: a session document, a run, the person's editor. Never takes the terminal but to lend it.

use std::path::PathBuf;
use std::process::Command;
use std::sync::Arc;

use agent::StreamController;
use anyhow::{Context as _, Result};
use conductor::status::{Phase, Status};
use conductor::{Happening, Wanted as Run};
use tui::{Ending, Event, Notice, Task, TaskState};
use workspace::command::{Actor, FileCommand, FileErrorKind, FileResult};
use workspace::documents::Documents;
use workspace::outside::PermissionDesk;
use workspace::session::agent::{AgentError, Said};
use workspace::session::file::SessionFile;
use workspace::session::turn::{self, Door, Git, Manner, Pace, Taken, Told, TurnError};
use workspace::sidecar::Sidecar;

use super::console::{Console, Mailbox, Message};
use crate::command::session::turn::refused;
use crate::reach::PERSON;
use crate::refusal::Refusal;
use crate::wiring::answerer::{self, Wanted};
use crate::wiring::runs::{self, Purpose};
use crate::{input, moment};

/// How often others may write a document before we give up.
const RACES_MAX: usize = 20;

/// Answers a session document.
pub(super) struct Order {
    pub(super) path: PathBuf,
    /// What is to be asked in it; what stands there already if nothing.
    pub(super) said: String,
    pub(super) documents: Documents,
    pub(super) desk: Arc<dyn PermissionDesk>,
}

/// Writes what was said into the document, and has it answered there.
pub(super) async fn answer_document(order: Order, mailbox: Mailbox, stop: StreamController) {
    let ending = match answered(order, &mailbox, &stop).await {
        Ok(words) => {
            tell(&mailbox, Event::Told(Notice::Note, words)).await;
            Ending::Done
        }
        Err(error) if stop.is_aborted() => Ending::Stopped(format!("{error:#}")),
        Err(error) => Ending::Failed(words_of(&error)),
    };
    over(&mailbox, ending).await;
}

async fn answered(order: Order, mailbox: &Mailbox, stop: &StreamController) -> Result<String> {
    let file = SessionFile::at(&order.path)
        .map_err(|error| Refusal::new(error.to_string(), "name a document of this project"))?;
    let name = file.path.clone();
    let text = input::read(&file.whole)?;
    let settings = file.settings(&text).map_err(|error| refused(&order.path, error.into()))?;
    if !order.said.is_empty() {
        append(&order.documents, &file.path, &order.said).await?;
    }
    let (root, desk) = (file.root.clone(), Arc::clone(&order.desk));
    let found = tokio::task::spawn_blocking(move || {
        let by_document = settings.agent.as_deref();
        answerer::find(Wanted { by_person: None, by_document, allow: &[], desk: Some(&desk) }, &root)
    });
    let agent = found.await.context("nobody could be found who answers")??;
    let now = moment::now();
    let manner = Manner {
        model: None,
        git: Git::Commit,
        pace: Pace::Streamed(None),
        target: None,
        by: "agent-doc chat",
        stamp: moment::shown(now),
        id: format!("{now:x}-{}", std::process::id()),
        now,
    };
    let door = match order.documents.hub().await {
        Ok(Some(hub)) => Door::Hub(hub),
        Ok(None) | Err(_) => Door::Root,
    };
    let told = mailbox.clone();
    let mut hear = move |event: Told| {
        if let Some(event) = shown(event)
            && told.try_send(Message::Event(event)).is_err()
        {
            // The document has the words; the screen need not have all of them.
        }
    };
    match turn::take(&file, &agent, &manner, &door, stop, &mut hear).await {
        Ok(Taken::Answered(_)) => Ok(format!("{name}: {} answered in the document", agent.name())),
        Ok(Taken::Nothing) => Ok(format!("{name}: nothing changed since the last answer")),
        Err(TurnError::Agent { source: AgentError::Stopped, .. }) => {
            anyhow::bail!("{name}: stopped; what was said is in the document")
        }
        Err(error) => Err(refused(&order.path, error)),
    }
}

/// What of a turn on a document is shown.
fn shown(told: Told) -> Option<Event> {
    Some(match told {
        Told::Said(Said::Text(words)) => Event::Text(words),
        Told::Said(Said::Thinking(words)) => Event::Thinking(words),
        Told::Said(Said::Doing(what)) => Event::Doing(what),
        Told::Said(Said::Break) => Event::Break,
        Told::Said(Said::Void) => Event::Void,
        Told::NoPlace => {
            Event::Told(Notice::Warning, "the place of the answer is gone; the answer waits".to_owned())
        }
        Told::Stuck(why) => Event::Told(Notice::Warning, format!("{why}; the answer waits")),
        Told::Said(Said::Talk(_) | Said::Tokens(_))
        | Told::Recovered(_)
        | Told::Committed(_)
        | Told::Branched(..)
        | Told::Asked
        | Told::Flushed { .. } => return None,
    })
}

/// Puts words at the end of a document, through its owner.
pub(super) async fn append(documents: &Documents, path: &str, said: &str) -> Result<()> {
    for _ in 0..RACES_MAX {
        let read = documents.execute(FileCommand::Read { path: path.to_owned() }.by(Actor::System)).await?;
        let FileResult::Content { content } = read.result else { anyhow::bail!("{path} cannot be read") };
        let content = format!("{}\n\n{said}\n", content.trim_end()).into();
        let write = FileCommand::Write { path: path.to_owned(), content }.by(Actor::User(PERSON.to_owned()));
        match documents.execute(write.on(read.revision)).await?.result {
            FileResult::Error { kind: FileErrorKind::Conflict { .. }, .. } => {}
            FileResult::Error { message, .. } => anyhow::bail!(message),
            FileResult::Written { .. }
            | FileResult::Content { .. }
            | FileResult::SectionContent { .. }
            | FileResult::Created { .. } => return Ok(()),
        }
    }
    anyhow::bail!("others keep writing {path}")
}

/// A run that is to be started.
pub(super) struct Errand {
    pub(super) root: PathBuf,
    pub(super) documents: Documents,
    pub(super) objective: String,
    /// Who is asked what its workers may do.
    pub(super) desk: Arc<dyn PermissionDesk>,
}

/// Starts a run and follows it to its end.
pub(super) async fn conduct(errand: Errand, mailbox: Mailbox, stop: StreamController) {
    let ending = match conducted(errand, &mailbox, &stop).await {
        Ok(ending) => ending,
        Err(error) => Ending::Failed(words_of(&error)),
    };
    over(&mailbox, ending).await;
}

async fn conducted(errand: Errand, mailbox: &Mailbox, stop: &StreamController) -> Result<Ending> {
    let opened = runs::open(&errand.root, errand.documents, Purpose::Ask(&errand.desk)).await?;
    let wanted = Run { objective: errand.objective, ..Run::default() };
    let started = match opened.runs.start(wanted).await {
        Ok(started) => started,
        Err(error) => return Err(runs::told(&error)),
    };
    tell(mailbox, Event::Told(Notice::Note, format!("run {} in {}", started.id, started.path))).await;
    let mut events = opened.runs.subscribe(Some(&started.id));
    let mut workers = Workers::default();
    let view = {
        let mut ended = std::pin::pin!(opened.runs.ended(&started.id));
        loop {
            tokio::select! {
                biased;
                () = stop.subscribe() => break None,
                Some(event) = events.next() => {
                    for event in workers.told(event.happening) {
                        tell(mailbox, event).await;
                    }
                }
                view = &mut ended => break Some(view),
            }
        }
    };
    let ending = match view {
        None => {
            Ending::Stopped(format!("the run is stopped; 'agent-doc runs resume {}' goes on", started.id))
        }
        Some(Err(error)) => return Err(runs::told(&error)),
        Some(Ok(view)) => {
            let draft = opened.runs.draft(&started.id).await.map_err(|error| runs::told(&error))?;
            tell(mailbox, Event::Page(draft.canon())).await;
            match view.record.status {
                Status::Completed => Ending::Done,
                status => {
                    Ending::Failed(view.record.why.clone().unwrap_or_else(|| status.words().to_owned()))
                }
            }
        }
    };
    opened.runs.close().await;
    Ok(ending)
}

/// The workers of a run as a list of tasks.
#[derive(Default)]
pub(super) struct Workers {
    known: Vec<(String, Phase, String)>,
}

impl Workers {
    /// What is shown of what happens in a run.
    pub(super) fn told(&mut self, happening: Happening) -> Vec<Event> {
        match happening {
            Happening::Worker { name, phase, line } => {
                match self.known.iter_mut().find(|(known, ..)| *known == name) {
                    Some(known) => (known.1, known.2) = (phase, line),
                    None => self.known.push((name, phase, line)),
                }
                vec![Event::Tasks(self.known.iter().map(task).collect())]
            }
            Happening::Status { status, why } => {
                let words =
                    why.map_or_else(|| status.words().to_owned(), |why| format!("{}: {why}", status.words()));
                vec![Event::Doing(words)]
            }
            Happening::Merged { sources, revision } => {
                vec![Event::Told(
                    Notice::Note,
                    format!("merged {} at revision {revision}", sources.join(" and ")),
                )]
            }
            Happening::Taken { answer, .. } => {
                vec![Event::Told(Notice::Note, answer.trim_start_matches("> ").to_owned())]
            }
            Happening::Resync => Vec::new(),
        }
    }
}

fn task((name, phase, line): &(String, Phase, String)) -> Task {
    let state = match phase {
        Phase::Idle => TaskState::Open,
        Phase::Working | Phase::Asking => TaskState::Doing,
        Phase::Done | Phase::Merged | Phase::Failed | Phase::Stopped => TaskState::Done,
    };
    let doing = if line.is_empty() { phase.words() } else { line };
    Task { state, text: format!("{name}: {doing}") }
}

/// The text as it is when the person comes back from their editor.
pub(super) fn edited(console: &mut Console, sidecar: &Sidecar, text: &str) -> Result<String> {
    let file = sidecar.private_folder("tmp")?.join(format!("prompt-{}.md", std::process::id()));
    std::fs::write(&file, text)?;
    let editor = ["VISUAL", "EDITOR"]
        .into_iter()
        .find_map(|name| std::env::var(name).ok().filter(|value| !value.trim().is_empty()));
    let editor = editor.unwrap_or_else(|| "vi".to_owned());
    let mut words = editor.split_whitespace();
    let program = words.next().unwrap_or("vi").to_owned();
    let mut command = Command::new(&program);
    command.args(words).arg(&file);
    let status = console.lend(|| command.status())?;
    let edited = std::fs::read_to_string(&file);
    if std::fs::remove_file(&file).is_err() {
        // The editor took it away.
    }
    let remedy = "set EDITOR to a program that edits the file it is given";
    match status {
        Ok(status) if status.success() => Ok(edited.unwrap_or_default()),
        Ok(_) => Err(Refusal::new(format!("{program} ended with an error"), remedy).into()),
        Err(error) => {
            Err(error).with_context(|| Refusal::new(format!("{program} cannot be started"), remedy))
        }
    }
}

fn words_of(error: &anyhow::Error) -> String {
    let remedy = error.downcast_ref::<Refusal>().map(|refusal| format!("; {}", refusal.remedy()));
    format!("{error:#}{}", remedy.unwrap_or_default())
}

pub(super) async fn tell(mailbox: &Mailbox, event: Event) {
    if mailbox.send(Message::Event(event)).await.is_err() {
        // The person has left.
    }
}

async fn over(mailbox: &Mailbox, ending: Ending) {
    if mailbox.send(Message::Worked(ending)).await.is_err() {
        // The person has left.
    }
}
