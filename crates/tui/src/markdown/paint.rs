//! Finished markdown as styled rows. Never obeys what stands in it: markup of web pages is shown as text, and links are not followed.

use pulldown_cmark::{CodeBlockKind, Event, HeadingLevel, Parser, Tag, TagEnd};
use ratatui::style::{Modifier, Style};
use ratatui::text::{Line, Span};

use super::table::Table;
use super::unit::options;
use crate::code::Colours;
use crate::theme::Theme;
use crate::wrap::{chop, hang, width, wrap};

/// The deepest indent; more would leave no room for words.
const INDENT_MAX: usize = 24;

/// The rows of a text.
pub(super) fn paint(text: &str, columns: usize, theme: Theme) -> Vec<Line<'static>> {
    let mut painter = Painter {
        theme,
        columns: columns.max(1),
        rows: Vec::new(),
        words: Vec::new(),
        styles: Vec::new(),
        margins: Vec::new(),
        lists: Vec::new(),
        code: None,
        table: None,
        link: None,
        is_apart: false,
    };
    for event in Parser::new_ext(text, options()) {
        painter.take(event);
    }
    painter.flush();
    painter.rows
}

/// What stands at the left of all rows of a block.
struct Margin {
    /// Before its first row.
    first: Option<Span<'static>>,
    /// Before the others.
    rest: Span<'static>,
}

struct Painter {
    theme: Theme,
    columns: usize,
    rows: Vec<Line<'static>>,
    /// The words of the paragraph that is read.
    words: Vec<Span<'static>>,
    styles: Vec<Style>,
    margins: Vec<Margin>,
    /// The number of the next item, for each list around.
    lists: Vec<Option<u64>>,
    /// A language and its code.
    code: Option<(String, String)>,
    table: Option<Table>,
    link: Option<String>,
    /// Whether a blank row belongs before the next block.
    is_apart: bool,
}

impl Painter {
    fn take(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.open(tag),
            Event::End(tag) => self.close(tag),
            Event::Text(text) => match &mut self.code {
                Some((_, code)) => code.push_str(&text),
                None => self.say(&text),
            },
            Event::Code(code) => {
                let style = self.style().patch(self.theme.code());
                self.words.push(Span::styled(code.replace('\n', " "), style));
            }
            Event::Html(text) | Event::InlineHtml(text) => self.markup(&text),
            Event::SoftBreak => self.say(" "),
            Event::HardBreak => self.flush(),
            Event::Rule => {
                self.block();
                let rule = "─".repeat(self.room().min(40));
                self.words.push(Span::styled(rule, self.theme.dim()));
                self.flush();
            }
            Event::TaskListMarker(done) => self.say(if done { "☑ " } else { "☐ " }),
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => {
                self.say(&text);
            }
        }
    }

    fn open(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph => self.block(),
            Tag::HtmlBlock => self.block(),
            Tag::Heading { level, .. } => {
                self.block();
                let style = self.theme.heading();
                let is_top = level == HeadingLevel::H1;
                self.styles.push(if is_top { style.add_modifier(Modifier::UNDERLINED) } else { style });
            }
            Tag::BlockQuote(_) => {
                self.block();
                self.margins.push(Margin { first: None, rest: Span::styled("▎ ", self.theme.dim()) });
            }
            Tag::CodeBlock(kind) => {
                self.block();
                let language = match kind {
                    CodeBlockKind::Fenced(info) => info.into_string(),
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((language, String::new()));
            }
            Tag::List(start) => {
                if self.lists.is_empty() {
                    self.block();
                } else {
                    self.flush();
                    self.is_apart = false;
                }
                self.lists.push(start);
            }
            Tag::Item => self.item(),
            Tag::Table(alignments) => {
                self.block();
                self.table = Some(Table { alignments, rows: Vec::new() });
            }
            Tag::TableHead | Tag::TableRow => {
                if let Some(table) = &mut self.table {
                    table.rows.push(Vec::new());
                }
            }
            Tag::Emphasis => self.styles.push(Style::new().add_modifier(Modifier::ITALIC)),
            Tag::Strong => self.styles.push(self.theme.strong()),
            Tag::Strikethrough => self.styles.push(Style::new().add_modifier(Modifier::CROSSED_OUT)),
            Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. } => {
                self.link = Some(dest_url.into_string());
                self.styles.push(self.theme.link());
            }
            _ => {}
        }
    }

    fn close(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.flush(),
            TagEnd::Heading(_) => {
                self.flush();
                self.styles.pop();
            }
            TagEnd::BlockQuote(_) => {
                self.flush();
                drop(self.margins.pop());
            }
            TagEnd::CodeBlock => self.end_code(),
            TagEnd::List(_) => {
                self.flush();
                self.lists.pop();
                self.is_apart = self.lists.is_empty();
            }
            TagEnd::Item => {
                self.flush();
                // An item without words still has its mark.
                if self.margins.last().is_some_and(|margin| margin.first.is_some()) {
                    self.push(vec![Line::default()]);
                }
                drop(self.margins.pop());
                self.is_apart = false;
            }
            TagEnd::Table => {
                if let Some(table) = self.table.take() {
                    let drawn = table.draw(self.room(), self.theme);
                    self.push(drawn);
                }
            }
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.words);
                if let Some(row) = self.table.as_mut().and_then(|table| table.rows.last_mut()) {
                    row.push(cell);
                }
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {
                self.styles.pop();
            }
            TagEnd::Link | TagEnd::Image => self.end_link(),
            _ => {}
        }
    }

    /// A new block begins.
    fn block(&mut self) {
        self.flush();
        let is_first_of_item = self.margins.iter().any(|margin| margin.first.is_some());
        if self.is_apart && !self.rows.is_empty() && !is_first_of_item {
            let margins: Vec<Span<'static>> = self.margins.iter().map(|margin| margin.rest.clone()).collect();
            self.rows.extend(chop(&margins, self.columns).into_iter().take(1));
        }
        self.is_apart = true;
    }

    fn item(&mut self) {
        self.flush();
        self.is_apart = false;
        let depth = self.lists.len();
        let mark = match self.lists.last_mut() {
            Some(Some(number)) => {
                let mark = format!("{number}. ");
                *number = number.saturating_add(1);
                mark
            }
            Some(None) | None => if depth % 2 == 1 { "• " } else { "◦ " }.to_owned(),
        };
        let indent: usize = self.margins.iter().map(|margin| width(&margin.rest.content)).sum();
        let rest = if indent >= INDENT_MAX { 0 } else { width(&mark) };
        self.margins.push(Margin {
            first: Some(Span::styled(mark, self.theme.accent())),
            rest: Span::raw(" ".repeat(rest)),
        });
    }

    fn end_code(&mut self) {
        let Some((language, code)) = self.code.take() else { return };
        let mut colours = Colours::of(&language, self.theme);
        let room = self.room().saturating_sub(2).max(1);
        let margin = Span::raw(if self.room() > 12 { "  " } else { "" });
        let rows = code.lines().flat_map(|line| hang(chop(&colours.line(line), room), &margin, &margin));
        let rows = rows.collect();
        self.push(rows);
    }

    /// The address behind the words, unless it is the words.
    fn end_link(&mut self) {
        self.styles.pop();
        let Some(address) = self.link.take() else { return };
        let said: String = self.words.iter().map(|span| span.content.as_ref()).collect();
        if !address.is_empty() && !said.ends_with(address.trim_start_matches("mailto:")) {
            self.words.push(Span::styled(format!(" ({address})"), self.theme.dim()));
        }
    }

    fn markup(&mut self, text: &str) {
        for (index, line) in text.trim_end_matches('\n').split('\n').enumerate() {
            if index > 0 {
                self.flush();
            }
            self.words.push(Span::styled(line.to_owned(), self.theme.dim()));
        }
        if text.ends_with('\n') {
            self.flush();
        }
    }

    fn say(&mut self, text: &str) {
        let style = self.style();
        let mut lines = text.split('\n');
        if let Some(first) = lines.next() {
            self.words.push(Span::styled(first.to_owned(), style));
        }
        for line in lines {
            self.flush();
            self.words.push(Span::styled(line.to_owned(), style));
        }
    }

    fn style(&self) -> Style {
        self.styles.iter().fold(self.theme.text(), |whole, style| whole.patch(*style))
    }

    /// The columns that are left beside the margins.
    fn room(&self) -> usize {
        let margins: usize = self.margins.iter().map(|margin| width(&margin.rest.content)).sum();
        self.columns.saturating_sub(margins).max(1)
    }

    /// The paragraph that was read becomes rows.
    fn flush(&mut self) {
        if self.table.is_some() || self.words.is_empty() {
            return;
        }
        let words = std::mem::take(&mut self.words);
        let rows = wrap(&words, self.room());
        self.push(rows);
    }

    /// Adds rows, with what stands at their left.
    fn push(&mut self, rows: Vec<Line<'static>>) {
        for row in rows {
            let mut spans: Vec<Span<'static>> = Vec::new();
            for margin in &mut self.margins {
                spans.push(margin.first.take().unwrap_or_else(|| margin.rest.clone()));
            }
            spans.extend(row.spans);
            let whole = chop(&spans, self.columns);
            self.rows.extend(whole);
        }
    }
}
