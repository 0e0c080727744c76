//! What the output of a program means. Never fails on a line that it does not know: programs grow new ones, and warn among them.

mod claude;
mod codex;
mod gemini;
mod opencode;
mod whole;

use serde_json::Value;

use super::lines::{LINE_MAX, Lines};
use super::plain::Plain;
use super::spec::Format;
use super::telling::Telling;

/// Reads the output of one answer.
pub(super) trait Reader: Send {
    /// Takes what came, and tells what it means.
    fn take(&mut self, bytes: &[u8], telling: &mut Telling<'_>) -> Result<(), TooMuch>;

    /// There is no more.
    fn finish(&mut self, telling: &mut Telling<'_>);
}

/// The output is larger than any honest one.
#[derive(Debug, thiserror::Error)]
pub(super) enum TooMuch {
    #[error("a line of more than {} MB", LINE_MAX >> 20)]
    Line,
    #[error("more than anybody reads")]
    Answer,
}

/// A language of lines of JSON.
trait Dialect: Send {
    /// Takes one event.
    fn hear(&mut self, event: &Value, telling: &mut Telling<'_>);

    /// Whether what was heard so far is a whole answer. A program that is cut off may well exit as if nothing had happened.
    fn is_whole(&self) -> bool;
}

/// The reader for a format.
pub(super) fn reader(format: &Format) -> Box<dyn Reader> {
    match format {
        // An agent behind a protocol is no program whose output is read; whoever asks gets its words as they are.
        Format::Text | Format::Acp => Box::new(Text::default()),
        Format::Json { text, session } => Box::new(whole::Whole::new(text, session.as_deref())),
        Format::Claude => events(claude::Claude::default()),
        Format::Codex => events(codex::Codex::default()),
        Format::Gemini => events(gemini::Gemini::default()),
        Format::Opencode => events(opencode::Opencode::default()),
    }
}

fn events(dialect: impl Dialect + 'static) -> Box<dyn Reader> {
    Box::new(Events { lines: Lines::default(), dialect })
}

/// All that is printed is the answer.
#[derive(Default)]
struct Text {
    plain: Plain,
}

impl Reader for Text {
    fn take(&mut self, bytes: &[u8], telling: &mut Telling<'_>) -> Result<(), TooMuch> {
        telling.text(&self.plain.take(bytes));
        if telling.is_full() { Err(TooMuch::Answer) } else { Ok(()) }
    }

    fn finish(&mut self, _: &mut Telling<'_>) {}
}

/// Each line is an event.
struct Events<D> {
    lines: Lines,
    dialect: D,
}

impl<D: Dialect> Events<D> {
    fn line(&mut self, line: &str, telling: &mut Telling<'_>) {
        match serde_json::from_str::<Value>(line) {
            Ok(event) if event.is_object() => self.dialect.hear(&event, telling),
            Ok(_) | Err(_) => telling.garbage(line),
        }
    }
}

impl<D: Dialect> Reader for Events<D> {
    fn take(&mut self, bytes: &[u8], telling: &mut Telling<'_>) -> Result<(), TooMuch> {
        for line in self.lines.take(bytes).map_err(|_| TooMuch::Line)? {
            self.line(&line, telling);
        }
        if telling.is_full() { Err(TooMuch::Answer) } else { Ok(()) }
    }

    fn finish(&mut self, telling: &mut Telling<'_>) {
        if let Some(line) = self.lines.finish() {
            self.line(&line, telling);
        }
        if !self.dialect.is_whole() {
            telling.cut_off();
        }
    }
}

/// The text at a place in an event; nothing if there is none.
fn text<'a>(event: &'a Value, pointer: &str) -> &'a str {
    event.pointer(pointer).and_then(Value::as_str).unwrap_or_default()
}

/// The number at a place in an event.
fn number(event: &Value, pointer: &str) -> Option<u64> {
    event.pointer(pointer)?.as_u64()
}
