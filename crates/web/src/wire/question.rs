//! The JSON of questions and answers. Never shows text that hides a part of itself.

use agent::permission::{Behavior, Pattern, Question, Rule, Scope, Why, visible};
use serde::{Deserialize, Serialize};
use ts_rs::{Config, TS};
use workspace::outside::permission::{Choice, Meaning, PermissionRequest};

use crate::desk::Asked;

/// The most of a call that is shown, in bytes. What is left out is counted.
const CALL_MAX: usize = 256 << 10;

/// A question of an agent that waits for the person.
#[derive(Debug, Serialize, TS)]
pub struct WireQuestion {
    /// Its name.
    pub id: String,
    /// Who asks.
    pub agent: String,
    /// What kind of deed it is, such as `execute` or `edit`.
    pub deed: String,
    /// What would be done, in letters that can all be seen.
    pub title: String,
    /// The call of the tool, byte for byte, in letters that can all be seen.
    pub call: String,
    /// Why it is asked.
    pub why: String,
    /// Where the rules of an answer are kept.
    pub place: String,
    /// What can be answered.
    pub options: Vec<WireOption>,
}

/// One answer.
#[derive(Debug, Serialize, TS)]
pub struct WireOption {
    /// Its name.
    pub id: String,
    /// How it is shown.
    pub label: String,
    /// What it means.
    pub meaning: WireMeaning,
    /// The rules that it would keep.
    pub rules: Vec<String>,
    /// Whether the agent can be told something with it.
    pub words: bool,
}

/// What an answer means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, TS)]
#[serde(rename_all = "camelCase")]
pub enum WireMeaning {
    /// Yes, this time.
    AllowOnce,
    /// Yes, from now on.
    AllowAlways,
    /// No, this time.
    RejectOnce,
    /// No, from now on.
    RejectAlways,
}

/// Answer a question. `Idempotency-Key` names the request.
#[derive(Debug, Serialize, Deserialize, TS)]
#[serde(deny_unknown_fields)]
pub struct AnswerCall {
    /// The option.
    pub option: String,
    /// What the agent is told, with the option that takes words.
    #[serde(default)]
    pub words: String,
}

/// A document in which agents wait for an answer.
#[derive(Debug, Serialize, TS)]
pub struct WireWaiting {
    /// The document.
    pub path: String,
    /// How many questions.
    #[ts(type = "number")]
    pub count: usize,
}

impl From<&Asked> for WireQuestion {
    fn from(asked: &Asked) -> Self {
        let PermissionRequest { agent, title, kind, input, choices, question } = &asked.request;
        let call = match question {
            Some(question) => format!("{} {}", question.call.name, question.call.input),
            None => input.as_ref().map(ToString::to_string).unwrap_or_default(),
        };
        Self {
            id: asked.id.clone(),
            agent: visible(agent),
            deed: visible(kind),
            title: shown(title),
            call: shown(&call),
            why: question.as_ref().map(|question| why(&question.why)).unwrap_or_default(),
            place: asked.place.clone(),
            options: choices.iter().map(|choice| option(choice, question.as_deref())).collect(),
        }
    }
}

fn shown(text: &str) -> String {
    let end = text.floor_char_boundary(CALL_MAX);
    let mut shown = visible(text.get(..end).unwrap_or_default());
    if end < text.len() {
        shown.push_str(&format!("\nand {} bytes more, which are not shown", text.len() - end));
    }
    shown
}

fn option(choice: &Choice, question: Option<&Question>) -> WireOption {
    let rules = |patterns: Option<&Vec<Pattern>>, behavior| {
        let rule = |pattern: &Pattern| {
            visible(&Rule { behavior, pattern: pattern.clone(), scope: Scope::Local }.to_string())
        };
        patterns.into_iter().flatten().map(rule).collect()
    };
    let (meaning, rules) = match choice.meaning {
        Meaning::AllowOnce => (WireMeaning::AllowOnce, Vec::new()),
        Meaning::AllowAlways => {
            let always = question.and_then(|question| question.always.as_ref());
            (WireMeaning::AllowAlways, rules(always, Behavior::Allow))
        }
        Meaning::RejectOnce => (WireMeaning::RejectOnce, Vec::new()),
        Meaning::RejectAlways => {
            let never = question.and_then(|question| question.never.as_ref());
            (WireMeaning::RejectAlways, rules(never, Behavior::Deny))
        }
    };
    let words = question.is_some() && meaning == WireMeaning::RejectOnce;
    WireOption { id: choice.id.clone(), label: visible(&choice.name), meaning, rules, words }
}

fn why(why: &Why) -> String {
    match why {
        Why::Rule(pattern) => format!("the rule 'ask {}' says so", visible(&pattern.to_string())),
        Why::Uncovered(part) => format!("no rule covers {}", visible(part)),
        Why::Protected(path) => format!("{} belongs to git or to agent-doc", visible(path)),
        Why::Repeats => "it does the same again and again".to_owned(),
    }
}

pub(super) fn declarations(config: &Config) -> [String; 5] {
    [
        WireQuestion::decl(config),
        WireOption::decl(config),
        WireMeaning::decl(config),
        AnswerCall::decl(config),
        WireWaiting::decl(config),
    ]
}
