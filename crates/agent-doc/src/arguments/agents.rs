//! What is typed to talk with a model, and to look at models and talks. Never asks a model.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

/// Talk to an agent in the terminal, or ask it from a script
///
/// In a terminal it is a conversation: the agent reads the project, works with tools, and asks before it does what no rule allows. With
/// -p it answers once and stops, and nobody is asked. Without a key the offline model answers, which searches and quotes by
/// rules. Conversations are kept and can be gone on with.
#[derive(Debug, Args, Default)]
#[command(after_help = "Exit codes: 0 done, 1 not done, 2 not begun, 130 interrupted, 143 terminated

Examples:
  agent-doc chat
  agent-doc chat --continue --mode accept-edits
  agent-doc chat -p 'What does this project do?'
  agent-doc chat -p 'Run the tests and explain what fails' --allow 'Bash(cargo test *)'
  agent-doc chat -p 'List the modules' --output-format json | jq -r .result")]
pub(crate) struct Chat {
    /// What to ask, instead of a conversation in the terminal
    #[arg(short = 'p', long = "prompt", value_name = "TEXT")]
    pub(crate) prompt: Option<String>,

    /// What runs unasked where no rule speaks; shift-tab changes it
    #[arg(long, value_name = "MODE", conflicts_with = "plan")]
    pub(crate) mode: Option<ChatMode>,

    /// Whole lines without colours and without moving the cursor, for screen readers
    #[arg(long, conflicts_with = "prompt")]
    pub(crate) plain: bool,

    /// How the answer is printed
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    pub(crate) output_format: OutputFormat,

    /// Ask the model no more than so often
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(crate) max_turns: Option<u32>,

    /// Let calls run that a rule like 'Bash(cargo test *)' covers; may be given again
    #[arg(long, value_name = "RULE")]
    pub(crate) allow: Vec<String>,

    /// Change nothing; describe the change instead
    #[arg(long)]
    pub(crate) plan: bool,

    /// The model, such as anthropic/NAME, openai/NAME, offline or replay:FILE
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,

    /// Go on with a conversation, by its name or the beginning of it
    #[arg(long, value_name = "ID", conflicts_with = "resume_latest")]
    pub(crate) resume: Option<String>,

    /// Go on with the last conversation
    #[arg(long = "continue")]
    pub(crate) resume_latest: bool,

    /// Keep all that goes over the wire in a file, for replay and reports of bugs
    #[arg(long, value_name = "FILE")]
    pub(crate) record: Option<PathBuf>,
}

/// What runs unasked where no rule speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ChatMode {
    /// Reading in the project; the rest is asked
    Default,
    /// Also edits of files of the project
    AcceptEdits,
    /// Nothing is changed
    Plan,
    /// What would be asked is refused
    DontAsk,
}

/// How an answer is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, ValueEnum)]
pub(crate) enum OutputFormat {
    /// The answer's words
    #[default]
    Text,
    /// One JSON object at the end
    Json,
    /// One line of JSON for each message, then the result
    StreamJson,
}

/// Show what the conversations of a project took
///
/// Turns and how they ended, calls of the model, refused calls and tokens. A cost is shown if 'price.input' and
/// 'price.output' are set.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  agent-doc stats
  agent-doc stats --json")]
pub(crate) struct Stats {
    /// A folder of the project
    #[arg(value_name = "FOLDER", default_value = ".")]
    pub(crate) folder: PathBuf,

    /// Print JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

/// Show which models can be used, and look into recorded answers
///
/// Without a command it lists the models: which is used now, which others can be, and what the rest needs. Nothing is asked of
/// any provider, and no key is shown.
#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    disable_help_subcommand = true,
    after_help = "Examples:
  agent-doc models
  agent-doc models list --json
  agent-doc models replay answer.sse"
)]
pub(crate) struct Models {
    #[command(subcommand)]
    pub(crate) command: Option<ModelsCommand>,

    #[command(flatten)]
    pub(crate) list: ModelsList,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ModelsCommand {
    List(ModelsList),
    Replay(ModelsReplay),
}

/// List the models: which is used now, which others can be, and what the rest needs
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  agent-doc models list
  agent-doc models list --json")]
pub(crate) struct ModelsList {
    /// Print JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

/// Decode a recorded answer to the events that we make of it
///
/// FILE is a recording of agent-doc, a bare stream of server-sent events, or JSON with 'interactions'. It shows what a report of
/// a bug needs: each event in its order, and how the answer ended.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  agent-doc models replay run.jsonl
  agent-doc models replay answer.sse --provider anthropic
  agent-doc models replay answer.sse --json")]
pub(crate) struct ModelsReplay {
    /// The recording, or '-' for standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Who answered; told from the stream if it is not given
    #[arg(long, value_name = "PROVIDER")]
    pub(crate) provider: Option<ReplayProvider>,

    /// Print JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

/// The wire format of a recording.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum ReplayProvider {
    /// The Messages API of Anthropic
    Anthropic,
    /// The chat completions of OpenAI and its imitations
    OpenaiChat,
    /// The Responses API of OpenAI
    OpenaiResponses,
}
