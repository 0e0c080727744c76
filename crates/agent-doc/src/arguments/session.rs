//! What is typed to work in session documents. Never reads one.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// Answer what you changed in a document
///
/// Your edits since the last answer are the prompt. They are committed, sent to the agent, and its answer is merged into the file,
/// while you may go on typing. The answer itself is not committed, so that your editor shows it as new.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 answered, or nothing to answer; 1 answered, with conflict markers in the file; 2 not answered;
130 interrupted

Examples:
  agent-doc run notes.md
  agent-doc run notes.md --dry-run
  agent-doc run notes.md --agent claude -b"
)]
pub(crate) struct Run {
    #[command(flatten)]
    pub(crate) turn: TurnArguments,

    /// Only show what would be sent; ask nobody, commit nothing
    #[arg(long)]
    pub(crate) dry_run: bool,
}

/// Answer what you changed, word by word as it comes
///
/// The answer is merged into the document's target every 200 ms, or as often as the document says. You can type anywhere
/// meanwhile, also into the answer.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 answered, or nothing to answer; 1 answered, with conflict markers in the file; 2 not, or not
wholly, answered; 130 interrupted

Examples:
  agent-doc stream notes.md
  agent-doc stream notes.md --interval 100 --target exchange"
)]
pub(crate) struct Stream {
    #[command(flatten)]
    pub(crate) turn: TurnArguments,

    /// Milliseconds between two merges
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u64).range(10..=60_000))]
    pub(crate) interval: Option<u64>,

    /// The component or section that takes the answer
    #[arg(long, value_name = "NAME")]
    pub(crate) target: Option<String>,
}

/// What `run` and `stream` have in common.
#[derive(Debug, Args)]
pub(crate) struct TurnArguments {
    /// The session document
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Who answers, such as offline, anthropic, openai, claude, codex; else what the document or your settings say
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,

    /// The model; else what the document or your settings say
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,

    /// Commit to a branch of the document's own, agent-doc/NAME
    #[arg(short = 'b', conflicts_with = "no_git")]
    pub(crate) branch: bool,

    /// Commit nothing
    #[arg(long)]
    pub(crate) no_git: bool,

    /// Let calls run that a rule like 'Bash(cargo test *)' covers; may be given again
    #[arg(long, value_name = "RULE")]
    pub(crate) allow: Vec<String>,

    /// Print one JSON object at the end, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

/// Put an answer from standard input into a document
///
/// For agents that work outside of agent-doc, and scripts. The answer is laid out as the document says, and merged with what was
/// typed meanwhile. The same --id twice is put in once.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  echo 'Done.' | agent-doc write notes.md
  agent-doc write notes.md --baseline-file before.md --id turn-7 < answer.md")]
pub(crate) struct Write {
    /// The session document
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Merge without conflict markers, into the target of streams
    #[arg(long, conflicts_with = "template")]
    pub(crate) stream: bool,

    /// Put patch blocks into their components
    #[arg(long)]
    pub(crate) template: bool,

    /// The document as the agent read it; else as it is now
    #[arg(long, value_name = "FILE")]
    pub(crate) baseline_file: Option<PathBuf>,

    /// A name for the answer; one that was put in before is not put in again
    #[arg(long, value_name = "ID")]
    pub(crate) id: Option<String>,

    /// Whose words they are
    #[arg(long, value_name = "NAME", default_value = "agent")]
    pub(crate) author: String,

    /// Print JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

/// Make a session document
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  agent-doc init plan.md
  agent-doc init plan.md 'The plan for autumn' --mode stream
  agent-doc init --editor vscode")]
pub(crate) struct Init {
    /// The file to make
    #[arg(value_name = "FILE", required_unless_present = "editor")]
    pub(crate) file: Option<PathBuf>,

    /// Its title; else its name
    #[arg(value_name = "TITLE")]
    pub(crate) title: Option<String>,

    /// How answers get into it
    #[arg(long, value_name = "MODE", default_value = "append")]
    pub(crate) mode: SessionMode,

    /// Who answers
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,

    /// Write the keys and tasks for an editor, in this project
    #[arg(long, value_name = "EDITOR")]
    pub(crate) editor: Option<Editor>,

    /// Print JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

/// How answers get into a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum SessionMode {
    /// As a conversation that grows at the end
    Append,
    /// Into components, when the answer is whole
    Template,
    /// Into a component, word by word
    Stream,
}

/// An editor that can be set up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Editor {
    /// Visual Studio Code: .vscode/tasks.json
    Vscode,
    /// Vim and Neovim: .agent-doc/agent-doc.vim, to be sourced
    Vim,
}

/// Forget what was answered: the whole document is new again
///
/// The conversation's name is taken out of the frontmatter, and what the last answer left is forgotten. Not a word of the document
/// changes.
#[derive(Debug, Args)]
pub(crate) struct Reset {
    /// The session document
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Print JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

/// Write into one component of a document
///
/// What is given goes where the component's mode says: it replaces what is there, or stands at its beginning or end.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  agent-doc patch notes.md status 'All tests pass.'
  cargo test 2>&1 | tail -5 | agent-doc patch notes.md log")]
pub(crate) struct Patch {
    /// The document
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// The component
    #[arg(value_name = "COMPONENT")]
    pub(crate) component: String,

    /// The text; else standard input
    #[arg(value_name = "TEXT")]
    pub(crate) text: Option<String>,

    /// Print JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

/// Change how answers get into a document
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  agent-doc convert notes.md --mode stream
  agent-doc convert plain.md --mode append      # makes a plain file a session document")]
pub(crate) struct Convert {
    /// The document
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// How answers get into it from now on
    #[arg(long, value_name = "MODE")]
    pub(crate) mode: SessionMode,

    /// Print JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

/// Move old answers out of a document, into the project's archive
///
/// The last exchanges stay. What goes is kept in '.agent-doc/archives', and in the document's history.
#[derive(Debug, Args)]
pub(crate) struct Compact {
    /// The session document
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// How many exchanges stay
    #[arg(long, value_name = "N", default_value = "2")]
    pub(crate) keep: usize,

    /// The component that holds the conversation
    #[arg(long, value_name = "NAME", default_value = "exchange")]
    pub(crate) component: String,

    /// Print JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

/// Commit a document by itself
///
/// Nothing else is committed, staged or not, and no hook or filter of the repository runs.
#[derive(Debug, Args)]
pub(crate) struct Commit {
    /// The document
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// The message; else one that 'clean' knows
    #[arg(short, long, value_name = "TEXT")]
    pub(crate) message: Option<String>,

    /// Print JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

/// Make one commit of a document's session commits
///
/// Only the commits that agent-doc made for this document are joined. It refuses if they are pushed or merged.
#[derive(Debug, Args)]
pub(crate) struct Clean {
    /// The document
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Print JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

/// Answer documents whenever they are saved
///
/// All session documents of the project are watched, or those that are named. One in the mode 'stream' is answered at once, others
/// when they have been quiet for a moment. An unfinished sentence is waited for. It runs until it is interrupted.
#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 ended, or it is watched; 1 with --status, it is not watched; 2 not begun

Examples:
  agent-doc watch
  agent-doc watch notes.md plans/
  agent-doc watch --status
  agent-doc watch --stop"
)]
pub(crate) struct Watch {
    /// Documents and folders; else the whole project
    #[arg(value_name = "PATH")]
    pub(crate) paths: Vec<PathBuf>,

    /// Milliseconds that a document must be quiet
    #[arg(long, value_name = "MS", default_value = "500", value_parser = clap::value_parser!(u64).range(0..=600_000))]
    pub(crate) debounce: u64,

    /// How often in a row a document is answered for changes that came meanwhile
    #[arg(long, value_name = "N", default_value = "3")]
    pub(crate) max_cycles: u32,

    /// Who answers, whatever the documents say
    #[arg(long, value_name = "NAME")]
    pub(crate) agent: Option<String>,

    /// Commit nothing
    #[arg(long)]
    pub(crate) no_git: bool,

    /// Let calls run that a rule like 'Bash(cargo test *)' covers; may be given again
    #[arg(long, value_name = "RULE")]
    pub(crate) allow: Vec<String>,

    /// Say what is watched, and how it is
    #[arg(long, conflicts_with = "stop")]
    pub(crate) status: bool,

    /// End the watching of this project
    #[arg(long)]
    pub(crate) stop: bool,

    /// Print JSON, for programs: a line for each thing that happens; with --status or --stop, one object
    #[arg(long)]
    pub(crate) json: bool,
}
