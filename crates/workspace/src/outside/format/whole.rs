//! One JSON value that holds the whole answer. Never guesses where: names lead to it.

use serde_json::Value;

use super::super::telling::Telling;
use super::{Reader, TooMuch};

/// The largest value.
const BYTES_MAX: usize = 64 << 20;

/// Reads one value.
pub(super) struct Whole {
    text: String,
    session: Option<String>,
    bytes: Vec<u8>,
}

impl Whole {
    /// Names with dots between them lead to the text and to the name of the conversation.
    pub(super) fn new(text: &str, session: Option<&str>) -> Self {
        Self { text: pointer(text), session: session.map(pointer), bytes: Vec::new() }
    }
}

impl Reader for Whole {
    fn take(&mut self, bytes: &[u8], _: &mut Telling<'_>) -> Result<(), TooMuch> {
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() > BYTES_MAX { Err(TooMuch::Answer) } else { Ok(()) }
    }

    fn finish(&mut self, telling: &mut Telling<'_>) {
        let output = String::from_utf8_lossy(&self.bytes);
        let output = output.trim();
        // A warning may stand above it.
        let last = output.lines().last().unwrap_or_default();
        let value = serde_json::from_str(output).or_else(|_| serde_json::from_str::<Value>(last));
        let Ok(value) = value else {
            if !output.is_empty() {
                telling.garbage(output);
            }
            return;
        };
        if let Some(name) = self.session.as_ref().and_then(|path| value.pointer(path)?.as_str()) {
            telling.talk(name);
        }
        if value.get("is_error").and_then(Value::as_bool) == Some(true) {
            return telling.failed(super::text(&value, &self.text));
        }
        match value.pointer(&self.text).and_then(Value::as_str) {
            Some(text) => telling.text(text),
            None => telling.garbage(output),
        }
    }
}

/// `a.0.b` as a pointer into JSON.
fn pointer(path: &str) -> String {
    path.split('.').map(|name| format!("/{}", name.replace('~', "~0").replace('/', "~1"))).collect()
}
