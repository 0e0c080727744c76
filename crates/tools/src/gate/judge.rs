//! Weighs simple commands one after the other, and what they hold. Never forgets where an earlier one went: a folder that was
//! entered counts for all that follow.

use super::check::{self, Around};
use super::deep::Grammar;
use super::nested::{self, Nested};
use super::part::{Part, Value, Word};
use super::place::{self, Place};
use super::reason::Reason;
use super::repository::Repository;
use super::scan::{Redirect, Simple};
use super::table::Table;
use super::unwrap;

/// How deep commands may lie in the words of others before nobody looks any further.
const DEPTH_MAX: usize = 6;
/// More folders than this in one command, and it is no longer known where it stands.
const FOLDERS_MAX: usize = 8;
/// Programs in these folders are those that the bare name means.
const FOLDERS_OF_PROGRAMS: &[&str] = &["/bin/", "/usr/bin/"];
/// Writing to these changes nothing.
const SINKS: &[&str] = &["/dev/null", "/dev/stdout", "/dev/stderr"];

pub(super) struct Judge<'a> {
    table: &'a Table,
    grammar: &'a Grammar,
    place: &'a Place,
    /// Where the command may stand: the first folder, and each that it entered.
    folders: Vec<String>,
    wrappers: Vec<String>,
    pub(super) parts: Vec<Part>,
}

impl<'a> Judge<'a> {
    pub(super) fn new(table: &'a Table, grammar: &'a Grammar, place: &'a Place) -> Self {
        let folders = vec![place.folder.clone()];
        Self { table, grammar, place, folders, wrappers: Vec::new(), parts: Vec::new() }
    }

    /// Weighs one simple command; `text` is how it is written.
    pub(super) fn weigh(&mut self, text: &str, simple: &Simple) {
        let mut part = Part { text: text.to_owned(), variables: simple.variables.clone(), ..Part::default() };
        for redirect in &simple.redirects {
            self.redirect(redirect, &mut part);
        }
        for variable in &simple.variables {
            part.reasons.extend(self.variable(variable));
        }
        match simple.words.split_first() {
            Some((program, words)) => self.command(part, program, words),
            None => {
                // Without a program, variables are set for all that follows.
                part.reasons.extend(simple.variables.first().map(|word| Reason::Variable(word.text.clone())));
                self.push(part);
            }
        }
    }

    fn around(&self) -> Around<'_> {
        Around { table: self.table, place: self.place, folders: &self.folders }
    }

    fn push(&mut self, mut part: Part) {
        part.wrappers.clone_from(&self.wrappers);
        let mut reads: Vec<String> = Vec::new();
        for word in &part.words {
            let Some(text) = named(word) else { continue };
            for folder in &self.folders {
                let path = place::tidied(folder, text);
                if !reads.contains(&path) {
                    reads.push(path);
                }
            }
        }
        part.reads.extend(reads);
        self.parts.push(part);
    }

    fn command(&mut self, mut part: Part, program: &Word, words: &[Word]) {
        part.words = words.to_vec();
        let Some(path) = program.known() else {
            part.reasons.push(Reason::Disguised(program.text.clone()));
            self.push(part);
            return;
        };
        let name = path.rsplit('/').next().unwrap_or(path);
        let in_folder = |folder: &str| path.strip_prefix(folder) == Some(name);
        if program.text != path {
            part.reasons.push(Reason::Disguised(program.text.clone()));
        } else if path != name && !FOLDERS_OF_PROGRAMS.iter().any(|folder| in_folder(folder)) {
            part.reasons.push(Reason::Program(path.to_owned()));
        }
        part.path = Some(path.to_owned());
        part.program = Some(name.to_owned());
        let listed = self.table.programs.get(name);
        let begins = |word: &Word| Some(listed?.subcommands.contains_key(word.known()?));
        let describes = words.first().and_then(begins).unwrap_or_default();
        match (listed, self.table.wrappers.get(name)) {
            (_, Some(wrapper)) if !describes => {
                let inside = unwrap::inside(wrapper, words);
                if !inside.is_listed || !wrapper.plain || inside.commands.is_empty() {
                    part.reasons.push(Reason::Wrapper(name.to_owned()));
                }
                self.push(part);
                for command in inside.commands {
                    self.within(name, |judge| judge.words(command));
                }
            }
            (Some(listed), _) => {
                part.reasons.extend(check::check(listed, words, self.around()));
                part.reasons.extend(listed.git.then(|| self.repository()).flatten());
                if name == "cd" {
                    self.enter(words, &mut part);
                }
                self.push(part);
            }
            (None, _) => {
                part.reasons.push(Reason::Program(name.to_owned()));
                self.push(part);
            }
        }
        for command in nested::nested(name, words) {
            self.within(name, |judge| match command {
                Nested::Words(words) => judge.words(words),
                Nested::Text(text) => judge.text(&text),
            });
        }
    }

    /// Does something to what `wrapper` starts.
    fn within(&mut self, wrapper: &str, act: impl FnOnce(&mut Self)) {
        if self.wrappers.len() < DEPTH_MAX {
            self.wrappers.push(wrapper.to_owned());
            act(self);
            self.wrappers.pop();
        }
    }

    fn words(&mut self, words: &[Word]) {
        if let Some((program, rest)) = words.split_first() {
            let texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
            self.command(Part { text: texts.join(" "), ..Part::default() }, program, rest);
        }
    }

    fn text(&mut self, text: &str) {
        let found = self.grammar.simples(text, self.place.home.as_deref());
        for (text, simple) in found {
            self.weigh(&text, &simple);
        }
    }

    fn repository(&self) -> Option<Reason> {
        if self.folders.len() > 1 {
            return Some(Reason::Elsewhere);
        }
        match &self.place.repository {
            Repository::Plain => None,
            Repository::Unseen => Some(Reason::Repository("unseen".to_owned())),
            Repository::Suspect(setting) => Some(Reason::Repository(setting.clone())),
        }
    }

    /// Follows a change of the folder. Whether it happens is not known, so the folders before it still count.
    fn enter(&mut self, words: &[Word], part: &mut Part) {
        let target =
            words.iter().filter_map(Word::known).find(|text| text.len() == 1 || !text.starts_with('-'));
        let Some(target) = target.filter(|target| *target != "-" && self.folders.len() < FOLDERS_MAX) else {
            part.reasons.push(Reason::Unknown(part.text.clone()));
            return;
        };
        for index in 0..self.folders.len() {
            let Some(entered) = self.folders.get(index).map(|folder| place::tidied(folder, target)) else {
                continue;
            };
            if !self.folders.contains(&entered) && self.folders.len() < FOLDERS_MAX {
                self.folders.push(entered);
            }
        }
    }

    fn variable(&self, word: &Word) -> Option<Reason> {
        let (name, value) = word.known().and_then(|text| text.split_once('=')).unwrap_or((&word.text, ""));
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || "_.@-".contains(letter);
        let harmless = match self.table.variables.get(name).map(String::as_str) {
            Some("name") => value.chars().all(is_name),
            Some(exact) => value == exact,
            None => false,
        };
        (!harmless).then(|| Reason::Variable(word.text.clone()))
    }

    fn redirect(&self, redirect: &Redirect, part: &mut Part) {
        let target = &redirect.target;
        let Some(path) = target.known() else {
            part.reasons.push(Reason::Unknown(target.text.clone()));
            return;
        };
        let is_stream = path == "-" || (!path.is_empty() && path.bytes().all(|byte| byte.is_ascii_digit()));
        match redirect.operator.as_str() {
            ">&" | "<&" if is_stream => {}
            "<" => {
                part.reasons.extend(self.around().path(path));
                part.reads.extend(self.folders.iter().map(|folder| place::tidied(folder, path)));
            }
            ">" | ">>" | ">|" | "&>" | "&>>" | ">&" | "<>" => {
                if !SINKS.contains(&path) || redirect.operator == "<>" {
                    part.reasons.push(Reason::Writes(path.to_owned()));
                    part.writes.extend(self.folders.iter().map(|folder| place::tidied(folder, path)));
                }
            }
            other => part.reasons.push(Reason::Construct(other.to_owned())),
        }
    }
}

/// The path that a word may name: the word itself, or what follows an equals sign in an option.
fn named(word: &Word) -> Option<&str> {
    match &word.value {
        Value::Static(text) if text.starts_with('-') => text.split_once('=').map(|(_, value)| value),
        Value::Static(text) | Value::Pattern(text) => Some(text),
        Value::Variable | Value::Unknown => None,
    }
}
