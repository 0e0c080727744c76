//! A table with columns that are as wide as they can be. Never wider than the terminal: cells are broken, and where there is no room
//! at all the rows stand as lists.

use pulldown_cmark::Alignment;
use ratatui::text::{Line, Span};

use crate::theme::Theme;
use crate::wrap::{width_of, wrap};

/// The narrowest column.
const COLUMN_MIN: usize = 4;
/// Between two columns.
const GAP: usize = 3;

/// A cell: its styled words.
pub(super) type Cell = Vec<Span<'static>>;

/// A table while it is read.
#[derive(Default)]
pub(super) struct Table {
    pub(super) alignments: Vec<Alignment>,
    pub(super) rows: Vec<Vec<Cell>>,
}

impl Table {
    pub(super) fn draw(&self, columns: usize, theme: Theme) -> Vec<Line<'static>> {
        let count = self.rows.iter().map(Vec::len).max().unwrap_or_default();
        let gaps = GAP * count.saturating_sub(1);
        if count == 0 {
            return Vec::new();
        }
        if columns < gaps + count * COLUMN_MIN {
            return self.as_list(columns, theme);
        }
        let widths = fitted(self.natural(count), columns - gaps);
        let mut lines = Vec::new();
        for (index, row) in self.rows.iter().enumerate() {
            lines.extend(self.row(row, &widths, index == 0, theme));
            if index == 0 {
                let rule: Vec<String> = widths.iter().map(|width| "─".repeat(*width)).collect();
                lines.push(Line::styled(rule.join("─┼─"), theme.dim()));
            }
        }
        lines
    }

    fn natural(&self, count: usize) -> Vec<usize> {
        let widest = |column: usize| {
            self.rows.iter().filter_map(|row| row.get(column)).map(|cell| width_of(cell)).max()
        };
        (0..count).map(|column| widest(column).unwrap_or_default().max(1)).collect()
    }

    fn row(&self, row: &[Cell], widths: &[usize], is_head: bool, theme: Theme) -> Vec<Line<'static>> {
        let empty: Cell = Vec::new();
        let cells: Vec<Vec<Line<'static>>> = widths
            .iter()
            .enumerate()
            .map(|(column, width)| {
                let mut cell = row.get(column).unwrap_or(&empty).clone();
                if is_head {
                    cell.iter_mut().for_each(|span| span.style = span.style.patch(theme.strong()));
                }
                wrap(&cell, *width)
            })
            .collect();
        let height = cells.iter().map(Vec::len).max().unwrap_or(1);
        let line = |at: usize| {
            let mut spans: Vec<Span<'static>> = Vec::new();
            for (column, width) in widths.iter().enumerate() {
                if column > 0 {
                    spans.push(Span::styled(" │ ", theme.dim()));
                }
                let piece = cells.get(column).and_then(|cell| cell.get(at)).cloned().unwrap_or_default();
                let free = width.saturating_sub(width_of(&piece.spans));
                let before = match self.alignments.get(column) {
                    Some(Alignment::Right) => free,
                    Some(Alignment::Center) => free / 2,
                    Some(Alignment::Left | Alignment::None) | None => 0,
                };
                spans.push(Span::raw(" ".repeat(before)));
                spans.extend(piece.spans);
                spans.push(Span::raw(" ".repeat(free - before)));
            }
            Line::from(spans)
        };
        (0..height).map(line).collect()
    }

    /// Each row below the other, with the heads of its cells.
    fn as_list(&self, columns: usize, theme: Theme) -> Vec<Line<'static>> {
        let mut rows = self.rows.iter();
        let head: Vec<Cell> = rows.next().cloned().unwrap_or_default();
        let mut lines = Vec::new();
        for row in rows {
            for (column, cell) in row.iter().enumerate() {
                let name = head.get(column).map(words).unwrap_or_default();
                let mut spans = vec![Span::styled(format!("{name}: "), theme.strong())];
                spans.extend(cell.iter().cloned());
                lines.extend(wrap(&spans, columns));
            }
            lines.push(Line::default());
        }
        lines.pop();
        lines
    }
}

fn words(cell: &Cell) -> String {
    cell.iter().map(|span| span.content.as_ref()).collect()
}

/// Widths that fit together into `columns`: the widest give way first.
fn fitted(mut widths: Vec<usize>, columns: usize) -> Vec<usize> {
    while widths.iter().sum::<usize>() > columns {
        let Some(widest) = widths.iter_mut().max() else { break };
        if *widest <= 1 {
            break;
        }
        *widest -= 1;
    }
    widths
}
