//! Why components cannot be read or changed, and what the person can do about it.
//! Never decides what happens next.

/// Why the components of a document cannot be read, found or changed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ComponentError {
    /// An opening marker has no closing one.
    #[error(
        "component `{name}` opens on line {line} and never closes; add `<!-- /agent:{name} -->` after its text"
    )]
    Unclosed {
        /// The component's name.
        name: String,
        /// The line of the opening marker.
        line: usize,
    },
    /// A closing marker has no opening one.
    #[error(
        "line {line} closes component `{name}`, which is not open; add `<!-- agent:{name} -->` before it or remove it"
    )]
    Unopened {
        /// The name in the closing marker.
        name: String,
        /// Its line.
        line: usize,
    },
    /// A component closes while another one inside it is still open.
    #[error(
        "component `{inner}` of line {} is still open where line {} closes `{outer}`; close `{inner}` first",
        lines[0], lines[1]
    )]
    Crossed {
        /// The component that is still open.
        inner: String,
        /// The component that closes.
        outer: String,
        /// Where `inner` opens and where `outer` closes.
        lines: [usize; 2],
    },
    /// A marker is not finished on its line.
    #[error("the marker on line {line} is not finished; end it with `-->` on the same line")]
    HalfTyped {
        /// The line of the marker.
        line: usize,
    },
    /// A comment without an end hides markers.
    #[error("the comment on line {line} runs into the next one and hides markers; end it with `-->`")]
    OpenComment {
        /// The line where the comment begins.
        line: usize,
    },
    /// No component has this name.
    #[error("there is no component `{name}`{}", suggestion(nearest.as_deref()))]
    NotFound {
        /// The name that was asked for.
        name: String,
        /// The name that looks most like it.
        nearest: Option<String>,
    },
    /// Several components have this name.
    #[error("components on lines {} and {} are both called `{name}`; rename one of them", lines[0], lines[1])]
    Multiple {
        /// The name that was asked for.
        name: String,
        /// Where the first two of them open.
        lines: [usize; 2],
    },
    /// Replacing the content would remove other components.
    #[error(
        "component `{name}` holds component `{inner}`, so it cannot be replaced; change `{inner}` or append"
    )]
    HoldsOthers {
        /// The component to replace.
        name: String,
        /// The first component inside it.
        inner: String,
    },
    /// No form of the text could be found that leaves the other components as they are.
    #[error("the text for component `{name}` would change other components; send it without raw HTML")]
    WouldBreak {
        /// The component to change.
        name: String,
    },
}

fn suggestion(nearest: Option<&str>) -> String {
    nearest.map_or_else(
        || "; add `<!-- agent:NAME -->` and `<!-- /agent:NAME -->` to the document".to_owned(),
        |name| format!("; did you mean `{name}`?"),
    )
}

/// Names longer than this are not compared: a typing mistake is looked for, not a likeness of essays.
const COMPARED_LENGTH_MAX: usize = 64;

/// The name that looks most like `name`, if one is near enough to be a slip of the finger.
pub(crate) fn nearest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<String> {
    let near_enough = name.len().div_ceil(3).max(1);
    names
        .filter(|candidate| candidate.len().max(name.len()) <= COMPARED_LENGTH_MAX)
        .map(|candidate| (distance(name, candidate), candidate))
        .filter(|(distance, _)| *distance <= near_enough)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate.to_owned())
}

/// How many letters must be inserted, removed or changed to turn one name into the other, ignoring case.
fn distance(left: &str, right: &str) -> usize {
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (index, letter) in left.bytes().enumerate() {
        let mut diagonal = std::mem::replace(row.first_mut().unwrap_or(&mut 0), index + 1);
        let mut previous = index + 1;
        for (cell, other) in row.iter_mut().skip(1).zip(right.bytes()) {
            let changed = diagonal + usize::from(!letter.eq_ignore_ascii_case(&other));
            diagonal = *cell;
            previous = changed.min(*cell + 1).min(previous + 1);
            *cell = previous;
        }
    }
    row.last().copied().unwrap_or(left.len())
}
