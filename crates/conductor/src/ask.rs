//! One question to a model, without tools: a plan, or a canon. Never asks again after an answer; only a provider that cannot answer now
//! is asked a few times.

use std::sync::Arc;
use std::time::Duration;

use agent::message::{Block, Message};
use agent::model::{Effort, Model, ModelError, ModelEvent, ModelStream};
use agent::request::{Ending, Frame, build};
use futures_util::StreamExt as _;

/// Tokens of an answer.
const OUTPUT_MAX: u32 = 8192;
/// Bytes of an answer that are read; no plan and no canon is longer.
const BYTES_MAX: usize = 1 << 20;

/// How often a provider is asked that cannot answer now, and how long is waited in between, at first and at most.
const ATTEMPTS_MAX: u32 = 4;
const PAUSES: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(30));

/// What the model says, or why it does not, and the tokens that it wrote.
pub(crate) async fn ask(
    model: &Arc<dyn Model>,
    name: &str,
    system: &str,
    prompt: String,
) -> (Result<String, String>, u64) {
    let frame =
        Frame { model: name.to_owned(), system: system.into(), tools: [].into(), thinking: Effort::Off };
    let messages = [Arc::new(Message::user(vec![Block::text(prompt)]))];
    let output_max = OUTPUT_MAX.min(model.limits().output_max.max(1));
    let (mut pause, longest) = PAUSES;
    for _ in 1..ATTEMPTS_MAX {
        match heard(model.stream(build(&frame, &messages, output_max, Ending::Person))).await {
            (Err(ModelError::Retry { after, .. }), _) => {
                tokio::time::sleep(after.unwrap_or(pause).min(longest)).await;
                pause = (pause * 2).min(longest);
            }
            (said, tokens) => return (said.map_err(|error| error.to_string()), tokens),
        }
    }
    let (said, tokens) = heard(model.stream(build(&frame, &messages, output_max, Ending::Person))).await;
    (said.map_err(|error| error.to_string()), tokens)
}

async fn heard(mut answer: ModelStream) -> (Result<String, ModelError>, u64) {
    let (mut said, mut tokens) = (String::new(), 0);
    while let Some(event) = answer.next().await {
        match event {
            Ok(ModelEvent::Block { block: Block::Text(text), .. }) => said.push_str(&text.text),
            Ok(ModelEvent::Usage(usage)) => tokens = usage.output,
            Ok(ModelEvent::Stopped { .. }) => return (Ok(said), tokens),
            Ok(_) => {}
            Err(error) => return (Err(error), tokens),
        }
        if said.len() > BYTES_MAX {
            let message = "its answer is too long".to_owned();
            return (Err(ModelError::Rejected { message }), tokens);
        }
    }
    (Err(ModelError::closed_early()), tokens)
}
