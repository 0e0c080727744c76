//! A digest of what tools gave back, for reports and for the page of a run. Never goes to a model: its next answer is the synthesis.

use crate::message::ToolResult;

/// Names a digest: of an agent, or of a message.
pub fn create_synthesis_id(message_id: &str, agent_num: Option<usize>) -> String {
    match agent_num {
        Some(number) => format!("agent_{number}_{message_id}"),
        None => format!("synthesis_{message_id}"),
    }
}

/// The results that succeeded, one on a line of its own.
pub fn perform_synthesis<'a>(results: impl IntoIterator<Item = &'a ToolResult>) -> String {
    let mut digest = String::from("Based on the tool executions:\n");
    for result in results.into_iter().filter(|result| !result.is_error) {
        digest.push_str("- ");
        digest.push_str(&result.text());
        digest.push('\n');
    }
    digest
}
