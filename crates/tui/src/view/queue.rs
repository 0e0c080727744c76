//! Messages that wait for the agent, in the order in which they were typed. Never sends one by itself, and never loses the place of one
//! that the person takes out to change it.

use crate::event::Delivery;

/// Messages that wait, at most.
const MESSAGES_MAX: usize = 32;

/// The messages.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    messages: Vec<(String, Delivery)>,
    /// Where the one stood that the person has taken out, and when it was to be said.
    taken: Option<(usize, Delivery)>,
}

impl Queue {
    pub(crate) fn messages(&self) -> &[(String, Delivery)] {
        &self.messages
    }

    /// Whether the person has one in their hands.
    pub(crate) fn is_editing(&self) -> bool {
        self.taken.is_some()
    }

    /// Puts a message behind the others, or where it was taken from. One too many is given back.
    pub(super) fn put(&mut self, words: String, delivery: Delivery) -> Result<(), String> {
        if self.messages.len() >= MESSAGES_MAX {
            return Err(words);
        }
        let place = self.taken.take().map_or(self.messages.len(), |(place, _)| place);
        self.messages.insert(place.min(self.messages.len()), (words, delivery));
        Ok(())
    }

    /// The one above the one that the person holds, or the last one. What they hold goes back to its place; nothing is left of it if
    /// there is nothing in it.
    pub(super) fn above(&mut self, held: &str) -> Option<String> {
        let place = self.taken.map_or(self.messages.len(), |(place, _)| place).checked_sub(1)?;
        self.put_back(held);
        self.out(place)
    }

    /// The one below it. Below the last one there is nothing.
    pub(super) fn below(&mut self, held: &str) -> Option<String> {
        let (place, _) = self.taken?;
        let is_kept = self.put_back(held);
        Some(self.out(if is_kept { place + 1 } else { place }).unwrap_or_default())
    }

    /// What was said for this moment.
    pub(super) fn take(&mut self, delivery: Delivery) -> Vec<String> {
        let (taken, rest) = self.messages.drain(..).partition::<Vec<_>, _>(|(_, when)| *when == delivery);
        self.messages = rest;
        taken.into_iter().map(|(words, _)| words).collect()
    }

    /// The turn is over: what was meant for its next step is the next prompt, or the first of the others.
    pub(super) fn next_prompt(&mut self) -> Vec<String> {
        self.taken = None;
        let next = self.take(Delivery::NextStep);
        if !next.is_empty() {
            return next;
        }
        self.messages.drain(..self.messages.len().min(1)).map(|(words, _)| words).collect()
    }

    pub(super) fn take_all(&mut self) -> Vec<String> {
        self.taken = None;
        self.messages.drain(..).map(|(words, _)| words).collect()
    }

    fn out(&mut self, place: usize) -> Option<String> {
        let delivery = self.messages.get(place)?.1;
        self.taken = Some((place, delivery));
        Some(self.messages.remove(place).0)
    }

    /// Whether what the person holds is a message still.
    fn put_back(&mut self, held: &str) -> bool {
        let Some((place, delivery)) = self.taken.take() else { return false };
        if held.trim().is_empty() {
            return false;
        }
        self.messages.insert(place.min(self.messages.len()), (held.trim().to_owned(), delivery));
        true
    }
}
