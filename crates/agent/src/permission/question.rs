//! What a person is asked, and what they can answer. Never shows text that hides a part of itself.

use serde::{Deserialize, Serialize};

use super::claim::Claim;
use super::rule::{Pattern, Scope};
use crate::message::ToolCall;

/// A call that a person must decide about. It is data: a terminal, a browser or a document can ask it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Question {
    /// The call, byte for byte.
    pub call: ToolCall,
    /// What it would touch.
    pub claim: Claim,
    /// Why we ask.
    pub why: Why,
    /// What it would do, in letters that can all be seen.
    pub shown: String,
    /// What "Always allow" would save. None means that no rule can cover this call, so the option must not be offered.
    pub always: Option<Vec<Pattern>>,
    /// What "Never allow" would save. None means that it refuses this one call.
    pub never: Option<Vec<Pattern>>,
}

impl Question {
    /// The options, in order, with the words for a person. `agent` is whom they talk to.
    pub fn options(&self, agent: &str) -> Vec<(String, PermissionDecision)> {
        let offered = |decision: &PermissionDecision| {
            *decision != PermissionDecision::AlwaysAllow || self.always.is_some()
        };
        let all = PermissionDecision::ALL.into_iter().filter(offered);
        all.map(|decision| (decision.label(agent), decision)).collect()
    }
}

/// Why a person is asked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// A rule says so.
    Rule(Pattern),
    /// No rule covers this part of the call.
    Uncovered(String),
    /// The path belongs to git or to us.
    Protected(String),
    /// The model does the same again and again.
    Repeats,
}

/// What a person decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PermissionDecision {
    /// This call runs.
    Allow,
    /// This call runs, and such calls are not asked about again.
    AlwaysAllow,
    /// This call does not run. With words, the model gets them and goes on; without, everything stops.
    Wait,
    /// This call does not run, and such calls are refused from now on. The model goes on.
    Never,
}

impl PermissionDecision {
    /// In the order in which they are offered.
    pub const ALL: [Self; 4] = [Self::Allow, Self::AlwaysAllow, Self::Wait, Self::Never];

    /// The words of the option.
    pub fn label(self, agent: &str) -> String {
        match self {
            Self::Allow => "Allow this time".to_owned(),
            Self::AlwaysAllow => "Always allow".to_owned(),
            Self::Wait => format!("Wait and tell {agent} what to do differently"),
            Self::Never => "Never allow".to_owned(),
        }
    }
}

/// An answer to a question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Answer {
    /// What the person decides.
    pub decision: PermissionDecision,
    /// What they say to the model, with [`PermissionDecision::Wait`].
    pub words: String,
    /// Where a rule is kept. One that comes with the project cannot allow, so it becomes the person's own.
    pub scope: Scope,
}

impl From<PermissionDecision> for Answer {
    fn from(decision: PermissionDecision) -> Self {
        Self { decision, words: String::new(), scope: Scope::Local }
    }
}

/// A text in letters that can all be seen: control characters, blanks of other widths, and what has no shape are written as escapes.
pub fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for letter in text.chars() {
        if letter == '\n' || !(letter.is_control() || hides(letter)) {
            shown.push(letter);
        } else {
            shown.extend(letter.escape_unicode());
        }
    }
    shown
}

/// Letters that take no room, turn the direction, or look like a blank. The common sign that asks for a coloured picture is harmless.
fn hides(letter: char) -> bool {
    matches!(letter,
        '\u{a0}' | '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{1680}' | '\u{17b4}' | '\u{17b5}'
        | '\u{180b}'..='\u{180f}' | '\u{2000}'..='\u{200f}' | '\u{2028}'..='\u{202f}' | '\u{205f}'..='\u{206f}'
        | '\u{2800}' | '\u{3000}' | '\u{3164}' | '\u{fe00}'..='\u{fe0e}' | '\u{feff}' | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}' | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}')
}
