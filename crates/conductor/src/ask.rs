//! One question to a model, without tools: a plan, or a canon. Never tries again; whoever asked decides that.

use std::sync::Arc;

use agent::message::{Block, Message};
use agent::model::{Effort, Model, ModelEvent};
use agent::request::{Ending, Frame, build};
use futures_util::StreamExt as _;

/// Tokens of an answer.
const OUTPUT_MAX: u32 = 8192;
/// Bytes of an answer that are read; no plan and no canon is longer.
const BYTES_MAX: usize = 1 << 20;

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
    let mut answer = model.stream(build(&frame, &messages, output_max, Ending::Person));
    let (mut said, mut tokens) = (String::new(), 0);
    while let Some(event) = answer.next().await {
        match event {
            Ok(ModelEvent::Block { block: Block::Text(text), .. }) => said.push_str(&text.text),
            Ok(ModelEvent::Usage(usage)) => tokens = usage.output,
            Ok(ModelEvent::Stopped { .. }) => return (Ok(said), tokens),
            Ok(_) => {}
            Err(error) => return (Err(error.to_string()), tokens),
        }
        if said.len() > BYTES_MAX {
            return (Err("its answer is too long".to_owned()), tokens);
        }
    }
    (Err("its answer broke off".to_owned()), tokens)
}
