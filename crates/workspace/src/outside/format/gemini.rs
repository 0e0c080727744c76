//! Lines of Gemini CLI. Never tells what the person said, which it repeats.

use serde_json::Value;

use super::super::telling::Telling;
use super::{Dialect, number, text};

/// What is remembered of an answer.
#[derive(Default)]
pub(super) struct Gemini {
    /// Whether the result was heard, which is the last thing that it says.
    has_result: bool,
}

impl Dialect for Gemini {
    fn hear(&mut self, event: &Value, telling: &mut Telling<'_>) {
        match text(event, "/type") {
            "init" => telling.talk(text(event, "/session_id")),
            "message" if text(event, "/role") == "assistant" => {
                let is_piece = event.get("delta").and_then(Value::as_bool).unwrap_or_default();
                if !is_piece {
                    telling.part();
                }
                telling.text(text(event, "/content"));
            }
            "tool_use" => telling.doing(text(event, "/tool_name")),
            "tool_result" => telling.part(),
            "error" => telling.complaint(text(event, "/message")),
            "result" => {
                self.has_result = true;
                if let Some(tokens) = number(event, "/stats/output_tokens") {
                    telling.tokens_spent(tokens);
                }
                if text(event, "/status") == "error" {
                    telling.failed(text(event, "/error/message"));
                }
            }
            _ => {}
        }
    }

    fn is_whole(&self) -> bool {
        self.has_result
    }
}
