//! What a person can type, and the help that goes with it. Never does what was typed.

mod agents;
mod document;
mod join;
mod past;
pub(crate) mod permissions;
mod runs;
mod session;
mod serve;
mod setup;

use std::io::IsTerminal as _;

use clap::error::ErrorKind;
use clap::{ArgMatches, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};

use crate::groups;
pub(crate) use agents::*;
pub(crate) use document::*;
pub(crate) use join::*;
pub(crate) use past::*;
pub(crate) use runs::*;
pub(crate) use serve::*;
pub(crate) use session::*;
pub(crate) use setup::*;

/// Work with markdown files that people and agents write at the same time.
///
/// The plain file is the truth, and not a byte of it is changed that nobody asked to change.
#[derive(Debug, Parser)]
#[command(
    name = "agent-doc",
    version,
    max_term_width = 100,
    after_help = "Begin with:\n  agent-doc         to talk to an agent here\n  agent-doc serve   to write with agents in the browser\n\n\
        'agent-doc COMMAND --help' explains a command and shows examples."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    /// Whether what is printed is for a program, which then wants to read a failure, too.
    #[arg(skip)]
    pub(crate) json: bool,
}

impl Arguments {
    /// What was typed, or what to tell the person instead: help, the version, or what was not understood.
    pub(crate) fn read() -> Result<Self, clap::Error> {
        let mut definition = Self::command();
        let mut matches = match definition.try_get_matches_from_mut(std::env::args_os()) {
            Ok(matches) => matches,
            Err(_) => {
                // What a person is told comes from all of the definition, most of which is not made for what is understood.
                definition = self::definition();
                definition.try_get_matches_from_mut(std::env::args_os())?
            }
        };
        let json = wants_json(&matches);
        let arguments =
            Self::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut definition))?;
        let is_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
        if arguments.command.is_none() && !is_terminal {
            let mut definition = self::definition();
            let help = definition.render_help().ansi().to_string();
            return Err(definition.error(ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand, help));
        }
        Ok(Self { json, ..arguments })
    }
}

/// Whether `--json` stands behind the command.
fn wants_json(matches: &ArgMatches) -> bool {
    let is_given = matches.try_get_one::<bool>("json").ok().flatten().copied().unwrap_or_default();
    is_given || matches.subcommand().is_some_and(|(_, inner)| wants_json(inner))
}

/// The whole command line, for help, completions and manual pages.
pub(crate) fn definition() -> clap::Command {
    let mut definition = Arguments::command();
    definition.build();
    groups::arranged(definition)
}

/// Each is described only when it is asked for: to describe all of them took a fifth of what a short command takes.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum Command {
    Serve(Serve),
    Run(Run),
    Stream(Stream),
    Watch(Watch),
    Write(Write),
    Init(Init),
    Reset(Reset),
    Patch(Patch),
    Convert(Convert),
    Compact(Compact),
    Commit(Commit),
    Clean(Clean),
    Conduct(Conduct),
    Runs(Runs),
    Outline(Outline),
    #[command(subcommand)]
    Section(SectionCommand),
    Merge(Merge),
    History(History),
    Show(Show),
    Diff(Diff),
    Blame(Blame),
    Restore(Restore),
    Recover(Recover),
    #[command(subcommand)]
    Checkpoints(CheckpointsCommand),
    #[command(subcommand)]
    Permissions(permissions::PermissionsCommand),
    Trust(Trust),
    Models(Models),
    Doctor(Doctor),
    Config(Config),
    Chat(Chat),
    Follow(Follow),
    Mcp(Mcp),
    Acp(Acp),
    Stats(Stats),
    Completions(Completions),
    Man(Man),
}
