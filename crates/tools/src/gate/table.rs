//! The table of what is known to only read, from `programs.toml`. Never guesses: a program, a subcommand or an option that is
//! not in the file is not in the table.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;

use super::secret::Secrets;

/// The file, as it is shipped.
const FILE: &str = include_str!("programs.toml");

/// Why the table cannot be read. The one that is shipped can be; a test says so.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// Not the shape of the table.
    #[error("the table of harmless programs cannot be read")]
    Shape(#[from] toml::de::Error),
    /// A shared set of options that is not there.
    #[error("the table of harmless programs has no shared options named `{0}`")]
    NoSuchSet(String),
}

/// All that is known.
#[derive(Debug)]
pub(super) struct Table {
    pub(super) secrets: Secrets,
    pub(super) variables: HashMap<String, String>,
    pub(super) programs: HashMap<String, Program>,
    pub(super) wrappers: HashMap<String, Wrapper>,
}

impl Table {
    pub(super) fn shipped() -> Result<Self, TableError> {
        Self::read(FILE)
    }

    fn read(text: &str) -> Result<Self, TableError> {
        let file: File = toml::from_str(text)?;
        let mut programs = HashMap::new();
        for (names, entry) in &file.program {
            for name in names.split_whitespace() {
                programs.insert(name.to_owned(), Program::of(entry, &file.shared)?);
            }
        }
        let wrappers = file.wrapper.iter().flat_map(|(names, entry)| {
            names.split_whitespace().map(|name| (name.to_owned(), Wrapper::of(entry)))
        });
        Ok(Self {
            wrappers: wrappers.collect(),
            programs,
            secrets: Secrets::of(&file.secrets),
            variables: file.variables,
        })
    }
}

/// One program, or one subcommand of it, with the sets of options that it shares taken in.
#[derive(Debug, Default)]
pub(super) struct Program {
    pub(super) options: HashMap<String, Takes>,
    pub(super) numbers: bool,
    pub(super) any_option: bool,
    pub(super) operands: Operands,
    pub(super) operands_min: usize,
    pub(super) operands_max: usize,
    pub(super) needs: Vec<String>,
    pub(super) never: Vec<String>,
    pub(super) git: bool,
    pub(super) subcommands: HashMap<String, Program>,
}

/// What an option takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Takes {
    Nothing,
    /// A value, in the same word or the next.
    Value,
    /// A value that is a path.
    Path,
    /// A value in the same word, or none.
    Attached,
    /// The value that would else be the first operand.
    Pattern,
    /// Nothing, and no pattern is among the operands.
    NoPattern,
}

/// What may stand beside the options.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub(super) enum Operands {
    #[default]
    None,
    Text,
    Paths,
    /// A pattern, then paths.
    PatternPaths,
    /// A script of `sed`, then paths.
    SedPaths,
    /// The format of `printf`, then text.
    Format,
    /// Words that begin with a plus sign.
    Plus,
    /// Paths, then an expression of `find`.
    Expression,
}

/// A program that starts another.
#[derive(Debug, Default)]
pub(super) struct Wrapper {
    pub(super) flags: Vec<String>,
    pub(super) values: Vec<String>,
    pub(super) numbers: bool,
    pub(super) operands: usize,
    pub(super) plain: bool,
    pub(super) variables: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    secrets: String,
    variables: HashMap<String, String>,
    shared: BTreeMap<String, Entry>,
    wrapper: BTreeMap<String, WrapperEntry>,
    program: BTreeMap<String, Entry>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
struct Entry {
    like: String,
    flags: String,
    values: String,
    paths: String,
    attached: String,
    pattern: String,
    no_pattern: String,
    numbers: bool,
    any_option: bool,
    operands: Operands,
    operands_min: usize,
    operands_max: Option<usize>,
    needs: String,
    never: Vec<String>,
    git: bool,
    sub: BTreeMap<String, Entry>,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields, default)]
struct WrapperEntry {
    flags: String,
    values: String,
    numbers: bool,
    operands: usize,
    plain: bool,
    variables: bool,
}

impl Program {
    fn of(entry: &Entry, shared: &BTreeMap<String, Entry>) -> Result<Self, TableError> {
        let mut program = Self {
            numbers: entry.numbers,
            any_option: entry.any_option,
            operands: entry.operands,
            operands_min: entry.operands_min,
            operands_max: entry.operands_max.unwrap_or(usize::MAX),
            needs: listed(&entry.needs),
            never: entry.never.clone(),
            git: entry.git,
            ..Self::default()
        };
        program.take(entry);
        for name in entry.like.split_whitespace() {
            let set = shared.get(name).ok_or_else(|| TableError::NoSuchSet(name.to_owned()))?;
            program.take(set);
            program.numbers |= set.numbers;
            program.never.extend(set.never.iter().cloned());
        }
        for (names, entry) in &entry.sub {
            for name in names.split_whitespace() {
                let subcommand = Self::of(entry, shared)?;
                program.subcommands.insert(name.to_owned(), subcommand);
            }
        }
        Ok(program)
    }

    fn take(&mut self, entry: &Entry) {
        let lists = [
            (&entry.flags, Takes::Nothing),
            (&entry.values, Takes::Value),
            (&entry.paths, Takes::Path),
            (&entry.attached, Takes::Attached),
            (&entry.pattern, Takes::Pattern),
            (&entry.no_pattern, Takes::NoPattern),
        ];
        for (list, takes) in lists {
            self.options.extend(list.split_whitespace().map(|option| (option.to_owned(), takes)));
        }
    }
}

impl Wrapper {
    fn of(entry: &WrapperEntry) -> Self {
        Self {
            flags: listed(&entry.flags),
            values: listed(&entry.values),
            numbers: entry.numbers,
            operands: entry.operands,
            plain: entry.plain,
            variables: entry.variables,
        }
    }
}

fn listed(words: &str) -> Vec<String> {
    words.split_whitespace().map(str::to_owned).collect()
}
