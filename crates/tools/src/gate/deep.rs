//! Every simple command in a text, wherever it stands, for rules that must see all of it. Never says that there is no more: where
//! the grammar gives up, every stretch between two operators counts as a command.

use std::fmt;
use std::ops::ControlFlow;
use std::sync::Mutex;

use tree_sitter::{Node, ParseOptions, ParseState, Parser, Tree};

use super::part::{Value, Word};
use super::scan::{Redirect, Simple, WORDS};
use super::word;
use crate::process::locked;

/// Each of these is a simple command.
const COMMANDS: &[&str] = &["command", "declaration_command", "unset_command", "test_command"];

/// How often the grammar reports that it still works, about once in a hundred steps, before it is told to stop: on some broken
/// texts it takes time by the square of their length.
const REPORTS_MAX: usize = 400;

/// Parsers that wait for the next text: one that has parsed before need not ask for memory again.
const SPARE_MAX: usize = 4;

/// The grammar of the shell.
#[derive(Default)]
pub(super) struct Grammar {
    spare: Mutex<Vec<Parser>>,
}

impl Grammar {
    /// Parses a text. `None` if that takes too long.
    pub(super) fn parse(&self, text: &str) -> Option<Tree> {
        let spare = locked(&self.spare).pop();
        let mut parser = match spare {
            Some(parser) => parser,
            None => made()?,
        };
        let tree = parsed(&mut parser, text);
        // One that was told to stop would go on with the old text.
        parser.reset();
        let mut spare = locked(&self.spare);
        if spare.len() < SPARE_MAX {
            spare.push(parser);
        }
        tree
    }

    /// Each simple command in the text, with the way it is written.
    pub(super) fn simples(&self, text: &str, home: Option<&str>) -> Vec<(String, Simple)> {
        match self.parse(text) {
            Some(tree) => simples_in(text, &tree, home),
            None => crude(text, home),
        }
    }
}

impl fmt::Debug for Grammar {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Grammar")
    }
}

fn made() -> Option<Parser> {
    let mut parser = Parser::new();
    parser.set_language(&tree_sitter_bash::LANGUAGE.into()).ok()?;
    Some(parser)
}

fn parsed(parser: &mut Parser, text: &str) -> Option<Tree> {
    let mut reports = 0;
    let mut go_on = |_: &ParseState| {
        reports += 1;
        if reports > REPORTS_MAX { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut go_on);
    let mut read = |offset: usize, _| text.as_bytes().get(offset..).unwrap_or_default();
    parser.parse_with_options(&mut read, None, Some(options))
}

/// Each simple command in a text that was parsed, with the way it is written.
pub(super) fn simples_in(text: &str, tree: &Tree, home: Option<&str>) -> Vec<(String, Simple)> {
    let mut found = Vec::new();
    let mut cursor = tree.walk();
    // Asking a node for its parent walks down from the root; so each carries what it needs to know of it.
    let mut stack = vec![(tree.root_node(), false)];
    while let Some((node, in_command)) = stack.pop() {
        let is_command = COMMANDS.contains(&node.kind());
        let simple = match node.kind() {
            "file_redirect" => redirect(text, node, home),
            "variable_assignment" if !in_command => assignment(text, node, home),
            _ if is_command => command(text, node, home),
            _ => None,
        };
        found.extend(
            simple.map(|simple| (text.get(node.byte_range()).unwrap_or_default().to_owned(), simple)),
        );
        let begin = stack.len();
        stack.extend(node.children(&mut cursor).map(|child| (child, is_command)));
        stack.get_mut(begin..).unwrap_or_default().reverse();
    }
    if tree.root_node().has_error() {
        found.extend(crude(text, home));
    }
    found
}

fn command(text: &str, node: Node<'_>, home: Option<&str>) -> Option<Simple> {
    let mut simple = Simple { range: node.byte_range(), ..Simple::default() };
    for child in node.children(&mut node.walk()) {
        match child.kind() {
            "file_redirect" | "heredoc_redirect" | "herestring_redirect" | "comment" => {}
            "variable_assignment" if simple.words.is_empty() => {
                simple.variables.push(read(text, child, home)?);
            }
            _ => simple.words.push(read(text, child, home)?),
        }
    }
    Some(simple)
}

/// What the shell cannot tell yet stays unknown; what is no word at all, too.
fn read(text: &str, node: Node<'_>, home: Option<&str>) -> Option<Word> {
    let text = text.get(node.byte_range())?;
    Some(word::read(text, home).unwrap_or_else(|| Word { text: text.to_owned(), value: Value::Unknown }))
}

fn redirect(text: &str, node: Node<'_>, home: Option<&str>) -> Option<Simple> {
    let mut operator = None;
    let mut target = None;
    for child in node.children(&mut node.walk()) {
        if !child.is_named() {
            operator = Some(child.kind().to_owned());
        } else if WORDS.contains(&child.kind()) || child.kind() == "process_substitution" {
            target = target.or_else(|| read(text, child, home));
        }
    }
    let redirect = Redirect { operator: operator?, target: target? };
    Some(Simple { range: node.byte_range(), redirects: vec![redirect], ..Simple::default() })
}

fn assignment(text: &str, node: Node<'_>, home: Option<&str>) -> Option<Simple> {
    let variables = vec![read(text, node, home)?];
    Some(Simple { range: node.byte_range(), variables, ..Simple::default() })
}

/// Commands as somebody would find them who knows nothing of quotes.
pub(super) fn crude(text: &str, home: Option<&str>) -> Vec<(String, Simple)> {
    let text = text.replace("\\\n", "");
    let stretches = text.split([';', '&', '|', '(', ')', '`', '\n', '\r', '{', '}', '<', '>']);
    let commands = stretches.filter_map(|stretch| {
        let words = stretch.split_whitespace().map(|stretch| {
            let text = stretch.trim_matches(['"', '\'']);
            word::read(text, home).unwrap_or_else(|| Word { text: text.to_owned(), value: Value::Unknown })
        });
        let words: Vec<Word> = words.collect();
        // Quotes that are open at both ends of a word, and reserved words, may stand before the program.
        let begin = words.iter().position(|word| {
            let reserved = ["then", "do", "else", "if", "while", "until", "!", "time", "elif"];
            word.known().is_none_or(|text| !reserved.contains(&text) && !text.contains('='))
        })?;
        let words = words.get(begin..)?.to_vec();
        Some((stretch.trim().to_owned(), Simple { words, ..Simple::default() }))
    });
    commands.collect()
}
