//! Lists and texts that a person asks for, as markdown. Never asks anything itself.

use std::sync::Arc;
use std::time::UNIX_EPOCH;

use agent::message::{Block, Message, Role};
use agent::permission::{Policy, Scope};
use workspace::conversation::Outline;

use super::chat::{mode_name, shown};
use super::commands::COMMANDS;
use crate::command::permissions::whose;
use crate::moment;
use crate::rules::RuleFile;

/// Conversations that are listed.
const LISTED_MAX: usize = 20;

const KEYS: &[(&str, &str)] = &[
    ("enter", "send; while the agent works: with its next step"),
    ("tab", "while the agent works: send when it is done"),
    ("shift-enter, ctrl-j, \\ enter", "a line break"),
    ("esc", "stop; twice: clear the prompt, or go back to an earlier one"),
    ("ctrl-c", "stop; twice: leave"),
    ("↑ ↓", "earlier prompts; messages that wait"),
    ("@", "a file of the project"),
    ("shift-tab", "another mode of permissions"),
    ("ctrl-o", "show output that was shortened"),
    ("ctrl-t", "show thoughts, or fold them"),
    ("ctrl-g", "write the prompt in your editor"),
    ("ctrl-z", "leave for a while; fg comes back"),
    ("ctrl-l", "draw everything anew"),
];

pub(super) fn help() -> String {
    let mut text = String::from("## Commands\n\n");
    for (name, rest, about) in COMMANDS {
        text.push_str(&format!("- `{}` {about}\n", format!("/{name} {rest}").trim_end()));
    }
    text.push_str("\n## Keys\n\n");
    for (keys, about) in KEYS {
        text.push_str(&format!("- **{keys}** {about}\n"));
    }
    text
}

/// All rules, with their files.
pub(super) fn rules(files: &[RuleFile], policy: &Policy) -> String {
    let mut text = format!(
        "## Rules\n\nThe mode is **{}**. `/permissions remove RULE` takes a rule away.\n",
        mode_name(policy.mode())
    );
    for file in files.iter().filter(|file| !file.rules.is_empty()) {
        text.push_str(&format!("\n{} ({})\n\n", shown(&file.path), whose(file.scope)));
        for rule in &file.rules {
            text.push_str(&format!("- `{rule}`\n"));
        }
    }
    let session: Vec<String> = policy
        .rules()
        .iter()
        .filter(|rule| rule.scope == Scope::Session)
        .map(|rule| format!("- `{rule}`\n"))
        .collect();
    if !session.is_empty() {
        text.push_str(&format!("\n{}\n\n{}", whose(Scope::Session), session.concat()));
    }
    if session.is_empty() && files.iter().all(|file| file.rules.is_empty()) {
        text.push_str("\nThere are none: what only reads runs unasked, and all else is asked about.\n");
    }
    text
}

pub(super) fn sessions(listed: &[Outline], now: &str) -> String {
    let mut text = String::from("## Conversations\n\n");
    for outline in listed.iter().take(LISTED_MAX) {
        let at = outline.modified.duration_since(UNIX_EPOCH).unwrap_or_default();
        let at = moment::shown(u64::try_from(at.as_millis()).unwrap_or_default());
        let id: String = outline.id.chars().take(13).collect();
        let mark = if outline.id == now { " (this one)" } else { "" };
        let title = if outline.title.is_empty() { "nothing was said" } else { &outline.title };
        text.push_str(&format!("- `{id}` {at} — {}{mark}\n", title.replace(['`', '*', '_'], "")));
    }
    text.push_str("\n`/resume ID` goes on with one.\n");
    text
}

/// A conversation as a markdown document.
pub(super) fn exported(messages: &[Arc<Message>]) -> String {
    let mut text = String::from("# Conversation\n");
    for message in messages {
        for block in &message.content {
            match (block, message.role) {
                (Block::Text(said), Role::User) => {
                    text.push_str(&format!("\n## You\n\n{}\n", said.text.trim()));
                }
                (Block::Text(said), Role::Assistant) => {
                    text.push_str(&format!("\n## Agent\n\n{}\n", said.text.trim()));
                }
                (Block::ToolUse(call), _) => {
                    text.push_str(&format!("\n### {}\n\n{}\n", call.name, fenced(&call.input)));
                }
                (Block::ToolResult(result), _) => text.push_str(&format!("\n{}\n", fenced(&result.text()))),
                (
                    Block::Image(_)
                    | Block::Thinking { .. }
                    | Block::RedactedThinking { .. }
                    | Block::Opaque(_),
                    _,
                ) => {}
            }
        }
    }
    text
}

/// Text between fences that it cannot close.
fn fenced(text: &str) -> String {
    let longest = text.split(|letter| letter != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}\n{}\n{fence}", text.trim_end())
}
