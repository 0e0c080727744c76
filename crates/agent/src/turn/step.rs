//! The calls of one answer on their way: looked at, permitted, run, done. Never runs a call twice, never two at once unless both only
//! read, and never one before those in front of it are decided.

use super::event::{CallKey, QuestionId, TimerId};
use super::setup::PARALLEL_MAX;
use crate::message::{Block, ToolCall, ToolResult};
use crate::permission::{Access, Permit, Question};

/// The calls of one answer.
#[derive(Debug)]
pub(super) struct Step {
    number: u64,
    slots: Vec<Slot>,
    cursor: usize,
    /// What the model is told behind the results.
    pub(super) notice: Option<String>,
    /// Whether the answer was cut off, which explains calls that lack a field.
    pub(super) was_cut: bool,
}

/// A call and how far it is.
#[derive(Debug)]
pub(super) struct Slot {
    pub(super) call: ToolCall,
    pub(super) state: State,
}

#[derive(Debug)]
pub(super) enum State {
    Queued,
    Inspecting,
    Asking(Box<Asking>),
    Granted(Box<Permit>),
    Running(Access),
    Done(ToolResult),
}

/// A question that a person has not answered yet.
#[derive(Debug)]
pub(super) struct Asking {
    pub(super) id: QuestionId,
    pub(super) timer: Option<TimerId>,
    pub(super) question: Question,
}

/// What can be done now.
#[derive(Debug)]
pub(super) enum Move {
    /// Look at this call.
    Begin(CallKey, ToolCall),
    /// Run this one.
    Run(CallKey, Box<Permit>),
    /// Nothing, until something happens.
    Wait,
    /// All are done.
    Finished,
}

impl Step {
    pub(super) fn new(number: u64, calls: Vec<ToolCall>) -> Self {
        let slots = calls.into_iter().map(|call| Slot { call, state: State::Queued }).collect();
        Self { number, slots, cursor: 0, notice: None, was_cut: false }
    }

    /// The second of two calls with one id does not run: nobody knows which of them was meant.
    pub(super) fn reject_twice(&mut self, twice: &[bool]) {
        for (slot, _) in self.slots.iter_mut().zip(twice).filter(|(_, twice)| **twice) {
            let words = "Not executed: another call of the same message has the same id.";
            slot.state = State::Done(ToolResult::error(slot.call.id.clone(), words));
        }
    }

    /// The next thing to do. What it hands out is handed out once.
    pub(super) fn next_move(&mut self) -> Move {
        let running = self.slots.iter().filter(|slot| matches!(slot.state, State::Running(_))).count();
        let changing = self
            .slots
            .iter()
            .any(|slot| matches!(slot.state, State::Running(access) if access != Access::ReadOnly));
        while let Some(slot) = self.slots.get_mut(self.cursor) {
            let key = CallKey { step: self.number, index: self.cursor };
            match &slot.state {
                State::Running(_) | State::Done(_) => self.cursor += 1,
                State::Inspecting | State::Asking(_) => return Move::Wait,
                // A call in front may change what this one would touch.
                State::Queued if changing => return Move::Wait,
                State::Queued => {
                    slot.state = State::Inspecting;
                    return Move::Begin(key, slot.call.clone());
                }
                State::Granted(permit) => {
                    let access = permit.claim().access;
                    let others_max = if access == Access::ReadOnly { PARALLEL_MAX - 1 } else { 0 };
                    if running > others_max {
                        return Move::Wait;
                    }
                    self.cursor += 1;
                    return match std::mem::replace(&mut slot.state, State::Running(access)) {
                        State::Granted(permit) => Move::Run(key, permit),
                        _ => Move::Wait,
                    };
                }
            }
        }
        if running > 0 { Move::Wait } else { Move::Finished }
    }

    /// The call of this key.
    pub(super) fn slot(&mut self, key: CallKey) -> Option<&mut Slot> {
        self.slots.get_mut(key.index).filter(|_| key.step == self.number)
    }

    /// Takes back the question that fits, with its call. The call waits for its next state.
    pub(super) fn take_question(&mut self, fits: impl Fn(&Asking) -> bool) -> Option<(CallKey, Box<Asking>)> {
        let asked = |slot: &Slot| matches!(&slot.state, State::Asking(asking) if fits(asking));
        let index = self.slots.iter().position(asked)?;
        let slot = self.slots.get_mut(index)?;
        match std::mem::replace(&mut slot.state, State::Inspecting) {
            State::Asking(asking) => Some((CallKey { step: self.number, index }, asking)),
            _ => None,
        }
    }

    /// The question that is open.
    pub(super) fn question(&self) -> Option<QuestionId> {
        self.slots.iter().find_map(|slot| match &slot.state {
            State::Asking(asking) => Some(asking.id),
            _ => None,
        })
    }

    /// Whether a tool runs.
    pub(super) fn is_running(&self) -> bool {
        self.slots.iter().any(|slot| matches!(slot.state, State::Running(_)))
    }

    /// Answers each call that does not run yet. The one that a person was asked about counts as rejected.
    pub(super) fn drop_rest(&mut self, words: &str) {
        for slot in &mut self.slots {
            let id = slot.call.id.clone();
            match slot.state {
                State::Queued | State::Inspecting | State::Granted(_) => {
                    slot.state = State::Done(ToolResult::error(id, words));
                }
                State::Asking(_) => slot.state = State::Done(ToolResult::interrupt(id)),
                State::Running(_) | State::Done(_) => {}
            }
        }
    }

    /// The results, in the order of the calls. A tool that still runs has none, and the model is told so.
    pub(super) fn into_results(self, unfinished: &str) -> Vec<Block> {
        let result = |slot: Slot| match slot.state {
            State::Done(result) => result,
            _ => ToolResult::error(slot.call.id, unfinished),
        };
        self.slots.into_iter().map(result).map(Block::ToolResult).collect()
    }
}
