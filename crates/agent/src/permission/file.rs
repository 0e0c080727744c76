//! A file of rules, one on a line: `deny Read(~/.ssh/**)`. Never leaves out a line that it does not understand: rules that silently
//! do nothing are worse than none.

use super::rule::{Behavior, Rule, RuleError, Scope};

/// The rules of a file, in order. Empty lines and lines that begin with `#` are comments.
pub fn parse_rules(text: &str, scope: Scope) -> Result<Vec<Rule>, RuleFileError> {
    let mut rules = Vec::new();
    for (index, line) in text.strip_prefix('\u{feff}').unwrap_or(text).lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        rules.push(parse_line(line, scope).map_err(|error| RuleFileError { line: index + 1, error })?);
    }
    Ok(rules)
}

/// A rule as it stands on a line.
pub fn parse_line(line: &str, scope: Scope) -> Result<Rule, RuleError> {
    let (word, rest) = line.trim().split_once(char::is_whitespace).unwrap_or((line.trim(), ""));
    let behavior = match word {
        "deny" => Behavior::Deny,
        "ask" => Behavior::Ask,
        "allow" if scope == Scope::Project => return Err(RuleError::Widens),
        "allow" => Behavior::Allow,
        _ => return Err(RuleError::Behavior(word.to_owned())),
    };
    Ok(Rule { behavior, pattern: rest.parse()?, scope })
}

/// The file with one more rule at its end. A rule that it already holds is not added again.
pub fn with_rule(text: &str, rule: &Rule) -> String {
    let line = rule.to_string();
    if text.lines().any(|known| known.trim() == line) {
        return text.to_owned();
    }
    let gap = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{text}{gap}{line}\n")
}

/// The file without a rule. All else stays, byte for byte.
pub fn without_rule(text: &str, rule: &Rule) -> String {
    let same = |line: &&str| parse_line(line, rule.scope).is_ok_and(|known| known == *rule);
    text.split_inclusive('\n').filter(|line| !same(line)).collect()
}

/// A line of a file is no rule. Whoever reads the file adds its name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {error}")]
pub struct RuleFileError {
    /// The line, counted from one.
    pub line: usize,
    /// What is wrong with it.
    #[source]
    pub error: RuleError,
}
