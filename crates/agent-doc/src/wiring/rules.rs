//! Rules that a person makes in the middle of a turn, kept in the files that `permissions` shows. Never widens a project's own.

use agent::permission::{Rule, Scope};
use workspace::conversation::KeepRule;

use crate::arguments::permissions::RuleScope;
use crate::rules::RuleFiles;

impl KeepRule for RuleFiles {
    fn keep(&self, rule: &Rule) -> Result<(), String> {
        let scope = match rule.scope {
            Scope::User => RuleScope::User,
            Scope::Project => RuleScope::Project,
            Scope::Local => RuleScope::Local,
            Scope::Session => return Ok(()),
        };
        let kept = self.read(scope).and_then(|file| file.add(rule));
        kept.map(drop).map_err(|error| format!("{error:#}"))
    }
}
