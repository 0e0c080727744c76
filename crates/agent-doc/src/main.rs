//! The `agent-doc` binary: arguments, wiring, and the exit code. Never holds a rule of merging or of markdown.

mod arguments;
mod groups;
mod command;
mod configuration;
mod desk;
mod input;
mod lines;
mod log;
mod moment;
mod output;
mod past;
mod prices;
mod reach;
mod refusal;
mod replace;
mod terminal;
mod trust;
mod wiring;
mod rules;
mod signals;

use std::process::ExitCode;

use anyhow::Result;

use arguments::{Arguments, Chat, Command, SectionCommand};

/// What a command that did its work has to say to the shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// All went well.
    Done,
    /// The merge is written, with conflict markers in it.
    Conflicts,
    /// It ended in a way that has a code of its own.
    Code(u8),
    /// A person would be asked.
    Asks,
    /// A rule would refuse it.
    Denies,
}

/// A command could not do its work, or was not understood.
const FAILED: u8 = 2;

fn main() -> ExitCode {
    keep_memory_to_ourselves();
    let arguments = match Arguments::read() {
        Ok(arguments) => arguments,
        Err(told) => return output::told(&told),
    };
    // Without a command, a person at a terminal wants to talk.
    let talk = Command::Chat(Chat::default());
    match perform(arguments.command.as_ref().unwrap_or(&talk)) {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Conflicts) => ExitCode::from(1),
        Ok(Outcome::Code(code)) => ExitCode::from(code),
        Ok(Outcome::Asks) => ExitCode::from(10),
        Ok(Outcome::Denies) => ExitCode::from(11),
        Err(error) => {
            output::failure(&error, arguments.json);
            ExitCode::from(FAILED)
        }
    }
}

/// Keys are in our memory and in our environment. After this neither a core dump nor another program of the same person,
/// a command of an agent among them, gets to see them.
fn keep_memory_to_ourselves() {
    #[cfg(target_os = "linux")]
    if rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable).is_err() {
        // Then it is as with any other program; there is no reason to refuse work.
    }
}

fn perform(command: &Command) -> Result<Outcome> {
    match command {
        Command::Run(given) => return command::session::turn::run(given),
        Command::Stream(given) => return command::session::turn::stream(given),
        Command::Watch(given) => return command::session::watch::run(given),
        Command::Write(given) => return command::session::write::run(given),
        Command::Init(given) => command::session::init::run(given)?,
        Command::Reset(given) => command::session::reset::run(given)?,
        Command::Patch(given) => command::session::patch::run(given)?,
        Command::Convert(given) => command::session::convert::run(given)?,
        Command::Compact(given) => command::session::compact::run(given)?,
        Command::Commit(given) => command::session::git::commit(given)?,
        Command::Clean(given) => command::session::git::clean(given)?,
        Command::Conduct(given) => return command::runs::conduct(given),
        Command::Runs(given) => return command::runs::run(given),
        Command::Outline(given) => command::outline::run(given)?,
        Command::Section(SectionCommand::List(given)) => command::section::list(given)?,
        Command::Section(SectionCommand::Read(given)) => command::section::read(given)?,
        Command::Section(SectionCommand::Append(given)) => command::section_write::append(given)?,
        Command::Section(SectionCommand::Write(given)) => command::section_write::write(given)?,
        Command::Section(SectionCommand::Edit(given)) => command::section_write::edit(given)?,
        Command::Serve(given) => return command::serve::run(given),
        Command::Merge(given) => return command::merge::run(given),
        Command::History(given) => command::history::run(given)?,
        Command::Show(given) => command::show::run(given)?,
        Command::Diff(given) => command::diff::run(given)?,
        Command::Blame(given) => command::blame::run(given)?,
        Command::Restore(given) => command::restore::run(given)?,
        Command::Recover(given) => return command::recover::run(given),
        Command::Checkpoints(given) => return command::checkpoints::run(given),
        Command::Permissions(given) => return command::permissions::run(given),
        Command::Trust(given) => command::trust::run(given)?,
        Command::Models(given) => command::models::run(given)?,
        Command::Doctor(given) => command::doctor::run(given)?,
        Command::Chat(given) => return command::chat::run(given),
        Command::Follow(given) => return terminal::follow(given),
        Command::Acp(given) => return command::acp::run(given),
        Command::Mcp(given) => return command::mcp::run(given),
        Command::Stats(given) => command::stats::run(given)?,
        Command::Config(given) => command::config::run(given)?,
        Command::Completions(given) => command::completions::run(given)?,
        Command::Man(given) => command::man::run(given)?,
    }
    Ok(Outcome::Done)
}
