//! What may be meant by the word before the cursor: files after `@`, commands after `/`. Never looks for files: whoever draws the
//! view is asked to.

use ratatui::text::{Line, Span};

use crate::harmless;
use crate::theme::Theme;
use crate::wrap::{cut, width};

/// Rows of an offer.
const ROWS_MAX: usize = 8;

/// Something that could stand here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Suggestion {
    /// What would stand there, without its sign.
    pub text: String,
    /// What it is.
    pub about: String,
}

/// The word that is asked about, with its sign, if there is one.
pub(crate) fn query(before: &str) -> Option<&str> {
    let is_command = before.starts_with('/') && !before.contains(char::is_whitespace);
    if is_command {
        return Some(before);
    }
    let start = before
        .rfind(char::is_whitespace)
        .map_or(0, |at| at + before.get(at..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8));
    before.get(start..).filter(|word| word.starts_with('@'))
}

/// What is offered, and what is chosen of it.
#[derive(Debug, Default)]
pub(crate) struct Offer {
    query: String,
    suggestions: Vec<Suggestion>,
    chosen: usize,
}

impl Offer {
    pub(crate) fn is_open(&self) -> bool {
        !self.suggestions.is_empty()
    }

    pub(crate) fn query(&self) -> &str {
        &self.query
    }

    /// Asks for something else. Says whether it is new.
    pub(crate) fn ask(&mut self, query: Option<&str>) -> bool {
        let query = query.unwrap_or_default();
        if self.query == query {
            return false;
        }
        query.clone_into(&mut self.query);
        if query.is_empty() {
            self.suggestions.clear();
        }
        self.chosen = 0;
        !query.is_empty()
    }

    pub(crate) fn fill(&mut self, query: &str, suggestions: Vec<Suggestion>) {
        // What was asked for before the last letter came too late.
        if query == self.query {
            self.suggestions = suggestions;
            self.chosen = 0;
        }
    }

    pub(crate) fn close(&mut self) {
        self.suggestions.clear();
    }

    pub(crate) fn up(&mut self) {
        self.chosen = self.chosen.checked_sub(1).unwrap_or(self.suggestions.len().saturating_sub(1));
    }

    pub(crate) fn down(&mut self) {
        self.chosen = if self.chosen + 1 < self.suggestions.len() { self.chosen + 1 } else { 0 };
    }

    /// What to put in place of the query.
    pub(crate) fn taken(&mut self) -> Option<(usize, String)> {
        let chosen = self.suggestions.get(self.chosen)?;
        let sign = self.query.chars().next()?;
        let text = format!("{sign}{} ", chosen.text);
        let length = self.query.len();
        self.query.clear();
        self.suggestions.clear();
        Some((length, text))
    }

    /// Whether what is written is exactly what is chosen.
    pub(crate) fn is_written(&self) -> bool {
        self.suggestions
            .get(self.chosen)
            .is_some_and(|chosen| self.query.get(1..) == Some(chosen.text.as_str()))
    }

    pub(crate) fn rows(&self, columns: usize, rows_max: usize, theme: Theme) -> Vec<Line<'static>> {
        let shown = ROWS_MAX.min(rows_max);
        let first = (self.chosen + 1).saturating_sub(shown);
        let widest =
            self.suggestions.iter().map(|one| width(&one.text)).max().unwrap_or_default().min(columns / 2);
        let rows = self.suggestions.iter().enumerate().skip(first).take(shown).map(|(index, one)| {
            let is_chosen = index == self.chosen;
            let name = cut(&harmless::one_line(&one.text), columns.saturating_sub(2));
            let gap = widest.saturating_sub(width(&name)) + 2;
            let about = cut(&harmless::one_line(&one.about), columns.saturating_sub(2 + width(&name) + gap));
            Line::from(vec![
                Span::styled(if is_chosen { "▸ " } else { "  " }, theme.chosen()),
                Span::styled(name, if is_chosen { theme.chosen() } else { theme.text() }),
                Span::styled(format!("{}{about}", " ".repeat(gap)), theme.dim()),
            ])
        });
        rows.collect()
    }
}
