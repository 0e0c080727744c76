//! The part of a long text that one answer holds. Never cuts a line, unless that line alone is too long.

use document::text::floor_char_boundary;

/// Lines in one answer if the model does not say how many, and at most.
const LINES_MAX: u64 = 2_000;
/// Bytes in one answer.
const BYTES_MAX: usize = 200_000;

/// Which lines are wanted, counted from 1.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Wanted {
    pub(super) offset: Option<u64>,
    pub(super) limit: Option<u64>,
}

/// Some lines of a text.
pub(super) struct Page<'t> {
    pub(super) text: &'t str,
    /// All of the text is here.
    pub(super) is_whole: bool,
    /// What the model is told about where it is.
    pub(super) place: String,
}

/// The wanted lines of `text`.
pub(super) fn of(text: &str, wanted: Wanted) -> Page<'_> {
    let first = wanted.offset.unwrap_or(1).max(1);
    let limit = wanted.limit.unwrap_or(LINES_MAX).clamp(1, LINES_MAX);
    let (mut start, mut end, mut shown, mut total) = (text.len(), text.len(), 0_u64, 0_u64);
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        total += 1;
        let fits = shown < limit && (shown == 0 || at + line.len() - start <= BYTES_MAX);
        if total >= first && fits && total == first + shown {
            if shown == 0 {
                start = at;
            }
            shown += 1;
            end = at + line.len();
        }
        at += line.len();
    }
    let end = floor_char_boundary(text, end.min(start.saturating_add(BYTES_MAX)));
    let part = text.get(start..end).unwrap_or_default();
    let is_whole = part.len() == text.len();
    let last = first + shown.saturating_sub(1);
    let place = match shown {
        _ if is_whole => String::new(),
        0 => format!(", which has only {total} lines"),
        _ if last < total => format!(", lines {first} to {last} of {total}; go on with offset {}", last + 1),
        _ => format!(", lines {first} to {last} of {total}"),
    };
    Page { text: part, is_whole, place }
}

#[cfg(test)]
mod tests {
    use super::{BYTES_MAX, Wanted, of};

    fn check(text: &str, offset: u64, limit: u64, part: &str, place: &str) {
        let page = of(text, Wanted { offset: Some(offset), limit: Some(limit) });
        assert_eq!((page.text, page.place.as_str()), (part, place));
    }

    #[test]
    fn lines_are_given_from_the_one_that_is_asked_for() {
        check("a\nb\nc\n", 0, 9, "a\nb\nc\n", "");
        check("a\nb\nc", 2, 1, "b\n", ", lines 2 to 2 of 3; go on with offset 3");
        check("a\nb\nc", 2, 9, "b\nc", ", lines 2 to 3 of 3");
        check("a\nb\nc", 4, 9, "", ", which has only 3 lines");
        check("", 1, 9, "", "");
    }

    #[test]
    fn an_answer_has_a_limit_whatever_the_lines_are() {
        let long = "ä".repeat(BYTES_MAX);
        let page = of(&long, Wanted::default());
        assert!(page.text.len() <= BYTES_MAX && !page.is_whole, "{}", page.text.len());
        let many = "word\n".repeat(BYTES_MAX);
        let page = of(&many, Wanted { offset: None, limit: Some(u64::MAX) });
        assert_eq!(page.place, format!(", lines 1 to 2000 of {BYTES_MAX}; go on with offset 2001"));
        assert!(!page.is_whole);
    }
}
