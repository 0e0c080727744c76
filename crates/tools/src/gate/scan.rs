//! Takes a command apart into plain simple commands, if it is made of nothing else. Never trusts the grammar alone: every byte
//! of the text must belong to a word, an operator, a comment, or be a blank between them, and every word must be one to
//! the shell as well.

use std::ops::Range;

use tree_sitter::{Node, Tree};

use super::part::{Value, Word};
use super::reason::Reason;
use super::word;

/// A simple command: what stands between two operators.
#[derive(Debug, Default)]
pub(super) struct Simple {
    pub(super) range: Range<usize>,
    pub(super) variables: Vec<Word>,
    pub(super) words: Vec<Word>,
    pub(super) redirects: Vec<Redirect>,
}

impl Simple {
    pub(super) fn is_empty(&self) -> bool {
        self.variables.is_empty() && self.words.is_empty() && self.redirects.is_empty()
    }
}

/// `2>&1`, `> file`, `< file`.
#[derive(Debug)]
pub(super) struct Redirect {
    pub(super) operator: String,
    pub(super) target: Word,
}

/// Only these hold others without adding a meaning of their own that matters here.
const STRUCTURE: &[&str] = &[
    "program",
    "list",
    "pipeline",
    "command",
    "command_name",
    "redirected_statement",
    "negated_command",
    "subshell",
    "compound_statement",
];

/// Each of these is a word of the shell, or a piece of one.
pub(super) const WORDS: &[&str] = &[
    "word",
    "number",
    "string",
    "raw_string",
    "ansi_c_string",
    "concatenation",
    "simple_expansion",
    "expansion",
    "variable_assignment",
];

/// Operators after which a new command begins.
const OPERATORS: &[&str] = &[";", "&&", "||", "|", "|&", "(", ")", "{", "}", "!", "\n"];

/// The simple commands, or what kept the text from being only that.
pub(super) fn simples(text: &str, tree: &Tree, home: Option<&str>) -> Result<Vec<Simple>, Reason> {
    if tree.root_node().has_error() {
        return Err(Reason::Unparsable);
    }
    let mut scan =
        Scan { text, home, end: 0, current: Simple::default(), found: Vec::new(), previous: Last::Operator };
    // The tree can be as deep as the text is long: a stack of our own cannot overflow.
    let mut stack = vec![tree.root_node()];
    let mut cursor = tree.walk();
    while let Some(node) = stack.pop() {
        if node.is_named() && STRUCTURE.contains(&node.kind()) {
            let begin = stack.len();
            stack.extend(node.children(&mut cursor));
            stack.get_mut(begin..).unwrap_or_default().reverse();
        } else {
            scan.take(node)?;
        }
    }
    scan.finish()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Last {
    Operator,
    Word,
    Redirect,
}

struct Scan<'a> {
    text: &'a str,
    home: Option<&'a str>,
    /// Where the last taken stretch ends.
    end: usize,
    current: Simple,
    found: Vec<Simple>,
    previous: Last,
}

impl Scan<'_> {
    fn take(&mut self, node: Node<'_>) -> Result<(), Reason> {
        if node.start_byte() == node.end_byte() {
            return Ok(());
        }
        let gap = self.gap(node.start_byte())?;
        match node.kind() {
            kind if node.is_named() && WORDS.contains(&kind) => self.word(node, gap),
            "file_redirect" => self.redirect(node, gap),
            "comment" => self.comment(node, gap),
            kind if !node.is_named() && OPERATORS.contains(&kind) => self.operator(node),
            kind => Err(Reason::Construct(kind.replace('_', " "))),
        }
    }

    /// Blanks before a stretch; a line break among them ends the command.
    fn gap(&mut self, start: usize) -> Result<usize, Reason> {
        let gap = self.text.get(self.end..start).ok_or(Reason::Unparsable)?;
        if !gap.bytes().all(|byte| matches!(byte, b' ' | b'\t' | b'\n')) {
            return Err(Reason::Unparsable);
        }
        let length = gap.len();
        if gap.contains('\n') {
            self.close();
        }
        Ok(length)
    }

    fn close(&mut self) {
        let simple = std::mem::take(&mut self.current);
        if !simple.is_empty() {
            self.found.push(simple);
        }
        self.previous = Last::Operator;
    }

    fn extend(&mut self, node: Node<'_>, last: Last) {
        if self.current.is_empty() {
            self.current.range.start = node.start_byte();
        }
        self.end = node.end_byte();
        self.current.range.end = self.end;
        self.previous = last;
    }

    fn word(&mut self, node: Node<'_>, gap: usize) -> Result<(), Reason> {
        if gap == 0 && self.previous != Last::Operator {
            return Err(Reason::Unparsable);
        }
        let word = self.read(node)?;
        self.extend(node, Last::Word);
        if node.kind() == "variable_assignment" && self.current.words.is_empty() {
            self.current.variables.push(word);
        } else {
            self.current.words.push(word);
        }
        Ok(())
    }

    fn read(&self, node: Node<'_>) -> Result<Word, Reason> {
        let text = self.text.get(node.byte_range()).ok_or(Reason::Unparsable)?;
        let word = word::read(text, self.home).ok_or(Reason::Unparsable)?;
        // Commands may stand inside, and rules must see them.
        let may_run = word.value == Value::Unknown && text.contains(['$', '`']);
        if may_run { Err(Reason::Construct("expansion".to_owned())) } else { Ok(word) }
    }

    fn redirect(&mut self, node: Node<'_>, gap: usize) -> Result<(), Reason> {
        let mut operator = None;
        let mut targets = Vec::new();
        let mut end = node.start_byte();
        for child in node.children(&mut node.walk()) {
            let between = self.text.get(end..child.start_byte()).ok_or(Reason::Unparsable)?;
            if !between.bytes().all(|byte| matches!(byte, b' ' | b'\t')) {
                return Err(Reason::Unparsable);
            }
            end = child.end_byte();
            match child.kind() {
                "file_descriptor" if operator.is_none() => {
                    // `a2>b` writes `a2` into `b`; `a 2>b` writes errors there.
                    let digits = self.text.get(child.byte_range()).unwrap_or_default();
                    if (gap == 0 && self.previous == Last::Word)
                        || !digits.bytes().all(|byte| byte.is_ascii_digit())
                    {
                        return Err(Reason::Unparsable);
                    }
                }
                kind if !child.is_named() && operator.is_none() => operator = Some(kind.to_owned()),
                kind if WORDS.contains(&kind) && operator.is_some() => {
                    if !targets.is_empty() && between.is_empty() {
                        return Err(Reason::Unparsable);
                    }
                    targets.push(self.read(child)?);
                }
                kind => return Err(Reason::Construct(kind.replace('_', " "))),
            }
        }
        let mut targets = targets.into_iter();
        let (Some(operator), Some(target)) = (operator, targets.next()) else {
            return Err(Reason::Unparsable);
        };
        self.extend(node, Last::Redirect);
        self.current.redirects.push(Redirect { operator, target });
        // The grammar takes all words that follow for targets; to the shell they are words of the command.
        self.current.words.extend(targets);
        Ok(())
    }

    /// A comment reaches to the end of its line and stands apart from the word before it.
    fn comment(&mut self, node: Node<'_>, gap: usize) -> Result<(), Reason> {
        let text = self.text.get(node.byte_range()).unwrap_or_default();
        let rest = self.text.get(node.end_byte()..).unwrap_or_default();
        let apart = gap > 0 || self.previous == Last::Operator;
        if !apart
            || !text.starts_with('#')
            || text.contains('\n')
            || !(rest.is_empty() || rest.starts_with('\n'))
        {
            return Err(Reason::Unparsable);
        }
        self.end = node.end_byte();
        Ok(())
    }

    fn operator(&mut self, node: Node<'_>) -> Result<(), Reason> {
        let rest = self.text.get(node.end_byte()..).unwrap_or_default();
        let begins = self.current.is_empty() && self.previous == Last::Operator;
        let is_one = match node.kind() {
            // Reserved words are that only where a command begins, and only if a blank follows.
            "{" | "}" | "!" => {
                begins && (rest.is_empty() || rest.starts_with([' ', '\t', '\n', ';', ')', '|', '&']))
            }
            // Two in a row would be arithmetic.
            "(" => begins && !rest.starts_with('('),
            _ => true,
        };
        if !is_one {
            return Err(Reason::Unparsable);
        }
        self.close();
        self.end = node.end_byte();
        // A redirection may follow a closed group at once.
        self.previous = Last::Operator;
        Ok(())
    }

    fn finish(mut self) -> Result<Vec<Simple>, Reason> {
        self.gap(self.text.len())?;
        self.close();
        Ok(self.found)
    }
}
