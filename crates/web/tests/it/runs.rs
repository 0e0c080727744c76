//! Runs as a page sees them, over a conductor that does what the test says.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use conductor::status::{Phase, Status};
use futures_util::StreamExt as _;
use serde_json::{Value, json};
use tokio::sync::broadcast;
use tokio::time::timeout;
use web::runs::{
    Asked, Decision, Directive, Objective, Run, RunEvents, RunRefusal, RunRefusalKind, Runs, Started, Worker,
};

use crate::desk::Desk;
use crate::live::{Page, opened};

/// Conducts nothing, and writes down what it was asked.
struct Played {
    asked: Mutex<Vec<String>>,
    runs: Mutex<Vec<Run>>,
    events: broadcast::Sender<Arc<Run>>,
}

impl Played {
    fn new() -> Arc<Played> {
        Arc::new(Played {
            asked: Mutex::default(),
            runs: Mutex::default(),
            events: broadcast::Sender::new(16),
        })
    }

    fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }

    fn note<T: Send + 'static>(&self, words: String, answer: T) -> Asked<'_, T> {
        self.asked.lock().unwrap().push(words);
        Box::pin(async move { Ok(answer) })
    }

    /// The run is this now.
    fn becomes(&self, run: Run) {
        let mut runs = self.runs.lock().unwrap();
        runs.retain(|known| known.id != run.id);
        runs.insert(0, run.clone());
        drop(self.events.send(Arc::new(run)));
    }
}

impl Runs for Played {
    fn start(&self, wanted: Objective) -> Asked<'_, Started> {
        let run = run("r1", Status::Queued);
        self.becomes(run.clone());
        let started = Started { id: run.id, path: run.path, revision: 0, status: run.status };
        self.note(format!("start {} {:?}", wanted.text, wanted.workers), started)
    }

    fn list(&self) -> Asked<'_, Vec<Run>> {
        let runs = self.runs.lock().unwrap().clone();
        Box::pin(async { Ok(runs) })
    }

    fn show<'a>(&'a self, id: &'a str) -> Asked<'a, Run> {
        let run = self.runs.lock().unwrap().iter().find(|run| run.id == id).cloned();
        let absent = RunRefusal { kind: RunRefusalKind::Absent, message: format!("there is no run {id:?}") };
        Box::pin(async { run.ok_or(absent) })
    }

    fn cancel<'a>(&'a self, id: &'a str) -> Asked<'a, ()> {
        self.note(format!("cancel {id}"), ())
    }

    fn resume<'a>(&'a self, id: &'a str) -> Asked<'a, ()> {
        self.note(format!("resume {id}"), ())
    }

    fn stop<'a>(&'a self, id: &'a str, worker: &'a str) -> Asked<'a, ()> {
        self.note(format!("stop {worker} of {id}"), ())
    }

    fn direct<'a>(&'a self, id: &'a str, directive: Directive) -> Asked<'a, ()> {
        self.note(format!("direct {id}: {} as {:?}", directive.text, directive.request), ())
    }

    fn decide<'a>(&'a self, id: &'a str, decision: Decision) -> Asked<'a, u64> {
        self.note(format!("decide {id}: {:?} {}", decision.proposals, decision.is_accepted), 7)
    }

    fn listen(&self) -> RunEvents {
        let receiver = self.events.subscribe();
        Box::pin(futures_util::stream::unfold(receiver, |mut receiver| async {
            loop {
                match receiver.recv().await {
                    Ok(run) => return Some((run, receiver)),
                    Err(broadcast::error::RecvError::Lagged(_)) => {}
                    Err(broadcast::error::RecvError::Closed) => return None,
                }
            }
        }))
    }
}

fn run(id: &str, status: Status) -> Run {
    let worker = |name: &str, phase| Worker {
        name: name.to_owned(),
        phase,
        doing: "reading src/main.rs".to_owned(),
        since: Some(1),
        until: None,
        input: None,
        tokens: None,
        cost: None,
        question: None,
    };
    Run {
        id: id.to_owned(),
        path: format!("runs/{id}/draft.md"),
        objective: "Compare the crates".to_owned(),
        status,
        is_live: true,
        note: None,
        model: "offline".to_owned(),
        begun: 1,
        ended: None,
        tokens: 12,
        cost: None,
        workers: vec![worker("Researcher", Phase::Working), worker("Terminal", Phase::Idle)],
        proposals: Vec::new(),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_objective_becomes_a_run_with_all_that_a_page_needs_to_open_it() {
    let played = Played::new();
    let desk = Desk::with(Some(Arc::clone(&played) as _)).await;
    let started =
        desk.ask("POST", "/api/runs", &json!({ "objective": "Compare the crates" }).to_string()).await;
    assert_eq!(started.status, 201, "{}", started.body);
    let expected = json!({ "id": "r1", "path": "runs/r1/draft.md", "revision": 0, "status": "queued" });
    assert_eq!(started.json(), expected);
    assert_eq!(played.asked(), ["start Compare the crates []"]);
    let listed = desk.ask("GET", "/api/runs", "").await.json();
    assert_eq!((&listed[0]["id"], &listed[0]["workers"][0]["phase"]), (&json!("r1"), &json!("working")));
    assert_eq!(desk.ask("GET", "/api/runs/r1", "").await.json()["status"], "queued");
    assert_eq!(desk.ask("GET", "/api/runs/none", "").await.status, 404);
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_objective_that_is_sent_twice_is_one_run() {
    let played = Played::new();
    let desk = Desk::with(Some(Arc::clone(&played) as _)).await;
    let body = json!({ "objective": "Compare", "workers": ["Researcher"] }).to_string();
    let ask = || desk.ask_as(&desk.token, &[("idempotency-key", "a")], ("POST", "/api/runs"), &body);
    let (one, two) = tokio::join!(ask(), ask());
    assert_eq!((one.status, two.status), (201, 201));
    assert_eq!(one.json(), two.json());
    assert_eq!(played.asked(), ["start Compare [\"Researcher\"]"]);
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn objectives_that_are_none_are_refused() {
    let played = Played::new();
    let desk = Desk::with(Some(Arc::clone(&played) as _)).await;
    for objective in ["", " \n\t", &"x".repeat((64 << 10) + 1)] {
        let answer = desk.ask("POST", "/api/runs", &json!({ "objective": objective }).to_string()).await;
        assert_eq!(answer.status, 422, "{}", answer.body);
    }
    for directive in ["", &"x".repeat((8 << 10) + 1)] {
        let body = json!({ "text": directive }).to_string();
        assert_eq!(desk.ask("POST", "/api/runs/r1/directives", &body).await.status, 422);
    }
    assert_eq!(played.asked(), [""; 0]);
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_person_wants_of_a_run_is_passed_on() {
    let played = Played::new();
    let desk = Desk::with(Some(Arc::clone(&played) as _)).await;
    let calls: [(&str, Value); 6] = [
        ("directives", json!({ "text": "@Researcher look at the tests" })),
        ("stop", json!({ "worker": "Terminal" })),
        ("proposals", json!({ "proposals": ["p1"], "accept": true })),
        ("proposals", json!({ "proposals": ["p2", "p3"], "accept": false })),
        ("resume", json!({})),
        ("cancel", json!({})),
    ];
    for (index, (what, body)) in calls.into_iter().enumerate() {
        let path = format!("/api/runs/r1/{what}");
        let key = format!("d{index}");
        let answer =
            desk.ask_as(&desk.token, &[("idempotency-key", &key)], ("POST", &path), &body.to_string()).await;
        assert_eq!(answer.status, 200, "{what}: {}", answer.body);
    }
    let expected = [
        "direct r1: @Researcher look at the tests as Some(\"d0\")",
        "stop Terminal of r1",
        "decide r1: [\"p1\"] true",
        "decide r1: [\"p2\", \"p3\"] false",
        "resume r1",
        "cancel r1",
    ];
    assert_eq!(played.asked(), expected);
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_word_to_a_run_that_is_sent_twice_is_taken_once() {
    let played = Played::new();
    let desk = Desk::with(Some(Arc::clone(&played) as _)).await;
    let calls: [(&str, Value); 4] = [
        ("stop", json!({ "worker": "Terminal" })),
        ("proposals", json!({ "proposals": ["p1"], "accept": true })),
        ("resume", json!({})),
        ("cancel", json!({})),
    ];
    for (what, body) in &calls {
        let path = format!("/api/runs/r1/{what}");
        // The same name for different things is no mistake: they are different requests.
        for _ in 0..2 {
            let headers = [("idempotency-key", "again")];
            let answer = desk.ask_as(&desk.token, &headers, ("POST", &path), &body.to_string()).await;
            assert_eq!(answer.status, 200, "{what}: {}", answer.body);
        }
    }
    let repeated = desk
        .ask_as(
            &desk.token,
            &[("idempotency-key", "again")],
            ("POST", "/api/runs/r1/proposals"),
            &calls[1].1.to_string(),
        )
        .await;
    assert_eq!(repeated.json(), json!({ "revision": 7, "repeated": true }));
    assert_eq!(played.asked(), ["stop Terminal of r1", "decide r1: [\"p1\"] true", "resume r1", "cancel r1"]);
    let none = desk.ask("POST", "/api/runs/r1/proposals", r#"{"proposals":[],"accept":true}"#).await;
    assert_eq!(none.status, 422, "{}", none.body);
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_hears_how_the_run_is_that_it_shows_and_of_no_other() {
    let played = Played::new();
    let desk = Desk::with(Some(Arc::clone(&played) as _)).await;
    desk.ask(
        "PUT",
        "/api/document",
        &json!({ "path": "runs/r1/draft.md", "text": "# Compare\n" }).to_string(),
    )
    .await;
    played.becomes(run("r1", Status::Running));
    let mut page = Page::open_at(&desk, "runs/r1/draft.md", 5).await.unwrap();
    // First how it is, with the document; then what changes.
    page.event("hello").await;
    assert_eq!(page.event("run").await["run"]["status"], "running");
    played.becomes(run("r2", Status::Failed));
    played.becomes(run("r1", Status::Completed));
    let told = page.event("run").await;
    assert_eq!(
        (&told["run"]["id"], &told["run"]["status"], &told["run"]["over"]),
        (&json!("r1"), &json!("completed"), &json!(true))
    );
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_first_page_hears_of_all_runs_and_then_of_each_that_changes() {
    let played = Played::new();
    played.becomes(run("r1", Status::Running));
    let desk = Desk::with(Some(Arc::clone(&played) as _)).await;
    let mut socket = opened(&desk, &desk.token, "/ws/runs").await.unwrap();
    let mut next = async || {
        let message = timeout(Duration::from_secs(30), socket.next()).await.unwrap().unwrap().unwrap();
        serde_json::from_str::<Value>(message.to_text().unwrap()).unwrap_or_default()
    };
    let all = next().await;
    assert_eq!((&all["kind"], &all["runs"][0]["id"]), (&json!("all"), &json!("r1")));
    played.becomes(run("r1", Status::Cancelled));
    let one = loop {
        let event = next().await;
        if event["kind"] == "one" {
            break event;
        }
    };
    assert_eq!(one["run"]["status"], "cancelled");
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_without_a_conductor_says_so() {
    let desk = Desk::open().await;
    let answer = desk.ask("POST", "/api/runs", &json!({ "objective": "x" }).to_string()).await;
    assert_eq!(answer.status, 501);
    assert_eq!(desk.ask("GET", "/api/home", "").await.json()["runs"], false);
    desk.close().await;
}
