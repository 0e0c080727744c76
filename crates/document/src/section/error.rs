//! Why a section cannot be used, named by what the caller does next. Never carries the document's text.

/// Why a section cannot be read or written.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SectionError {
    /// No section has this title.
    #[error("no section is titled {title:?}{}", nearest_hint(nearest))]
    NotFound {
        /// What was asked for.
        title: String,
        /// Titles of the document, the most alike first.
        nearest: Vec<String>,
    },
    /// Several sections have this title, and choosing one would be a guess.
    #[error("{count} sections are titled {title:?}, on lines {}; rename all but one", listed(lines))]
    Multiple {
        /// What was asked for.
        title: String,
        /// How many there are.
        count: usize,
        /// Their lines, counted from one.
        lines: Vec<usize>,
    },
    /// A proposal marker lacks its `-->`, so that it hides what follows.
    #[error(
        "the proposal marker on line {line} is not closed and hides what follows; write `<!-- proposal -->`"
    )]
    UnclosedMarker {
        /// The line of the marker, counted from one.
        line: usize,
    },
}

fn nearest_hint(nearest: &[String]) -> String {
    if nearest.is_empty() {
        return String::new();
    }
    let quoted: Vec<String> = nearest.iter().map(|title| format!("{title:?}")).collect();
    format!("; nearest: {}", quoted.join(", "))
}

fn listed(lines: &[usize]) -> String {
    let numbers: Vec<String> = lines.iter().map(ToString::to_string).collect();
    numbers.join(", ")
}
