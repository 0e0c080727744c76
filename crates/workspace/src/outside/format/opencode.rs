//! Lines of opencode: parts of messages, each told when it is complete or grown. Never tells a part twice, and never takes the words
//! before a tool for the whole answer.

use std::collections::HashMap;

use serde_json::Value;

use super::super::telling::Telling;
use super::{Dialect, number, text};

/// What was told of each part.
#[derive(Default)]
pub(super) struct Opencode {
    told: HashMap<String, usize>,
    /// Whether something is under way after which words are to come: a step has begun, or a tool was called.
    is_under_way: bool,
}

impl Dialect for Opencode {
    fn hear(&mut self, event: &Value, telling: &mut Telling<'_>) {
        telling.talk(text(event, "/sessionID"));
        match text(event, "/type") {
            "step_start" => self.is_under_way = true,
            "text" => {
                // Versions of it end without the end of the last step, but never before a text that they told was complete.
                self.is_under_way = false;
                let rest = self.rest(event, telling);
                telling.text(&rest);
            }
            "reasoning" => {
                let rest = self.rest(event, telling);
                telling.thinking(&rest);
            }
            "tool_use" => {
                self.is_under_way = true;
                let title = text(event, "/part/state/title");
                let title = if title.is_empty() { "" } else { &format!(": {title}") };
                telling.doing(&format!("{}{title}", text(event, "/part/tool")));
            }
            "step_finish" => {
                self.is_under_way = text(event, "/part/reason") == "tool-calls";
                if let Some(tokens) = number(event, "/part/tokens/output") {
                    telling.tokens_spent(tokens);
                }
                telling.part();
            }
            "error" => {
                let told = ["/error/data/message", "/error/message", "/error/name"];
                let told = told.map(|place| text(event, place)).into_iter().find(|told| !told.is_empty());
                telling.failed(told.unwrap_or_default());
            }
            _ => {}
        }
    }

    fn is_whole(&self) -> bool {
        !self.is_under_way
    }
}

impl Opencode {
    /// What of a part was not told yet. A part of its own is a message of its own.
    fn rest(&mut self, event: &Value, telling: &mut Telling<'_>) -> String {
        let whole = text(event, "/part/text");
        let told = self.told.entry(text(event, "/part/id").to_owned()).or_insert_with(|| {
            telling.part();
            0
        });
        let rest = whole.get(*told..).unwrap_or_default().to_owned();
        *told = whole.len().max(*told);
        rest
    }
}
