//! What a call would touch, as its tool found it. Never looks anything up: a tool did.

use serde::Serialize;

/// What a call would touch. Each part of it must be allowed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Claim {
    /// What kind of call it is. Calls that only read run side by side.
    pub access: Access,
    /// The command that it would start.
    pub command: Option<Command>,
    /// The paths that it would touch.
    pub paths: Vec<PathClaim>,
    /// The hosts that it would speak to, in lower case.
    pub domains: Vec<String>,
}

impl Claim {
    /// A call that touches nothing but what belongs to the tool itself.
    pub fn of(access: Access) -> Self {
        Self { access, command: None, paths: Vec::new(), domains: Vec::new() }
    }

    /// A call that starts a command.
    pub fn of_command(access: Access, command: Command) -> Self {
        Self { command: Some(command), ..Self::of(access) }
    }

    /// A call that touches one path.
    pub fn of_path(access: PathAccess, spellings: Vec<String>) -> Self {
        let path = PathClaim { access, certainty: Certainty::Named, spellings };
        let access = match access {
            PathAccess::Read => Access::ReadOnly,
            PathAccess::Edit => Access::Edit,
        };
        Self { paths: vec![path], ..Self::of(access) }
    }
}

/// What a call does to the world, at worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// Changes nothing.
    ReadOnly,
    /// Changes files that it names.
    Edit,
    /// May do anything.
    Execute,
}

/// A command of a shell, taken apart by a parser of the shell's language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Command {
    /// The whole text, as the shell would get it.
    pub text: String,
    /// Each simple command in it, also those inside of substitutions, in order.
    pub parts: Vec<CommandPart>,
    /// Why the parts do not say all that would happen: a substitution, a loop, something that does not parse. Such a command is allowed
    /// only as a whole.
    pub opaque: Option<String>,
}

/// One simple command: `git push origin main`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CommandPart {
    /// The words as the command would get them: without quotes and escapes. The first is the program.
    pub words: Vec<String>,
    /// Variables that are set for this command alone (`X=1 cmd`), by name.
    pub variables: Vec<String>,
    /// Whether this command only reads, whatever the others do: `cd src` in `cd src && make`.
    pub read_only: bool,
}

impl CommandPart {
    /// A command of these words.
    pub fn of(words: &[&str]) -> Self {
        let words = words.iter().map(|word| (*word).to_owned()).collect();
        Self { words, variables: Vec::new(), read_only: false }
    }
}

/// A path that a call would touch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PathClaim {
    /// What would be done to it.
    pub access: PathAccess,
    /// Whether the call is known to touch it.
    pub certainty: Certainty,
    /// The path as written and as it is after links, both absolute, with `/` between names and without `.` and `..`. For a
    /// file that is to be made, links of the nearest folder that exists are followed. The last is the one to open.
    pub spellings: Vec<String>,
}

/// What would be done to a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum PathAccess {
    /// It is read, searched or listed.
    Read,
    /// It is made, changed or removed.
    Edit,
}

/// Whether a call is known to touch a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Certainty {
    /// It will.
    Named,
    /// A word of a command looks like a path. It can forbid the call, but needs no permission of its own.
    Guessed,
}
