//! One worker on one item: the agent loop with its tools, prompted again until it is done. Never writes anywhere but in its own
//! section, and never decides whether it is tried again.

mod bounded;
mod finished;
mod spending;

use std::path::PathBuf;
use std::pin::pin;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex, PoisonError};

use agent::StreamController;
use agent::history::History;
use agent::message::{Block, Part};
use agent::permission::{Behavior, Policy, Rule, Scope};
use agent::request::Frame;
use agent::tool::{Output, Tool};
use agent::turn::{Delivery, EndReason, Ended, Event as TurnStart, Note, Setup};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until};
use workspace::command::Actor;
use workspace::conversation::{
    Asking, Conversation, Ports, Remote, RemoteEnd, Toolbox, Transcript, Transcripts, TurnEvent, remote,
};
use workspace::outside::PermissionDesk;
use workspace::section_tools::{self, Scribe};

use crate::actor::Message;
use crate::brief;
use crate::core::{Event, Outcome};
use crate::draft::{Draft, PERSON};
use crate::kit::{Equip, Kit, Post};
use crate::paper::Paper;
use crate::plan::Item;
use crate::runs::View;
use bounded::Bounded;
use finished::{Finished, is_reported};
use spending::Spending;

/// Prompts in a row that brought nothing.
const IDLE_ROUNDS_MAX: u32 = 3;
/// Tools that write in a section.
const WRITING: [&str; 3] = ["AppendSection", "WriteSection", "EditSection"];
/// Characters of a status line.
const LINE_CHARS: usize = 100;

/// What a worker gets.
pub(crate) struct Job {
    pub(crate) item: Item,
    pub(crate) post: Post,
    pub(crate) equip: Equip,
    pub(crate) paper: Paper,
    /// Its conversation, if it goes on with one.
    pub(crate) transcript: Option<String>,
    pub(crate) transcripts: PathBuf,
    pub(crate) view: watch::Receiver<View>,
    pub(crate) tell: mpsc::Sender<Message>,
    pub(crate) stop: StreamController,
    pub(crate) heard: Heard,
    pub(crate) clock: fn() -> u64,
}

/// What the person says to a worker while it works. Clones are the same.
#[derive(Clone)]
pub(crate) struct Heard {
    words: Arc<Mutex<Vec<String>>>,
    remote: Remote,
    near: Arc<tokio::sync::Mutex<RemoteEnd>>,
}

impl Heard {
    pub(crate) fn new(words: Vec<String>) -> Heard {
        let (remote, near) = remote();
        Heard { words: Arc::new(Mutex::new(words)), remote, near: Arc::new(tokio::sync::Mutex::new(near)) }
    }

    /// Tells the worker, with its next step or its next prompt.
    pub(crate) fn say(&self, words: &str) {
        self.words.lock().unwrap_or_else(PoisonError::into_inner).push(words.to_owned());
        if self.remote.say(vec![Block::text(brief::steering(words))], Delivery::NextStep).is_err() {
            // It is between two prompts, and the next one has the words.
        }
    }

    fn words(&self) -> Vec<String> {
        self.words.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Works until the item is done, given up or stopped, and says so.
pub(crate) async fn work(job: Job) {
    let (worker, item, tell, paper) =
        (job.item.worker.clone(), job.item.id, job.tell.clone(), job.paper.clone());
    let heard = job.heard.clone();
    let mut known = heard.words().len();
    let outcome = match attempt(job, &mut known).await {
        Ok(outcome) => outcome,
        Err(why) => Outcome::Hopeless(why),
    };
    let draft = match paper.read().await {
        Ok(draft) => draft,
        Err(error) => {
            let why = format!("the document cannot be read: {error}");
            return say(
                &tell,
                Event::Ended {
                    worker,
                    item,
                    outcome: Outcome::Failed(why),
                    heard: known,
                    draft: Draft::new("", 0),
                },
            )
            .await;
        }
    };
    say(&tell, Event::Ended { worker, item, outcome, heard: known, draft }).await;
}

async fn say(tell: &mpsc::Sender<Message>, event: Event) {
    if tell.send(Message::Event(event)).await.is_err() {
        // The run is over, and nobody wants to know.
    }
}

/// One attempt. The error is one that another attempt would not mend.
async fn attempt(job: Job, known: &mut usize) -> Result<Outcome, String> {
    let mut kit = (job.equip)(job.post.clone()).await?;
    let desk = kit.desk.take();
    let (transcript, history) = opened(&job)?;
    let worker = job.item.worker.clone();
    say(&job.tell, Event::Began { worker: worker.clone(), transcript: transcript.id().to_owned() }).await;
    let before = job.item.before.clone().unwrap_or_default();
    let finished = Finished::new(&worker, &before, job.paper.clone());
    let said = finished.said();
    let mut conversation = conversation(&job, kit, finished, transcript, history);
    let (mut idle, mut refusal) = (0, None);
    let mut spending = Spending::new(&job.post.role, job.tell.clone(), job.stop.clone());
    let rounds_max = job.view.borrow().record.limits.rounds_max;
    for _ in 0..rounds_max {
        let draft = job.paper.read().await.map_err(|error| error.to_string())?;
        let words = job.heard.words();
        *known = words.len();
        let item = Item { words, ..job.item.clone() };
        let record = Arc::clone(&job.view.borrow().record);
        let prompt = brief::round(&record, &item, job.paper.path(), &draft, refusal.as_deref());
        let ended =
            round(&mut conversation, prompt, &job, draft.clone(), desk.clone(), &mut spending).await?;
        // What came too late for this prompt was not heard.
        *known = job.heard.words().len().saturating_sub(unheard(&ended));
        if let Some(outcome) = said.lock().unwrap_or_else(PoisonError::into_inner).take() {
            return Ok(outcome);
        }
        if let Some(why) = spending.over() {
            return Err(why);
        }
        match ended.reason {
            EndReason::Completed | EndReason::IterationsReached(_) | EndReason::CutOff => {}
            EndReason::Interrupted | EndReason::Waiting if job.stop.is_aborted() => {
                return Ok(Outcome::Stopped);
            }
            EndReason::Refused(_) | EndReason::ContextFull => return Err(ended.reason.words()),
            reason => return Ok(Outcome::Failed(reason.words())),
        }
        let now = job.paper.read().await.map_err(|error| error.to_string())?;
        let is_new = now.sum_of(&worker) != draft.sum_of(&worker);
        idle = if is_new { 0 } else { idle + 1 };
        if idle >= IDLE_ROUNDS_MAX {
            let what = if is_reported(&now, &worker, &before) {
                "without saying that it is done"
            } else {
                "without writing anything"
            };
            return Ok(Outcome::Failed(format!("{worker} ended {what}")));
        }
        refusal = Some(
            "You ended without Finished. Add what is missing to your section with AppendSection, then call Finished.".to_owned(),
        );
    }
    Ok(Outcome::Failed(format!("{worker} took {rounds_max} prompts and did not finish")))
}

/// One prompt and all that follows from it.
async fn round(
    conversation: &mut Conversation,
    prompt: String,
    job: &Job,
    shown: Draft,
    desk: Option<Arc<dyn PermissionDesk>>,
    spending: &mut Spending,
) -> Result<Ended, String> {
    let until = spending.until;
    let mut near = job.heard.near.lock().await;
    let mut shown = shown;
    let (remote, paper, worker, tell) =
        (job.heard.remote.clone(), job.paper.clone(), job.item.worker.clone(), job.tell.clone());
    let mut asking = desk.map(|desk| Asking::new(desk, &worker, remote.clone()));
    let mut hear = |event: TurnEvent| {
        spending.hear(&event);
        if let Some(asking) = asking.as_mut() {
            asking.hear(&event);
        }
        if let TurnEvent::ToolFinished { output, .. } = &event {
            tell_others(&remote, &paper, &worker, &mut shown);
            if let Some(words) = forbidden(output) {
                drop(tell.try_send(Message::Event(Event::Noted(format!("{worker} was refused: {words}")))));
            }
        }
        if let Some(line) = line(&event) {
            // A line that nobody has time for is no loss: the next one says more.
            drop(tell.try_send(Message::Line { worker: worker.clone(), line }));
        }
    };
    let first = TurnStart::Prompted(vec![Block::text(prompt)]);
    let turn = conversation.turn(first, &mut near, &job.stop, &mut hear);
    let ended = in_time(turn, until, &job.stop).await.map_err(|error| error.to_string())?;
    spending.end_prompt(&ended).await;
    Ok(ended)
}

/// The end of a turn, which is stopped when its time is up.
async fn in_time<T>(turn: impl Future<Output = T>, until: Option<Instant>, stop: &StreamController) -> T {
    let mut turn = pin!(turn);
    if let Some(until) = until {
        tokio::select! {
            ended = &mut turn => return ended,
            () = sleep_until(until) => stop.abort(),
        }
    }
    turn.await
}

/// What a worker was told that wanted to write where it may not.
fn forbidden(output: &Output) -> Option<String> {
    let text = output.content.iter().find_map(|part| match part {
        Part::Text(text) => text.strip_prefix("Forbidden: "),
        Part::Image(_) => None,
    })?;
    output.is_error.then(|| text.chars().take(2 * LINE_CHARS).collect())
}

/// How many words of the person a prompt ended without.
fn unheard(ended: &Ended) -> usize {
    let is_steering =
        |block: &Block| matches!(block, Block::Text(text) if text.text.starts_with(&brief::steering("")));
    ended.queued.iter().filter(|said| said.iter().any(is_steering)).count()
}

/// Shows a worker what others wrote since it last saw the document, with its next step.
fn tell_others(remote: &Remote, paper: &Paper, worker: &str, shown: &mut Draft) {
    let Some(now) = paper.glimpse().filter(|now| now.revision > shown.revision) else { return };
    let is_other =
        |title: &String| !title.eq_ignore_ascii_case(worker) && !title.eq_ignore_ascii_case(PERSON);
    let changed =
        now.titles().into_iter().filter(is_other).filter(|title| now.sum_of(title) != shown.sum_of(title));
    let sections: Vec<(String, String)> =
        changed.filter_map(|title| now.section(&title).ok().map(|content| (title, content))).collect();
    let is_said = sections.is_empty()
        || remote
            .say(vec![Block::text(brief::meanwhile(&sections, now.revision))], Delivery::NextStep)
            .is_ok();
    if is_said {
        *shown = now;
    }
}

fn conversation(
    job: &Job,
    kit: Kit,
    finished: Finished,
    transcript: Transcript,
    history: History,
) -> Conversation {
    let role = &job.post.role;
    let scribe =
        Scribe::new(job.paper.documents().clone(), Actor::Worker(role.name.clone()), transcript.id());
    let appends: Arc<AtomicU32> = Arc::default();
    let own = section_tools::all(&scribe).into_iter().map(|tool| {
        if WRITING.contains(&tool.spec().name.as_str()) {
            Bounded::around(tool, &role.name, job.paper.clone(), job.view.clone(), Arc::clone(&appends))
        } else {
            tool
        }
    });
    let given = kit.tools.into_iter().filter(|tool| role.has(&tool.spec().name));
    let toolbox = Toolbox::new(own.chain([Arc::new(finished) as Arc<dyn Tool>]).chain(given));
    let policy = permitted(kit.policy, job.paper.path());
    let frame = Frame {
        model: kit.model_name,
        system: brief::system(role, &kit.preamble, job.paper.path()).into(),
        tools: toolbox.specs(&policy),
        thinking: kit.thinking,
    };
    let caps = match role.turns_max {
        Some(iterations_max) => agent::turn::Caps { iterations_max, ..kit.caps },
        None => kit.caps,
    };
    let setup = Setup { frame, limits: kit.model.limits(), policy, caps };
    let ports = Ports { model: kit.model, tools: toolbox, rules: kit.rules, clock: job.clock };
    Conversation::new(ports, setup, history, transcript)
}

/// The rules of the person, and that a worker may write in the document of its run: the owner sees to it that it is its section.
fn permitted(mut policy: Policy, document: &str) -> Policy {
    for text in [format!("Edit(/{document})"), finished::NAME.to_owned()] {
        if let Ok(pattern) = text.parse() {
            policy.add(Rule { behavior: Behavior::Allow, pattern, scope: Scope::Session });
        }
    }
    policy
}

fn opened(job: &Job) -> Result<(Transcript, History), String> {
    let transcripts = Transcripts::at(&job.transcripts);
    if let Some(Ok((transcript, records))) = job.transcript.as_ref().map(|id| transcripts.resume(id)) {
        return Ok((transcript, History::replay(records)));
    }
    // One that is lost is no reason to stop: the document shows what was found.
    let begun = transcripts.begin((job.clock)()).map_err(|error| error.to_string())?;
    Ok((begun, History::new()))
}

/// What a worker is doing, in one line.
fn line(event: &TurnEvent) -> Option<String> {
    let line = match event {
        TurnEvent::ToolStarted { call, .. } => {
            let arguments = call.arguments().unwrap_or_default();
            let about = ["command", "pattern", "file_path", "path", "url", "query", "section"];
            let about = about.iter().find_map(|key| arguments.get(*key)?.as_str()).unwrap_or_default();
            format!("{} {about}", call.name)
        }
        TurnEvent::ToolReported { line, .. } => line.clone(),
        TurnEvent::Note(Note::Retrying { attempt, attempts_max, reason, .. }) => {
            format!("{reason}; attempt {attempt} of {attempts_max}")
        }
        TurnEvent::Note(Note::Denied { tool, words }) => format!("{tool} did not run: {words}"),
        TurnEvent::Asked { question, .. } => format!("asks: {}", question.shown),
        TurnEvent::Ended(_) => String::new(),
        TurnEvent::Model(_)
        | TurnEvent::Superseded
        | TurnEvent::Committed(_)
        | TurnEvent::Settled(_)
        | TurnEvent::ToolFinished { .. }
        | TurnEvent::RuleMade { .. }
        | TurnEvent::Restored(_)
        | TurnEvent::Note(_) => return None,
    };
    let words: Vec<&str> = line.split_whitespace().collect();
    Some(words.join(" ").chars().filter(|letter| !letter.is_control()).take(LINE_CHARS).collect())
}
