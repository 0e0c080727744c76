//! Why a command is asked about. Never says that a command is harmful, only that nobody knows it is not.

use std::fmt;

use super::letters::escaped;

/// One thing that speaks against running a command unasked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// The text cannot be read as a shell command.
    Unparsable,
    /// There is nothing to run.
    Empty,
    /// More bytes than a person reads before they say yes.
    TooLong,
    /// More commands than a person reads before they say yes.
    TooManyParts,
    /// A character that cannot be seen, or turns the direction of writing, or is no letter known here.
    Hidden(char),
    /// Letters of two scripts that look alike.
    LookAlike(String),
    /// A long run of blanks, which can push text out of sight.
    Padded,
    /// Something of the shell's language that is not on the list.
    Construct(String),
    /// A variable that is set and is not on the list.
    Variable(String),
    /// A program that is not on the list.
    Program(String),
    /// A program that only the shell can name, or that is written so that it is hard to see.
    Disguised(String),
    /// A program that runs another with what it reads.
    Wrapper(String),
    /// A subcommand that is not on the list.
    Subcommand(String),
    /// An option that is not on the list.
    Option(String),
    /// A word that the program must not be given.
    Operand(String),
    /// A word that only the shell can tell.
    Unknown(String),
    /// A path outside of the workspace.
    Outside(String),
    /// A path that is likely to hold a secret.
    Secret(String),
    /// A file that would be written.
    Writes(String),
    /// A repository that nobody has looked at, or one whose settings can run programs.
    Repository(String),
    /// Git in a folder other than the first, where another repository may lie.
    Elsewhere,
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (what, name) = match self {
            Self::Unparsable => return formatter.write_str("cannot be read as a shell command for certain"),
            Self::Empty => return formatter.write_str("there is no command"),
            Self::TooLong => return formatter.write_str("the command is too long to be read at a glance"),
            Self::TooManyParts => return formatter.write_str("there are too many commands in one"),
            Self::Elsewhere => {
                return formatter.write_str(
                    "git would work in another folder, and obey settings that nobody has looked at",
                );
            }
            Self::Padded => return formatter.write_str("a long run of blanks may push text out of sight"),
            Self::Hidden(letter) => {
                return write!(
                    formatter,
                    "the character {} is hidden or misleading",
                    letter.escape_unicode()
                );
            }
            Self::LookAlike(word) => ("letters of two scripts that look alike", word),
            Self::Construct(kind) => ("not on the list of harmless constructs", kind),
            Self::Variable(name) => ("sets a variable that can change what runs", name),
            Self::Program(name) => ("not on the list of programs that only read", name),
            Self::Disguised(word) => ("the program cannot be told from the way it is written", word),
            Self::Wrapper(name) => ("runs another program with what it is given", name),
            Self::Subcommand(name) => ("not on the list of subcommands that only read", name),
            Self::Option(option) => ("not on the list of harmless options", option),
            Self::Operand(word) => ("the program may do more than read when given", word),
            Self::Unknown(word) => ("only the shell can tell what this becomes", word),
            Self::Outside(path) => ("outside of the workspace", path),
            Self::Secret(path) => ("likely to hold a secret", path),
            Self::Writes(path) => ("would be written", path),
            Self::Repository(why) => ("git would obey settings that nobody has looked at", why),
        };
        write!(formatter, "{what}: `{}`", escaped(name))
    }
}
