//! Carries the questions of a turn to a desk, and the answers back. Never turns what was not chosen into a yes, and never leaves a
//! question at the desk that is settled or whose turn is over.

use std::collections::HashMap;
use std::sync::Arc;

use agent::permission::{Answer, PermissionDecision, Question};
use agent::turn::QuestionId;
use tokio::task::{AbortHandle, JoinSet};

use super::{Remote, TurnEvent};
use crate::outside::PermissionDesk;
use crate::outside::permission::{Choice, Decision, Meaning, PermissionRequest};

/// The questions of one turn that stand at a desk. Dropped, it takes them back.
pub struct Asking {
    desk: Arc<dyn PermissionDesk>,
    /// Who asks.
    agent: String,
    turn: Remote,
    open: HashMap<QuestionId, AbortHandle>,
    tasks: JoinSet<()>,
}

impl Asking {
    /// Asks in the name of an agent whose turn is at the other end of `turn`.
    pub fn new(desk: Arc<dyn PermissionDesk>, agent: &str, turn: Remote) -> Asking {
        Asking { desk, agent: agent.to_owned(), turn, open: HashMap::new(), tasks: JoinSet::new() }
    }

    /// Takes questions to the desk, and takes those back that somebody else has settled. All other events are passed over.
    pub fn hear(&mut self, event: &TurnEvent) {
        match event {
            TurnEvent::Asked { id, question } => {
                let (desk, agent, turn) = (Arc::clone(&self.desk), self.agent.clone(), self.turn.clone());
                let task = self.tasks.spawn(ask(desk, agent, turn, *id, question.clone()));
                self.open.insert(*id, task);
            }
            TurnEvent::Settled(id) => {
                if let Some(task) = self.open.remove(id) {
                    task.abort();
                }
            }
            _ => {}
        }
    }
}

async fn ask(
    desk: Arc<dyn PermissionDesk>,
    agent: String,
    turn: Remote,
    id: QuestionId,
    question: Box<Question>,
) {
    let options = question.options(&agent);
    let choices = options.iter().map(|(label, decision)| Choice {
        id: format!("{decision:?}"),
        name: label.clone(),
        meaning: meaning(*decision),
    });
    let request = PermissionRequest {
        agent,
        title: question.shown.clone(),
        kind: kind(&question.call.name).to_owned(),
        input: serde_json::from_str(&question.call.input).ok(),
        choices: choices.collect(),
        question: Some(question),
    };
    let offered = |decision: PermissionDecision| options.iter().any(|(_, known)| *known == decision);
    let answer = match desk.decide(request).await {
        Decision::Chosen(chosen) => {
            let found = options.iter().find(|(_, decision)| format!("{decision:?}") == chosen);
            found.map(|(_, decision)| Answer::from(*decision))
        }
        Decision::Answered(answer) => Some(answer).filter(|answer| offered(answer.decision)),
        Decision::Refused => None,
    };
    if turn.answer(id, answer.unwrap_or_else(|| Answer::from(PermissionDecision::Wait))).is_err() {
        // The turn is over, and with it the question.
    }
}

fn meaning(decision: PermissionDecision) -> Meaning {
    match decision {
        PermissionDecision::Allow => Meaning::AllowOnce,
        PermissionDecision::AlwaysAllow => Meaning::AllowAlways,
        PermissionDecision::Wait => Meaning::RejectOnce,
        PermissionDecision::Never => Meaning::RejectAlways,
    }
}

/// What kind of deed a tool does, in the words of the protocol of editors.
fn kind(tool: &str) -> &'static str {
    match tool {
        "Bash" => "execute",
        "Edit" | "MultiEdit" | "Write" | "WriteSection" | "EditSection" | "AppendSection" => "edit",
        "Read" | "Grep" | "Glob" | "ReadDocument" | "ReadSection" => "read",
        "WebFetch" | "WebSearch" => "fetch",
        _ => "other",
    }
}
