//! How the findings of one worker go together with those of others: the places that both name. Never judges who is right.

/// How a block begins that was made here: it is no finding.
const BEGIN: &str = "Read beside";
/// Sections that are no worker's.
const OTHERS: [&str; 2] = ["Conductor", "User"];
/// Places that are named.
const PLACES_MAX: usize = 5;

/// What `worker` says about the sections of the others.
pub(super) fn of(document: &str, worker: &str) -> String {
    let sections = sections(document);
    let own =
        sections.iter().find(|(title, _)| title == worker).map(|(_, text)| places(text)).unwrap_or_default();
    let others = sections.iter().filter(|(title, _)| title != worker && !OTHERS.contains(&title.as_str()));
    let parts: Vec<String> = others.filter_map(|(title, text)| beside(&own, title, &places(text))).collect();
    if parts.is_empty() {
        return format!("{BEGIN} the sections of the others: nobody else has found anything yet.");
    }
    parts.join("\n\n")
}

fn beside(own: &[String], other: &str, places: &[String]) -> Option<String> {
    if places.is_empty() {
        return None;
    }
    let meets =
        |place: &&String| places.iter().any(|theirs| is_within(place, theirs) || is_within(theirs, place));
    let shared: Vec<&String> = own.iter().filter(meets).collect();
    let alone: Vec<&String> = own.iter().filter(|place| !meets(place)).collect();
    let shown = |places: &[&String]| {
        places.iter().take(PLACES_MAX).map(|place| format!("`{place}`")).collect::<Vec<_>>().join(", ")
    };
    let said = if shared.is_empty() {
        format!("{BEGIN} what {other} found: {other} names other places than I do.")
    } else {
        format!("{BEGIN} what {other} found: both of us name {}.", shown(&shared))
    };
    let note = match alone.as_slice() {
        [] => format!("Note to {other}: all that I name, you name too."),
        alone => format!("Note to {other}: I also name {}, which you do not.", shown(alone)),
    };
    Some(format!("{said} {note}"))
}

fn is_within(place: &str, folder: &str) -> bool {
    place == folder || place.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

/// The paths that a section names, without lines, each once, in their order.
fn places(text: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let findings = text.split("\n\n").filter(|block| !block.starts_with(BEGIN) && !block.starts_with("Ran "));
    for block in findings {
        for span in block.split('`').skip(1).step_by(2) {
            let place = span.split(':').next().unwrap_or(span).trim_start_matches("./").trim_end_matches('/');
            let is_path =
                place.contains(['/', '.']) && !place.contains(' ') && !place.starts_with(['-', '.', '/']);
            if is_path && !found.iter().any(|known| known == place) {
                found.push(place.to_owned());
            }
        }
    }
    found
}

/// The second-level sections of a document.
fn sections(document: &str) -> Vec<(String, String)> {
    let mut sections: Vec<(String, String)> = Vec::new();
    for line in document.lines() {
        match (line.strip_prefix("## "), sections.last_mut()) {
            (Some(title), _) => sections.push((title.trim().to_owned(), String::new())),
            (None, Some((_, text))) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, None) => {}
        }
    }
    sections
}
