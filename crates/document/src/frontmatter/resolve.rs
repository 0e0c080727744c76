//! From keys and values to settings. Never rejects a document: a value it cannot use is a diagnostic and counts as absent.

use super::read::{Block, Entry, Shape, Value};
use super::{Diagnostic, Format, Frontmatter, Mode, Session, Settings, Stream, Write};

/// Reads the keys that are ours.
pub(super) fn resolve(block: &Block) -> Frontmatter {
    let mut resolver = Resolver { entries: &block.entries, diagnostics: Vec::new() };
    resolver.report_shape(block);
    let settings = Settings {
        session: resolver.session(),
        resume: resolver.text(&["resume"]),
        agent: resolver.text(&["agent"]),
        model: resolver.text(&["model"]),
        branch: resolver.text(&["branch"]),
        mode: resolver.choice(
            &["agent_doc_mode", "mode", "response_mode"],
            &[("append", Mode::Append), ("template", Mode::Template), ("stream", Mode::Stream)],
        ),
        explicit_format: resolver
            .choice(&["agent_doc_format"], &[("append", Format::Append), ("template", Format::Template)]),
        explicit_write: resolver
            .choice(&["agent_doc_write"], &[("merge", Write::Merge), ("crdt", Write::Crdt)]),
        stream: resolver.stream(),
    };
    resolver.diagnostics.extend(block.broken.clone());
    resolver.diagnostics.sort_by_key(|diagnostic| diagnostic.line);
    Frontmatter { settings, diagnostics: resolver.diagnostics }
}

struct Resolver<'b> {
    entries: &'b [Entry],
    diagnostics: Vec<Diagnostic>,
}

impl<'b> Resolver<'b> {
    fn report_shape(&mut self, block: &Block) {
        if block.shape == Shape::Other && block.broken.is_none() {
            self.report(2, "the frontmatter has no `key: value` lines and is ignored".to_owned());
        }
        let mut seen: Vec<(&str, usize)> = Vec::new();
        for entry in self.entries.iter().filter(|entry| is_ours(&entry.key)) {
            match seen.iter().find(|(key, _)| *key == entry.key) {
                Some(&(key, line)) => {
                    let message = format!("`{key}` is already set on line {line}; that one is used");
                    self.report(entry.line, message);
                }
                None => seen.push((&entry.key, entry.line)),
            }
        }
    }

    fn report(&mut self, line: usize, message: String) {
        self.diagnostics.push(Diagnostic { line, message });
    }

    fn session(&mut self) -> Session {
        let keys = ["agent_doc_session", "session"];
        match self.text(&keys) {
            Some(id) if !id.trim().is_empty() => Session::Id(id),
            Some(_) => Session::Empty,
            None if keys.iter().any(|key| self.entry(key).is_some()) => Session::Empty,
            None => Session::Absent,
        }
    }

    fn entry(&self, key: &str) -> Option<&'b Entry> {
        self.entries.iter().find(|entry| entry.key == key)
    }

    /// The text of the first of `keys` that has one.
    fn text(&mut self, keys: &[&str]) -> Option<String> {
        keys.iter()
            .find_map(|key| self.entry(key).and_then(|entry| self.scalar(entry)))
            .map(|(text, _)| text.to_owned())
    }

    /// The scalar of an entry with its line; another kind of value is reported.
    fn scalar(&mut self, entry: &'b Entry) -> Option<(&'b str, usize)> {
        let kind = match &entry.value {
            Value::Scalar { text, .. } => return Some((text, entry.line)),
            Value::Null(_) => return None,
            Value::Map(_) => "a map",
            Value::Sequence => "a list",
            Value::Alias => "an alias, which is not followed",
        };
        self.report(entry.line, format!("`{}` must be plain text, but is {kind}; it is ignored", entry.key));
        None
    }

    fn choice<T: Copy>(&mut self, keys: &[&str], choices: &[(&str, T)]) -> Option<T> {
        keys.iter().find_map(|key| {
            let entry = self.entry(key)?;
            let (text, line) = self.scalar(entry)?;
            let chosen =
                choices.iter().find(|(word, _)| text.eq_ignore_ascii_case(word)).map(|&(_, value)| value);
            if chosen.is_none() {
                let words: Vec<&str> = choices.iter().map(|&(word, _)| word).collect();
                let message =
                    format!("`{key}` must be one of {}, not {text:?}; it is ignored", words.join(", "));
                self.report(line, message);
            }
            chosen
        })
    }

    /// The keys under `agent_doc_stream`; if that has no value, the same keys beside it count, a common slip of indent.
    fn stream(&mut self) -> Stream {
        let entries: &'b [Entry] = match self.entry("agent_doc_stream") {
            None => return Stream::default(),
            Some(Entry { value: Value::Map(map), .. }) => map,
            Some(Entry { value: Value::Null(_), .. }) => self.entries,
            Some(other) => {
                let message = "`agent_doc_stream` must be a map; it is ignored".to_owned();
                self.report(other.line, message);
                return Stream::default();
            }
        };
        let mut nested = Resolver { entries, diagnostics: Vec::new() };
        let default = Stream::default();
        let stream = Stream {
            interval: nested.number("interval").unwrap_or(default.interval),
            target: nested.text(&["target"]).filter(|target| !target.is_empty()).unwrap_or(default.target),
            thinking: nested
                .choice(&["thinking"], &[("true", true), ("false", false)])
                .unwrap_or(default.thinking),
            thinking_target: nested.text(&["thinking_target"]),
        };
        self.diagnostics.append(&mut nested.diagnostics);
        stream
    }

    fn number(&mut self, key: &str) -> Option<u64> {
        let entry = self.entry(key)?;
        let (text, line) = self.scalar(entry)?;
        let number = text.replace('_', "").parse().ok();
        if number.is_none() {
            self.report(line, format!("`{key}` must be a whole number, not {text:?}; it is ignored"));
        }
        number
    }
}

/// Other keys belong to other programs, and so do their mistakes.
fn is_ours(key: &str) -> bool {
    let known = ["session", "resume", "agent", "model", "branch", "mode", "response_mode"];
    key.starts_with("agent_doc_") || known.contains(&key)
}
