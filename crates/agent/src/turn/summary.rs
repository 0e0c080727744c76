//! What takes the place of a conversation that no longer fits. Never drops the person's first and latest words or the list of tasks, and
//! never keeps a call or a thought: those are bound to a past that is gone.

use std::sync::Arc;

use super::continuation::CUT_NOTICE;
use crate::message::{Block, INTERRUPT_TOOL, INTERRUPT_USER, Message, Role};
use crate::request::GO_ON;

/// What the model is asked.
const ORDER: &str = "The conversation is about to be cut down to your summary. Write it for yourself, so that you can go on \
     without what came before. Do not call tools. Say, under short headings: what the user wants, with each condition they named; \
     what was decided and why; which files were read or changed, with the parts that still matter, word for word where it counts; \
     which commands ran and what they showed; what is not done yet, as a list; and what you were doing at the very end.";

const SUMMARY_HEAD: &str =
    "This conversation was too long and was cut down. What happened so far, in your own summary:\n\n";
const REQUEST_HEAD: &str = "The user's own words from before:\n\n";
const TASKS_HEAD: &str = "Your list of tasks, as you last wrote it:\n\n";
const RECENT_HEAD: &str = "What was said and done last, as it was:\n\n";

/// The tool by which the model keeps a list of tasks for itself.
const TASKS_TOOL: &str = "Todo";

/// The latest words of the person that are kept, beside the first.
const REQUESTS_LATEST: usize = 4;

/// The longest words of a person that are kept, and the most of the latest work, in bytes.
const REQUEST_MAX: usize = 32 << 10;
const RECENT_MAX: usize = 8 << 10;
const RECENT_ITEM_MAX: usize = 1 << 10;

/// The conversation with the order to sum it up. If there is room only for some bytes, the latest of it is told in plain words.
pub(super) fn order(messages: &[Arc<Message>], room: Option<usize>, words: &str) -> Vec<Arc<Message>> {
    let words = words.trim();
    let order =
        if words.is_empty() { ORDER.to_owned() } else { format!("{ORDER}\n\nMind this above all: {words}") };
    let order = Block::text(order);
    match room {
        None => messages.iter().cloned().chain([Arc::new(Message::user(vec![order]))]).collect(),
        Some(room) => {
            let mut content = pinned(messages, room / 8);
            content.extend(tasks(messages, room / 8));
            content.push(Block::text(format!("{RECENT_HEAD}{}", recent(messages, room / 2))));
            content.push(order);
            vec![Arc::new(Message::user(content))]
        }
    }
}

/// The message that takes the place of all before.
pub(super) fn replacement(messages: &[Arc<Message>], summary: &str) -> Message {
    let mut content = vec![Block::text(format!("{SUMMARY_HEAD}{}", summary.trim()))];
    content.extend(pinned(messages, REQUEST_MAX));
    content.extend(tasks(messages, REQUEST_MAX));
    let recent = recent(messages, RECENT_MAX);
    if !recent.is_empty() {
        content.push(Block::text(format!("{RECENT_HEAD}{recent}")));
    }
    Message::user(content)
}

/// The first and the latest words of the person.
fn pinned(messages: &[Arc<Message>], bytes_max: usize) -> Vec<Block> {
    let people = messages.iter().filter(|message| message.role == Role::User);
    let mut requests: Vec<Block> =
        people.flat_map(|message| &message.content).filter_map(|block| request(block, bytes_max)).collect();
    let latest = requests.split_off(requests.len().saturating_sub(REQUESTS_LATEST));
    requests.truncate(1);
    requests.extend(latest);
    requests
}

/// The list of tasks: from the latest call that wrote it, or from the summary before.
fn tasks(messages: &[Arc<Message>], bytes_max: usize) -> Option<Block> {
    let mut blocks = messages.iter().rev().flat_map(|message| message.content.iter().rev());
    let list = blocks.find_map(|block| match block {
        Block::ToolUse(call) if call.name == TASKS_TOOL => Some(call.input.as_str()),
        Block::Text(text) => text.text.strip_prefix(TASKS_HEAD),
        _ => None,
    })?;
    Some(Block::text(format!("{TASKS_HEAD}{}", beginning(list, bytes_max))))
}

/// What a person said themselves; not what we said in their name.
fn request(block: &Block, bytes_max: usize) -> Option<Block> {
    match block {
        Block::Image(_) => Some(block.clone()),
        Block::Text(text) => {
            let text = text.text.strip_prefix(REQUEST_HEAD).unwrap_or(&text.text);
            let ours = [
                INTERRUPT_USER,
                INTERRUPT_TOOL,
                CUT_NOTICE,
                SUMMARY_HEAD,
                TASKS_HEAD,
                RECENT_HEAD,
                ORDER,
                GO_ON,
            ];
            let own = !ours.iter().any(|head| text.starts_with(head));
            own.then(|| Block::text(format!("{REQUEST_HEAD}{}", beginning(text, bytes_max))))
        }
        Block::ToolUse(_)
        | Block::ToolResult(_)
        | Block::Thinking { .. }
        | Block::RedactedThinking { .. }
        | Block::Opaque(_) => None,
    }
}

/// The latest work in plain words, oldest first.
fn recent(messages: &[Arc<Message>], bytes_max: usize) -> String {
    let mut items = Vec::new();
    let mut size = 0;
    let blocks = messages
        .iter()
        .rev()
        .flat_map(|message| message.content.iter().rev().map(|block| (message.role, block)));
    for item in blocks.filter_map(|(role, block)| told(role, block)) {
        size += item.len();
        if size > bytes_max {
            break;
        }
        items.push(item);
    }
    items.reverse();
    items.join("\n\n")
}

fn told(role: Role, block: &Block) -> Option<String> {
    match (role, block) {
        (Role::Assistant, Block::Text(text)) => {
            Some(format!("You said: {}", beginning(&text.text, RECENT_ITEM_MAX)))
        }
        (Role::Assistant, Block::ToolUse(call)) => {
            Some(format!("You called {} with {}", call.name, beginning(&call.input, RECENT_ITEM_MAX)))
        }
        (Role::User, Block::ToolResult(result)) => {
            Some(format!("The result was: {}", beginning(&result.text(), RECENT_ITEM_MAX)))
        }
        _ => None,
    }
}

/// The first bytes of a text, cut between letters.
fn beginning(text: &str, bytes_max: usize) -> String {
    let mut end = bytes_max.min(text.len());
    while !text.is_char_boundary(end) {
        end = end.saturating_sub(1);
    }
    match text.get(..end) {
        Some(head) if end < text.len() => format!("{head} (and {} bytes more)", text.len() - end),
        _ => text.to_owned(),
    }
}
