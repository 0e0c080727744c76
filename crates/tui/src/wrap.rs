//! Styled text broken into rows of a width. Never cuts a letter from its marks, and never makes a row that is too wide.

use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation as _;
use unicode_width::UnicodeWidthStr;

/// The columns that a text takes.
pub(crate) fn width(text: &str) -> usize {
    text.graphemes(true).map(UnicodeWidthStr::width).sum()
}

/// The columns that spans take.
pub(crate) fn width_of(spans: &[Span<'_>]) -> usize {
    spans.iter().map(|span| width(&span.content)).sum()
}

/// One letter with its marks, and how it looks.
struct Letter<'a> {
    text: &'a str,
    width: usize,
    style: Style,
}

/// Rows of at most `columns`, broken between words where that is possible.
pub(crate) fn wrap(spans: &[Span<'_>], columns: usize) -> Vec<Line<'static>> {
    broken(spans, columns, true)
}

/// Rows of at most `columns`, broken anywhere: for code, where blanks count.
pub(crate) fn chop(spans: &[Span<'_>], columns: usize) -> Vec<Line<'static>> {
    broken(spans, columns, false)
}

fn broken(spans: &[Span<'_>], columns: usize, between_words: bool) -> Vec<Line<'static>> {
    let columns = columns.max(1);
    let letters: Vec<Letter<'_>> = spans
        .iter()
        .flat_map(|span| {
            let letter = |text| Letter { text, width: UnicodeWidthStr::width(text), style: span.style };
            span.content.graphemes(true).map(letter)
        })
        // A letter that is wider than the terminal cannot be shown at all.
        .filter(|letter| letter.width <= columns)
        .collect();
    let mut rows = Vec::new();
    let mut rest = letters.as_slice();
    loop {
        let (row, after) = first_row(rest, columns, between_words);
        rows.push(line_of(row));
        if after.is_empty() {
            return rows;
        }
        rest = after;
    }
}

/// The letters of the first row, and those behind it.
fn first_row<'a, 'b>(
    letters: &'a [Letter<'b>],
    columns: usize,
    between_words: bool,
) -> (&'a [Letter<'b>], &'a [Letter<'b>]) {
    let (mut taken, mut end) = (0, letters.len());
    for (index, letter) in letters.iter().enumerate() {
        taken += letter.width;
        if taken > columns {
            end = index;
            break;
        }
    }
    if end == letters.len() {
        return (letters, &[]);
    }
    if !between_words {
        return letters.split_at(end.max(1));
    }
    let is_blank = |letter: &Letter<'_>| letter.text == " ";
    let split = match letters.get(..=end).unwrap_or(letters).iter().rposition(is_blank) {
        // What stands before the first word is an indent and no place to break.
        Some(blank) if letters.iter().take(blank).any(|letter| !is_blank(letter)) => blank,
        Some(_) | None => end.max(1),
    };
    let (row, mut after) = letters.split_at(split);
    while let [first, others @ ..] = after
        && is_blank(first)
        && split < end.max(1) + 1
    {
        after = others;
    }
    (row, after)
}

fn line_of(letters: &[Letter<'_>]) -> Line<'static> {
    let mut spans: Vec<Span<'static>> = Vec::new();
    for letter in letters {
        match spans.last_mut() {
            Some(last) if last.style == letter.style => last.content.to_mut().push_str(letter.text),
            _ => spans.push(Span::styled(letter.text.to_owned(), letter.style)),
        }
    }
    Line::from(spans)
}

/// The text cut to a width, with a mark if something is missing.
pub(crate) fn cut(text: &str, columns: usize) -> String {
    if width(text) <= columns {
        return text.to_owned();
    }
    let mut cut = String::new();
    let mut taken = 1;
    for letter in text.graphemes(true) {
        taken += UnicodeWidthStr::width(letter);
        if taken > columns {
            break;
        }
        cut.push_str(letter);
    }
    if columns > 0 {
        cut.push('…');
    }
    cut
}

/// `rows` with something before the first and something else before the others.
pub(crate) fn hang(
    rows: Vec<Line<'static>>,
    first: &Span<'static>,
    rest: &Span<'static>,
) -> Vec<Line<'static>> {
    let hung = rows.into_iter().enumerate().map(|(index, mut row)| {
        let prefix = if index == 0 { first } else { rest };
        if !prefix.content.is_empty() {
            row.spans.insert(0, prefix.clone());
        }
        row
    });
    hung.collect()
}
