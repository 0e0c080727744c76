//! A run of eight workers on the real server, whose model speaks the wire of a provider. The server is killed at fifty points.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use loopback::{Exchange, Server};
use serde_json::{Value, json};
use tokio::sync::{Semaphore, watch};

use crate::anthropic::{body, call, framed, messages, start, stop, words};
use crate::chat::{KEY, Person};
use crate::runs::{draft, runs, section};
use crate::serving::Serving;

const WORKERS: usize = 8;
/// Findings of each worker; each is a turn.
const FINDINGS: usize = 25;
const KILLS: u64 = 50;
/// The model gives up to so many answers before a kill, so that the run is not over before the last one.
const ANSWERS_MAX: u64 = 6;
/// The longest time between the last answer and the kill, in milliseconds.
const PAUSE_MAX: u64 = 15;
/// Only a bug takes so long.
const PATIENCE: Duration = Duration::from_secs(60);

/// The model of all servers.
#[derive(Clone)]
struct Model {
    /// The findings of which a worker heard that they are written.
    acknowledged: Arc<Mutex<BTreeSet<String>>>,
    /// How many answers were given.
    given: watch::Sender<usize>,
    /// How many may be given to the present server. Who asked for an earlier one waits for ever.
    gate: Arc<Mutex<Arc<Semaphore>>>,
}

fn names() -> Vec<String> {
    (0..WORKERS).map(|number| format!("W{number}")).collect()
}

/// A project with eight workers of its own, which the person trusts.
fn project() -> Person {
    let person = Person::new();
    std::fs::create_dir_all(person.scratch.path("project/.agent-doc/workers")).unwrap();
    for name in names() {
        let role = format!("---\nname: {name}\ntools: Read\n---\nYou count.\n");
        person.scratch.write(&format!("project/.agent-doc/workers/{name}.md"), role);
    }
    assert!(person.run(&["trust"]).status.success());
    person
}

fn serve(person: &Person, model: &Server) -> Serving {
    let mut command = person.command(&["serve", "--no-open"]);
    command.env("ANTHROPIC_API_KEY", KEY).env("ANTHROPIC_BASE_URL", model.url());
    command.env("AGENT_DOC_MODEL", "anthropic/test").env("no_proxy", "*");
    Serving::spawned(command)
}

impl Model {
    fn new() -> Model {
        let gate = Arc::new(Mutex::new(Arc::new(Semaphore::new(0))));
        Model { acknowledged: Arc::default(), given: watch::Sender::new(0), gate }
    }

    /// From now on so many answers are given, and none to those who asked before.
    fn let_through(&self, answers: usize) {
        *self.gate.lock().unwrap() = Arc::new(Semaphore::new(answers));
    }

    /// Answers each request in a task of its own. Whoever asked may have been killed meanwhile; then nobody hears the answer.
    async fn play(self, server: Arc<Server>) {
        loop {
            let Ok(exchange) = server.accept().await else { continue };
            let model = self.clone();
            tokio::spawn(async move {
                let (said, reason) = said(&exchange, &model.acknowledged);
                let gate = Arc::clone(&model.gate.lock().unwrap());
                gate.acquire().await.unwrap().forget();
                let events = std::iter::once(start()).chain(said).chain(stop(reason));
                let bytes: String = events.map(|event| framed(&event)).collect();
                drop(exchange.answer(200, &[("content-type", "text/event-stream")], bytes.as_bytes()).await);
                model.given.send_modify(|given| *given += 1);
            });
        }
    }
}

fn said(exchange: &Exchange, acknowledged: &Mutex<BTreeSet<String>>) -> (Vec<Value>, &'static str) {
    let system = body(exchange)["system"].to_string();
    let (sent, is_prompt) = (messages(exchange), |text: &str| text.contains("<assignment "));
    let worker = names().into_iter().find(|name| system.contains(&format!("You are {name}, one of several")));
    let Some(worker) = worker else { return (words(0, &conducted(&texts(&sent[0]))), "end_turn") };
    let begin = sent.iter().rposition(|message| is_prompt(&texts(message))).unwrap();
    let prompt = texts(&sent[begin]);
    let document = prompt.split_once("<document>\n").unwrap().1;
    let line = |number: usize| format!("{worker} found {number:02}.");
    let mut next = (0..FINDINGS).take_while(|number| document.contains(&line(*number))).count();
    let mut is_finished = false;
    for pair in sent[begin..].windows(2) {
        let [asked, results] = pair else { continue };
        let Some(made) = blocks(asked, "tool_use").next() else { continue };
        let went_well = blocks(results, "tool_result").all(|result| result["is_error"] != true);
        is_finished |= made["name"] == "Finished" && went_well;
        if made["name"] == "AppendSection" && went_well {
            acknowledged.lock().unwrap().insert(line(next));
            next += 1;
        }
    }
    let id = format!("call_{}", sent.len());
    if next < FINDINGS {
        let file = prompt.split_once(" document=\"").unwrap().1.split('"').next().unwrap();
        let input = json!({ "file_path": file, "section": worker, "content": line(next) });
        (call(0, &id, "AppendSection", &input.to_string()), "tool_use")
    } else if is_finished {
        (words(0, "Done."), "end_turn")
    } else {
        (call(0, &id, "Finished", &json!({ "summary": "all findings" }).to_string()), "tool_use")
    }
}

/// What the conductor's model says: a plan with an item for each worker, or a canon of those who found something.
fn conducted(prompt: &str) -> String {
    if prompt.starts_with("Plan this run") {
        let item = |(number, name)| format!("{}. {name}: count\n", number + 1);
        return names().into_iter().enumerate().map(item).collect();
    }
    let found = names().into_iter().filter(|name| prompt.contains(&format!("<section worker=\"{name}\">")));
    found.map(|name| format!("- {name} has counted.\n")).collect()
}

fn blocks<'m>(message: &'m Value, kind: &'static str) -> impl Iterator<Item = &'m Value> {
    message["content"].as_array().unwrap().iter().filter(move |block| block["type"] == kind)
}

fn texts(message: &Value) -> String {
    blocks(message, "text").map(|block| block["text"].as_str().unwrap()).collect()
}

/// A small generator: the same points each time are enough of a chance.
fn below(limit: u64, state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state % limit
}

/// The run, as the server tells of it.
fn told(serving: &Serving, id: &str) -> Value {
    let answer = serving.get(&format!("/api/runs/{id}"));
    let (head, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.1 200"), "{answer}");
    serde_json::from_str(body).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn r01_a_server_that_is_killed_at_fifty_points_of_a_run_loses_and_doubles_nothing() {
    let (person, server, model) = (project(), Arc::new(Server::start().await.unwrap()), Model::new());
    let playing = tokio::spawn(model.clone().play(Arc::clone(&server)));
    let (mut given, mut state) = (model.given.subscribe(), 0x2545_f491_4f6c_dd1d);
    let (mut serving, mut id) = (serve(&person, &server), None);
    for _ in 0..KILLS {
        let answers = usize::try_from(1 + below(ANSWERS_MAX, &mut state)).unwrap();
        let after = *given.borrow() + answers;
        model.let_through(answers);
        let id = go_on(&serving, &person, &mut id);
        let wait = tokio::time::timeout(PATIENCE, given.wait_for(|given| *given >= after)).await;
        assert!(wait.is_ok_and(|given| given.is_ok()), "nobody asks: {}", told(&serving, &id));
        tokio::time::sleep(Duration::from_millis(below(PAUSE_MAX, &mut state))).await;
        serving.kill();
        let text = draft(&person, &id);
        for name in names() {
            assert_eq!(text.matches(&format!("\n## {name}\n")).count(), 1, "{text}");
        }
        serving = serve(&person, &server);
        let run = told(&serving, &id);
        assert!(run["over"] == false && run["objective"] == "count", "{run}");
    }
    model.let_through(Semaphore::MAX_PERMITS);
    let id = go_on(&serving, &person, &mut id);
    let last = async {
        while told(&serving, &id)["over"] == false {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    };
    tokio::time::timeout(PATIENCE, last).await.expect("the run does not end");
    let run = told(&serving, &id);
    assert_eq!(run["status"], "completed", "{run}");
    assert_eq!(serving.end(), Some(0));
    playing.abort();
    check(&draft(&person, &id), &model.acknowledged.lock().unwrap());
}

/// Begins the run, or goes on with it. Its name.
fn go_on(serving: &Serving, person: &Person, id: &mut Option<String>) -> String {
    if let Some(id) = id {
        let resumed = serving.post(&format!("/api/runs/{id}/resume"), &json!({}));
        assert!(resumed.starts_with("HTTP/1.1 200"), "{resumed}");
        return id.clone();
    }
    let begun = serving.post("/api/runs", &json!({ "objective": "count", "workers": names() }));
    assert!(begun.starts_with("HTTP/1.1 201"), "{begun}");
    id.insert(runs(person).remove(0)).clone()
}

/// Every finding once, those that were acknowledged among them, and a canon of all workers.
fn check(text: &str, acknowledged: &BTreeSet<String>) {
    let mut count: BTreeMap<&str, usize> = BTreeMap::new();
    for name in names() {
        for line in section(text, &name).lines().filter(|line| line.contains(" found ")) {
            *count.entry(line).or_default() += 1;
        }
    }
    let missing: Vec<_> = acknowledged.iter().filter(|line| !count.contains_key(line.as_str())).collect();
    assert!(missing.is_empty(), "acknowledged and not there: {missing:?}");
    assert!(acknowledged.len() > WORKERS * FINDINGS / 2, "only {} were acknowledged", acknowledged.len());
    assert!(count.values().all(|times| *times == 1), "{count:?}");
    assert_eq!(count.len(), WORKERS * FINDINGS);
    let canon = section(text, "Conductor");
    assert!(
        names().iter().all(|name| canon.matches(&format!("- {name} has counted.")).count() == 1),
        "{canon}"
    );
}
