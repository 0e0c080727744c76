//! Lines of Codex: items that begin, grow and are complete. Never tells an item twice.

use std::collections::HashMap;

use serde_json::Value;

use super::super::telling::Telling;
use super::{Dialect, number, text};

/// What was told of each item.
#[derive(Default)]
pub(super) struct Codex {
    told: HashMap<String, usize>,
    /// Whether a turn was completed and no other begun.
    is_completed: bool,
}

impl Dialect for Codex {
    fn hear(&mut self, event: &Value, telling: &mut Telling<'_>) {
        match text(event, "/type") {
            "thread.started" => telling.talk(text(event, "/thread_id")),
            kind @ ("item.started" | "item.updated" | "item.completed") => {
                if let Some(item) = event.get("item") {
                    self.item(kind, item, telling);
                }
            }
            "turn.started" => self.is_completed = false,
            "turn.completed" => {
                self.is_completed = true;
                if let Some(tokens) = number(event, "/usage/output_tokens") {
                    telling.tokens_spent(tokens);
                }
            }
            "turn.failed" => telling.failed(text(event, "/error/message")),
            // It may still come right: Codex says so too before it tries again.
            "error" => telling.complaint(text(event, "/message")),
            _ => {}
        }
    }

    fn is_whole(&self) -> bool {
        self.is_completed
    }
}

impl Codex {
    fn item(&mut self, kind: &str, item: &Value, telling: &mut Telling<'_>) {
        let is_complete = kind == "item.completed";
        match text(item, "/type") {
            "agent_message" => {
                telling.text(&self.rest(item));
                if is_complete {
                    telling.part();
                }
            }
            "reasoning" => telling.thinking(&self.rest(item)),
            "error" => telling.note(text(item, "/message")),
            "" => {}
            _ if is_complete => telling.part(),
            other => {
                let what = ["/command", "/query", "/tool", "/changes/0/path"].map(|place| text(item, place));
                let what = what.into_iter().find(|what| !what.is_empty()).unwrap_or_default();
                telling.doing(format!("{}: {what}", other.replace('_', " ")).trim_end_matches([':', ' ']));
            }
        }
    }

    /// What of an item's text was not told yet.
    fn rest(&mut self, item: &Value) -> String {
        let whole = text(item, "/text");
        let told = self.told.entry(text(item, "/id").to_owned()).or_default();
        let rest = whole.get(*told..).unwrap_or_default().to_owned();
        *told = whole.len().max(*told);
        rest
    }
}
