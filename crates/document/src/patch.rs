//! Patches: the blocks `<!-- patch:NAME -->…<!-- /patch:NAME -->` of an agent's answer, each meant for one component.
//! Never loses a word of an answer: what has no component of its own goes to `exchange` or `output`, or is refused.

mod apply;
mod stream;

pub use apply::{Applied, PatchError, apply_patches, apply_patches_to};
pub use stream::{safe_prefix, steady_prefix};

use std::collections::{BTreeMap, VecDeque};
use std::fmt;

use crate::comment::html;
use crate::component::{Attributes, Mode};
use crate::markdown::without_outer_blank_lines;
use crate::marker::{Marker, PATCH, Side};
use crate::text::LineCounter;

/// An agent's answer, taken apart.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// The patch blocks in order.
    pub patches: Vec<Patch>,
    /// What stands outside of patch blocks; its parts are separated by a blank line.
    pub unmatched: String,
    /// What is odd about the answer.
    pub notices: Vec<Notice>,
}

/// One patch block.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Patch {
    /// The component it is meant for.
    pub name: String,
    /// What stands after the name in its marker.
    pub attributes: Attributes,
    /// Its text.
    pub text: String,
    /// Whether its closing marker is there. A patch that still streams in is open.
    pub is_closed: bool,
}

impl Patch {
    /// How the text goes into a component of the mode `own`. A patch may ask to add, but not to replace what the
    /// document says must grow.
    fn mode_for(&self, own: Mode) -> Mode {
        let asked = self.attributes.get("patch").or_else(|| self.attributes.get("mode"));
        match asked.and_then(Mode::from_name) {
            None | Some(Mode::Replace) => own,
            Some(asked @ (Mode::Append | Mode::Prepend)) => asked,
        }
    }
}

/// Something the person may want to know about an answer. Nothing was lost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Notice {
    /// A patch never closes; it was taken up to the next patch or the end.
    Unclosed {
        /// The patch.
        name: String,
        /// The line of the answer where it opens.
        line: usize,
    },
    /// A closing marker closes nothing and was left out.
    Unopened {
        /// The name in the marker.
        name: String,
        /// The line of the answer.
        line: usize,
    },
    /// There is not exactly one component of that name, so its text went elsewhere.
    Rerouted {
        /// The patch.
        name: String,
        /// The component that took the text.
        target: String,
    },
    /// The component holds others, so the text was appended and nothing was replaced.
    Appended {
        /// The component.
        name: String,
    },
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unclosed { name, line } => {
                write!(f, "patch `{name}` on line {line} of the answer never closes")
            }
            Self::Unopened { name, line } => {
                write!(f, "line {line} of the answer closes patch `{name}`, which is not open")
            }
            Self::Rerouted { name, target } => {
                write!(f, "there is not exactly one component `{name}`; its text went to `{target}`")
            }
            Self::Appended { name } => {
                write!(
                    f,
                    "component `{name}` holds others, so the text was appended instead of replacing them"
                )
            }
        }
    }
}

/// Takes an agent's answer apart. Markers in code are inert.
///
/// ```
/// let answer = document::patch::parse_answer("Done.\n\n<!-- patch:status -->\nReady.\n<!-- /patch:status -->\n");
/// assert_eq!(answer.patches[0].name, "status");
/// assert_eq!(answer.patches[0].text, "Ready.\n");
/// assert_eq!(answer.unmatched, "Done.");
/// ```
pub fn parse_answer(text: &str) -> Answer {
    let markers: Vec<Marker<'_>> = html::comments_of_fragment(text)
        .iter()
        .filter_map(|comment| Marker::read(text, comment, PATCH))
        .collect();
    let mut closings = Closings::new(&markers);
    let mut lines = LineCounter::new(text);
    let mut answer = Answer::default();
    let mut outside = 0;
    for (index, marker) in markers.iter().enumerate() {
        if marker.range.start < outside {
            continue;
        }
        answer.add_unmatched(text.get(outside..marker.range.start).unwrap_or_default());
        let line = lines.line(marker.range.start);
        outside = match marker.side {
            Side::Open => {
                let next_open = markers.iter().skip(index + 1).find(|next| next.side == Side::Open);
                let close = closings.after(marker).filter(|close| belongs(close, next_open));
                answer.add_patch(text, marker, close, next_open, line)
            }
            Side::Close => {
                answer.notices.push(Notice::Unopened { name: marker.name.to_owned(), line });
                marker.range.end
            }
        };
    }
    answer.add_unmatched(text.get(outside..).unwrap_or_default());
    answer
}

/// Whether a closing marker is not that of a later patch of the same name.
fn belongs(close: &Marker<'_>, next_open: Option<&Marker<'_>>) -> bool {
    next_open.is_none_or(|next| next.name != close.name || next.range.start > close.range.start)
}

impl Answer {
    fn add_unmatched(&mut self, text: &str) {
        let text = without_outer_blank_lines(text);
        if text.is_empty() {
            return;
        }
        if !self.unmatched.is_empty() {
            self.unmatched.push_str("\n\n");
        }
        self.unmatched.push_str(text);
    }

    /// Adds the patch that `open` begins and says where it ends.
    fn add_patch(
        &mut self,
        text: &str,
        open: &Marker<'_>,
        close: Option<&Marker<'_>>,
        next_open: Option<&Marker<'_>>,
        line: usize,
    ) -> usize {
        if close.is_none() {
            self.notices.push(Notice::Unclosed { name: open.name.to_owned(), line });
        }
        let start = open.with_line_end(text).end;
        let (content, end) = match (close, next_open) {
            (Some(close), _) => (start..close.with_line_start(text).start, close.range.end),
            (None, Some(next)) => (start..next.with_line_start(text).start, next.range.start),
            (None, None) => (start..text.len(), text.len()),
        };
        self.patches.push(Patch {
            name: open.name.to_owned(),
            attributes: Attributes::new(open.attributes),
            text: text.get(content).unwrap_or_default().to_owned(),
            is_closed: close.is_some(),
        });
        end
    }
}

/// The closing markers of an answer by name, so that finding the right one takes no search through the answer.
struct Closings<'m, 't> {
    by_name: BTreeMap<&'t str, VecDeque<&'m Marker<'t>>>,
}

impl<'m, 't> Closings<'m, 't> {
    fn new(markers: &'m [Marker<'t>]) -> Self {
        let mut by_name: BTreeMap<_, VecDeque<_>> = BTreeMap::new();
        for marker in markers.iter().filter(|marker| marker.side == Side::Close) {
            by_name.entry(marker.name).or_default().push_back(marker);
        }
        Self { by_name }
    }

    /// The first closing marker after `open` with its name. Calls must come in the order of the answer.
    fn after(&mut self, open: &Marker<'t>) -> Option<&'m Marker<'t>> {
        let waiting = self.by_name.get_mut(open.name)?;
        while waiting.front().is_some_and(|close| close.range.start < open.range.end) {
            waiting.pop_front();
        }
        waiting.front().copied()
    }
}
