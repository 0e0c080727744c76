//! What happens in a turn, in the words of the view. Never shows what only a machine reads.

use std::collections::HashMap;

use agent::history::Record;
use agent::message::{Block, Part, Role, ToolCall, Usage};
use agent::model::ModelEvent;
use agent::permission::PermissionDecision;
use agent::turn::{CallKey, EndReason, Note, QuestionId};
use serde_json::Value;
use tui::{Change, Ending, Event, Notice, Task, TaskState};
use workspace::conversation::TurnEvent;

use super::asking;

/// The longest title of a call.
const TITLE_CHARS: usize = 400;

/// Translates. Knows the names that the view has for calls and questions.
pub(super) struct Teller {
    /// The file that rules go to, as it is shown.
    rules: String,
    ids: u64,
    calls: HashMap<CallKey, u64>,
    /// Questions of the turn, with what their choices mean.
    questions: HashMap<u64, (QuestionId, Vec<PermissionDecision>)>,
    /// Tokens of answers that are whole, and of the one that comes.
    spent: Usage,
    current: Usage,
    /// Whether an answer is whole whose end was not told yet: perhaps it only was too long, and goes on in the middle of a sentence.
    is_over: bool,
}

impl Teller {
    pub(super) fn new(rules: String) -> Teller {
        Teller {
            rules,
            ids: 0,
            calls: HashMap::new(),
            questions: HashMap::new(),
            spent: Usage::default(),
            current: Usage::default(),
            is_over: false,
        }
    }

    /// A name that nothing else has.
    pub(super) fn next_id(&mut self) -> u64 {
        self.ids += 1;
        self.ids
    }

    /// What a choice of a question means; none of them means to wait. It is asked once.
    pub(super) fn decision(
        &mut self,
        question: u64,
        choice: Option<usize>,
    ) -> Option<(QuestionId, PermissionDecision)> {
        let (id, decisions) = self.questions.remove(&question)?;
        let decision = choice.and_then(|choice| decisions.get(choice).copied());
        Some((id, decision.unwrap_or(PermissionDecision::Wait)))
    }

    /// The tokens of all turns.
    pub(super) fn usage(&self) -> Usage {
        self.spent.plus(self.current)
    }

    /// What the view is told of an event, which makes this change if it makes one.
    pub(super) fn tell(&mut self, event: TurnEvent, change: Option<Change>) -> Vec<Event> {
        let mut events: Vec<Event> = self.seam(&event).into_iter().collect();
        events.extend(self.translated(event, change));
        events
    }

    /// What stands between the answer so far and what comes now.
    fn seam(&mut self, event: &TurnEvent) -> Option<Event> {
        let is_next = match event {
            // Only a model that was cut off is told to go on by anything but results of tools.
            TurnEvent::Committed(Record::Message(message)) if message.role == Role::User => {
                self.is_over &= message.results().next().is_some();
                false
            }
            TurnEvent::Model(event) => matches!(
                event,
                ModelEvent::TextDelta { .. }
                    | ModelEvent::ThinkingDelta { .. }
                    | ModelEvent::CallStarted { .. }
            ),
            TurnEvent::Asked { .. } | TurnEvent::ToolStarted { .. } | TurnEvent::Ended(_) => true,
            _ => false,
        };
        (is_next && std::mem::take(&mut self.is_over)).then_some(Event::Break)
    }

    fn translated(&mut self, event: TurnEvent, change: Option<Change>) -> Vec<Event> {
        match event {
            TurnEvent::Model(event) => self.model(event),
            TurnEvent::Superseded => vec![Event::Void],
            TurnEvent::Committed(Record::Message(message)) if message.role == Role::Assistant => {
                self.spent = self.spent.plus(std::mem::take(&mut self.current));
                self.is_over = true;
                Vec::new()
            }
            TurnEvent::Committed(Record::Message(_) | Record::Withdrawn | Record::Compacted(_)) => Vec::new(),
            TurnEvent::Asked { id, question } => {
                let name = self.next_id();
                let decisions = question.options("agent").into_iter().map(|(_, decision)| decision);
                self.questions.insert(name, (id, decisions.collect()));
                let question = asking::question(name, &question, "agent", change, &self.rules);
                vec![Event::Asked(Box::new(question))]
            }
            TurnEvent::Settled(id) => {
                let name = self.questions.iter().find(|(_, (known, _))| *known == id).map(|(name, _)| *name);
                self.questions.retain(|_, (known, _)| *known != id);
                name.map(Event::Settled).into_iter().collect()
            }
            TurnEvent::ToolStarted { key, call } => self.started(key, &call, change),
            TurnEvent::ToolReported { key, line } => {
                self.calls.get(&key).map(|id| Event::ToolReported { id: *id, line }).into_iter().collect()
            }
            TurnEvent::ToolFinished { key, output } => {
                let text = output.content.iter().map(|part| match part {
                    Part::Text(text) => text.as_str(),
                    Part::Image(_) => "[a picture]",
                });
                let output_text = text.collect::<Vec<_>>().join("\n");
                let id = self.calls.remove(&key);
                id.map(|id| Event::ToolEnded { id, output: output_text, is_error: output.is_error })
                    .into_iter()
                    .collect()
            }
            TurnEvent::RuleMade { rule, not_kept } => vec![match not_kept {
                None => Event::Told(Notice::Note, format!("from now on: {rule}")),
                Some(why) => Event::Told(
                    Notice::Warning,
                    format!("{rule} holds until you leave; it was not kept: {why}"),
                ),
            }],
            TurnEvent::Restored(content) => vec![Event::Restored(words(&content))],
            TurnEvent::Note(note) => told(note),
            TurnEvent::Ended(ended) => {
                self.calls.clear();
                self.questions.clear();
                vec![Event::TurnEnded(ending(&ended.reason))]
            }
        }
    }

    fn model(&mut self, event: ModelEvent) -> Vec<Event> {
        match event {
            ModelEvent::TextDelta { text, .. } => vec![Event::Text(text)],
            ModelEvent::ThinkingDelta { text, .. } => vec![Event::Thinking(text)],
            ModelEvent::CallStarted { name, .. } => vec![Event::Preparing(name)],
            ModelEvent::Usage(usage) => {
                self.current = usage;
                let all = self.usage();
                vec![Event::Tokens(all.input.saturating_add(all.output).saturating_add(all.cache_write))]
            }
            ModelEvent::Started { .. }
            | ModelEvent::CallDelta { .. }
            | ModelEvent::Block { .. }
            | ModelEvent::Stopped { .. }
            | ModelEvent::Unknown { .. } => Vec::new(),
        }
    }

    fn started(&mut self, key: CallKey, call: &ToolCall, change: Option<Change>) -> Vec<Event> {
        if call.name == "Todo" {
            return vec![Event::Tasks(tasks(call))];
        }
        let id = self.next_id();
        self.calls.insert(key, id);
        let (tool, title) = (call.name.clone(), title(call));
        vec![Event::ToolBegan { id, tool, title, change }]
    }
}

/// What a call is about, on one line: its most telling argument.
fn title(call: &ToolCall) -> String {
    let Ok(input) = call.arguments() else { return call.input.chars().take(TITLE_CHARS).collect() };
    let telling = ["command", "file_path", "path", "pattern", "url", "query", "section"];
    let mut parts: Vec<String> =
        telling.iter().filter_map(|name| Some(input.get(*name)?.as_str()?.to_owned())).collect();
    if parts.is_empty() && !input.is_empty() {
        parts.push(Value::Object(input).to_string());
    }
    parts.join(" ").chars().take(TITLE_CHARS).collect()
}

fn tasks(call: &ToolCall) -> Vec<Task> {
    let input = call.arguments().unwrap_or_default();
    let listed = input.get("todos").and_then(Value::as_array).cloned().unwrap_or_default();
    let task = |task: &Value| {
        let state = match task.get("status").and_then(Value::as_str) {
            Some("completed") => TaskState::Done,
            Some("in_progress") => TaskState::Doing,
            _ => TaskState::Open,
        };
        let text = task.get("content").and_then(Value::as_str).unwrap_or_default().to_owned();
        Task { state, text }
    };
    listed.iter().map(task).collect()
}

fn told(note: Note) -> Vec<Event> {
    match note {
        Note::Retrying { attempt, attempts_max, after, reason } => {
            vec![Event::Retrying { attempt, attempts_max, after, reason }]
        }
        Note::Context { percent } => vec![Event::Context(percent)],
        Note::Compacting => {
            vec![Event::Told(Notice::Note, "the conversation is being made shorter".to_owned())]
        }
        Note::Compacted { messages } => {
            vec![Event::Told(Notice::Note, format!("a summary stands for {messages} messages now"))]
        }
        Note::Denied { tool, words } => {
            let first = words.lines().next().unwrap_or_default();
            vec![Event::Told(Notice::Warning, format!("{tool} did not run: {first}"))]
        }
        Note::Incomplete => vec![Event::Told(Notice::Warning, "the answer is not whole".to_owned())],
        Note::Warning(words) => vec![Event::Told(Notice::Warning, words)],
        Note::Ignored { .. } => Vec::new(),
    }
}

fn ending(reason: &EndReason) -> Ending {
    match reason {
        EndReason::Completed => Ending::Done,
        EndReason::Interrupted | EndReason::Waiting | EndReason::IterationsReached(_) => {
            Ending::Stopped(reason.words())
        }
        EndReason::Refused(_)
        | EndReason::CutOff
        | EndReason::ContextFull
        | EndReason::Stuck
        | EndReason::Unclear(_)
        | EndReason::Failed(_) => Ending::Failed(reason.words()),
    }
}

/// The words of a person's message.
pub(super) fn words(content: &[Block]) -> String {
    let texts = content.iter().filter_map(|block| match block {
        Block::Text(text) => Some(text.text.as_str()),
        _ => None,
    });
    texts.collect::<Vec<_>>().join("\n\n")
}
