//! A list of prompts to go back to. Never goes back by itself.

use ratatui::text::{Line, Span};

use crate::harmless;
use crate::key::Input;
use crate::theme::Theme;
use crate::wrap::cut;

/// Rows of the list.
const ROWS_MAX: usize = 10;

/// A list that is open.
#[derive(Debug)]
pub(crate) struct Picker {
    prompts: Vec<String>,
    chosen: usize,
}

/// What a key did.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Picked {
    /// The list stays.
    Open,
    /// It goes.
    Closed,
    /// This one.
    One(usize),
}

impl Picker {
    pub(crate) fn new(prompts: Vec<String>) -> Picker {
        Picker { prompts, chosen: 0 }
    }

    pub(crate) fn press(&mut self, input: &Input) -> Picked {
        let last = self.prompts.len().saturating_sub(1);
        match input {
            Input::Down | Input::Letter('k') => self.chosen = self.chosen.saturating_sub(1),
            Input::Up | Input::Letter('j') => self.chosen = (self.chosen + 1).min(last),
            Input::Enter => return Picked::One(self.chosen),
            Input::Escape | Input::Cancel | Input::EndOfFile => return Picked::Closed,
            _ => {}
        }
        Picked::Open
    }

    /// The oldest above, the last one below, as they stand in the conversation.
    pub(crate) fn rows(&self, columns: usize, rows_max: usize, theme: Theme) -> Vec<Line<'static>> {
        let mut rows =
            vec![Line::styled(cut("Go back to before a prompt (↑↓, enter, esc)", columns), theme.strong())];
        let shown = ROWS_MAX.min(rows_max.saturating_sub(1)).max(1);
        let first = (self.chosen + 1).saturating_sub(shown);
        let listed = self.prompts.iter().enumerate().skip(first).take(shown);
        let listed: Vec<Line<'static>> = listed
            .map(|(index, prompt)| {
                let is_chosen = index == self.chosen;
                let style = if is_chosen { theme.chosen() } else { theme.text() };
                let prompt = cut(&harmless::one_line(prompt), columns.saturating_sub(2));
                Line::from(vec![
                    Span::styled(if is_chosen { "▸ " } else { "  " }, style),
                    Span::styled(prompt, style),
                ])
            })
            .collect();
        rows.extend(listed.into_iter().rev());
        rows
    }
}
