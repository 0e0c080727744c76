//! What was recorded can be read, and is said again as it was.

use agent::model::{Model as _, ModelEvent};
use futures_util::StreamExt as _;
use loopback::Server;
use models::recording::{Exchange, Recorder, Recording};
use models::{Protocol, Replay, Strictness};

use crate::http::{LIMITS, all, model};
use crate::samples::{hello, question, request};
use crate::told::{error_line, line};

async fn replayed(replay: &Replay, ask: agent::model::Request) -> String {
    let mut events = replay.stream(ask);
    let mut lines = Vec::new();
    while let Some(item) = events.next().await {
        lines.push(item.as_ref().map_or_else(error_line, line));
    }
    lines.join("\n") + "\n"
}

#[tokio::test]
async fn a_recorded_run_is_replayed_exactly() {
    for protocol in Protocol::ALL {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.jsonl");
        let server = Server::start().await.unwrap();
        let remote = model(protocol, &server.url()).recorded(Recorder::create(&path).unwrap());
        let serving = async {
            let mut exchange = server.accept().await.unwrap();
            exchange.begin(200, &[("content-type", "text/event-stream")]).await.unwrap();
            for piece in hello(protocol).as_bytes().chunks(5) {
                exchange.send(piece).await.unwrap();
            }
            exchange.end().await.unwrap();
            let refusal = br#"{"error":{"message":"busy"}}"#;
            server.accept().await.unwrap().answer(529, &[("retry-after", "3")], refusal).await.unwrap();
        };
        let asking = async { (all(&remote).await, all(&remote).await) };
        let ((first, second), ()) = tokio::join!(asking, serving);

        let bytes = std::fs::read(&path).unwrap();
        let text = String::from_utf8(bytes.clone()).unwrap();
        assert!(!text.contains("sk-test"), "a key is in the recording");
        let recording = Recording::read(&bytes).unwrap();
        assert_eq!(recording.exchanges.len(), 2);
        let replay = Replay::new(recording.clone(), LIMITS, Strictness::SameRequest);
        assert_eq!(replayed(&replay, question()).await, first);
        assert_eq!(replayed(&replay, question()).await, second);
        assert_eq!(
            replayed(&replay, question()).await,
            "error Broken(\"the recording holds no further answer\")\n"
        );

        // A run that asks something else has left the recording.
        let replay = Replay::new(recording.clone(), LIMITS, Strictness::SameRequest);
        let other = replayed(&replay, request(Vec::new())).await;
        assert!(
            other.starts_with("error Broken(\"the request departs from the recorded one at byte "),
            "{other}"
        );
        let replay = Replay::new(recording, LIMITS, Strictness::AnyRequest);
        assert_eq!(replayed(&replay, request(Vec::new())).await, first);
    }
}

#[tokio::test]
async fn a_cut_connection_is_replayed_as_a_cut() {
    let exchange = Exchange {
        protocol: Some(Protocol::Anthropic),
        status: 200,
        pieces: vec![b"data: {\"type\":\"ping\"}\n\n".to_vec()],
        cut: true,
        ..Exchange::default()
    };
    let replay = Replay::new(Recording { exchanges: vec![exchange] }, LIMITS, Strictness::AnyRequest);
    assert_eq!(
        replayed(&replay, question()).await,
        "unknown ping\nerror Retry { after: None, reason: Cut(\"the connection broke\") }\n"
    );
}

#[test]
fn three_kinds_of_files_are_understood_and_the_provider_is_guessed() {
    for protocol in Protocol::ALL {
        let stream = hello(protocol);
        let bare = Recording::read(stream.as_bytes()).unwrap();
        assert_eq!(bare.exchanges[0].protocol, Some(protocol));
        let cassette = serde_json::json!({ "interactions": [{
            "request": { "url": "https://host/v1", "body": "{}" },
            "response": { "status": 200, "body": stream },
        }] });
        let cassette = Recording::read(cassette.to_string().as_bytes()).unwrap();
        assert_eq!(cassette.exchanges[0].protocol, Some(protocol));
        assert_eq!(cassette.exchanges[0].bytes(), stream.as_bytes());
    }
}

#[test]
fn what_is_no_recording_is_told_with_its_line() {
    let told = |text: &str| Recording::read(text.as_bytes()).unwrap_err().to_string();
    assert_eq!(told(""), "there is no recorded stream in it");
    assert_eq!(told("hello"), "there is no recorded stream in it");
    assert!(told("{\"exchange\":0}\n").starts_with("line 1: "));
    assert_eq!(told("{\"exchange\":3,\"text\":\"x\"}\n"), "line 1: exchange 3 has no request");
    let request = r#"{"exchange":0,"request":{"provider":"anthropic","url":"u","body":"{}"}}"#;
    let torn = format!("{request}\n{{\"exchange\":0,\"te");
    assert_eq!(Recording::read(torn.as_bytes()).unwrap().exchanges.len(), 1);
}

#[tokio::test]
async fn a_script_is_said_turn_by_turn_and_keeps_what_it_was_asked() {
    use agent::message::{Block, StopReason};
    let script =
        models::Scripted::new([models::Scripted::turn(vec![Block::text("Hi")], StopReason::EndTurn)]);
    let said: Vec<_> = script.stream(question()).collect().await;
    let expected = [
        ModelEvent::Started { id: "scripted".to_owned() },
        ModelEvent::TextDelta { index: 0, text: "Hi".to_owned() },
        ModelEvent::Block { index: 0, block: Block::text("Hi") },
        ModelEvent::Stopped { reason: StopReason::EndTurn, detail: None },
    ];
    assert_eq!(said.into_iter().map(Result::unwrap).collect::<Vec<_>>(), expected);
    assert_eq!(script.asked(), [question()]);
    let after: Vec<_> = script.stream(question()).collect().await;
    assert_eq!(error_line(after[0].as_ref().unwrap_err()), "error Broken(\"the script is at its end\")");
}
