//! What is typed to set the program up and to find what is wrong. Never changes a setting.

use std::path::PathBuf;

use clap::Args;
use clap_complete::Shell;

/// Say what this machine and a project's folder can do, and what cannot be promised here
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  agent-doc doctor
  agent-doc doctor ~/notes --json")]
pub(crate) struct Doctor {
    /// The folder to look at
    #[arg(value_name = "FOLDER", default_value = ".")]
    pub(crate) folder: PathBuf,

    /// Print JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

/// Show each setting, what it holds and where that comes from
///
/// Settings stand in your own file, in the project's '.agent-doc/config.toml', and in the environment, which outranks both.
/// A project's file may not say where your words are sent. Keys are taken from the environment alone and are never shown.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  agent-doc config
  agent-doc config --json
  AGENT_DOC_MODEL=offline agent-doc config")]
pub(crate) struct Config {
    /// A folder of the project
    #[arg(value_name = "FOLDER", default_value = ".")]
    pub(crate) folder: PathBuf,

    /// Print JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

/// Let the files of a project count that would change how agents work
///
/// A project's '.agent-doc/config.toml' and 'AGENTS.md' are data like any other until you trust them as they are. This shows what
/// they would change and remembers their sums in your own settings. A changed byte ends the trust. Rules of a project need
/// none: they can only forbid and ask.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  agent-doc trust --list
  agent-doc trust
  agent-doc trust --remove")]
pub(crate) struct Trust {
    /// A folder of the project
    #[arg(value_name = "FOLDER", default_value = ".")]
    pub(crate) folder: PathBuf,

    /// Only show what they would change
    #[arg(long, conflicts_with = "remove")]
    pub(crate) list: bool,

    /// Trust them no longer
    #[arg(long)]
    pub(crate) remove: bool,
}

/// Print completions for a shell
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  agent-doc completions bash > ~/.local/share/bash-completion/completions/agent-doc
  agent-doc completions fish > ~/.config/fish/completions/agent-doc.fish
  agent-doc completions zsh > \"${fpath[1]}/_agent-doc\"")]
pub(crate) struct Completions {
    /// The shell that will read them
    #[arg(value_name = "SHELL")]
    pub(crate) shell: Shell,
}

/// Print the manual, or write it as one page for each command
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  agent-doc man | man -l -
  agent-doc man --out ~/.local/share/man/man1")]
pub(crate) struct Man {
    /// Write the pages into DIR, which is made if it is not there
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}
