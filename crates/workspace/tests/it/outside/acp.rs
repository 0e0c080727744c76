//! Agents behind the Agent Client Protocol: a small one that speaks it line by line, well or badly.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use expect_test::{Expect, expect};
use workspace::outside::permission::{Deciding, Decision, Meaning, PermissionRequest};
use workspace::outside::{Acp, Format, PermissionDesk, RefuseAll, Spec};
use workspace::session::agent::{AgentError, Said, Talk};

use super::{Answer, Bench, ask, ask_until};

/// The agent's side. What it does in a turn stands in `turn`; `CAN` are its capabilities.
const AGENT: &str = r#"
import json, os, sys, threading, time
def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n"); sys.stdout.flush()
def reply(result): send({"id": request["id"], "result": result})
def update(what, **fields):
    send({"method": "session/update", "params": {"sessionId": session, "update": {"sessionUpdate": what, **fields}}})
def say(text, **more): update("agent_message_chunk", content={"type": "text", "text": text}, **more)
def read():
    line = sys.stdin.readline()
    if not line: sys.exit(0)
    open("heard", "a").write(line)
    return json.loads(line)
def ask(title):
    send({"id": "p1", "method": "session/request_permission", "params": {"sessionId": session,
      "toolCall": {"toolCallId": "t1", "title": title, "kind": "execute", "rawInput": {"command": title}},
      "options": [{"optionId": "yes", "name": "Allow", "kind": "allow_once"}, {"optionId": "no", "name": "Reject", "kind": "reject_once"}]}})
    return read()["result"]["outcome"]
session, CAN, OPTIONS = "new-1", {}, None
def turn(): say("Hello."); reply({"stopReason": "end_turn"})
SCRIPT
while True:
    request = read()
    method = request.get("method")
    if method == "initialize":
        reply({"protocolVersion": 1, "agentCapabilities": CAN, "authMethods": []})
    elif method == "session/new":
        reply({"sessionId": session, "configOptions": OPTIONS})
    elif method == "session/load":
        session = request["params"]["sessionId"]
        say("words of the past"); reply({})
    elif method == "session/resume":
        session = request["params"]["sessionId"]
        reply({})
    elif method == "session/set_config_option":
        reply({"configOptions": []})
    elif method == "session/prompt":
        turn()
"#;

fn spec(bench: &Bench, script: &str) -> Spec {
    bench.python(&AGENT.replace("SCRIPT", script), Format::Acp)
}

async fn run(bench: &Bench, script: &str) -> Answer {
    ask(&Acp::new(spec(bench, script), Arc::new(RefuseAll)), bench.ask("What?")).await
}

async fn check(script: &str, expected: Expect) {
    let bench = Bench::new();
    expected.assert_eq(&run(&bench, script).await.shown());
}

#[tokio::test]
async fn words_thoughts_and_tools_are_told_as_they_come() {
    let bench = Bench::new();
    let script = r#"
def turn():
    update("agent_thought_chunk", content={"type": "text", "text": "Hm."})
    say("I will "); say("look.")
    update("tool_call", toolCallId="t1", title="List files", kind="read", status="pending")
    update("tool_call_update", toolCallId="t1", status="completed")
    say("Two files.", messageId="m2"); say(" Really.", messageId="m2"); say("Bye.", messageId="m3")
    update("something_from_the_future", x=1)
    update("agent_message_chunk", content={"type": "resource_link", "name": "a", "uri": "file:///a"}, messageId="m3")
    reply({"stopReason": "end_turn"})
"#;
    expect![[r#"
        Talk("new-1")
        Thinking("Hm.")
        Text("I will ")
        Text("look.")
        Doing("List files")
        Break
        Text("Two files.")
        Text(" Really.")
        Break
        Text("Bye.")
        Text("[a](file:///a)")
        well
    "#]]
    .assert_eq(&run(&bench, script).await.shown());
    let heard = bench.left("heard");
    assert!(heard.contains(r#""prompt":[{"#) && heard.contains("What?"), "{heard}");
    // Nothing is offered that an agent could use against the person.
    assert!(!heard.contains(r#""readTextFile":true"#) && !heard.contains(r#""terminal":true"#), "{heard}");
}

#[tokio::test]
async fn a_conversation_goes_on_without_telling_its_past_again() {
    for can in [r#"{"loadSession": True}"#, r#"{"sessionCapabilities": {"resume": {}}}"#, "{}"] {
        let bench = Bench::new();
        let acp = Acp::new(spec(&bench, &format!("CAN = {can}")), Arc::new(RefuseAll));
        let mut asked = bench.ask("What?");
        asked.talk = Talk::Resume("old-1".into());
        let answer = ask(&acp, asked).await;
        assert_eq!(answer.text(), "Hello.", "{}", answer.shown());
        let (name, can_go_on) = if can == "{}" { ("new-1", false) } else { ("old-1", true) };
        assert!(answer.said.contains(&Said::Talk(name.to_owned())), "{}", answer.shown());
        let is_told = answer
            .said
            .iter()
            .any(|said| matches!(said, Said::Doing(told) if told.contains("a new one begins")));
        assert_eq!(is_told, !can_go_on, "{}", answer.shown());
    }
}

#[tokio::test]
async fn a_conversation_that_is_lost_is_told_with_a_way_out() {
    let bench = Bench::new();
    let script = r#"
CAN = {"sessionCapabilities": {"resume": {}}}
plain = reply
def reply(result):
    if request["method"] != "session/resume": return plain(result)
    send({"id": request["id"], "error": {"code": -32002, "message": "Resource not found"}})
"#;
    let mut asked = bench.ask("What?");
    asked.talk = Talk::Resume("old-1".into());
    let answer = ask(&Acp::new(spec(&bench, script), Arc::new(RefuseAll)), asked).await;
    assert_eq!(
        answer.outcome.unwrap_err().to_string(),
        "fake failed: it cannot go on with the conversation old-1: Resource not found; clear 'session:' to begin a new one"
    );
}

#[tokio::test]
async fn a_model_is_chosen_where_the_agent_offers_one() {
    let options = r#"OPTIONS = [{"id": "model", "name": "Model", "category": "model", "type": "select", "currentValue": "small",
  "options": [{"value": "small", "name": "Small"}, {"value": "large", "name": "Large"}]}]"#;
    let bench = Bench::new();
    let mut asked = bench.ask("What?");
    asked.model = Some("large".into());
    let answer = ask(&Acp::new(spec(&bench, options), Arc::new(RefuseAll)), asked.clone()).await;
    assert_eq!(answer.text(), "Hello.", "{}", answer.shown());
    assert!(bench.left("heard").contains(r#""value":"large""#), "{}", bench.left("heard"));
    asked.model = Some("huge".into());
    let answer = ask(&Acp::new(spec(&bench, options), Arc::new(RefuseAll)), asked).await;
    assert_eq!(
        answer.outcome.unwrap_err().to_string(),
        "fake failed: it has no model 'huge'; it has small, large"
    );
}

/// Allows what it is asked, and remembers it.
#[derive(Default)]
struct Kind {
    asked: Mutex<Vec<PermissionRequest>>,
}

impl PermissionDesk for Kind {
    fn decide(&self, request: PermissionRequest) -> Deciding<'_> {
        let yes =
            request.choices.iter().find(|choice| choice.meaning == Meaning::AllowOnce).unwrap().id.clone();
        self.asked.lock().unwrap().push(request);
        Box::pin(async move {
            // Longer than the agent may be silent.
            tokio::time::pause();
            tokio::time::advance(Duration::from_secs(30)).await;
            tokio::time::resume();
            Decision::Chosen(yes)
        })
    }
}

const ASKS: &str = "
def turn():
    outcome = ask('rm -rf build')
    say(json.dumps(outcome)); reply({'stopReason': 'end_turn'})
";

#[tokio::test]
async fn what_it_wants_leave_for_is_refused_where_nobody_can_be_asked() {
    check(
        ASKS,
        expect![[r#"
            Talk("new-1")
            Doing("refused: rm -rf build")
            Text("{\"outcome\": \"selected\", \"optionId\": \"no\"}")
            well
        "#]],
    )
    .await;
}

#[tokio::test]
async fn who_is_at_the_desk_decides_and_may_take_their_time() {
    let bench = Bench::new();
    let desk = Arc::new(Kind::default());
    let spec = Spec { patience: Duration::from_secs(20), ..spec(&bench, ASKS) };
    let answer = ask(&Acp::new(spec, desk.clone()), bench.ask("What?")).await;
    assert_eq!(answer.text(), r#"{"outcome": "selected", "optionId": "yes"}"#, "{}", answer.shown());
    let asked = desk.asked.lock().unwrap();
    assert_eq!((asked[0].title.as_str(), asked[0].kind.as_str()), ("rm -rf build", "execute"));
    assert_eq!(asked[0].input, Some(serde_json::json!({"command": "rm -rf build"})));
}

#[tokio::test]
async fn an_agent_is_told_to_stop_and_then_ended() {
    let polite = "
def turn():
    say('ready')
    while read().get('method') != 'session/cancel': pass
    open('cancelled', 'w').write('yes'); reply({'stopReason': 'cancelled'})
";
    let rude = "
import signal
signal.signal(signal.SIGTERM, signal.SIG_IGN)
def turn():
    say('ready')
    while True: time.sleep(0.05)
";
    for (script, is_polite) in [(polite, true), (rude, false)] {
        let bench = Bench::new();
        let script = format!("open('pid', 'w').write(str(os.getpid()))\n{script}");
        let acp = Acp::new(spec(&bench, &script), Arc::new(RefuseAll));
        let is_ready = |said: &Said| matches!(said, Said::Text(_));
        let answer = ask_until(&acp, bench.ask("What?"), is_ready).await;
        assert!(matches!(answer.outcome, Err(AgentError::Stopped)), "{}", answer.shown());
        assert_eq!(answer.text(), "ready");
        assert_eq!(bench.left("cancelled"), if is_polite { "yes" } else { "" });
        assert!(!super::stop::is_alive(&bench.left("pid")));
        assert!(answer.took < Duration::from_secs(5), "{:?}", answer.took);
    }
}

#[tokio::test]
async fn failures_are_told_and_what_was_said_is_kept() {
    check(
        "def turn(): say('Half'); sys.stderr.write('no credit\\n'); sys.exit(3)",
        expect![[r#"
            Talk("new-1")
            Text("Half")
            error: fake failed: exit code 3: no credit
        "#]],
    )
    .await;
    check(
        "def turn(): send({'id': request['id'], 'error': {'code': -32603, 'message': 'quota', 'data': 'used up'}})",
        expect![[r#"
            Talk("new-1")
            error: fake failed: quota: used up
        "#]],
    )
    .await;
    check(
        "def turn(): say('I'); reply({'stopReason': 'max_tokens'})",
        expect![[r#"
            Talk("new-1")
            Text("I")
            error: fake failed: the answer is longer than its limit of tokens
        "#]],
    )
    .await;
    check(
        "def turn(): reply({'stopReason': 'end_turn'})",
        expect![[r#"
            Talk("new-1")
            error: fake answered nothing; ask again, perhaps in other words
        "#]],
    )
    .await;
    check(
        "print('Welcome to the agent!', flush=True)",
        expect![[r#"
            Talk("new-1")
            Text("Hello.")
            well
        "#]],
    )
    .await;
    check(
        "print('usage: agent [options]', flush=True); sys.exit(0)",
        expect![[r#"
            error: fake said what cannot be understood: usage: agent [options]; look whether its version fits
        "#]],
    )
    .await;
}

#[tokio::test]
async fn a_silent_agent_is_ended() {
    let bench = Bench::new();
    let spec = Spec { patience: Duration::from_millis(300), ..spec(&bench, "time.sleep(600)") };
    let answer = ask(&Acp::new(spec, Arc::new(RefuseAll)), bench.ask("What?")).await;
    assert!(matches!(answer.outcome, Err(AgentError::Silent { .. })), "{}", answer.shown());
}
