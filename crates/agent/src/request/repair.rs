//! Makes any list of messages one that providers accept. Never invents an answer: an open call is answered by the words that it did
//! not finish. A message that is sound is shared and not copied.

use std::collections::HashSet;
use std::sync::Arc;

use super::Ending;
use crate::history::SESSION_ENDED;
use crate::message::{Block, Message, Part, Role, ToolCall, ToolResult};

/// Stands before a conversation that begins with the model.
const BEGINNING: &str = "(The beginning of this conversation was not kept.)";

/// Stands behind a conversation that ends with the model.
pub(crate) const GO_ON: &str = "Continue.";

/// The longest name of a tool that providers accept.
pub(super) const NAME_MAX: usize = 64;

/// The messages, each call answered in the next message, the roles in turn.
pub(super) fn repaired(messages: &[Arc<Message>], ending: Ending) -> Vec<Arc<Message>> {
    let tidied = messages.iter().filter_map(tidied);
    let mut paired = paired(joined(tidied));
    if paired.first().is_none_or(|first| first.role == Role::Assistant) {
        let words = if paired.is_empty() { GO_ON } else { BEGINNING };
        paired.insert(0, notice(words));
    }
    if ending == Ending::Person && paired.last().is_some_and(|last| last.role == Role::Assistant) {
        paired.push(notice(GO_ON));
    }
    paired
}

fn notice(words: &str) -> Arc<Message> {
    Arc::new(Message::user(vec![Block::text(words)]))
}

/// The message without what no provider takes, or nothing if nothing is left.
fn tidied(message: &Arc<Message>) -> Option<Arc<Message>> {
    let kept = |block: &&Block| is_sendable(message.role, block);
    let tidied = if message.content.iter().all(|block| kept(&block)) {
        Arc::clone(message)
    } else {
        let content = message.content.iter().filter(kept).cloned().collect();
        Arc::new(Message { role: message.role, content })
    };
    // Thoughts alone are no message.
    let says = |block: &Block| !matches!(block, Block::Thinking { .. } | Block::RedactedThinking { .. });
    tidied.content.iter().any(says).then_some(tidied)
}

/// Whether a block may stand in a message of this role.
pub(super) fn is_sendable(role: Role, block: &Block) -> bool {
    match block {
        Block::Text(text) => !text.text.trim().is_empty(),
        Block::Image(_) => role == Role::User,
        Block::ToolResult(_) => role == Role::User,
        Block::ToolUse(_) => role == Role::Assistant,
        Block::Thinking { signature, .. } => role == Role::Assistant && !signature.is_empty(),
        Block::RedactedThinking { data } => role == Role::Assistant && !data.is_empty(),
        Block::Opaque(_) => role == Role::Assistant,
    }
}

/// Joins neighbours of the same role. A message with calls stays apart from what the model said next: their results come between.
fn joined(messages: impl IntoIterator<Item = Arc<Message>>) -> Vec<Arc<Message>> {
    let mut joined: Vec<Arc<Message>> = Vec::new();
    for message in messages {
        match joined.last_mut() {
            Some(last) if last.role == message.role && last.calls().next().is_none() => {
                Arc::make_mut(last).content.extend(message.content.iter().cloned());
            }
            _ => joined.push(message),
        }
    }
    joined
}

/// Answers each call in the message behind it, and takes out results without a call.
fn paired(messages: Vec<Arc<Message>>) -> Vec<Arc<Message>> {
    let mut seen = HashSet::new();
    let mut paired: Vec<Arc<Message>> = Vec::with_capacity(messages.len());
    let mut rest = messages.into_iter().peekable();
    while let Some(message) = rest.next() {
        if message.calls().next().is_none() {
            let left =
                if message.results().next().is_some() { without_results(&message) } else { Some(message) };
            paired.extend(left);
            continue;
        }
        let names: Vec<(String, String)> =
            message.calls().map(|call| (call.id.clone(), fresh(&call.id, &mut seen))).collect();
        let answer = rest.next_if(|next| next.role == Role::User);
        paired.push(ordered(message, &names));
        paired.push(answered(answer, &names));
    }
    // What was taken out may have stood between two messages of the model.
    joined(paired)
}

fn without_results(message: &Message) -> Option<Arc<Message>> {
    let kept = message.content.iter().filter(|block| !matches!(block, Block::ToolResult(_)));
    let content: Vec<Block> = kept.cloned().collect();
    (!content.is_empty()).then(|| Arc::new(Message { role: message.role, content }))
}

/// The id itself, or one like it that no other call bears.
fn fresh(id: &str, seen: &mut HashSet<String>) -> String {
    let name = unused(id, |name| seen.contains(name));
    seen.insert(name.clone());
    name
}

/// The id itself, or one like it that is not taken.
pub(crate) fn unused(id: &str, taken: impl Fn(&str) -> bool) -> String {
    let stem = if id.is_empty() { "call" } else { id };
    if !taken(stem) {
        return stem.to_owned();
    }
    let mut number = 2_u64;
    loop {
        let name = format!("{stem}_{number}");
        if !taken(&name) {
            return name;
        }
        number += 1;
    }
}

/// The calls under their new names and behind all words: providers take a call that is followed by text for one without a result.
fn ordered(message: Arc<Message>, names: &[(String, String)]) -> Arc<Message> {
    let last_words = message.content.iter().rposition(|block| matches!(block, Block::Text(_)));
    let first_call = message.content.iter().position(|block| matches!(block, Block::ToolUse(_)));
    let sound = names.iter().all(|(old, new)| old == new)
        && message.calls().all(|call| tool_name(&call.name) == call.name);
    if sound && last_words < first_call {
        return message;
    }
    let mut names = names.iter().map(|(_, new)| new);
    let (mut content, mut calls) = (Vec::new(), Vec::new());
    for block in &message.content {
        match block {
            Block::ToolUse(call) => calls.push(Block::ToolUse(renamed(call, names.next()))),
            other => content.push(other.clone()),
        }
    }
    content.append(&mut calls);
    Arc::new(Message { role: message.role, content })
}

/// The provider's own form of the call bears the old name, so it cannot be kept.
fn renamed(call: &ToolCall, id: Option<&String>) -> ToolCall {
    let name = tool_name(&call.name);
    match id {
        Some(id) if *id != call.id || name != call.name => {
            ToolCall { id: id.clone(), name, input: call.input.clone(), verbatim: None }
        }
        _ => call.clone(),
    }
}

/// A model may call a tool by a name that no provider takes back.
pub(super) fn tool_name(name: &str) -> String {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
    let name: String =
        name.chars().map(|letter| if fits(letter) { letter } else { '_' }).take(NAME_MAX).collect();
    if name.is_empty() { "_".to_owned() } else { name }
}

/// Results first, in the order of the calls; then what else was said.
fn answered(answer: Option<Arc<Message>>, names: &[(String, String)]) -> Arc<Message> {
    let given: Vec<&ToolResult> = answer.iter().flat_map(|answer| answer.results()).collect();
    let in_place = answer.as_ref().is_some_and(|answer| {
        let head = answer.content.iter().zip(names);
        let matches = |(block, (old, new)): (&Block, &(String, String))| {
            old == new && matches!(block, Block::ToolResult(result) if result.call == *new && is_full(result))
        };
        given.len() == names.len() && answer.content.len() >= names.len() && head.into_iter().all(matches)
    });
    match answer {
        Some(answer) if in_place => answer,
        answer => {
            let mut content = results(answer.as_deref(), names);
            let others = answer.iter().flat_map(|answer| &answer.content);
            content.extend(others.filter(|block| !matches!(block, Block::ToolResult(_))).cloned());
            Arc::new(Message::user(content))
        }
    }
}

fn is_full(result: &ToolResult) -> bool {
    let blank = |part: &Part| matches!(part, Part::Text(text) if text.trim().is_empty());
    !result.content.is_empty() && !result.content.iter().any(blank)
}

fn results(answer: Option<&Message>, names: &[(String, String)]) -> Vec<Block> {
    let mut given: Vec<&ToolResult> = answer.into_iter().flat_map(Message::results).collect();
    let mut found = Vec::with_capacity(names.len());
    for (old, new) in names {
        let place = given.iter().position(|result| result.call == *old);
        let result = match place.map(|place| given.remove(place)) {
            Some(result) => ToolResult::of_parts(new.clone(), result.content.clone(), result.is_error),
            None => ToolResult::error(new.clone(), SESSION_ENDED),
        };
        found.push(Block::ToolResult(result));
    }
    found
}
