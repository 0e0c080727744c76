//! One call of a tool: what it is called with, how far it is, and the end of what it printed. Never shows much of the output by itself.

use ratatui::text::{Line, Span};

use crate::change::Change;
use crate::event::CallId;
use crate::harmless;
use crate::theme::Theme;
use crate::wrap::{chop, cut, hang, wrap};

/// Lines of output that are shown of a command, and of one that failed.
const LINES: usize = 5;
const FAILED_LINES: usize = 10;
/// Output that is kept to be shown whole.
const OUTPUT_MAX: usize = 256 << 10;
/// Rows of a title.
const TITLE_ROWS: usize = 3;
/// Rows of a change that are shown by themselves.
const CHANGE_ROWS: usize = 40;

#[derive(Debug)]
pub(super) struct Call {
    pub(super) id: CallId,
    tool: String,
    title: String,
    change: Option<Change>,
    line: String,
    state: State,
}

#[derive(Debug, PartialEq, Eq)]
enum State {
    Running,
    Over { output: String, is_error: bool },
}

/// The whole of what a call printed or changed.
#[derive(Debug)]
pub(super) struct Kept {
    title: String,
    whole: Whole,
}

#[derive(Debug)]
enum Whole {
    Output(String),
    Change(Change),
}

impl Call {
    pub(super) fn new(id: CallId, tool: String, title: String, change: Option<Change>) -> Call {
        Call { id, tool, title, change, line: String::new(), state: State::Running }
    }

    pub(super) fn is_over(&self) -> bool {
        self.state != State::Running
    }

    pub(super) fn report(&mut self, line: &str) {
        self.line = harmless::printed(line);
    }

    pub(super) fn end(&mut self, output: &str, is_error: bool) {
        let end = output.len().min(OUTPUT_MAX);
        let end = (0..=end).rev().find(|at| output.is_char_boundary(*at)).unwrap_or_default();
        let output = harmless::printed(output.get(..end).unwrap_or_default().trim_end_matches('\n'));
        self.state = State::Over { output, is_error };
    }

    /// The turn is over, and the call said nothing more.
    pub(super) fn give_up(&mut self) {
        if !self.is_over() {
            self.state = State::Over { output: "stopped".to_owned(), is_error: true };
        }
    }

    pub(super) fn rows(&self, sign: &str, columns: usize, theme: Theme) -> Vec<Line<'static>> {
        let (mark, style) = match &self.state {
            State::Running => (sign, theme.warning()),
            State::Over { is_error: true, .. } => ("✗", theme.bad()),
            State::Over { is_error: false, .. } => ("●", theme.good()),
        };
        let mut title = vec![Span::styled(harmless::one_line(&self.tool), theme.strong()), Span::raw(" ")];
        match &self.change {
            Some(change) => title.extend(change.title(theme)),
            None => title.push(Span::raw(harmless::one_line(&self.title))),
        }
        let mut rows = wrap(&title, columns.saturating_sub(2));
        if rows.len() > TITLE_ROWS {
            rows.truncate(TITLE_ROWS);
            rows.push(Line::styled("…", theme.dim()));
        }
        let mut rows = hang(rows, &Span::styled(format!("{mark} "), style), &Span::raw("  "));
        rows.extend(self.below(columns, theme));
        rows
    }

    fn below(&self, columns: usize, theme: Theme) -> Vec<Line<'static>> {
        let margin = Span::styled("  │ ", theme.dim());
        let room = columns.saturating_sub(4).max(1);
        match &self.state {
            State::Running if self.line.trim().is_empty() => Vec::new(),
            State::Running => {
                let line = Line::styled(cut(&self.line, room), theme.dim());
                hang(vec![line], &margin, &margin)
            }
            State::Over { is_error: false, .. } if self.change.is_some() => self.changed(columns, theme),
            State::Over { output, is_error } => {
                let mut rows: Vec<Line<'static>> = self
                    .excerpt(output, *is_error)
                    .iter()
                    .map(|line| Line::styled(cut(line, room), theme.dim()))
                    .collect();
                let hidden = output.lines().count().saturating_sub(rows.len());
                if hidden > 0 {
                    let words = if rows.is_empty() { "lines" } else { "more lines" };
                    let words = format!("{hidden} {words} (ctrl-o shows them)");
                    rows.push(Line::styled(cut(&words, room), theme.dim()));
                }
                hang(rows, &margin, &margin)
            }
        }
    }

    /// The lines of output that are shown by themselves: the end of what a command printed, and little of what was only looked up.
    fn excerpt<'a>(&self, output: &'a str, is_error: bool) -> Vec<&'a str> {
        let lines: Vec<&str> = output.lines().collect();
        let shown = match () {
            () if is_error => FAILED_LINES,
            () if self.tool == "Bash" => LINES,
            () if lines.len() <= 2 => lines.len(),
            () => 0,
        };
        let skipped = lines.len().saturating_sub(shown);
        lines.into_iter().skip(skipped).collect()
    }

    fn changed(&self, columns: usize, theme: Theme) -> Vec<Line<'static>> {
        let Some(change) = &self.change else { return Vec::new() };
        let mut rows = change.rows(columns.saturating_sub(2).max(1), theme);
        if let Some(hidden) = rows.len().checked_sub(CHANGE_ROWS).filter(|hidden| *hidden > 0) {
            rows.truncate(CHANGE_ROWS);
            let words = format!("… {hidden} more lines (ctrl-o shows them)");
            rows.push(Line::styled(cut(&words, columns.saturating_sub(2)), theme.dim()));
        }
        hang(rows, &Span::raw("  "), &Span::raw("  "))
    }

    /// What can be shown whole later, of what did not fit into `columns`.
    pub(super) fn into_kept(self, columns: usize, theme: Theme) -> Option<Kept> {
        let State::Over { output, is_error } = &self.state else { return None };
        let title = format!("{} {}", self.tool, harmless::one_line(&self.title));
        if let Some(change) = &self.change
            && !is_error
        {
            let is_whole = change.rows(columns.saturating_sub(2).max(1), theme).len() <= CHANGE_ROWS;
            return (!is_whole).then(|| Kept { title, whole: Whole::Change(change.clone()) });
        }
        let is_whole = self.excerpt(output, *is_error).len() >= output.lines().count();
        (!is_whole).then(|| Kept { title, whole: Whole::Output(output.clone()) })
    }
}

impl Kept {
    pub(super) fn rows(&self, columns: usize, theme: Theme) -> Vec<Line<'static>> {
        let mut rows = vec![Line::styled(cut(&self.title, columns), theme.strong())];
        match &self.whole {
            Whole::Output(output) => {
                for line in output.lines() {
                    rows.extend(chop(&[Span::styled(line.to_owned(), theme.dim())], columns));
                }
            }
            Whole::Change(change) => rows.extend(change.rows(columns, theme)),
        }
        rows
    }
}
