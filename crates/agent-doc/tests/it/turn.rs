//! Whole turns against a server whose every byte waits for the test: the real driver, the real model, tools in this process.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use ::models::{Endpoint, Http, Key, Protocol, Remote, Timeouts};
use agent::StreamController;
use agent::history::History;
use agent::message::{Block, INTERRUPT_USER, ToolCall};
use agent::model::{Effort, Limits, ModelEvent, ToolSpec};
use agent::permission::{Access, Claim, Mode, Permit, Places, Policy, Rule};
use agent::request::Frame;
use agent::tool::{Output, RunScope, Tool, ToolFuture};
use agent::turn::{Caps, EndReason, Ended, Event, Note, Setup};
use loopback::{Exchange, Server};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::{mpsc, oneshot};
use workspace::conversation::{Conversation, KeepRule, Ports, Toolbox, Transcripts, TurnEvent, remote};

use crate::anthropic::{
    answer, begin, body, call, call_block, call_deltas, event, framed, messages, opened, start, stop, whole,
    words,
};

const LIMITS: Limits = Limits { context_window: 200_000, output_max: 32_000 };
const KEY: &str = "sk-ant-of-a-test";

/// A tool that reads nothing and counts how often it did.
struct Reader {
    spec: ToolSpec,
    runs: AtomicUsize,
}

impl Tool for Reader {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn inspect<'a>(&'a self, call: &'a ToolCall) -> ToolFuture<'a, Result<Claim, String>> {
        Box::pin(async move {
            let arguments = call.arguments().map_err(|error| error.to_string())?;
            let is_wrong = arguments.get("path").is_some_and(|path| !path.is_string());
            if is_wrong { Err("InputValidationError: path".into()) } else { Ok(Claim::of(Access::ReadOnly)) }
        })
    }

    fn run(&self, permit: Permit, _scope: RunScope) -> ToolFuture<'_, Output> {
        self.runs.fetch_add(1, Ordering::SeqCst);
        Box::pin(async move { Output::success(format!("read {}", permit.call().input)) })
    }
}

struct NoRules;

impl KeepRule for NoRules {
    fn keep(&self, _rule: &Rule) -> Result<(), String> {
        Ok(())
    }
}

/// A conversation with a server.
struct Talk {
    server: Server,
    reader: Arc<Reader>,
    conversation: Option<Conversation>,
    _folder: TempDir,
}

/// A turn that runs.
struct Running {
    stop: StreamController,
    told: mpsc::UnboundedReceiver<TurnEvent>,
    ended: oneshot::Receiver<(Conversation, Ended)>,
}

impl Talk {
    async fn new() -> Talk {
        let (server, folder) = (Server::start().await.unwrap(), tempfile::tempdir().unwrap());
        let spec = ToolSpec {
            name: "Read".to_owned(),
            description: "reads a file".to_owned(),
            input_schema: json!({ "type": "object" }),
        };
        let reader = Arc::new(Reader { spec, runs: AtomicUsize::new(0) });
        let key = Key::new(KEY, "ANTHROPIC_API_KEY");
        let endpoint = Endpoint::new(Protocol::Anthropic, &server.url(), Some(key), "ANTHROPIC_API_KEY");
        let http = Http::new(Timeouts::default()).unwrap();
        let ports = Ports {
            model: Arc::new(Remote::new("test", endpoint, LIMITS, http)),
            tools: Toolbox::new([Arc::clone(&reader) as Arc<dyn Tool>]),
            rules: Arc::new(NoRules),
            clock: || 7,
        };
        let policy = Policy::new(Mode::Default, Places::default(), Vec::new());
        let tools = ports.tools.specs(&policy);
        let frame = Frame { model: "test".into(), system: "Be brief.".into(), tools, thinking: Effort::Off };
        let setup = Setup { frame, limits: LIMITS, policy, caps: Caps::conversation() };
        let transcript = Transcripts::at(&folder.path().join("sessions")).begin(1).unwrap();
        let conversation = Some(Conversation::new(ports, setup, History::new(), transcript));
        Talk { server, reader, conversation, _folder: folder }
    }

    fn prompt(&mut self, text: &str) -> Running {
        let mut conversation = self.conversation.take().unwrap();
        let ((_far, mut near), stop) = (remote(), StreamController::new());
        let (tell, told) = mpsc::unbounded_channel();
        let (done, ended) = oneshot::channel();
        let (switch, first) = (stop.clone(), Event::Prompted(vec![Block::text(text)]));
        tokio::spawn(async move {
            let mut tell = move |event| drop(tell.send(event));
            let turn = conversation.turn(first, &mut near, &switch, &mut tell).await.unwrap();
            drop(done.send((conversation, turn)));
        });
        Running { stop, told, ended }
    }

    async fn accept(&self) -> Exchange {
        self.server.accept().await.unwrap()
    }

    async fn end(&mut self, running: Running) -> EndReason {
        let (conversation, ended) = running.ended.await.unwrap();
        self.conversation = Some(conversation);
        ended.reason
    }

    /// What the next prompt is sent behind, after which all is well.
    async fn check_goes_on(&mut self) -> Vec<Value> {
        let running = self.prompt("And now?");
        let exchange = self.accept().await;
        let sent = messages(&exchange);
        answer(exchange, words(0, "All is well."), "end_turn").await;
        assert_eq!(self.end(running).await, EndReason::Completed);
        sent
    }

    fn runs(&self) -> usize {
        self.reader.runs.load(Ordering::SeqCst)
    }
}

impl Running {
    async fn until(&mut self, is_it: impl Fn(&TurnEvent) -> bool) -> TurnEvent {
        loop {
            let event = self.told.recv().await.expect("the turn ended without it");
            if is_it(&event) {
                return event;
            }
        }
    }

    /// Waits until the request is about to be sent again, and lets that time pass at once.
    async fn hop(&mut self) -> String {
        let is_it = |event: &TurnEvent| matches!(event, TurnEvent::Note(Note::Retrying { .. }));
        let TurnEvent::Note(Note::Retrying { after, reason, .. }) = self.until(is_it).await else {
            unreachable!()
        };
        // The timer is set right behind the note. The clock stands only here: while a socket is waited for it must not jump.
        tokio::task::yield_now().await;
        tokio::time::pause();
        tokio::time::advance(after + Duration::from_millis(1)).await;
        tokio::time::resume();
        reason
    }
}

fn roles(messages: &[Value]) -> String {
    messages.iter().map(|message| message["role"].as_str().unwrap().chars().next().unwrap()).collect()
}

#[tokio::test]
async fn three_rounds_send_the_same_beginning_and_thoughts_as_they_came() {
    let mut talk = Talk::new().await;
    let running = talk.prompt("look");
    let mut requests = Vec::new();
    for round in 0..2 {
        let exchange = talk.accept().await;
        requests.push((body(&exchange), messages(&exchange)));
        let thoughts = json!({ "type": "thinking", "thinking": "", "signature": "" });
        let delta = |kind: &str, field: &str, text: &str| json!({ "type": kind, field: text });
        let deltas = [
            delta("thinking_delta", "thinking", "a"),
            delta("thinking_delta", "thinking", "b"),
            delta("signature_delta", "signature", "SIG"),
        ];
        let mut events = whole(0, thoughts.clone(), &deltas);
        events.extend(whole(1, json!({ "type": "redacted_thinking", "data": "XYZ" }), &[]));
        events.extend(whole(2, thoughts, &[delta("signature_delta", "signature", "BARE")]));
        events.extend(call(3, &format!("t{round}"), "Read", &format!(r#"{{"path": "{round}", "n": 1.0}}"#)));
        answer(exchange, events, "tool_use").await;
    }
    let exchange = talk.accept().await;
    requests.push((body(&exchange), messages(&exchange)));
    answer(exchange, words(0, "Seen."), "end_turn").await;
    assert_eq!(talk.end(running).await, EndReason::Completed);
    assert_eq!(talk.runs(), 2);

    for (before, after) in requests.iter().zip(&requests[1..]) {
        for part in ["system", "tools", "model"] {
            assert_eq!(before.0[part].to_string(), after.0[part].to_string(), "{part}");
        }
        assert!(after.1.starts_with(&before.1));
    }
    let (_, last) = &requests[2];
    assert_eq!(roles(last), "uauau");
    let expected = json!([
        { "type": "thinking", "thinking": "ab", "signature": "SIG" },
        { "type": "redacted_thinking", "data": "XYZ" },
        { "type": "thinking", "thinking": "", "signature": "BARE" },
        { "type": "tool_use", "id": "t0", "name": "Read", "input": { "path": "0", "n": 1.0 } },
    ]);
    assert_eq!(last[1]["content"], expected);
    assert_eq!(last[2]["content"][0]["tool_use_id"], "t0");
}

#[tokio::test]
async fn an_answer_that_is_cut_anywhere_runs_nothing_and_is_asked_for_again() {
    let mut events = words(0, "Looking.");
    events.extend(call(1, "t1", "Read", r#"{"path":"a"}"#));
    let text: String = [start()].iter().chain(&events).chain(&stop("tool_use")[..1]).map(framed).collect();
    let mut talk = Talk::new().await;
    for place in (0..=text.len()).step_by(13) {
        let mut running = talk.prompt("look");
        let mut exchange = talk.accept().await;
        exchange.begin(200, &[("content-type", "text/event-stream")]).await.unwrap();
        exchange.send(&text.as_bytes()[..place]).await.unwrap();
        // By turns as the rules say and in the middle of a piece.
        if place % 2 == 0 {
            exchange.end().await.unwrap();
        } else {
            drop(exchange);
        }
        running.hop().await;
        let again = talk.accept().await;
        assert_eq!(messages(&again).last().unwrap()["role"], "user");
        answer(again, words(0, "Whole."), "end_turn").await;
        assert_eq!(talk.end(running).await, EndReason::Completed, "cut at {place}");
        assert_eq!(talk.runs(), 0, "cut at {place}");
    }
    let sent = talk.check_goes_on().await;
    assert!(!Value::from(sent).to_string().contains("Looking."));
}

#[tokio::test]
async fn words_of_an_answer_that_is_always_cut_are_kept() {
    let mut talk = Talk::new().await;
    let mut running = talk.prompt("tell");
    for attempt in 0..4 {
        let mut exchange = talk.accept().await;
        begin(&mut exchange).await;
        for object in words(0, &format!("Attempt {attempt}")) {
            event(&mut exchange, object).await;
        }
        event(&mut exchange, call(1, "t1", "Read", "{}").remove(0)).await;
        exchange.send(b"event: content_block_delta\ndata: {\"type\":\"content_blo").await.unwrap();
        drop(exchange);
        if attempt < 3 {
            assert!(running.hop().await.starts_with("the answer broke off"));
        }
    }
    running.until(|event| matches!(event, TurnEvent::Note(Note::Incomplete))).await;
    assert!(matches!(talk.end(running).await, EndReason::Failed(_)));
    let sent = talk.check_goes_on().await;
    assert_eq!(roles(&sent), "uau");
    assert_eq!(sent[1]["content"], json!([{ "type": "text", "text": "Attempt 3" }]));
    assert_eq!(talk.runs(), 0);
}

#[tokio::test]
async fn an_error_in_the_middle_is_tried_again_or_told() {
    let failure = |kind: &str| json!({ "type": "error", "error": { "type": kind, "message": "Overloaded" } });
    let mut talk = Talk::new().await;
    let mut running = talk.prompt("tell");
    let mut exchange = talk.accept().await;
    begin(&mut exchange).await;
    for object in words(0, "old").into_iter().chain([failure("overloaded_error")]) {
        event(&mut exchange, object).await;
    }
    running.until(|event| matches!(event, TurnEvent::Superseded)).await;
    assert!(running.hop().await.contains("Overloaded"));
    answer(talk.accept().await, words(0, "new"), "end_turn").await;
    assert_eq!(talk.end(running).await, EndReason::Completed);

    let running = talk.prompt("more");
    let mut exchange = talk.accept().await;
    begin(&mut exchange).await;
    event(&mut exchange, failure("invalid_request_error")).await;
    assert!(matches!(talk.end(running).await, EndReason::Failed(words) if words.contains("rejected")));
    let sent = Value::from(talk.check_goes_on().await).to_string();
    assert!(sent.contains("new") && !sent.contains("old"), "{sent}");
}

#[tokio::test]
async fn a_busy_provider_is_waited_for_and_no_tool_runs_twice() {
    let mut talk = Talk::new().await;
    let mut running = talk.prompt("look");
    answer(talk.accept().await, call(0, "t1", "Read", "{}"), "tool_use").await;
    let overloaded = br#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    let mut sent = Vec::new();
    for (status, headers) in [(529, &[][..]), (429, &[("retry-after", "7")]), (500, &[])] {
        let exchange = talk.accept().await;
        sent.push(exchange.request.body.clone());
        exchange.answer(status, headers, overloaded).await.unwrap();
        let reason = running.hop().await;
        assert!(reason.contains(&format!("HTTP {status}: Overloaded")), "{reason}");
    }
    let exchange = talk.accept().await;
    sent.push(exchange.request.body.clone());
    answer(exchange, words(0, "At last."), "end_turn").await;
    assert_eq!(talk.end(running).await, EndReason::Completed);
    assert_eq!(talk.runs(), 1);
    assert!(sent.windows(2).all(|pair| pair[0] == pair[1]));
}

#[tokio::test]
async fn a_conversation_that_is_too_long_is_summed_up_and_the_turn_goes_on() {
    let too_long =
        br#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 > 8 maximum"}}"#;
    let mut talk = Talk::new().await;
    let running = talk.prompt("count the files");
    answer(talk.accept().await, call(0, "t1", "Read", "{}"), "tool_use").await;
    talk.accept().await.answer(400, &[], too_long).await.unwrap();
    answer(talk.accept().await, words(0, "Half of them are counted."), "end_turn").await;
    let exchange = talk.accept().await;
    let sent = messages(&exchange);
    assert_eq!(roles(&sent), "u");
    let told = sent[0].to_string();
    assert!(told.contains("Half of them are counted.") && told.contains("count the files"), "{told}");
    exchange.answer(400, &[], too_long).await.unwrap();
    assert_eq!(talk.end(running).await, EndReason::ContextFull);
    assert_eq!((talk.runs(), roles(&talk.check_goes_on().await).as_str()), (1, "u"));
}

#[tokio::test]
async fn an_hour_is_not_waited_for_and_the_person_is_told() {
    let mut talk = Talk::new().await;
    let running = talk.prompt("look");
    talk.accept().await.answer(429, &[("retry-after", "3600")], b"").await.unwrap();
    let EndReason::Failed(told) = talk.end(running).await else { panic!("it cannot go on") };
    assert!(told.contains("3600 s") && told.contains("try again later"), "{told}");
    assert_eq!(roles(&talk.check_goes_on().await), "u");
}

#[tokio::test]
async fn a_server_that_always_hangs_up_is_given_up_and_the_conversation_goes_on() {
    let mut talk = Talk::new().await;
    let mut running = talk.prompt("look");
    for attempt in 0..9 {
        drop(talk.accept().await);
        if attempt < 8 {
            assert!(running.hop().await.starts_with("waiting for the network: "));
        }
    }
    assert!(matches!(talk.end(running).await, EndReason::Failed(told) if told.contains("network")));
    assert_eq!(roles(&talk.check_goes_on().await), "u");
}

#[tokio::test]
async fn a_call_that_the_limit_cut_is_not_run_and_the_limit_is_raised() {
    let mut talk = Talk::new().await;
    let running = talk.prompt("write");
    let exchange = talk.accept().await;
    assert_eq!(body(&exchange)["max_tokens"], 8192);
    let mut events = words(0, "Writing.");
    events.extend(opened(1, call_block("t1", "Read"), &call_deltas(r#"{"path":"a"#)));
    answer(exchange, events, "max_tokens").await;
    let exchange = talk.accept().await;
    assert_eq!(body(&exchange)["max_tokens"], 32_000);
    let sent = messages(&exchange);
    assert_eq!(sent[1]["content"], json!([{ "type": "text", "text": "Writing." }]));
    assert!(sent[2]["content"][0]["text"].as_str().unwrap().contains("a tool call (Read)"), "{sent:?}");
    answer(exchange, words(0, "In steps."), "end_turn").await;
    assert_eq!(talk.end(running).await, EndReason::Completed);
    assert_eq!(talk.runs(), 0);
}

#[tokio::test]
async fn a_pause_is_sent_back_as_it_came() {
    let mut talk = Talk::new().await;
    let running = talk.prompt("search");
    let server_tool = json!({ "type": "server_tool_use", "id": "s1", "name": "web_search", "input": {} });
    let mut events = words(0, "Searching.");
    events.extend(whole(1, server_tool, &[]));
    answer(talk.accept().await, events, "pause_turn").await;
    let exchange = talk.accept().await;
    let sent = messages(&exchange);
    assert_eq!(roles(&sent), "ua");
    assert_eq!(sent[1]["content"][1]["type"], "server_tool_use");
    answer(exchange, words(0, "Found."), "end_turn").await;
    assert_eq!(talk.end(running).await, EndReason::Completed);
    assert_eq!(roles(&talk.check_goes_on().await), "uau");
}

#[tokio::test]
async fn nothing_of_a_refusal_is_run_or_sent_back_open() {
    let mut talk = Talk::new().await;
    let running = talk.prompt("do it");
    let mut exchange = talk.accept().await;
    begin(&mut exchange).await;
    for object in words(0, "I would").into_iter().chain(call(1, "t1", "Read", "{}")) {
        event(&mut exchange, object).await;
    }
    let details = json!({ "type": "refusal", "category": "cyber", "explanation": "Not this." });
    let delta = json!({ "stop_reason": "refusal", "stop_details": details });
    event(&mut exchange, json!({ "type": "message_delta", "delta": delta, "usage": {} })).await;
    event(&mut exchange, json!({ "type": "message_stop" })).await;
    assert_eq!(talk.end(running).await, EndReason::Refused(Some("cyber: Not this.".to_owned())));
    assert_eq!(talk.runs(), 0);
    assert!(!Value::from(talk.check_goes_on().await).to_string().contains("tool_use"));
}

/// What the model gets for a call that cannot be run.
async fn check_bad_call(tool: &str, input: &str, runs: usize, expected: &str) {
    let mut talk = Talk::new().await;
    let running = talk.prompt("look");
    answer(talk.accept().await, call(0, "t1", tool, input), "tool_use").await;
    let exchange = talk.accept().await;
    let sent = messages(&exchange);
    assert!(sent[1]["content"][0]["input"].is_object(), "{sent:?}");
    assert!(sent[2]["content"][0].to_string().contains(expected), "{:?}", sent[2]);
    answer(exchange, words(0, "I see."), "end_turn").await;
    assert_eq!(talk.end(running).await, EndReason::Completed);
    assert_eq!(talk.runs(), runs);
}

#[tokio::test]
async fn a_call_that_makes_no_sense_is_answered_and_the_turn_goes_on() {
    check_bad_call("Read", r#"{"path": "a"#, 0, "InputValidationError").await;
    check_bad_call("Read", r#"["a"]"#, 0, "InputValidationError").await;
    check_bad_call("Read", r#"{"path":5}"#, 0, "InputValidationError").await;
    check_bad_call("Frobnicate", "{}", 0, "tool `Frobnicate` not found. Available tools: Read").await;
    check_bad_call("Read", "", 1, "read ").await;
}

#[tokio::test]
async fn an_event_of_ten_megabytes_ends_the_turn_and_keeps_the_words() {
    let mut talk = Talk::new().await;
    let running = talk.prompt("tell");
    let mut exchange = talk.accept().await;
    begin(&mut exchange).await;
    for object in words(0, "kept") {
        event(&mut exchange, object).await;
    }
    let piece = [b'x'; 64 * 1024];
    exchange.send(b"data: ").await.unwrap();
    let mut sent = 0;
    // The client hangs up long before the end.
    while sent < 64_000_000 && exchange.send(&piece).await.is_ok() {
        sent += piece.len();
    }
    assert!(sent < 64_000_000, "all of it was read");
    assert!(matches!(talk.end(running).await, EndReason::Failed(told) if told.contains("8 MiB")));
    assert!(Value::from(talk.check_goes_on().await).to_string().contains("kept"));
}

#[tokio::test]
async fn a_stop_closes_the_connection_and_keeps_what_was_whole() {
    let mut talk = Talk::new().await;
    let mut running = talk.prompt("look");
    let mut exchange = talk.accept().await;
    begin(&mut exchange).await;
    let thoughts = json!({ "type": "thinking", "thinking": "", "signature": "" });
    let thought = json!({ "type": "thinking_delta", "thinking": "hm" });
    let mut events = opened(0, thoughts, &[thought]);
    events.extend(words(1, "Hello"));
    events.extend(opened(2, call_block("t1", "Read"), &call_deltas(r#"{"path":"a"#)));
    for object in events {
        event(&mut exchange, object).await;
    }
    running.until(|event| matches!(event, TurnEvent::Model(ModelEvent::CallDelta { .. }))).await;
    running.stop.abort();
    assert_eq!(talk.end(running).await, EndReason::Interrupted);
    exchange.closed().await.unwrap();
    let sent = talk.check_goes_on().await;
    let text = |text: &str| json!({ "type": "text", "text": text });
    assert_eq!(sent[1]["content"], json!([text("Hello")]));
    assert_eq!(sent[2]["content"], json!([text(INTERRUPT_USER), text("And now?")]));
    assert_eq!(talk.runs(), 0);
}

#[tokio::test]
async fn a_stop_does_not_wait_for_a_busy_provider() {
    let mut talk = Talk::new().await;
    let mut running = talk.prompt("look");
    talk.accept().await.answer(529, &[], b"").await.unwrap();
    running.until(|event| matches!(event, TurnEvent::Note(Note::Retrying { .. }))).await;
    running.stop.abort();
    let restored = running.until(|event| matches!(event, TurnEvent::Restored(_))).await;
    assert!(matches!(restored, TurnEvent::Restored(content) if content == [Block::text("look")]));
    assert_eq!(talk.end(running).await, EndReason::Interrupted);
    let sent = talk.check_goes_on().await;
    assert_eq!(sent[0]["content"], json!([{ "type": "text", "text": "And now?" }]));
}
