//! The `agent-doc` binary: arguments, wiring, and the exit code. Never holds a rule of merging or of markdown.

mod arguments;
mod groups;
mod command;
mod input;
mod lines;
mod moment;
mod output;
mod past;
mod reach;
mod refusal;
mod replace;

use std::process::ExitCode;

use anyhow::Result;

use arguments::{Arguments, Command, SectionCommand};

/// What a command that did its work has to say to the shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Outcome {
    /// All went well.
    Done,
    /// The merge is written, with conflict markers in it.
    Conflicts,
}

/// A command could not do its work, or was not understood.
const FAILED: u8 = 2;

fn main() -> ExitCode {
    let arguments = match Arguments::read() {
        Ok(arguments) => arguments,
        Err(told) => return output::told(&told),
    };
    match perform(&arguments.command) {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Conflicts) => ExitCode::from(1),
        Err(error) => {
            output::error(&error);
            ExitCode::from(FAILED)
        }
    }
}

fn perform(command: &Command) -> Result<Outcome> {
    match command {
        Command::Outline(given) => command::outline::run(given)?,
        Command::Section(SectionCommand::List(given)) => command::section::list(given)?,
        Command::Section(SectionCommand::Read(given)) => command::section::read(given)?,
        Command::Section(SectionCommand::Append(given)) => command::section_write::append(given)?,
        Command::Section(SectionCommand::Write(given)) => command::section_write::write(given)?,
        Command::Section(SectionCommand::Edit(given)) => command::section_write::edit(given)?,
        Command::Serve(given) => command::serve::run(given)?,
        Command::Merge(given) => return command::merge::run(given),
        Command::History(given) => command::history::run(given)?,
        Command::Show(given) => command::show::run(given)?,
        Command::Diff(given) => command::diff::run(given)?,
        Command::Blame(given) => command::blame::run(given)?,
        Command::Restore(given) => command::restore::run(given)?,
        Command::Recover(given) => command::recover::run(given)?,
        Command::Doctor(given) => command::doctor::run(given)?,
        Command::Completions(given) => command::completions::run(given)?,
        Command::Man(given) => command::man::run(given)?,
    }
    Ok(Outcome::Done)
}
