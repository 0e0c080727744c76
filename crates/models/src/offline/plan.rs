//! What to do next: a command, a directive, a look around, a closer look, or the answer. Never does the same twice, so
//! every request ends after a few rounds.

use super::conversation::Conversation;
use super::toolbox::{Call, Toolbox};
use super::{digest, findings, report, words};

/// The most files that are read for one request.
const FILES_MAX: usize = 5;

/// The most commands that are run for one request.
const COMMANDS_MAX: usize = 10;

/// Files that say what a project is, in the order in which they say it best.
const FRONT_PAGES: &[&str] = &[
    "README.md",
    "README",
    "README.rst",
    "README.txt",
    "readme.md",
    "ARCHITECTURE.md",
    "Cargo.toml",
    "package.json",
    "pyproject.toml",
    "go.mod",
    "Makefile",
];

/// The next step.
#[derive(Debug)]
pub(super) enum Action {
    /// Calls, and a line for the person that says why.
    Do { why: String, calls: Vec<Call> },
    /// The answer.
    Say(String),
}

pub(super) fn next(conversation: &Conversation, toolbox: &Toolbox<'_>) -> Action {
    let asked = conversation.asked.as_str();
    let commands = words::commands(asked);
    if !commands.is_empty() {
        return run(&commands, conversation, toolbox);
    }
    if let Some(action) = follow(conversation, toolbox) {
        return action;
    }
    if digest::is_wanted(asked) {
        if !conversation.has_used("ReadDocument")
            && let Some(call) = toolbox.document()
        {
            return Action::Do { why: "I read the document first.".to_owned(), calls: vec![call] };
        }
        if let Some(text) = digest::of(conversation) {
            return Action::Say(text);
        }
    }
    if conversation.steps.is_empty()
        && let Some(action) = look_around(asked, toolbox)
    {
        return action;
    }
    look_closer(conversation, toolbox).unwrap_or_else(|| Action::Say(report::answer(conversation)))
}

/// One command after the other, because a later one may need what an earlier one did. A failure ends the row.
fn run(commands: &[String], conversation: &Conversation, toolbox: &Toolbox<'_>) -> Action {
    if !toolbox.has("Bash") {
        return Action::Say("I cannot run commands here: the tool `Bash` is not offered.".to_owned());
    }
    let done = conversation.steps.iter().filter(|step| step.tool == "Bash").count();
    let failed = conversation.steps.iter().any(|step| step.failed);
    let next = commands.iter().take(COMMANDS_MAX).nth(done).filter(|_| !failed);
    match next.and_then(|command| Some((command, toolbox.bash(command)?))) {
        Some((command, call)) => {
            Action::Do { why: format!("I run `{}`.", one_line(command)), calls: vec![call] }
        }
        None => Action::Say(report::commands(conversation, commands.len())),
    }
}

/// Lines such as `/read PATH`. Nothing if there are none that are known.
fn follow(conversation: &Conversation, toolbox: &Toolbox<'_>) -> Option<Action> {
    let directives = words::directives(&conversation.asked);
    if directives.iter().any(|(verb, _)| verb == "help") {
        return Some(Action::Say(report::HELP.to_owned()));
    }
    let calls: Vec<Call> =
        directives.iter().filter_map(|(verb, rest)| directed(verb, rest, toolbox)).collect();
    if calls.is_empty() {
        return None;
    }
    if conversation.steps.is_empty() {
        return Some(Action::Do { why: "I follow your directives.".to_owned(), calls });
    }
    Some(Action::Say(report::directives(conversation)))
}

fn directed(verb: &str, rest: &str, toolbox: &Toolbox<'_>) -> Option<Call> {
    match verb {
        "list" | "ls" => toolbox.list(if rest.is_empty() { "." } else { rest }),
        "read" | "cat" if !rest.is_empty() => toolbox.read(rest),
        "grep" | "search" | "find" if !rest.is_empty() => toolbox.grep(&[rest.to_owned()]),
        "glob" | "files" if !rest.is_empty() => toolbox.glob(rest),
        "run" if !rest.is_empty() => toolbox.bash(rest),
        "document" => toolbox.document(),
        "section" if !rest.is_empty() => toolbox.section(rest),
        _ => None,
    }
}

/// The folder, and every place that holds a word of the request.
fn look_around(asked: &str, toolbox: &Toolbox<'_>) -> Option<Action> {
    let keywords = words::keywords(asked);
    let search = if keywords.is_empty() { None } else { toolbox.grep(&keywords) };
    let list = toolbox.list(".").or_else(|| toolbox.glob("*"));
    let named = words::paths(asked).into_iter().filter_map(|path| toolbox.read(&path));
    let calls: Vec<Call> = list.into_iter().chain(search).chain(named).collect();
    if calls.is_empty() {
        return None;
    }
    let why = if keywords.is_empty() {
        "I look at the folder.".to_owned()
    } else {
        format!("I look at the folder and search it for {}.", quoted(&keywords))
    };
    Some(Action::Do { why, calls })
}

/// The files that matter most: those that say what the project is if that was asked, and those with most of the words.
fn look_closer(conversation: &Conversation, toolbox: &Toolbox<'_>) -> Option<Action> {
    let tools: Vec<&str> = conversation.steps.iter().map(|step| step.tool.as_str()).collect();
    let looked =
        tools.first() == Some(&"List") || tools.first() == Some(&"Glob") || tools.first() == Some(&"Grep");
    // The calls of the first round come in one message; a second round of reading would be the third of all.
    let named = words::paths(&conversation.asked).len();
    let reads = tools.iter().filter(|tool| **tool == "Read").count();
    if !looked || reads > named {
        return None;
    }
    let entries = findings::entries(conversation);
    let keywords = words::keywords(&conversation.asked);
    let front = FRONT_PAGES.iter().filter(|page| entries.iter().any(|entry| entry == *page));
    let front_max = match (keywords.is_empty(), named) {
        (true, 0) => 3,
        (false, 0) => 1,
        // The person said which files matter.
        (_, _) => 0,
    };
    let mut files: Vec<String> = front.take(front_max).map(|page| (*page).to_owned()).collect();
    for place in findings::ranked(conversation, &keywords) {
        if !files.contains(&place) {
            files.push(place);
        }
    }
    let known: Vec<&str> =
        conversation.steps.iter().map(|step| step.argument(&["path", "file_path", "file"])).collect();
    files.retain(|file| !known.contains(&file.as_str()));
    files.truncate(FILES_MAX);
    let calls: Vec<Call> = files.iter().filter_map(|file| toolbox.read(file)).collect();
    if calls.is_empty() {
        return None;
    }
    Some(Action::Do { why: format!("I read {}.", quoted(&files)), calls })
}

pub(super) fn quoted(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("`{word}`")).collect();
    match words.split_last() {
        Some((last, rest)) if !rest.is_empty() => format!("{} and {last}", rest.join(", ")),
        _ => words.concat(),
    }
}

fn one_line(text: &str) -> String {
    let first = text.lines().next().unwrap_or_default();
    let shown: String = first.chars().take(80).collect();
    if shown.len() < text.len() { format!("{shown} …") } else { shown }
}
