//! A weighed command as the rules of people see it. Never claims less than was found: what cannot be said word by word makes
//! the command one that is allowed only as a whole.

use agent::permission::{Access, Certainty, Claim, Command, CommandPart, PathAccess, PathClaim};

use super::part::{Part, Value, Weighed, Word};
use super::reason::Reason;
use super::table::Table;

/// Words of a program that may hide its subcommand; more options than that nobody writes.
const HIDDEN_MAX: usize = 8;

/// What the command would touch.
pub(super) fn of(weighed: &Weighed, table: &Table) -> Claim {
    let opaque = opaque(weighed, table);
    let mut parts = Vec::new();
    let mut paths = Vec::new();
    for part in &weighed.parts {
        // A plain wrapper adds nothing to what it starts. Where nothing is hidden, that alone is what must be allowed.
        let is_empty_shell = weighed.parts.len() > 1 && is_plain_wrapper(part, table) && opaque.is_none();
        if part.program.is_some() && !is_empty_shell {
            parts.push(said(part));
        }
        if opaque.is_some() {
            parts.extend(variants(part));
        }
        paths.extend(touched(part));
    }
    let command = Command { text: weighed.text.clone(), parts, opaque };
    Claim { paths, ..Claim::of_command(access(weighed), command) }
}

fn is_plain_wrapper(part: &Part, table: &Table) -> bool {
    let wrapper = part.program.as_ref().and_then(|name| table.wrappers.get(name));
    wrapper.is_some_and(|wrapper| wrapper.plain) && part.reasons.is_empty()
}

/// Why the words do not say all that would happen.
fn opaque(weighed: &Weighed, table: &Table) -> Option<String> {
    if weighed.runs_unasked() {
        return None;
    }
    let inside = |part: &&Part| {
        part.wrappers.iter().any(|name| !table.wrappers.get(name).is_some_and(|wrapper| wrapper.plain))
    };
    let hidden = weighed.parts.iter().find(|part| part.program.is_none() && !part.text.is_empty());
    let unknown = weighed.parts.iter().flat_map(|part| &part.reasons).find(|reason| {
        matches!(
            reason,
            Reason::Unknown(_)
                | Reason::Wrapper(_)
                | Reason::Construct(_)
                | Reason::Disguised(_)
                | Reason::Elsewhere
        )
    });
    let expanded = weighed.parts.iter().flat_map(|part| &part.words).find(|word| is_expanded(word));
    let before = weighed
        .parts
        .iter()
        .find(|part| !part.reasons.is_empty() && begins_with_option(part) && has_subcommands(part, table));
    let whole = weighed.reasons.first().map(ToString::to_string);
    whole
        .or_else(|| {
            weighed.parts.iter().find(inside).map(|part| format!("it is run by another: `{}`", part.text))
        })
        .or_else(|| hidden.filter(|part| is_assignment(part)).map(|part| format!("it sets `{}`", part.text)))
        .or_else(|| unknown.map(ToString::to_string))
        .or_else(|| expanded.map(|word| Reason::Unknown(word.text.clone()).to_string()))
        .or_else(|| before.map(|part| format!("options stand before the subcommand: `{}`", part.text)))
}

fn is_assignment(part: &Part) -> bool {
    part.words.is_empty() && !part.variables.is_empty()
}

fn is_expanded(word: &Word) -> bool {
    matches!(word.value, Value::Variable | Value::Unknown)
}

fn begins_with_option(part: &Part) -> bool {
    part.words.first().and_then(Word::known).is_some_and(|word| word.starts_with('-'))
}

fn has_subcommands(part: &Part, table: &Table) -> bool {
    let program = part.program.as_ref().and_then(|name| table.programs.get(name));
    program.is_some_and(|program| !program.subcommands.is_empty())
}

/// The words as the program gets them; as they are written where only the shell can tell.
fn said(part: &Part) -> CommandPart {
    let program = part.path.iter().cloned();
    let words = program.chain(part.words.iter().map(spelled)).collect();
    let read_only = part.reasons.iter().all(|reason| matches!(reason, Reason::Outside(_)));
    // Variables that the table knows are harmless and need not be allowed.
    let objected = |word: &&Word| part.reasons.contains(&Reason::Variable(word.text.clone()));
    let name = |word: &Word| word.text.split('=').next().unwrap_or_default().to_owned();
    let variables = part.variables.iter().filter(objected).map(name).collect();
    CommandPart { words, variables, read_only }
}

fn spelled(word: &Word) -> String {
    match &word.value {
        Value::Static(text) | Value::Pattern(text) => text.clone(),
        Value::Variable | Value::Unknown => word.text.clone(),
    }
}

/// What the command is if the options before its subcommand are left out, in every way that they may be read: `git -C x push`
/// is a push.
fn variants(part: &Part) -> Vec<CommandPart> {
    let said = said(part);
    if !begins_with_option(part) {
        return Vec::new();
    }
    let starts = (2..said.words.len()).take(HIDDEN_MAX);
    let is_word = |rest: &&[String]| rest.first().is_some_and(|word| !word.starts_with('-'));
    let rests = starts.filter_map(|start| said.words.get(start..)).filter(is_word);
    let program = said.words.iter().take(1);
    let words = rests.map(|rest| program.clone().chain(rest).cloned().collect());
    words.map(|words| CommandPart { words, variables: Vec::new(), read_only: false }).collect()
}

/// Every path that the words may name can forbid the command; one that is written, or read outside of the workspace, must be
/// allowed on its own.
fn touched(part: &Part) -> Vec<PathClaim> {
    let outside = part.reasons.iter().any(|reason| matches!(reason, Reason::Outside(_)));
    let claim =
        |access, certainty, path: &String| PathClaim { access, certainty, spellings: vec![path.clone()] };
    let certainty = if outside { Certainty::Named } else { Certainty::Guessed };
    let reads = part.reads.iter().map(|path| claim(PathAccess::Read, certainty, path));
    let writes = part.writes.iter().map(|path| claim(PathAccess::Edit, Certainty::Named, path));
    reads.chain(writes).collect()
}

fn access(weighed: &Weighed) -> Access {
    let only = |allowed: fn(&Reason) -> bool| weighed.all_reasons().all(allowed) && !weighed.parts.is_empty();
    if only(|reason| matches!(reason, Reason::Outside(_))) {
        Access::ReadOnly
    } else if only(|reason| matches!(reason, Reason::Outside(_) | Reason::Writes(_))) {
        Access::Edit
    } else {
        Access::Execute
    }
}
