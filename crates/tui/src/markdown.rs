//! An answer in markdown while it arrives. What is finished is given out once and never changes; only the last block moves. Never
//! gives other lines for the same text, however it was cut on its way.

mod fence;
mod paint;
mod table;
mod unit;

use ratatui::text::Line;

use crate::harmless;
use crate::theme::Theme;
use fence::Fence;
use paint::paint;

/// A block that is longer than this is not waited for.
const HELD_MAX: usize = 16 << 10;

/// Markdown that arrives in pieces.
#[derive(Debug)]
pub struct Markdown {
    theme: Theme,
    /// What is not given out yet.
    held: String,
    /// The code that stands open.
    fence: Option<Fence>,
    /// What the next rows must be kept apart from.
    seam: Seam,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Seam {
    /// Nothing was given out yet.
    Beginning,
    /// A blank row belongs between.
    Apart,
    /// The next one belongs to the same list.
    Close,
}

impl Markdown {
    /// Nothing yet.
    pub fn new(theme: Theme) -> Markdown {
        Markdown { theme, held: String::new(), fence: None, seam: Seam::Beginning }
    }

    /// Takes the next words.
    pub fn push(&mut self, words: &str) {
        self.held.push_str(words);
    }

    /// Whether nothing waits.
    pub fn is_empty(&self) -> bool {
        self.held.trim().is_empty() && self.fence.is_none()
    }

    /// The rows that are finished by now.
    pub fn finished(&mut self, columns: usize) -> Vec<Line<'static>> {
        let mut rows = Vec::new();
        while let Some(mut more) = self.next_unit(columns) {
            rows.append(&mut more);
        }
        rows
    }

    /// The rest, as if nothing more came.
    pub fn end(&mut self, columns: usize) -> Vec<Line<'static>> {
        if !self.held.is_empty() && !self.held.ends_with('\n') {
            self.held.push('\n');
        }
        let mut rows = self.finished(columns);
        rows.append(&mut self.tail(columns));
        *self = Markdown::new(self.theme);
        rows
    }

    /// What stands below the finished rows for now.
    pub fn tail(&self, columns: usize) -> Vec<Line<'static>> {
        if self.held.is_empty() || (self.held.trim().is_empty() && self.fence.is_none()) {
            return Vec::new();
        }
        let mut copy = Markdown {
            theme: self.theme,
            held: self.held.clone(),
            fence: self.fence.clone(),
            seam: self.seam,
        };
        let mut rows = Vec::new();
        if let Some(fence) = &mut copy.fence {
            rows.extend(fence.line(&harmless::shown(&copy.held), columns));
        } else if let Some(fence) = Fence::open(&copy.held, self.theme) {
            copy.apart(&mut rows);
            let body = copy.held.split_once('\n').map_or("", |(_, body)| body);
            let mut fence = fence;
            rows.extend(body.lines().flat_map(|line| fence.line(&harmless::shown(line), columns)));
        } else {
            let mut painted = paint(&harmless::shown(&copy.held), columns, self.theme);
            if !painted.is_empty() {
                copy.apart(&mut rows);
                rows.append(&mut painted);
            }
        }
        rows
    }

    /// The rows of the first thing that is finished.
    fn next_unit(&mut self, columns: usize) -> Option<Vec<Line<'static>>> {
        if self.fence.is_some() {
            return self.fence_line(columns);
        }
        let blank = self.held.len() - self.held.trim_start_matches('\n').len();
        drop(self.held.drain(..blank));
        let lines = self.held.rfind('\n').map(|end| end + 1)?;
        let whole = self.held.get(..lines)?;
        if let Some(fence) = Fence::open(whole, self.theme) {
            let first = whole.find('\n').map_or(lines, |end| end + 1);
            drop(self.held.drain(..first));
            self.fence = Some(fence);
            let mut rows = Vec::new();
            self.apart(&mut rows);
            self.seam = Seam::Apart;
            return Some(rows);
        }
        let window = whole.get(..line_end(whole, HELD_MAX))?;
        let (length, seam) = match unit::first(window) {
            Some(unit) => (unit.length, if unit.is_item { Seam::Close } else { Seam::Apart }),
            None if lines > HELD_MAX => (window.len(), Seam::Apart),
            None => return None,
        };
        let source: String = self.held.drain(..length).collect();
        let mut rows = Vec::new();
        let mut painted = paint(&harmless::shown(&source), columns, self.theme);
        if !painted.is_empty() {
            self.apart(&mut rows);
            rows.append(&mut painted);
            self.seam = seam;
        }
        Some(rows)
    }

    /// The next line of the code that stands open.
    fn fence_line(&mut self, columns: usize) -> Option<Vec<Line<'static>>> {
        let end = self.held.find('\n')?;
        let line: String = self.held.drain(..=end).collect();
        let line = line.trim_end_matches(['\n', '\r']);
        let fence = self.fence.as_mut()?;
        if fence.is_closed_by(line) {
            self.fence = None;
            return Some(Vec::new());
        }
        Some(fence.line(&harmless::shown(line), columns))
    }

    fn apart(&self, rows: &mut Vec<Line<'static>>) {
        if self.seam == Seam::Apart {
            rows.push(Line::default());
        }
    }
}

/// The end of the line that stands at `at`.
fn line_end(text: &str, at: usize) -> usize {
    let after = text.as_bytes().get(at..).unwrap_or_default();
    after.iter().position(|byte| *byte == b'\n').map_or(text.len(), |end| at + end + 1)
}

/// A whole text as rows.
pub fn rendered(text: &str, columns: usize, theme: Theme) -> Vec<Line<'static>> {
    let mut markdown = Markdown::new(theme);
    markdown.push(text);
    markdown.end(columns)
}
