//! One rule: `allow Bash(cargo test *)`. Never guesses: a rule that we do not understand is an error with its place, not a rule that
//! matches nothing.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::command::CommandPattern;
use super::path::PathPattern;

/// The longest rule, in bytes.
const RULE_MAX: usize = 4096;

/// What a rule does. The first kind that matches decides: deny, then ask, then allow; it never matters how exact a rule is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Behavior {
    /// The call is refused.
    Deny,
    /// The person is asked, also if another rule allows it.
    Ask,
    /// The call runs unasked.
    Allow,
}

/// Where a rule stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// The person's own, for all projects.
    User,
    /// Comes with the project, so its author may be anyone: it can deny and ask, but allow nothing.
    Project,
    /// The person's own, for this project.
    Local,
    /// For this process only: a flag, or an answer that is not kept.
    Session,
}

/// A rule and where it stands.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Rule {
    /// What it does.
    pub behavior: Behavior,
    /// What it matches.
    pub pattern: Pattern,
    /// Where it stands.
    pub scope: Scope,
}

impl fmt::Display for Rule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let behavior = match self.behavior {
            Behavior::Deny => "deny",
            Behavior::Ask => "ask",
            Behavior::Allow => "allow",
        };
        write!(formatter, "{behavior} {}", self.pattern)
    }
}

/// What a rule matches: `Tool` or `Tool(specifier)`.
///
/// ```
/// use agent::permission::Pattern;
/// assert!("Bash(git diff *)".parse::<Pattern>().is_ok());
/// assert!("Write(src/**)".parse::<Pattern>().is_err());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    pub(super) tool: String,
    pub(super) specifier: Option<Specifier>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Specifier {
    Command(CommandPattern),
    Path(PathPattern),
    Domain(String),
}

impl Pattern {
    /// All calls of a tool.
    pub(super) fn of_tool(tool: &str) -> Self {
        Self { tool: tool.to_owned(), specifier: None }
    }

    /// Whether it matches the tool by its name alone. `mcp__server` and `mcp__server__*` match each tool of that server.
    pub(super) fn matches_tool(&self, tool: &str) -> bool {
        if self.specifier.is_some() {
            return false;
        }
        if self.tool == tool {
            return true;
        }
        let Some(of_server) = self.tool.strip_prefix("mcp__") else { return false };
        match self.tool.strip_suffix('*') {
            Some(begin) => tool.starts_with(begin),
            // A rule about the tool `read` says nothing about one that its server calls `read__all`.
            None if of_server.contains("__") => false,
            None => tool.strip_prefix(&self.tool).is_some_and(|rest| rest.starts_with("__")),
        }
    }
}

impl std::str::FromStr for Pattern {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let text = text.trim();
        if text.len() > RULE_MAX {
            return Err(RuleError::TooLong);
        }
        let Some((tool, rest)) = text.split_once('(') else {
            return Ok(Self { tool: tool_name(text)?, specifier: None });
        };
        let inner = rest.strip_suffix(')').ok_or(RuleError::Unclosed)?.trim();
        let tool = tool_name(tool)?;
        if inner.is_empty() {
            return Err(RuleError::Empty(tool));
        }
        let specifier = match tool.as_str() {
            _ if inner == "*" => return Ok(Self { tool, specifier: None }),
            "Bash" => Specifier::Command(CommandPattern::parse(inner)?),
            "Read" | "Edit" => Specifier::Path(PathPattern::parse(inner)?),
            "WebFetch" => Specifier::Domain(domain(inner)?),
            "Write" | "MultiEdit" | "NotebookEdit" => return Err(RuleError::UseInstead(tool, "Edit")),
            "Grep" | "Glob" | "LS" => return Err(RuleError::UseInstead(tool, "Read")),
            _ => return Err(RuleError::NoSpecifier(tool)),
        };
        Ok(Self { tool, specifier: Some(specifier) })
    }
}

fn tool_name(text: &str) -> Result<String, RuleError> {
    let stem = text.strip_suffix('*').filter(|stem| stem.starts_with("mcp__")).unwrap_or(text);
    let fits = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
    if stem.is_empty() || !stem.chars().all(fits) {
        return Err(RuleError::ToolName(text.to_owned()));
    }
    Ok(text.to_owned())
}

fn domain(text: &str) -> Result<String, RuleError> {
    let host = text.strip_prefix("domain:").map(str::trim).filter(|host| !host.is_empty());
    let host = host.ok_or(RuleError::Domain)?.to_ascii_lowercase();
    if host.contains(|letter: char| letter.is_whitespace() || "/:*".contains(letter)) {
        return Err(RuleError::Domain);
    }
    Ok(host)
}

impl fmt::Display for Pattern {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.specifier {
            None => formatter.write_str(&self.tool),
            Some(Specifier::Command(command)) => write!(formatter, "{}({})", self.tool, command.text()),
            Some(Specifier::Path(path)) => write!(formatter, "{}({})", self.tool, path.text()),
            Some(Specifier::Domain(host)) => write!(formatter, "{}(domain:{host})", self.tool),
        }
    }
}

impl Serialize for Pattern {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Why a text is no rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// Too long.
    #[error("a rule has at most {RULE_MAX} bytes")]
    TooLong,
    /// No closing bracket.
    #[error("`(` is not closed; write `Tool(specifier)`")]
    Unclosed,
    /// Nothing between the brackets.
    #[error("nothing stands between the brackets; write `{0}` for all calls")]
    Empty(String),
    /// No name of a tool.
    #[error("`{0}` is no name of a tool; write `Tool` or `Tool(specifier)`")]
    ToolName(String),
    /// Paths are matched by what is done to them, not by the tool that does it.
    #[error("`{0}` takes no path; `{1}(path)` covers all tools that do the same to files")]
    UseInstead(String, &'static str),
    /// The tool is matched by its name alone.
    #[error("`{0}` takes no specifier; write `{0}` for all calls")]
    NoSpecifier(String),
    /// No host.
    #[error("write `WebFetch(domain:example.org)`")]
    Domain,
    /// A quote that does not end.
    #[error("a quote is not closed")]
    Quote,
    /// A text that a saved rule cannot hold.
    #[error("a rule stands on one line and holds no control characters")]
    Control,
    /// A path that cannot match.
    #[error("the path cannot match: {0}")]
    Path(String),
    /// The first word of a line.
    #[error("`{0}` is no kind of rule; begin the line with `deny`, `ask` or `allow`")]
    Behavior(String),
    /// A project cannot allow.
    #[error("a rule that comes with the project cannot allow; put it into your own rules")]
    Widens,
}
