//! Commands inside the words of another: `bash -c '…'`, `eval …`, `find -exec …`. Never decides that one may run; it only brings
//! to light what rules against a program must see.

use super::part::Word;

/// What a program would run of what its words hold.
#[derive(Debug)]
pub(super) enum Nested<'a> {
    /// The text of a command.
    Text(String),
    /// The words of a command.
    Words(&'a [Word]),
}

const SHELLS: &[&str] =
    &["sh", "bash", "dash", "zsh", "ksh", "mksh", "ash", "fish", "rbash", "csh", "tcsh", "su", "script"];

/// The commands that `program` would run.
pub(super) fn nested<'a>(program: &str, words: &'a [Word]) -> Vec<Nested<'a>> {
    match program {
        "eval" | "watch" | "parallel" => vec![Nested::Text(joined(words))],
        "trap" => words
            .first()
            .and_then(Word::known)
            .map(|text| Nested::Text(text.to_owned()))
            .into_iter()
            .collect(),
        "env" => after_option(words, 'S', "--split-string").into_iter().collect(),
        "find" | "fd" | "fdfind" => actions(words),
        shell if SHELLS.contains(&shell) => after_option(words, 'c', "--command").into_iter().collect(),
        _ => Vec::new(),
    }
}

fn joined(words: &[Word]) -> String {
    let texts: Vec<&str> = words.iter().map(|word| word.known().unwrap_or(&word.text)).collect();
    texts.join(" ")
}

/// The text after an option, in the same word or the next.
fn after_option<'a>(words: &'a [Word], letter: char, long: &str) -> Option<Nested<'a>> {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let text = word.known()?;
        if let Some(value) = text.strip_prefix(long) {
            let value = value.strip_prefix('=').or_else(|| words.next()?.known())?;
            return Some(Nested::Text(value.to_owned()));
        }
        let is_short = text.starts_with('-') && !text.starts_with("--");
        if let Some((_, value)) = text.split_once(letter).filter(|_| is_short) {
            // `bash -ce text` is `bash -e -c text`; `env -Stext` holds the text itself.
            let attached = (letter == 'S' && !value.is_empty()).then_some(value);
            let value = attached.or_else(|| words.next()?.known())?;
            return Some(Nested::Text(value.to_owned()));
        }
    }
    None
}

/// What `find` runs for each file: the words after `-exec` until a semicolon or a plus sign.
fn actions(words: &[Word]) -> Vec<Nested<'_>> {
    let starts = words.iter().enumerate().filter(|(_, word)| {
        let actions = ["-exec", "-execdir", "-ok", "-okdir", "-x", "-X", "--exec", "--exec-batch"];
        word.known().is_some_and(|text| actions.contains(&text))
    });
    let commands = starts.map(|(index, _)| {
        let rest = words.get(index + 1..).unwrap_or_default();
        let ends = |word: &Word| matches!(word.known(), Some(";" | "+"));
        rest.split(ends).next().unwrap_or_default()
    });
    commands.map(Nested::Words).collect()
}
