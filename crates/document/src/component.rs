//! Components: named spans `<!-- agent:NAME -->…<!-- /agent:NAME -->` of a document, found as `CommonMark` has it.
//! Never takes a marker in code for a marker, and never changes a byte outside the component it is asked to change.

mod attributes;
mod edit;
mod error;
mod inert;

pub use attributes::Attributes;
pub(crate) use edit::Draft;
pub use edit::{append, apply, prepend, replace};
pub use error::ComponentError;
pub(crate) use inert::closing_line_of_file;
pub use inert::{closing_line, inert};

use std::ops::Range;

use crate::comment::html::{self, HtmlComment};
use crate::marker::{self, AGENT, Marker, Side};
use crate::text::line_number;

/// A named span of a document.
///
/// `open`, `content` and `close` follow each other without a gap, so the document can be put together again from them.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Component {
    /// The name after `agent:`.
    pub name: String,
    /// What stands after the name in the opening marker.
    pub attributes: Attributes,
    /// The opening marker; with its line break if nothing follows it on its line.
    pub open: Range<usize>,
    /// What the component holds.
    pub content: Range<usize>,
    /// The closing marker; with its indentation if nothing precedes it on its line.
    pub close: Range<usize>,
    /// The place in the list of the component around this one.
    pub parent: Option<usize>,
    /// How many components are around this one.
    pub depth: usize,
}

impl Component {
    /// The whole component with both of its markers.
    pub fn range(&self) -> Range<usize> {
        self.open.start..self.close.end
    }

    /// How an agent's text goes in: as the attribute `patch` (or `mode`) says, else as the name suggests.
    ///
    /// Regions that people and agents share grow; a region that shows a state is replaced.
    pub fn mode(&self) -> Mode {
        let asked = self.attributes.get("patch").or_else(|| self.attributes.get("mode"));
        asked.and_then(Mode::from_name).unwrap_or_else(|| Mode::by_default(&self.name))
    }
}

/// How a text goes into a component.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// Instead of what is there.
    Replace,
    /// After what is there.
    Append,
    /// Before what is there.
    Prepend,
}

impl Mode {
    /// The mode that an attribute names.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "replace" => Some(Self::Replace),
            "append" => Some(Self::Append),
            "prepend" => Some(Self::Prepend),
            _ => None,
        }
    }

    /// The mode of a component whose marker does not say.
    pub fn by_default(component: &str) -> Self {
        match component {
            "exchange" | "log" | "findings" => Self::Append,
            _ => Self::Replace,
        }
    }
}

/// The components of a document, in the order of their opening markers. Takes linear time.
///
/// ```
/// let text = "<!-- agent:status -->\nReady.\n<!-- /agent:status -->\n";
/// let components = document::component::components(text)?;
/// assert_eq!(components.len(), 1);
/// assert_eq!(&text[components[0].content.clone()], "Ready.\n");
/// # Ok::<(), document::component::ComponentError>(())
/// ```
///
/// # Errors
///
/// If the markers do not pair up, or one is only half typed.
pub fn components(text: &str) -> Result<Vec<Component>, ComponentError> {
    let comments = html::comments_of_file(text);
    let mut found: Vec<Component> = Vec::new();
    let mut open: Vec<usize> = Vec::new();
    for comment in &comments {
        if marker::is_half_typed(text, comment, AGENT) {
            return Err(ComponentError::HalfTyped { line: line_number(text, comment.range.start) });
        }
        let Some(marker) = Marker::read(text, comment, AGENT) else {
            continue;
        };
        match marker.side {
            Side::Open => {
                let component = opened(text, &marker, &open);
                open.push(found.len());
                found.push(component);
            }
            Side::Close => close(text, &marker, &mut found, &mut open, &comments)?,
        }
    }
    match open.last().and_then(|index| found.get(*index)) {
        None => Ok(found),
        Some(left) => Err(runaway_comment(text, &comments, text.len()).unwrap_or_else(|| {
            ComponentError::Unclosed { name: left.name.clone(), line: line_number(text, left.open.start) }
        })),
    }
}

/// The one component of a document that is called `name`.
///
/// ```
/// use document::component::{ComponentError, find_component};
///
/// let text = "<!-- agent:status -->\n<!-- /agent:status -->\n";
/// assert_eq!(find_component(text, "status")?.depth, 0);
/// let ComponentError::NotFound { nearest, .. } = find_component(text, "statsu").unwrap_err() else { panic!() };
/// assert_eq!(nearest.as_deref(), Some("status"));
/// # Ok::<(), ComponentError>(())
/// ```
///
/// # Errors
///
/// If the document's markers do not pair up, or there is no component or more than one of that name.
pub fn find_component(text: &str, name: &str) -> Result<Component, ComponentError> {
    let mut components = components(text)?;
    let index = find_index(text, &components, name)?;
    Ok(components.swap_remove(index))
}

/// The place in `components` of the one that is called `name`.
pub(crate) fn find_index(text: &str, components: &[Component], name: &str) -> Result<usize, ComponentError> {
    let mut places = components.iter().enumerate().filter(|(_, component)| component.name == name);
    match (places.next(), places.next()) {
        (Some((index, _)), None) => Ok(index),
        (None, _) => Err(ComponentError::NotFound {
            name: name.to_owned(),
            nearest: error::nearest(name, components.iter().map(|component| component.name.as_str())),
        }),
        (Some((_, first)), Some((_, second))) => Err(ComponentError::Multiple {
            name: name.to_owned(),
            lines: [first, second].map(|component| line_number(text, component.open.start)),
        }),
    }
}

/// A component of which only the opening marker is known.
fn opened(text: &str, marker: &Marker<'_>, open: &[usize]) -> Component {
    let range = marker.with_line_end(text);
    Component {
        name: marker.name.to_owned(),
        attributes: Attributes::new(marker.attributes),
        content: range.end..range.end,
        close: range.end..range.end,
        open: range,
        parent: open.last().copied(),
        depth: open.len(),
    }
}

/// Closes the innermost open component, which must have the marker's name.
fn close(
    text: &str,
    marker: &Marker<'_>,
    found: &mut [Component],
    open: &mut Vec<usize>,
    comments: &[HtmlComment],
) -> Result<(), ComponentError> {
    if let Some(inner) = open.last().and_then(|index| found.get_mut(*index))
        && inner.name == marker.name
    {
        inner.close = marker.with_line_start(text);
        inner.content.end = inner.close.start;
        open.pop();
        return Ok(());
    }
    if let Some(error) = runaway_comment(text, comments, marker.range.start) {
        return Err(error);
    }
    let line = line_number(text, marker.range.start);
    let name = marker.name.to_owned();
    let inner = open.last().and_then(|index| found.get(*index));
    let is_open = open.iter().any(|index| found.get(*index).is_some_and(|outer| outer.name == name));
    Err(match inner {
        Some(inner) if is_open => ComponentError::Crossed {
            inner: inner.name.clone(),
            outer: name,
            lines: [line_number(text, inner.open.start), line],
        },
        _ => ComponentError::Unopened { name, line },
    })
}

/// A comment before `end` that ran into another one. It is the likely reason why markers do not pair up.
fn runaway_comment(text: &str, comments: &[HtmlComment], end: usize) -> Option<ComponentError> {
    let runaway = comments
        .iter()
        .take_while(|comment| comment.range.start < end)
        .find(|comment| !comment.closed || comment.inner(text).contains(html::OPEN))?;
    Some(ComponentError::OpenComment { line: line_number(text, runaway.range.start) })
}
