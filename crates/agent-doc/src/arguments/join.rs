//! What is typed to let agents of others join. Never starts one.

use std::path::PathBuf;

use clap::Args;

/// Let another agent join a document
///
/// A server of the Model Context Protocol: Claude Code, Codex or any other client reads the document with its revision, writes in a
/// section of its own as a proposal, and is shown what others wrote in the meantime. It speaks on the standard streams, as clients
/// start their servers, or over HTTP on the loopback interface with a token.
#[derive(Debug, Args)]
#[command(after_help = "Exit codes: 0 the client hung up, 2 not begun, 130 interrupted, 143 terminated

Examples:
  claude mcp add plan -- agent-doc mcp plan.md
  codex mcp add run -- agent-doc mcp 0192 --as Codex
  agent-doc mcp plan.md --http 4300")]
pub(crate) struct Mcp {
    /// The document, or the id of a run or the beginning of it
    pub(crate) document: PathBuf,

    /// The name of the agent and of its section; else the one that the client says
    #[arg(long = "as", value_name = "NAME")]
    pub(crate) name: Option<String>,

    /// Listen on this port of the loopback interface instead; 0 takes any
    #[arg(long, value_name = "PORT")]
    pub(crate) http: Option<u16>,
}

/// Be the agent of an editor
///
/// Editors that speak the Agent Client Protocol, such as Zed, start this command and talk with our agent over its standard streams.
/// It works in the folder that the editor has open, and asks the person in the editor before it does what no rule allows.
#[derive(Debug, Args)]
#[command(after_help = "Exit codes: 0 the editor hung up, 2 not begun, 130 interrupted, 143 terminated

Example, in the settings of Zed:
  \"agent_servers\": { \"agent-doc\": { \"command\": \"agent-doc\", \"args\": [\"acp\"] } }")]
pub(crate) struct Acp {
    /// The model, such as anthropic/NAME, openai/NAME or offline
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,

    /// Let calls run that a rule like 'Bash(cargo test *)' covers; may be given again
    #[arg(long, value_name = "RULE")]
    pub(crate) allow: Vec<String>,
}
