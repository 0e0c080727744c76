//! Random worlds: any order of answers, failures, decisions, stops, crashes and returns. Whatever happens, each request is one that
//! providers accept, each tool runs at most once, and nothing starts after a stop.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use agent::history::{History, Record};
use agent::message::{Block, Message, Role, StopReason, ToolCall, Usage, Verbatim};
use agent::model::{Limits, ModelError, ModelEvent, Request, RetryReason};
use agent::permission::{Answer, Mode, PermissionDecision, Scope};
use agent::request::validate;
use agent::tool::Output;
use agent::turn::{
    CallKey, Caps, Delivery, Effect, Event, Purpose, QuestionId, Setup, StreamId, TimerId, Turn,
};
use expect_test::expect;
use proptest::prelude::*;

use crate::kit::{claim, policy, setup};

const MODES: [Mode; 5] = [Mode::Default, Mode::AcceptEdits, Mode::Plan, Mode::DontAsk, Mode::Bypass];
const RULES: [&str; 3] = ["", "allow Bash(ls *)\ndeny Bash(rm *)", "ask Read\nallow Edit"];

/// What streams say that nobody should hear any more.
const LATE: &str = "LATE";

/// Choices, one byte each. When they run out, all are zero.
struct Tape<'a>(std::slice::Iter<'a, u8>);

impl Tape<'_> {
    fn below(&mut self, count: usize) -> usize {
        self.0.next().map_or(0, |byte| usize::from(*byte) % count.max(1))
    }

    fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())].clone()
    }
}

/// A driver and all that is around it.
struct World<'a> {
    tape: Tape<'a>,
    turn: Turn,
    turns: usize,
    records: Vec<Record>,
    streams: Vec<StreamId>,
    inspecting: Vec<(CallKey, ToolCall)>,
    questions: Vec<QuestionId>,
    asked: BTreeMap<QuestionId, CallKey>,
    running: Vec<CallKey>,
    timers: Vec<TimerId>,
    weighed: Option<CallKey>,
    answering: Option<(QuestionId, Answer)>,
    refused: BTreeSet<CallKey>,
    stopped: bool,
    /// Each call has an id of its own, so a second run would show, also after a crash.
    ran: BTreeSet<String>,
    /// What was just taken out of the conversation, until the person has it.
    withdrawn: Option<Vec<Block>>,
    names: usize,
    /// What the model got last.
    sent: Vec<(Role, Block)>,
    /// What was ever asked for, by name.
    kinds: BTreeSet<String>,
}

fn variant(tape: &mut Tape<'_>) -> Setup {
    let window = tape.pick(&[200_000, 3000, 0]);
    Setup {
        policy: policy(tape.pick(&MODES), tape.pick(&RULES)),
        limits: Limits { context_window: window, output_max: tape.pick(&[4096, 0]) },
        caps: Caps {
            iterations_max: tape.pick(&[200, 3, 1]),
            question_timeout: tape.pick(&[None, Some(Duration::from_secs(9))]),
            ..Caps::conversation()
        },
        ..setup()
    }
}

impl<'a> World<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        let mut tape = Tape(bytes.iter());
        let turn = Turn::new(variant(&mut tape), History::new());
        Self {
            tape,
            turn,
            turns: 0,
            records: Vec::new(),
            streams: Vec::new(),
            inspecting: Vec::new(),
            questions: Vec::new(),
            asked: BTreeMap::new(),
            running: Vec::new(),
            timers: Vec::new(),
            weighed: None,
            answering: None,
            refused: BTreeSet::new(),
            stopped: false,
            ran: BTreeSet::new(),
            withdrawn: None,
            names: 0,
            sent: Vec::new(),
            kinds: BTreeSet::new(),
        }
    }

    fn live(&mut self) {
        while self.tape.0.len() > 0 {
            match self.tape.below(20) {
                0..=4 => self.hear(),
                5..=6 => self.stop_answer(),
                7 => self.fail(),
                8..=10 => self.inspect(),
                11..=12 => self.answer(),
                13..=15 => self.finish(),
                16 => self.ring(),
                17 => self.interfere(),
                18 => self.begin(),
                _ => self.crash(),
            }
        }
        self.close();
    }

    /// Feeds an event and does what follows. A crash may come between any two effects.
    fn feed(&mut self, event: Event) {
        let was_ended = self.turn.is_ended();
        let stops = matches!(event, Event::Aborted);
        let effects = self.turn.step(event);
        self.stopped |= stops;
        let survives = if self.tape.below(40) == 39 { self.tape.below(effects.len()) } else { usize::MAX };
        for (index, effect) in effects.into_iter().enumerate() {
            if index >= survives {
                return self.restart();
            }
            let quiet = matches!(effect, Effect::Restore(_) | Effect::Note(_));
            assert!(quiet || !was_ended, "nothing follows the end: {effect:?}");
            self.act(effect);
        }
        assert_eq!(&History::replay(self.records.iter().cloned()), self.turn.history());
    }

    fn act(&mut self, effect: Effect) {
        let starts = matches!(
            effect,
            Effect::Ask { .. } | Effect::Run { .. } | Effect::Pose { .. } | Effect::Inspect { .. }
        );
        assert!(!(starts && self.stopped), "nothing starts after a stop: {effect:?}");
        self.kinds.insert(kind(&effect));
        match effect {
            Effect::Commit(record) => {
                assert!(!format!("{record:?}").contains(LATE), "a stream that is over is not heard");
                if !matches!(record, Record::Message(_)) {
                    self.sent.clear();
                }
                if record == Record::Withdrawn {
                    let before = History::replay(self.records.iter().cloned());
                    self.withdrawn = before.messages().last().map(|last| last.content.clone());
                }
                self.records.push(record);
            }
            Effect::Ask { stream, request, ending, purpose } => {
                assert_eq!(validate(&request, ending), Ok(()));
                self.streams.push(stream);
                if purpose == Purpose::Answer {
                    self.compare(&request);
                }
            }
            Effect::Inspect { key, call } => self.inspecting.push((key, call)),
            Effect::Pose { id, .. } => {
                self.questions.push(id);
                self.asked.extend(self.weighed.map(|key| (id, key)));
            }
            Effect::Run { key, permit } => self.run(key, permit.call()),
            Effect::SetTimer { timer, .. } => self.timers.push(timer),
            Effect::End(ended) => {
                for said in ended.queued {
                    assert!(!said.is_empty());
                }
            }
            Effect::Close(id) => self.close_question(id),
            Effect::StopStream(_) | Effect::Show(_) | Effect::Supersede => {}
            Effect::Restore(content) => {
                // What is taken out of the conversation and what the person gets back are the same words.
                assert!(self.withdrawn.take().is_none_or(|withdrawn| withdrawn == content), "{content:?}");
            }
            Effect::StopTools | Effect::SaveRule(_) | Effect::Note(_) => {}
        }
    }

    /// Each request begins with all of the one before, also after a crash: caches and signatures of thoughts rely on it.
    fn compare(&mut self, request: &Request) {
        let blocks = |message: &Arc<Message>| {
            message.content.iter().map(|block| (message.role, block.clone())).collect::<Vec<_>>()
        };
        let sent: Vec<(Role, Block)> = request.messages.iter().flat_map(blocks).collect();
        assert!(sent.starts_with(&self.sent), "{:?}\n{sent:?}", self.sent);
        self.sent = sent;
    }

    /// If it was open until our answer, the answer counts from here on.
    fn close_question(&mut self, id: QuestionId) {
        let Some((_, answer)) = self.answering.take().filter(|(question, _)| *question == id) else { return };
        if matches!(answer.decision, PermissionDecision::Wait | PermissionDecision::Never) {
            self.refused.extend(self.asked.get(&id));
        }
        self.stopped |= answer.decision == PermissionDecision::Wait && answer.words.is_empty();
    }

    fn run(&mut self, key: CallKey, call: &ToolCall) {
        assert!(self.ran.insert(call.id.clone()), "{} runs twice", call.id);
        assert!(!self.refused.contains(&key), "{} was refused", call.id);
        let last = self.turn.history().messages().last().expect("a call was committed");
        assert!(last.calls().any(|known| known == call), "a permit is bound to the bytes that were said");
        self.running.push(key);
    }

    fn stream(&mut self) -> Option<StreamId> {
        // Mostly the newest; sometimes one that nobody hears any more.
        let back = self.tape.pick(&[0, 0, 0, 0, 0, 1, 2]);
        self.streams.iter().rev().nth(back).copied()
    }

    fn hear(&mut self) {
        let Some(stream) = self.stream() else { return };
        let index = self.tape.below(5);
        let late = self.streams.last() != Some(&stream);
        let text = if late { LATE } else { self.tape.pick(&["word", "", " \n", "é🦀"]) }.to_owned();
        let event = match self.tape.below(12) {
            0 => ModelEvent::Started { id: text },
            1..=2 => ModelEvent::TextDelta { index, text },
            3 => ModelEvent::ThinkingDelta { index, text },
            4 => ModelEvent::CallStarted { index, id: text, name: "Bash".to_owned() },
            5 => ModelEvent::CallDelta { index, json: text },
            6 => ModelEvent::Usage(Usage {
                input: self.tape.pick(&[0, 100, 2900, u64::MAX]),
                output: 9,
                ..Usage::default()
            }),
            7 => ModelEvent::Unknown { kind: text },
            8 => ModelEvent::Block { index, block: Block::text(text) },
            _ => ModelEvent::Block { index, block: self.block(text) },
        };
        self.feed(Event::Heard { stream, event });
    }

    fn block(&mut self, text: String) -> Block {
        match self.tape.below(8) {
            0 => Block::Thinking { text, signature: self.tape.pick(&["SIG", ""]).to_owned() },
            1 => Block::Opaque(Verbatim { provider: "p".to_owned(), json: "{}".to_owned() }),
            _ => {
                self.names += 1;
                let fresh = if text == LATE { text } else { format!("call{}", self.names) };
                let id = if self.tape.below(9) == 8 { format!("call{}", self.names - 1) } else { fresh };
                let (name, input) = self.tape.pick(&[
                    ("Bash", r#"{"command":"ls"}"#),
                    ("Bash", r#"{"command":"rm x"}"#),
                    ("Read", r#"{"file_path":"/p/a"}"#),
                    ("Read", r#"{"file_path":"/srv/a"}"#),
                    ("Edit", r#"{"file_path":"/p/b"}"#),
                    ("Grep", ""),
                    ("Bash", "{\"comm"),
                    ("no such tool", "{}"),
                ]);
                Block::call(id, name, input)
            }
        }
    }

    fn stop_answer(&mut self) {
        let Some(stream) = self.stream() else { return };
        let reason = self.tape.pick(&[
            StopReason::ToolUse,
            StopReason::ToolUse,
            StopReason::EndTurn,
            StopReason::MaxTokens,
            StopReason::PauseTurn,
            StopReason::Refusal,
            StopReason::ModelContextWindowExceeded,
            StopReason::Other("new".to_owned()),
        ]);
        self.feed(Event::Heard { stream, event: ModelEvent::Stopped { reason, detail: None } });
    }

    fn fail(&mut self) {
        let Some(stream) = self.stream() else { return };
        let error = match self.tape.below(7) {
            0..=2 => ModelError::closed_early(),
            3 => ModelError::TooLong,
            4 => ModelError::Rejected { message: "no".to_owned() },
            5 => ModelError::Aborted,
            _ => ModelError::Retry { after: None, reason: RetryReason::Network("x".to_owned()) },
        };
        let jitter = self.tape.pick(&[0.0, 1.0, f64::NAN, -7.0, f64::INFINITY]);
        self.feed(Event::Failed { stream, error, jitter });
    }

    fn inspect(&mut self) {
        if self.inspecting.is_empty() {
            return;
        }
        let place = self.tape.below(self.inspecting.len());
        // Sometimes a tool answers twice.
        let (call, bytes) = if self.tape.below(9) == 8 {
            self.inspecting[place].clone()
        } else {
            self.inspecting.remove(place)
        };
        let claim = match self.tape.below(10) {
            8 => Err("wrong".to_owned()),
            9 => return self.feed(Event::ToolLost { call }),
            _ => claim(&bytes),
        };
        self.weighed = Some(call);
        self.feed(Event::Inspected { call, claim });
    }

    fn answer(&mut self) {
        let Some(question) = self.questions.last().copied() else { return };
        let decision = self.tape.pick(&PermissionDecision::ALL);
        let words = self.tape.pick(&["", "do it so"]).to_owned();
        let scope = self.tape.pick(&[Scope::Local, Scope::Project, Scope::Session]);
        let answer = Answer { decision, words, scope };
        self.answering = Some((question, answer.clone()));
        self.feed(Event::Answered { question, answer });
        self.answering = None;
    }

    fn finish(&mut self) {
        if self.running.is_empty() {
            return;
        }
        let place = self.tape.below(self.running.len());
        let call = if self.tape.below(9) == 8 { self.running[place] } else { self.running.remove(place) };
        let event = match self.tape.below(6) {
            0 => Event::ToolLost { call },
            1 => Event::ToolFinished { call, output: Output::error("") },
            2 => Event::ToolFinished { call, output: Output::success("long ".repeat(1000)) },
            _ => Event::ToolFinished { call, output: Output::success("fine") },
        };
        self.feed(event);
    }

    fn ring(&mut self) {
        if let Some(timer) = self.timers.iter().rev().nth(self.tape.below(2)).copied() {
            self.feed(Event::TimerRang(timer));
        }
    }

    fn interfere(&mut self) {
        let said = vec![Block::text(self.tape.pick(&["and this", " "]))];
        match self.tape.below(5) {
            0 => self.feed(Event::Said { content: said, delivery: Delivery::NextStep }),
            1 => self.feed(Event::Said { content: said, delivery: Delivery::AfterTurn }),
            2 => {
                let policy = policy(self.tape.pick(&MODES), self.tape.pick(&RULES));
                self.feed(Event::PolicyChanged(policy));
            }
            _ => self.feed(Event::Aborted),
        }
    }

    /// Starts a turn, also where one runs.
    fn begin(&mut self) {
        if self.turn.is_ended() {
            self.restart();
        }
        let event = match self.tape.below(6) {
            0 => Event::Continued,
            1 => Event::CompactAsked("mind".to_owned()),
            2 => Event::Prompted(vec![Block::text(" "), Block::call("x", "Bash", "{}")]),
            _ => Event::Prompted(vec![Block::text("please")]),
        };
        self.feed(event);
    }

    fn crash(&mut self) {
        if self.tape.below(3) == 2 {
            self.restart();
        }
    }

    /// A new process reads the transcript.
    fn restart(&mut self) {
        let setup = variant(&mut self.tape);
        self.turn = Turn::new(setup, History::replay(self.records.iter().cloned()));
        self.turns += 1;
        self.streams.clear();
        self.inspecting.clear();
        self.questions.clear();
        self.asked.clear();
        self.running.clear();
        self.timers.clear();
        self.refused.clear();
        self.weighed = None;
        self.withdrawn = None;
        self.stopped = false;
    }

    /// A stop ends any turn at once or after one timer, and the next prompt works.
    fn close(&mut self) {
        self.feed(Event::Aborted);
        if !self.turn.is_ended() {
            self.ring();
        }
        assert!(self.turn.is_ended());
        self.restart();
        self.turn = Turn::new(setup(), History::replay(self.records.iter().cloned()));
        self.feed(Event::Prompted(vec![Block::text("the next prompt")]));
        assert_eq!(self.streams.len(), 1, "the next prompt works");
    }
}

/// The name of an effect, with that of what it holds.
fn kind(effect: &Effect) -> String {
    let held = match effect {
        Effect::Commit(record) => format!("{record:?}"),
        Effect::Note(note) => format!("{note:?}"),
        Effect::End(ended) => format!("{:?}", ended.reason),
        Effect::Ask { purpose, .. } => format!("{purpose:?}"),
        _ => String::new(),
    };
    let name = |text: String| {
        text.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default().to_owned()
    };
    format!("{} {}", name(format!("{effect:?}")), name(held)).trim().to_owned()
}

/// If a change makes the worlds dull, the property below says little. So what they reach is written down.
#[test]
fn the_worlds_reach_every_effect_and_nearly_every_end() {
    let mut kinds = BTreeSet::new();
    let mut state = 1_u64;
    for _ in 0..3000 {
        let mut byte = || {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            state.to_be_bytes()[0]
        };
        let tape: Vec<u8> = (0..400).map(|_| byte()).collect();
        let mut world = World::new(&tape);
        world.live();
        kinds.append(&mut world.kinds);
    }
    expect![[r#"
        Ask Answer
        Ask Summary
        Close
        Commit Compacted
        Commit Message
        Commit Withdrawn
        End Completed
        End ContextFull
        End Failed
        End Interrupted
        End IterationsReached
        End Refused
        End Unclear
        End Waiting
        Inspect
        Note Compacted
        Note Compacting
        Note Context
        Note Denied
        Note Ignored
        Note Incomplete
        Note Retrying
        Note Warning
        Pose
        Restore
        Run
        SaveRule
        SetTimer
        Show
        StopStream
        StopTools
        Supersede"#]]
    .assert_eq(&kinds.into_iter().collect::<Vec<_>>().join("\n"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_requests_are_valid_and_tools_run_at_most_once(tape in prop::collection::vec(any::<u8>(), 0..400)) {
        World::new(&tape).live();
    }
}
