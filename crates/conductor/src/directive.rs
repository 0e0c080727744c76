//! What the person tells a run in their own section: lines that begin with `/` or `@`. Never acts on one, never takes one twice, and
//! never takes a line that is not ended: somebody may be typing it.

use crate::limits::{DIRECTIVE_MAX, DIRECTIVES_MAX};
use crate::record::Taken;

/// How alike a line must be to one that was taken, to be the same one mended.
const ALIKE: f64 = 0.6;

/// What a directive wants.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// The run shall end.
    Cancel,
    /// Something more shall be done.
    Also(String),
    /// A worker shall hear this.
    To {
        /// The worker's name.
        worker: String,
        /// The words.
        words: String,
    },
    /// It is not known what is meant; this is what to say about it.
    Unknown(String),
}

/// Reads a line.
#[must_use]
pub fn command(line: &str, workers: &[String]) -> Command {
    let line = line.trim();
    if let Some(called) = line.strip_prefix('@') {
        let lower = called.to_lowercase();
        // The longest name first: one may begin as another does.
        let mut known: Vec<&String> = workers.iter().collect();
        known.sort_by_key(|name| std::cmp::Reverse(name.len()));
        let is_called = |name: &&&String| {
            let rest = lower.strip_prefix(&name.to_lowercase());
            rest.is_some_and(|rest| {
                !rest.starts_with(|letter: char| letter.is_alphanumeric() || letter == '-')
            })
        };
        return match known.iter().find(is_called) {
            Some(name) => {
                let words: String = called.chars().skip(name.chars().count()).collect();
                let words = words.trim_start_matches([':', ',', ' ']).trim().to_owned();
                let worker = (*name).clone();
                if words.is_empty() {
                    Command::Unknown(format!(
                        "@{worker} without words; write what {worker} shall do behind the name"
                    ))
                } else {
                    Command::To { worker, words }
                }
            }
            None => {
                Command::Unknown(format!("nobody of that name works here; there are {}", workers.join(", ")))
            }
        };
    }
    let rest = line.strip_prefix('/').unwrap_or(line);
    let (verb, words) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
    match (verb.to_lowercase().as_str(), words.trim()) {
        ("cancel", _) => Command::Cancel,
        ("also", "") => {
            Command::Unknown("/also without words; write what else shall be done behind it".to_owned())
        }
        ("also", words) => Command::Also(words.to_owned()),
        _ => Command::Unknown(
            "it is not understood; there are /cancel, /also WORDS and @WORKER WORDS".to_owned(),
        ),
    }
}

/// What became of the lines since the last look.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct News {
    /// Lines that nobody has taken, in order.
    pub fresh: Vec<String>,
    /// Lines that were taken and read otherwise now, by their number.
    pub mended: Vec<(u32, String)>,
}

/// Compares the lines of the person's section with what was taken. A line that was taken and then changed is the same directive; it is
/// not taken again.
#[must_use]
pub fn news(taken: &[Taken], lines: &[(String, bool)]) -> News {
    let mut open: Vec<&Taken> = taken.iter().collect();
    let mut left = Vec::new();
    for line in directives(lines) {
        match open.iter().position(|known| known.line == line) {
            Some(place) => drop(open.swap_remove(place)),
            None => left.push(line),
        }
    }
    let mut news = News::default();
    for line in left {
        let likeness = |known: &&Taken| {
            let begins = line.starts_with(&known.line) || known.line.starts_with(line);
            if begins { 1.0 } else { strsim::normalized_levenshtein(&known.line, line) }
        };
        let best = open.iter().enumerate().map(|(place, known)| (place, likeness(known)));
        match best.max_by(|one, other| one.1.total_cmp(&other.1)).filter(|(_, likeness)| *likeness >= ALIKE) {
            Some((place, _)) => news.mended.push((open.swap_remove(place).id, line.to_owned())),
            None if taken.len() + news.fresh.len() < DIRECTIVES_MAX => news.fresh.push(line.to_owned()),
            None => {}
        }
    }
    news
}

/// The lines that are directives: ended, outside of code, not too long.
fn directives(lines: &[(String, bool)]) -> impl Iterator<Item = &str> {
    let mut is_code = false;
    lines.iter().filter_map(move |(line, is_ended)| {
        let begin = line.trim_start();
        if begin.starts_with("```") || begin.starts_with("~~~") {
            is_code = !is_code;
            return None;
        }
        let indent = line.len() - begin.len();
        let mut letters = begin.chars();
        let is_meant =
            matches!(letters.next(), Some('/' | '@')) && letters.next().is_some_and(char::is_alphabetic);
        let is_taken = is_meant && *is_ended && !is_code && indent < 4 && line.len() <= DIRECTIVE_MAX;
        is_taken.then(|| line.trim())
    })
}

#[cfg(test)]
mod tests {
    use super::{Command, News, command, news};
    use crate::record::Taken;

    fn lines(text: &str) -> Vec<(String, bool)> {
        let is_last_ended = text.ends_with('\n');
        let count = text.lines().count();
        let ended = |(index, line): (usize, &str)| (line.to_owned(), index + 1 < count || is_last_ended);
        text.lines().enumerate().map(ended).collect()
    }

    fn taken(known: &[&str]) -> Vec<Taken> {
        let one = |(id, line): (u32, &&str)| Taken {
            id,
            line: (*line).to_owned(),
            answer: String::new(),
            is_answered: true,
        };
        (1..).zip(known).map(one).collect()
    }

    fn check(known: &[&str], text: &str, fresh: &[&str], mended: &[(u32, &str)]) {
        let expected = News {
            fresh: fresh.iter().map(|line| (*line).to_owned()).collect(),
            mended: mended.iter().map(|(id, line)| (*id, (*line).to_owned())).collect(),
        };
        assert_eq!(news(&taken(known), &lines(text)), expected);
    }

    #[test]
    fn a_line_is_taken_when_it_is_ended() {
        check(&[], "/also check wasm", &[], &[]);
        check(&[], "/also check wasm\n", &["/also check wasm"], &[]);
        check(&[], "words\n@Terminal go\n", &["@Terminal go"], &[]);
    }

    #[test]
    fn a_line_that_was_taken_is_not_taken_again() {
        check(&["/also check wasm"], "/also check wasm\n", &[], &[]);
        check(&["/also a"], "/also a\n/also a\n", &["/also a"], &[]);
        check(&["/also a"], "nothing left\n", &[], &[]);
    }

    #[test]
    fn a_line_that_is_mended_after_it_was_taken_does_not_fire() {
        check(&["/also check wa"], "/also check wasm support\n", &[], &[(1, "/also check wasm support")]);
        check(&["/also check wasm"], "/also check wasi\n", &[], &[(1, "/also check wasi")]);
        check(&["/also check wasm"], "/cancel\n", &["/cancel"], &[]);
        check(&["/also check wasm"], "/also check wasm\n/also check wasi\n", &["/also check wasi"], &[]);
    }

    #[test]
    fn what_only_looks_like_a_directive_is_none() {
        check(&[], "```\n/cancel\n```\n    /cancel\n/ x\n@ x\n// x\n1/2\n> /cancel\n", &[], &[]);
        check(&[], &format!("/also {}\n", "x".repeat(10_000)), &[], &[]);
    }

    #[test]
    fn directives_are_read() {
        let workers = ["Researcher".to_owned(), "Deep Researcher".to_owned(), "Terminal".to_owned()];
        let read = |line: &str| command(line, &workers);
        let to =
            |worker: &str, words: &str| Command::To { worker: worker.to_owned(), words: words.to_owned() };
        assert_eq!(read("/cancel"), Command::Cancel);
        assert_eq!(read("/CANCEL now"), Command::Cancel);
        assert_eq!(read("/also check wasm"), Command::Also("check wasm".to_owned()));
        assert_eq!(read("@terminal: measure it"), to("Terminal", "measure it"));
        assert_eq!(read("@deep researcher look"), to("Deep Researcher", "look"));
        for line in ["/also", "@Terminal", "@Terminals go", "@nobody go", "/frobnicate"] {
            assert!(matches!(read(line), Command::Unknown(_)), "{line}");
        }
    }
}
