//! Commands in rules: word by word, so that `ls *` never matches `lsof`. Never reads a shell's syntax: a parser took the command apart.

use super::claim::{Command, CommandPart};
use super::rule::RuleError;

/// The longest command that a rule can allow, in bytes. Nobody reads a longer one, so a person is always asked.
pub(super) const COMMAND_MAX: usize = 10_000;

/// Programs that run what stands behind them. What they are used to hide is still forbidden.
const WRAPPERS: &[&str] = &[
    "builtin", "busybox", "chroot", "chrt", "command", "doas", "env", "exec", "find", "flock", "ionice",
    "nice", "nohup", "setsid", "stdbuf", "strace", "sudo", "time", "timeout", "watch", "xargs",
];

/// Commands that destroy work. A rule allows them only if it spells out as many words.
const DESTRUCTIVE: &[&[&str]] = &[
    &["git", "reset"],
    &["git", "clean"],
    &["git", "checkout"],
    &["git", "restore"],
    &["git", "push"],
    &["git", "branch"],
    &["git", "stash"],
    &["git", "rebase"],
    &["git", "filter-branch"],
    &["git", "reflog"],
    &["git", "update-ref"],
];

/// A command in a rule. A word `*` stands for any words, also none; a `*` inside of a word for any letters of it. A word in single
/// quotes is taken as it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct CommandPattern {
    text: String,
    words: Vec<Word>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Word {
    /// Any words, also none.
    Any,
    /// One word in pieces; any letters stand between two pieces.
    One(Vec<String>),
}

impl CommandPattern {
    pub(super) fn parse(text: &str) -> Result<Self, RuleError> {
        if text.chars().any(char::is_control) {
            return Err(RuleError::Control);
        }
        // The older form `npm run:*` means `npm run *`.
        let spelled = text.strip_suffix(":*").map_or_else(|| text.to_owned(), |stem| format!("{stem} *"));
        Ok(Self { text: text.to_owned(), words: words(&spelled)? })
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// Whether it allows one part of a command: literally, nothing hidden, and long enough for what destroys.
    pub(super) fn allows(&self, part: &CommandPart) -> bool {
        let needed =
            DESTRUCTIVE.iter().filter(|known| begins_with(&part.words, known)).map(|known| known.len());
        let spelled = self.words.iter().take_while(|word| **word != Word::Any).count();
        part.variables.is_empty() && spelled >= needed.max().unwrap_or(0) && matches(&self.words, &part.words)
    }

    /// Whether it allows a command that cannot be taken apart: only as the very same text, without wildcards.
    pub(super) fn allows_whole(&self, command: &Command) -> bool {
        // Blanks around it change nothing. A letter that only looks like one, or like nothing, may.
        !self.text.contains('*') && self.text == command.text.trim_matches([' ', '\t', '\n'])
    }

    /// Whether it forbids a part of a command: also behind a path, a wrapper, or a variable.
    pub(super) fn touches(&self, part: &CommandPart) -> bool {
        let wraps = part.words.first().is_some_and(|program| WRAPPERS.contains(&base_name(program)));
        let starts = if wraps { part.words.len() } else { 1 };
        (0..starts).filter_map(|start| part.words.get(start..)).any(|words| self.touches_words(words))
    }

    /// Also by the bare name of the program.
    fn touches_words(&self, words: &[String]) -> bool {
        let bare = || {
            let (program, rest) = words.split_first()?;
            let name = base_name(program);
            (name != program)
                .then(|| std::iter::once(name.to_owned()).chain(rest.iter().cloned()).collect::<Vec<_>>())
        };
        matches(&self.words, words) || bare().is_some_and(|words| matches(&self.words, &words))
    }

    /// Whether it forbids a command by its whole text.
    pub(super) fn touches_whole(&self, command: &Command) -> bool {
        self.text == command.text.trim()
    }
}

fn base_name(program: &str) -> &str {
    program.rsplit(['/', '\\']).next().unwrap_or(program)
}

fn begins_with(words: &[String], prefix: &[&str]) -> bool {
    words.len() >= prefix.len() && words.iter().zip(prefix).all(|(word, known)| word == known)
}

/// The classic walk with one step back to the last wildcard, so the time is bounded by the product of the lengths.
fn matches(pattern: &[Word], words: &[String]) -> bool {
    let (mut at, mut word, mut resume) = (0, 0, None);
    while let Some(text) = words.get(word) {
        match pattern.get(at) {
            Some(Word::Any) => {
                resume = Some((at, word));
                at += 1;
            }
            Some(Word::One(pieces)) if fits(pieces, text) => (at, word) = (at + 1, word + 1),
            _ => {
                let Some((star, from)) = resume else { return false };
                resume = Some((star, from + 1));
                (at, word) = (star + 1, from + 1);
            }
        }
    }
    pattern.iter().skip(at).all(|left| *left == Word::Any)
}

/// Whether a word consists of the pieces with any letters between them.
fn fits(pieces: &[String], word: &str) -> bool {
    let Some((first, rest)) = pieces.split_first() else { return word.is_empty() };
    let Some(mut left) = word.strip_prefix(first.as_str()) else { return false };
    let Some((last, middle)) = rest.split_last() else { return left.is_empty() };
    for piece in middle {
        let Some((_, after)) = left.split_once(piece.as_str()) else { return false };
        left = after;
    }
    left.ends_with(last.as_str())
}

fn words(text: &str) -> Result<Vec<Word>, RuleError> {
    let mut words = Vec::new();
    let mut pieces: Option<Vec<String>> = None;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        if letter.is_whitespace() {
            words.extend(pieces.take().map(finished));
            continue;
        }
        let open = pieces.get_or_insert_with(|| vec![String::new()]);
        match letter {
            '*' => open.push(String::new()),
            '\'' => {
                let (quoted, after) = letters.as_str().split_once('\'').ok_or(RuleError::Quote)?;
                push(open, quoted);
                letters = after.chars();
            }
            '\\' => push(open, &letters.next().ok_or(RuleError::Quote)?.to_string()),
            _ => push(open, letter.encode_utf8(&mut [0; 4])),
        }
    }
    words.extend(pieces.take().map(finished));
    Ok(words)
}

fn push(pieces: &mut [String], text: &str) {
    if let Some(last) = pieces.last_mut() {
        last.push_str(text);
    }
}

fn finished(pieces: Vec<String>) -> Word {
    if pieces.len() > 1 && pieces.iter().all(String::is_empty) { Word::Any } else { Word::One(pieces) }
}

/// Words as a rule that matches exactly them, if a rule can hold them.
pub(super) fn literal(words: &[String]) -> Option<String> {
    let plain = |letter: char| letter.is_alphanumeric() || "-_=+./:,@%^".contains(letter);
    let quoted = |word: &String| {
        if word.contains(|letter: char| letter.is_control() || letter == '\'') {
            None
        } else if !word.is_empty() && word.chars().all(plain) {
            Some(word.clone())
        } else {
            Some(format!("'{word}'"))
        }
    };
    let text = words.iter().map(quoted).collect::<Option<Vec<_>>>()?.join(" ");
    // `a:*` would be read in the older form; it cannot come up, as `*` is always quoted.
    (!text.is_empty()).then_some(text)
}
