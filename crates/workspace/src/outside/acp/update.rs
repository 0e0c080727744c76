//! What an agent tells while it answers, as we tell it. Never drops words that it cannot show.

use agent_client_protocol::v1::schema::{
    ContentBlock, ContentChunk, EmbeddedResourceResource, SessionUpdate, ToolCallStatus,
};

use super::super::telling::Telling;

/// One thing that was heard.
pub(super) enum Update {
    /// The conversation's name.
    Talk(String),
    /// Words of the answer, and the message that they belong to.
    Text { text: String, message: Option<String> },
    /// Words of its thinking.
    Thinking(String),
    /// What it does.
    Doing(String),
    /// What the person should know.
    Note(String),
    /// Something that is no message of the protocol.
    Garbage(String),
}

impl Update {
    /// What the protocol's update means to us, if anything.
    pub(super) fn of(update: SessionUpdate) -> Option<Self> {
        match update {
            SessionUpdate::AgentMessageChunk(chunk) => {
                let message = chunk.message_id.as_ref().map(ToString::to_string);
                Some(Self::Text { text: words(chunk)?, message })
            }
            SessionUpdate::AgentThoughtChunk(chunk) => Some(Self::Thinking(words(chunk)?)),
            SessionUpdate::ToolCall(call) => Some(Self::Doing(call.title)),
            SessionUpdate::ToolCallUpdate(call) => match (call.fields.title, call.fields.status) {
                (_, Some(ToolCallStatus::Completed)) => None,
                (Some(title), _) => Some(Self::Doing(title)),
                (None, _) => None,
            },
            _ => None,
        }
    }

    pub(super) fn tell(self, telling: &mut Telling<'_>) {
        match self {
            Self::Talk(name) => telling.talk(&name),
            Self::Text { text, message } => telling.text_of(message.as_deref(), &text),
            Self::Thinking(text) => telling.thinking(&text),
            Self::Doing(what) => telling.doing(&what),
            Self::Note(what) => telling.note(&what),
            Self::Garbage(line) => telling.garbage(&line),
        }
    }
}

/// The words of a piece. A picture has none.
fn words(chunk: ContentChunk) -> Option<String> {
    match chunk.content {
        ContentBlock::Text(text) => Some(text.text),
        ContentBlock::ResourceLink(link) => Some(format!("[{}]({})", link.name, link.uri)),
        ContentBlock::Resource(resource) => match resource.resource {
            EmbeddedResourceResource::TextResourceContents(contents) => Some(contents.text),
            _ => None,
        },
        _ => None,
    }
}
