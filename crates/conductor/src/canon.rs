//! The canon of a run: what the workers found, brought together. Never asks a model: it makes the text that needs none, looks whether
//! the text of a model may stand, and keeps what the person wrote into it.

use document::merge::merge;
use document::section::find_sections;

use crate::draft::{CANON, Draft, PERSON, squeezed, sum};
use crate::limits::CANON_MAX;
use crate::record::{Record, Said};

/// What stands above a canon that no model made.
pub const LABEL: &str = "_Put together from the sections of the workers, without a language model._";
/// What stands between the canon of a model and what came since.
pub const LATER: &str = "_Found since, put together without a language model:_";
/// Points taken from one section.
const POINTS_MAX: usize = 6;
/// Characters of one point.
const POINT_CHARS: usize = 300;
/// How much longer than all sections a canon may be.
const LONGER_MAX: usize = 10;

/// Why a model's text may not be the canon.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unfit {
    /// It says nothing.
    #[error("it says nothing")]
    Blank,
    /// It says what was asked.
    #[error("it only repeats the objective")]
    Echo,
    /// All of it is in a fence.
    #[error("all of it stands in a fence; write plain markdown")]
    Fenced,
    /// It has the headings of other sections.
    #[error("it has a heading {0:?}, which is a section of the document; write without it")]
    Forged(String),
    /// It is too long.
    #[error("it is longer than what it sums up; write less")]
    Long,
}

/// A sum of all that a canon is made of.
#[must_use]
pub fn inputs(draft: &Draft, record: &Record) -> String {
    let mut all = String::new();
    for name in record.authors() {
        let told = failures(record, &name).join("; ");
        all.push_str(&format!("{name}\0{}\0{told}\0", draft.sum_of(&name)));
    }
    for settled in &record.accepted {
        all.push_str(&format!("{}\0", settled.id));
    }
    sum(&all)
}

/// The workers and guests whose sections say something.
#[must_use]
pub fn sources(draft: &Draft, record: &Record) -> Vec<String> {
    let says = |name: &String| draft.section(name).is_ok_and(|text| !text.is_empty());
    record.authors().into_iter().filter(says).collect()
}

/// The canon that needs no model: the first points of each section, under the name of its worker.
#[must_use]
pub fn aggregate(draft: &Draft, record: &Record) -> String {
    let mut parts = vec![LABEL.to_owned()];
    parts.extend(pointed(draft, &sources(draft, record)));
    parts.extend(missing(record));
    parts.extend(accepted(record));
    parts.join("\n\n")
}

/// The last canon of a model that was fit, and below it the first points of each section that is different since.
#[must_use]
pub fn kept(said: &Said, draft: &Draft, record: &Record) -> String {
    let is_new = |name: &String| said.of.get(name) != Some(&draft.sum_of(name));
    let (new, old): (Vec<String>, Vec<String>) = sources(draft, record).into_iter().partition(is_new);
    let mut parts = vec![said.text.trim().to_owned()];
    parts.extend(named(&said.text, &old));
    let points = pointed(draft, &new);
    if !points.is_empty() {
        parts.push(LATER.to_owned());
        parts.extend(points);
    }
    parts.extend(missing(record));
    parts.extend(accepted(record));
    parts.join("\n\n")
}

/// The first points of sections, each under the name of its author.
fn pointed(draft: &Draft, names: &[String]) -> Vec<String> {
    let of = |name: &String| {
        let points = points(&draft.section(name).unwrap_or_default());
        (!points.is_empty()).then(|| format!("**{name}**\n\n{}", points.join("\n")))
    };
    names.iter().filter_map(of).collect()
}

/// Who is behind a text that does not name them all.
fn named(text: &str, sources: &[String]) -> Option<String> {
    let lower = text.to_lowercase();
    let is_unnamed = sources.iter().any(|name| !lower.contains(&name.to_lowercase()));
    is_unnamed.then(|| format!("_Sources: {}._", sources.join(", ")))
}

/// A model's text as the canon: with what was accepted, and with who did not finish.
#[must_use]
pub fn completed(text: &str, record: &Record) -> String {
    let mut parts = vec![text.trim().to_owned()];
    parts.extend(named(text, &record.canon.sources));
    parts.extend(missing(record));
    parts.extend(accepted(record));
    parts.join("\n\n")
}

/// What stands in the canon when nobody found anything.
#[must_use]
pub fn explained(record: &Record, why: &str) -> String {
    let mut parts = vec![format!("No worker found anything, so there is no answer: {why}.")];
    parts.extend(missing(record));
    parts.join("\n\n")
}

/// Looks whether a model's text may be the canon.
///
/// # Errors
///
/// [`Unfit`], which is also what the model is told.
pub fn check(text: &str, draft: &Draft, record: &Record) -> Result<(), Unfit> {
    let said: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let words = said.iter().filter(|line| !line.starts_with('#') && !line.starts_with("<!--"));
    if words.clone().count() == 0 {
        return Err(Unfit::Blank);
    }
    let objective = squeezed(&record.objective).to_lowercase();
    let whole = squeezed(&words.copied().collect::<Vec<_>>().join(" ")).to_lowercase();
    if whole.trim_end_matches(['.', '!', '?']) == objective.trim_end_matches(['.', '!', '?']) {
        return Err(Unfit::Echo);
    }
    if is_fenced(&said) {
        return Err(Unfit::Fenced);
    }
    let mut titles: Vec<String> = record.authors();
    titles.extend([CANON.to_owned(), PERSON.to_owned()]);
    let forged = find_sections(text).into_iter().find(|section| {
        titles.iter().any(|title| title.to_lowercase() == section.title.trim().to_lowercase())
    });
    if let Some(section) = forged {
        return Err(Unfit::Forged(section.title));
    }
    let given: usize =
        record.authors().iter().map(|name| draft.section(name).unwrap_or_default().len()).sum();
    if text.len() > CANON_MAX || text.len() > LONGER_MAX * given.max(200) {
        return Err(Unfit::Long);
    }
    Ok(())
}

/// The new canon with what the person wrote into the old one: `written` is what we wrote, `current` what stands there.
#[must_use]
pub fn woven(written: &str, new: &str, current: &str) -> String {
    if current.trim().is_empty() || current.trim() == written.trim() {
        return new.to_owned();
    }
    let ended = |text: &str| format!("{}\n", text.trim());
    merge(&ended(written), &ended(new), &ended(current)).text.trim().to_owned()
}

/// Whether all of it stands in one fence, also below a line such as "Here is the canon:".
fn is_fenced(lines: &[&str]) -> bool {
    let is_fence = |line: &&&str| line.starts_with("```") || line.starts_with("~~~");
    let opens = lines.iter().position(|line| is_fence(&line));
    let is_preamble = opens.is_some_and(|before| {
        before == 0 || (before == 1 && lines.first().is_some_and(|line| line.ends_with(':')))
    });
    let is_closed = lines.len() > 1 && lines.last().is_some_and(|line| is_fence(&line));
    is_preamble && is_closed && lines.iter().filter(is_fence).count() == 2
}

/// The points of a section: its list, else the first line of each paragraph.
fn points(content: &str) -> Vec<String> {
    let (mut points, mut paragraphs) = (Vec::new(), Vec::new());
    let (mut is_code, mut is_inside) = (false, false);
    for line in content.lines() {
        if line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~") {
            is_code = !is_code;
            continue;
        }
        let text = line.trim();
        if is_code || text.is_empty() || text.starts_with(['#', '|', '<', '>', '_']) {
            is_inside = false;
            continue;
        }
        let point = line.strip_prefix("- ").or_else(|| line.strip_prefix("* "));
        match point {
            Some(point) => points.push(point.trim().to_owned()),
            // A line that ends so introduces what follows it.
            None if !is_inside && !text.ends_with(':') && !line.starts_with(' ') => {
                paragraphs.push(text.to_owned());
            }
            None => {}
        }
        is_inside = true;
    }
    // What is said in sentences comes first: a list shows what they are about.
    paragraphs.truncate(POINTS_MAX / 2);
    let room = POINTS_MAX - paragraphs.len();
    let left = points.len().saturating_sub(room);
    points.truncate(room);
    let mut all: Vec<String> =
        paragraphs.into_iter().chain(points).map(|point| format!("- {}", cut(&point))).collect();
    if left > 0 {
        all.push(format!("- and {left} more in the section"));
    }
    all
}

fn cut(text: &str) -> String {
    if text.chars().count() <= POINT_CHARS {
        return text.to_owned();
    }
    let mut cut: String = text.chars().take(POINT_CHARS).collect();
    // Half a code span would turn the rest of the line into code.
    if cut.matches('`').count() % 2 == 1 {
        cut.push('`');
    }
    cut.push('…');
    cut
}

/// Why items of a worker failed, if no other of its items was done.
fn failures(record: &Record, worker: &str) -> Vec<String> {
    let items = record.plan.iter().filter(|item| item.worker == worker);
    let failed = items.filter(|item| item.is_missing());
    failed.map(|item| item.told.clone().unwrap_or_else(|| "it was given up".to_owned())).collect()
}

fn missing(record: &Record) -> Vec<String> {
    let told = |name: String| {
        let why = failures(record, &name).into_iter().next()?;
        Some(format!("{name} did not finish: {}", cut(&squeezed(&why))))
    };
    let told: Vec<String> = record.names().into_iter().filter_map(told).collect();
    if told.is_empty() { Vec::new() } else { vec![told.join("\n\n")] }
}

fn accepted(record: &Record) -> Vec<String> {
    let shown = |author: &str, text: &str| format!("Accepted from {author}:\n\n{text}");
    record.accepted.iter().map(|settled| shown(&settled.author, &settled.text)).collect()
}

#[cfg(test)]
mod tests;
