//! Puts a text into a component. Never changes a byte elsewhere, and never changes which components there are.

use std::borrow::Cow;
use std::ops::Range;

use super::inert::{closing_line, fenced, inert, without_comments, without_html_and_fences};
use super::{Component, ComponentError, Mode, components, find_index};
use crate::diff::line_start;
use crate::markdown::{ending_for, without_frontmatter_end, without_outer_blank_lines};
use crate::text::{joined, with_line_ending};

/// `text` with `addition` instead of the content of component `name`.
///
/// ```
/// let text = "<!-- agent:status -->\nOld.\n<!-- /agent:status -->\n";
/// let text = document::component::replace(text, "status", "New.")?;
/// assert_eq!(text, "<!-- agent:status -->\nNew.\n<!-- /agent:status -->\n");
/// # Ok::<(), document::component::ComponentError>(())
/// ```
///
/// # Errors
///
/// If there is not exactly one such component, or it holds others.
pub fn replace(text: &str, name: &str, addition: &str) -> Result<String, ComponentError> {
    apply(text, name, Mode::Replace, addition)
}

/// `text` with `addition` after the content of component `name`, as a paragraph of its own.
///
/// # Errors
///
/// If there is not exactly one such component.
pub fn append(text: &str, name: &str, addition: &str) -> Result<String, ComponentError> {
    apply(text, name, Mode::Append, addition)
}

/// `text` with `addition` before the content of component `name`, as a paragraph of its own.
///
/// # Errors
///
/// If there is not exactly one such component.
pub fn prepend(text: &str, name: &str, addition: &str) -> Result<String, ComponentError> {
    apply(text, name, Mode::Prepend, addition)
}

/// `text` with `addition` put into component `name` as `mode` says.
///
/// # Errors
///
/// If there is not exactly one such component, or replacing it would remove others.
pub fn apply(text: &str, name: &str, mode: Mode, addition: &str) -> Result<String, ComponentError> {
    let mut draft = Draft::new(text)?;
    let index = find_index(text, draft.components(), name)?;
    draft.edit(index, mode, addition)?;
    Ok(draft.into_text())
}

/// A document under change, with its components at hand so that several edits cost one parse each.
#[derive(Debug)]
pub(crate) struct Draft<'t> {
    text: Cow<'t, str>,
    components: Vec<Component>,
}

impl<'t> Draft<'t> {
    pub(crate) fn new(text: &'t str) -> Result<Self, ComponentError> {
        Ok(Self { components: components(text)?, text: text.into() })
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn into_text(self) -> String {
        self.text.into_owned()
    }

    pub(crate) fn components(&self) -> &[Component] {
        &self.components
    }

    /// Whether another component lies inside the one at `index`.
    pub(crate) fn inner_of(&self, index: usize) -> Option<&Component> {
        // The first component inside another stands right after it in the list.
        self.components.get(index + 1).filter(|next| next.parent == Some(index))
    }

    /// Puts `addition` into the component at `index`. The places of all components in the list stay the same.
    pub(crate) fn edit(&mut self, index: usize, mode: Mode, addition: &str) -> Result<(), ComponentError> {
        let Some(component) = self.components.get(index) else {
            return Ok(());
        };
        if let Some(inner) = self.inner_of(index)
            && mode == Mode::Replace
        {
            return Err(ComponentError::HoldsOthers {
                name: component.name.clone(),
                inner: inner.name.clone(),
            });
        }
        let addition = without_outer_blank_lines(addition);
        // What surrounds the component decides what is code, so each form is tried in its place. Nearly always the
        // first one does; the later ones are for text that lands inside raw HTML or takes in what follows it.
        let forms: [fn(&str) -> String; 4] =
            [|text| inert(text).into_owned(), without_comments, without_html_and_fences, fenced];
        for form in forms {
            let splice = Splice::new(&self.text, component, mode, &closed(form(addition)));
            let text = splice.apply(&self.text);
            if let Ok(after) = components(&text)
                && splice.keeps(&self.components, &after)
            {
                *self = Self { text: text.into(), components: after };
                return Ok(());
            }
        }
        Err(ComponentError::WouldBreak { name: component.name.clone() })
    }
}

/// `text` as whole lines, with what it leaves open closed.
fn closed(mut text: String) -> String {
    if text.trim().is_empty() {
        return String::new();
    }
    text.push('\n');
    if let Some(line) = closing_line(&text) {
        text.push_str(&line);
        text.push('\n');
    }
    text
}

/// One change of a text.
#[derive(Debug)]
struct Splice {
    range: Range<usize>,
    text: String,
}

impl Splice {
    fn new(document: &str, component: &Component, mode: Mode, addition: &str) -> Self {
        let content = document.get(component.content.clone()).unwrap_or_default();
        let open = document.get(component.open.clone()).unwrap_or_default();
        let range = match mode {
            Mode::Replace => component.content.clone(),
            Mode::Append => component.content.end..component.content.end,
            Mode::Prepend => component.content.start..component.content.start,
        };
        let mut body = body(document, component, addition);
        if body.is_empty() {
            return Self { range, text: body };
        }
        let line_break = ending_for(document).as_str();
        let before = match mode {
            Mode::Append if !content.is_empty() => content,
            Mode::Append | Mode::Replace | Mode::Prepend => open,
        };
        match mode {
            Mode::Append if needs_blank_line(content, &body) => body.insert_str(0, line_break),
            Mode::Prepend if needs_blank_line(&body, content) => body.push_str(line_break),
            Mode::Append | Mode::Prepend | Mode::Replace => {}
        }
        if !before.ends_with('\n') {
            body.insert_str(0, line_break);
        }
        Self { range, text: body }
    }

    fn apply(&self, document: &str) -> String {
        let before = document.get(..self.range.start).unwrap_or_default();
        let after = document.get(self.range.end..).unwrap_or_default();
        joined(&[before, &self.text, after])
    }

    /// Whether the components after the change are those before it, at the places where the change moved them.
    fn keeps(&self, before: &[Component], after: &[Component]) -> bool {
        let moved = |offset: usize| (offset + self.text.len()).saturating_sub(self.range.len());
        let same = |old: &Component, new: &Component| {
            let start =
                if old.open.start < self.range.start { old.open.start } else { moved(old.open.start) };
            let end = if old.close.end <= self.range.start { old.close.end } else { moved(old.close.end) };
            (&old.name, &old.attributes, old.parent, start..end)
                == (&new.name, &new.attributes, new.parent, new.range())
        };
        before.len() == after.len() && before.iter().zip(after).all(|(old, new)| same(old, new))
    }
}

/// The whole lines `addition` as lines of the document, indented and quoted like the closing marker of the component.
fn body(document: &str, component: &Component, addition: &str) -> String {
    let addition = without_frontmatter_end(document, with_line_ending(addition, ending_for(document)));
    let prefix = line_prefix(document, component);
    let mut body = String::with_capacity(addition.len() + 2);
    for line in addition.split_inclusive('\n') {
        body.push_str(if line.trim().is_empty() { prefix.trim_end() } else { prefix });
        body.push_str(line);
    }
    body
}

/// The indentation and quote signs of the component's lines, as its closing marker has them.
fn line_prefix<'t>(document: &'t str, component: &Component) -> &'t str {
    let close = document.get(component.close.clone()).unwrap_or_default();
    let prefix = close.split_once('<').map_or("", |(prefix, _)| prefix);
    let line = line_start(document, component.open.start);
    let is_quoted = document.get(line..component.open.start).is_some_and(|before| before.contains('>'));
    // A component that opens outside the quote it closes in is no part of the quote.
    if prefix.contains('>') && !is_quoted { "" } else { prefix }
}

/// Whether two texts would run together into one paragraph. Rows of one list or one table belong together.
fn needs_blank_line(above: &str, below: &str) -> bool {
    let (Some(last), Some(first)) = (above.lines().last(), below.lines().next()) else {
        return false;
    };
    let (last, first) = (unquoted(last), unquoted(first));
    if last.is_empty() || first.is_empty() {
        return false;
    }
    !(is_item(last) && is_item(first) || last.starts_with('|') && first.starts_with('|'))
}

fn unquoted(line: &str) -> &str {
    line.trim().trim_start_matches(['>', ' ', '\t'])
}

/// Whether a line begins a list item.
fn is_item(line: &str) -> bool {
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    let after = if digits.len() < line.len() {
        digits.strip_prefix(['.', ')'])
    } else {
        line.strip_prefix(['-', '*', '+'])
    };
    after.is_some_and(|rest| rest.starts_with([' ', '\t']))
}
