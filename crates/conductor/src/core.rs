//! What a conductor decides: events in, effects out. Never waits, never fails, never reads a file or a clock; all that it knows is its
//! record, the text of the document with its revision, and who works at the moment.

mod guests;
mod merging;
mod person;
mod stall;
mod standing;
mod work;

use std::collections::BTreeMap;

use agent::message::Usage;
use document::Revision;

use crate::draft::{Draft, Trouble};
use crate::plan;
use crate::record::{Record, Settled};
use crate::status::Status;
use merging::Merging;

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// The run begins, or goes on after its process ended. The document reads so.
    Opened(Draft),
    /// The document reads otherwise now.
    Changed {
        /// How it reads.
        draft: Draft,
        /// What of the person's section was sent; in the rest they may be in the middle of a word.
        sent: Sent,
    },
    /// A model wrote a plan, or could not.
    Planned(Result<String, String>),
    /// A model said what is to be done in place of an item that did not go forward, or could not.
    Replanned {
        /// The item.
        item: u32,
        /// What it said.
        said: Result<String, String>,
    },
    /// A worker has a conversation, to be gone on with.
    Began {
        /// The worker.
        worker: String,
        /// The conversation.
        transcript: String,
    },
    /// A worker tried something that it may not.
    Noted(String),
    /// A model was asked.
    Worked {
        /// By which worker; by the conductor itself if there is none.
        worker: Option<String>,
        /// How often.
        turns: u32,
        /// The tokens that it took.
        usage: Usage,
    },
    /// The person wants one worker to stop, and the others to go on.
    Dismissed {
        /// The worker.
        worker: String,
        /// Who wants it.
        by: String,
    },
    /// A worker is at its end: this is what causes a merge.
    Ended {
        /// The worker.
        worker: String,
        /// What it worked on.
        item: u32,
        /// How it ended.
        outcome: Outcome,
        /// How many words of the person it has heard.
        heard: usize,
        /// How the document reads.
        draft: Draft,
    },
    /// A guest says that it is done.
    GuestFinished {
        /// The guest.
        guest: String,
        /// The name of what it said: it is taken once.
        mark: String,
        /// What it found, in one sentence.
        summary: String,
        /// How the document reads.
        draft: Draft,
    },
    /// A model brought the sections together, or could not.
    Synthesized {
        /// Which canon.
        count: u32,
        /// What it said.
        said: Result<String, String>,
    },
    /// The canon stands in the document.
    CanonWritten {
        /// Which canon.
        count: u32,
        /// With which revision.
        revision: Revision,
        /// It stood there before: a process that is gone wrote it.
        is_duplicate: bool,
        /// How the document reads.
        draft: Draft,
    },
    /// Somebody changed the canon since it was read.
    CanonConflict {
        /// Which canon.
        count: u32,
        /// How the document reads.
        draft: Draft,
    },
    /// The canon could not be written.
    CanonRefused {
        /// Which canon.
        count: u32,
        /// Why.
        why: String,
    },
    /// What is to be said about a directive stands in the document.
    Answered(u32),
    /// The person took a proposal into the canon.
    Accepted(Settled, Draft),
    /// The person turned a proposal down.
    Rejected(Settled, Draft),
    /// Somebody wants the run to end.
    Cancelled(String),
    /// The run has worked as long as it may.
    TimeUp,
}

/// What of the person's section was sent, from less to more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Sent {
    /// Nothing: somebody types, or somebody else wrote.
    Nothing,
    /// The block at its end, which somebody added.
    Last,
    /// All of it: somebody saved the document.
    All,
}

/// How a worker ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Outcome {
    /// It said that it was done, and something is there.
    Done(String),
    /// It needs a word of the person.
    Asked(String),
    /// It could not; another attempt may help.
    Failed(String),
    /// It cannot; another attempt would end the same way.
    Hopeless(String),
    /// It was stopped.
    Stopped,
}

/// What must be done, in order, after the record was kept.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// Ask a model for a plan.
    Plan,
    /// Ask a model what is to be done in place of an item that does not go forward.
    Replan(u32),
    /// Let a worker begin with an item, or go on with it.
    Start {
        /// The worker.
        worker: String,
        /// The item.
        item: u32,
    },
    /// Tell a worker what the person said.
    Steer {
        /// The worker.
        worker: String,
        /// The words.
        words: String,
    },
    /// Stop a worker.
    Stop(String),
    /// Ask a model to bring the sections together.
    Synthesize {
        /// Which canon.
        count: u32,
        /// What was wrong with what it said before.
        objection: Option<String>,
    },
    /// Write the canon, if the section is still what it was at this revision.
    WriteCanon {
        /// Which canon; the name of the request is made of it, so that it is written once.
        count: u32,
        /// The revision that was read.
        base: Revision,
        /// The words.
        content: String,
    },
    /// Say in the document what became of a directive.
    Answer {
        /// Which one.
        directive: u32,
        /// The words.
        words: String,
    },
    /// Make sections that somebody took away.
    Restore(Vec<String>),
    /// The run is over.
    End(Status),
}

/// The conductor of one run.
#[derive(Debug, Clone)]
pub struct Conductor {
    record: Record,
    draft: Draft,
    /// Whether a model plans and merges.
    has_model: bool,
    /// Who works on which item.
    running: BTreeMap<String, u32>,
    /// What the section of each was when its attempt began.
    began_with: BTreeMap<String, String>,
    is_planning: bool,
    merging: Option<Merging>,
    /// Somebody finished while the sections were brought together.
    is_due_again: bool,
    /// The canon could not be written; the next change of the document is waited for.
    is_put_off: bool,
    /// Why everything is being stopped.
    stopping: Option<Stopping>,
    troubles: BTreeMap<String, Trouble>,
}

/// Why everything is being stopped.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Stopping {
    /// Somebody wants it.
    Cancelled(String),
    /// Something is used up.
    Exhausted(String),
}

impl Conductor {
    /// A conductor that goes on with a record.
    #[must_use]
    pub fn new(record: Record, has_model: bool) -> Conductor {
        Conductor {
            record,
            draft: Draft::new("", 0),
            has_model,
            running: BTreeMap::new(),
            began_with: BTreeMap::new(),
            is_planning: false,
            merging: None,
            is_due_again: false,
            is_put_off: false,
            stopping: None,
            troubles: BTreeMap::new(),
        }
    }

    /// What is to be kept.
    #[must_use]
    pub fn record(&self) -> &Record {
        &self.record
    }

    /// Notes the times, which nothing is decided by.
    pub fn stamp(&mut self, updated: u64, milliseconds: u64) {
        self.record.updated = updated;
        self.record.spent.milliseconds = milliseconds;
    }

    /// The document as it was last seen: what a model is shown.
    #[must_use]
    pub fn draft(&self) -> &Draft {
        &self.draft
    }

    /// Takes one event; says what must happen next, in order.
    pub fn step(&mut self, event: Event) -> Vec<Effect> {
        let mut effects = Vec::new();
        let into = &mut effects;
        let was = self.record.status;
        match event {
            Event::Opened(draft) => self.open(draft, into),
            Event::Changed { draft, sent } => {
                self.see(draft);
                self.listen(sent, into);
            }
            Event::Planned(said) => self.planned(&said),
            Event::Replanned { item, said } => self.replanned(item, &said),
            Event::Began { worker, transcript } => self.began(&worker, transcript),
            Event::Noted(words) => self.record.decided(words),
            Event::Worked { worker, turns, usage } => self.worked(worker.as_deref(), turns, usage, into),
            Event::Dismissed { worker, by } => self.dismiss(&worker, &by, into),
            Event::Ended { worker, item, outcome, heard, draft } => {
                self.see(draft);
                self.ended(&worker, item, outcome, heard, into);
            }
            Event::GuestFinished { guest, mark, summary, draft } => {
                self.see(draft);
                self.guest_finished(&guest, mark, &summary);
            }
            Event::Synthesized { count, said } => self.synthesized(count, said, into),
            Event::CanonWritten { count, revision, is_duplicate, draft } => {
                self.canon_written(count, revision, is_duplicate, draft);
            }
            Event::CanonConflict { count, draft } => {
                self.see(draft);
                self.canon_conflict(count, into);
            }
            Event::CanonRefused { count, why } => self.canon_refused(count, &why),
            Event::Answered(directive) => self.answered(directive),
            Event::Accepted(settled, draft) => self.accept(settled, draft),
            Event::Rejected(settled, draft) => self.reject(settled, draft),
            Event::Cancelled(by) => self.cancel(by, into),
            Event::TimeUp => self.exhaust("the time of the run is used up", into),
        }
        self.go_on(was, into);
        effects
    }

    fn open(&mut self, draft: Draft, effects: &mut Vec<Effect>) {
        self.see(draft);
        if self.record.status == Status::Cancelled {
            return;
        }
        // What a process that is gone was doing is done again; the names of requests keep it from happening twice.
        let unanswered = self.record.directives.iter().filter(|taken| !taken.is_answered);
        effects.extend(
            unanswered.map(|taken| Effect::Answer { directive: taken.id, words: taken.answer.clone() }),
        );
        self.resume();
        if let Some(by) = self.record.cancelled.clone() {
            return self.cancel(by, effects);
        }
        self.listen(Sent::All, effects);
        if self.record.plan.is_empty() && self.stopping.is_none() {
            if self.has_model {
                self.is_planning = true;
                effects.push(Effect::Plan);
            } else {
                self.record.plan = plan::standing(&self.record.objective, &self.record.names());
            }
        }
        // A process that is gone asked what to do instead, and nobody heard the answer.
        if let Some(item) = self.record.stalled.filter(|_| self.stopping.is_none()) {
            self.ask_again(item, effects);
        }
    }

    fn planned(&mut self, said: &Result<String, String>) {
        self.is_planning = false;
        if !self.record.plan.is_empty() {
            return;
        }
        let names = self.record.names();
        let read = said.as_ref().ok().and_then(|text| plan::read(text, &names));
        let words = match (&read, said) {
            (Some(items), _) => format!("planned {} items", items.len()),
            (None, Ok(_)) => {
                "the model's plan could not be read, so everybody looks and then reads the others".to_owned()
            }
            (None, Err(why)) => {
                format!("there is no plan of a model ({why}), so everybody looks and then reads the others")
            }
        };
        self.record.decided(words);
        self.record.plan = read.unwrap_or_else(|| plan::standing(&self.record.objective, &names));
    }

    /// Takes in how the document reads. An older reading that comes late is none.
    fn see(&mut self, draft: Draft) {
        if draft.revision >= self.draft.revision || self.draft.text.is_empty() {
            self.is_put_off &= draft.revision == self.draft.revision;
            self.draft = draft;
            self.adopt();
        }
    }

    /// All that follows from how things are now.
    fn go_on(&mut self, was: Status, effects: &mut Vec<Effect>) {
        if self.record.status.is_final() && !self.is_unfinished() {
            return;
        }
        self.look_for_trouble(effects);
        self.dispatch(effects);
        self.merge_if_due(effects);
        self.conclude(was, effects);
    }
}

#[cfg(test)]
mod tests;
