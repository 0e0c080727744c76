//! The settings block at the top of a document: read without ever failing, edited one key at a time.
//! Never reformats: other keys, their order, quoting, comments, line endings and the byte order mark stay as they are.
//!
//! What cannot be read is a [`Diagnostic`] with its line, and the rest still counts. Aliases are never expanded. Keys that
//! are not ours are ignored.

mod edit;
mod read;
mod resolve;
mod scalar;

pub use edit::{FrontmatterError, clear_key, remove_key, set_key};

/// What the frontmatter of a document says, and what is wrong with it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Frontmatter {
    /// The settings, with defaults where the block says nothing.
    pub settings: Settings,
    /// What could not be read, in the order of the lines.
    pub diagnostics: Vec<Diagnostic>,
}

impl Frontmatter {
    /// Reads the frontmatter of a document. Never fails: what cannot be read is a diagnostic.
    ///
    /// ```
    /// use document::frontmatter::{Format, Frontmatter, Session, Write};
    ///
    /// let text = "---\nsession: abc\nagent_doc_mode: stream\n---\n# Plan\n";
    /// let settings = Frontmatter::parse(text).settings;
    /// assert_eq!(settings.session, Session::Id("abc".into()));
    /// assert_eq!((settings.format(), settings.write()), (Format::Template, Write::Crdt));
    /// assert!(settings.is_stream());
    /// ```
    #[must_use]
    pub fn parse(text: &str) -> Self {
        resolve::resolve(&read::read(text))
    }
}

/// Whether a document has a frontmatter block, and how well it can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Presence {
    /// There is none.
    Absent,
    /// There is one with keys, or an empty one.
    Readable,
    /// There is one that cannot be read as keys and values, or that never ends.
    Broken(Diagnostic),
}

/// Whether `text` has a frontmatter block that can be read.
///
/// ```
/// use document::frontmatter::{Presence, presence};
///
/// assert_eq!(presence("# Plan\n"), Presence::Absent);
/// assert_eq!(presence("---\nsession:\n---\n# Plan\n"), Presence::Readable);
/// ```
pub fn presence(text: &str) -> Presence {
    let block = read::read(text);
    match (block.broken, block.shape) {
        (Some(diagnostic), _) => Presence::Broken(diagnostic),
        (None, read::Shape::Absent) => Presence::Absent,
        (None, read::Shape::Empty | read::Shape::Lines | read::Shape::Braces) => Presence::Readable,
        (None, read::Shape::Unclosed) => {
            Presence::Broken(Diagnostic { line: 1, message: "the frontmatter never ends".to_owned() })
        }
        (None, read::Shape::Other) => {
            Presence::Broken(Diagnostic { line: 1, message: "the frontmatter has no keys".to_owned() })
        }
    }
}

/// Whether the frontmatter of `text` has this key, with or without a value.
pub fn has_key(text: &str, key: &str) -> bool {
    read::read(text).entries.iter().any(|entry| entry.key == key)
}

/// What the frontmatter of `text` says under this key, if that is one word or line.
///
/// ```
/// use document::frontmatter::text_of;
///
/// let text = "---\nname: Critic\ntools: [a, b]\n---\nDoubt.\n";
/// assert_eq!(text_of(text, "name").as_deref(), Some("Critic"));
/// assert_eq!(text_of(text, "tools"), None);
/// ```
pub fn text_of(text: &str, key: &str) -> Option<String> {
    let entries = read::read(text).entries;
    entries.into_iter().find(|entry| entry.key == key).and_then(|entry| match entry.value {
        read::Value::Scalar { text, .. } => Some(text),
        read::Value::Null(_) | read::Value::Map(_) | read::Value::Sequence | read::Value::Alias => None,
    })
}

/// What follows the frontmatter: the part that people and agents write in.
pub fn body(text: &str) -> &str {
    text.get(crate::markdown::body_start(text)..).unwrap_or_default()
}

/// Something in the frontmatter that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    /// The line in the whole file, counted from one.
    pub line: usize,
    /// What is wrong, and what is used instead.
    pub message: String,
}

/// What the frontmatter says of how a document is worked on.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Settings {
    /// `agent_doc_session`, or `session`: which session the document belongs to.
    pub session: Session,
    /// `resume`: the agent's own name for its conversation.
    pub resume: Option<String>,
    /// `agent`: which agent answers.
    pub agent: Option<String>,
    /// `model`: which model it uses.
    pub model: Option<String>,
    /// `branch`: kept for the git branch of the session.
    pub branch: Option<String>,
    /// `agent_doc_mode`, or `mode`, or `response_mode`, as it is written.
    pub mode: Option<Mode>,
    /// `agent_doc_format` as it is written; see [`Settings::format`] for what holds.
    pub explicit_format: Option<Format>,
    /// `agent_doc_write` as it is written; see [`Settings::write`] for what holds.
    pub explicit_write: Option<Write>,
    /// `agent_doc_stream`: how a streamed answer is written.
    pub stream: Stream,
}

impl Settings {
    /// How answers are laid out: what `agent_doc_format` says, else what the mode implies, else template.
    #[must_use]
    pub fn format(&self) -> Format {
        self.explicit_format.unwrap_or(match self.mode {
            Some(Mode::Append) => Format::Append,
            Some(Mode::Template | Mode::Stream) | None => Format::Template,
        })
    }

    /// How answers are merged: what `agent_doc_write` says, else what the mode implies, else CRDT.
    #[must_use]
    pub fn write(&self) -> Write {
        self.explicit_write.unwrap_or(match self.mode {
            Some(Mode::Append | Mode::Template) => Write::Merge,
            Some(Mode::Stream) | None => Write::Crdt,
        })
    }

    /// Whether the document answers to every save while the answer streams in.
    #[must_use]
    pub fn is_stream(&self) -> bool {
        self.mode == Some(Mode::Stream)
    }
}

/// Whether a document belongs to a session.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Session {
    /// There is no such key.
    #[default]
    Absent,
    /// The key is there without a value, as in a fresh template.
    Empty,
    /// The session's id.
    Id(String),
}

/// The one word that older documents say for format and write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Answers follow the conversation at the end; 3-way merge.
    Append,
    /// Answers go into components; 3-way merge.
    Template,
    /// Answers stream into a component at once; CRDT.
    Stream,
}

/// How answers are laid out in the document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// As a conversation that grows at the end.
    Append,
    /// In named components.
    Template,
}

/// How answers are merged with what the person wrote meanwhile.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Write {
    /// 3-way merge.
    Merge,
    /// Character-wise, without conflicts.
    Crdt,
}

/// How a streamed answer is written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stream {
    /// Milliseconds between two flushes.
    pub interval: u64,
    /// The component that the answer goes to.
    pub target: String,
    /// Whether the model's thinking is written, too.
    pub thinking: bool,
    /// The component that the thinking goes to, if not the answer's.
    pub thinking_target: Option<String>,
}

impl Default for Stream {
    fn default() -> Self {
        Self { interval: 200, target: "exchange".to_owned(), thinking: false, thinking_target: None }
    }
}
