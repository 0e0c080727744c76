//! The one place where requests are made. Never sends a conversation that a provider would refuse for its shape: what a crash or a
//! foreign transcript left open is closed here.

use std::sync::Arc;

use crate::message::{Message, Role};
use crate::model::{Breakpoint, Effort, Request, ToolSpec};

mod repair;
mod validate;

pub(crate) use repair::{GO_ON, unused as unused_id};
pub use validate::{Invalid, validate};

/// What stays the same in each request of a session, byte for byte, or the provider's cache and signatures are void.
#[derive(Clone, Debug, PartialEq)]
pub struct Frame {
    /// The name of the model, as the provider knows it.
    pub model: String,
    /// The system prompt.
    pub system: Arc<str>,
    /// The tools.
    pub tools: Arc<[ToolSpec]>,
    /// How hard the model thinks.
    pub thinking: Effort,
}

/// How a conversation ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// With the person or the tools. Models refuse to go on with words that are put into their mouth.
    Person,
    /// With the model itself, which its provider paused.
    Paused,
}

/// Makes a request of a conversation.
pub fn build(frame: &Frame, messages: &[Arc<Message>], output_max: u32, ending: Ending) -> Request {
    let messages = repair::repaired(messages, ending);
    Request {
        model: frame.model.clone(),
        system: Arc::clone(&frame.system),
        tools: Arc::clone(&frame.tools),
        cache: breakpoints(frame, &messages),
        messages,
        output_max: output_max.max(1),
        thinking: frame.thinking,
    }
}

/// The fixed part, the end of the conversation, and its end in the request before, where the provider finds what it kept.
fn breakpoints(frame: &Frame, messages: &[Arc<Message>]) -> Vec<Breakpoint> {
    let mut marks = Vec::new();
    if !frame.tools.is_empty() {
        marks.push(Breakpoint::Tools);
    }
    if !frame.system.trim().is_empty() {
        marks.push(Breakpoint::System);
    }
    let people = messages.iter().enumerate().filter(|(_, message)| message.role == Role::User);
    let mut ends: Vec<usize> = people.map(|(index, _)| index).rev().take(2).collect();
    ends.reverse();
    marks.extend(ends.into_iter().map(Breakpoint::Message));
    marks
}
