//! Calls of the tools that the request offers. Never calls a tool that is not offered, and never with arguments that its
//! schema does not have.

use agent::model::ToolSpec;
use serde_json::{Map, Value};

/// A call to be made.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Call {
    pub(super) name: String,
    pub(super) input: Value,
}

/// The tools of a request.
pub(super) struct Toolbox<'a> {
    tools: &'a [ToolSpec],
}

/// One argument: the names it may have, and its value.
type Argument<'a> = (&'a [&'a str], Value);

const PATH: &[&str] = &["path", "file_path", "file", "directory"];

impl<'a> Toolbox<'a> {
    pub(super) fn of(tools: &'a [ToolSpec]) -> Self {
        Self { tools }
    }

    pub(super) fn has(&self, name: &str) -> bool {
        self.tools.iter().any(|tool| tool.name == name)
    }

    pub(super) fn list(&self, path: &str) -> Option<Call> {
        self.call("List", &[(PATH, Value::from(path))])
    }

    pub(super) fn read(&self, path: &str) -> Option<Call> {
        self.call("Read", &[(PATH, Value::from(path))])
    }

    pub(super) fn glob(&self, pattern: &str) -> Option<Call> {
        self.call("Glob", &[(&["pattern", "glob"], Value::from(pattern))])
    }

    /// The lines with any of the words, in any case.
    pub(super) fn grep(&self, words: &[String]) -> Option<Call> {
        self.search(words, "content")
    }

    /// How many lines of each file have any of the words, in any case.
    pub(super) fn count(&self, words: &[String]) -> Option<Call> {
        self.search(words, "count")
    }

    fn search(&self, words: &[String], mode: &str) -> Option<Call> {
        let escaped: Vec<String> = words.iter().map(|word| escaped(word)).collect();
        let pattern = format!("(?i){}", escaped.join("|"));
        let pattern: Argument<'_> = (&["pattern", "query", "regex"], Value::from(pattern));
        // Not every tool of this name can give back different things.
        let with_mode = self.call("Grep", &[pattern.clone(), (&["output_mode"], Value::from(mode))]);
        with_mode.or_else(|| self.call("Grep", &[pattern]))
    }

    pub(super) fn bash(&self, command: &str) -> Option<Call> {
        self.call("Bash", &[(&["command", "cmd"], Value::from(command))])
    }

    pub(super) fn document(&self) -> Option<Call> {
        self.call("ReadDocument", &[])
    }

    pub(super) fn section(&self, title: &str) -> Option<Call> {
        self.call("ReadSection", &[(&["section", "title", "heading", "name"], Value::from(title))])
    }

    /// Adds to a section of a document.
    pub(super) fn append(&self, document: &str, section: &str, content: &str) -> Option<Call> {
        let section_names: &[&str] = &["section", "title", "heading", "name"];
        let (document, content) = (Value::from(document), Value::from(content));
        self.call(
            "AppendSection",
            &[(PATH, document), (section_names, Value::from(section)), (&["content", "text"], content)],
        )
    }

    /// Says that an assignment is done.
    pub(super) fn finished(&self, summary: &str) -> Option<Call> {
        self.call("Finished", &[(&["summary"], Value::from(summary))])
    }

    /// The call, if the tool is there and all that it requires is known.
    fn call(&self, name: &str, arguments: &[Argument<'_>]) -> Option<Call> {
        let tool = self.tools.iter().find(|tool| tool.name == name)?;
        let properties = tool.input_schema.get("properties").and_then(Value::as_object);
        let mut input = Map::new();
        for (names, value) in arguments {
            let known =
                names.iter().find(|name| properties.is_none_or(|known| known.contains_key(**name)))?;
            input.insert((*known).to_owned(), value.clone());
        }
        let required = tool.input_schema.get("required").and_then(Value::as_array).into_iter().flatten();
        let is_complete = required.filter_map(Value::as_str).all(|name| input.contains_key(name));
        is_complete.then(|| Call { name: name.to_owned(), input: Value::Object(input) })
    }
}

/// A word as a pattern that means itself.
fn escaped(word: &str) -> String {
    let special = |letter: char| "\\.+*?()|[]{}^$#&-~".contains(letter);
    let mut pattern = String::new();
    for letter in word.chars() {
        if special(letter) {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern
}
