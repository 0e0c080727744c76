//! A real language model, small and weak: it shows that the pipes fit, not that answers are good.

use std::path::Path;
use std::time::Duration;

use agent::message::{Block, Message, StopReason};
use agent::model::{Model as _, ModelError, ModelEvent, RetryReason};
use futures_util::StreamExt as _;
use models::Protocol;

use crate::child::Python;
use crate::row;
use crate::turn::{Said, ask, model, request};

/// How often we ask while the weights are loaded.
const ATTEMPTS_MAX: usize = 120;

pub(crate) async fn run(python: &Path, weights: &Path) {
    let mut server = Python::start(python, include_str!("llama.py"), &[weights]);
    let url = server.next().await["url"].as_str().expect("an address").to_owned();
    for protocol in Protocol::ALL {
        row(&format!("{protocol}: a streamed turn"), streamed(protocol, &url).await);
        row(&format!("{protocol}: a second turn on its own words"), second(protocol, &url).await);
        row(&format!("{protocol}: an abort in mid-stream"), aborted(protocol, &url).await);
        row(&format!("{protocol}: a prompt that is too long"), too_long(protocol, &url).await);
    }
}

fn question(words: &str) -> Message {
    Message::user(vec![Block::text(words)])
}

/// Asks; a model that is still being loaded is asked again, as our retries would.
async fn patiently(protocol: Protocol, url: &str, messages: Vec<Message>) -> Said {
    let model = model(protocol, url);
    for _ in 0..ATTEMPTS_MAX {
        let said = ask(&model, request(messages.clone(), Vec::new())).await;
        match said.reason {
            Err(ModelError::Retry { reason: RetryReason::Provider(_), .. }) => {
                tokio::time::sleep(Duration::from_millis(500)).await;
            }
            _ => return said,
        }
    }
    panic!("the model was never loaded");
}

fn judged(said: &Said) -> Result<String, String> {
    let whole = matches!(said.reason, Ok(StopReason::EndTurn | StopReason::MaxTokens));
    if whole && !said.text.trim().is_empty() && said.output_tokens > 0 {
        let words: String = said.text.split_whitespace().take(5).collect::<Vec<_>>().join(" ");
        return Ok(format!("{} tokens: {words} …", said.output_tokens));
    }
    Err(format!("{said:?}"))
}

async fn streamed(protocol: Protocol, url: &str) -> Result<String, String> {
    judged(&patiently(protocol, url, vec![question("Name one colour.")]).await)
}

/// What it said goes back as it came.
async fn second(protocol: Protocol, url: &str) -> Result<String, String> {
    let first = patiently(protocol, url, vec![question("Name one colour.")]).await;
    let answer = if first.blocks.is_empty() { vec![Block::text(first.text)] } else { first.blocks };
    judged(
        &patiently(
            protocol,
            url,
            vec![question("Name one colour."), Message::assistant(answer), question("And one more?")],
        )
        .await,
    )
}

/// The answer is dropped after its first words, and the server answers the next request.
async fn aborted(protocol: Protocol, url: &str) -> Result<String, String> {
    let mut events =
        model(protocol, url).stream(request(vec![question("Count to one hundred in words.")], Vec::new()));
    let mut heard = false;
    while let Some(item) = events.next().await {
        if let Ok(ModelEvent::TextDelta { text, .. }) = &item
            && !text.is_empty()
        {
            heard = true;
            break;
        }
    }
    drop(events);
    if !heard {
        return Err("nothing was heard".to_owned());
    }
    judged(&patiently(protocol, url, vec![question("Name one colour.")]).await)
        .map(|_| "the next turn works".to_owned())
}

async fn too_long(protocol: Protocol, url: &str) -> Result<String, String> {
    let said = patiently(protocol, url, vec![question(&"word ".repeat(6000))]).await;
    match said.reason {
        Err(ModelError::TooLong) => Ok("told as too long".to_owned()),
        other => Err(format!("{other:?}")),
    }
}
