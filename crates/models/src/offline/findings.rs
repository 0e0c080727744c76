//! What the tools found, read from their output. Never invents a line: a place that cannot be told is not quoted.

use super::conversation::Conversation;

/// A line of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Quote {
    pub(super) path: String,
    pub(super) line: usize,
    pub(super) text: String,
}

/// The names in the root folder, as `List` or `Glob` gave them.
pub(super) fn entries(conversation: &Conversation) -> Vec<String> {
    let listing = conversation.results("List").chain(conversation.results("Glob")).next();
    let lines = listing.map(|step| step.output.as_str()).unwrap_or_default().lines();
    lines
        // A line that is set in belongs to a folder above.
        .filter(|line| !line.starts_with([' ', '\t', '(', '[']))
        .map(|line| line.trim().trim_start_matches("- ").trim_start_matches("./"))
        .filter(|line| !line.is_empty() && !line.ends_with(':'))
        .map(|line| name(line).to_owned())
        .filter(|name| !name.trim_end_matches('/').contains('/'))
        .collect()
}

/// The name in a line of a listing, without the size, the kind or the target that may follow.
fn name(line: &str) -> &str {
    let line = line.split_once('\t').map_or(line, |(name, _)| name);
    let line = line.split_once(" -> ").map_or(line, |(name, _)| name);
    let is_note = |rest: &str| rest.starts_with('(') || rest.bytes().all(|byte| byte.is_ascii_digit());
    match line.rsplit_once("  ") {
        Some((name, rest)) if is_note(rest) => name.trim_end(),
        Some(_) | None => line,
    }
}

/// The lines that `Grep` found.
pub(super) fn matches(conversation: &Conversation) -> Vec<Quote> {
    let mut quotes = Vec::new();
    for step in conversation.results("Grep") {
        // Some tools write the file once and its lines below.
        let mut heading = String::new();
        for line in step.output.lines() {
            match matched(line, &heading) {
                Some(quote) => quotes.push(quote),
                None if !line.trim().is_empty() && !line.contains(' ') => {
                    line.trim_end_matches(':').clone_into(&mut heading);
                }
                None => {}
            }
        }
    }
    quotes
}

/// `path:line:text`, or `line:text` below a heading.
fn matched(line: &str, heading: &str) -> Option<Quote> {
    let mut parts = line.splitn(3, ':');
    let (first, second) = (parts.next()?, parts.next()?);
    if let (Ok(number), false) = (first.trim().parse(), heading.is_empty()) {
        let text = line.split_once(':')?.1;
        return Some(Quote { path: heading.to_owned(), line: number, text: text.trim().to_owned() });
    }
    let number = second.trim().parse().ok()?;
    let path = first.trim_start_matches("./").to_owned();
    Some(Quote { path, line: number, text: parts.next()?.trim().to_owned() })
}

/// Files by how many of the words they hold, then by how often. Prose counts more than code for the same number.
pub(super) fn ranked(conversation: &Conversation, keywords: &[String]) -> Vec<String> {
    let mut files: Vec<(String, Vec<bool>, usize)> = Vec::new();
    for Quote { path, text, .. } in matches(conversation) {
        let lower = text.to_lowercase();
        let holds = keywords.iter().map(|word| lower.contains(word.as_str()));
        match files.iter_mut().find(|(known, ..)| *known == path) {
            Some((_, found, count)) => {
                found.iter_mut().zip(holds).for_each(|(found, holds)| *found |= holds);
                *count += 1;
            }
            None => files.push((path, holds.collect(), 1)),
        }
    }
    let rank = |(path, found, count): &(String, Vec<bool>, usize)| {
        let distinct = found.iter().filter(|found| **found).count();
        let named = keywords.iter().filter(|word| path.to_lowercase().contains(word.as_str())).count();
        let prose = usize::from(path.ends_with(".md"));
        let generated =
            usize::from(path.ends_with(".lock") || path.contains("/tests/") || path.starts_with("tests/"));
        (distinct + named, 1 - generated, prose, (*count).min(20))
    };
    files.sort_by(|one, other| rank(other).cmp(&rank(one)).then_with(|| one.0.cmp(&other.0)));
    files.into_iter().map(|(path, ..)| path).collect()
}

/// A file as `Read` gave it: its lines with their numbers.
pub(super) fn file(path: &str, output: &str) -> Vec<Quote> {
    let numbered =
        output.lines().filter(|line| !line.trim().is_empty()).take(5).all(|line| number(line).is_some());
    let lines = output.lines().enumerate();
    lines
        .filter_map(|(index, line)| {
            let (line, text) = if numbered { number(line)? } else { (index + 1, line) };
            Some(Quote { path: path.to_owned(), line, text: text.to_owned() })
        })
        .collect()
}

/// A line that begins with its number, in one of the usual ways.
fn number(line: &str) -> Option<(usize, &str)> {
    let line = line.trim_start();
    let end = line.find(|letter: char| !letter.is_ascii_digit())?;
    let (digits, rest) = line.split_at(end);
    let text =
        ["→", "\t", "|", ": "].iter().find_map(|mark| rest.trim_start_matches(' ').strip_prefix(mark))?;
    Some((digits.parse().ok()?, text))
}
