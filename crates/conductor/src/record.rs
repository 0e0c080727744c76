//! What is kept of a run in `run.json`, so that it can be listed, shown and gone on with. Never holds what stands in the document:
//! that is the truth about what was found.

use std::collections::BTreeMap;

use agent::message::Usage;
use document::Revision;
use serde::{Deserialize, Serialize};

use crate::limits::{DECISIONS_MAX, Limits};
use crate::plan::Item;
use crate::status::{Phase, Status};

/// The version of the format. A newer one is not touched.
pub const FORMAT: u32 = 1;

/// All that is kept of a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Record {
    /// The version of the format.
    pub format: u32,
    /// The run's name.
    pub id: String,
    /// What it is for, all of it: the title of the document may be shorter.
    pub objective: String,
    /// Who wanted it.
    pub person: String,
    /// When it was made, in milliseconds since 1970.
    pub begun: u64,
    /// When this was written. For people; nothing is decided by it.
    pub updated: u64,
    /// How it is.
    pub status: Status,
    /// Why it is so, if that needs words.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Who wanted it to end.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cancelled: Option<String>,
    /// The model that the person wanted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// How far it may go.
    #[serde(default)]
    pub limits: Limits,
    /// How far it went.
    #[serde(default)]
    pub spent: Spent,
    /// Who works.
    pub workers: Vec<Worker>,
    /// Agents of others who write here: nobody gives them work, and nobody waits for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guests: Vec<Guest>,
    /// What is to be done.
    #[serde(default)]
    pub plan: Vec<Item>,
    /// An item that did not go forward, for which a model is asked what to do instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stalled: Option<u32>,
    /// How often something else was planned in place of an item.
    #[serde(default)]
    pub replans: u32,
    /// What the person said that was taken, in the order of the lines.
    #[serde(default)]
    pub directives: Vec<Taken>,
    /// What is known of the canon.
    #[serde(default)]
    pub canon: Canon,
    /// Proposals that the person took into the canon.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub accepted: Vec<Settled>,
    /// Proposals that the person did not want. They stay here, and are not proposed again.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rejected: Vec<Settled>,
    /// What was decided and why, latest last.
    #[serde(default)]
    pub decisions: Vec<String>,
}

/// How far a run went.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Spent {
    /// Requests to models.
    pub turns: u32,
    /// Tokens that models wrote.
    pub tokens: u64,
    /// How long it worked, by a clock that cannot jump.
    pub milliseconds: u64,
}

/// Someone who works in a run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Worker {
    /// The name, which is the title of its section.
    pub name: String,
    /// How it is.
    pub phase: Phase,
    /// Its conversation, to be gone on with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub transcript: Option<String>,
    /// The revision at which its section was last merged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged: Option<Revision>,
    /// Its question to the person.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
    /// The tokens that its model read and wrote.
    #[serde(default)]
    pub usage: Usage,
}

/// An agent of others who came in by itself, and writes in a section of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Guest {
    /// The name, which is the title of its section.
    pub name: String,
    /// How it is, as far as it says.
    pub phase: Phase,
    /// The revision at which its section was last merged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub merged: Option<Revision>,
    /// Its last word that it is done, by the name of that: it is taken once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished: Option<String>,
    /// What it said then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told: Option<String>,
}

impl Guest {
    /// One that has just come in.
    #[must_use]
    pub fn new(name: &str) -> Guest {
        Guest { name: name.to_owned(), phase: Phase::Working, merged: None, finished: None, told: None }
    }
}

/// A directive that was taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Taken {
    /// Its number, from one.
    pub id: u32,
    /// The line, as it stood when it was last seen.
    pub line: String,
    /// What is said about it in the document.
    pub answer: String,
    /// Whether that was said.
    #[serde(default)]
    pub is_answered: bool,
}

/// What is known of the canon.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Canon {
    /// How often it was written. The next write bears the next number.
    pub count: u32,
    /// Whether something was finished that is not in it.
    #[serde(default)]
    pub is_due: bool,
    /// The revision with which it was written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<Revision>,
    /// What it was made of, as a sum: the same is not merged twice.
    #[serde(default)]
    pub inputs: String,
    /// What we had to say, as it would stand there. What differs from it is the person's.
    #[serde(default)]
    pub text: String,
    /// Whose sections it was made of.
    #[serde(default)]
    pub sources: Vec<String>,
    /// Whether a model wrote it.
    #[serde(default)]
    pub is_synthesis: bool,
    /// The last text of a model that was fit, to be kept while it says nothing fit any more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub said: Option<Said>,
}

/// A text of a model that was fit to be the canon.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Said {
    /// The words, without what we put below them.
    pub text: String,
    /// What each section was that it was made of, as a sum.
    pub of: BTreeMap<String, String>,
}

/// A proposal about which the person has decided.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settled {
    /// Its name.
    pub id: String,
    /// Who proposed it.
    pub author: String,
    /// The words.
    pub text: String,
}

impl Record {
    /// A run that nobody has begun.
    #[must_use]
    pub fn new(id: &str, objective: &str, workers: &[String], person: &str, now: u64) -> Record {
        let worker = |name: &String| Worker {
            name: name.clone(),
            phase: Phase::Idle,
            transcript: None,
            merged: None,
            question: None,
            usage: Usage::default(),
        };
        Record {
            format: FORMAT,
            id: id.to_owned(),
            objective: objective.to_owned(),
            person: person.to_owned(),
            begun: now,
            updated: now,
            status: Status::Queued,
            why: None,
            cancelled: None,
            model: None,
            limits: Limits::default(),
            spent: Spent::default(),
            workers: workers.iter().map(worker).collect(),
            guests: Vec::new(),
            plan: Vec::new(),
            stalled: None,
            replans: 0,
            directives: Vec::new(),
            canon: Canon::default(),
            accepted: Vec::new(),
            rejected: Vec::new(),
            decisions: Vec::new(),
        }
    }

    /// The worker of a name.
    #[must_use]
    pub fn worker(&self, name: &str) -> Option<&Worker> {
        self.workers.iter().find(|worker| worker.name == name)
    }

    pub(crate) fn worker_mut(&mut self, name: &str) -> Option<&mut Worker> {
        self.workers.iter_mut().find(|worker| worker.name == name)
    }

    /// The item of a number.
    #[must_use]
    pub fn item(&self, id: u32) -> Option<&Item> {
        self.plan.iter().find(|item| item.id == id)
    }

    pub(crate) fn item_mut(&mut self, id: u32) -> Option<&mut Item> {
        self.plan.iter_mut().find(|item| item.id == id)
    }

    /// The names of all workers.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.workers.iter().map(|worker| worker.name.clone()).collect()
    }

    /// The guest of a name.
    #[must_use]
    pub fn guest(&self, name: &str) -> Option<&Guest> {
        self.guests.iter().find(|guest| guest.name.eq_ignore_ascii_case(name))
    }

    pub(crate) fn guest_mut(&mut self, name: &str) -> Option<&mut Guest> {
        self.guests.iter_mut().find(|guest| guest.name.eq_ignore_ascii_case(name))
    }

    /// The names of all who propose something: workers, and then guests.
    #[must_use]
    pub fn authors(&self) -> Vec<String> {
        let guests = self.guests.iter().map(|guest| guest.name.clone());
        self.names().into_iter().chain(guests).collect()
    }

    /// Keeps a decision; the oldest go.
    pub(crate) fn decided(&mut self, words: impl Into<String>) {
        self.decisions.push(words.into());
        let spare = self.decisions.len().saturating_sub(DECISIONS_MAX);
        self.decisions.drain(..spare);
    }
}
