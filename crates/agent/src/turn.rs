//! One turn of an agent: from a prompt through answers and tools to the end. It decides and a driver acts: it never waits, never
//! fails, and never asks for the same run twice.

use std::sync::Arc;

use crate::history::{History, Record};
use crate::message::{Block, Message, Usage};
use crate::request::{Ending, GO_ON, build};

mod answer;
mod budget;
mod calls;
mod compact;
mod continuation;
mod event;
mod guard;
mod permission;
mod queue;
mod reply;
mod retry;
mod setup;
mod step;
mod stop;
mod summary;

use compact::Cause;
pub use event::{
    CallKey, Delivery, Effect, EndReason, Ended, Event, Note, Purpose, QuestionId, StreamId, TimerId,
};
pub use setup::{Caps, Setup};

/// A turn. Feed it what happened by [`step`](Self::step) and do what it says, in order.
///
/// ```
/// use agent::history::History;
/// use agent::message::{Block, StopReason};
/// use agent::model::{Effort, Limits, ModelEvent};
/// use agent::permission::Policy;
/// use agent::request::Frame;
/// use agent::turn::{Caps, Effect, EndReason, Event, Setup, Turn};
///
/// let frame = Frame { model: "m".into(), system: "Be brief.".into(), tools: [].into(), thinking: Effort::Off };
/// let limits = Limits { context_window: 200_000, output_max: 8192 };
/// let setup = Setup { frame, limits, policy: Policy::default(), caps: Caps::conversation() };
/// let mut turn = Turn::new(setup, History::new());
///
/// // The prompt is committed, and a request goes out.
/// let effects = turn.step(Event::Prompted(vec![Block::text("Hello?")]));
/// let [Effect::Commit(_), Effect::Ask { stream, .. }] = effects[..] else { panic!("{effects:?}") };
///
/// // The model answers, and the turn is over.
/// let block = Block::text("Hello.");
/// turn.step(Event::Heard { stream, event: ModelEvent::Block { index: 0, block } });
/// let stopped = ModelEvent::Stopped { reason: StopReason::EndTurn, detail: None };
/// let effects = turn.step(Event::Heard { stream, event: stopped });
/// assert!(matches!(effects.last(), Some(Effect::End(ended)) if ended.reason == EndReason::Completed));
/// ```
#[derive(Debug)]
pub struct Turn {
    setup: Setup,
    history: History,
    phase: Phase,
    ids: u64,
    iterations: u32,
    output_max: u32,
    usage: Usage,
    denials: Vec<String>,
    queue: queue::Queue,
    guard: guard::Guard,
    budget: budget::Budget,
    /// The prompt, until the model says its first word.
    fresh: Option<Vec<Block>>,
    /// The answer that arrives now, and what it is for.
    reply: reply::Reply,
    purpose: Purpose,
    paused: bool,
    cuts: u32,
    /// Failures since the last whole answer, and the words of the last answer that broke off.
    retries: retry::Retries,
    partial: Option<reply::Finished>,
    /// The calls of the last answer.
    step: Option<step::Step>,
    /// Why the turn ends, while its tools are being stopped.
    why: EndReason,
    /// The summary that is being made.
    cause: Cause,
    summary_words: String,
    summary_attempt: u32,
}

/// What a turn is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    Ready,
    Streaming(StreamId),
    Summarising(StreamId),
    /// Until the request goes out again.
    Waiting(TimerId),
    Working,
    /// Until the tools have said what they have.
    Stopping(TimerId),
    Ended,
}

impl Phase {
    fn name(self) -> &'static str {
        match self {
            Self::Ready => "ready",
            Self::Streaming(_) => "streaming",
            Self::Summarising(_) => "summarising",
            Self::Waiting(_) => "waiting",
            Self::Working => "working",
            Self::Stopping(_) => "stopping",
            Self::Ended => "ended",
        }
    }
}

impl Turn {
    /// A turn that goes on with this conversation. It begins with [`Event::Prompted`], [`Event::Continued`] or
    /// [`Event::CompactAsked`].
    pub fn new(setup: Setup, history: History) -> Self {
        let output_max = setup.caps.output_max.min(setup.limits.output_max.max(1));
        let budget = budget::Budget::new(setup.limits, output_max, history.messages());
        Self {
            setup,
            history,
            phase: Phase::Ready,
            ids: 0,
            iterations: 0,
            output_max,
            usage: Usage::default(),
            denials: Vec::new(),
            queue: queue::Queue::default(),
            guard: guard::Guard::default(),
            budget,
            fresh: None,
            reply: reply::Reply::default(),
            purpose: Purpose::Answer,
            paused: false,
            cuts: 0,
            retries: retry::Retries::default(),
            partial: None,
            step: None,
            why: EndReason::Interrupted,
            cause: Cause::Nearly,
            summary_words: String::new(),
            summary_attempt: 0,
        }
    }

    /// The conversation as far as it is committed.
    pub fn history(&self) -> &History {
        &self.history
    }

    /// The conversation, for the next turn, and the policy with the rules that were added.
    pub fn into_parts(self) -> (History, Setup) {
        (self.history, self.setup)
    }

    /// Whether it is over.
    pub fn is_ended(&self) -> bool {
        self.phase == Phase::Ended
    }

    /// Takes one event; says what must happen next, in order. Never waits, never fails.
    pub fn step(&mut self, event: Event) -> Vec<Effect> {
        let mut effects = Vec::new();
        let into = &mut effects;
        match (self.phase, event) {
            (Phase::Ready, Event::Prompted(content)) => self.open(content, into),
            (Phase::Ready, Event::Continued) => self.reopen(into),
            (Phase::Ready, Event::CompactAsked(words)) => self.begin_compact(words, into),
            (Phase::Streaming(now), Event::Heard { stream, event }) if stream == now => {
                self.hear(event, into);
            }
            (Phase::Summarising(now), Event::Heard { stream, event }) if stream == now => {
                self.hear_summary(&event, into);
            }
            (Phase::Streaming(now) | Phase::Summarising(now), Event::Failed { stream, error, jitter })
                if stream == now =>
            {
                self.fail(error, jitter, into);
            }
            (Phase::Waiting(timer), Event::TimerRang(rang)) if rang == timer => self.try_again(into),
            (Phase::Working, Event::Inspected { call, claim }) => self.inspected(call, claim, into),
            (Phase::Working, Event::Answered { question, answer }) => self.answered(question, &answer, into),
            (Phase::Working, Event::ToolFinished { call, output }) => self.tool_finished(call, output, into),
            (Phase::Working, Event::ToolLost { call }) => self.tool_lost(call, into),
            (Phase::Working, Event::TimerRang(timer)) => self.question_expired(timer, into),
            (Phase::Stopping(_), Event::ToolFinished { call, output }) => self.collect(call, output, into),
            (Phase::Stopping(_), Event::ToolLost { call }) => self.collect(call, calls::lost(), into),
            (Phase::Stopping(timer), Event::TimerRang(rang)) if rang == timer => self.conclude(into),
            (Phase::Ended, Event::Said { content, .. } | Event::Prompted(content)) => {
                into.push(Effect::Restore(content));
            }
            (_, Event::Said { content, delivery }) => self.enqueue(delivery, content, into),
            // Nobody's words are lost, also if they come at an odd moment.
            (_, Event::Prompted(content)) => self.enqueue(Delivery::AfterTurn, content, into),
            (_, Event::PolicyChanged(policy)) => self.setup.policy = policy,
            (
                Phase::Ready
                | Phase::Streaming(_)
                | Phase::Summarising(_)
                | Phase::Waiting(_)
                | Phase::Working
                | Phase::Stopping(_),
                Event::Aborted,
            ) => self.abort(into),
            // Replies to a stopped turn still arrive. That is the network, not a bug.
            (_, late) => into.push(self.ignored(late.kind())),
        }
        effects
    }

    fn open(&mut self, content: Vec<Block>, effects: &mut Vec<Effect>) {
        let content = queue::spoken(content);
        if content.is_empty() {
            effects.push(Effect::Note(Note::Warning("the prompt is empty".to_owned())));
            return self.end(EndReason::Completed, effects);
        }
        let open = self.history.open_results();
        self.fresh = open.is_empty().then(|| content.clone());
        self.commit_user(open.into_iter().chain(content).collect(), effects);
        self.ask(effects);
    }

    fn reopen(&mut self, effects: &mut Vec<Effect>) {
        let mut content = self.history.open_results();
        if content.is_empty() && !self.history.ends_with_person() {
            // What is sent is also kept, so that the next request begins with the same bytes.
            content.push(Block::text(GO_ON));
        }
        self.commit_user(content, effects);
        self.ask(effects);
    }

    fn begin_compact(&mut self, words: String, effects: &mut Vec<Effect>) {
        if self.history.messages().is_empty() {
            return self.end(EndReason::Completed, effects);
        }
        let open = self.history.open_results();
        self.commit_user(open, effects);
        self.compact(Cause::Person, words, effects);
    }

    /// Sends the conversation to the model, unless the turn has gone far enough or there is no room.
    fn ask(&mut self, effects: &mut Vec<Effect>) {
        if self.iterations >= self.setup.caps.iterations_max {
            return self.end(EndReason::IterationsReached(self.iterations), effects);
        }
        if self.budget.is_over() && !self.paused {
            return self.make_room(effects);
        }
        self.iterations += 1;
        self.send(effects);
    }

    /// The same request goes out again.
    fn try_again(&mut self, effects: &mut Vec<Effect>) {
        match self.purpose {
            Purpose::Answer => self.send(effects),
            Purpose::Summary => self.ask_summary(effects),
        }
    }

    fn send(&mut self, effects: &mut Vec<Effect>) {
        let ending = if self.paused { Ending::Paused } else { Ending::Person };
        let request = Box::new(build(&self.setup.frame, self.history.messages(), self.output_max, ending));
        let stream = StreamId(self.next_id());
        self.purpose = Purpose::Answer;
        self.phase = Phase::Streaming(stream);
        effects.push(Effect::Ask { stream, purpose: Purpose::Answer, request, ending });
    }

    fn enqueue(&mut self, delivery: Delivery, content: Vec<Block>, effects: &mut Vec<Effect>) {
        let content = queue::spoken(content);
        if content.is_empty() {
            return;
        }
        if let Err(content) = self.queue.push(delivery, content) {
            effects.push(Effect::Restore(content));
        }
    }

    fn commit_user(&mut self, content: Vec<Block>, effects: &mut Vec<Effect>) {
        if !content.is_empty() {
            self.commit(Message::user(content), effects);
        }
    }

    fn commit(&mut self, message: Message, effects: &mut Vec<Effect>) {
        self.budget.said(&message);
        let record = Record::Message(Arc::new(message));
        self.history.apply(&record);
        effects.push(Effect::Commit(record));
    }

    /// The stream that is heard now.
    fn stream(&self) -> Option<StreamId> {
        match self.phase {
            Phase::Streaming(stream) | Phase::Summarising(stream) => Some(stream),
            Phase::Ready | Phase::Waiting(_) | Phase::Working | Phase::Stopping(_) | Phase::Ended => None,
        }
    }

    fn next_id(&mut self) -> u64 {
        self.ids += 1;
        self.ids
    }

    fn ignored(&self, event: &'static str) -> Effect {
        Effect::Note(Note::Ignored { phase: self.phase.name(), event })
    }
}
