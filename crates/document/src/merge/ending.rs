//! Line endings around a merge: agent text takes the file's ending, and a missing final line break is put back at the end.
//! Never touches a line that nobody changed.

use std::borrow::Cow;

use crate::diff::{Hunk, diff, slice};
use crate::text::{LineEnding, with_line_ending};

/// The file's line ending is read off its beginning; counting all of a long file would cost as much as merging it.
const SAMPLE_BYTES: usize = 16 * 1024;

/// The three texts with a line break at the end of each, and what the agent's changed in the base.
pub(super) struct Normalised<'a> {
    pub(super) base: Cow<'a, str>,
    pub(super) ours: Cow<'a, str>,
    pub(super) theirs: Cow<'a, str>,
    pub(super) ours_hunks: Vec<Hunk>,
    ends_with_newline: bool,
    ending: LineEnding,
}

impl<'a> Normalised<'a> {
    pub(super) fn of(base: &'a str, ours: &'a str, theirs: &'a str) -> Normalised<'a> {
        let ends_with_newline = merged_final_newline(base, ours, theirs);
        let ending = LineEnding::of(sample(if sample(theirs).contains('\n') { theirs } else { base }));
        let base = ended(Cow::Borrowed(base), ending);
        let mut ours = ended(Cow::Borrowed(ours), ending);
        let mut ours_hunks = diff(&base, &ours);
        let is_foreign = ours_hunks.iter().any(|hunk| is_foreign(slice(&ours, hunk.new.clone()), ending));
        // Where the file itself is mixed, each line keeps what it has.
        if is_foreign && with_line_ending(&base, ending) == base {
            ours = Cow::Owned(with_line_ending(&ours, ending).into_owned());
            ours_hunks = diff(&base, &ours);
        }
        Normalised {
            base,
            ours,
            theirs: ended(Cow::Borrowed(theirs), ending),
            ours_hunks,
            ends_with_newline,
            ending,
        }
    }

    /// Whether the agent's text is merged just as it is, and the merged one ends as it does.
    pub(super) fn ends_as_ours(&self) -> bool {
        self.ends_with_newline && matches!(self.ours, Cow::Borrowed(_))
    }

    pub(super) fn restore_final_newline(&self, text: &mut String) {
        if self.ends_with_newline {
            return;
        }
        if text.ends_with('\n') {
            text.pop();
            if self.ending == LineEnding::CrLf && text.ends_with('\r') {
                text.pop();
            }
        }
    }
}

/// Whether the merged text ends with a line break: as it was, unless a side changed that.
fn merged_final_newline(base: &str, ours: &str, theirs: &str) -> bool {
    let [base_has, ours_has, theirs_has] = [base, ours, theirs].map(|text| text.ends_with('\n'));
    if base.is_empty() || ours_has == theirs_has {
        return ours_has || theirs_has;
    }
    !base_has
}

fn sample(text: &str) -> &str {
    text.get(..text.floor_char_boundary(SAMPLE_BYTES)).unwrap_or(text)
}

fn ended(text: Cow<'_, str>, ending: LineEnding) -> Cow<'_, str> {
    if text.is_empty() || text.ends_with('\n') {
        return text;
    }
    let mut text = text.into_owned();
    // Lines are told apart by line feeds; a file with lone carriage returns is one line, and it is ended like any other.
    text.push_str(match ending {
        LineEnding::CrLf => "\r\n",
        LineEnding::Lf | LineEnding::Cr => "\n",
    });
    Cow::Owned(text)
}

fn is_foreign(text: &str, ending: LineEnding) -> bool {
    match ending {
        LineEnding::Lf => text.contains("\r\n"),
        LineEnding::CrLf => {
            text.split_inclusive('\n').any(|line| line.ends_with('\n') && !line.ends_with("\r\n"))
        }
        LineEnding::Cr => false,
    }
}
