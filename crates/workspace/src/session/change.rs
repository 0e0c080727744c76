//! What a person changed since the last answer: the prompt. Never counts what is for the program or for nobody: frontmatter,
//! comments, blank lines.

use document::comment::strip_comments;
use document::diff::{diff_lines, unified};
use document::frontmatter::body;
use document::truncation::{Completeness, completeness};

/// Unchanged lines that an agent sees around a change.
const CONTEXT: usize = 3;

/// What a person changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The change as a unified diff; the whole text if there was no answer before.
    pub diff: String,
    /// Whether there is nothing to answer.
    pub is_empty: bool,
    /// Whether there was no answer before, so that everything is new.
    pub is_first: bool,
    /// The last line that was added; none if lines only went.
    pub last_line: Option<String>,
}

impl Change {
    /// What leads from the text that the last answer left to the text now.
    #[must_use]
    pub fn between(snapshot: Option<&str>, text: &str) -> Change {
        let is_first = snapshot.is_none();
        // Most of the time nothing has changed, and then there is no need to look for comments in a long text.
        if snapshot.is_some_and(|snapshot| body(snapshot) == body(text)) {
            return Change { diff: String::new(), is_empty: true, is_first, last_line: None };
        }
        let (old, new) = (strip_comments(body(snapshot.unwrap_or_default())), strip_comments(body(text)));
        let mut last_line = None;
        let mut is_empty = true;
        for hunk in diff_lines(&old, &new) {
            let (gone, come) = (old.get(hunk.old).unwrap_or_default(), new.get(hunk.new).unwrap_or_default());
            is_empty &= gone.split_whitespace().eq(come.split_whitespace());
            if let Some(line) = come.lines().rfind(|line| is_of_a_person(line)) {
                last_line = Some(line.to_owned());
            }
        }
        let diff = if is_empty { String::new() } else { unified(&old, &new, CONTEXT) };
        Change { diff, is_empty, is_first, last_line: last_line.filter(|_| !is_empty) }
    }

    /// Whether the person seems to have finished their sentence.
    #[must_use]
    pub fn completeness(&self) -> Completeness {
        self.last_line.as_deref().map_or(Completeness::Complete, completeness)
    }
}

/// Whether a line can be what a person typed last. Our markers around it are not.
fn is_of_a_person(line: &str) -> bool {
    let line = line.trim();
    !(line.is_empty() || line.starts_with("<!--") && line.ends_with("-->"))
}

#[cfg(test)]
mod tests {
    use super::Change;

    #[test]
    fn comments_frontmatter_and_blank_lines_are_no_change() {
        let old = "---\nsession: a\n---\n# T\n\none\n";
        for new in [
            "---\nsession: b\nmodel: x\n---\n# T\n\none\n",
            "---\nsession: a\n---\n# T\n\none\n\n\n",
            "---\nsession: a\n---\n# T\n<!-- think about it -->\n\none\n",
            "---\nsession: a\n---\n# T\n\n[//]: # (later)\none\n",
        ] {
            assert!(Change::between(Some(old), new).is_empty, "{new}");
        }
        assert!(!Change::between(Some(old), "---\nsession: a\n---\n# T\n\none\ntwo\n").is_empty);
    }

    #[test]
    fn without_an_answer_before_everything_is_new() {
        let change = Change::between(None, "# T\n\nWhat now?\n");
        assert!(change.is_first && !change.is_empty);
        assert_eq!(change.last_line.as_deref(), Some("What now?"));
        assert!(Change::between(None, "---\nsession:\n---\n\n").is_empty);
    }

    #[test]
    fn a_marker_is_not_what_the_person_typed_last() {
        let change =
            Change::between(None, "<!-- agent:exchange -->\nPlease look at\n<!-- /agent:exchange -->\n");
        assert_eq!(change.last_line.as_deref(), Some("Please look at"));
    }

    #[test]
    fn lines_that_only_went_are_a_change_without_a_last_line() {
        let change = Change::between(Some("one\n\ntwo\n"), "one\n");
        assert!(!change.is_empty && change.last_line.is_none());
    }
}
