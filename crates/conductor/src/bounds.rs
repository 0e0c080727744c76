//! How much an author may add to its section, and that it proposes nothing again that the person has turned down. Never cuts a text:
//! what is too much is refused, with what to do instead.

use crate::draft::{Draft, squeezed};
use crate::record::Record;

/// Why a text may not be added by an author who has written so often before; none if it may.
#[must_use]
pub fn objection(
    record: &Record,
    draft: &Draft,
    author: &str,
    written: u32,
    content: &str,
) -> Option<String> {
    let limits = record.limits;
    if written >= limits.appends_max {
        return Some(format!(
            "you wrote {} times already, which is the limit; say that you are finished",
            limits.appends_max
        ));
    }
    if let Some(rejected) = rejected(record, author, content) {
        return Some(format!("the person turned this down; do not propose it again: {rejected:?}"));
    }
    let length = draft.section(author).map_or(0, |text| text.len());
    (length + content.len() > limits.section_max).then(|| {
        format!(
            "your section would have more than {} bytes; keep long output in a file, and say where it is",
            limits.section_max
        )
    })
}

/// A block of `content` that the person has turned down.
fn rejected(record: &Record, author: &str, content: &str) -> Option<String> {
    let own = record.rejected.iter().filter(|settled| settled.author.eq_ignore_ascii_case(author));
    let known: Vec<String> = own.map(|settled| squeezed(&settled.text)).collect();
    let draft = Draft::new(&format!("## {author}\n{content}\n"), 0);
    let blocks = draft.proposals(author).into_iter();
    blocks.map(|proposal| proposal.text).find(|text| known.contains(&squeezed(text)))
}
