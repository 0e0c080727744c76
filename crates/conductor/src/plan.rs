//! What is to be done in a run: items, each of one worker, some after others. Never asks a model; a plan that a model wrote is read
//! here, and one that cannot be read is replaced by the one that needs no thought.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::limits::ITEMS_MAX;

/// The most characters of an item's objective.
const OBJECTIVE_CHARS: usize = 2000;

/// One thing that one worker does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Item {
    /// Its number in the plan, from one.
    pub id: u32,
    /// Who does it.
    pub worker: String,
    /// What is to be done.
    pub objective: String,
    /// What it is for, so that a model without understanding can act on it.
    #[serde(default)]
    pub aim: Aim,
    /// The items that must be over first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub after: Vec<u32>,
    /// How far it is.
    #[serde(default)]
    pub state: ItemState,
    /// How often it was begun.
    #[serde(default)]
    pub attempts: u32,
    /// How often in a row it was tried without new text.
    #[serde(default)]
    pub idle: u32,
    /// What the section was when the item was first begun.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// What the person said to the worker meanwhile.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub words: Vec<String>,
    /// The items that are done in place of it, because it did not go forward.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub instead: Vec<u32>,
    /// The item in place of which it is done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub of: Option<u32>,
    /// What the worker said at its end, or why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told: Option<String>,
}

/// What an item is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Aim {
    /// Finding something out.
    #[default]
    Find,
    /// Relating it to what others found.
    Relate,
    /// Doing what the person said since.
    Follow,
}

/// How far an item is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ItemState {
    /// It has not begun, or is tried again.
    #[default]
    Waiting,
    /// Its worker works.
    Running,
    /// Its worker asked the person something.
    Asking,
    /// It is done.
    Done,
    /// It could not be done.
    Failed,
    /// It was given up because the run was.
    Cancelled,
}

impl ItemState {
    /// Whether nothing more is done about it.
    #[must_use]
    pub fn is_over(self) -> bool {
        match self {
            Self::Done | Self::Failed | Self::Cancelled => true,
            Self::Waiting | Self::Running | Self::Asking => false,
        }
    }
}

impl Item {
    /// An item that nobody has begun.
    #[must_use]
    pub fn new(id: u32, worker: &str, objective: &str, aim: Aim, after: Vec<u32>) -> Item {
        Item {
            id,
            worker: worker.to_owned(),
            objective: objective.chars().take(OBJECTIVE_CHARS).collect(),
            aim,
            after,
            state: ItemState::Waiting,
            attempts: 0,
            idle: 0,
            before: None,
            words: Vec::new(),
            instead: Vec::new(),
            of: None,
            told: None,
        }
    }

    /// Whether it was given up, and nothing is done in its place.
    #[must_use]
    pub fn is_missing(&self) -> bool {
        matches!(self.state, ItemState::Failed | ItemState::Cancelled) && self.instead.is_empty()
    }
}

/// The plan that needs no thought: everybody finds out what they can, and then each reads what the others found.
#[must_use]
pub fn standing(objective: &str, workers: &[String]) -> Vec<Item> {
    let count = u32::try_from(workers.len()).unwrap_or(u32::MAX);
    let first =
        (1..).zip(workers).map(|(id, worker)| Item::new(id, worker, objective, Aim::Find, Vec::new()));
    let mut items: Vec<Item> = first.collect();
    if workers.len() > 1 {
        let all: Vec<u32> = (1..=count).collect();
        let then = (count + 1..).zip(workers).map(|(id, worker)| {
            let words = "Relate what you found to what the others found: where you agree, where you differ, and what they should look at.";
            Item::new(id, worker, words, Aim::Relate, all.clone())
        });
        items.extend(then);
    }
    items
}

/// The plan that a model wrote: one item on each line, as `2. Terminal: measure it (after 1)`. None if no line is one, or if the
/// items wait for each other in a circle.
#[must_use]
pub fn read(text: &str, workers: &[String]) -> Option<Vec<Item>> {
    let mut items: Vec<Item> = Vec::new();
    for line in text.lines().take(ITEMS_MAX) {
        if let Some(item) = item(line, workers)
            && !items.iter().any(|known| known.id == item.id)
        {
            items.push(item);
        }
    }
    let known: BTreeSet<u32> = items.iter().map(|item| item.id).collect();
    for item in &mut items {
        item.after.retain(|id| known.contains(id) && *id != item.id);
    }
    (!items.is_empty() && !is_circular(&items)).then_some(items)
}

fn item(line: &str, workers: &[String]) -> Option<Item> {
    let line = line.trim().trim_start_matches(['-', '*']).trim_start();
    let (number, rest) = line.split_once(['.', ')'])?;
    let id = number.trim().parse().ok().filter(|id| *id > 0)?;
    let (name, rest) = rest.split_once(':')?;
    let name = name.trim().trim_matches(['*', '`']).to_lowercase();
    let worker = workers.iter().find(|worker| worker.to_lowercase() == name)?;
    let (objective, after) = match rest.rsplit_once("(after") {
        Some((objective, after)) => (objective, numbers(after)),
        None => (rest, Vec::new()),
    };
    let objective = objective.trim();
    (!objective.is_empty()).then(|| Item::new(id, worker, objective, Aim::Find, after))
}

fn numbers(text: &str) -> Vec<u32> {
    text.split(|letter: char| !letter.is_ascii_digit()).filter_map(|word| word.parse().ok()).collect()
}

/// Whether some items can never begin because each waits for another.
fn is_circular(items: &[Item]) -> bool {
    let mut done: BTreeSet<u32> = BTreeSet::new();
    loop {
        let ready = |item: &&Item| !done.contains(&item.id) && item.after.iter().all(|id| done.contains(id));
        let next: Vec<u32> = items.iter().filter(ready).map(|item| item.id).collect();
        if next.is_empty() {
            return done.len() < items.len();
        }
        done.extend(next);
    }
}

#[cfg(test)]
mod tests {
    use super::{Aim, read, standing};

    fn workers() -> Vec<String> {
        vec!["Researcher".to_owned(), "Terminal".to_owned()]
    }

    #[test]
    fn without_a_model_everybody_looks_and_then_reads_the_others() {
        let items = standing("compare", &workers());
        let shape: Vec<(u32, &str, Aim, &[u32])> = items
            .iter()
            .map(|item| (item.id, item.worker.as_str(), item.aim, item.after.as_slice()))
            .collect();
        assert_eq!(
            shape,
            [
                (1, "Researcher", Aim::Find, &[][..]),
                (2, "Terminal", Aim::Find, &[]),
                (3, "Researcher", Aim::Relate, &[1, 2]),
                (4, "Terminal", Aim::Relate, &[1, 2]),
            ]
        );
        assert_eq!(standing("alone", &workers()[..1]).len(), 1, "one who is alone has nobody to relate to");
    }

    #[test]
    fn a_plan_of_a_model_is_read_line_by_line() {
        let text =
            "Here is my plan:\n1. Researcher: read the docs\n2) terminal: measure (after 1, 9)\nThat is all.";
        let items = read(text, &workers()).unwrap();
        assert_eq!(items.len(), 2);
        assert_eq!((items[1].worker.as_str(), items[1].objective.as_str()), ("Terminal", "measure"));
        assert_eq!(items[1].after, [1], "what is not in the plan is not waited for");
    }

    #[test]
    fn a_plan_that_cannot_be_followed_is_none() {
        assert_eq!(read("I would rather not.", &workers()), None);
        assert_eq!(read("1. Nobody: x", &workers()), None);
        assert_eq!(read("1. Terminal: x (after 2)\n2. Researcher: y (after 1)", &workers()), None);
    }
}
