//! One item of an answer. Never takes it apart for good: beside what we read of it stands the item as it came.

use agent::message::{Block, Text, ToolCall, Verbatim};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::protocol::Protocol;

#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct Item {
    #[serde(rename = "type")]
    pub(super) kind: String,
    status: Option<String>,
    call_id: Option<String>,
    id: Option<String>,
    name: Option<String>,
    arguments: Option<String>,
    content: Option<Vec<Content>>,
    #[serde(skip)]
    json: String,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct Content {
    #[serde(rename = "type")]
    kind: String,
    text: Option<String>,
    refusal: Option<String>,
}

impl Item {
    pub(super) fn read(raw: Option<&RawValue>) -> serde_json::Result<Self> {
        let json = raw.map_or("{}", RawValue::get);
        let mut item: Self = serde_json::from_str(json)?;
        json.clone_into(&mut item.json);
        Ok(item)
    }

    /// Id and name of a call of one of our tools.
    pub(super) fn call(&self) -> Option<(String, String)> {
        let id = self.call_id.as_ref().or(self.id.as_ref())?;
        (self.kind == "function_call").then(|| (id.clone(), self.name.clone().unwrap_or_default()))
    }

    pub(super) fn is_cut(&self) -> bool {
        matches!(self.status.as_deref(), Some("incomplete" | "in_progress"))
    }

    pub(super) fn refuses(&self) -> bool {
        self.content.iter().flatten().any(|content| content.kind == "refusal")
    }

    pub(super) fn block(self) -> Block {
        let call = self.call();
        let verbatim = Verbatim { provider: Protocol::Responses.name().to_owned(), json: self.json };
        if let Some((id, name)) = call {
            let input = self.arguments.unwrap_or_default();
            return Block::ToolUse(ToolCall { id, name, input, verbatim: Some(verbatim) });
        }
        if self.kind != "message" {
            return Block::Opaque(verbatim);
        }
        let said = self.content.unwrap_or_default().into_iter();
        let text = said.filter_map(|content| content.text.or(content.refusal)).collect();
        Block::Text(Text { text, verbatim: Some(verbatim) })
    }
}
