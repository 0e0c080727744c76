//! The keys and values of a frontmatter block with their places in the text. Never knows what a key means, and never
//! expands an alias: a value is either one scalar, a map of scalars, or named by its kind only.

use std::borrow::Cow;
use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};

use super::Diagnostic;
use crate::markdown;
use crate::text;

/// A block above this size is not settings; it is not read.
const BYTES_MAX: usize = 64 * 1024;
/// The line after the opening fence.
const FIRST_LINE: usize = 2;

/// What a block holds.
#[derive(Debug, Default)]
pub(super) struct Block {
    /// The text between the fences.
    pub(super) inner: Range<usize>,
    pub(super) entries: Vec<Entry>,
    pub(super) shape: Shape,
    /// Why the rest of the block was not read.
    pub(super) broken: Option<Diagnostic>,
}

/// What the text at the top is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Shape {
    /// No frontmatter.
    #[default]
    Absent,
    /// Opened, but never closed.
    Unclosed,
    /// Nothing but blanks and comments.
    Empty,
    /// `key: value`, line by line.
    Lines,
    /// `{key: value}`.
    Braces,
    /// Something that has no keys.
    Other,
}

/// A key and its value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) key: String,
    /// The range of the key in the whole text.
    pub(super) range: Range<usize>,
    /// The line of the key in the whole text, counted from one.
    pub(super) line: usize,
    pub(super) value: Value,
}

/// The value of a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Value {
    /// Nothing, `~` or `null`; the range is empty if nothing is written.
    Null(Range<usize>),
    Scalar {
        text: String,
        is_plain: bool,
        range: Range<usize>,
    },
    Map(Vec<Entry>),
    Sequence,
    Alias,
}

/// Reads the frontmatter of a document.
pub(super) fn read(text: &str) -> Block {
    let Some(block) = markdown::frontmatter_block(text) else {
        return unclosed(text);
    };
    let start = text::line_end(text, block.start);
    let last = text.get(..block.end).unwrap_or_default().trim_end_matches(['\n', '\r']).len();
    let inner = start..text::line_start(text, last).max(start);
    let mut reader = Reader::new(text, inner.clone());
    if inner.len() > BYTES_MAX {
        let message = format!("the frontmatter is larger than {BYTES_MAX} bytes and is not read");
        reader.block.broken = Some(Diagnostic { line: 1, message });
        reader.block.shape = Shape::Other;
    } else {
        reader.run(text.get(inner).unwrap_or_default());
    }
    reader.block
}

/// A first line `---` that nothing closes is a rule, unless a `key:` follows it.
fn unclosed(text: &str) -> Block {
    let body = text::without_bom(text);
    let mut lines = body.split(['\n', '\r']).filter(|line| !line.is_empty());
    let is_opened = body.starts_with("---") && lines.next().is_some_and(|line| line.trim_end() == "---");
    let is_key = |line: &str| line.split_once(':').is_some_and(|(key, rest)| is_name(key) && is_gap(rest));
    if !is_opened || !lines.next().is_some_and(is_key) {
        return Block::default();
    }
    let message = "the frontmatter is never closed by a line `---`, so it is read as text".to_owned();
    Block { shape: Shape::Unclosed, broken: Some(Diagnostic { line: 1, message }), ..Block::default() }
}

/// Whether `key` is a name that needs no quotes.
pub(super) fn is_name(key: &str) -> bool {
    key.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && key.chars().all(|character| character.is_ascii_alphanumeric() || matches!(character, '_' | '-'))
}

fn is_gap(rest: &str) -> bool {
    rest.is_empty() || rest.starts_with([' ', '\t'])
}

/// Builds the entries from the parser's events; `depth` counts the open maps and sequences.
struct Reader<'t> {
    text: &'t str,
    start: usize,
    /// Byte offset in the block of each of its characters: the parser counts in characters.
    offsets: Vec<usize>,
    depth: usize,
    key: Option<(String, Range<usize>, usize)>,
    inner_key: Option<(String, Range<usize>, usize)>,
    block: Block,
}

impl<'t> Reader<'t> {
    fn new(text: &'t str, inner: Range<usize>) -> Self {
        let source = text.get(inner.clone()).unwrap_or_default();
        let offsets = if inner.len() > BYTES_MAX {
            Vec::new()
        } else {
            source.char_indices().map(|(at, _)| at).collect()
        };
        Self {
            text,
            start: inner.start,
            offsets,
            depth: 0,
            key: None,
            inner_key: None,
            block: Block { inner, shape: Shape::Empty, ..Block::default() },
        }
    }

    fn run(&mut self, source: &'t str) {
        let mut parser = Parser::new_from_str(source);
        let mut documents = 0;
        while let Some(next) = parser.next_event() {
            match next {
                Ok((Event::DocumentStart(_), span)) => {
                    documents += 1;
                    if documents > 1 {
                        self.fail(span.start.line(), "a second YAML document begins here");
                        return;
                    }
                }
                Ok((event, span)) => self.take(event, span),
                Err(error) => {
                    let line = error.marker().line();
                    self.fail(line, error.info());
                    return;
                }
            }
        }
    }

    fn fail(&mut self, line: usize, reason: &str) {
        let line = self.blamed_line(file_line(line), reason);
        let message = format!("the frontmatter is not valid YAML from here on: {reason}");
        self.block.broken = Some(Diagnostic { line, message });
    }

    /// The line that a person must look at. The parser names the fence if something is left open, and the value before a
    /// line that is indented with a tab.
    fn blamed_line(&self, named: usize, reason: &str) -> usize {
        let inner = self.text.get(self.block.inner.clone()).unwrap_or_default().trim_end();
        let last = text::position(self.text, self.start + inner.len()).line;
        let lines = inner.split(['\n', '\r']).filter(|line| !line.is_empty()).zip(FIRST_LINE..);
        let indented_with_tab = |&(line, number): &(&str, usize)| number >= named && line.starts_with('\t');
        let tabbed = if reason.contains("tab") { lines.clone().find(indented_with_tab) } else { None };
        tabbed.map_or(named, |(_, number)| number).min(last)
    }

    fn range(&self, span: Span) -> Range<usize> {
        let at = |index: usize| self.offsets.get(index).map_or(self.block.inner.end, |at| self.start + at);
        let start = at(span.start.index());
        start..at(span.end.index()).max(start)
    }

    /// The range of a scalar. The parser's end of a quoted one lies behind the blanks and the comment that follow it.
    fn scalar_range(&self, style: ScalarStyle, span: Span) -> Range<usize> {
        let range = self.range(span);
        let quote = match style {
            ScalarStyle::SingleQuoted => '\'',
            ScalarStyle::DoubleQuoted => '"',
            ScalarStyle::Plain | ScalarStyle::Literal | ScalarStyle::Folded => return range,
        };
        let source = self.text.get(range.clone()).unwrap_or_default();
        let end = quoted_length(source, quote).unwrap_or(source.len());
        range.start..range.start + end
    }

    fn take(&mut self, event: Event<'t>, span: Span) {
        match event {
            Event::MappingStart(..) => {
                self.open(Value::Map(Vec::new()), span);
                self.depth += 1;
            }
            Event::SequenceStart(..) => {
                self.open(Value::Sequence, span);
                self.depth += 1;
            }
            Event::MappingEnd | Event::SequenceEnd => self.depth = self.depth.saturating_sub(1),
            Event::Alias(_) => self.open(Value::Alias, span),
            Event::Scalar(content, style, _, _) => {
                let value = scalar(content, style, self.scalar_range(style, span));
                self.open(value, span);
            }
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_)
            | Event::DocumentEnd => {}
        }
    }

    /// Takes a value that begins, as a key or as a value of the key before it.
    fn open(&mut self, value: Value, span: Span) {
        match self.depth {
            0 => self.block.shape = self.shape_of(&value, span),
            1 if matches!(self.block.shape, Shape::Lines | Shape::Braces) => match self.key.take() {
                None => self.key = Some(self.named(&value, span)),
                Some(key) => self.block.entries.push(entry(key, value)),
            },
            2 => self.open_inner(value, span),
            _ => {}
        }
    }

    /// A key or value of a map that is itself a value. One in a key is of no use to us.
    fn open_inner(&mut self, value: Value, span: Span) {
        let is_map = matches!(self.block.entries.last(), Some(Entry { value: Value::Map(_), .. }));
        if self.key.is_some() || !is_map {
            return;
        }
        let Some(key) = self.inner_key.take() else {
            self.inner_key = Some(self.named(&value, span));
            return;
        };
        if let Some(Entry { value: Value::Map(map), .. }) = self.block.entries.last_mut() {
            map.push(entry(key, value));
        }
    }

    fn shape_of(&self, value: &Value, span: Span) -> Shape {
        let is_braces = self.text.get(self.range(span).start..).is_some_and(|rest| rest.starts_with('{'));
        match value {
            Value::Map(_) if is_braces => Shape::Braces,
            Value::Map(_) => Shape::Lines,
            Value::Null(range) if range.is_empty() => Shape::Empty,
            Value::Null(_) | Value::Scalar { .. } | Value::Sequence | Value::Alias => Shape::Other,
        }
    }

    fn named(&self, value: &Value, span: Span) -> (String, Range<usize>, usize) {
        let name = match value {
            Value::Scalar { text, .. } => text.clone(),
            Value::Null(_) | Value::Map(_) | Value::Sequence | Value::Alias => String::new(),
        };
        (name, self.range(span), file_line(span.start.line()))
    }
}

/// The line in the whole text of a line that the parser counted in the block.
fn file_line(parsed: usize) -> usize {
    parsed.saturating_sub(1) + FIRST_LINE
}

fn entry((key, range, line): (String, Range<usize>, usize), value: Value) -> Entry {
    Entry { key, range, line, value }
}

fn scalar(content: Cow<'_, str>, style: ScalarStyle, range: Range<usize>) -> Value {
    let is_plain = style == ScalarStyle::Plain;
    if is_plain && matches!(content.as_ref(), "" | "~" | "null" | "Null" | "NULL") {
        let range = if content.is_empty() { range.start..range.start } else { range };
        return Value::Null(range);
    }
    Value::Scalar { text: content.into_owned(), is_plain, range }
}

/// How far a quoted scalar at the start of `source` reaches, both quotes included.
fn quoted_length(source: &str, quote: char) -> Option<usize> {
    let mut characters = source.char_indices().skip(1).peekable();
    while let Some((at, character)) = characters.next() {
        if character == '\\' && quote == '"' {
            characters.next();
        } else if character == quote
            && (quote == '"' || characters.next_if(|&(_, next)| next == quote).is_none())
        {
            return Some(at + 1);
        }
    }
    None
}
