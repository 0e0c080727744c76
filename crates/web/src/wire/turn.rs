//! The JSON of turns on session documents. Never knows who answers.

use serde::{Deserialize, Serialize};
use ts_rs::{Config, TS};

use crate::turns::{Turn, TurnState};

/// A turn.
#[derive(Debug, Serialize, TS)]
pub struct WireTurn {
    /// Who answers.
    pub agent: String,
    /// How it is.
    pub state: WireTurnState,
    /// Why there is no whole answer.
    pub why: Option<String>,
    /// What the agent is doing.
    pub doing: String,
    /// What it took.
    #[ts(type = "number")]
    pub tokens: u64,
    /// Milliseconds since 1970.
    #[ts(type = "number")]
    pub begun: u64,
}

/// How a turn is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum WireTurnState {
    /// The agent answers.
    Working,
    /// The answer is in the document.
    Answered,
    /// There was nothing to answer.
    Nothing,
    /// There is no whole answer.
    Failed,
}

/// Answer what the person changed.
#[derive(Debug, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct TurnCall {
    /// The document.
    pub path: String,
    /// When the answer is brought into it.
    pub pace: WirePace,
}

/// When an answer is brought into the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum WirePace {
    /// When it is whole.
    Whole,
    /// Word by word as it comes.
    Streamed,
}

/// Stop answering.
#[derive(Debug, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct TurnStop {
    /// The document.
    pub path: String,
}

impl From<&Turn> for WireTurn {
    fn from(turn: &Turn) -> Self {
        let (state, why) = match &turn.state {
            TurnState::Working => (WireTurnState::Working, None),
            TurnState::Answered => (WireTurnState::Answered, None),
            TurnState::Nothing => (WireTurnState::Nothing, None),
            TurnState::Failed(why) => (WireTurnState::Failed, Some(why.clone())),
        };
        let Turn { agent, doing, tokens, begun, .. } = turn.clone();
        Self { agent, state, why, doing, tokens, begun }
    }
}

pub(super) fn declarations(config: &Config) -> [String; 5] {
    [
        WireTurn::decl(config),
        WireTurnState::decl(config),
        TurnCall::decl(config),
        WirePace::decl(config),
        TurnStop::decl(config),
    ]
}
