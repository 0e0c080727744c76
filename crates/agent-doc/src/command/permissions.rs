//! `agent-doc permissions`: what agents may run and touch. Never runs what it is asked about.

use std::path::Path;

use agent::message::ToolCall;
use agent::permission::visible;
use agent::permission::{Behavior, Claim, Mode, Policy, Question, Rule, Scope, Verdict, Why};
use anyhow::{Context as _, Result};
use serde::Serialize;
use tools::gate::{Gate, Part, Place, Repository, Weighed};

use crate::arguments::permissions::{
    PermissionsAdd, PermissionsCheck, PermissionsCommand, PermissionsList, PermissionsRemove, RuleScope,
};
use crate::refusal::Refusal;
use crate::rules::{RuleFile, RuleFiles, parsed};
use crate::{Outcome, output};

pub(crate) fn run(given: &PermissionsCommand) -> Result<Outcome> {
    match given {
        PermissionsCommand::List(given) => list(given)?,
        PermissionsCommand::Add(given) => add(given)?,
        PermissionsCommand::Remove(given) => remove(given)?,
        PermissionsCommand::Check(given) => return check(given),
    }
    Ok(Outcome::Done)
}

/// One rule of `list --json`. The fields are a promise: some are added, none is renamed or taken away.
#[derive(Debug, Serialize)]
struct Listed {
    rule: String,
    scope: Scope,
    file: String,
}

fn list(given: &PermissionsList) -> Result<()> {
    let files = RuleFiles::here()?.read_all()?;
    if given.json {
        let listed = files.iter().flat_map(|file| {
            let path = file.path.display().to_string();
            file.rules.iter().map(move |rule| Listed {
                rule: rule.to_string(),
                scope: file.scope,
                file: path.clone(),
            })
        });
        return output::print_json(&listed.collect::<Vec<_>>());
    }
    let mut text = String::new();
    for file in files.iter().filter(|file| !file.rules.is_empty()) {
        text.push_str(&format!("{} ({})\n", file.path.display(), whose(file.scope)));
        for rule in &file.rules {
            text.push_str(&format!("  {rule}\n"));
        }
    }
    if text.is_empty() {
        text.push_str("no rules; commands that only read run unasked, and all others are asked about\n");
    }
    output::print(text.as_bytes())
}

/// Whose rules stand there.
pub(crate) fn whose(scope: Scope) -> &'static str {
    match scope {
        Scope::User => "yours, in all projects",
        Scope::Project => "of the project; they allow nothing",
        Scope::Local => "yours, in this project",
        Scope::Session => "for this session",
    }
}

fn add(given: &PermissionsAdd) -> Result<()> {
    let rule = parsed(&given.rule, given.scope)?;
    let file = RuleFiles::here()?.read(given.scope)?;
    let added = file.add(&rule)?;
    let what = if added { "added to" } else { "already stands in" };
    output::print(format!("{rule}: {what} {}\n", file.path.display()).as_bytes())
}

fn remove(given: &PermissionsRemove) -> Result<()> {
    let files = RuleFiles::here()?;
    let scopes = [RuleScope::User, RuleScope::Project, RuleScope::Local];
    let mut told = String::new();
    for scope in scopes.into_iter().filter(|scope| given.scope.is_none_or(|only| only == *scope)) {
        // A rule that allows cannot stand in the file of the project, and that is no error here.
        let Ok(rule) = parsed(&given.rule, scope) else { continue };
        let file = files.read(scope)?;
        if file.remove(&rule)? {
            told.push_str(&format!("{rule}: removed from {}\n", file.path.display()));
        }
    }
    if told.is_empty() {
        parsed(&given.rule, RuleScope::Local)?;
        let what = format!("the rule '{}' stands nowhere", given.rule.escape_debug());
        return Err(Refusal::new(what, "see 'agent-doc permissions list'").into());
    }
    output::print(told.as_bytes())
}

/// What `check --json` prints. The fields are a promise: some are added, none is renamed or taken away.
#[derive(Debug, Serialize)]
struct Report {
    /// The exact text that would run.
    command: String,
    /// The same, with all that could hide or deceive written out.
    shown: String,
    verdict: Decision,
    /// The rule that decides about the whole, if one does.
    rule: Option<String>,
    /// What speaks against the command as a whole.
    reasons: Vec<String>,
    parts: Vec<PartReport>,
    /// The rules that "Always allow" would add; none if it is not offered.
    always: Vec<String>,
}

#[derive(Debug, Serialize)]
struct PartReport {
    text: String,
    program: Option<String>,
    /// The programs that start this one.
    wrappers: Vec<String>,
    verdict: Decision,
    rule: Option<String>,
    scope: Option<Scope>,
    reasons: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Decision {
    Allow,
    Ask,
    Deny,
}

fn check(given: &PermissionsCheck) -> Result<Outcome> {
    let files = RuleFiles::here()?;
    let gate = Gate::new().context("the gate cannot be built")?;
    let place = place(&files);
    let rules: Vec<Rule> = files.read_all()?.into_iter().flat_map(|file: RuleFile| file.rules).collect();
    let judge = Judge { policy: Policy::new(Mode::Default, files.places(), rules), files, gate };
    let report = judge.report(&judge.gate.weigh(&given.command, &place));
    let outcome = match report.verdict {
        Decision::Allow => Outcome::Done,
        Decision::Ask => Outcome::Asks,
        Decision::Deny => Outcome::Denies,
    };
    if given.json {
        output::print_json(&report)?;
    } else {
        output::print(told(&report).as_bytes())?;
    }
    Ok(outcome)
}

fn place(files: &RuleFiles) -> Place {
    let places = files.places();
    let mut place = Place::of_workspace(&places.project);
    place.repository = Repository::look(Path::new(&places.current));
    place.folder = places.current;
    place.home = places.home;
    place
}

/// The rules, and what they are about.
struct Judge {
    policy: Policy,
    files: RuleFiles,
    gate: Gate,
}

impl Judge {
    fn report(&self, weighed: &Weighed) -> Report {
        let (verdict, rule, always) = match self.policy.weigh(call(), self.gate.claim(weighed)) {
            Verdict::Allowed(_) => (Decision::Allow, None, Vec::new()),
            Verdict::MustAsk(question) => (Decision::Ask, asking(&question), always(&question)),
            Verdict::Refused(refused) => {
                (Decision::Deny, refused.rule.map(|rule| rule.to_string()), Vec::new())
            }
        };
        Report {
            command: weighed.text.clone(),
            shown: weighed.shown(),
            verdict,
            rule,
            reasons: weighed.reasons.iter().map(ToString::to_string).collect(),
            parts: weighed.parts.iter().map(|part| self.part(part)).collect(),
            always,
        }
    }

    /// What the rules say about one part, as if it stood alone.
    fn part(&self, part: &Part) -> PartReport {
        let bare = Part { wrappers: Vec::new(), ..part.clone() };
        let weighed = Weighed { text: part.text.clone(), parts: vec![bare], reasons: Vec::new() };
        let alone = || self.gate.claim(&weighed);
        let (verdict, rule) = match self.policy.weigh(call(), alone()) {
            Verdict::Allowed(_) => (Decision::Allow, self.allowing(&alone)),
            Verdict::MustAsk(question) => (Decision::Ask, self.asking(&question)),
            Verdict::Refused(refused) => (Decision::Deny, refused.rule),
        };
        PartReport {
            text: part.text.clone(),
            program: part.program.clone(),
            wrappers: part.wrappers.clone(),
            verdict,
            scope: rule.as_ref().map(|rule| rule.scope),
            rule: rule.map(|rule| rule.to_string()),
            reasons: part.reasons.iter().map(ToString::to_string).collect(),
        }
    }

    /// The rule without which the part would be asked about.
    fn allowing(&self, alone: &dyn Fn() -> Claim) -> Option<Rule> {
        let of = |rules| Policy::new(Mode::Default, self.files.places(), rules);
        let runs = |policy: &Policy| matches!(policy.weigh(call(), alone()), Verdict::Allowed(_));
        if runs(&of(Vec::new())) {
            return None;
        }
        let allow = self.policy.rules().iter().filter(|rule| rule.behavior == Behavior::Allow);
        allow.into_iter().find(|rule| runs(&of(vec![(*rule).clone()]))).cloned()
    }

    fn asking(&self, question: &Question) -> Option<Rule> {
        let Why::Rule(pattern) = &question.why else { return None };
        let is_it = |rule: &&Rule| rule.behavior == Behavior::Ask && rule.pattern == *pattern;
        self.policy.rules().iter().find(is_it).cloned()
    }
}

fn asking(question: &Question) -> Option<String> {
    match &question.why {
        Why::Rule(pattern) => Some(format!("ask {pattern}")),
        Why::Uncovered(_) | Why::Protected(_) | Why::Repeats => None,
    }
}

fn always(question: &Question) -> Vec<String> {
    question.always.iter().flatten().map(|pattern| format!("allow {pattern}")).collect()
}

/// A call of the tool for commands. The rules look at what it would touch, so its own words do not matter.
fn call() -> ToolCall {
    ToolCall { id: String::new(), name: "Bash".to_owned(), input: String::new(), verbatim: None }
}

fn told(report: &Report) -> String {
    let mut text = format!("{}\n", word(report.verdict));
    for reason in &report.reasons {
        text.push_str(&format!("  the whole: {}\n", visible(reason)));
    }
    for part in &report.parts {
        let wrapped: String =
            part.wrappers.iter().map(|wrapper| format!("{} > ", visible(wrapper))).collect();
        text.push_str(&format!("  {:5}  {wrapped}{}\n", word(part.verdict), visible(&part.text)));
        let rule = part.rule.iter().map(|rule| format!("by the rule '{}'", visible(rule)));
        for line in rule.chain(part.reasons.iter().map(|reason| visible(reason))) {
            text.push_str(&format!("         {line}\n"));
        }
    }
    for rule in &report.always {
        text.push_str(&format!("  'Always allow' would add: {}\n", visible(rule)));
    }
    text
}

fn word(decision: Decision) -> &'static str {
    match decision {
        Decision::Allow => "allow",
        Decision::Ask => "ask",
        Decision::Deny => "deny",
    }
}
