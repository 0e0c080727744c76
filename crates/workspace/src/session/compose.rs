//! What an agent is asked: the change, the document, and how its answer gets there. Never sends comments; they are the person's
//! scratchpad.

use document::comment::strip_comments;
use document::component::components;

use super::change::Change;
use super::layout::{Layout, Place};

/// The longest document that is sent whole, in bytes. Of a longer one its beginning and its end are.
const WHOLE_MAX: usize = 256 * 1024;
/// How much of a longer one is sent from either end.
const END_BYTES: usize = 64 * 1024;

/// The prompt for a change of a document, whose path from the root of its project is `path`.
#[must_use]
pub fn prompt(path: &str, change: &Change, document: &str, layout: &Layout) -> String {
    let mut prompt = format!("A person works with you in the markdown document `{path}`. ");
    if change.is_first {
        prompt.push_str("This is your first answer in it; all of it is from them. Answer what they ask.\n");
    } else {
        prompt.push_str("This is what they changed since your last answer. Their change is your prompt.\n\n");
        prompt.push_str(&format!("<diff>\n{}</diff>\n", change.diff));
    }
    let document = strip_comments(document);
    prompt.push_str(&format!("\nThe document now:\n\n<document>\n{}</document>\n\n", shortened(&document)));
    prompt.push_str(&form(&document, layout));
    prompt
}

/// How the answer must look.
fn form(document: &str, layout: &Layout) -> String {
    let common = "Your words are put into the document for you: answer in markdown, do not repeat the document, and do not edit its file. ";
    match layout {
        Layout::Append => {
            format!(
                "{common}They become a block of their own below the conversation; write no headings `## User` or `## Assistant`.\n"
            )
        }
        Layout::Stream { target: Place::Section(title), .. } => {
            format!("{common}They go to the end of the section \"{title}\".\n")
        }
        Layout::Stream { target: Place::Component(target), .. } => {
            format!("{common}They go to the end of the component `{target}`.{}\n", patches(document))
        }
        Layout::Template => {
            format!("{common}They go to the component `exchange` or `output`.{}\n", patches(document))
        }
    }
}

fn patches(document: &str) -> String {
    let names: Vec<String> = components(document)
        .unwrap_or_default()
        .into_iter()
        .map(|component| format!("`{}`", component.name))
        .collect();
    if names.len() < 2 {
        return String::new();
    }
    format!(
        " What is meant for another component stands between `<!-- patch:NAME -->` and `<!-- /patch:NAME -->`; there are {}.",
        names.join(", ")
    )
}

/// The document, or its two ends if it is long.
fn shortened(document: &str) -> String {
    if document.len() <= WHOLE_MAX {
        let gap = if document.ends_with('\n') { "" } else { "\n" };
        return [document, gap].concat();
    }
    let first = document.get(..document.floor_char_boundary(END_BYTES)).unwrap_or_default();
    let last = document.get(document.ceil_char_boundary(document.len() - END_BYTES)..).unwrap_or_default();
    let left_out = document.len() - first.len() - last.len();
    format!("{first}\n[{left_out} bytes in the middle are left out; read the file for them]\n{last}\n")
}

#[cfg(test)]
mod tests {
    use super::prompt;
    use crate::session::change::Change;
    use crate::session::layout::Layout;

    #[test]
    fn a_long_document_is_sent_with_both_ends() {
        let text = format!("begin é\n{}end\n", "line é of the middle\n".repeat(40_000));
        let prompt = prompt("a.md", &Change::between(None, &text), &text, &Layout::Append);
        assert!(prompt.len() < 200_000 && prompt.contains("begin") && prompt.contains("end\n"));
        assert!(prompt.contains("left out"));
    }

    #[test]
    fn comments_are_not_sent() {
        let text = "# T\n<!-- my own thoughts -->\nHello\n";
        let prompt = prompt("a.md", &Change::between(None, text), text, &Layout::Append);
        assert!(!prompt.contains("thoughts") && prompt.contains("Hello"));
    }
}
