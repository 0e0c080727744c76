//! What happens about an item that does not go forward: a model plans something in its place, or another worker tries it. Never more
//! than a few times in a run, and never for what was itself done in place of something.

use super::{Conductor, Effect};
use crate::limits::{ITEMS_MAX, REPLANS_MAX};
use crate::plan::{self, Aim, Item, ItemState};

impl Conductor {
    /// An item was tried again and again without a new word, and is given up. Something else may lead there.
    pub(super) fn stalled(&mut self, id: u32, effects: &mut Vec<Effect>) {
        let is_late = self.stopping.is_some() || self.record.replans >= REPLANS_MAX;
        let is_first = self.record.item(id).is_some_and(|item| item.of.is_none());
        if is_late || !is_first || self.is_planning {
            return;
        }
        if self.has_model {
            self.record.replans += 1;
            self.record.stalled = Some(id);
            self.record
                .decided(format!("item {id} does not go forward, so a model is asked what to do instead"));
            self.ask_again(id, effects);
        } else if let Some(other) = self.another(id) {
            self.record.replans += 1;
            self.record.decided(format!("item {id} does not go forward, so {other} tries it"));
            let objective = self.record.item(id).map(|item| item.objective.clone()).unwrap_or_default();
            self.put_instead(id, &[Item::new(1, &other, &objective, Aim::Follow, Vec::new())]);
        }
    }

    pub(super) fn ask_again(&mut self, id: u32, effects: &mut Vec<Effect>) {
        if self.has_model {
            // Nobody begins what the answer may change.
            self.is_planning = true;
            effects.push(Effect::Replan(id));
        } else {
            self.record.stalled = None;
        }
    }

    /// What a model says about an item that does not go forward.
    pub(super) fn replanned(&mut self, id: u32, said: &Result<String, String>) {
        if self.record.stalled != Some(id) {
            return;
        }
        (self.record.stalled, self.is_planning) = (None, false);
        if self.stopping.is_some() {
            return;
        }
        let names = self.record.names();
        match said.as_ref().map(|text| plan::read(text, &names)) {
            Ok(Some(items)) => {
                self.record.decided(format!("planned {} items in place of item {id}", items.len()));
                self.put_instead(id, &items);
            }
            Ok(None) => self.record.decided(format!("a model knows nothing to do in place of item {id}")),
            Err(why) => self.record.decided(format!("no model says what to do in place of item {id}: {why}")),
        }
    }

    /// Somebody else, who has not been given the same.
    fn another(&self, id: u32) -> Option<String> {
        let stuck = self.record.item(id).filter(|item| item.aim != Aim::Relate)?;
        let has_it = |name: &String| {
            self.record.plan.iter().any(|item| item.worker == *name && item.objective == stuck.objective)
        };
        self.record.names().into_iter().find(|name| !has_it(name))
    }

    /// Puts items in place of one, under numbers of their own. Who waited for that one waits for them.
    fn put_instead(&mut self, id: u32, items: &[Item]) {
        let room = ITEMS_MAX.saturating_sub(self.record.plan.len());
        let last = self.record.plan.iter().map(|item| item.id).max().unwrap_or_default();
        let new: Vec<(u32, u32)> =
            (last + 1..).zip(items).take(room).map(|(number, item)| (item.id, number)).collect();
        let number = |old: &u32| new.iter().find(|(known, _)| known == old).map(|(_, number)| *number);
        let numbered = items.iter().filter_map(|item| {
            let after = item.after.iter().filter_map(number).collect();
            Some(Item { id: number(&item.id)?, after, of: Some(id), ..item.clone() })
        });
        let numbered: Vec<Item> = numbered.collect();
        let instead: Vec<u32> = numbered.iter().map(|item| item.id).collect();
        for item in &mut self.record.plan {
            if item.id == id {
                item.instead.clone_from(&instead);
            } else if item.state == ItemState::Waiting && item.after.contains(&id) {
                item.after.extend(&instead);
            }
        }
        self.record.plan.extend(numbered);
    }
}
