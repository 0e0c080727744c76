//! What is written, as rows with a cursor. Never shows more rows than it may: those around the cursor stay.

use ratatui::text::{Line, Span};
use unicode_segmentation::UnicodeSegmentation as _;

use super::Composer;
use crate::theme::Theme;
use crate::wrap::width;

/// Rows, and where the cursor stands in them.
pub(crate) struct Written {
    pub(crate) rows: Vec<Line<'static>>,
    pub(crate) cursor: (usize, usize),
}

impl Composer {
    /// The rows around the cursor.
    pub(crate) fn rows(&self, columns: usize, rows_max: usize, theme: Theme) -> Written {
        let mark = if columns > 8 { "› " } else { "" };
        let room = columns.saturating_sub(width(mark)).saturating_sub(1).max(1);
        let mut grid = Grid { rows: vec![Vec::new()], at: 0, room };
        let (mut place, mut cursor) = (0, None);
        for letter in self.text.graphemes(true) {
            place += letter.len();
            if place > self.cursor && cursor.is_none() {
                cursor = Some(grid.place());
            }
            match letter.chars().next().and_then(|first| self.paste_of(first)) {
                Some(paste) => {
                    let label = format!("[pasted: {} lines]", paste.lines().count());
                    label.graphemes(true).for_each(|piece| grid.put(piece, theme.accent()));
                }
                None if letter == "\n" => grid.rows.push(Vec::new()),
                None => grid.put(&crate::harmless::shown(letter), theme.text()),
            }
            if letter == "\n" {
                grid.at = 0;
            }
        }
        let cursor = cursor.unwrap_or_else(|| grid.place());
        let first = (cursor.1 + 1).saturating_sub(rows_max.max(1));
        let shown = grid.rows.into_iter().enumerate().skip(first).take(rows_max.max(1));
        let rows = shown.map(|(index, mut spans)| {
            let margin = if index == 0 {
                Span::styled(mark, theme.person())
            } else {
                Span::raw(" ".repeat(width(mark)))
            };
            spans.insert(0, margin);
            Line::from(spans)
        });
        Written { rows: rows.collect(), cursor: (cursor.0 + width(mark), cursor.1 - first) }
    }
}

struct Grid {
    rows: Vec<Vec<Span<'static>>>,
    at: usize,
    room: usize,
}

impl Grid {
    fn place(&self) -> (usize, usize) {
        (self.at, self.rows.len().saturating_sub(1))
    }

    fn put(&mut self, piece: &str, style: ratatui::style::Style) {
        let columns = width(piece);
        if self.at + columns > self.room {
            self.rows.push(Vec::new());
            self.at = 0;
        }
        if columns > self.room {
            return;
        }
        self.at += columns;
        if let Some(row) = self.rows.last_mut() {
            match row.last_mut() {
                Some(last) if last.style == style => last.content.to_mut().push_str(piece),
                _ => row.push(Span::styled(piece.to_owned(), style)),
            }
        }
    }
}
