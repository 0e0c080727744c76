//! The files of permission rules: the person's own, the project's, and the person's own for this project. Never leaves out a
//! file that it cannot read: no rule is better than a rule that silently does not hold.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use agent::permission::{Rule, Scope, parse_rules, with_rule, without_rule};
use anyhow::{Context as _, Result};
use workspace::conversation::KeepRule;
use workspace::sidecar::{FOLDER, write_private};

use crate::configuration::person_file;
use crate::input;
use crate::refusal::Refusal;

/// The name of such a file.
const NAME: &str = "permissions";
/// The name of the person's own for a project.
const LOCAL: &str = "permissions.local";

/// Where rules stand.
#[derive(Debug, Clone)]
pub(crate) struct RuleFiles {
    root: PathBuf,
    person: Option<PathBuf>,
}

impl RuleFiles {
    pub(crate) fn of(root: &Path) -> RuleFiles {
        let own = person_file(&|name| std::env::var(name).ok());
        RuleFiles { root: root.to_owned(), person: own.map(|config| config.with_file_name(NAME)) }
    }

    /// The file of a scope; none is kept for a session.
    pub(crate) fn path(&self, scope: Scope) -> Option<PathBuf> {
        match scope {
            Scope::User => self.person.clone(),
            Scope::Project => Some(self.root.join(FOLDER).join(NAME)),
            Scope::Local => Some(self.root.join(FOLDER).join(LOCAL)),
            Scope::Session => None,
        }
    }

    /// All rules, each with where it stands.
    pub(crate) fn read(&self) -> Result<Vec<Rule>> {
        let mut rules = Vec::new();
        for scope in [Scope::User, Scope::Project, Scope::Local] {
            let Some(path) = self.path(scope) else { continue };
            let shown = input::shown(&path);
            let text = text_of(&path)
                .with_context(|| Refusal::new(format!("cannot read {shown}"), "look who owns it; it must be UTF-8 text"))?;
            let found = parse_rules(&text, scope).map_err(|error| {
                Refusal::new(format!("{shown}:{}: {}", error.line, error.error), "mend the line, or take it out")
            })?;
            rules.extend(found);
        }
        Ok(rules)
    }

    /// Puts a rule into the file of its scope.
    pub(crate) fn add(&self, rule: &Rule) -> Result<PathBuf> {
        self.change(rule, |text| with_rule(text, rule))
    }

    /// Takes a rule out of the file of its scope.
    pub(crate) fn remove(&self, rule: &Rule) -> Result<PathBuf> {
        self.change(rule, |text| without_rule(text, rule))
    }

    fn change(&self, rule: &Rule, with: impl Fn(&str) -> String) -> Result<PathBuf> {
        let path = self.path(rule.scope).ok_or_else(|| {
            Refusal::new("there is no place for the rule", "set HOME, or keep it in the project with --local")
        })?;
        let failed = || Refusal::new(format!("cannot change {}", input::shown(&path)), "look who owns it");
        let before = text_of(&path).with_context(failed)?;
        let after = with(&before);
        if after != before {
            if let Some(folder) = path.parent() {
                fs::create_dir_all(folder).with_context(failed)?;
            }
            write_private(&path, after.as_bytes()).with_context(failed)?;
        }
        Ok(path)
    }
}

impl KeepRule for RuleFiles {
    fn keep(&self, rule: &Rule) -> Result<(), String> {
        if rule.scope == Scope::Session {
            return Ok(());
        }
        self.add(rule).map(drop).map_err(|error| format!("{error:#}"))
    }
}

fn text_of(path: &Path) -> std::io::Result<String> {
    match fs::read_to_string(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(String::new()),
        read => read,
    }
}
