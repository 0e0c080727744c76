//! Rules, mode and places against a call. Never lets a broad permission outrank a narrow refusal: deny comes first, then ask, then
//! allow, and each part of a call needs its own.

use std::sync::Arc;

use super::claim::{Access, Certainty, Claim, Command, CommandPart, PathAccess, PathClaim};
use super::path::{Hidden, Places};
use super::question::{Question, Why, visible};
use super::rule::{Behavior, Pattern, Rule, Scope, Specifier};
use super::{Basis, Mode, Permit, Refused, Verdict, command, suggest};
use crate::message::ToolCall;

/// Parts of a path that belong to git and to us: a change there can run code or widen permissions.
const PROTECTED: &[&str] = &[
    ".git",
    ".agent-doc",
    ".config/agent-doc",
    "agent-doc/config.toml",
    "agent-doc/permissions.rules",
    "agents.md",
];

/// A part of a call that must be allowed on its own.
#[derive(Clone, Copy, Debug)]
pub(super) enum Need<'a> {
    Command(&'a CommandPart),
    /// A command that cannot be taken apart, or that nobody would read.
    Whole(&'a Command),
    Path(&'a PathClaim),
    Domain(&'a str),
    Tool,
}

/// The rules, the mode and the places that they are about.
#[derive(Clone, Debug, Default)]
pub struct Policy {
    rules: Vec<Rule>,
    mode: Mode,
    places: Places,
}

impl Policy {
    /// A policy of these rules. What a project's own rules allow is left out: they cannot widen anything.
    pub fn new(mode: Mode, places: Places, mut rules: Vec<Rule>) -> Self {
        rules.retain(|rule| !(rule.scope == Scope::Project && rule.behavior == Behavior::Allow));
        Self { rules, mode, places }
    }

    /// The rules, to be shown.
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// The mode.
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// The same policy in another mode.
    pub fn set_mode(&mut self, mode: Mode) {
        self.mode = mode;
    }

    /// One more rule, from now on.
    pub fn add(&mut self, rule: Rule) {
        let widens = rule.scope == Scope::Project && rule.behavior == Behavior::Allow;
        if !widens && !self.rules.contains(&rule) {
            self.rules.push(rule);
        }
    }

    /// Takes a rule away, from now on. Says whether there was one.
    pub fn remove(&mut self, rule: &Rule) -> bool {
        let before = self.rules.len();
        self.rules.retain(|known| known != rule);
        self.rules.len() < before
    }

    /// Whether the model should not even see a tool: a rule denies all of its calls.
    pub fn hides(&self, tool: &str) -> bool {
        self.of(Behavior::Deny).any(|rule| rule.pattern.matches_tool(tool))
    }

    /// What is to be done about a call that would touch this.
    pub fn weigh(&self, call: ToolCall, claim: Claim) -> Verdict {
        match self.judge(&call.name, &claim) {
            Ok(()) => Verdict::Allowed(self.grant(call, claim, Basis::Policy)),
            Err(Objection::Refused(refused)) => Verdict::Refused(*refused),
            Err(Objection::Ask(_)) if self.mode == Mode::DontAsk => Verdict::Refused(Refused {
                rule: None,
                words: format!(
                    "{} Nobody can be asked, so only what a rule allows runs.",
                    denied(&call, &claim)
                ),
            }),
            Err(Objection::Ask(why)) => Verdict::MustAsk(Box::new(self.question(call, claim, why))),
        }
    }

    /// A permit for the very bytes that were weighed.
    pub(crate) fn grant(&self, call: ToolCall, claim: Claim, basis: Basis) -> Permit {
        let denied = self.of(Behavior::Deny).filter_map(|rule| match &rule.pattern.specifier {
            Some(Specifier::Path(path)) if rule.pattern.tool == "Read" => Some(path.clone()),
            _ => None,
        });
        Permit { call, claim, basis, hidden: Arc::new(Hidden::new(denied.collect(), self.places.clone())) }
    }

    /// The question about a call, with the rules that would settle it.
    pub(crate) fn question(&self, call: ToolCall, claim: Claim, why: Why) -> Question {
        let open: Vec<Need<'_>> =
            needs(&claim).into_iter().filter(|need| !self.covers(&call.name, &claim, need)).collect();
        let always = suggest::to_allow(&call.name, &open, &self.places)
            .filter(|patterns| self.settles(&call, &claim, patterns));
        let never = suggest::to_deny(&call.name, &claim, &self.places);
        let shown = visible(claim.command.as_ref().map_or(&call.input, |command| &command.text));
        Question { call, claim, why, shown, always, never }
    }

    /// Whether these patterns, allowed, would let the very call run unasked.
    fn settles(&self, call: &ToolCall, claim: &Claim, patterns: &[Pattern]) -> bool {
        let mut policy = self.clone();
        for pattern in patterns {
            policy.add(Rule { behavior: Behavior::Allow, pattern: pattern.clone(), scope: Scope::Session });
        }
        policy.judge(&call.name, claim).is_ok()
    }

    fn judge(&self, tool: &str, claim: &Claim) -> Result<(), Objection> {
        if let Some(rule) = self.of(Behavior::Deny).find(|rule| self.touches(&rule.pattern, tool, claim)) {
            let words = denied_words(tool, claim);
            return Err(Objection::Refused(Box::new(Refused { rule: Some(rule.clone()), words })));
        }
        if self.mode == Mode::Plan && claim.access != Access::ReadOnly {
            let words = "Plan mode is active: nothing may be changed. Describe the change instead, and wait for the user to accept the plan.";
            return Err(Objection::Refused(Box::new(Refused { rule: None, words: words.to_owned() })));
        }
        if let Some(rule) = self.of(Behavior::Ask).find(|rule| self.touches(&rule.pattern, tool, claim)) {
            return Err(Objection::Ask(Why::Rule(rule.pattern.clone())));
        }
        for need in needs(claim) {
            if !self.covers(tool, claim, &need) {
                return Err(Objection::Ask(why_uncovered(tool, &need)));
            }
        }
        Ok(())
    }

    fn of(&self, behavior: Behavior) -> impl Iterator<Item = &Rule> {
        self.rules.iter().filter(move |rule| rule.behavior == behavior)
    }

    /// Whether a pattern is about anything in the call. Generous, as it forbids or asks.
    fn touches(&self, pattern: &Pattern, tool: &str, claim: &Claim) -> bool {
        match &pattern.specifier {
            None => {
                pattern.matches_tool(tool) || needs(claim).iter().any(|need| is_kind(&pattern.tool, need))
            }
            Some(Specifier::Command(command)) => claim.command.as_ref().is_some_and(|claimed| {
                command.touches_whole(claimed) || claimed.parts.iter().any(|part| command.touches(part))
            }),
            Some(Specifier::Path(path)) => claim.paths.iter().any(|claimed| {
                // What may not be read may not be changed blindly either.
                let concerned = pattern.tool == "Read" || claimed.access == PathAccess::Edit;
                concerned && path.touches(&claimed.spellings, &self.places)
            }),
            Some(Specifier::Domain(host)) => claim.domains.iter().any(|claimed| same_domain(claimed, host)),
        }
    }

    /// Whether nobody can say that a command is not one that a rule forbids: it could not be read at all.
    fn may_be_forbidden(&self, need: &Need<'_>) -> bool {
        let unread = matches!(need, Need::Whole(command) if command.parts.is_empty());
        let about_commands = |rule: &Rule| matches!(rule.pattern.specifier, Some(Specifier::Command(_)));
        unread && self.of(Behavior::Deny).chain(self.of(Behavior::Ask)).any(about_commands)
    }

    /// Whether a part of a call runs unasked.
    fn covers(&self, tool: &str, claim: &Claim, need: &Need<'_>) -> bool {
        let by_rule = self.of(Behavior::Allow).any(|rule| self.allows(&rule.pattern, tool, need));
        let by_mode = match need {
            Need::Path(path) if path.access == PathAccess::Edit => match self.mode {
                Mode::Bypass => !is_protected(path),
                Mode::AcceptEdits => !is_protected(path) && self.holds(path),
                Mode::Default | Mode::Plan | Mode::DontAsk => false,
            },
            _ if self.mode == Mode::Bypass => !self.may_be_forbidden(need),
            Need::Path(path) => self.holds(path),
            Need::Command(part) => {
                (part.read_only || claim.access == Access::ReadOnly) && part.variables.is_empty()
            }
            Need::Tool => claim.access == Access::ReadOnly,
            Need::Whole(_) | Need::Domain(_) => false,
        };
        by_rule || by_mode
    }

    fn holds(&self, path: &PathClaim) -> bool {
        !path.spellings.is_empty() && path.spellings.iter().all(|path| self.places.hold(path))
    }

    /// Whether a pattern allows a part of a call. Strict.
    fn allows(&self, pattern: &Pattern, tool: &str, need: &Need<'_>) -> bool {
        match (&pattern.specifier, need) {
            (None, Need::Path(path)) if is_protected(path) && path.access == PathAccess::Edit => false,
            (None, Need::Whole(command)) if command.text.len() > command::COMMAND_MAX => false,
            (None, _) if self.may_be_forbidden(need) => false,
            (None, _) => pattern.matches_tool(tool) || is_kind(&pattern.tool, need),
            (Some(Specifier::Command(command)), Need::Command(part)) => command.allows(part),
            (Some(Specifier::Command(command)), Need::Whole(whole)) => command.allows_whole(whole),
            (Some(Specifier::Path(pattern_path)), Need::Path(path)) => {
                let right = match path.access {
                    PathAccess::Read => true,
                    PathAccess::Edit => pattern.tool == "Edit",
                };
                let named = !is_protected(path)
                    || path.access == PathAccess::Read
                    || PROTECTED.iter().any(|part| pattern_path.text().to_ascii_lowercase().contains(part));
                right && named && pattern_path.covers(&path.spellings, &self.places)
            }
            (Some(Specifier::Domain(known)), Need::Domain(host)) => same_domain(host, known),
            (Some(_), _) => false,
        }
    }
}

/// Why a call does not simply run.
enum Objection {
    Refused(Box<Refused>),
    Ask(Why),
}

/// The words for a model whose call was refused.
pub(crate) fn denied(call: &ToolCall, claim: &Claim) -> String {
    denied_words(&call.name, claim)
}

fn denied_words(tool: &str, claim: &Claim) -> String {
    let path = claim.paths.first().and_then(|path| Some((path.access, path.spellings.first()?)));
    match (&claim.command, path) {
        (Some(command), _) => {
            format!("Permission to use {tool} with command `{}` has been denied.", command.text)
        }
        (None, Some((PathAccess::Edit, path))) => format!("Permission to edit {path} has been denied."),
        (None, Some((PathAccess::Read, path))) => format!("Permission to read {path} has been denied."),
        (None, None) => format!("Permission to use {tool} has been denied."),
    }
}

fn why_uncovered(tool: &str, need: &Need<'_>) -> Why {
    match need {
        Need::Command(part) => Why::Uncovered(part.words.join(" ")),
        Need::Whole(command) => Why::Uncovered(command.text.clone()),
        Need::Path(path) if path.access == PathAccess::Edit && is_protected(path) => {
            Why::Protected(path.spellings.last().cloned().unwrap_or_default())
        }
        Need::Path(path) => Why::Uncovered(path.spellings.last().cloned().unwrap_or_default()),
        Need::Domain(host) => Why::Uncovered((*host).to_owned()),
        Need::Tool => Why::Uncovered(tool.to_owned()),
    }
}

/// The parts of a call that must be allowed, each on its own.
pub(super) fn needs(claim: &Claim) -> Vec<Need<'_>> {
    let mut needs = Vec::new();
    if let Some(command) = &claim.command {
        if command.opaque.is_some() || command.parts.is_empty() || command.text.len() > command::COMMAND_MAX {
            needs.push(Need::Whole(command));
        } else {
            needs.extend(command.parts.iter().map(Need::Command));
        }
    }
    needs.extend(claim.paths.iter().filter(|path| path.certainty == Certainty::Named).map(Need::Path));
    needs.extend(claim.domains.iter().map(|host| Need::Domain(host)));
    if needs.is_empty() {
        needs.push(Need::Tool);
    }
    needs
}

/// `Edit` is about each change of a file, whatever the tool is called; so are `Read`, `Bash` and `WebFetch`.
fn is_kind(tool: &str, need: &Need<'_>) -> bool {
    match need {
        Need::Command(_) | Need::Whole(_) => tool == "Bash",
        Need::Path(path) if path.access == PathAccess::Edit => tool == "Edit",
        Need::Path(_) => tool == "Read",
        Need::Domain(_) => tool == "WebFetch",
        Need::Tool => false,
    }
}

fn is_protected(path: &PathClaim) -> bool {
    let holds = |spelling: &String| {
        PROTECTED
            .iter()
            .any(|part| format!("{}/", spelling.to_ascii_lowercase()).contains(&format!("/{part}/")))
    };
    path.spellings.iter().any(holds)
}

fn same_domain(host: &str, known: &str) -> bool {
    let rest = host.strip_suffix(known);
    rest.is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}
