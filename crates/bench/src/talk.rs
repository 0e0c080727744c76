//! A conversation on a real disk, for what is measured of one. Never asks a person: all calls are allowed.

use std::path::Path;
use std::sync::Arc;

use agent::StreamController;
use agent::history::History;
use agent::message::Block;
use agent::model::{Effort, Model};
use agent::permission::{Mode, Places, Policy, Rule};
use agent::request::Frame;
use agent::tool::Tool;
use agent::turn::{Caps, Ended, Event, Setup};
use anyhow::Result;
use workspace::conversation::{Conversation, KeepRule, Ports, Toolbox, Transcripts, remote};

struct NoRules;

impl KeepRule for NoRules {
    fn keep(&self, _rule: &Rule) -> Result<(), String> {
        Ok(())
    }
}

/// Where the transcripts are.
pub(crate) fn transcripts(folder: &Path) -> Transcripts {
    Transcripts::at(&folder.join("sessions"))
}

/// What stays the same in each request.
pub(crate) fn frame(tools: &Toolbox, policy: &Policy) -> Frame {
    let system = "You are measured.".into();
    Frame { model: "measured".to_owned(), system, tools: tools.specs(policy), thinking: Effort::Off }
}

/// What may run: what only reads.
pub(crate) fn policy() -> Policy {
    Policy::new(Mode::DontAsk, Places::default(), Vec::new())
}

/// A new conversation of `model`.
pub(crate) fn begin(folder: &Path, model: Arc<dyn Model>, tools: Vec<Arc<dyn Tool>>) -> Result<Conversation> {
    let (toolbox, policy) = (Toolbox::new(tools), policy());
    let setup =
        Setup { frame: frame(&toolbox, &policy), limits: model.limits(), policy, caps: Caps::conversation() };
    let ports = Ports { model, tools: toolbox, rules: Arc::new(NoRules), clock: || 1 };
    let transcript = transcripts(folder).begin(1)?;
    Ok(Conversation::new(ports, setup, History::new(), transcript))
}

/// One turn.
pub(crate) async fn turn(
    conversation: &mut Conversation,
    words: &str,
    stop: &StreamController,
) -> Result<Ended> {
    let (_far, mut near) = remote();
    let first = Event::Prompted(vec![Block::text(words)]);
    Ok(conversation.turn(first, &mut near, stop, &mut |_| {}).await?)
}
