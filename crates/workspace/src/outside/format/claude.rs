//! Lines of Claude Code. Words come as they are written, and once more when their block is complete. Never tells the second
//! coming, and never leaves out a block that came only then.

use serde_json::Value;

use super::super::telling::Telling;
use super::{Dialect, number, text};

/// One answer.
#[derive(Default)]
pub(super) struct Claude {
    message: Message,
    /// Whether the result was heard, which is the last thing that it says.
    has_result: bool,
}

/// The message that is being said.
#[derive(Default)]
struct Message {
    id: String,
    /// The text of its blocks so far, of which the last may be incomplete.
    blocks: Vec<String>,
    /// How many of them came complete.
    confirmed: usize,
    /// Whether its end was heard.
    is_ended: bool,
    tokens: u64,
}

impl Dialect for Claude {
    fn hear(&mut self, event: &Value, telling: &mut Telling<'_>) {
        telling.talk(text(event, "/session_id"));
        // An agent under the agent speaks to its parent, not to us.
        if event.get("parent_tool_use_id").is_some_and(Value::is_string) {
            return;
        }
        match text(event, "/type") {
            "stream_event" => {
                if let Some(inner) = event.get("event") {
                    self.message.streamed(inner, telling);
                }
            }
            "assistant" => self.message.complete(event, telling),
            "system" if text(event, "/subtype") == "api_retry" => telling.note("asks the provider again"),
            "result" => {
                self.has_result = true;
                finished(event, telling);
            }
            _ => {}
        }
    }

    fn is_whole(&self) -> bool {
        self.has_result
    }
}

impl Message {
    fn streamed(&mut self, event: &Value, telling: &mut Telling<'_>) {
        match text(event, "/type") {
            "message_start" => {
                // A connection that broke is opened again, and the message comes from its beginning.
                if !self.is_ended && self.confirmed < self.blocks.len() {
                    telling.void();
                }
                self.begin(text(event, "/message/id"), telling);
            }
            "content_block_start" => match text(event, "/content_block/type") {
                "text" => {
                    self.blocks.push(String::new());
                    self.say(text(event, "/content_block/text"), telling);
                }
                "tool_use" | "server_tool_use" => telling.doing(text(event, "/content_block/name")),
                _ => telling.part(),
            },
            "content_block_delta" => match text(event, "/delta/type") {
                "text_delta" => self.say(text(event, "/delta/text"), telling),
                "thinking_delta" => telling.thinking(text(event, "/delta/thinking")),
                _ => {}
            },
            "message_delta" => {
                if let Some(tokens) = number(event, "/usage/output_tokens") {
                    self.tokens = tokens;
                    telling.tokens(tokens);
                }
            }
            "message_stop" => {
                telling.tokens_spent(std::mem::take(&mut self.tokens));
                telling.part();
                self.is_ended = true;
            }
            _ => {}
        }
    }

    fn begin(&mut self, id: &str, telling: &mut Telling<'_>) {
        *self = Self { id: id.to_owned(), ..Self::default() };
        telling.part();
    }

    fn say(&mut self, words: &str, telling: &mut Telling<'_>) {
        if let Some(block) = self.blocks.last_mut() {
            block.push_str(words);
        }
        telling.text(words);
    }

    /// A block, or a whole message of a version that does not stream.
    fn complete(&mut self, event: &Value, telling: &mut Telling<'_>) {
        // What Claude Code itself says about an error is no answer; it comes again as the result.
        if text(event, "/message/model") == "<synthetic>" {
            return;
        }
        if text(event, "/message/id") != self.id {
            self.begin(text(event, "/message/id"), telling);
        }
        let blocks = event.pointer("/message/content").and_then(Value::as_array);
        for block in blocks.into_iter().flatten() {
            match text(block, "/type") {
                "text" => self.confirm(text(block, "/text"), telling),
                "tool_use" => telling.doing(&doing(block)),
                _ => {}
            }
        }
    }

    /// A block came whole. What of it was not said yet is said now.
    fn confirm(&mut self, whole: &str, telling: &mut Telling<'_>) {
        let place = self.confirmed;
        self.confirmed += 1;
        match self.blocks.get(place) {
            Some(said) => {
                let rest = whole.strip_prefix(said.as_str()).unwrap_or_default().to_owned();
                if !rest.is_empty() {
                    telling.text(&rest);
                }
            }
            None => {
                self.blocks.push(whole.to_owned());
                telling.part();
                telling.text(whole);
            }
        }
    }
}

fn finished(event: &Value, telling: &mut Telling<'_>) {
    let is_error = event.get("is_error").and_then(Value::as_bool).unwrap_or_default();
    let (result, subtype) = (text(event, "/result"), text(event, "/subtype"));
    if !is_error {
        return telling.summary(result);
    }
    let errors = event.pointer("/errors").and_then(Value::as_array).into_iter().flatten();
    let errors = errors.filter_map(Value::as_str).collect::<Vec<_>>().join("; ");
    let told = [result, &errors, subtype].into_iter().find(|told| !told.is_empty());
    telling.failed(told.unwrap_or_default());
}

/// A tool and the first thing that it is given, which says most.
fn doing(call: &Value) -> String {
    let name = text(call, "/name");
    let input = call.get("input").and_then(Value::as_object);
    let first = input.into_iter().flat_map(|input| input.values()).find_map(Value::as_str);
    first.map_or_else(|| name.to_owned(), |first| format!("{name}: {first}"))
}
