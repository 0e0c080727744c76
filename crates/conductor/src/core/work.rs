//! Who works on what: beginning, ending, trying again, giving up. Never lets one worker work on two things at once.

use agent::message::Usage;

use super::{Conductor, Effect, Outcome, Stopping};
use crate::draft::Trouble;
use crate::limits::ITEMS_MAX;
use crate::plan::{Aim, Item, ItemState};
use crate::status::Phase;

impl Conductor {
    /// After a restart nobody works any more; what was being worked on is gone on with, once.
    pub(super) fn resume(&mut self) {
        let mut interrupted = Vec::new();
        for item in self.record.plan.iter_mut().filter(|item| item.state == ItemState::Running) {
            item.state = ItemState::Waiting;
            // The attempt that was cut off did not fail.
            item.attempts = item.attempts.saturating_sub(1);
            interrupted.push(item.worker.clone());
        }
        if !interrupted.is_empty() {
            self.record.decided(format!("gone on with {} after a restart", interrupted.join(", ")));
        }
        // One that was told to stop has stopped with its process.
        for worker in self.record.workers.iter_mut().filter(|worker| worker.phase == Phase::Working) {
            if !interrupted.contains(&worker.name) {
                worker.phase = Phase::Stopped;
            }
        }
    }

    /// Lets everybody begin who can.
    pub(super) fn dispatch(&mut self, effects: &mut Vec<Effect>) {
        if self.stopping.is_some() || self.is_planning {
            return;
        }
        let ready: Vec<(u32, String)> = self
            .record
            .plan
            .iter()
            .filter(|item| item.state == ItemState::Waiting && self.is_free(item))
            .map(|item| (item.id, item.worker.clone()))
            .collect();
        for (id, worker) in ready {
            if self.running.contains_key(&worker) {
                continue;
            }
            let before = self.draft.sum_of(&worker);
            if let Some(item) = self.record.item_mut(id) {
                item.state = ItemState::Running;
                item.attempts += 1;
                item.before.get_or_insert_with(|| before.clone());
            }
            if let Some(known) = self.record.worker_mut(&worker) {
                (known.phase, known.question) = (Phase::Working, None);
            }
            self.running.insert(worker.clone(), id);
            self.began_with.insert(worker.clone(), before);
            effects.push(Effect::Start { worker, item: id });
        }
    }

    /// Whether nothing keeps an item from being begun.
    fn is_free(&self, item: &Item) -> bool {
        let is_over = |id: &u32| self.record.item(*id).is_none_or(|known| known.state.is_over());
        item.after.iter().all(is_over)
            && !self.running.contains_key(&item.worker)
            && !self.troubles.contains_key(&item.worker)
    }

    pub(super) fn began(&mut self, worker: &str, transcript: String) {
        if let Some(worker) = self.record.worker_mut(worker) {
            worker.transcript = Some(transcript);
        }
    }

    pub(super) fn worked(
        &mut self,
        worker: Option<&str>,
        turns: u32,
        usage: Usage,
        effects: &mut Vec<Effect>,
    ) {
        if let Some(worker) = worker.and_then(|worker| self.record.worker_mut(worker)) {
            worker.usage = worker.usage.plus(usage);
        }
        let (limits, all) = (self.record.limits, &mut self.record.spent);
        all.turns = all.turns.saturating_add(turns);
        all.tokens = all.tokens.saturating_add(usage.output);
        let (turns, tokens) = (all.turns, all.tokens);
        if turns >= limits.turns_max {
            self.exhaust(&format!("the run has asked its models {turns} times, which is its limit"), effects);
        } else if tokens >= limits.tokens_max {
            self.exhaust(
                &format!(
                    "the models of the run wrote {tokens} tokens, and its limit is {}",
                    limits.tokens_max
                ),
                effects,
            );
        }
    }

    /// Nothing more is begun; who works is stopped.
    pub(super) fn exhaust(&mut self, why: &str, effects: &mut Vec<Effect>) {
        if self.stopping.is_some() || self.record.status.is_final() {
            return;
        }
        self.stopping = Some(Stopping::Exhausted(why.to_owned()));
        self.record.decided(why);
        self.give_up(why, ItemState::Failed);
        effects.extend(self.running.keys().map(|worker| Effect::Stop(worker.clone())));
    }

    /// One worker stops, and what it has to do is not done. The items are marked at once, so that it stays so after a crash.
    pub(super) fn dismiss(&mut self, worker: &str, by: &str, effects: &mut Vec<Effect>) {
        let why = format!("stopped by {by}");
        let mut is_anything = false;
        for item in self.record.plan.iter_mut().filter(|item| item.worker == worker && !item.state.is_over())
        {
            (item.state, item.told) = (ItemState::Cancelled, Some(why.clone()));
            is_anything = true;
        }
        if !is_anything {
            return;
        }
        self.record.decided(format!("{worker} was {why}"));
        if self.running.contains_key(worker) {
            effects.push(Effect::Stop(worker.to_owned()));
        } else if let Some(known) = self.record.worker_mut(worker) {
            (known.phase, known.question) = (Phase::Stopped, None);
        }
        // The canon says so.
        self.record.canon.is_due = true;
        self.is_due_again |= self.merging.is_some();
    }

    /// Gives up all that nobody works on.
    pub(super) fn give_up(&mut self, why: &str, state: ItemState) {
        let mut workers = Vec::new();
        for item in &mut self.record.plan {
            // One that was being worked on when its process ended is worked on by nobody.
            let is_left =
                item.state == ItemState::Running && self.running.get(&item.worker) != Some(&item.id);
            if is_left || matches!(item.state, ItemState::Waiting | ItemState::Asking) {
                (item.state, item.told) = (state, Some(why.to_owned()));
                workers.push(item.worker.clone());
            }
        }
        for worker in workers {
            let is_working = self.running.contains_key(&worker);
            if let Some(known) = self.record.worker_mut(&worker).filter(|_| !is_working) {
                known.phase = Phase::Stopped;
            }
        }
    }

    pub(super) fn ended(
        &mut self,
        worker: &str,
        id: u32,
        outcome: Outcome,
        heard: usize,
        effects: &mut Vec<Effect>,
    ) {
        if self.running.get(worker) != Some(&id) {
            return;
        }
        self.running.remove(worker);
        let now = self.draft.sum_of(worker);
        let is_new = self.began_with.remove(worker).is_some_and(|before| before != now);
        // Its words may be from an earlier attempt, of which the process ended before anybody heard of them.
        let first = self.record.item(id).and_then(|item| item.before.as_ref());
        let is_reported = is_new || first.is_some_and(|before| *before != now);
        self.record.canon.is_due |= is_reported;
        self.is_due_again |= is_reported && self.merging.is_some();
        let (state, phase, told) = self.judged(id, outcome, is_new, worker);
        let question = (state == ItemState::Asking).then(|| told.clone());
        let mut unheard = Vec::new();
        if let Some(item) = self.record.item_mut(id) {
            (item.state, item.told) = (state, Some(told.clone()));
            if state.is_over() {
                unheard = item.words.split_off(heard.min(item.words.len()));
            }
        }
        if state.is_over() && !matches!(state, ItemState::Done) {
            self.record.decided(format!("{worker} gave up item {id}: {told}"));
            // The canon says so.
            self.record.canon.is_due = true;
        }
        if let Some(known) = self.record.worker_mut(worker) {
            (known.phase, known.question) = (phase, question);
            if state.is_over() {
                known.transcript = None;
            }
        }
        for words in unheard {
            self.add(worker, &words);
        }
        let is_stuck =
            |item: &Item| item.state == ItemState::Failed && item.idle >= self.record.limits.idle_max;
        if self.record.item(id).is_some_and(is_stuck) {
            self.stalled(id, effects);
        }
    }

    /// What an end means for the item and its worker.
    fn judged(
        &mut self,
        id: u32,
        outcome: Outcome,
        is_new: bool,
        worker: &str,
    ) -> (ItemState, Phase, String) {
        let limits = self.record.limits;
        let is_blocked = matches!(self.draft.section(worker), Err(Trouble::Several(_) | Trouble::Hidden(_)));
        let item = self.record.item(id);
        if let Some(told) = item.filter(|item| item.state == ItemState::Cancelled).map(|item| &item.told) {
            return (ItemState::Cancelled, Phase::Stopped, told.clone().unwrap_or_default());
        }
        match (outcome, &self.stopping) {
            (Outcome::Done(summary), _) => (ItemState::Done, Phase::Done, summary),
            (_, Some(Stopping::Cancelled(by))) => {
                (ItemState::Cancelled, Phase::Stopped, format!("cancelled by {by}"))
            }
            (_, Some(Stopping::Exhausted(why))) => (ItemState::Failed, Phase::Stopped, why.clone()),
            (Outcome::Asked(question), None) => (ItemState::Asking, Phase::Asking, question),
            (Outcome::Hopeless(why), None) => (ItemState::Failed, Phase::Failed, why),
            (Outcome::Failed(why), None) if is_blocked => (ItemState::Waiting, Phase::Idle, why),
            (Outcome::Stopped, None) => (ItemState::Waiting, Phase::Idle, "it was stopped".to_owned()),
            (Outcome::Failed(why), None) => {
                let Some(item) = self.record.item_mut(id) else {
                    return (ItemState::Failed, Phase::Failed, why);
                };
                item.idle = if is_new { 0 } else { item.idle + 1 };
                if item.idle >= limits.idle_max {
                    let told = format!("{why}; it was tried {} times without a new word", item.idle);
                    return (ItemState::Failed, Phase::Failed, told);
                }
                if item.attempts >= limits.attempts_max {
                    return (
                        ItemState::Failed,
                        Phase::Failed,
                        format!("{why}; it was tried {} times", item.attempts),
                    );
                }
                self.record.decided(format!("{worker} tries item {id} again: {why}"));
                (ItemState::Waiting, Phase::Idle, why)
            }
        }
    }

    /// One more thing for a worker, because the person said so.
    pub(super) fn add(&mut self, worker: &str, words: &str) {
        if self.record.plan.len() >= ITEMS_MAX {
            return self.record.decided(format!("no more than {ITEMS_MAX} items: {words:?} is not done"));
        }
        let id = self.record.plan.iter().map(|item| item.id).max().unwrap_or_default() + 1;
        self.record.plan.push(Item::new(id, worker, words, Aim::Follow, Vec::new()));
    }
}
