//! What is typed about the past of a document, and what a crash left. Never reads a history.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// List what was done on a document, and by whom
///
/// One row for each operation, the latest first: its revision, when it was done, by whom, how many bytes came and went, and
/// in which section. What was saved since the last operation is not in the list yet; 'agent-doc diff' shows it.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  agent-doc history notes.md
  agent-doc history notes.md --limit 10
  agent-doc history notes.md --json")]
pub(crate) struct History {
    /// The markdown file
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Show only the latest N operations
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,

    /// Print JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

/// Print a document as it was at a revision, byte for byte
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  agent-doc show notes.md --revision 12
  agent-doc show notes.md --revision 12 > old.md")]
pub(crate) struct Show {
    /// The markdown file, also one that was deleted
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// The revision, as 'agent-doc history' lists it
    #[arg(long, value_name = "N")]
    pub(crate) revision: u64,
}

/// Show what has changed in a document
///
/// In a session document, since its last answer: what 'agent-doc run' would send, without comments and frontmatter. In others, and
/// with --revision, since that revision. The lines are those of a unified diff.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  agent-doc diff notes.md
  agent-doc diff notes.md --revision 12")]
pub(crate) struct Diff {
    /// The markdown file
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// The revision, as 'agent-doc history' lists it
    #[arg(long, value_name = "N")]
    pub(crate) revision: Option<u64>,

    /// Print JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

/// Show who changed each line of a document last
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  agent-doc blame notes.md
  agent-doc blame notes.md --json")]
pub(crate) struct Blame {
    /// The markdown file
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Print JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

/// Bring a document back to a revision
///
/// The file is replaced as a whole by the text of the revision. That is a new operation: what stood there before is kept in
/// the history, and can be brought back the same way.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  agent-doc restore notes.md --revision 12
  agent-doc diff notes.md --revision 12      # what it would change")]
pub(crate) struct Restore {
    /// The markdown file, also one that was deleted
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// The revision, as 'agent-doc history' lists it
    #[arg(long, value_name = "N")]
    pub(crate) revision: u64,
}

/// Bring home what a crash left waiting
///
/// Responses that were on their way into a document are completed, each at most once, and saves that lie beside a document are
/// taken in. Damaged files of the history are listed and left alone. Without FILE, the whole project is looked through.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 nothing waits any more, or --list; 1 something waits still, and standard error says why; 2 not begun

Examples:
  agent-doc recover --list
  agent-doc recover notes.md"
)]
pub(crate) struct Recover {
    /// The markdown file; without it, all of the project
    #[arg(value_name = "FILE")]
    pub(crate) file: Option<PathBuf>,

    /// Only say what is waiting
    #[arg(long)]
    pub(crate) list: bool,

    /// Print JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

/// List what agents changed in the project, and take it back
///
/// What a file was is kept before a tool or a command of an agent changes it. Git is not touched: neither its index, nor a branch,
/// nor the stash. What git ignores is not kept.
#[derive(Debug, Subcommand)]
#[command(
    defer = true,
    arg_required_else_help = true,
    disable_help_subcommand = true,
    after_help = "Examples:
  agent-doc checkpoints list
  agent-doc checkpoints restore 12"
)]
pub(crate) enum CheckpointsCommand {
    List(CheckpointsList),
    Restore(CheckpointsRestore),
}

/// List what agents changed, the newest last
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  agent-doc checkpoints list
  agent-doc checkpoints list --json")]
pub(crate) struct CheckpointsList {
    /// Print JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

/// Take back what agents changed, from a checkpoint on
///
/// All later ones are taken back too, the newest first. A file that somebody changed after the agent is left alone and named; then the
/// exit code is 1.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  agent-doc checkpoints restore        # the last one
  agent-doc checkpoints restore 12")]
pub(crate) struct CheckpointsRestore {
    /// The checkpoint, as 'agent-doc checkpoints list' shows it; without it, the last one
    #[arg(value_name = "ID")]
    pub(crate) id: Option<u64>,
}
