//! Code between fences, a line at a time: a line of code is finished as soon as it is whole. Never waits for the closing fence.

use ratatui::text::{Line, Span};

use crate::code::Colours;
use crate::theme::Theme;
use crate::wrap::{chop, hang};

/// Code that stands open.
#[derive(Clone)]
pub(super) struct Fence {
    mark: char,
    length: usize,
    indent: usize,
    colours: Colours,
}

impl std::fmt::Debug for Fence {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Fence").field("mark", &self.mark).field("length", &self.length).finish()
    }
}

impl Fence {
    /// The fence that the first line of `text` is.
    pub(super) fn open(text: &str, theme: Theme) -> Option<Fence> {
        let (line, _) = text.split_once('\n')?;
        let line = line.trim_end_matches('\r');
        let (indent, mark, length, info) = parts(line)?;
        let fits = length >= 3 && indent <= 3 && !(mark == '`' && info.contains('`'));
        fits.then(|| Fence { mark, length, indent, colours: Colours::of(info.trim(), theme) })
    }

    /// Whether a line ends the code.
    pub(super) fn is_closed_by(&self, line: &str) -> bool {
        parts(line).is_some_and(|(indent, mark, length, info)| {
            indent <= 3 && mark == self.mark && length >= self.length && info.trim().is_empty()
        })
    }

    /// The rows of one line of code.
    pub(super) fn line(&mut self, line: &str, columns: usize) -> Vec<Line<'static>> {
        let blanks = line.len() - line.trim_start_matches(' ').len();
        let line = line.get(blanks.min(self.indent)..).unwrap_or_default();
        let margin = Span::raw(if columns > 12 { "  " } else { "" });
        let inner = columns.saturating_sub(margin.content.len());
        hang(chop(&self.colours.line(line), inner), &margin, &margin)
    }
}

/// The indent, the mark, how many of it there are, and what stands behind.
fn parts(line: &str) -> Option<(usize, char, usize, &str)> {
    let bare = line.trim_start_matches(' ');
    let mark = bare.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let info = bare.trim_start_matches(mark);
    Some((line.len() - bare.len(), mark, bare.len() - info.len(), info))
}
