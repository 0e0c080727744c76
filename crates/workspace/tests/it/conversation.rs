//! Turns with a model whose every word waits for the test, and tools in this process.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use agent::StreamController;
use agent::history::{History, Record};
use agent::message::{Block, INTERRUPT_TOOL, INTERRUPT_USER, Message, Role, StopReason, ToolCall};
use agent::model::{Effort, Limits, Model, ModelError, ModelEvent, ModelStream, Request, ToolSpec};
use agent::permission::{
    Access, Answer, Claim, Mode, PermissionDecision, Permit, Places, Policy, Rule, Scope,
};
use agent::request::{Ending, Frame, validate};
use agent::tool::{Output, RunScope, Tool, ToolFuture};
use agent::turn::{Caps, Delivery, EndReason, Ended, Event, Setup};
use tempfile::TempDir;
use tokio::sync::{mpsc, oneshot};
use workspace::conversation::{
    Conversation, KeepRule, Ports, Remote, Toolbox, Transcripts, TurnEvent, remote,
};

pub(crate) type Said = Result<ModelEvent, ModelError>;

/// A model that says what the test says, when the test says it.
#[derive(Default)]
pub(crate) struct Puppet {
    answers: Mutex<VecDeque<mpsc::UnboundedReceiver<Said>>>,
    requests: Mutex<Vec<Request>>,
    deaths: AtomicUsize,
}

impl Puppet {
    pub(crate) fn answer(&self) -> mpsc::UnboundedSender<Said> {
        let (say, hears) = mpsc::unbounded_channel();
        self.answers.lock().unwrap().push_back(hears);
        say
    }

    /// The next answer never begins: the model has a bug.
    pub(crate) fn dies(&self) {
        self.says(Vec::new(), StopReason::EndTurn);
        self.deaths.fetch_add(1, Ordering::SeqCst);
    }

    /// What nobody asked for is not said in a later turn.
    pub(crate) fn forget(&self) {
        self.answers.lock().unwrap().clear();
    }

    /// A whole answer.
    pub(crate) fn says(&self, blocks: Vec<Block>, reason: StopReason) {
        let say = self.answer();
        for (index, block) in blocks.into_iter().enumerate() {
            say.send(Ok(ModelEvent::Block { index, block })).unwrap();
        }
        say.send(Ok(ModelEvent::Stopped { reason, detail: None })).unwrap();
    }

    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

impl Model for Puppet {
    fn id(&self) -> &str {
        "puppet"
    }

    fn limits(&self) -> Limits {
        Limits { context_window: 200_000, output_max: 8192 }
    }

    fn stream(&self, request: Request) -> ModelStream {
        validate(&request, Ending::Person).unwrap();
        self.requests.lock().unwrap().push(request);
        let mut hears = self.answers.lock().unwrap().pop_front().expect("the test has no more answers");
        let died = |deaths: usize| deaths.checked_sub(1);
        let dies = self.deaths.fetch_update(Ordering::SeqCst, Ordering::SeqCst, died).is_ok();
        Box::pin(futures_util::stream::poll_fn(move |context| {
            assert!(!dies, "a model with a bug");
            hears.poll_recv(context)
        }))
    }
}

/// A tool that waits, if it is told to, until it is stopped or let go.
pub(crate) struct Hand {
    spec: ToolSpec,
    access: Access,
    does: Does,
    runs: AtomicUsize,
    together: AtomicUsize,
    together_most: AtomicUsize,
}

pub(crate) enum Does {
    Answer,
    Wait,
    Die,
    /// Dies before it runs, when it is asked what it would touch.
    DieLooking,
    /// Waits for this many others of its kind.
    Meet(tokio::sync::Barrier),
}

impl Hand {
    pub(crate) fn new(name: &str, access: Access, does: Does) -> Arc<Hand> {
        let spec = ToolSpec {
            name: name.to_owned(),
            description: "a tool of a test".to_owned(),
            input_schema: serde_json::json!({"type": "object"}),
        };
        let zero = || AtomicUsize::new(0);
        Arc::new(Hand { spec, access, does, runs: zero(), together: zero(), together_most: zero() })
    }

    pub(crate) fn runs(&self) -> usize {
        self.runs.load(Ordering::SeqCst)
    }
}

impl Tool for Hand {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn inspect<'a>(&'a self, _call: &'a ToolCall) -> ToolFuture<'a, Result<Claim, String>> {
        Box::pin(async {
            assert!(!matches!(self.does, Does::DieLooking), "a tool with a bug");
            Ok(Claim::of(self.access))
        })
    }

    fn run(&self, permit: Permit, scope: RunScope) -> ToolFuture<'_, Output> {
        self.runs.fetch_add(1, Ordering::SeqCst);
        Box::pin(async move {
            let now = self.together.fetch_add(1, Ordering::SeqCst) + 1;
            self.together_most.fetch_max(now, Ordering::SeqCst);
            (scope.report)("at it");
            let output = match &self.does {
                Does::Answer => Output::success(format!("did {}", permit.call().input)),
                Does::Wait => {
                    scope.controller.subscribe().await;
                    Output::error("half of it\n[Interrupted by user]")
                }
                Does::Die | Does::DieLooking => panic!("a tool with a bug"),
                Does::Meet(barrier) => {
                    barrier.wait().await;
                    Output::success("met")
                }
            };
            self.together.fetch_sub(1, Ordering::SeqCst);
            output
        })
    }
}

#[derive(Default)]
pub(crate) struct Rules(Mutex<Vec<Rule>>);

impl KeepRule for Rules {
    fn keep(&self, rule: &Rule) -> Result<(), String> {
        self.0.lock().unwrap().push(rule.clone());
        Ok(())
    }
}

/// A conversation on a real disk.
pub(crate) struct Stage {
    pub(crate) folder: TempDir,
    pub(crate) model: Arc<Puppet>,
    rules: Arc<Rules>,
    tools: Vec<Arc<Hand>>,
    pub(crate) conversation: Option<Conversation>,
}

/// A turn that runs.
pub(crate) struct Running {
    pub(crate) remote: Remote,
    pub(crate) stop: StreamController,
    pub(crate) told: mpsc::UnboundedReceiver<TurnEvent>,
    ended: oneshot::Receiver<(Conversation, Ended)>,
}

impl Stage {
    pub(crate) fn new(tools: Vec<Arc<Hand>>) -> Stage {
        let folder = tempfile::tempdir().unwrap();
        let mut stage =
            Stage { folder, model: Arc::default(), rules: Arc::default(), tools, conversation: None };
        let transcript = stage.transcripts().begin(1).unwrap();
        stage.conversation =
            Some(Conversation::new(stage.ports(), stage.setup(), History::new(), transcript));
        stage
    }

    pub(crate) fn transcripts(&self) -> Transcripts {
        Transcripts::at(&self.folder.path().join("sessions"))
    }

    pub(crate) fn ports(&self) -> Ports {
        let tools = self.tools.iter().map(|tool| Arc::clone(tool) as Arc<dyn Tool>);
        Ports {
            model: self.model.clone(),
            tools: Toolbox::new(tools),
            rules: self.rules.clone(),
            clock: || 7,
        }
    }

    pub(crate) fn setup(&self) -> Setup {
        let policy = Policy::new(Mode::Default, Places::default(), Vec::new());
        let tools = self.ports().tools.specs(&policy);
        let frame =
            Frame { model: "puppet".into(), system: "Be brief.".into(), tools, thinking: Effort::Off };
        Setup { frame, limits: self.model.limits(), policy, caps: Caps::conversation() }
    }

    pub(crate) fn start(&mut self, first: Event) -> Running {
        let mut conversation = self.conversation.take().unwrap();
        let ((remote, mut end), stop) = (remote(), StreamController::new());
        let (tell, told) = mpsc::unbounded_channel();
        let (done, ended) = oneshot::channel();
        let switch = stop.clone();
        tokio::spawn(async move {
            let mut tell = move |event| drop(tell.send(event));
            let turn = conversation.turn(first, &mut end, &switch, &mut tell).await.unwrap();
            drop(done.send((conversation, turn)));
        });
        Running { remote, stop, told, ended }
    }

    pub(crate) fn prompt(&mut self, text: &str) -> Running {
        self.start(Event::Prompted(vec![Block::text(text)]))
    }

    pub(crate) async fn end(&mut self, running: Running) -> Ended {
        let (conversation, ended) = running.ended.await.unwrap();
        self.conversation = Some(conversation);
        self.check_kept();
        ended
    }

    pub(crate) fn messages(&self) -> Vec<Message> {
        let history = self.conversation.as_ref().unwrap().history().unwrap();
        history.messages().iter().map(|message| (**message).clone()).collect()
    }

    /// What is on the disk is what was said.
    fn check_kept(&self) {
        let conversation = self.conversation.as_ref().unwrap();
        let entries = self.transcripts().entries(conversation.id()).unwrap();
        let records = entries.into_iter().filter_map(|(_, entry)| match entry {
            workspace::conversation::Entry::Record(record) => Some(record),
            _ => None,
        });
        assert_eq!(&History::replay(records), conversation.history().unwrap());
    }
}

impl Running {
    /// Waits for something to be told.
    pub(crate) async fn until(&mut self, is_it: impl Fn(&TurnEvent) -> bool) -> TurnEvent {
        loop {
            let event = self.told.recv().await.expect("the turn ended without it");
            if is_it(&event) {
                return event;
            }
        }
    }

    pub(crate) async fn asked(&mut self) -> agent::turn::QuestionId {
        match self.until(|event| matches!(event, TurnEvent::Asked { .. })).await {
            TurnEvent::Asked { id, .. } => id,
            _ => unreachable!(),
        }
    }
}

pub(crate) fn call(id: &str, tool: &str) -> Block {
    Block::call(id, tool, format!("{{\"number\":\"{id}\"}}"))
}

/// Messages in short: who, and what.
pub(crate) fn short(messages: &[Message]) -> Vec<String> {
    let block = |block: &Block| match block {
        Block::Text(text) => format!("'{}'", text.text),
        Block::ToolUse(call) => format!("call {}", call.id),
        Block::ToolResult(_) => {
            let shown = serde_json::to_value(block).unwrap().to_string();
            if shown.contains("\"is_error\":true") { "failed".to_owned() } else { "result".to_owned() }
        }
        other => format!("{other:?}"),
    };
    let who = |role| if role == Role::User { "U" } else { "A" };
    let line = |message: &Message| {
        format!("{} {}", who(message.role), message.content.iter().map(block).collect::<Vec<_>>().join(", "))
    };
    messages.iter().map(line).collect()
}

// L1
#[tokio::test]
async fn the_model_and_its_tools_take_turns_until_it_is_done() {
    let read = Hand::new("Read", Access::ReadOnly, Does::Answer);
    let mut stage = Stage::new(vec![read.clone()]);
    stage.model.says(vec![Block::text("Looking."), call("a", "Read")], StopReason::ToolUse);
    stage.model.says(vec![call("b", "Read")], StopReason::ToolUse);
    stage.model.says(vec![Block::text("Found.")], StopReason::EndTurn);
    let running = stage.prompt("find it");
    let ended = stage.end(running).await;
    assert_eq!((ended.reason, ended.iterations, read.runs()), (EndReason::Completed, 3, 2));
    let expected = ["U 'find it'", "A 'Looking.', call a", "U result", "A call b", "U result", "A 'Found.'"];
    assert_eq!(short(&stage.messages()), expected);
    let requests = stage.model.requests();
    assert!(
        requests
            .iter()
            .all(|request| request.system == requests[0].system && request.tools == requests[0].tools)
    );
}

// I1
#[tokio::test]
async fn an_abort_keeps_what_was_said_and_lets_go_of_the_stream() {
    let mut stage = Stage::new(Vec::new());
    let say = stage.model.answer();
    let mut running = stage.prompt("greet");
    for text in ["Hel", "lo"] {
        say.send(Ok(ModelEvent::TextDelta { index: 0, text: text.into() })).unwrap();
    }
    let is_lo = |event: &TurnEvent| matches!(event, TurnEvent::Model(ModelEvent::TextDelta { text, .. }) if text == "lo");
    running.until(is_lo).await;
    running.stop.abort();
    let ended = stage.end(running).await;
    assert_eq!(ended.reason, EndReason::Interrupted);
    let interrupted = format!("U '{INTERRUPT_USER}'");
    assert_eq!(short(&stage.messages()), ["U 'greet'", "A 'Hello'", &interrupted]);
    // The near end of the wire is closed.
    say.closed().await;
    // I14: the next turn is not stopped, and the mark and the words are one message to the model.
    stage.model.says(vec![Block::text("Going on.")], StopReason::EndTurn);
    let running = stage.prompt("go on");
    assert_eq!(stage.end(running).await.reason, EndReason::Completed);
    let last = stage.model.requests().pop().unwrap().messages.pop().unwrap();
    assert_eq!(short(&[(*last).clone()]), [format!("U '{INTERRUPT_USER}', 'go on'")]);
}

// I2
#[tokio::test]
async fn a_prompt_that_nobody_answered_goes_back_to_the_person() {
    let mut stage = Stage::new(Vec::new());
    let _say = stage.model.answer();
    let mut running = stage.prompt("never mind");
    running.until(|event| matches!(event, TurnEvent::Committed(_))).await;
    running.stop.abort();
    let restored = running.until(|event| matches!(event, TurnEvent::Restored(_))).await;
    assert!(matches!(restored, TurnEvent::Restored(content) if content == [Block::text("never mind")]));
    assert_eq!(stage.end(running).await.reason, EndReason::Interrupted);
    assert_eq!(short(&stage.messages()), [""; 0]);
}

// I8
#[tokio::test]
async fn an_abort_among_tools_answers_each_call() {
    let (done, waits) =
        (Hand::new("Done", Access::ReadOnly, Does::Answer), Hand::new("Waits", Access::ReadOnly, Does::Wait));
    let edits = Hand::new("Edits", Access::Edit, Does::Answer);
    let mut stage = Stage::new(vec![done.clone(), waits.clone(), edits.clone()]);
    stage.model.says(vec![call("a", "Done"), call("b", "Waits"), call("c", "Edits")], StopReason::ToolUse);
    let mut running = stage.prompt("work");
    running.until(|event| matches!(event, TurnEvent::ToolFinished { key, .. } if key.index == 0)).await;
    running.stop.abort();
    assert_eq!(stage.end(running).await.reason, EndReason::Interrupted);
    let last = format!("U result, failed, failed, '{INTERRUPT_TOOL}'");
    assert_eq!(short(&stage.messages()).last(), Some(&last));
    assert_eq!((done.runs(), waits.runs(), edits.runs()), (1, 1, 0));
}

// L15
#[tokio::test]
async fn tools_that_only_read_run_side_by_side_and_others_alone() {
    let read = Hand::new("Read", Access::ReadOnly, Does::Meet(tokio::sync::Barrier::new(3)));
    let mut stage = Stage::new(vec![read.clone()]);
    stage.model.says(vec![call("a", "Read"), call("b", "Read"), call("c", "Read")], StopReason::ToolUse);
    stage.model.says(vec![Block::text("All.")], StopReason::EndTurn);
    let running = stage.prompt("read three");
    assert_eq!(stage.end(running).await.reason, EndReason::Completed);
    assert_eq!(read.together_most.load(Ordering::SeqCst), 3);
    let results: Vec<String> = stage.messages()[2].results().map(|result| format!("{result:?}")).collect();
    assert!(
        ["\"a\"", "\"b\"", "\"c\""].iter().zip(&results).all(|(id, result)| result.contains(id)),
        "{results:?}"
    );
}

// P1, P3, P6, P7, I9
#[tokio::test]
async fn what_a_person_decides_is_done() {
    let edit = Hand::new("Edits", Access::Execute, Does::Answer);
    let mut stage = Stage::new(vec![edit.clone()]);
    let answer = |decision| Answer { decision, words: String::new(), scope: Scope::Local };

    stage.model.says(vec![call("a", "Edits")], StopReason::ToolUse);
    stage.model.says(vec![Block::text("Done.")], StopReason::EndTurn);
    let mut running = stage.prompt("once");
    let question = running.asked().await;
    running.remote.answer(question, answer(PermissionDecision::Allow)).unwrap();
    assert_eq!(stage.end(running).await.reason, EndReason::Completed);
    assert_eq!(edit.runs(), 1);

    stage.model.says(vec![call("b", "Edits"), call("c", "Edits")], StopReason::ToolUse);
    let mut running = stage.prompt("wait");
    let question = running.asked().await;
    running.remote.answer(question, answer(PermissionDecision::Wait)).unwrap();
    assert_eq!(stage.end(running).await.reason, EndReason::Waiting);
    assert_eq!(edit.runs(), 1);
    assert_eq!(short(&stage.messages()).last(), Some(&format!("U failed, failed, '{INTERRUPT_TOOL}'")));

    stage.model.says(vec![call("d", "Edits")], StopReason::ToolUse);
    stage.model.says(vec![Block::text("Then so.")], StopReason::EndTurn);
    let mut running = stage.prompt("with words");
    let question = running.asked().await;
    let words = Answer { words: "use the other one".into(), ..answer(PermissionDecision::Wait) };
    running.remote.answer(question, words).unwrap();
    assert_eq!(stage.end(running).await.reason, EndReason::Completed);
    assert!(format!("{:?}", stage.messages()).contains("the user said:\\nuse the other one"));

    stage.model.says(vec![call("e", "Edits")], StopReason::ToolUse);
    stage.model.says(vec![Block::text("As you like.")], StopReason::EndTurn);
    let mut running = stage.prompt("never");
    let question = running.asked().await;
    running.remote.answer(question, answer(PermissionDecision::Never)).unwrap();
    let ended = stage.end(running).await;
    assert_eq!((ended.reason, ended.denials.len(), edit.runs()), (EndReason::Completed, 1, 1));

    stage.model.says(vec![call("f", "Edits")], StopReason::ToolUse);
    let rules = stage.rules.0.lock().unwrap().clone();
    assert_eq!(rules.len(), 1, "{rules:?}");
    stage.model.says(vec![Block::text("Refused.")], StopReason::EndTurn);
    let running = stage.prompt("again");
    // The rule holds: nobody is asked.
    assert_eq!(stage.end(running).await.denials.len(), 1);
}

// I9
#[tokio::test]
async fn an_abort_closes_the_question() {
    let edit = Hand::new("Edits", Access::Execute, Does::Answer);
    let mut stage = Stage::new(vec![edit.clone()]);
    stage.model.says(vec![call("a", "Edits")], StopReason::ToolUse);
    let mut running = stage.prompt("do it");
    let question = running.asked().await;
    running.stop.abort();
    running.until(|event| matches!(event, TurnEvent::Settled(id) if *id == question)).await;
    assert_eq!(stage.end(running).await.reason, EndReason::Interrupted);
    assert_eq!((edit.runs(), stage.model.requests().len()), (0, 1));
}

// L18
#[tokio::test]
async fn what_is_said_meanwhile_arrives_with_the_results() {
    let edit = Hand::new("Edits", Access::Execute, Does::Answer);
    let mut stage = Stage::new(vec![edit]);
    stage.model.says(vec![call("a", "Edits")], StopReason::ToolUse);
    stage.model.says(vec![Block::text("Both.")], StopReason::EndTurn);
    let mut running = stage.prompt("work");
    let question = running.asked().await;
    running.remote.say(vec![Block::text("also the docs")], Delivery::NextStep).unwrap();
    running.remote.say(vec![Block::text("and then rest")], Delivery::AfterTurn).unwrap();
    running.remote.answer(question, PermissionDecision::Allow.into()).unwrap();
    let ended = stage.end(running).await;
    assert_eq!(ended.queued, [vec![Block::text("and then rest")]]);
    assert_eq!(short(&stage.messages())[2], "U result, 'also the docs'");
}

// T19
#[tokio::test]
async fn a_tool_that_dies_is_an_error_and_the_turn_goes_on() {
    let mut stage = Stage::new(vec![Hand::new("Dies", Access::ReadOnly, Does::Die)]);
    stage.model.says(vec![call("a", "Dies")], StopReason::ToolUse);
    stage.model.says(vec![Block::text("It broke.")], StopReason::EndTurn);
    let running = stage.prompt("try");
    assert_eq!(stage.end(running).await.reason, EndReason::Completed);
    assert!(format!("{:?}", stage.messages()[2]).contains("internal error"));
}

// S8, R1, S10
#[tokio::test(start_paused = true)]
async fn an_answer_that_breaks_off_is_asked_for_again() {
    let mut stage = Stage::new(Vec::new());
    let cut = stage.model.answer();
    cut.send(Ok(ModelEvent::TextDelta { index: 0, text: "Half".into() })).unwrap();
    drop(cut);
    stage.model.says(vec![Block::text("Whole.")], StopReason::EndTurn);
    let mut running = stage.prompt("tell");
    running.until(|event| matches!(event, TurnEvent::Superseded)).await;
    assert_eq!(stage.end(running).await.reason, EndReason::Completed);
    assert_eq!(short(&stage.messages()), ["U 'tell'", "A 'Whole.'"]);
    assert_eq!(stage.model.requests().len(), 2);
}

// I11
#[tokio::test(start_paused = true)]
async fn an_abort_does_not_wait_for_the_next_attempt() {
    let mut stage = Stage::new(Vec::new());
    drop(stage.model.answer());
    let mut running = stage.prompt("tell");
    let is_retrying =
        |event: &TurnEvent| matches!(event, TurnEvent::Note(agent::turn::Note::Retrying { .. }));
    running.until(is_retrying).await;
    running.stop.abort();
    let before = tokio::time::Instant::now();
    assert_eq!(stage.end(running).await.reason, EndReason::Interrupted);
    assert_eq!(before.elapsed(), std::time::Duration::ZERO);
}

// C3, C4
#[tokio::test]
async fn a_session_goes_on_where_a_crash_left_it() {
    let waits = Hand::new("Waits", Access::ReadOnly, Does::Wait);
    let mut stage = Stage::new(vec![waits.clone()]);
    let id = stage.conversation.as_ref().unwrap().id().to_owned();
    stage.model.says(vec![call("a", "Waits")], StopReason::ToolUse);
    let mut running = stage.prompt("begin");
    running.until(|event| matches!(event, TurnEvent::ToolStarted { .. })).await;
    // The process dies: nothing of it is left but the file, and the file's last line was being written.
    drop(running);
    let copy = tempfile::tempdir().unwrap();
    let from = stage.folder.path().join("sessions").join(format!("{id}.jsonl"));
    let mut bytes = std::fs::read(from).unwrap();
    bytes.extend_from_slice(b"{\"at\":9,\"record\":{\"mess");
    std::fs::create_dir(copy.path().join("sessions")).unwrap();
    std::fs::write(copy.path().join("sessions").join(format!("{id}.jsonl")), bytes).unwrap();
    let transcripts = Transcripts::at(&copy.path().join("sessions"));
    let (transcript, records) = transcripts.resume(&id[..8]).unwrap();
    assert!(matches!(records.last(), Some(Record::Message(message)) if message.role == Role::Assistant));
    let mut stage = Stage { folder: copy, ..stage };
    let conversation = Conversation::new(stage.ports(), stage.setup(), History::replay(records), transcript);
    stage.conversation = Some(conversation);
    stage.model.says(vec![Block::text("Where were we?")], StopReason::EndTurn);
    let running = stage.prompt("go on");
    assert_eq!(stage.end(running).await.reason, EndReason::Completed);
    assert_eq!(short(&stage.messages())[2..], ["U failed, 'go on'", "A 'Where were we?'"]);
    assert_eq!(waits.runs(), 1);
}
