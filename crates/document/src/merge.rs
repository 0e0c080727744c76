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
pub(crate) use weave::{Change, Side, Style, Take, Woven, weave};

use std::ops::Range;

use crate::diff::{diff, slice};
use ending::Normalised;

/// In how many places a text is changed where it is: each moves all that stands behind it, so with more a new text is made sooner.
const PLACES_MAX: usize = 16;

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

/// The same as [`merge`] with the agent's text given away: what the person changed is put into that text where it is, so that a long one
/// is not copied.
///
/// ```
/// use document::merge::{merge, merge_into};
///
/// let (base, ours, theirs) = ("one\ntwo\n", "one\ntwo\nthree\n", "One\ntwo\n");
/// assert_eq!(merge_into(base, ours.to_owned(), theirs), merge(base, ours, theirs));
/// ```
pub fn merge_into(base: &str, mut ours: String, theirs: &str) -> Merge {
    if theirs.is_empty() || one_sided(base, &ours, theirs).is_some() {
        return merge(base, &ours, theirs);
    }
    let mut texts = Normalised::of(base, &ours, theirs);
    let decided = Decided::of(&mut texts, Style::KeepBoth);
    let Some(places) = decided.places() else { return decided.merge() };
    let notices = decided.into_notices();
    ours.reserve_exact(places.iter().map(|(_, new)| new.len()).sum());
    for (range, new) in places {
        ours.replace_range(range, &new);
    }
    Merge { text: ours, notices }
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
    Decided::of(&mut Normalised::of(base, ours, theirs), style).merge()
}

/// Whose text stands where, and the texts.
struct Decided<'t> {
    texts: &'t Normalised<'t>,
    ours: Side<'t>,
    theirs: Side<'t>,
    decision: Decision,
}

enum Decision {
    /// One side has it all.
    Held(Holder),
    Woven(Woven),
}

impl<'t> Decided<'t> {
    fn of(texts: &'t mut Normalised<'_>, style: Style) -> Decided<'t> {
        let ours_hunks = std::mem::take(&mut texts.ours_hunks);
        let texts: &'t Normalised<'t> = texts;
        let ours = Side::new(&texts.base, &texts.ours, ours_hunks);
        let theirs = Side::new(&texts.base, &texts.theirs, diff(&texts.base, &texts.theirs));
        let decision = match holder(&ours, &theirs) {
            Some(holder) => Decision::Held(holder),
            None => Decision::Woven(weave(&texts.base, &ours, &theirs, style)),
        };
        Decided { texts, ours, theirs, decision }
    }

    fn merge(self) -> Merge {
        let mut text = match &self.decision {
            Decision::Held(Holder::Ours) => self.ours.text.to_owned(),
            Decision::Held(Holder::Theirs) => self.theirs.text.to_owned(),
            Decision::Woven(woven) => assemble(&self.texts.base, &self.ours, &self.theirs, &woven.changes),
        };
        self.texts.restore_final_newline(&mut text);
        Merge { text, notices: self.into_notices() }
    }

    fn into_notices(self) -> Vec<Notice> {
        match self.decision {
            Decision::Held(_) => Vec::new(),
            Decision::Woven(woven) => woven.notices,
        }
    }

    /// What makes the merged text of the agent's, from its end to its beginning; none if that is better made anew.
    fn places(&self) -> Option<Vec<(Range<usize>, String)>> {
        let Decision::Woven(woven) = &self.decision else { return None };
        if !self.texts.ends_as_ours() {
            return None;
        }
        let changes = woven.changes.iter().rev();
        let mut places = Vec::new();
        for Change { ours, theirs, take, .. } in changes {
            match take {
                Take::Ours => {}
                Take::Theirs => {
                    places.push((ours.clone(), slice(self.theirs.text, theirs.clone()).to_owned()));
                }
                Take::Text(text) => places.push((ours.clone(), text.clone())),
            }
        }
        (places.len() <= PLACES_MAX).then_some(places)
    }
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
