//! Sections brought together: the heading of each and how it begins. Never rewrites a sentence.

use super::conversation::Conversation;

/// The most lines taken from one section.
const LINES_MAX: usize = 6;

/// Words that ask for it.
const WANTED: &[&str] = &[
    "aggregate",
    "combine",
    "digest",
    "integrate",
    "merge",
    "summarise",
    "summarize",
    "synthesise",
    "synthesize",
];

/// A section of a markdown text.
struct Section<'a> {
    title: &'a str,
    lines: Vec<&'a str>,
}

/// Whether the person wants sections brought together, and there is a text with sections or a document to read.
pub(super) fn is_wanted(asked: &str) -> bool {
    let lower = asked.to_lowercase();
    let asks = lower.split(|letter: char| !letter.is_alphanumeric()).any(|word| WANTED.contains(&word));
    asks && (sections(asked).len() > 1
        || ["section", "document", "draft", "worker"].iter().any(|word| lower.contains(word)))
}

/// The digest of the document that was read, or of the text in the request.
pub(super) fn of(conversation: &Conversation) -> Option<String> {
    let read = conversation.results("ReadDocument").last().map(|step| step.output.as_str());
    let text = read.unwrap_or(&conversation.asked);
    let parts: Vec<String> = sections(text).iter().filter_map(part).collect();
    (!parts.is_empty()).then(|| parts.join("\n\n"))
}

fn sections(text: &str) -> Vec<Section<'_>> {
    let mut sections: Vec<Section<'_>> = Vec::new();
    let mut fenced = false;
    for line in text.lines() {
        fenced ^= line.trim_start().starts_with("```");
        let title = line.strip_prefix("## ").or_else(|| line.strip_prefix("### ")).filter(|_| !fenced);
        match (title, sections.last_mut()) {
            (Some(title), _) => sections.push(Section { title: title.trim(), lines: Vec::new() }),
            (None, Some(section)) => section.lines.push(line),
            (None, None) => {}
        }
    }
    sections
}

/// A section with something in it: points if it has some, else its first paragraph.
fn part(section: &Section<'_>) -> Option<String> {
    let lines = section
        .lines
        .iter()
        .map(|line| line.trim())
        .filter(|line| !line.is_empty() && !line.starts_with("<!--"));
    let all: Vec<&str> = lines.collect();
    let points: Vec<&str> =
        all.iter().copied().filter(|line| line.starts_with("- ") || line.starts_with("* ")).collect();
    let taken = if points.is_empty() { all } else { points };
    let left = taken.len().saturating_sub(LINES_MAX);
    let mut text = taken.into_iter().take(LINES_MAX).collect::<Vec<_>>().join("\n");
    if text.is_empty() {
        return None;
    }
    if left > 0 {
        text.push_str(&format!("\n({left} more lines)"));
    }
    Some(format!("**{}**\n\n{text}", section.title))
}
