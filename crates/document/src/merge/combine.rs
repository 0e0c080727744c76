//! Two texts of whole lines for one place: the agent's, then the person's, and once what both hold.
//! Never tears a code block apart, and never takes a blank line or a mere mark for something that both meant.

use crate::diff::{line_hunks, slice, solid};

/// Lines that both sides wrote count as the same words if they hold at least this many bytes besides blanks.
const TELLING_BYTES: usize = 8;

/// Where two texts meet.
pub(super) struct Place<'a> {
    /// The place lies in the frontmatter, where a key may stand only once.
    pub(super) is_frontmatter: bool,
    /// The lines of the base that stood here.
    pub(super) removed: &'a str,
}

/// The lines of both, and those of the agent that had to give way to the person's.
pub(super) struct Combined {
    pub(super) text: String,
    pub(super) dropped: String,
}

/// Puts the agent's lines and the person's at one place.
pub(super) fn combine(ours: &str, theirs: &str, place: &Place<'_>) -> Combined {
    let mut dropped = String::new();
    if ours == theirs || theirs.is_empty() {
        return Combined { text: ours.to_owned(), dropped };
    }
    if ours.is_empty() {
        return Combined { text: theirs.to_owned(), dropped };
    }
    let ours = person_keeps(ours, theirs, place, &mut dropped);
    Combined { text: join(&ours, theirs), dropped }
}

/// The agent's lines without those that set what the person's lines set: the same key of the
/// frontmatter, or the same component marker as one that stood here.
fn person_keeps(ours: &str, theirs: &str, place: &Place<'_>, dropped: &mut String) -> String {
    let mut kept = String::with_capacity(ours.len());
    for line in ours.split_inclusive('\n') {
        let Some(key) = structural_key(line, place) else {
            kept.push_str(line);
            continue;
        };
        let set_by_person =
            theirs.split_inclusive('\n').any(|other| structural_key(other, place) == Some(key));
        if set_by_person && !theirs.split_inclusive('\n').any(|other| other == line) {
            dropped.push_str(line);
        } else {
            kept.push_str(line);
        }
    }
    kept
}

/// What a line sets that may be set only once: a frontmatter key, or a marker that stood at this place.
fn structural_key<'a>(line: &'a str, place: &Place<'_>) -> Option<&'a str> {
    if place.is_frontmatter {
        let (key, _) = line.split_once(':')?;
        return (!key.is_empty() && !key.starts_with([' ', '\t', '#', '-'])).then_some(key);
    }
    let marker = marker_name(line)?;
    place.removed.split_inclusive('\n').any(|removed| marker_name(removed) == Some(marker)).then_some(marker)
}

/// `agent:NAME` or `/agent:NAME` of a line that is a component marker.
fn marker_name(line: &str) -> Option<&str> {
    let inside = line.trim().strip_prefix("<!--")?.strip_suffix("-->")?.trim();
    let name = inside.split_whitespace().next()?;
    (name.starts_with("agent:") || name.starts_with("/agent:")).then_some(name)
}

fn join(ours: &str, theirs: &str) -> String {
    let lead = shared_lead(ours, theirs);
    let (shared_head, ours) = ours.split_at_checked(lead).unwrap_or(("", ours));
    let theirs = theirs.get(lead..).unwrap_or_default();
    let trail = shared_trail(ours, theirs);
    let (ours, shared_tail) = ours.split_at_checked(ours.len() - trail).unwrap_or((ours, ""));
    let theirs = theirs.get(..theirs.len() - trail).unwrap_or_default();
    let mut text = String::with_capacity(shared_head.len() + ours.len() + theirs.len() + shared_tail.len());
    text.push_str(shared_head);
    alternate(ours, theirs, &mut text);
    text.push_str(shared_tail);
    text
}

/// How many bytes of equal whole lines both begin with, if they say anything.
fn shared_lead(ours: &str, theirs: &str) -> usize {
    let mut length = 0;
    let mut sound = 0;
    let mut fences = 0;
    for (a, b) in ours.split_inclusive('\n').zip(theirs.split_inclusive('\n')) {
        if a != b {
            break;
        }
        length += a.len();
        fences += usize::from(is_fence(a));
        // A blank line at the end of what both share belongs to what follows it.
        if fences % 2 == 0 && !a.trim().is_empty() {
            sound = length;
        }
    }
    if length == ours.len() || length == theirs.len() {
        return length;
    }
    if has_word(ours.get(..sound).unwrap_or_default()) { sound } else { 0 }
}

/// How many bytes of equal whole lines both end with, if that is all that is left of one of them, or if it tells enough.
fn shared_trail(ours: &str, theirs: &str) -> usize {
    let mut length = 0;
    let mut sound = 0;
    let mut fences = 0;
    for (a, b) in ours.split_inclusive('\n').rev().zip(theirs.split_inclusive('\n').rev()) {
        if a != b {
            break;
        }
        length += a.len();
        fences += usize::from(is_fence(a));
        if fences % 2 == 0 {
            sound = length;
        }
    }
    if length == ours.len() || length == theirs.len() {
        return length;
    }
    let tail = ours.get(ours.len() - sound..).unwrap_or_default();
    if solid(tail) >= TELLING_BYTES { sound } else { 0 }
}

/// The agent's lines, then the person's; lines in between that both hold stand once, with each side's own around them.
fn alternate(ours: &str, theirs: &str, text: &mut String) {
    let start = text.len();
    let mut at = (0, 0);
    let mut pending = (0, 0);
    let hunks = line_hunks(ours, theirs);
    for hunk in &hunks {
        let shared = slice(ours, at.0..hunk.old.start);
        if solid(shared) >= TELLING_BYTES {
            push_both(slice(ours, pending.0..at.0), slice(theirs, pending.1..at.1), text);
            text.push_str(shared);
            pending = (hunk.old.start, hunk.new.start);
        }
        at = (hunk.old.end, hunk.new.end);
    }
    push_both(slice(ours, pending.0..ours.len()), slice(theirs, pending.1..theirs.len()), text);
    // Where the parts would open or close a code block that the whole did not, the texts stand one after the other.
    let is_split = pending != (0, 0);
    if is_split && [ours, theirs].iter().any(|side| side.lines().any(is_fence)) {
        text.truncate(start);
        push_both(ours, theirs, text);
    }
}

fn push_both(ours: &str, theirs: &str, text: &mut String) {
    text.push_str(ours);
    text.push_str(theirs);
}

fn is_fence(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("```") || line.starts_with("~~~")
}

fn has_word(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}
