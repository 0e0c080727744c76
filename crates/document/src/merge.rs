//! Three-way merge of what agents wrote (`ours`) with what a person saved (`theirs`), so that no word of either is lost.
//! Never weaves two sentences into one, never doubles what both sides hold, and never writes a conflict marker unless asked.
//!
//! The rules, in order:
//!
//! 1. Changes in different places are both made. Different words of one line are different places.
//! 2. The same change on both sides is made once.
//! 3. Two insertions at one place: the agent's first, the person's after it; lines that both inserted stand once.
//! 4. Both changed the same words: the whole lines of both stand, the agent's first, and a [`Notice`] says so.
//! 5. What either side deleted stays deleted; what the other side wrote there stays.

mod cluster;
mod combine;
mod contained;
mod diff3;
mod ending;
mod weave;

pub(crate) use contained::{Holder, holder};
pub use diff3::{LABEL_BASE, LABEL_OURS, LABEL_THEIRS, merge_diff3};
pub(crate) use weave::{Change, Side, Style, Take, weave};

use crate::diff::{diff, slice};
use ending::Normalised;

/// A merged text, and what a person should know about how it came to be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merge {
    /// The merged text.
    pub text: String,
    /// Places where both sides changed the same words. Meant for the event stream; never part of the text.
    pub notices: Vec<Notice>,
}

/// One place where both sides changed the same words, or something else worth telling.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// What happened.
    pub kind: NoticeKind,
    /// The line of the merged text where it happened, counted from one.
    pub line: usize,
    /// The agent's version of the place.
    pub ours: String,
    /// The person's version of the place.
    pub theirs: String,
}

/// What a [`Notice`] tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoticeKind {
    /// Both changed the same line in their own way; both lines stand in the text.
    BothChanged,
    /// One side deleted what the other side changed; the changed line stands.
    DeletedAndChanged,
    /// Both set the same frontmatter key or marker; the person's stands, the agent's is only in this notice.
    PersonKept,
    /// The person's side was empty, as a file is for a moment while an editor saves it; it was not taken for a deletion.
    EmptySave,
    /// Conflict markers were written, because they were asked for.
    Conflict,
}

/// Merges what agents wrote (`ours`) with what a person saved (`theirs`); `base` is the exact text both came from.
///
/// ```
/// use document::merge::merge;
///
/// let merged = merge(
///     "# Plan\n\nShip it.\n",
///     "# Plan\n\nShip it.\n\nDone.\n",
///     "# Plan\n\nShip it on Friday.\n",
/// );
/// assert_eq!(merged.text, "# Plan\n\nShip it on Friday.\n\nDone.\n");
/// assert!(merged.notices.is_empty());
/// ```
pub fn merge(base: &str, ours: &str, theirs: &str) -> Merge {
    merge_in_style(base, ours, theirs, Style::KeepBoth)
}

fn merge_in_style(base: &str, ours: &str, theirs: &str, style: Style) -> Merge {
    if let Some(text) = one_sided(base, ours, theirs) {
        return Merge { text: text.to_owned(), notices: Vec::new() };
    }
    if theirs.is_empty() {
        let notice =
            Notice { kind: NoticeKind::EmptySave, line: 1, ours: String::new(), theirs: String::new() };
        return Merge { text: ours.to_owned(), notices: vec![notice] };
    }
    merge_normalised(Normalised::of(base, ours, theirs), style)
}

fn merge_normalised(mut texts: Normalised<'_>, style: Style) -> Merge {
    let ours_hunks = std::mem::take(&mut texts.ours_hunks);
    let ours = Side::new(&texts.base, &texts.ours, ours_hunks);
    let theirs = Side::new(&texts.base, &texts.theirs, diff(&texts.base, &texts.theirs));
    if let Some(holder) = holder(&ours, &theirs) {
        let mut text = match holder {
            Holder::Ours => ours.text.to_owned(),
            Holder::Theirs => theirs.text.to_owned(),
        };
        texts.restore_final_newline(&mut text);
        return Merge { text, notices: Vec::new() };
    }
    let woven = weave(&texts.base, &ours, &theirs, style);
    let mut text = assemble(&texts.base, &ours, &theirs, &woven.changes);
    texts.restore_final_newline(&mut text);
    Merge { text, notices: woven.notices }
}

/// The result when at most one side changed anything: that side, byte for byte.
fn one_sided<'a>(base: &str, ours: &'a str, theirs: &'a str) -> Option<&'a str> {
    if ours == theirs || theirs == base {
        Some(ours)
    } else if ours == base {
        Some(theirs)
    } else {
        None
    }
}

/// The merged text: what nobody changed, and each change in its place.
fn assemble(base: &str, ours: &Side<'_>, theirs: &Side<'_>, changes: &[Change]) -> String {
    let grown = ours.text.len().max(theirs.text.len()) + base.len() / 16;
    let mut text = String::with_capacity(grown);
    let mut at = 0;
    for change in changes {
        text.push_str(slice(base, at..change.base.start));
        text.push_str(match &change.take {
            Take::Ours => slice(ours.text, change.ours.clone()),
            Take::Theirs => slice(theirs.text, change.theirs.clone()),
            Take::Text(text) => text,
        });
        at = change.base.end;
    }
    text.push_str(slice(base, at..base.len()));
    text
}
