//! A text in the pieces that edits leave of it and put into it. Never copies the text: a long one is neither moved nor made anew to
//! see what many edits come to.

use std::ops::Range;

/// How many pieces there may be; each edit goes through all of them.
const PIECES_MAX: usize = 2048;

/// A text after some edits.
pub(crate) struct Pieces<'t>(Vec<&'t str>);

impl<'t> Pieces<'t> {
    pub(crate) fn of(text: &'t str) -> Pieces<'t> {
        Pieces(vec![text])
    }

    /// Replaces a range by `inserted`, and gives what stood there. None if there is no such range of characters, or if there are too many
    /// pieces.
    pub(crate) fn edit(&mut self, range: Range<usize>, inserted: &'t str) -> Option<String> {
        if range.start > range.end {
            return None;
        }
        let start = self.border(range.start)?;
        let end = self.border(range.end)?;
        let removed = self.0.get(start..end)?.concat();
        self.0.splice(start..end, (!inserted.is_empty()).then_some(inserted));
        (self.0.len() <= PIECES_MAX).then_some(removed)
    }

    /// The pieces in order.
    pub(crate) fn parts(&self) -> &[&'t str] {
        &self.0
    }

    /// Whether all pieces together are just this text.
    pub(super) fn are(&self, text: &str) -> bool {
        let mut rest = text;
        let mut goes_on = |piece: &&str| rest.strip_prefix(*piece).map(|after| rest = after).is_some();
        self.0.iter().all(&mut goes_on) && rest.is_empty()
    }

    /// The piece that begins at a byte of the text; behind the last one at its end.
    fn border(&mut self, at: usize) -> Option<usize> {
        let mut inside = at;
        for (number, piece) in self.0.iter_mut().enumerate() {
            if inside == 0 {
                return Some(number);
            }
            if inside < piece.len() {
                let (head, tail) = piece.split_at_checked(inside)?;
                *piece = head;
                self.0.insert(number + 1, tail);
                return Some(number + 1);
            }
            inside -= piece.len();
        }
        (inside == 0).then_some(self.0.len())
    }
}

#[cfg(test)]
mod tests {
    use super::Pieces;

    #[test]
    fn edits_in_any_order_come_to_the_text_that_they_make() {
        let mut pieces = Pieces::of("one två three");
        assert_eq!(pieces.edit(4..8, "two").as_deref(), Some("två"));
        assert_eq!(pieces.edit(13..13, " four").as_deref(), Some(""));
        assert_eq!(pieces.edit(0..5, "zero, one t").as_deref(), Some("one t"));
        assert_eq!(pieces.edit(9..12, "").as_deref(), Some(" tw"));
        assert!(pieces.are("zero, oneo three four"));
        assert!(!pieces.are("zero, oneo three fou"));
        assert!(!pieces.are("zero, oneo three four "));
    }

    #[test]
    fn what_is_no_range_of_characters_is_refused() {
        for range in [6..7, 0..7, 8..20, 20..20] {
            assert_eq!(Pieces::of("one två").edit(range, "x"), None);
        }
        let mut back = 2..2;
        back.end = 1;
        assert_eq!(Pieces::of("one").edit(back, "x"), None);
    }
}
