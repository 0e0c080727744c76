//! What was said and done, in the order in which it happened. What is finished goes out once, as rows for the terminal's own scrollback;
//! the rest is live. Never changes a row that went out, and never keeps more than it needs to go on.

mod call;

use ratatui::style::Style;
use ratatui::text::{Line, Span};

use crate::change::Change;
use crate::event::{CallId, Notice};
use crate::harmless;
use crate::markdown::{Markdown, rendered};
use crate::theme::Theme;
use crate::wrap::{cut, hang, wrap};
use call::{Call, Kept};

/// Calls whose output can still be shown whole.
const KEPT_MAX: usize = 8;
/// Rows of thoughts that are live.
const THOUGHT_ROWS: usize = 4;
/// The longest thought that is kept to be shown.
const THOUGHT_MAX: usize = 64 << 10;
/// Thoughts that went out folded and can still be shown whole.
const FOLDED_MAX: usize = 16;

/// What was said and done.
#[derive(Debug)]
pub(crate) struct Transcript {
    theme: Theme,
    columns: usize,
    answer: Markdown,
    /// Whether words of this answer went out already.
    has_spoken: bool,
    thought: String,
    shows_thoughts: bool,
    /// Thoughts of which one row went out.
    folded: Vec<String>,
    preparing: String,
    calls: Vec<Call>,
    kept: Vec<Kept>,
    finished: Vec<Line<'static>>,
    /// Whether a note stands last: notes stand together.
    is_noting: bool,
}

impl Transcript {
    pub(crate) fn new(theme: Theme, columns: usize) -> Transcript {
        Transcript {
            theme,
            columns,
            answer: Markdown::new(theme),
            has_spoken: false,
            thought: String::new(),
            shows_thoughts: false,
            folded: Vec::new(),
            preparing: String::new(),
            calls: Vec::new(),
            kept: Vec::new(),
            finished: Vec::new(),
            is_noting: false,
        }
    }

    pub(crate) fn set_columns(&mut self, columns: usize) {
        self.columns = columns.max(1);
    }

    /// The rows that are finished since the last time.
    pub(crate) fn take_finished(&mut self) -> Vec<Line<'static>> {
        self.settle();
        std::mem::take(&mut self.finished)
    }

    pub(crate) fn say(&mut self, words: &str) {
        self.end_all();
        let mark = Span::styled("› ", self.theme.person());
        let lines = harmless::shown(words.trim_end());
        let count = lines.lines().count();
        let mut rows = Vec::new();
        for line in lines.lines().take(30) {
            rows.extend(wrap(
                &[Span::styled(line.to_owned(), self.theme.strong())],
                self.columns.saturating_sub(2),
            ));
        }
        if count > 30 {
            rows.push(Line::styled(format!("… {} more lines", count - 30), self.theme.dim()));
        }
        self.item(hang(rows, &mark, &Span::raw("  ")));
    }

    pub(crate) fn text(&mut self, words: &str) {
        self.end_thought();
        self.preparing.clear();
        self.answer.push(words);
    }

    pub(crate) fn think(&mut self, words: &str) {
        if self.thought.len() < THOUGHT_MAX {
            self.thought.push_str(words);
        }
    }

    pub(crate) fn prepare(&mut self, tool: &str) {
        self.end_thought();
        tool.clone_into(&mut self.preparing);
    }

    /// What the model said is whole.
    pub(crate) fn end_words(&mut self) {
        self.end_thought();
        self.preparing.clear();
        self.settle();
        let rows = self.answer.end(self.columns);
        self.speak(rows);
        self.has_spoken = false;
    }

    /// What the model said is void. What went out stays, and is marked.
    pub(crate) fn void(&mut self) {
        self.thought.clear();
        self.preparing.clear();
        let is_shown = self.has_spoken;
        self.answer = Markdown::new(self.theme);
        self.has_spoken = false;
        if is_shown {
            self.tell(Notice::Note, "the answer broke off here and begins again");
        }
    }

    pub(crate) fn begin_call(&mut self, id: CallId, tool: String, title: String, change: Option<Change>) {
        self.end_words();
        self.calls.push(Call::new(id, tool, title, change));
    }

    pub(crate) fn report(&mut self, id: CallId, line: &str) {
        if let Some(call) = self.calls.iter_mut().find(|call| call.id == id) {
            call.report(line);
        }
    }

    pub(crate) fn end_call(&mut self, id: CallId, output: &str, is_error: bool) {
        if let Some(call) = self.calls.iter_mut().find(|call| call.id == id) {
            call.end(output, is_error);
        }
    }

    /// Something to be read once.
    pub(crate) fn tell(&mut self, notice: Notice, words: &str) {
        let (mark, style) = match notice {
            Notice::Note => ("· ", self.theme.dim()),
            Notice::Warning => ("! ", self.theme.warning()),
            Notice::Error => ("✗ ", self.theme.bad()),
        };
        let rows = self.wrapped(words, style, 2);
        self.settle();
        let rows = hang(rows, &Span::styled(mark, style), &Span::raw("  "));
        if self.is_noting {
            self.finished.extend(rows);
        } else {
            self.item(rows);
        }
        self.is_noting = true;
    }

    /// A passage in markdown.
    pub(crate) fn page(&mut self, text: &str) {
        self.settle();
        let rows = rendered(text, self.columns, self.theme);
        self.item(rows);
    }

    /// The output of the last calls, as it was.
    pub(crate) fn expand(&mut self) {
        match self.kept.pop() {
            Some(kept) => {
                let rows = kept.rows(self.columns, self.theme);
                self.item(rows);
            }
            None => self.tell(Notice::Note, "no output is shortened"),
        }
    }

    /// Shows thoughts from now on, or does not. Says which. Rows that went out do not change, so earlier thoughts are shown again.
    pub(crate) fn toggle_thoughts(&mut self) -> bool {
        self.shows_thoughts = !self.shows_thoughts;
        if self.shows_thoughts {
            for thought in std::mem::take(&mut self.folded) {
                let rows = self.wrapped(&thought, self.theme.thinking(), 2);
                self.item(hang(rows, &Span::styled("∴ ", self.theme.dim()), &Span::raw("  ")));
            }
        }
        self.shows_thoughts
    }

    /// A turn is over: nothing is live any more.
    pub(crate) fn end_all(&mut self) {
        self.end_words();
        for call in &mut self.calls {
            call.give_up();
        }
        self.settle();
    }

    /// The rows that still change.
    pub(crate) fn live(&self, sign: &str) -> Vec<Line<'static>> {
        let mut rows = Vec::new();
        if !self.thought.is_empty() {
            let thought = self.wrapped(&self.thought, self.theme.thinking(), 2);
            let skipped = thought.len().saturating_sub(THOUGHT_ROWS);
            rows.push(Line::default());
            rows.extend(hang(
                thought.into_iter().skip(skipped).collect(),
                &Span::styled("∴ ", self.theme.dim()),
                &Span::raw("  "),
            ));
        }
        let answer = self.answer.tail(self.columns);
        if !answer.is_empty() {
            if !self.has_spoken {
                rows.push(Line::default());
            }
            rows.extend(answer);
        }
        if !self.preparing.is_empty() {
            let words = format!("{sign} {} …", harmless::one_line(&self.preparing));
            rows.extend([Line::default(), Line::styled(cut(&words, self.columns), self.theme.dim())]);
        }
        for call in &self.calls {
            rows.push(Line::default());
            rows.extend(call.rows(sign, self.columns, self.theme));
        }
        rows
    }

    /// Lets out what is finished. Words come after the calls that they were said behind.
    fn settle(&mut self) {
        while self.calls.first().is_some_and(Call::is_over) {
            let call = self.calls.remove(0);
            let rows = call.rows("", self.columns, self.theme);
            self.item(rows);
            if let Some(kept) = call.into_kept(self.columns, self.theme) {
                if self.kept.len() >= KEPT_MAX {
                    drop(self.kept.drain(..1));
                }
                self.kept.push(kept);
            }
        }
        let rows = self.answer.finished(self.columns);
        self.speak(rows);
    }

    /// Words of the answer go out.
    fn speak(&mut self, rows: Vec<Line<'static>>) {
        if rows.is_empty() {
            return;
        }
        if !self.has_spoken {
            self.finished.push(Line::default());
        }
        self.has_spoken = true;
        self.is_noting = false;
        self.finished.extend(rows);
    }

    fn end_thought(&mut self) {
        let thought = std::mem::take(&mut self.thought);
        if thought.trim().is_empty() {
            return;
        }
        self.settle();
        let mark = Span::styled("∴ ", self.theme.dim());
        let rows = if self.shows_thoughts {
            self.wrapped(&thought, self.theme.thinking(), 2)
        } else {
            let first = cut(&harmless::one_line(&thought), self.columns.saturating_sub(2).min(72));
            if self.folded.len() >= FOLDED_MAX {
                drop(self.folded.drain(..1));
            }
            self.folded.push(thought);
            vec![Line::styled(first, self.theme.thinking())]
        };
        self.item(hang(rows, &mark, &Span::raw("  ")));
    }

    fn wrapped(&self, text: &str, style: Style, margin: usize) -> Vec<Line<'static>> {
        let columns = self.columns.saturating_sub(margin).max(1);
        let lines = harmless::shown(text.trim());
        lines.split('\n').flat_map(|line| wrap(&[Span::styled(line.to_owned(), style)], columns)).collect()
    }

    /// An item of its own, apart from what stands above.
    fn item(&mut self, rows: Vec<Line<'static>>) {
        self.is_noting = false;
        self.finished.push(Line::default());
        self.finished.extend(rows);
    }
}
