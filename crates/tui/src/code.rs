//! Colours for code, by the few things that almost all languages share: comments, strings, numbers, keywords. Linear in the text,
//! whatever stands in it, and never changes a letter.

use ratatui::style::Style;
use ratatui::text::Span;

use crate::theme::Theme;

/// What makes a family of languages.
struct Family {
    names: &'static [&'static str],
    line_comments: &'static [&'static str],
    block_comment: Option<(&'static str, &'static str)>,
    quotes: &'static [&'static str],
    keywords: &'static str,
}

const C: &str = "as async auto await bool boolean break byte case catch char class const constexpr continue crate default defer \
    delete do dyn else enum export extends extern false final finally float fn for from func function go goto if impl implements \
    import in int interface internal let long loop match mod module move mut namespace new nil null override package private \
    protected pub public range ref return select self short signed sizeof static string struct super switch template this throw \
    throws trait true try type typedef typename typeof undefined union unsigned use using val var virtual void volatile \
    when where while yield";

const FAMILIES: &[Family] = &[
    Family {
        names: &[
            "rust",
            "rs",
            "c",
            "h",
            "cpp",
            "c++",
            "cc",
            "hpp",
            "java",
            "kotlin",
            "kt",
            "go",
            "swift",
            "zig",
            "js",
            "jsx",
            "javascript",
            "mjs",
            "ts",
            "tsx",
            "typescript",
            "csharp",
            "cs",
            "scala",
            "dart",
            "php",
            "json",
            "jsonc",
            "css",
            "scss",
            "proto",
        ],
        line_comments: &["//"],
        block_comment: Some(("/*", "*/")),
        quotes: &["\"", "`"],
        keywords: C,
    },
    Family {
        names: &["python", "py", "ruby", "rb", "elixir", "ex", "r", "julia", "jl", "nim"],
        line_comments: &["#"],
        block_comment: Some(("\"\"\"", "\"\"\"")),
        quotes: &["\"", "'"],
        keywords: "False None True and as assert async await begin break case class continue def defmodule del do elif else elsif end \
            ensure except false finally for from fn function global if import in is lambda let match module nil nonlocal not or pass \
            raise require rescue return self struct true try unless until use when while with yield",
    },
    Family {
        names: &[
            "sh",
            "bash",
            "shell",
            "zsh",
            "fish",
            "console",
            "toml",
            "yaml",
            "yml",
            "ini",
            "dockerfile",
            "make",
            "makefile",
            "nix",
            "perl",
            "pl",
            "conf",
        ],
        line_comments: &["#"],
        block_comment: None,
        quotes: &["\"", "'"],
        keywords: "case do done elif else esac exit export false fi for function if in local null return set then true until while \
            FROM RUN COPY CMD ENV WORKDIR ENTRYPOINT",
    },
    Family {
        names: &["sql", "lua", "haskell", "hs", "ada"],
        line_comments: &["--"],
        block_comment: Some(("/*", "*/")),
        quotes: &["\"", "'"],
        keywords: "and as begin by case create data delete do drop else end false for from function group if in insert instance into \
            is join left let limit local module nil not null of on or order return select set table then true type update values \
            where while with AND AS BEGIN BY CASE CREATE DELETE DROP ELSE END FROM GROUP INSERT INTO IS JOIN LEFT LIMIT NOT NULL ON \
            OR ORDER SELECT SET TABLE THEN UPDATE VALUES WHERE WITH",
    },
    Family {
        names: &["html", "xml", "svg"],
        line_comments: &[],
        block_comment: Some(("<!--", "-->")),
        quotes: &["\""],
        keywords: "",
    },
];

/// Colours lines of one piece of code, in order.
#[derive(Clone)]
pub(crate) struct Colours {
    theme: Theme,
    family: Option<&'static Family>,
    is_patch: bool,
    /// In a comment that goes over several lines.
    is_inside: bool,
}

impl Colours {
    pub(crate) fn of(language: &str, theme: Theme) -> Colours {
        let language = language.split([' ', ',', '{']).next().unwrap_or_default().to_ascii_lowercase();
        let family = FAMILIES.iter().find(|family| family.names.contains(&language.as_str()));
        let is_patch = matches!(language.as_str(), "diff" | "patch");
        Colours { theme, family, is_patch, is_inside: false }
    }

    /// One line, in pieces. The pieces together are the line.
    pub(crate) fn line(&mut self, line: &str) -> Vec<Span<'static>> {
        if self.is_patch {
            let style = match line.chars().next() {
                Some('+') => self.theme.good(),
                Some('-') => self.theme.bad(),
                Some('@') => self.theme.accent(),
                _ => self.theme.text(),
            };
            return vec![Span::styled(line.to_owned(), style)];
        }
        let Some(family) = self.family else { return vec![Span::raw(line.to_owned())] };
        let mut spans = Vec::new();
        let mut rest = line;
        while !rest.is_empty() {
            let (length, style) = self.token(rest, family);
            let (token, after) = rest.split_at_checked(length.max(1)).unwrap_or((rest, ""));
            push(&mut spans, token, style);
            rest = after;
        }
        spans
    }

    /// How long the first token is, and how it looks.
    fn token(&mut self, text: &str, family: &Family) -> (usize, Style) {
        if self.is_inside {
            return self.comment(text, family, 0);
        }
        if family.line_comments.iter().any(|mark| text.starts_with(mark)) {
            return (text.len(), self.theme.dim());
        }
        if let Some((open, _)) = family.block_comment
            && text.starts_with(open)
        {
            return self.comment(text, family, open.len());
        }
        if let Some(quote) = family.quotes.iter().find(|quote| text.starts_with(**quote)) {
            return (string_end(text, quote), self.theme.string());
        }
        let first = text.chars().next().unwrap_or(' ');
        let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        if !is_word(first) {
            return (first.len_utf8(), self.theme.text());
        }
        let end = text.find(|letter| !is_word(letter)).unwrap_or(text.len());
        let word = text.get(..end).unwrap_or_default();
        let style = if first.is_ascii_digit() {
            self.theme.number()
        } else if family.keywords.split_whitespace().any(|keyword| keyword == word) {
            self.theme.keyword()
        } else if text.get(end..).is_some_and(|after| after.starts_with('(')) {
            self.theme.name()
        } else {
            self.theme.text()
        };
        (end, style)
    }

    /// A comment up to its end, or up to the end of the line.
    fn comment(&mut self, text: &str, family: &Family, opened: usize) -> (usize, Style) {
        let close = family.block_comment.map_or("", |(_, close)| close);
        let end = text.get(opened..).and_then(|body| body.find(close)).map(|at| opened + at + close.len());
        self.is_inside = end.is_none();
        (end.unwrap_or(text.len()), self.theme.dim())
    }
}

/// Where a string ends, its quotes included. One that is not closed goes to the end of the line.
fn string_end(text: &str, quote: &str) -> usize {
    let mut is_escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            _ if text.get(at..).is_some_and(|rest| rest.starts_with(quote)) => return at + quote.len(),
            _ => {}
        }
    }
    text.len()
}

fn push(spans: &mut Vec<Span<'static>>, token: &str, style: Style) {
    match spans.last_mut() {
        Some(last) if last.style == style => last.content.to_mut().push_str(token),
        _ => spans.push(Span::styled(token.to_owned(), style)),
    }
}
