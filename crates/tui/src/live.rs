//! The live region: what stands below the scrollback and is drawn anew. Never higher than the terminal, and never without what the person
//! must see: the question, or what they write.

use std::time::Duration;

use ratatui::text::{Line, Span};

use crate::event::{Delivery, TaskState};
use crate::harmless;
use crate::theme::Theme;
use crate::view::View;
use crate::wrap::{cut, wrap};

/// Tasks that are shown.
const TASKS_MAX: usize = 8;
/// Messages of the queue that are shown.
const QUEUE_MAX: usize = 4;

/// Rows, and where the cursor stands in them: its column and its row.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Picture {
    /// The rows.
    pub rows: Vec<Line<'static>>,
    /// The cursor, if it is to be seen.
    pub cursor: Option<(usize, usize)>,
}

impl Picture {
    /// Puts another one below.
    fn below(&mut self, other: Picture) {
        let above = self.rows.len();
        self.cursor = other.cursor.map(|(x, y)| (x, y + above)).or(self.cursor);
        self.rows.extend(other.rows);
    }

    /// Keeps the last rows only.
    fn bounded(&mut self, rows_max: usize) {
        let spare = self.rows.len().saturating_sub(rows_max);
        drop(self.rows.drain(..spare));
        self.cursor = self.cursor.and_then(|(x, y)| Some((x, y.checked_sub(spare)?)));
    }
}

impl View {
    /// The live region as it looks now.
    pub fn live(&self, now: Duration) -> Picture {
        let (columns, rows_max) = (self.columns(), usize::from(self.size.1).saturating_sub(1).max(1));
        let bottom = self.bottom(columns, rows_max, now);
        let mut above = self.above(columns, now);
        let room = rows_max.saturating_sub(bottom.rows.len());
        // The newest rows stay; the whole is in the scrollback when it is finished.
        let spare = above.len().saturating_sub(room);
        let mut picture = Picture { rows: above.split_off(spare), cursor: None };
        picture.below(bottom);
        picture.bounded(rows_max);
        picture
    }

    /// What the agent says and does.
    fn above(&self, columns: usize, now: Duration) -> Vec<Line<'static>> {
        let sign =
            if self.status.is_busy() && (now.as_millis() / 400).is_multiple_of(2) { "○" } else { "●" };
        let mut rows = self.transcript.live(sign);
        rows.extend(self.task_rows(columns));
        if !self.dialogs.is_open() {
            rows.extend(
                self.status
                    .busy_row(columns, now, self.theme)
                    .map(|row| [Line::default(), row])
                    .into_iter()
                    .flatten(),
            );
        }
        rows.extend(self.queue_rows(columns));
        rows
    }

    /// The question or the composer, and the status line.
    fn bottom(&self, columns: usize, rows_max: usize, now: Duration) -> Picture {
        let theme = self.theme;
        let mut picture = Picture::default();
        let is_tall = rows_max >= 8;
        // A question needs the rows itself.
        if is_tall && (rows_max >= 14 || !self.dialogs.is_open()) {
            picture.rows.push(rule(columns, self.dialogs.is_open(), theme));
        }
        if self.dialogs.is_open() {
            let room = rows_max.saturating_sub(picture.rows.len());
            picture.below(self.dialogs.draw(columns, room, now, theme));
            return picture;
        }
        if let Some(picker) = &self.picker {
            let rows = picker.rows(columns, rows_max.saturating_sub(3).max(2), theme);
            picture.below(Picture { rows, cursor: None });
            return picture;
        }
        let written = self.composer.rows(columns, (rows_max / 3).max(1), theme);
        picture.below(Picture { rows: written.rows, cursor: Some(written.cursor) });
        if is_tall {
            picture.rows.push(rule(columns, false, theme));
        }
        let room = rows_max.saturating_sub(picture.rows.len() + 1);
        let offered = self.offer.rows(columns, room, theme);
        if !offered.is_empty() {
            picture.rows.extend(offered);
        } else if rows_max > 2 {
            picture.rows.push(self.status.row(self.hint(now), columns, theme));
        }
        picture
    }

    fn task_rows(&self, columns: usize) -> Vec<Line<'static>> {
        let is_open = self.tasks.iter().any(|task| task.state != TaskState::Done);
        if !is_open || !self.status.is_moving() {
            return Vec::new();
        }
        let mut rows = vec![Line::default()];
        // Those that are done and the next ones, around the one that is being done.
        let doing = self.tasks.iter().position(|task| task.state != TaskState::Done).unwrap_or_default();
        let first = doing.saturating_sub(2).min(self.tasks.len().saturating_sub(TASKS_MAX));
        for task in self.tasks.iter().skip(first).take(TASKS_MAX) {
            let (mark, style) = match task.state {
                TaskState::Open => ("☐ ", self.theme.text()),
                TaskState::Doing => ("▸ ", self.theme.chosen()),
                TaskState::Done => ("☑ ", self.theme.dim()),
            };
            let text = cut(&harmless::one_line(&task.text), columns.saturating_sub(2));
            rows.push(Line::from(vec![Span::styled(mark, style), Span::styled(text, style)]));
        }
        rows
    }

    fn queue_rows(&self, columns: usize) -> Vec<Line<'static>> {
        let mut rows = Vec::new();
        let messages = self.queue.messages();
        for (words, delivery) in messages.iter().take(QUEUE_MAX) {
            let when = match delivery {
                Delivery::NextStep => "next",
                Delivery::AfterTurn => "later",
            };
            let line = format!("{when}: {}", harmless::one_line(words));
            rows.push(Line::styled(cut(&line, columns), self.theme.dim()));
        }
        let more = messages.len().saturating_sub(QUEUE_MAX);
        if more > 0 {
            rows.push(Line::styled(format!("and {more} more"), self.theme.dim()));
        }
        if !rows.is_empty() {
            rows.push(Line::styled(
                cut("↑ in an empty prompt takes them back, one by one", columns),
                self.theme.dim(),
            ));
        }
        rows
    }

    /// What stands in place of the status line for a while.
    fn hint(&self, now: Duration) -> Option<&str> {
        self.hint.as_ref().filter(|(until, _)| now < *until).map(|(_, words)| words.as_str())
    }
}

fn rule(columns: usize, is_question: bool, theme: Theme) -> Line<'static> {
    let style = if is_question { theme.warning() } else { theme.dim() };
    let rows = wrap(&[Span::styled("─".repeat(columns), style)], columns);
    rows.into_iter().next().unwrap_or_default()
}
