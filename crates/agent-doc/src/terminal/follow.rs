//! `agent-doc follow`: a document or a run in the terminal, as it changes. Never writes but what the person types.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use agent::StreamController;
use anyhow::{Context as _, Result};
use conductor::Heard;
use conductor::record::Record;
use tokio::task::JoinSet;
use tui::{Event, Intent, Notice};
use workspace::documents::Documents;
use workspace::outside::PermissionDesk;
use workspace::owner::Options;
use workspace::sidecar::{Sidecar, root_of};

use super::asking::{Desk, Reply, Waiting};
use super::changes;
use super::chat::shown;
use super::console::{self, Console, Flow, Host, Mailbox, Message};
use super::work::{self, Order, Workers, tell};
use crate::Outcome;
use crate::arguments::Follow;
use crate::reach::PERSON;
use crate::refusal::Refusal;
use crate::rules::RuleFiles;
use crate::wiring::runs::{self, Opened, Purpose};

/// Between two looks at a file. A look costs one question to the system.
const LOOK: Duration = Duration::from_millis(200);
/// The largest document that is followed.
const FILE_MAX: u64 = 16 << 20;

pub(super) async fn run(given: &Follow) -> Result<Outcome> {
    let path = std::path::absolute(&given.what).context("the current folder cannot be found")?;
    let root = root_of(&path).to_owned();
    let sidecar = Sidecar::open(&root).with_context(|| {
        Refusal::new("the project cannot be looked at", "look who owns the folder '.agent-doc'")
    })?;
    crate::log::begin(&sidecar);
    let documents = Documents::new(root.canonicalize()?, Options::default());
    let subject = if path.is_file() {
        Subject::Document(path)
    } else {
        let opened = runs::open(&root, documents.clone(), Purpose::Look).await?;
        let view = opened.runs.show(&given.what).await.map_err(|_| {
            let what = format!("'{}' is neither a file nor a run", given.what.escape_debug());
            Refusal::new(what, "name a document, or a run that 'agent-doc runs' lists")
        })?;
        Subject::Run { id: view.record.id.clone(), opened: Box::new(opened) }
    };
    let (mailbox, messages) = console::mailbox();
    let rules = RuleFiles::of(&root)?.kept_in().map(|path| shown(&path)).unwrap_or_default();
    let desk = Desk { mailbox: mailbox.clone(), root: root.canonicalize()?, rules };
    let mut console = if given.plain {
        Console::plain(messages)
    } else {
        Console::open(&sidecar.private_folder("logs")?.join("terminal.log"), messages)?
    };
    let mut host = FollowHost::new(subject, documents, mailbox, Arc::new(desk));
    host.begin(&mut console);
    let code = console.run(&mut host).await;
    drop(console);
    host.documents.close().await;
    Ok(Outcome::Code(code))
}

/// What is followed.
enum Subject {
    Document(PathBuf),
    Run { id: String, opened: Box<Opened> },
}

struct FollowHost {
    subject: Subject,
    documents: Documents,
    mailbox: Mailbox,
    tasks: JoinSet<()>,
    /// What the person asked for in the document.
    under: Option<StreamController>,
    desk: Arc<dyn PermissionDesk>,
    asked: Waiting,
    ids: u64,
}

impl FollowHost {
    fn new(
        subject: Subject,
        documents: Documents,
        mailbox: Mailbox,
        desk: Arc<dyn PermissionDesk>,
    ) -> FollowHost {
        FollowHost {
            subject,
            documents,
            mailbox,
            tasks: JoinSet::new(),
            under: None,
            desk,
            asked: Waiting::default(),
            ids: 0,
        }
    }

    fn begin(&mut self, console: &mut Console) {
        match &self.subject {
            Subject::Document(path) => {
                // Read first: what is saved after the words is a change.
                let text = read(path).unwrap_or_default();
                console.apply(Event::Model(format!(
                    "following {}",
                    path.file_name().unwrap_or_default().to_string_lossy()
                )));
                console.apply(Event::Page(document::frontmatter::body(&text).to_owned()));
                self.tasks.spawn(watch(path.clone(), text, self.mailbox.clone()));
            }
            Subject::Run { id, opened } => {
                console.apply(Event::Model(format!("following run {id}")));
                self.tasks.spawn(watch_run(opened.runs.clone(), id.clone(), self.mailbox.clone()));
            }
        }
        let words = match &self.subject {
            Subject::Document(_) => {
                "What changes is shown here. What you type is asked in the document. ctrl-c twice leaves."
            }
            Subject::Run { .. } => {
                "What changes is shown here. What you type goes to the run at once. What its workers want to do is asked \
                 where it was started: in that terminal, or in the Writer. ctrl-c twice leaves."
            }
        };
        console.apply(Event::Told(Notice::Note, words.to_owned()));
    }

    async fn say(&mut self, said: String, console: &mut Console) {
        match &self.subject {
            Subject::Document(path) if self.under.is_none() => {
                let stop = StreamController::new();
                let desk = Arc::clone(&self.desk);
                let order = Order { path: path.clone(), said, documents: self.documents.clone(), desk };
                self.tasks.spawn(work::answer_document(order, self.mailbox.clone(), stop.clone()));
                self.under = Some(stop);
                console.apply(Event::TurnBegan);
            }
            Subject::Document(_) => console.apply(Event::Restored(said)),
            Subject::Run { id, opened } => {
                console.apply(Event::Said(said.clone()));
                match opened.runs.tell(id, &said, PERSON, None).await {
                    Ok(Heard::Now) => {}
                    Ok(Heard::Later) => {
                        let words = format!("nobody works on it now; 'agent-doc runs resume {id}' goes on");
                        console.apply(Event::Told(Notice::Note, words));
                    }
                    Err(error) => console.apply(Event::Told(Notice::Error, error.to_string())),
                }
            }
        }
    }
}

impl Host for FollowHost {
    async fn act(&mut self, intent: Intent, console: &mut Console) -> Flow {
        match intent {
            Intent::Leave => return Flow::Leave,
            Intent::Say(said) | Intent::Steer(said) => self.say(said, console).await,
            Intent::Interrupt => {
                self.under.iter().for_each(StreamController::abort);
                self.asked.clear();
            }
            Intent::Answer { question, choice, words } => {
                if self.asked.answer(question, Reply { choice, words }).is_err() {
                    // It was settled in the same moment.
                }
            }
            Intent::Command { name, .. } if matches!(name.as_str(), "quit" | "exit") => return Flow::Leave,
            Intent::Command { name, rest } if matches!(self.subject, Subject::Run { .. }) => {
                self.say(format!("/{name} {rest}").trim_end().to_owned(), console).await;
            }
            Intent::Command { .. } => {
                console.apply(Event::Told(
                    Notice::Note,
                    "here is /quit; what you type goes into the document".to_owned(),
                ));
            }
            Intent::Complete(_)
            | Intent::ListPrompts
            | Intent::Rewind(_)
            | Intent::NextMode
            | Intent::Edit(_)
            | Intent::Suspend
            | Intent::Redraw => {}
        }
        Flow::On
    }

    fn hear(&mut self, message: Message, console: &mut Console) {
        match message {
            // The words of an answer are seen as they change the document.
            Message::Event(Event::Text(_) | Event::Thinking(_) | Event::Break | Event::Void) => {}
            Message::Event(event) => console.apply(event),
            Message::Ask(mut question, answer) => {
                self.ids += 1;
                question.id = self.ids;
                if self.asked.put(question.id, answer) {
                    console.apply(Event::Asked(question));
                }
            }
            // Who waits no longer is looked for after every message.
            Message::Withdrawn => {}
            Message::Worked(ending) => {
                self.under = None;
                self.asked.clear();
                console.apply(Event::TurnEnded(ending));
            }
            Message::Turn(..) | Message::Returned(..) | Message::Lost(_) => {}
        }
        for id in self.asked.withdrawn() {
            console.apply(Event::Settled(id));
        }
    }

    async fn close(&mut self, _: &mut Console) {
        self.under.iter().for_each(StreamController::abort);
        self.tasks.abort_all();
        if let Subject::Run { opened, .. } = &self.subject {
            opened.runs.close().await;
        }
    }
}

fn read(path: &Path) -> Option<String> {
    let is_small = std::fs::metadata(path).is_ok_and(|found| found.len() <= FILE_MAX);
    is_small.then(|| std::fs::read_to_string(path).ok()).flatten()
}

/// Tells each change of a file.
async fn watch(path: PathBuf, mut before: String, mailbox: Mailbox) {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (mut looks, mut seen, mut id) = (tokio::time::interval(LOOK), None, 1_u64 << 32);
    loop {
        looks.tick().await;
        let found =
            std::fs::metadata(&path).ok().and_then(|found| Some((found.modified().ok()?, found.len())));
        if found == seen && seen.is_some() {
            continue;
        }
        seen = found;
        let Some(text) = read(&path).filter(|text| *text != before) else { continue };
        let change = Some(changes::between(&name, &before, &text));
        let (tool, title) = ("changed".to_owned(), name.clone());
        id += 1;
        tell(&mailbox, Event::ToolBegan { id, tool, title, change }).await;
        tell(&mailbox, Event::ToolEnded { id, output: String::new(), is_error: false }).await;
        before = text;
    }
}

/// Tells what happens in a run, by looking at its record: another process may work on it.
async fn watch_run(runs: conductor::Runs, id: String, mailbox: Mailbox) {
    let mut looks = tokio::time::interval(LOOK);
    let (mut told, mut canon, mut workers) = (None, String::new(), Workers::default());
    tell(&mailbox, Event::Watching).await;
    loop {
        looks.tick().await;
        let Ok(view) = runs.show(&id).await else { continue };
        if told.as_ref() != Some(&*view.record) {
            for (name, question) in asking(told.as_ref(), &view.record) {
                let words = format!("{name} asks: {question} (answer with '@{name} ' and your words)");
                tell(&mailbox, Event::Told(Notice::Warning, words)).await;
            }
            for worker in &view.record.workers {
                let line = view
                    .lines
                    .get(&worker.name)
                    .cloned()
                    .or_else(|| worker.question.clone())
                    .unwrap_or_default();
                let happening =
                    conductor::Happening::Worker { name: worker.name.clone(), phase: worker.phase, line };
                for event in workers.told(happening) {
                    tell(&mailbox, event).await;
                }
            }
            let status =
                conductor::Happening::Status { status: view.record.status, why: view.record.why.clone() };
            for event in workers.told(status) {
                tell(&mailbox, event).await;
            }
            told = Some((*view.record).clone());
        }
        let now = runs.draft(&id).await.map(|draft| draft.canon()).unwrap_or_default();
        if now != canon && !now.trim().is_empty() {
            tell(&mailbox, Event::Page(now.clone())).await;
            canon = now;
        }
        if view.record.status.is_final() {
            let words = format!("the run is {}", view.record.status.words());
            let ending = if view.record.status == conductor::status::Status::Completed {
                tell(&mailbox, Event::Told(Notice::Note, words)).await;
                tui::Ending::Done
            } else {
                tui::Ending::Stopped(words)
            };
            tell(&mailbox, Event::TurnEnded(ending)).await;
            return;
        }
    }
}

/// What workers ask the person now and did not ask before.
fn asking(before: Option<&Record>, now: &Record) -> Vec<(String, String)> {
    let asked = |record: &Record| -> Vec<(String, String)> {
        let questions =
            record.workers.iter().filter_map(|worker| Some((worker.name.clone(), worker.question.clone()?)));
        questions.collect()
    };
    let known = before.map(asked).unwrap_or_default();
    asked(now).into_iter().filter(|question| !known.contains(question)).collect()
}
