//! What was asked last, and what was done about it since. Never looks at what was settled before.

use std::sync::Arc;

use agent::message::{Block, Message, Role};
use serde_json::{Map, Value};

/// How many lines at the end of a document are taken for the question, where nothing says which are new.
const DOCUMENT_LINES: usize = 2;

/// The part of a conversation that the planner works on.
#[derive(Debug, Default)]
pub(super) struct Conversation {
    /// What the person said last.
    pub(super) asked: String,
    /// The calls since then, each with its result.
    pub(super) steps: Vec<Step>,
}

/// One call and what came of it.
#[derive(Debug)]
pub(super) struct Step {
    pub(super) tool: String,
    pub(super) input: Map<String, Value>,
    pub(super) output: String,
    pub(super) failed: bool,
}

impl Step {
    /// The text of an argument, under any of its usual names.
    pub(super) fn argument(&self, names: &[&str]) -> &str {
        names.iter().find_map(|name| self.input.get(*name)?.as_str()).unwrap_or_default()
    }
}

impl Conversation {
    pub(super) fn of(messages: &[Arc<Message>]) -> Self {
        let asking =
            messages.iter().rposition(|message| message.role == Role::User && !said(message).is_empty());
        let asked = asking.and_then(|asking| messages.get(asking)).map(|message| wanted(&said(message)));
        Self::since(messages, asking.unwrap_or(0), asked.unwrap_or_default())
    }

    /// What was done about `asked` since the message of this index.
    pub(super) fn since(messages: &[Arc<Message>], begin: usize, asked: String) -> Self {
        let mut conversation = Self { asked, steps: Vec::new() };
        for (index, message) in messages.iter().enumerate().skip(begin) {
            for call in message.calls() {
                let answered = messages
                    .get(index + 1)
                    .and_then(|next| next.results().find(|result| result.call == call.id));
                let Some(result) = answered else { continue };
                conversation.steps.push(Step {
                    tool: call.name.clone(),
                    input: call.arguments().unwrap_or_default(),
                    output: result.text(),
                    failed: result.is_error,
                });
            }
        }
        conversation
    }

    /// What the calls of one tool gave, if they worked.
    pub(super) fn results<'a>(&'a self, tool: &'a str) -> impl Iterator<Item = &'a Step> {
        self.steps.iter().filter(move |step| step.tool == tool && !step.failed)
    }

    pub(super) fn has_used(&self, tool: &str) -> bool {
        self.steps.iter().any(|step| step.tool == tool)
    }
}

/// The person's own words in a prompt about a document: the lines that they added, else the end of the document. Another prompt is
/// all theirs.
fn wanted(prompt: &str) -> String {
    let between = |begin: &str, end: &str| {
        let inside = prompt.split_once(begin)?.1;
        Some(inside.rsplit_once(end).map_or(inside, |(inside, _)| inside))
    };
    if let Some(diff) = between("<diff>\n", "</diff>") {
        let diff = diff.split("</diff>").next().unwrap_or(diff);
        let added = diff.lines().filter_map(|line| line.strip_prefix('+')).map(str::trim);
        let added: Vec<&str> = added.filter(|line| !line.is_empty()).collect();
        if !added.is_empty() {
            return added.join("\n");
        }
    }
    let Some(document) = between("<document>\n", "</document>") else { return prompt.to_owned() };
    let is_said = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with("<!--");
    let last: Vec<&str> = document.lines().rev().filter(is_said).take(DOCUMENT_LINES).collect();
    last.into_iter().rev().collect::<Vec<_>>().join("\n")
}

/// The person's own words in a message.
pub(super) fn said(message: &Message) -> String {
    let texts = message.content.iter().filter_map(|block| match block {
        Block::Text(text) => Some(text.text.trim()),
        _ => None,
    });
    texts
        .filter(|text| !text.is_empty() && !text.starts_with("[Request interrupted"))
        .collect::<Vec<_>>()
        .join("\n\n")
}
