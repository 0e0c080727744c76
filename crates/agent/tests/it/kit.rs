//! A stage for turns: it does what a driver would do, by hand, and writes down what happened.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::Duration;

use agent::history::{History, Record};
use agent::message::{Block, Message, Part, Role, StopReason, ToolCall, ToolResult, Usage};
use agent::model::{Effort, Limits, ModelError, ModelEvent, Request, ToolSpec};
use agent::permission::{
    Access, Answer, Claim, Command, CommandPart, Mode, PathAccess, PermissionDecision, Places, Policy,
    Question, Rule, Scope, parse_rules,
};
use agent::request::{Frame, validate};
use agent::tool::Output;
use agent::turn::{
    CallKey, Caps, Delivery, Effect, EndReason, Ended, Event, QuestionId, Setup, StreamId, TimerId, Turn,
};

/// A turn and all that it asked for.
pub(crate) struct Stage {
    pub(crate) turn: Turn,
    pub(crate) records: Vec<Record>,
    pub(crate) requests: Vec<Request>,
    pub(crate) questions: Vec<(QuestionId, Question)>,
    pub(crate) running: BTreeMap<CallKey, ToolCall>,
    pub(crate) started: Vec<String>,
    pub(crate) timers: Vec<(TimerId, Duration)>,
    pub(crate) rules: Vec<Rule>,
    pub(crate) ended: Option<Ended>,
    /// One word or line for each effect that is not kept elsewhere.
    pub(crate) log: Vec<String>,
    stream: Option<StreamId>,
}

pub(crate) fn setup() -> Setup {
    let tool = |name: &str| ToolSpec {
        name: name.to_owned(),
        description: format!("{name} does its work"),
        input_schema: serde_json::json!({"type": "object"}),
    };
    Setup {
        frame: Frame {
            model: "test".to_owned(),
            system: "Be brief.".into(),
            tools: ["Bash", "Edit", "Grep", "Read", "Write"].map(tool).into(),
            thinking: Effort::Off,
        },
        limits: Limits { context_window: 200_000, output_max: 32_000 },
        policy: policy(Mode::Default, ""),
        caps: Caps::conversation(),
    }
}

pub(crate) fn places() -> Places {
    Places {
        project: "/p".to_owned(),
        home: Some("/h".to_owned()),
        current: "/p".to_owned(),
        also: Vec::new(),
    }
}

pub(crate) fn policy(mode: Mode, rules: &str) -> Policy {
    Policy::new(mode, places(), parse_rules(rules, Scope::User).unwrap())
}

impl Stage {
    pub(crate) fn new() -> Self {
        Self::with(setup(), History::new())
    }

    pub(crate) fn ruled(mode: Mode, rules: &str) -> Self {
        Self::with(Setup { policy: policy(mode, rules), ..setup() }, History::new())
    }

    pub(crate) fn with(setup: Setup, history: History) -> Self {
        Self {
            turn: Turn::new(setup, history),
            records: Vec::new(),
            requests: Vec::new(),
            questions: Vec::new(),
            running: BTreeMap::new(),
            started: Vec::new(),
            timers: Vec::new(),
            rules: Vec::new(),
            ended: None,
            log: Vec::new(),
            stream: None,
        }
    }

    /// Lets something happen and does what follows. Tools look at their calls at once.
    pub(crate) fn feed(&mut self, event: Event) {
        let mut inspected = Vec::new();
        for effect in self.turn.step(event) {
            assert!(self.ended.is_none(), "nothing follows the end: {effect:?}");
            match effect {
                Effect::Commit(record) => self.records.push(record),
                Effect::Ask { stream, purpose, request, ending } => {
                    validate(&request, ending).unwrap();
                    self.log.push(format!("ask {purpose:?} {}", request.output_max));
                    self.stream = Some(stream);
                    self.requests.push(*request);
                }
                Effect::Inspect { key, call } => inspected.push((key, claim(&call))),
                Effect::Pose { id, question } => self.questions.push((id, *question)),
                Effect::Close(id) => self.questions.retain(|(open, _)| *open != id),
                Effect::Run { key, permit } => {
                    self.started.push(permit.call().id.clone());
                    assert!(self.running.insert(key, permit.call().clone()).is_none(), "runs once");
                }
                Effect::SetTimer { timer, after } => self.timers.push((timer, after)),
                Effect::SaveRule(rule) => self.rules.push(rule),
                Effect::End(ended) => self.ended = Some(ended),
                Effect::Show(ModelEvent::TextDelta { text, .. }) => self.log.push(format!("show {text}")),
                Effect::Show(_) => {}
                other => self.log.push(format!("{other:?}")),
            }
        }
        for (call, claim) in inspected {
            self.feed(Event::Inspected { call, claim });
        }
    }

    pub(crate) fn prompted(mut self, text: &str) -> Self {
        self.feed(Event::Prompted(vec![Block::text(text)]));
        self
    }

    pub(crate) fn stream(&self) -> StreamId {
        self.stream.expect("a request went out")
    }

    pub(crate) fn hear(&mut self, event: ModelEvent) {
        self.feed(Event::Heard { stream: self.stream(), event });
    }

    pub(crate) fn text(&mut self, index: usize, text: &str) {
        self.hear(ModelEvent::TextDelta { index, text: text.to_owned() });
    }

    pub(crate) fn block(&mut self, index: usize, block: Block) {
        self.hear(ModelEvent::Block { index, block });
    }

    pub(crate) fn stop(&mut self, reason: StopReason) {
        self.hear(ModelEvent::Stopped { reason, detail: None });
    }

    /// A whole answer.
    pub(crate) fn reply(&mut self, blocks: Vec<Block>, reason: StopReason) {
        for (index, block) in blocks.into_iter().enumerate() {
            self.block(index, block);
        }
        self.stop(reason);
    }

    /// An answer with these calls, each as id, tool and input.
    pub(crate) fn calls(&mut self, calls: &[(&str, &str, &str)]) {
        let blocks = calls.iter().map(|(id, name, input)| Block::call(*id, *name, *input)).collect();
        self.reply(blocks, StopReason::ToolUse);
    }

    pub(crate) fn done(&mut self, text: &str) {
        self.reply(vec![Block::text(text)], StopReason::EndTurn);
    }

    pub(crate) fn usage(&mut self, usage: Usage) {
        self.hear(ModelEvent::Usage(usage));
    }

    pub(crate) fn fail(&mut self, error: ModelError, jitter: f64) {
        self.feed(Event::Failed { stream: self.stream(), error, jitter });
    }

    pub(crate) fn key(&self, id: &str) -> CallKey {
        *self.running.iter().find(|(_, call)| call.id == id).expect("the tool runs").0
    }

    /// A running tool is done.
    pub(crate) fn finish(&mut self, id: &str, text: &str) {
        let call = self.key(id);
        self.running.remove(&call);
        self.feed(Event::ToolFinished { call, output: Output::success(text) });
    }

    pub(crate) fn answer(&mut self, decision: PermissionDecision) {
        self.answer_with(decision, "");
    }

    pub(crate) fn answer_with(&mut self, decision: PermissionDecision, words: &str) {
        let (question, _) = self.questions.first().expect("a question is open");
        let answer = Answer { words: words.to_owned(), ..decision.into() };
        self.feed(Event::Answered { question: *question, answer });
    }

    pub(crate) fn asked(&self) -> &Question {
        &self.questions.first().expect("a question is open").1
    }

    pub(crate) fn abort(&mut self) {
        self.feed(Event::Aborted);
    }

    /// The timer that was set last runs out.
    pub(crate) fn ring(&mut self) {
        let (timer, _) = *self.timers.last().expect("a timer is set");
        self.feed(Event::TimerRang(timer));
    }

    pub(crate) fn say(&mut self, text: &str, delivery: Delivery) {
        self.feed(Event::Said { content: vec![Block::text(text)], delivery });
    }

    pub(crate) fn end(&self) -> &EndReason {
        &self.ended.as_ref().expect("the turn is over").reason
    }

    /// The next turn of the same conversation.
    pub(crate) fn next(self) -> Self {
        let (history, setup) = self.turn.into_parts();
        Self::with(setup, history)
    }

    /// The conversation that was committed.
    pub(crate) fn history(&self) -> String {
        shown(self.turn.history().messages())
    }

    /// The conversation of the last request.
    pub(crate) fn sent(&self) -> String {
        shown(&self.requests.last().expect("a request went out").messages)
    }
}

/// Messages in a notation that fits on lines: `U[TR(t1,"out"), T("text")]`.
pub(crate) fn shown(messages: &[Arc<Message>]) -> String {
    let mut text = String::new();
    for message in messages {
        let role = match message.role {
            Role::User => "U",
            Role::Assistant => "A",
        };
        let blocks: Vec<String> = message.content.iter().map(shown_block).collect();
        writeln!(text, "{role}[{}]", blocks.join(", ")).unwrap();
    }
    text
}

fn shown_block(block: &Block) -> String {
    match block {
        Block::Text(text) => format!("T({:?})", text.text),
        Block::Image(image) => format!("I({})", image.media_type),
        Block::ToolUse(call) => format!("TU({},{},{})", call.id, call.name, call.input),
        Block::ToolResult(result) => shown_result(result),
        Block::Thinking { text, signature } => format!("Thinking({text:?},{signature})"),
        Block::RedactedThinking { data } => format!("Redacted({data})"),
        Block::Opaque(verbatim) => format!("Opaque({})", verbatim.json),
    }
}

fn shown_result(result: &ToolResult) -> String {
    let part = |part: &Part| match part {
        Part::Text(text) => format!("{text:?}"),
        Part::Image(image) => image.media_type.clone(),
    };
    let parts: Vec<String> = result.content.iter().map(part).collect();
    format!("TR{}({},{})", if result.is_error { "e" } else { "" }, result.call, parts.join("+"))
}

/// What the tools of the tests find in a call.
pub(crate) fn claim(call: &ToolCall) -> Result<Claim, String> {
    let arguments = call.arguments().map_err(|error| error.to_string())?;
    let field = |name: &str| {
        let value = arguments.get(name).and_then(serde_json::Value::as_str).map(str::to_owned);
        value.ok_or_else(|| format!("InputValidationError: missing required field `{name}`"))
    };
    match call.name.as_str() {
        "Bash" => Ok(command(&field("command")?)),
        "Edit" => Ok(Claim::of_path(PathAccess::Edit, vec![field("file_path")?])),
        "Write" => {
            field("content")?;
            Ok(Claim::of_path(PathAccess::Edit, vec![field("file_path")?]))
        }
        "Read" => Ok(Claim::of_path(PathAccess::Read, vec![field("file_path")?])),
        _ => Ok(Claim::of(Access::ReadOnly)),
    }
}

/// A small part of a shell's syntax, enough for the tests: operators, quotes, substitutions.
pub(crate) fn command(text: &str) -> Claim {
    let opaque = (text.contains("$(") || text.contains('`')).then(|| "a substitution".to_owned());
    let split = text
        .replace("&&", ";")
        .replace("||", ";")
        .replace(['|', '\n'], ";")
        .replace("$(", ";")
        .replace(')', "");
    let part = |part: &str| {
        let mut words: Vec<String> =
            part.split_whitespace().map(|word| word.replace(['"', '\'', '\\'], "")).collect();
        let set = words.iter().take_while(|word| word.contains('=')).count();
        let variables = words.drain(..set).collect();
        CommandPart { words, variables, read_only: false }
    };
    let parts = split.split(';').map(part).filter(|part| !part.words.is_empty()).collect();
    Claim::of_command(Access::Execute, Command { text: text.to_owned(), parts, opaque })
}
