//! The answer, made of quotes with their places. Never says anything about the project that does not stand in a file.

use super::conversation::{Conversation, Step};
use super::findings::{Quote, entries, file, matches, ranked};
use super::words;

/// The most lines quoted from one file.
const LINES_MAX: usize = 5;
/// The most files quoted.
const FILES_MAX: usize = 6;
/// The most lines of an output.
const OUTPUT_LINES_MAX: usize = 60;
/// The most characters of one quoted line.
const LINE_MAX: usize = 200;

/// How a line begins that names something.
const OPENINGS: &[&str] = &[
    "#",
    "pub ",
    "fn ",
    "async fn ",
    "def ",
    "class ",
    "struct ",
    "enum ",
    "trait ",
    "export ",
    "function ",
    "func ",
];

pub(super) const HELP: &str = "\
I follow these lines:

- `/list [PATH]`, `/glob PATTERN`: the files
- `/read PATH`: a file
- `/grep WORDS`: each line with these words
- `/document`, `/section TITLE`: the document at hand
- `/run COMMAND` or `$ COMMAND`: run it, if you allow it

To anything else I answer with what I find for its words.";

/// What came of the directives, one after the other.
pub(super) fn directives(conversation: &Conversation) -> String {
    conversation.steps.iter().map(block).collect::<Vec<_>>().join("\n\n")
}

/// What came of the commands. `wanted` is how many there were.
pub(super) fn commands(conversation: &Conversation, wanted: usize) -> String {
    let mut text = conversation.steps.iter().map(block).collect::<Vec<_>>().join("\n\n");
    if conversation.steps.len() < wanted {
        text.push_str(&format!(
            "\n\nI stopped there; {} of {wanted} commands ran.",
            conversation.steps.len()
        ));
    }
    text
}

/// One call and its output.
fn block(step: &Step) -> String {
    let what = step.argument(&[
        "command",
        "cmd",
        "path",
        "file_path",
        "file",
        "pattern",
        "query",
        "section",
        "title",
    ]);
    let state = if step.failed { " failed" } else { "" };
    let title = match step.tool.as_str() {
        "Bash" => format!("`$ {what}`{state}:"),
        tool if what.is_empty() => format!("`{tool}`{state}:"),
        tool => format!("`{tool} {what}`{state}:"),
    };
    let lines: Vec<&str> = step.output.lines().collect();
    let mut shown = lines.iter().take(OUTPUT_LINES_MAX).copied().collect::<Vec<_>>().join("\n");
    if lines.len() > OUTPUT_LINES_MAX {
        shown.push_str(&format!("\n… {} more lines", lines.len() - OUTPUT_LINES_MAX));
    }
    // A fence that is longer than any in the output cannot be closed by it.
    let fence = "`".repeat(longest_run(&shown).max(2) + 1);
    format!("{title}\n\n{fence}\n{}\n{fence}", shown.trim_end())
}

fn longest_run(text: &str) -> usize {
    let mut longest = 0;
    let mut run = 0;
    for letter in text.chars() {
        run = if letter == '`' { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

/// A file that was read.
struct ReadFile {
    path: String,
    lines: Vec<Quote>,
    /// Whether the person named it.
    named: bool,
}

/// The answer to a question: what the project says of itself, and where the words of the question stand.
pub(super) fn answer(conversation: &Conversation) -> String {
    let keywords = words::keywords(&conversation.asked);
    let files = read_files(conversation);
    let named = files.iter().filter(|file| file.named);
    let mut parts: Vec<String> = named.map(|file| contents(&file.path, &file.lines)).collect();
    let front = files.iter().filter(|file| !file.named && is_front_page(&file.path));
    let fronts_max = if keywords.is_empty() { 3 } else { 1 };
    parts.extend(front.filter_map(|file| introduction(&file.lines)).take(fronts_max));
    let places = places(conversation, &files, &keywords);
    if !places.is_empty() {
        let about = keywords.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
        parts.push(format!("Where {about} stands:\n\n{}", places.join("\n")));
    } else if !files.iter().any(|file| file.named) {
        parts.extend(folder(conversation));
    }
    for step in conversation.steps.iter().filter(|step| step.failed) {
        let why = step.output.lines().next().unwrap_or_default();
        parts.push(format!("`{}` did not work: {}", step.tool, cut(why)));
    }
    if parts.is_empty() {
        parts.push(nothing(conversation, &keywords));
    }
    parts.join("\n\n")
}

fn read_files(conversation: &Conversation) -> Vec<ReadFile> {
    let read = |step: &Step| {
        let path = step.argument(&["path", "file_path", "file"]).to_owned();
        let named = conversation.asked.contains(&path);
        ReadFile { lines: file(&path, &step.output), path, named }
    };
    conversation.results("Read").map(read).collect()
}

fn folder(conversation: &Conversation) -> Option<String> {
    let entries = entries(conversation);
    let shown = entries.iter().take(40).map(|entry| format!("`{entry}`")).collect::<Vec<_>>().join(", ");
    (!entries.is_empty()).then(|| format!("The folder holds {shown}."))
}

fn nothing(conversation: &Conversation, keywords: &[String]) -> String {
    if conversation.steps.is_empty() {
        return "I have no tools here to look anything up with, so I can say nothing about it.".to_owned();
    }
    let about = keywords.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(", ");
    format!("I looked and found nothing about {about}. `/help` shows what I can do.")
}

fn is_front_page(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path).to_lowercase();
    name.starts_with("readme")
        || ["cargo.toml", "package.json", "pyproject.toml", "architecture.md"].contains(&name.as_str())
}

/// A file that the person named: how it begins, and what it defines.
fn contents(path: &str, lines: &[Quote]) -> String {
    let begins = lines.iter().filter(|quote| !quote.text.trim().is_empty()).take(LINES_MAX);
    let opens = |quote: &&Quote| OPENINGS.iter().any(|mark| quote.text.trim_start().starts_with(mark));
    let last = lines.last().map(|quote| quote.line).unwrap_or_default();
    let mut quotes: Vec<&Quote> = begins.collect();
    for quote in lines.iter().filter(opens) {
        if quotes.len() < OUTPUT_LINES_MAX && !quotes.contains(&quote) {
            quotes.push(quote);
        }
    }
    let quotes: Vec<String> = quotes.into_iter().map(|quote| format!("- {}", shown(quote))).collect();
    format!("`{path}` has {last} lines. It begins, and then defines:\n\n{}", quotes.join("\n"))
}

/// What a front page says first: the description of a manifest, or the first paragraph below the title.
fn introduction(lines: &[Quote]) -> Option<String> {
    let described = lines.iter().find(|quote| {
        let text = quote.text.trim_start();
        text.starts_with("description") || text.starts_with("\"description\"")
    });
    if let Some(quote) = described {
        return Some(shown(quote));
    }
    if lines.first().is_some_and(|quote| quote.path.ends_with(".toml") || quote.path.ends_with(".json")) {
        return None;
    }
    let title = lines
        .iter()
        .find(|quote| quote.text.starts_with("# "))
        .map(|quote| quote.text.trim_start_matches("# "));
    let is_prose = |quote: &&Quote| {
        let text = quote.text.trim();
        !text.is_empty()
            && text.starts_with(|letter: char| letter.is_alphanumeric() || letter == '*' || letter == '>')
    };
    let first = lines.iter().position(|quote| is_prose(&quote))?;
    let paragraph: Vec<&Quote> =
        lines.iter().skip(first).take_while(|quote| !quote.text.trim().is_empty()).take(LINES_MAX).collect();
    let (start, end) = (paragraph.first()?.line, paragraph.last()?.line);
    let said = paragraph.iter().map(|quote| quote.text.trim()).collect::<Vec<_>>().join(" ");
    let place = if start == end {
        format!("{}:{start}", paragraph.first()?.path)
    } else {
        format!("{}:{start}-{end}", paragraph.first()?.path)
    };
    let name = title.map(|title| format!("**{title}**: ")).unwrap_or_default();
    Some(format!("{name}{said} (`{place}`)"))
}

/// The best lines of the best files. What the person named is shown above.
fn places(conversation: &Conversation, files: &[ReadFile], keywords: &[String]) -> Vec<String> {
    let found = matches(conversation);
    let order = ranked(conversation, keywords).into_iter();
    let order = order.filter(|path| !files.iter().any(|file| file.named && file.path == *path));
    let mut places = Vec::new();
    for path in order.take(FILES_MAX) {
        let lines: Vec<&Quote> = match files.iter().find(|file| file.path == path) {
            Some(file) => file.lines.iter().collect(),
            None => found.iter().filter(|quote| quote.path == path).collect(),
        };
        places.extend(best(&lines, keywords).into_iter().map(|quote| format!("- {}", shown(quote))));
    }
    places
}

/// The lines with most of the words, in their order. Headings and definitions win.
pub(super) fn best<'a>(lines: &[&'a Quote], keywords: &[String]) -> Vec<&'a Quote> {
    let score = |quote: &Quote| {
        let lower = quote.text.to_lowercase();
        let words = keywords.iter().filter(|word| lower.contains(word.as_str())).count();
        let text = quote.text.trim_start();
        let is_opening = words > 0 && OPENINGS.iter().any(|mark| text.starts_with(mark));
        words * 2 + usize::from(is_opening)
    };
    let mut scored: Vec<(usize, &Quote)> = lines.iter().map(|quote| (score(quote), *quote)).collect();
    scored.retain(|(score, _)| *score > 0);
    scored.sort_by_key(|(score, quote)| (std::cmp::Reverse(*score), quote.line));
    scored.truncate(LINES_MAX);
    let mut best: Vec<&Quote> = scored.into_iter().map(|(_, quote)| quote).collect();
    best.sort_by_key(|quote| quote.line);
    best
}

pub(super) fn shown(quote: &Quote) -> String {
    format!("`{}:{}` {}", quote.path, quote.line, cut(quote.text.trim()))
}

fn cut(text: &str) -> String {
    if text.chars().count() <= LINE_MAX {
        return text.to_owned();
    }
    text.chars().take(LINE_MAX).chain(['…']).collect()
}
