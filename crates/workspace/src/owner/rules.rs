//! Who may write where. Never looks at the proposal marker: authority is the section's and the actor's.

use document::section::{Place, Section, find_sections};

use crate::command::{Actor, FileErrorKind, Refusal};

/// The section that only the conductor and people write.
const CANON: &str = "conductor";
/// The section of the person, which no worker may claim by its name.
const PERSON: &str = "user";

/// How a section is to be changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum How {
    /// What is there may go.
    Replace,
    /// What is there stays.
    Append,
}

/// Whether two titles or names are the same for people.
pub(super) fn folded(title: &str) -> String {
    title.trim().to_lowercase()
}

/// Refuses an actor that may not write in `target`, which is a section of `text`.
pub(super) fn check(text: &str, target: &Place, actor: &Actor, how: How, path: &str) -> Result<(), Refusal> {
    if matches!(actor, Actor::User(_) | Actor::System) {
        return Ok(());
    }
    let owner = owner_of(text, target);
    let is_allowed = match actor {
        Actor::User(_) | Actor::System => true,
        Actor::Conductor => how == How::Append || folded(&owner) == CANON,
        Actor::Worker(name) => {
            let name = folded(name);
            name == folded(&owner) && name != CANON && name != PERSON && !holds_others(text, target)
        }
    };
    if is_allowed {
        return Ok(());
    }
    let next = match actor {
        Actor::Worker(name) => format!("write in your own section {name:?}"),
        Actor::Conductor => "replace only \"Conductor\", or append here".to_owned(),
        Actor::User(_) | Actor::System => "ask its owner".to_owned(),
    };
    let message = format!("{path}: section {:?} belongs to {owner}, not to {actor}; {next}", target.title);
    Err(Refusal::new(FileErrorKind::Forbidden { owner }, message))
}

/// The title of the second-level section that the target is, or is in.
fn owner_of(text: &str, target: &Place) -> String {
    if target.level == 2 {
        return target.title.clone();
    }
    let around = |section: &Section| {
        section.level == 2 && section.start <= target.range.start && target.range.end <= section.end
    };
    find_sections(text).into_iter().find(around).map_or_else(|| target.title.clone(), |section| section.title)
}

/// Whether the sections of others are inside of this one.
fn holds_others(text: &str, target: &Place) -> bool {
    let is_inside = |section: &Section| {
        section.level <= 2 && section.start > target.range.start && section.end <= target.range.end
    };
    target.level < 2 && find_sections(text).iter().any(is_inside)
}
