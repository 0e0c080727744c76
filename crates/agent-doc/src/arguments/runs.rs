//! What is typed to let several agents work on one document. Never starts one.

use clap::{Args, Subcommand};

/// Let several agents work on an objective, in one document
///
/// Makes runs/ID/draft.md with a section for each worker. Workers write what they find, bit by bit, and read each other; the conductor
/// brings it together in the section 'Conductor'. Open the file in any editor meanwhile: what you save is kept, and a line in the
/// section 'User' that begins with '/also', '/cancel' or '@NAME' is heard. Without a key the offline model works, by rules. At the
/// end the section 'Conductor' is printed.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 completed, 1 not or not wholly, 2 not begun, 130 interrupted (it can be resumed), 143 terminated

Examples:
  agent-doc conduct 'compare the error handling of the crates in this workspace'
  agent-doc conduct 'why is the build slow?' --workers Terminal --allow 'Bash(cargo build *)'
  agent-doc conduct 'review the API' --workers Researcher,Critic --model anthropic/NAME"
)]
pub(crate) struct Conduct {
    /// What is to be found out
    #[arg(value_name = "OBJECTIVE")]
    pub(crate) objective: String,

    /// Who works, by name: Researcher, Terminal, or those of '.agent-doc/workers'
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    pub(crate) workers: Vec<String>,

    /// The model of all workers that name none, such as anthropic/NAME, openai/NAME or offline
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,

    /// Let calls run that a rule like 'Bash(cargo test *)' covers; may be given again
    #[arg(long, value_name = "RULE")]
    pub(crate) allow: Vec<String>,

    /// Print one JSON object at the end, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

/// List runs, and look after them
///
/// Without a command it lists the runs of the project, the latest first.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true,
    after_help = "Examples:
  agent-doc runs
  agent-doc runs show 0192
  agent-doc runs resume 0192"
)]
pub(crate) struct Runs {
    #[command(subcommand)]
    pub(crate) command: Option<RunsCommand>,

    /// Print JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Subcommand)]
pub(crate) enum RunsCommand {
    Show(RunsShow),
    Resume(RunsResume),
    Cancel(RunsCancel),
    Accept(RunsSettle),
    Reject(RunsSettle),
}

/// Show how a run is: its workers, its plan, what was decided, and what can be accepted
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  agent-doc runs show 0192
  agent-doc runs show 0192 --json")]
pub(crate) struct RunsShow {
    /// The run, by its name or the beginning of it
    #[arg(value_name = "ID")]
    pub(crate) id: String,

    /// Print JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

/// Go on with a run that was interrupted, or that you have given something new to do
///
/// Workers that are done are not run again; those that were interrupted go on.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 completed, 1 not or not wholly, 2 not begun, 130 interrupted, 143 terminated

Examples:
  agent-doc runs resume 0192"
)]
pub(crate) struct RunsResume {
    /// The run, by its name or the beginning of it
    #[arg(value_name = "ID")]
    pub(crate) id: String,

    /// Let calls run that a rule like 'Bash(cargo test *)' covers; may be given again
    #[arg(long, value_name = "RULE")]
    pub(crate) allow: Vec<String>,

    /// Print one JSON object at the end, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

/// End a run, also one of another process; what was found stays
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  agent-doc runs cancel 0192")]
pub(crate) struct RunsCancel {
    /// The run, by its name or the beginning of it
    #[arg(value_name = "ID")]
    pub(crate) id: String,
}

/// Decide about a proposal of a worker: an accepted one moves to the section 'Conductor' with the name of its author, a rejected one
/// leaves the document and is not proposed again
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  agent-doc runs show 0192
  agent-doc runs accept 0192 4f1c22aa")]
pub(crate) struct RunsSettle {
    /// The run, by its name or the beginning of it
    #[arg(value_name = "ID")]
    pub(crate) id: String,

    /// The proposal, as 'runs show' names it
    #[arg(value_name = "PROPOSAL")]
    pub(crate) proposal: String,
}

/// Watch a document or a run in the terminal, live
///
/// Shows what changes as it changes, and what is asked. In a run, a line that you type goes to the conductor; in a session document, it
/// is your next prompt.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  agent-doc follow notes.md
  agent-doc follow 019a")]
pub(crate) struct Follow {
    /// A document, or a run by its name or the beginning of it
    #[arg(value_name = "FILE|RUN")]
    pub(crate) what: String,

    /// Whole lines without colours and without moving the cursor, for screen readers
    #[arg(long)]
    pub(crate) plain: bool,
}
