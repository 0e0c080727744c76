//! A change of a file, line by line, as a person reads it. Never works out what changed: it is told.

use ratatui::text::{Line, Span};

use crate::harmless;
use crate::theme::Theme;
use crate::wrap::{chop, hang};

/// A change of one file.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Change {
    /// The file.
    pub path: String,
    /// Its lines, with some that did not change around them.
    pub lines: Vec<ChangeLine>,
}

/// One line of a change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangeLine {
    /// What became of it.
    pub sign: Sign,
    /// Its number, in the file where it stands.
    pub number: usize,
    /// What it says.
    pub text: String,
}

/// What became of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sign {
    /// It is new.
    Added,
    /// It goes.
    Removed,
    /// It stays.
    Kept,
    /// Lines that stay are left out here.
    Gap,
}

impl Change {
    fn count(&self, sign: Sign) -> usize {
        self.lines.iter().filter(|line| line.sign == sign).count()
    }

    /// The file and how much of it changes.
    pub(crate) fn title(&self, theme: Theme) -> Vec<Span<'static>> {
        vec![
            Span::styled(harmless::one_line(&self.path), theme.strong()),
            Span::styled(format!(" +{}", self.count(Sign::Added)), theme.good()),
            Span::styled(format!(" -{}", self.count(Sign::Removed)), theme.bad()),
        ]
    }

    /// All of its lines, with their numbers.
    pub(crate) fn rows(&self, columns: usize, theme: Theme) -> Vec<Line<'static>> {
        let digits = self.digits();
        self.lines.iter().flat_map(|line| row(line, digits, columns, theme)).collect()
    }

    /// The same as whole lines of text, in which nothing needs a colour to be understood.
    pub(crate) fn plain(&self) -> String {
        let (digits, added, removed) = (self.digits(), self.count(Sign::Added), self.count(Sign::Removed));
        let mut text =
            format!("File {}: {added} lines added, {removed} removed.\n", harmless::one_line(&self.path));
        for line in &self.lines {
            let sign = match line.sign {
                Sign::Added => '+',
                Sign::Removed => '-',
                Sign::Kept => ' ',
                Sign::Gap => {
                    text.push_str("(unchanged lines)\n");
                    continue;
                }
            };
            text.push_str(&format!("{:>digits$} {sign} {}\n", line.number, exact(&line.text)));
        }
        text
    }

    fn digits(&self) -> usize {
        let largest = self.lines.iter().map(|line| line.number).max().unwrap_or_default();
        largest.to_string().len().max(2)
    }
}

/// A line as it is, on one line.
fn exact(text: &str) -> String {
    harmless::exact(text).replace('\n', "␊")
}

fn row(line: &ChangeLine, digits: usize, columns: usize, theme: Theme) -> Vec<Line<'static>> {
    let (sign, style) = match line.sign {
        Sign::Added => ("+", theme.good()),
        Sign::Removed => ("-", theme.bad()),
        Sign::Kept => (" ", theme.text()),
        Sign::Gap => return vec![Line::styled(format!("{:>digits$}", "⋮"), theme.dim())],
    };
    let gutter = Span::styled(format!("{:>digits$} {sign} ", line.number), style);
    let below = Span::raw(" ".repeat(digits + 3));
    let text = [Span::styled(exact(&line.text), style)];
    if columns <= digits + 4 {
        return chop(&text, columns);
    }
    hang(chop(&text, columns - digits - 3), &gutter, &below)
}
