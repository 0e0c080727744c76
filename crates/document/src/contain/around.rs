//! What additions make of the structure of a long text, found by reading only the paragraphs around them. Never guesses: where the
//! meaning of a paragraph may depend on what is far away, or anything but the additions has changed, it gives none.

use memchr::{memchr, memchr_iter, memmem};

use super::Structure;
use super::block::is_prose;
use super::structure::Cuts;
use super::verify::Insertion;
use crate::markdown::{bom_length, frontmatter_block, last_piece};
use crate::section::{self, Found};
use crate::text::{LineEnding, line_end};

/// Whether what a paragraph means depends on nothing far away: what is in brackets may be a link whose definition stands anywhere, and
/// lines are told apart by line feeds here.
pub(super) fn is_local(text: &str) -> bool {
    memchr(b'\r', text.as_bytes()).is_none() && memmem::find(text.as_bytes(), DEFINES).is_none()
}

/// What a definition of a link has.
const DEFINES: &[u8] = b"]:";

/// Whether the insertions bring nothing that changes what is far away.
fn stay_local(document: &str, insertions: &[Insertion<'_>]) -> bool {
    let Some(first) = insertions.first() else { return true };
    // Nothing is added in or before a frontmatter, and what looks like the beginning of one is one.
    let has_opening = document.get(bom_length(document)..).is_some_and(|text| text.starts_with("---"));
    let is_behind_the_head = if has_opening {
        frontmatter_block(document).is_some_and(|block| block.end <= first.at)
    } else {
        line_end(document, 0) <= first.at
    };
    let defines_nothing = |insertion: &Insertion<'_>| {
        let Insertion { at, text, .. } = *insertion;
        let before = at.checked_sub(1).and_then(|at| document.as_bytes().get(at));
        let begins = before == Some(&b']') && text.starts_with(':');
        let ends = text.ends_with(']') && document.as_bytes().get(at) == Some(&b':');
        is_local(text) && !begins && !ends
    };
    is_behind_the_head && insertions.iter().all(defines_nothing)
}

/// The structure of `document` with all insertions, in the order of their places. None if it must be found by reading all of it.
pub(super) fn grown(before: &Structure, document: &str, insertions: &[Insertion<'_>]) -> Option<Structure> {
    if !(before.is_local && document.ends_with('\n') && stay_local(document, insertions)) {
        return None;
    }
    let mut headings = Vec::with_capacity(before.headings.len());
    let mut markers = Vec::with_capacity(before.markers.len());
    let mut cuts = Vec::with_capacity(before.cuts.0.len());
    let (mut passed_headings, mut passed_markers, mut passed_cuts) = (0, 0, 0);
    let (mut bytes, mut lines) = (0, 0);
    for insertion in insertions {
        let window = Window::around(before, document, insertion)?;
        let own = window.own_headings()?;
        // Of a section that grew, the last place is enough.
        let cuts_above = before.cuts.0.partition_point(|cut| *cut < window.above.start).max(passed_cuts);
        cuts.extend(before.cuts.0.get(passed_cuts..cuts_above)?.iter().map(|cut| cut + bytes));
        cuts.push(window.from + bytes);
        passed_cuts = before.cuts.0.partition_point(|cut| *cut < window.to).max(cuts_above);
        let headings_above = before.headings.partition_point(|heading| heading.start < insertion.at);
        let markers_above = before.markers.partition_point(|marker| *marker < insertion.at);
        let above = before.headings.get(passed_headings..headings_above)?;
        headings.extend(above.iter().chain(&own).map(|one| moved(one, bytes, lines)));
        markers
            .extend(before.markers.get(passed_markers..markers_above)?.iter().map(|marker| marker + bytes));
        (passed_headings, passed_markers) = (headings_above, markers_above);
        bytes += insertion.text.len();
        lines += memchr_iter(b'\n', insertion.text.as_bytes()).count();
    }
    headings.extend(before.headings.get(passed_headings..)?.iter().map(|one| moved(one, bytes, lines)));
    markers.extend(before.markers.get(passed_markers..)?.iter().map(|marker| marker + bytes));
    cuts.extend(before.cuts.0.get(passed_cuts..)?.iter().map(|cut| cut + bytes));
    section::nest(&mut headings, document.len() + bytes);
    Some(Structure { headings, markers, ending: LineEnding::Lf, is_local: true, cuts: Cuts(cuts) })
}

/// The heading with so much more text before it.
fn moved(heading: &Found, bytes: usize, lines: usize) -> Found {
    Found {
        start: heading.start + bytes,
        content_start: heading.content_start + bytes,
        line: heading.line + lines,
        ..heading.clone()
    }
}

/// What one addition can change: from where nothing is open before it, to the line of the next heading, where nothing is open again.
struct Window<'w> {
    before: &'w Structure,
    insertion: &'w Insertion<'w>,
    document: &'w str,
    /// The heading that the addition stands under.
    above: &'w Found,
    below: Option<&'w Found>,
    /// In the document before.
    from: usize,
    to: usize,
}

impl<'w> Window<'w> {
    fn around(before: &'w Structure, document: &'w str, insertion: &'w Insertion<'w>) -> Option<Window<'w>> {
        let index = before.headings.partition_point(|heading| heading.start < insertion.at);
        let above = before.headings.get(index.checked_sub(1)?)?;
        let below = before.headings.get(index);
        let known = before.cuts.0.partition_point(|cut| *cut < insertion.at).checked_sub(1);
        let known = known.and_then(|index| before.cuts.0.get(index)).copied().unwrap_or_default();
        let known = known.max(above.start);
        let from = known + last_piece(document.get(known..insertion.at)?, 0);
        let to = below.map_or(document.len(), |heading| heading.content_start);
        Some(Window { before, insertion, document, above, below, from, to })
    }

    /// Whether paragraphs are added to paragraphs, with nothing behind them but the line of the next heading: that brings no heading and
    /// no marker, and leaves what is there as it is.
    fn is_all_prose(&self) -> bool {
        let Insertion { at, text, .. } = *self.insertion;
        let heading = self.below.map_or(self.to, |below| below.start);
        let [before, behind, line] = [self.from..at, at..heading, heading..self.to]
            .map(|range| self.document.get(range).unwrap_or("<"));
        let is_ended = |text: &str| text.is_empty() || text.ends_with('\n');
        let is_known = self.below.is_none() || line.starts_with('#');
        is_known
            && is_ended(before)
            && is_ended(text)
            && behind.bytes().all(|byte| byte == b'\n')
            && is_prose(before)
            && is_prose(text)
    }

    /// The headings that the addition brings, where they stand if nothing else is added; none if more than that has changed.
    fn own_headings(&self) -> Option<Vec<Found>> {
        let Insertion { at, text, level } = *self.insertion;
        if self.is_all_prose() {
            return Some(Vec::new());
        }
        let piece = [self.document.get(self.from..at)?, text, self.document.get(at..self.to)?].concat();
        let read = Structure::of_fragment(&piece);
        let inserted = at..at + text.len();
        let is_own = |one: &Found| inserted.contains(&(one.start + self.from)) && one.level > level;
        let (own, others): (Vec<Found>, Vec<Found>) = read.headings.into_iter().partition(is_own);
        let above = Some(self.above).filter(|above| above.start == self.from).map(|above| (above, 0));
        let below = self.below.map(|below| (below, text.len()));
        let expected = above.into_iter().chain(below);
        let is_same = others
            .iter()
            .map(|one| (one.start + self.from, one.level, one.title.as_str()))
            .eq(expected.map(|(one, bytes)| (one.start + bytes, one.level, one.title.as_str())));
        let here = self.before.markers.iter().filter(|marker| (self.from..self.to).contains(marker));
        let here = here.map(|marker| if *marker < at { *marker } else { marker + text.len() });
        let is_marked_as_before = read.markers.iter().map(|marker| marker + self.from).eq(here);
        if !is_same || !is_marked_as_before {
            return None;
        }
        // The piece counts its lines from one.
        let until = self.document.get(self.above.start..self.from)?;
        let lines = self.above.line + memchr_iter(b'\n', until.as_bytes()).count() - 1;
        Some(own.iter().map(|one| moved(one, self.from, lines)).collect())
    }
}
