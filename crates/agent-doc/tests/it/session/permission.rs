//! What an outside agent wants to do is asked on the terminal of the person, and refused where there is none.

use crate::anthropic::{answer, call, words};
use crate::chat_server::accept;

use super::scene::{APPEND, Scene};
use super::terminal::Terminal;

/// An agent behind the Agent Client Protocol that asks leave for one command and says what became of it.
const ASKS: &str = r#"import json, os, sys, time
def send(message):
    print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    method, id = request.get("method"), request.get("id")
    if method == "initialize":
        send({"id": id, "result": {"protocolVersion": 1, "agentCapabilities": {}, "authMethods": []}})
    elif method == "session/new":
        send({"id": id, "result": {"sessionId": "s1"}})
    elif method == "session/prompt":
        prompt = id
        while not os.path.exists("go"): time.sleep(0.01)
        options = [("yes", "Allow", "allow_once"), ("always", "Always", "allow_always"), ("no", "Reject", "reject_once")]
        send({"id": "p1", "method": "session/request_permission", "params": {"sessionId": "s1",
            "toolCall": {"toolCallId": "t1", "title": "rm build", "kind": "execute", "rawInput": {"command": "rm build"}},
            "options": [{"optionId": o, "name": n, "kind": k} for o, n, k in options]}})
    elif id == "p1":
        outcome = request["result"]["outcome"]
        words = "It was " + outcome.get("optionId", outcome["outcome"]) + "."
        update = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": words}}
        send({"method": "session/update", "params": {"sessionId": "s1", "update": update}})
        send({"id": prompt, "result": {"stopReason": "end_turn"}})
"#;

fn scene() -> Scene {
    let scene = Scene::new(APPEND, "");
    scene.scratch.write("home/asks.py", ASKS);
    let path = scene.scratch.path("home/asks.py").display().to_string();
    let settings = format!("[agents.asks]\ncommand = \"python3\"\nargs = [{path:?}]\nformat = \"acp\"\n");
    scene.scratch.write("home/.config/agent-doc/config.toml", settings);
    scene
}

/// The person types `early` before they are asked, and `keys` after it.
fn check(early: &[&str], keys: &[&str], expected: &str) {
    let scene = scene();
    let program = env!("CARGO_BIN_EXE_agent-doc");
    let terminal = Terminal::open(&scene, &format!("exec '{program}' run notes.md --agent asks --no-git"));
    scene.until("it is asked", || terminal.shown().contains("ctrl-c stops"));
    let press = |keys: &[&str]| terminal.tmux(&[["send-keys"].as_slice(), keys].concat());
    press(&[early, &["Space"]].concat());
    scene.write("go", "");
    scene.until("the question is there", || terminal.shown().contains("refuse:"));
    let shown = terminal.shown();
    assert!(shown.contains("asks asks (execute):\n  rm build\n  {\"command\":\"rm build\"}\n"), "{shown}");
    press(keys);
    scene.until("it is answered", || scene.read("notes.md").contains("It was "));
    assert!(scene.read("notes.md").contains(expected), "{}\n{}", scene.read("notes.md"), terminal.shown());
}

#[test]
fn a_person_at_the_terminal_allows_what_an_outside_agent_wants_to_do() {
    check(&[], &["1", "Enter"], "It was yes.");
}

#[test]
fn a_person_at_the_terminal_refuses_by_saying_nothing() {
    check(&[], &["Enter"], "It was no.");
}

#[test]
fn an_answer_that_was_not_offered_is_asked_for_again() {
    check(&[], &["y", "Enter", "2", "Enter"], "It was always.");
}

#[test]
fn what_was_typed_before_the_question_is_no_answer_to_it() {
    check(&["1", "Enter", "1", "Enter"], &["3", "Enter"], "It was no.");
}

#[test]
fn where_there_is_no_terminal_an_outside_agent_is_refused() {
    let scene = scene();
    scene.write("go", "");
    scene.well(&["run", "notes.md", "--agent", "asks", "--no-git"]);
    assert!(scene.read("notes.md").contains("It was no."));
}

#[tokio::test(flavor = "multi_thread")]
async fn our_own_loop_asks_on_the_terminal_too() {
    let server = loopback::Server::start().await.unwrap();
    let scene = Scene::new(APPEND, "");
    let (program, url) = (env!("CARGO_BIN_EXE_agent-doc"), server.url());
    let environment = format!("ANTHROPIC_API_KEY=sk-test ANTHROPIC_BASE_URL={url} no_proxy='*'");
    let terminal = Terminal::open(
        &scene,
        &format!("exec env {environment} '{program}' run notes.md --agent anthropic --no-git"),
    );
    answer(accept(&server).await, call(0, "t1", "Bash", r#"{"command":"touch made"}"#), "tool_use").await;
    scene.until("the question is there", || terminal.shown().contains("refuse:"));
    let shown = terminal.shown();
    assert!(shown.contains("anthropic asks (execute):\n"), "{shown}");
    assert!(shown.contains("{\"command\":\"touch made\"}"), "{shown}");
    assert!(!scene.path("made").exists());
    terminal.tmux(&["send-keys", "1", "Enter"]);
    answer(accept(&server).await, words(0, "It is made."), "end_turn").await;
    scene.until("it is answered", || scene.read("notes.md").contains("It is made."));
    assert!(scene.path("made").exists());
}
