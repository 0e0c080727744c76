//! The one writer to the terminal. Finished rows go above and are the terminal's own from then on; below them a small region is drawn
//! anew, only where it changed. Never asks the terminal anything, and never writes a byte that is not ours.

mod style;

use std::io::{Result, Write};

use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::Rect;
use ratatui::text::Line;

use crate::live::Picture;
use style::escape;

/// The terminal takes all that follows as one picture, if it can.
const BEGIN: &str = "\x1b[?2026h\x1b[?25l";
const END: &str = "\x1b[?2026l";

/// Writes pictures.
#[derive(Debug)]
pub struct Screen<W: Write> {
    out: W,
    columns: u16,
    /// What stands in the live region.
    drawn: Vec<String>,
    /// The columns that each of its rows takes.
    widths: Vec<usize>,
    /// Where the cursor stands in it.
    cursor: (usize, usize),
}

impl<W: Write> Screen<W> {
    /// A screen that begins where the cursor stands, at the beginning of a line.
    pub fn new(out: W, columns: u16) -> Screen<W> {
        Screen { out, columns: columns.max(1), drawn: Vec::new(), widths: Vec::new(), cursor: (0, 0) }
    }

    /// What it writes to.
    pub fn out(&mut self) -> &mut W {
        &mut self.out
    }

    /// Puts finished rows above, and the picture below them.
    ///
    /// # Errors
    ///
    /// The terminal is gone.
    pub fn draw(&mut self, finished: &[Line<'_>], live: &Picture) -> Result<()> {
        let painted: Vec<(String, usize)> = live.rows.iter().map(|row| paint(row, self.columns)).collect();
        let rows: Vec<String> = painted.iter().map(|(text, _)| text.clone()).collect();
        let last = rows.len().saturating_sub(1);
        let cursor =
            live.cursor.map_or((0, last), |(x, y)| (x.min(usize::from(self.columns) - 1), y.min(last)));
        if finished.is_empty() && rows == self.drawn && cursor == self.cursor {
            return Ok(());
        }
        let mut bytes = String::from(BEGIN);
        self.home(&mut bytes);
        if !finished.is_empty() {
            bytes.push_str("\x1b[J");
            self.drawn.clear();
            for row in finished {
                bytes.push_str(&paint(row, self.columns).0);
                bytes.push_str("\r\n");
            }
        } else if rows.len() < self.drawn.len() {
            bytes.push_str(&format!("{}\x1b[J{}", down(rows.len()), up(rows.len())));
        }
        for (index, row) in rows.iter().enumerate() {
            if index > 0 {
                bytes.push_str("\r\n");
            }
            if self.drawn.get(index) != Some(row) {
                bytes.push_str("\x1b[2K");
                bytes.push_str(row);
            }
        }
        bytes.push('\r');
        bytes.push_str(&up(last - cursor.1));
        bytes.push_str(&right(cursor.0));
        if live.cursor.is_some() {
            bytes.push_str("\x1b[?25h");
        }
        bytes.push_str(END);
        self.widths = painted.into_iter().map(|(_, width)| width).collect();
        (self.drawn, self.cursor) = (rows, cursor);
        self.out.write_all(bytes.as_bytes())?;
        self.out.flush()
    }

    /// The terminal has another size. It may have broken our rows into more of them, so that they begin further up.
    ///
    /// # Errors
    ///
    /// The terminal is gone.
    pub fn resize(&mut self, columns: u16) -> Result<()> {
        self.columns = columns.max(1);
        let columns = usize::from(self.columns);
        let above: usize =
            self.widths.iter().take(self.cursor.1).map(|width| width.div_ceil(columns).max(1)).sum();
        self.cursor = (0, above + self.cursor.0 / columns);
        self.forget()
    }

    /// The terminal was too small for any picture, and nobody knows where things stand: what is there scrolls away, and the region
    /// begins below it.
    ///
    /// # Errors
    ///
    /// The terminal is gone.
    pub fn start_over(&mut self, columns: u16) -> Result<()> {
        self.columns = columns.max(1);
        self.drawn.clear();
        self.widths.clear();
        self.cursor = (0, 0);
        self.out.write_all(b"\x1b[999B\r\n\x1b[?25h")
    }

    /// Takes the live region away. The cursor stands at the beginning of a line.
    ///
    /// # Errors
    ///
    /// The terminal is gone.
    pub fn forget(&mut self) -> Result<()> {
        let mut bytes = String::new();
        self.home(&mut bytes);
        bytes.push_str("\x1b[J\x1b[?25h");
        self.drawn.clear();
        self.widths.clear();
        self.cursor = (0, 0);
        self.out.write_all(bytes.as_bytes())?;
        self.out.flush()
    }

    /// To the first row of the live region.
    fn home(&self, bytes: &mut String) {
        bytes.push('\r');
        bytes.push_str(&up(self.cursor.1));
    }
}

fn up(rows: usize) -> String {
    if rows == 0 { String::new() } else { format!("\x1b[{rows}A") }
}

fn down(rows: usize) -> String {
    if rows == 0 { String::new() } else { format!("\x1b[{rows}B") }
}

fn right(columns: usize) -> String {
    if columns == 0 { String::new() } else { format!("\x1b[{columns}C") }
}

/// A row as bytes, through a buffer of one row, so that nothing can be wider than the terminal; and the columns that it takes.
fn paint(row: &Line<'_>, columns: u16) -> (String, usize) {
    let mut buffer = Buffer::empty(Rect::new(0, 0, columns, 1));
    buffer.set_line(0, 0, row, columns);
    let is_blank = |cell: &Cell| cell.symbol() == " " && cell.modifier.is_empty();
    let used = buffer.content.iter().rposition(|cell| !is_blank(cell)).map_or(0, |last| last + 1);
    let (mut text, mut style, mut skip) = (String::new(), None, 0);
    for cell in buffer.content.iter().take(used) {
        if skip > 0 {
            skip -= 1;
            continue;
        }
        let next = cell.style();
        if style != Some(next) {
            text.push_str(&escape(next));
            style = Some(next);
        }
        text.push_str(cell.symbol());
        skip = crate::wrap::width(cell.symbol()).saturating_sub(1);
    }
    if used > 0 {
        text.push_str("\x1b[0m");
    }
    (text, used)
}
