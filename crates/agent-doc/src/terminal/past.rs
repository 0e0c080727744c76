//! What was said before: shown when a conversation goes on, and gone back to. Never changes a conversation that is kept: going back
//! begins another one.

use std::sync::Arc;

use agent::history::History;
use agent::message::{Block, INTERRUPT_TOOL, INTERRUPT_USER, Message, Role};
use tui::{Event, Notice};
use workspace::conversation::Transcripts;

use super::console::Console;
use super::host::ChatHost;
use super::told::words;
use crate::moment;

/// Messages that are shown of a conversation that goes on.
const SHOWN: usize = 40;

/// What was said before, so that the person knows where they are.
pub(super) fn show_past(messages: &[Arc<Message>], console: &mut Console) {
    let skipped = messages.len().saturating_sub(SHOWN);
    if skipped > 0 {
        console.apply(Event::Told(Notice::Note, format!("{skipped} earlier messages are not shown")));
    }
    for message in messages.iter().skip(skipped) {
        let said = said(message);
        match message.role {
            Role::User if message.results().next().is_none() && !said.is_empty() => {
                console.apply(Event::Said(said));
            }
            Role::Assistant if !said.is_empty() => console.apply(Event::Page(said)),
            Role::User | Role::Assistant => {}
        }
    }
}

impl ChatHost {
    /// Offers the prompts that can be gone back to.
    pub(super) fn list_prompts(&self, console: &mut Console) {
        let prompts = self.prompts().into_iter().map(|(_, said)| said).collect();
        console.apply(Event::Prompts(prompts));
    }

    /// The prompts of the conversation with how many messages stand before each, the last one first.
    fn prompts(&self) -> Vec<(usize, String)> {
        let messages = self.talk.conversation.history().map(History::messages).unwrap_or_default();
        let prompt = |(index, message): (usize, &Arc<Message>)| {
            let is_prompt = message.role == Role::User && message.results().next().is_none();
            let said = said(message);
            (is_prompt && !said.trim().is_empty()).then_some((index, said))
        };
        messages.iter().enumerate().filter_map(prompt).rev().collect()
    }

    /// Goes back to before a prompt: a new conversation begins with what was said until then, and the old one stays.
    pub(super) fn rewind(&mut self, index: usize, console: &mut Console) {
        let Some((before, said)) = self.prompts().into_iter().nth(index) else { return };
        let records =
            self.talk.conversation.history().map(|history| history.messages().to_vec()).unwrap_or_default();
        let kept: Vec<Arc<Message>> = records.into_iter().take(before).collect();
        let transcripts = Transcripts::at(&self.talk.sidecar.sessions());
        match transcripts.branch(self.talk.conversation.id(), &kept, moment::now()) {
            Ok((transcript, history)) => {
                self.talk.conversation.move_to(transcript, history);
                let words = "back to before the prompt; files stay as they are ('agent-doc checkpoints' brings them back)";
                console.apply(Event::Reset(words.to_owned()));
                console.apply(Event::Edited(said));
            }
            Err(error) => console.apply(Event::Told(Notice::Error, error.to_string())),
        }
    }
}

/// What somebody said, without the marks of an interruption.
fn said(message: &Message) -> String {
    let is_mark = |block: &&Block| matches!(block, Block::Text(text) if [INTERRUPT_USER, INTERRUPT_TOOL].contains(&text.text.as_str()));
    let content: Vec<Block> = message.content.iter().filter(|block| !is_mark(block)).cloned().collect();
    words(&content)
}
