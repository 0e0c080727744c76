//! Paths in rules, in the syntax of ignore files. Never touches the file system: links were followed before.

use globset::{GlobBuilder, GlobSet};

use super::rule::RuleError;

/// The folders that paths in rules are counted from, absolute, with `/` between names and none at the end.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// The root of the project.
    pub project: String,
    /// The person's home.
    pub home: Option<String>,
    /// Where the agent works; the project's root or a folder in it.
    pub current: String,
    /// Further folders that the agent may work in.
    pub also: Vec<String>,
}

impl Places {
    /// Whether a path lies where the agent works.
    pub(super) fn hold(&self, path: &str) -> bool {
        let folders = std::iter::once(&self.project).chain(&self.also);
        folders.filter(|folder| !folder.is_empty()).any(|folder| below(path, folder, false).is_some())
    }
}

/// The paths that may not be read, for tools that find paths by themselves.
#[derive(Clone, Debug)]
pub(super) struct Hidden {
    patterns: Vec<PathPattern>,
    places: Places,
}

impl Hidden {
    pub(super) fn new(patterns: Vec<PathPattern>, places: Places) -> Self {
        Self { patterns, places }
    }

    pub(super) fn holds(&self, path: &str) -> bool {
        self.patterns.iter().any(|pattern| pattern.matches(path, &self.places, true))
    }
}

/// A path in a rule. `//x` counts from the root of the file system, `~/x` from home, `/x` from the project, and `x` or `./x` from
/// where the agent works; a name without `/` matches at any depth.
#[derive(Clone, Debug)]
pub(super) struct PathPattern {
    text: String,
    anchor: Anchor,
    /// Ignores case. Used to forbid, as some file systems do not tell `.ENV` from `.env`.
    folded: GlobSet,
    exact: GlobSet,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Anchor {
    FileSystem,
    Home,
    Project,
    Current,
}

impl PartialEq for PathPattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for PathPattern {}

impl PathPattern {
    pub(super) fn parse(text: &str) -> Result<Self, RuleError> {
        if text.chars().any(char::is_control) {
            return Err(RuleError::Control);
        }
        if text.starts_with('!') {
            return Err(RuleError::Path(
                "`!` has no meaning here; write a rule of the other kind".to_owned(),
            ));
        }
        let (anchor, rest) = split_anchor(text);
        let globs = translate(rest, anchor == Anchor::Current && !text.starts_with("./"));
        let exact = build(&globs, false)?;
        Ok(Self { text: text.to_owned(), anchor, folded: build(&globs, true)?, exact })
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Whether all of the spellings of a path match.
    pub(super) fn covers(&self, spellings: &[String], places: &Places) -> bool {
        !spellings.is_empty() && spellings.iter().all(|path| self.matches(path, places, false))
    }

    /// Whether any of the spellings of a path matches, in any case of letters.
    pub(super) fn touches(&self, spellings: &[String], places: &Places) -> bool {
        spellings.iter().any(|path| self.matches(path, places, true))
    }

    fn matches(&self, path: &str, places: &Places, fold: bool) -> bool {
        let base = match self.anchor {
            Anchor::FileSystem => Some(""),
            Anchor::Home => places.home.as_deref(),
            Anchor::Project => Some(places.project.as_str()),
            Anchor::Current => Some(places.current.as_str()),
        };
        let set = if fold { &self.folded } else { &self.exact };
        base.and_then(|base| below(path, base, fold)).is_some_and(|rest| set.is_match(rest))
    }
}

fn split_anchor(text: &str) -> (Anchor, &str) {
    for (prefix, anchor) in [("//", Anchor::FileSystem), ("~/", Anchor::Home), ("/", Anchor::Project)] {
        if let Some(rest) = text.strip_prefix(prefix) {
            return (anchor, rest);
        }
    }
    (Anchor::Current, text.strip_prefix("./").unwrap_or(text))
}

/// The globs that say the same as a line of an ignore file: the path itself unless it must be a folder, and all below it.
fn translate(rest: &str, may_float: bool) -> Vec<String> {
    let folder = rest.strip_suffix('/');
    let stem = folder.unwrap_or(rest);
    let stem = if may_float && !stem.contains('/') { format!("**/{stem}") } else { stem.to_owned() };
    // Braces are ordinary letters in ignore files.
    let stem = stem.replace('{', "[{]").replace('}', "[}]");
    if stem.is_empty() {
        return vec!["**".to_owned()];
    }
    let below = format!("{stem}/**");
    if folder.is_some() { vec![below] } else { vec![stem, below] }
}

fn build(globs: &[String], fold: bool) -> Result<GlobSet, RuleError> {
    let wrong = |error: globset::Error| RuleError::Path(error.kind().to_string());
    let mut set = GlobSet::builder();
    for glob in globs {
        let glob = GlobBuilder::new(glob)
            .literal_separator(true)
            .backslash_escape(true)
            .case_insensitive(fold)
            .build()
            .map_err(wrong)?;
        set.add(glob);
    }
    set.build().map_err(wrong)
}

/// The rest of a path below a folder, without the `/` between. The folder itself has an empty rest.
pub(super) fn below<'a>(path: &'a str, folder: &str, fold: bool) -> Option<&'a str> {
    let head = path.get(..folder.len())?;
    let same = head == folder || (fold && head.eq_ignore_ascii_case(folder));
    let rest = path.get(folder.len()..).filter(|_| same)?;
    if rest.is_empty() { Some(rest) } else { rest.strip_prefix('/') }
}

/// A path as a rule that matches it and what is below it, counted from the nearest folder that has a name.
pub(super) fn literal(path: &str, places: &Places) -> Option<String> {
    if path.chars().any(char::is_control) || !path.starts_with('/') {
        return None;
    }
    let within = |base: &str| below(path, base, false).filter(|rest| !base.is_empty() && !rest.is_empty());
    let home = places.home.as_deref().unwrap_or_default();
    let (prefix, rest) = within(&places.project)
        .map(|rest| ("/", rest))
        .or_else(|| within(home).map(|rest| ("~/", rest)))
        .or_else(|| path.strip_prefix('/').map(|rest| ("//", rest)))?;
    let mut text = prefix.to_owned();
    for letter in rest.chars() {
        if "*?[]\\".contains(letter) {
            text.push('\\');
        }
        text.push(letter);
    }
    Some(text)
}
