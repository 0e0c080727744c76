//! What is typed about the text of a document: its outline, its sections, a merge. Never reads the document.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

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
    defer = true,
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
