//! One call of a tool while it arrives in pieces. Never parses its arguments.

use agent::message::Block;
use serde::Deserialize;
use serde_json::Value;

/// A piece of a call. Only the first of a call has an id and a name; some servers send no index.
#[derive(Deserialize, Default)]
#[serde(default)]
pub(super) struct CallPiece {
    index: Option<usize>,
    id: Option<String>,
    function: Option<FunctionPiece>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct FunctionPiece {
    name: Option<String>,
    /// A piece of JSON text; some servers send the object itself.
    arguments: Option<Value>,
}

/// A call whose end has not come.
pub(super) struct OpenCall {
    index: Option<usize>,
    /// The id that the server gave; empty if it gave none.
    given: String,
    pub(super) id: String,
    pub(super) name: String,
    input: String,
}

impl CallPiece {
    fn json(&mut self) -> String {
        match self.function.as_mut().and_then(|function| function.arguments.take()) {
            Some(Value::String(json)) => json,
            None | Some(Value::Null) => String::new(),
            Some(value) => value.to_string(),
        }
    }

    fn name(&self) -> Option<&str> {
        self.function.as_ref()?.name.as_deref().filter(|name| !name.is_empty())
    }
}

impl OpenCall {
    /// A new call, and the first piece of its arguments. `spare` is its id if the server gives none.
    pub(super) fn begin(mut piece: CallPiece, spare: String) -> (Self, String) {
        let json = piece.json();
        let name = piece.name().unwrap_or_default().to_owned();
        let given = piece.id.unwrap_or_default();
        let id = if given.is_empty() { spare } else { given.clone() };
        (Self { index: piece.index, given, id, name, input: json.clone() }, json)
    }

    /// Whether `piece` goes on with this call. A new id with a name is a new call, also at the same index: some servers give
    /// all calls the index 0.
    pub(super) fn takes(&self, piece: &CallPiece) -> bool {
        let id = piece.id.as_deref().unwrap_or_default();
        let is_new = !id.is_empty() && id != self.given && piece.name().is_some();
        let same_place = piece.index.is_none() || piece.index == self.index;
        // Without an index and an id, a name begins a call.
        let is_next = piece.index.is_none() && id.is_empty() && piece.name().is_some();
        same_place && !is_new && !is_next
    }

    /// Takes a piece of the arguments, and gives it.
    pub(super) fn add(&mut self, mut piece: CallPiece) -> String {
        let json = piece.json();
        self.input.push_str(&json);
        json
    }

    /// Whether the arguments are a JSON object.
    pub(super) fn is_whole(&self) -> bool {
        serde_json::from_str::<serde_json::Map<String, Value>>(&self.input).is_ok()
    }

    pub(super) fn end(self) -> Block {
        Block::call(self.id, self.name, self.input)
    }
}
