//! What a person can type, and the help that goes with it. Never does what was typed.

use std::path::PathBuf;

use clap::{Args, CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;

use crate::groups;

/// Work with markdown files that people and agents write at the same time.
///
/// The plain file is the truth, and not a byte of it is changed that nobody asked to change.
#[derive(Debug, Parser)]
#[command(
    name = "agent-doc",
    version,
    max_term_width = 100,
    subcommand_required = true,
    arg_required_else_help = true,
    after_help = "Begin with:\n  agent-doc outline README.md\n\n\
        'agent-doc COMMAND --help' explains a command and shows examples."
)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Arguments {
    /// What was typed, or what to tell the person instead: help, the version, or what was not understood.
    pub(crate) fn read() -> Result<Self, clap::Error> {
        let mut definition = definition();
        let mut matches = definition.try_get_matches_from_mut(std::env::args_os())?;
        Self::from_arg_matches_mut(&mut matches).map_err(|error| error.format(&mut definition))
    }
}

/// The whole command line, for help, completions and manual pages.
pub(crate) fn definition() -> clap::Command {
    groups::arranged(Arguments::command())
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Serve(Serve),
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
    Doctor(Doctor),
    Completions(Completions),
    Man(Man),
}

/// Write in the browser, together with agents and other editors
///
/// Opens the Writer: a live page for each document of the folder, on this machine only. The link carries a secret; whoever has it can
/// write. What you type is in the file a moment later, and what others save or agents write appears in the page.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  agent-doc serve
  agent-doc serve notes.md
  agent-doc serve --port 8080 --no-open")]
pub(crate) struct Serve {
    /// The folder, or one document of it
    #[arg(value_name = "PATH", default_value = ".")]
    pub(crate) path: PathBuf,

    /// The port; without it the last one, or any that is free
    #[arg(long, value_name = "NUMBER")]
    pub(crate) port: Option<u16>,

    /// Print the link without opening a browser
    #[arg(long)]
    pub(crate) no_open: bool,

    /// Make a new secret, so that older links end
    #[arg(long)]
    pub(crate) new_token: bool,
}

/// Show the headings of a file with their lines and sizes
///
/// One row for each heading: its line, the words in its section with all nested ones, and a rough number of the tokens
/// that a model needs to read it. Sections that are proposals and components are marked.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  agent-doc outline notes.md
  agent-doc outline notes.md --json
  git show HEAD:notes.md | agent-doc outline -")]
pub(crate) struct Outline {
    /// The markdown file, or '-' for standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Print JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

/// List, read and write the sections of a file
#[derive(Debug, Subcommand)]
#[command(
    arg_required_else_help = true,
    disable_help_subcommand = true,
    after_help = "Examples:
  agent-doc section list draft.md
  agent-doc section read draft.md Researcher
  agent-doc section append draft.md Researcher 'Found three sources.' --as Researcher"
)]
pub(crate) enum SectionCommand {
    List(SectionList),
    Read(SectionRead),
    Append(SectionAppend),
    Write(SectionWrite),
    Edit(SectionEdit),
}

/// List the sections with their lines, and whether each is canon or a proposal
///
/// A section is a heading with all that follows it, up to the next heading of the same or a higher rank. It is a proposal
/// if its first line is '<!-- proposal -->', else it is canon.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  agent-doc section list draft.md
  agent-doc section list draft.md --json")]
pub(crate) struct SectionList {
    /// The markdown file, or '-' for standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// Print JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

/// Print what stands under one heading, byte for byte
///
/// The heading itself is not printed; nested sections and the proposal marker are. Letter case does not matter. Two
/// sections of one title are an error: none of them is chosen for you.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  agent-doc section read draft.md Researcher
  agent-doc section read draft.md 'Terminal/Researcher'
  agent-doc section read draft.md Researcher --json")]
pub(crate) struct SectionRead {
    /// The markdown file, or '-' for standard input
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// The heading's text; for a section inside another one 'Parent/Child'
    #[arg(value_name = "TITLE")]
    pub(crate) title: String,

    /// Print JSON, for programs
    #[arg(long)]
    pub(crate) json: bool,
}

/// Add a block at the end of a section
///
/// The text cannot open, close or forge another section: its headings are put below the section's own. What somebody saves
/// in the same moment is merged, and the operation is noted in the document's history.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  agent-doc section append draft.md Researcher 'Found three sources.'
  make bench | agent-doc section append draft.md Terminal --as Terminal")]
pub(crate) struct SectionAppend {
    #[command(flatten)]
    pub(crate) place: SectionPlace,

    /// What to add; without it, standard input
    #[arg(value_name = "TEXT")]
    pub(crate) text: Option<String>,
}

/// Replace what a section holds
///
/// The heading and a proposal marker stay. '--base' says which revision you have read ('agent-doc history' shows it); if
/// the section has changed since then, nothing is written and the command says so.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  agent-doc section write draft.md Conductor --as conductor --base 12 < summary.md")]
pub(crate) struct SectionWrite {
    #[command(flatten)]
    pub(crate) place: SectionPlace,

    /// What the section shall hold; without it, standard input
    #[arg(value_name = "TEXT")]
    pub(crate) text: Option<String>,
}

/// Replace one passage of a section
///
/// The passage must stand there exactly once. If it does not, the nearest line, or the lines where it stands, are told.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  agent-doc section edit draft.md Plan --old 'in May' --new 'in June'")]
pub(crate) struct SectionEdit {
    #[command(flatten)]
    pub(crate) place: SectionPlace,

    /// What stands there now
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) old: String,

    /// What shall stand there
    #[arg(long, value_name = "TEXT", allow_hyphen_values = true)]
    pub(crate) new: String,
}

/// Which section is written, and by whom.
#[derive(Debug, Args)]
pub(crate) struct SectionPlace {
    /// The markdown file
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// The heading's text; for a section inside another one 'Parent/Child'
    #[arg(value_name = "TITLE")]
    pub(crate) title: String,

    /// Who writes: a worker's name, or 'conductor'; without it, you
    #[arg(long = "as", value_name = "NAME")]
    pub(crate) writer: Option<String>,

    /// The revision that you have read; without it, the one that the file has now
    #[arg(long, value_name = "REVISION")]
    pub(crate) base: Option<u64>,

    /// A name for this request; the same name a second time changes nothing
    #[arg(long, value_name = "NAME")]
    pub(crate) request: Option<String>,
}

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

/// Merge two versions of a file, so that nobody's words are lost
///
/// OURS and THEIRS are two versions of one file, and BASE is the text that both came from. Changes in different places are
/// both made, also in different words of one line. Where both sides changed the same words, '--style' decides. One of the
/// files may be '-' for standard input, and '/dev/null' is an empty one.
///
/// The exit code is 0 for a merge, 1 for a merge with conflict markers, and 2 if nothing was merged.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  agent-doc merge base.md agent.md mine.md
  agent-doc merge base.md agent.md mine.md -o mine.md
  git show HEAD:notes.md | agent-doc merge - agent.md notes.md

As a merge driver of git, in .git/config:
  [merge \"agent-doc\"]
      name = keep the words of both sides
      driver = agent-doc merge %O %A %B -o %A --name %P
and in .gitattributes:
  *.md merge=agent-doc")]
pub(crate) struct Merge {
    /// The text that both versions came from
    #[arg(value_name = "BASE")]
    pub(crate) base: PathBuf,

    /// The version whose text comes first where both added some: the agent's
    #[arg(value_name = "OURS")]
    pub(crate) ours: PathBuf,

    /// The version whose text comes after it: the person's
    #[arg(value_name = "THEIRS")]
    pub(crate) theirs: PathBuf,

    /// What to do where both sides changed the same words
    #[arg(long, value_enum, default_value_t = Style::Crdt)]
    pub(crate) style: Style,

    /// Write the merge to FILE, which may be one of the three, instead of standard output
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,

    /// Call the file NAME in notices; git gives it as %P
    #[arg(long, value_name = "NAME")]
    pub(crate) name: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Style {
    /// Keep the lines of both, say so on standard error, and exit with 0
    Crdt,
    /// Write conflict markers around both and the original, and exit with 1
    Diff3,
}

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

/// Show what has changed in a document since a revision
///
/// The lines are those of a unified diff from the revision to the file as it is now.
#[derive(Debug, Args)]
#[command(after_help = "Examples:
  agent-doc diff notes.md
  agent-doc diff notes.md --revision 12")]
pub(crate) struct Diff {
    /// The markdown file
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,

    /// The revision, as 'agent-doc history' lists it; if not given, the latest
    #[arg(long, value_name = "N")]
    pub(crate) revision: Option<u64>,
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
#[command(after_help = "Examples:
  agent-doc recover --list
  agent-doc recover notes.md")]
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
