//! Carries a question of our own loop to a desk, and the decision back. Never turns what was not chosen into a yes.

use std::sync::Arc;

use agent::permission::{Answer, PermissionDecision, Question};
use agent::turn::QuestionId;
use workspace::conversation::Remote;
use workspace::outside::PermissionDesk;
use workspace::outside::permission::{Choice, Decision, Meaning, PermissionRequest};

/// Asks at the desk, and answers the turn. A turn that is over does not listen any more.
pub(super) async fn ask(
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
    };
    let chosen = match desk.decide(request).await {
        Decision::Chosen(chosen) => {
            options.into_iter().find(|(_, decision)| format!("{decision:?}") == chosen)
        }
        Decision::Refused => None,
    };
    let decision = chosen.map_or(PermissionDecision::Wait, |(_, decision)| decision);
    if turn.answer(id, Answer::from(decision)).is_err() {
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
