//! Which rule would cover a call, so that a person need not write it. Never offers one that would not match the very call, and never
//! one that opens a door to everything, such as all commands of an interpreter.

use super::claim::{Claim, CommandPart, PathAccess, PathClaim};
use super::path::Places;
use super::policy::{Need, needs};
use super::rule::Pattern;
use super::{command, path};

/// How many words name what a program does: `git commit` is two, `npm run test` three. Others are covered word for word, among them
/// those that only read: they run unasked, so one that is asked about does something else this time.
const ARITY: &[(&str, usize)] = &[
    ("cmake", 1),
    ("eslint", 1),
    ("jest", 1),
    ("mypy", 1),
    ("prettier", 1),
    ("pytest", 1),
    ("tsc", 1),
    ("vitest", 1),
    ("apt", 2),
    ("brew", 2),
    ("cargo", 2),
    ("docker", 2),
    ("dotnet", 2),
    ("git", 2),
    ("go", 2),
    ("gradle", 2),
    ("just", 2),
    ("kubectl", 2),
    ("make", 2),
    ("mix", 2),
    ("mvn", 2),
    ("npm", 2),
    ("pip", 2),
    ("pnpm", 2),
    ("ruff", 2),
    ("swift", 2),
    ("systemctl", 2),
    ("terraform", 2),
    ("uv", 2),
    ("yarn", 2),
    ("zig", 2),
    ("cargo nextest", 3),
    ("docker compose", 3),
    ("gh", 3),
    ("npm run", 3),
    ("pnpm run", 3),
    ("yarn run", 3),
];

/// What runs anything that stands behind it, or writes if an option says so. Covered word for word only.
const DOORS: &[&str] = &[
    "bundle exec",
    "docker exec",
    "docker run",
    "git branch",
    "git config",
    "git diff",
    "git grep",
    "git log",
    "git show",
    "git status",
    "git tag",
    "go run",
    "kubectl exec",
    "npm exec",
    "pnpm dlx",
    "pnpm exec",
    "uv run",
    "yarn dlx",
    "yarn exec",
    "awk",
    "bash",
    "bun",
    "bunx",
    "dash",
    "deno",
    "doas",
    "env",
    "eval",
    "exec",
    "find",
    "fish",
    "ksh",
    "lua",
    "node",
    "nohup",
    "npx",
    "nsenter",
    "parallel",
    "perl",
    "php",
    "pwsh",
    "python",
    "python3",
    "ruby",
    "sed",
    "sh",
    "source",
    "ssh",
    "su",
    "sudo",
    "time",
    "timeout",
    "uvx",
    "watch",
    "xargs",
    "zsh",
];

/// The narrowest patterns that allow what is not allowed yet, one for each part.
pub(super) fn to_allow(tool: &str, needs: &[Need<'_>], places: &Places) -> Option<Vec<Pattern>> {
    patterns(tool, needs, places, |part| prefix(part).or_else(|| command::literal(&part.words)))
}

/// The patterns that forbid such a call from now on: whole programs rather than single commands, except those that run anything.
pub(super) fn to_deny(tool: &str, claim: &Claim, places: &Places) -> Option<Vec<Pattern>> {
    // Forbidding one part forbids the whole. The last is what the call is about: `cd x && rm y`.
    let last = claim.command.as_ref().map(|command| command.parts.last());
    let needs: Vec<Need<'_>> = match last {
        Some(part) => part.map(Need::Command).into_iter().collect(),
        None => needs(claim),
    };
    patterns(tool, &needs, places, |part| {
        let program = || part.words.first().filter(|word| !is_door(std::slice::from_ref(*word)));
        let whole = || Some(format!("{} *", command::literal(std::slice::from_ref(program()?))?));
        prefix(part).or_else(whole).or_else(|| command::literal(&part.words))
    })
}

fn patterns(
    tool: &str,
    needs: &[Need<'_>],
    places: &Places,
    command: impl Fn(&CommandPart) -> Option<String>,
) -> Option<Vec<Pattern>> {
    let mut found: Vec<Pattern> = Vec::new();
    for need in needs {
        let pattern = match need {
            Need::Command(part) => format!("Bash({})", command(part)?).parse().ok()?,
            Need::Whole(command) => format!("Bash({})", command.text.trim()).parse().ok()?,
            Need::Path(claim) => of_path(claim, places)?,
            Need::Domain(host) => format!("WebFetch(domain:{host})").parse().ok()?,
            Need::Tool => Pattern::of_tool(tool),
        };
        if !found.contains(&pattern) {
            found.push(pattern);
        }
    }
    (!found.is_empty()).then_some(found)
}

/// The path as it is after links; the rule must match the other spelling too, which is checked before it is offered.
fn of_path(claim: &PathClaim, places: &Places) -> Option<Pattern> {
    let tool = match claim.access {
        PathAccess::Read => "Read",
        PathAccess::Edit => "Edit",
    };
    let text = path::literal(claim.spellings.last()?, places)?;
    format!("{tool}({text})").parse().ok()
}

/// `cargo build *` for `cargo build --release`.
fn prefix(part: &CommandPart) -> Option<String> {
    if is_door(&part.words) {
        return None;
    }
    let (_, count) = ARITY.iter().rev().find(|(known, _)| starts(&part.words, known))?;
    let words = part.words.get(..*count)?;
    // An option in front of the subcommand: the words do not say what is done.
    if words.iter().any(|word| word.starts_with('-')) {
        return None;
    }
    Some(format!("{} *", command::literal(words)?))
}

fn is_door(words: &[String]) -> bool {
    DOORS.iter().any(|known| starts(words, known))
}

fn starts(words: &[String], known: &str) -> bool {
    let mut known = known.split(' ');
    let mut words = words.iter();
    known.all(|part| words.next().is_some_and(|word| word == part))
}
