//! Whether the words of a program are on its list. Never lets a word through that the list does not name.

use super::part::{Value, Word};
use super::place::{self, Place};
use super::reason::Reason;
use super::sed;
use super::table::{Operands, Program, Table, Takes};

/// What the words are checked against.
#[derive(Clone, Copy)]
pub(super) struct Around<'a> {
    pub(super) table: &'a Table,
    pub(super) place: &'a Place,
    /// The folders in which the command may stand by then.
    pub(super) folders: &'a [String],
}

impl Around<'_> {
    pub(super) fn path(&self, path: &str) -> Option<Reason> {
        place::check(path, self.folders, self.place, &self.table.secrets)
    }
}

/// What speaks against these words.
pub(super) fn check<'a>(program: &'a Program, words: &'a [Word], around: Around<'a>) -> Vec<Reason> {
    let mut check = Check {
        program,
        around,
        seen: Vec::new(),
        operands: 0,
        last: "",
        pattern_given: false,
        found: Vec::new(),
    };
    for word in words {
        check.never(word);
    }
    let rest = check.options_before_subcommand(words);
    match rest.split_first().and_then(|(first, rest)| Some((program.subcommands.get(first.known()?)?, rest)))
    {
        Some((subcommand, rest)) => check.found.extend(self::check(subcommand, rest, around)),
        None if program.subcommands.is_empty() => check.all(rest),
        None => match rest.first() {
            Some(word) => check.found.push(Reason::Subcommand(word.text.clone())),
            None => check.count(),
        },
    }
    check.found
}

struct Check<'a> {
    program: &'a Program,
    around: Around<'a>,
    /// Options that were given.
    seen: Vec<&'a str>,
    operands: usize,
    last: &'a str,
    pattern_given: bool,
    found: Vec<Reason>,
}

impl<'a> Check<'a> {
    fn never(&mut self, word: &Word) {
        let text = word.known().unwrap_or(&word.text);
        if self.program.never.iter().any(|never| text.contains(never.as_str())) {
            self.found.push(Reason::Operand(word.text.clone()));
        }
    }

    /// For a program with subcommands: its own options, which stand before them.
    fn options_before_subcommand(&mut self, words: &'a [Word]) -> &'a [Word] {
        let mut rest = words;
        while let Some((first, after)) = rest.split_first() {
            let is_option = first.known().is_some_and(|text| text.starts_with('-') && text != "--");
            let is_subcommand = first.known().is_some_and(|text| self.program.subcommands.contains_key(text));
            if self.program.subcommands.is_empty() || !is_option || is_subcommand {
                break;
            }
            let mut after = after.iter();
            self.option(first, first.known().unwrap_or_default(), &mut after);
            rest = after.as_slice();
        }
        rest
    }

    fn all(&mut self, words: &'a [Word]) {
        let mut words = words.iter();
        let mut options_end = false;
        // In an expression the sign ends nothing: what follows may still write a file.
        let can_end = self.program.operands != Operands::Expression;
        while let Some(word) = words.next() {
            match &word.value {
                Value::Static(text) if can_end && !options_end && text == "--" => {
                    options_end = true;
                    // A program that does not know this sign takes it for an operand, and one too many may be written.
                    self.operands += usize::from(self.program.operands_max != usize::MAX);
                }
                Value::Static(text) if !options_end && text.len() > 1 && text.starts_with('-') => {
                    self.option(word, text, &mut words);
                }
                Value::Static(text) => self.operand(word, text),
                Value::Pattern(pattern) => self.pattern(word, pattern, options_end),
                Value::Variable => self.variable(word),
                Value::Unknown => self.found.push(Reason::Unknown(word.text.clone())),
            }
        }
        self.count();
    }

    /// How many operands there may be.
    fn count(&mut self) {
        let allowed = self.program.needs.is_empty()
            || self.operands == 0
            || self.program.needs.iter().any(|need| self.seen.contains(&need.as_str()));
        if self.operands < self.program.operands_min || self.operands > self.program.operands_max || !allowed
        {
            self.found.push(Reason::Operand(self.last.to_owned()));
        }
    }

    fn option(&mut self, word: &'a Word, text: &'a str, rest: &mut std::slice::Iter<'a, Word>) {
        let result = if self.program.operands == Operands::Expression {
            self.whole(text, None, rest)
        } else if text.starts_with("--") {
            match text.split_once('=') {
                Some((name, value)) => self.whole(name, Some(value), rest),
                None => self.whole(text, None, rest),
            }
        } else {
            self.joined(text, rest)
        };
        let harmless = self.program.any_option && self.program.operands == Operands::Text;
        if result.is_none() && !harmless {
            self.found.push(Reason::Option(word.text.clone()));
        }
    }

    /// An option that is a word of its own. `None` if it is not on the list.
    fn whole(
        &mut self,
        name: &'a str,
        value: Option<&str>,
        rest: &mut std::slice::Iter<'a, Word>,
    ) -> Option<()> {
        let takes = *self.program.options.get(name)?;
        self.seen.push(name);
        match (takes, value) {
            (Takes::Nothing | Takes::Attached, None) | (Takes::Attached, Some(_)) => Some(()),
            (Takes::NoPattern, None) => {
                self.pattern_given = true;
                Some(())
            }
            (Takes::Nothing | Takes::NoPattern, Some(_)) => None,
            (Takes::Value | Takes::Path | Takes::Pattern, Some(value)) => {
                self.value(takes, value);
                Some(())
            }
            (Takes::Value | Takes::Path | Takes::Pattern, None) => self.next(takes, rest),
        }
    }

    /// Options of one letter, joined: `-la`, `-n5`, `-5`.
    fn joined(&mut self, text: &'a str, rest: &mut std::slice::Iter<'a, Word>) -> Option<()> {
        let letters = text.strip_prefix('-')?;
        if self.program.numbers && letters.bytes().all(|byte| byte.is_ascii_digit()) {
            return Some(());
        }
        for (index, letter) in letters.char_indices() {
            let after = letters.get(index + letter.len_utf8()..)?;
            let (name, takes) = self.program.options.get_key_value(format!("-{letter}").as_str())?;
            self.seen.push(name.as_str());
            match takes {
                Takes::Nothing => {}
                Takes::NoPattern => self.pattern_given = true,
                Takes::Attached => return Some(()),
                Takes::Value | Takes::Path | Takes::Pattern if after.is_empty() => {
                    return self.next(*takes, rest);
                }
                Takes::Value | Takes::Path | Takes::Pattern => {
                    self.value(*takes, after);
                    return Some(());
                }
            }
        }
        Some(())
    }

    /// The value of an option in the next word. It must not look like an option, so that a program which takes it for one
    /// cannot do what the list does not say.
    fn next(&mut self, takes: Takes, rest: &mut std::slice::Iter<'a, Word>) -> Option<()> {
        let word = rest.next()?;
        let value = word.known()?;
        let is_number =
            value.get(1..).is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_digit()));
        if value.starts_with('-') && !is_number {
            return None;
        }
        if takes == Takes::Value {
            // If the list were wrong about the option, this would be a path that is read.
            self.found.extend(self.around.path(value));
        }
        self.value(takes, value);
        Some(())
    }

    fn value(&mut self, takes: Takes, value: &str) {
        match takes {
            Takes::Path => self.found.extend(self.around.path(value)),
            Takes::Pattern => {
                self.pattern_given = true;
                self.script(value);
            }
            Takes::Nothing | Takes::Value | Takes::Attached | Takes::NoPattern => {}
        }
    }

    fn script(&mut self, text: &str) {
        if self.program.operands == Operands::SedPaths && !sed::only_prints(text) {
            self.found.push(Reason::Operand(text.to_owned()));
        }
    }

    fn operand(&mut self, word: &'a Word, text: &str) {
        self.operands += 1;
        self.last = &word.text;
        match self.program.operands {
            Operands::None => self.found.push(Reason::Operand(word.text.clone())),
            Operands::Text => {}
            Operands::Paths => self.path(text),
            Operands::PatternPaths | Operands::SedPaths if self.pattern_given => self.path(text),
            Operands::PatternPaths | Operands::SedPaths => {
                self.pattern_given = true;
                self.script(text);
            }
            Operands::Format if self.operands == 1 && assigns(text) => {
                self.found.push(Reason::Operand(word.text.clone()));
            }
            Operands::Format => {}
            Operands::Plus if text.starts_with('+') => {}
            Operands::Plus => self.found.push(Reason::Operand(word.text.clone())),
            Operands::Expression if matches!(text, "(" | ")" | "!" | "," | "=" | "==" | "!=") => {}
            Operands::Expression => self.path(text),
        }
    }

    fn path(&mut self, text: &str) {
        self.found.extend(self.around.path(text));
        // What git shows of a commit is named after a colon.
        if let Some((_, inside)) = text.split_once(':').filter(|_| self.program.git) {
            self.found.extend(self.around.path(inside).filter(|reason| matches!(reason, Reason::Secret(_))));
        }
    }

    /// A pattern becomes the names of files, and a file can be named like an option.
    fn pattern(&mut self, word: &'a Word, pattern: &str, options_end: bool) {
        let fixed = pattern.split(['*', '?', '[', '\\']).next().unwrap_or_default();
        if let Some((name, _)) = fixed.split_once('=').filter(|(name, _)| name.starts_with("--")) {
            // All that it can become begins with the same option.
            if !matches!(self.program.options.get(name), Some(Takes::Value | Takes::Attached)) {
                self.found.push(Reason::Option(word.text.clone()));
            }
            return;
        }
        let may_be_option = fixed.is_empty() || fixed.starts_with('-');
        if (may_be_option && !options_end && !self.program.any_option)
            || self.program.operands_max != usize::MAX
        {
            self.found.push(Reason::Unknown(word.text.clone()));
            return;
        }
        self.found.extend(place::check_pattern(pattern));
        match self.program.operands {
            Operands::Text | Operands::Paths => self.operand(word, pattern),
            // The first name may be taken for the pattern, so all of them are checked as paths.
            Operands::PatternPaths => {
                self.pattern_given = true;
                self.operand(word, pattern);
            }
            Operands::Expression if !may_be_option => self.operand(word, pattern),
            Operands::None
            | Operands::SedPaths
            | Operands::Format
            | Operands::Plus
            | Operands::Expression => {
                self.found.push(Reason::Unknown(word.text.clone()));
            }
        }
    }

    /// The value of a variable is harmless only where every text is.
    fn variable(&mut self, word: &Word) {
        self.operands += 1;
        let harmless = match self.program.operands {
            Operands::Text => self.program.any_option,
            Operands::Format => self.operands > 1,
            Operands::None
            | Operands::Paths
            | Operands::PatternPaths
            | Operands::SedPaths
            | Operands::Plus
            | Operands::Expression => false,
        };
        if !harmless {
            self.found.push(Reason::Unknown(word.text.clone()));
        }
    }
}

/// Whether a format of `printf` holds `%n`, which sets a variable, and evaluates its name to do so.
fn assigns(format: &str) -> bool {
    format.split('%').skip(1).any(|rest| {
        let directive =
            rest.trim_start_matches(|letter: char| !letter.is_ascii_alphabetic() && letter != '%');
        directive.trim_start_matches(['h', 'l', 'j', 'z', 't', 'L', 'q']).starts_with('n')
    })
}
