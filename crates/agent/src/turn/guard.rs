//! Notices a model that runs in a circle. Never stops it silently: a person is asked, or the turn ends and says so.

use crate::message::ToolCall;

/// The same call in a row until someone asks.
const REPEATS_MAX: u32 = 3;

/// The same call in a row, although it was refused, until the turn ends.
const REPEATS_END: u32 = 6;

/// Calls of tools that do not exist in a row until the turn ends.
const UNKNOWN_MAX: u32 = 5;

/// What the model called last.
#[derive(Debug, Default)]
pub(super) struct Guard {
    last: Option<(String, String)>,
    repeats: u32,
    unknown: u32,
}

/// How it looks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Circle {
    No,
    /// Ask before this one runs.
    Repeats,
    /// End the turn.
    Stuck,
}

impl Guard {
    /// A call of a tool that exists.
    pub(super) fn called(&mut self, call: &ToolCall) -> Circle {
        self.unknown = 0;
        let same = self.last.as_ref().is_some_and(|(name, input)| *name == call.name && *input == call.input);
        self.repeats = if same { self.repeats.saturating_add(1) } else { 1 };
        self.last = Some((call.name.clone(), call.input.clone()));
        match self.repeats {
            ..REPEATS_MAX => Circle::No,
            REPEATS_MAX..REPEATS_END => Circle::Repeats,
            REPEATS_END.. => Circle::Stuck,
        }
    }

    /// A call of a tool that does not exist.
    pub(super) fn called_unknown(&mut self) -> Circle {
        self.unknown = self.unknown.saturating_add(1);
        if self.unknown >= UNKNOWN_MAX { Circle::Stuck } else { Circle::No }
    }

    /// A person looked at it and let it go on.
    pub(super) fn approved(&mut self) {
        self.repeats = 0;
    }
}
