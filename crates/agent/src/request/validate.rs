//! The rules of the providers about the shape of a conversation. Never mends anything: it is the judge of what the rest of the crate
//! makes.

use std::collections::HashSet;

use super::Ending;
use super::repair::{NAME_MAX, is_sendable, tool_name};
use crate::message::{Block, Message, Part, Role, ToolResult};
use crate::model::{Breakpoint, Request};

/// The most marks that a provider keeps.
const BREAKPOINTS_MAX: usize = 4;

/// A rule that a request breaks, and the message that breaks it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("message {message}: {rule}")]
pub struct Invalid {
    /// Its index; the number of messages if it is about the request as a whole.
    pub message: usize,
    /// The rule.
    pub rule: &'static str,
}

/// Checks a request against all rules that we know. The first that is broken is the error.
pub fn validate(request: &Request, ending: Ending) -> Result<(), Invalid> {
    check_whole(request, ending).map_err(|rule| Invalid { message: request.messages.len(), rule })?;
    let mut ids = HashSet::new();
    let mut before: Option<&Message> = None;
    for (index, message) in request.messages.iter().enumerate() {
        check_message(message, before, &mut ids).map_err(|rule| Invalid { message: index, rule })?;
        before = Some(message);
    }
    Ok(())
}

type Rule = Result<(), &'static str>;

fn require(holds: bool, rule: &'static str) -> Rule {
    if holds { Ok(()) } else { Err(rule) }
}

fn check_whole(request: &Request, ending: Ending) -> Rule {
    let first = request.messages.first().ok_or("there is no message")?;
    let last = request.messages.last().ok_or("there is no message")?;
    require(first.role == Role::User, "the first message is the person's")?;
    let paused = ending == Ending::Paused && last.calls().next().is_none();
    require(last.role == Role::User || paused, "the last message is the person's")?;
    require(request.output_max > 0, "the answer needs room")?;
    let mut names = HashSet::new();
    for tool in request.tools.iter() {
        require(is_name(&tool.name), "the name of a tool has 1 to 64 letters, digits, `_` and `-`")?;
        require(names.insert(&tool.name), "two tools have one name")?;
        require(tool.input_schema.is_object(), "the schema of a tool is an object")?;
    }
    check_breakpoints(request)
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name.len() <= NAME_MAX && tool_name(name) == name
}

fn check_breakpoints(request: &Request) -> Rule {
    require(request.cache.len() <= BREAKPOINTS_MAX, "there are at most four marks for the cache")?;
    let place = |mark: &Breakpoint| match mark {
        Breakpoint::Tools => 0,
        Breakpoint::System => 1,
        Breakpoint::Message(index) => index.saturating_add(2),
    };
    let places: Vec<usize> = request.cache.iter().map(place).collect();
    require(places.is_sorted_by(|one, other| one < other), "marks for the cache stand in order")?;
    require(places.last().is_none_or(|last| *last < request.messages.len() + 2), "a mark lies behind the end")
}

fn check_message<'a>(message: &'a Message, before: Option<&'a Message>, ids: &mut HashSet<&'a str>) -> Rule {
    require(before.is_none_or(|before| before.role != message.role), "the roles take turns")?;
    require(!message.content.is_empty(), "a message says something")?;
    let fits = message.content.iter().all(|block| is_sendable(message.role, block));
    require(fits, "each block fits its role, text is not blank, and thoughts are signed")?;
    let thinks = |block: &Block| matches!(block, Block::Thinking { .. } | Block::RedactedThinking { .. });
    require(!message.content.iter().all(thinks), "thoughts alone are no message")?;
    check_calls(message, ids)?;
    check_results(message, before)
}

fn check_calls<'a>(message: &'a Message, ids: &mut HashSet<&'a str>) -> Rule {
    let first_call = message.content.iter().position(|block| matches!(block, Block::ToolUse(_)));
    let last_words = message.content.iter().rposition(|block| matches!(block, Block::Text(_)));
    require(first_call.is_none() || last_words < first_call, "no text follows a call")?;
    for call in message.calls() {
        require(!call.id.is_empty(), "a call has an id")?;
        require(ids.insert(&call.id), "the ids of calls are unique")?;
        require(is_name(&call.name), "the name of a called tool has 1 to 64 letters, digits, `_` and `-`")?;
    }
    Ok(())
}

fn check_results(message: &Message, before: Option<&Message>) -> Rule {
    let called: Vec<&str> =
        before.into_iter().flat_map(Message::calls).map(|call| call.id.as_str()).collect();
    let given: Vec<&str> = message.results().map(|result| result.call.as_str()).collect();
    require(
        called == given,
        "each call of the message before has one result, in order, and there is no other",
    )?;
    let head = message.content.iter().take(given.len());
    require(head.into_iter().all(|block| matches!(block, Block::ToolResult(_))), "results stand first")?;
    require(message.results().all(is_full), "a result says something")
}

fn is_full(result: &ToolResult) -> bool {
    let blank = |part: &Part| matches!(part, Part::Text(text) if text.trim().is_empty());
    !result.content.is_empty() && !result.content.iter().any(blank)
}
