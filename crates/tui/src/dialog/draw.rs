//! How a question looks. Never leaves out a choice or a part of what would be done: what has no room can be scrolled to.

use std::rc::Rc;
use std::time::Duration;

use ratatui::text::{Line, Span};

use super::{Dialogs, Notes, Seen};
use crate::ask::{Choice, Question};
use crate::harmless;
use crate::live::Picture;
use crate::theme::Theme;
use crate::wrap::{chop, cut, hang, wrap};

/// The most rows that what would be done gets before it is scrolled.
const BODY_MAX: usize = 40;

/// Exactly what would be done, in rows of a width.
#[derive(Debug)]
pub(super) struct Body {
    question: u64,
    columns: usize,
    rows: Rc<[Line<'static>]>,
}

impl Dialogs {
    /// The question that is shown, in at most `rows_max` rows.
    pub(crate) fn draw(&self, columns: usize, rows_max: usize, now: Duration, theme: Theme) -> Picture {
        let Some(question) = self.waiting.front() else { return Picture::default() };
        let mut head = self.head(question, columns, theme);
        let body = self.body(question, columns, theme);
        let wanted = if self.words.is_some() { Notes::Chosen } else { Notes::All };
        let (mut notes, mut choices) = (wanted, self.choices(question, columns, wanted, theme));
        if head.len() + choices.len() + 2 > rows_max {
            head.truncate(1);
            (notes, choices) = (Notes::Chosen, self.choices(question, columns, Notes::Chosen, theme));
        }
        if head.len() + choices.len() + 2 > rows_max {
            (notes, choices) = if self.is_confirming {
                (Notes::Chosen, self.alone(question, columns, theme))
            } else {
                (Notes::None, self.choices(question, columns, Notes::None, theme))
            };
        }
        let (mut below, cursor) = self.below(columns, now, theme);
        // What would be done matters more than what the keys are, but for the one that is waited for.
        let is_full = head.len() + choices.len() + below.len() + body.len() > rows_max;
        if is_full && cursor.is_none() && !self.is_confirming {
            below.clear();
        }
        let room = rows_max.saturating_sub(head.len() + choices.len() + below.len()).clamp(1, BODY_MAX);
        let mut rows = head;
        let is_roomy = room > body.len();
        let (window, shown) = self.window(&body, room, columns, theme);
        self.seen.set(Seen {
            scroll_max: body.len().saturating_sub(shown),
            page: shown.saturating_sub(1),
            notes,
        });
        rows.extend(window);
        if is_roomy {
            rows.push(Line::default());
        }
        rows.extend(choices);
        let cursor = cursor.map(|(x, y)| (x, y + rows.len()));
        rows.extend(below);
        Picture { rows, cursor }
    }

    fn head(&self, question: &Question, columns: usize, theme: Theme) -> Vec<Line<'static>> {
        let (agent, heading) = (harmless::one_line(&question.agent), harmless::one_line(&question.heading));
        let more = self.waiting.len().saturating_sub(1);
        let more = if more > 0 { format!(" · {more} more wait") } else { String::new() };
        let title = vec![
            Span::styled("? ", theme.warning()),
            Span::styled(
                cut(&format!("{agent} wants to {heading}{more}"), columns.saturating_sub(2)),
                theme.strong(),
            ),
        ];
        let mut head = vec![Line::from(title)];
        if !question.why.is_empty() {
            let why = harmless::one_line(&question.why);
            head.extend(
                wrap(&[Span::styled(why, theme.dim())], columns.saturating_sub(2))
                    .into_iter()
                    .map(|row| indented(row, 2)),
            );
        }
        head
    }

    /// The rows of what would be done, made once for a width.
    fn body(&self, question: &Question, columns: usize, theme: Theme) -> Rc<[Line<'static>]> {
        let mut kept = self.body.borrow_mut();
        if let Some(body) = kept.as_ref()
            && (body.question, body.columns) == (question.id, columns)
        {
            return Rc::clone(&body.rows);
        }
        let rows: Rc<[Line<'static>]> = body(question, columns, theme).into();
        *kept = Some(Body { question: question.id, columns, rows: Rc::clone(&rows) });
        rows
    }

    /// The part of the text that is scrolled to, and how many of its rows that is.
    fn window(
        &self,
        body: &[Line<'static>],
        room: usize,
        columns: usize,
        theme: Theme,
    ) -> (Vec<Line<'static>>, usize) {
        if body.len() <= room {
            return (body.to_vec(), body.len());
        }
        let shown = room.saturating_sub(1).max(1);
        let hidden = body.len() - shown;
        let first = self.scrolled.min(hidden);
        let mut rows: Vec<Line<'static>> = body.iter().skip(first).take(shown).cloned().collect();
        if room == 1 {
            // A part of a command must never look like the whole.
            let mark = format!("…+{hidden}");
            let rest = rows.pop().map(|row| chop(&row.spans, columns.saturating_sub(mark.len()).max(1)));
            let mut row = rest.and_then(|rows| rows.into_iter().next()).unwrap_or_default();
            row.spans.push(Span::styled(mark, theme.warning()));
            rows.push(row);
        } else {
            let words = format!("  … {hidden} more lines (page up, page down)");
            rows.push(Line::styled(cut(&words, columns), theme.warning()));
        }
        (rows, shown)
    }

    fn choices(&self, question: &Question, columns: usize, notes: Notes, theme: Theme) -> Vec<Line<'static>> {
        let rows = question.choices.iter().enumerate().flat_map(|(index, choice)| {
            let is_chosen = index == self.chosen;
            let mut rows = option(choice, is_chosen, columns, theme);
            let has_note = match notes {
                Notes::All => true,
                Notes::Chosen => is_chosen,
                Notes::None => false,
            };
            if has_note {
                rows.extend(note(choice, columns, theme));
            }
            rows
        });
        rows.collect()
    }

    /// The choice that waits for enter, where there is no room for the others.
    fn alone(&self, question: &Question, columns: usize, theme: Theme) -> Vec<Line<'static>> {
        let Some(choice) = question.choices.get(self.chosen) else { return Vec::new() };
        let mut rows = option(choice, true, columns, theme);
        rows.extend(note(choice, columns, theme));
        rows
    }

    /// The line for words, or what the keys do.
    fn below(
        &self,
        columns: usize,
        now: Duration,
        theme: Theme,
    ) -> (Vec<Line<'static>>, Option<(usize, usize)>) {
        if let Some(words) = &self.words {
            let written = words.rows(columns, 4, theme);
            let mut rows = written.rows;
            let hint = "enter sends it · without words everything stops";
            rows.push(Line::styled(cut(hint, columns), theme.dim()));
            return (rows, Some(written.cursor));
        }
        let hint = match () {
            () if !self.is_armed(now) => "in a moment your keys count here",
            () if self.is_confirming => "enter does it · ↑↓ others · esc waits",
            () => "1-4 or ↑↓ and enter · esc waits",
        };
        (vec![Line::styled(cut(hint, columns), theme.dim())], None)
    }
}

fn option(choice: &Choice, is_chosen: bool, columns: usize, theme: Theme) -> Vec<Line<'static>> {
    let style = if is_chosen { theme.chosen() } else { theme.text() };
    let mark = Span::styled(format!("{}{}. ", if is_chosen { "▸ " } else { "  " }, choice.number), style);
    let label = [Span::styled(harmless::one_line(&choice.label), style)];
    hang(wrap(&label, columns.saturating_sub(5)), &mark, &Span::raw("     "))
}

/// What a choice does beyond this one time.
fn note(choice: &Choice, columns: usize, theme: Theme) -> Vec<Line<'static>> {
    if choice.note.is_empty() {
        return Vec::new();
    }
    let note = [Span::styled(harmless::exact(&choice.note).replace('\n', "␊"), theme.dim())];
    wrap(&note, columns.saturating_sub(5)).into_iter().map(|row| indented(row, 5)).collect()
}

/// Exactly what would be done.
fn body(question: &Question, columns: usize, theme: Theme) -> Vec<Line<'static>> {
    let room = columns.saturating_sub(2).max(1);
    let mut rows = Vec::new();
    if !question.body.is_empty() {
        for line in harmless::exact(&question.body).split('\n') {
            rows.extend(chop(&[Span::styled(line.to_owned(), theme.accent())], room));
        }
    }
    if let Some(change) = &question.change {
        rows.push(Line::from(change.title(theme)));
        rows.extend(change.rows(room, theme));
    }
    rows.into_iter().map(|row| indented(row, 2)).collect()
}

fn indented(mut row: Line<'static>, by: usize) -> Line<'static> {
    row.spans.insert(0, Span::raw(" ".repeat(by)));
    row
}
