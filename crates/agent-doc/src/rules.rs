//! The files of rules: the person's own, those that come with the project, and the person's own for this project. Never takes a
//! file that it cannot read for one without rules, and never lets a file of the project widen anything.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use agent::permission::{Places, Rule, Scope, parse_line, parse_rules, with_rule, without_rule};
use anyhow::{Context as _, Result};
use workspace::sidecar::root_of;

use crate::arguments::permissions::RuleScope;
use crate::refusal::Refusal;
use crate::replace::{Destination, replace};

const NAME: &str = "permissions.rules";

/// Where rules stand and what their paths are counted from.
#[derive(Debug)]
pub(crate) struct RuleFiles {
    project: PathBuf,
    current: PathBuf,
    home: Option<PathBuf>,
    settings: Option<PathBuf>,
}

/// A file of rules, and what stands in it.
#[derive(Debug)]
pub(crate) struct RuleFile {
    pub(crate) scope: Scope,
    pub(crate) path: PathBuf,
    pub(crate) rules: Vec<Rule>,
    text: String,
}

impl RuleFiles {
    /// Those of the project around the current folder.
    pub(crate) fn here() -> Result<Self> {
        let current =
            std::env::current_dir().and_then(|folder| folder.canonicalize()).with_context(|| {
                Refusal::new("the current folder cannot be read", "go to a folder that is there")
            })?;
        Self::of(&current)
    }

    /// Those of the project around a folder.
    pub(crate) fn of(current: &Path) -> Result<Self> {
        let current = current.to_owned();
        let project = root_of(&current.join(NAME)).to_owned();
        let variable = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = variable("HOME");
        let settings = variable("XDG_CONFIG_HOME").or_else(|| Some(home.clone()?.join(".config")));
        Ok(Self { project, current, home, settings: settings.map(|folder| folder.join("agent-doc")) })
    }

    /// What paths in rules are counted from.
    pub(crate) fn places(&self) -> Places {
        let shown = |path: &Path| path.to_string_lossy().trim_end_matches('/').to_owned();
        Places {
            project: shown(&self.project),
            home: self.home.as_deref().map(shown),
            current: shown(&self.current),
            also: Vec::new(),
        }
    }

    /// Every file of rules, also those that are not there yet.
    pub(crate) fn read_all(&self) -> Result<Vec<RuleFile>> {
        let scopes = [RuleScope::User, RuleScope::Project, RuleScope::Local];
        let known = scopes.into_iter().filter(|scope| self.path(*scope).is_ok());
        known.map(|scope| self.read(scope)).collect()
    }

    /// The file that holds what a person decides while an agent asks.
    pub(crate) fn kept_in(&self) -> Option<PathBuf> {
        self.path(RuleScope::Local).ok()
    }

    pub(crate) fn read(&self, scope: RuleScope) -> Result<RuleFile> {
        let path = self.path(scope)?;
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => String::new(),
            Err(error) => {
                let what = format!("the rules in {} cannot be read", path.display());
                return Err(error).context(Refusal::new(
                    what,
                    "look at the file; nothing is allowed until it can be read",
                ));
            }
        };
        let rules = parse_rules(&text, kept(scope)).map_err(|error| {
            let what = format!("{}, {error}", path.display());
            Refusal::new(what, "mend the line; nothing is allowed until every rule is understood")
        })?;
        Ok(RuleFile { scope: kept(scope), path, rules, text })
    }

    /// The person's rules for a project stand beside their other settings and not in the project: what comes with a project
    /// could hold them too.
    fn path(&self, scope: RuleScope) -> Result<PathBuf> {
        let settings = || {
            let remedy = "set HOME to your home folder";
            self.settings.clone().ok_or_else(|| Refusal::new("there is no folder for your settings", remedy))
        };
        Ok(match scope {
            RuleScope::User => settings()?.join(NAME),
            RuleScope::Project => self.project.join(".agent-doc").join(NAME),
            RuleScope::Local => {
                let mirrored = self.project.strip_prefix("/").unwrap_or(&self.project);
                settings()?.join("projects").join(mirrored).join(NAME)
            }
        })
    }
}

impl RuleFile {
    /// Adds a rule. Says whether the file did not hold it yet.
    pub(crate) fn add(&self, rule: &Rule) -> Result<bool> {
        self.write(&with_rule(&self.text, rule))
    }

    /// Removes a rule. Says whether the file held it.
    pub(crate) fn remove(&self, rule: &Rule) -> Result<bool> {
        self.write(&without_rule(&self.text, rule))
    }

    fn write(&self, text: &str) -> Result<bool> {
        if text == self.text {
            return Ok(false);
        }
        let unwritable = || Refusal::new(format!("cannot write {}", self.path.display()), "check the folder");
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder).with_context(unwritable)?;
        }
        let read = (!self.text.is_empty()).then_some(self.text.as_str());
        replace(&Destination::find(&self.path)?, text, read)?;
        Ok(true)
    }
}

/// The rule that was typed.
pub(crate) fn parsed(text: &str, scope: RuleScope) -> Result<Rule> {
    parse_line(text, kept(scope)).map_err(|error| {
        let what = format!("'{}' is no rule: {error}", text.escape_debug());
        Refusal::new(what, "write it like 'allow Bash(cargo test *)' or 'deny Read(~/.ssh/**)'").into()
    })
}

/// How the scope is called where the rule is kept.
fn kept(scope: RuleScope) -> Scope {
    match scope {
        RuleScope::User => Scope::User,
        RuleScope::Project => Scope::Project,
        RuleScope::Local => Scope::Local,
    }
}
