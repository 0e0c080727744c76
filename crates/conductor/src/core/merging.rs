//! When and how the canon is written: once for what was finished, with what the person wrote into it. Never writes a blank one, and
//! never two at a time.

use std::collections::BTreeMap;

use document::Revision;
use document::contain::{Limits as Taken, replace_contained};

use super::{Conductor, Effect, Stopping};
use crate::canon;
use crate::draft::{CANON, Draft};
use crate::limits::{REWRITES_MAX, SYNTHESES_MAX};
use crate::record::Said;
use crate::status::Phase;

/// A canon on its way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Merging {
    count: u32,
    inputs: String,
    sources: Vec<String>,
    /// How often a model was asked.
    asked: u32,
    /// How often somebody changed the canon in the same moment.
    rewrites: u32,
    /// What is to stand there, without what the person wrote into it, and whether a model said it.
    text: Option<(String, bool)>,
    /// What each section was when the model was asked, as a sum.
    shown: BTreeMap<String, String>,
    /// What a model said, if that is fit.
    said: Option<Said>,
    /// The same as it would stand in the document.
    written: String,
}

impl Conductor {
    pub(super) fn merge_if_due(&mut self, effects: &mut Vec<Effect>) {
        let is_cancelled = matches!(self.stopping, Some(Stopping::Cancelled(_)));
        if !self.record.canon.is_due || self.merging.is_some() || self.is_put_off || is_cancelled {
            return;
        }
        let inputs = canon::inputs(&self.draft, &self.record);
        let sources = canon::sources(&self.draft, &self.record);
        let is_silent = sources.is_empty() && self.record.accepted.is_empty();
        if inputs == self.record.canon.inputs {
            // All that was found is in it already, also of one that has only now said that it is done.
            self.record.canon.is_due = false;
            return self.mark_merged();
        }
        if is_silent && self.is_anybody_left() {
            self.record.canon.is_due = false;
            return;
        }
        if self.troubles.contains_key(CANON) {
            return;
        }
        let count = self.record.canon.count + 1;
        self.is_due_again = false;
        self.record.canon.sources.clone_from(&sources);
        let merging = Merging {
            count,
            inputs,
            sources,
            asked: 0,
            rewrites: 0,
            text: None,
            shown: BTreeMap::new(),
            said: None,
            written: String::new(),
        };
        self.merging = Some(merging);
        if is_silent {
            let text = canon::explained(&self.record, "see below why each of them stopped");
            self.write(text, false, effects);
        } else if self.has_model {
            self.synthesize(None, effects);
        } else {
            let text = canon::aggregate(&self.draft, &self.record);
            self.write(text, false, effects);
        }
    }

    fn synthesize(&mut self, objection: Option<String>, effects: &mut Vec<Effect>) {
        let shown = canon::sources(&self.draft, &self.record).into_iter();
        let shown = shown.map(|name| (name.clone(), self.draft.sum_of(&name))).collect();
        if let Some(merging) = &mut self.merging {
            merging.shown = shown;
            merging.asked += 1;
            effects.push(Effect::Synthesize { count: merging.count, objection });
        }
    }

    pub(super) fn synthesized(
        &mut self,
        count: u32,
        said: Result<String, String>,
        effects: &mut Vec<Effect>,
    ) {
        let Some(asked) =
            self.merging.as_ref().filter(|merging| merging.count == count).map(|merging| merging.asked)
        else {
            return;
        };
        let fit = said.and_then(|text| match canon::check(&text, &self.draft, &self.record) {
            Ok(()) => Ok(text),
            Err(unfit) => Err(unfit.to_string()),
        });
        match fit {
            Ok(text) => {
                let whole = canon::completed(&text, &self.record);
                if let Some(merging) = &mut self.merging {
                    merging.said = Some(Said { text, of: merging.shown.clone() });
                }
                self.write(whole, true, effects);
            }
            Err(why) if asked < SYNTHESES_MAX => {
                self.record.decided(format!("the canon of the model is not taken: {why}"));
                self.synthesize(Some(why), effects);
            }
            Err(why) => {
                let (text, instead) = match &self.record.canon.said {
                    // What it said before still stands for what it was made of.
                    Some(said) => (canon::kept(said, &self.draft, &self.record), "the one before is kept"),
                    None => {
                        let text = canon::aggregate(&self.draft, &self.record);
                        (text, "the sections are put together without it")
                    }
                };
                self.record.decided(format!("the canon of the model is not taken: {why}; {instead}"));
                self.write(text, false, effects);
            }
        }
    }

    /// Has a text written as the canon, with what the person wrote into the one before.
    fn write(&mut self, text: String, is_synthesis: bool, effects: &mut Vec<Effect>) {
        let current = self.draft.canon();
        let content = canon::woven(&self.record.canon.text, &text, &current);
        let Some(merging) = &mut self.merging else { return };
        // Without the person's words: the next merge finds them by comparing with this.
        let contained = replace_contained(&self.draft.text, CANON, &text, Taken::NONE);
        merging.written = contained.map_or_else(|_| text.clone(), |whole| Draft::new(&whole, 0).canon());
        merging.text = Some((text, is_synthesis));
        effects.push(Effect::WriteCanon { count: merging.count, base: self.draft.revision, content });
    }

    pub(super) fn canon_written(&mut self, count: u32, revision: Revision, is_duplicate: bool, draft: Draft) {
        self.see(draft);
        let Some(merging) = self.merging.take_if(|merging| merging.count == count) else { return };
        let canon = &mut self.record.canon;
        canon.count = count;
        canon.revision = Some(revision);
        canon.inputs = merging.inputs;
        canon.text = if is_duplicate { self.draft.canon() } else { merging.written };
        canon.sources.clone_from(&merging.sources);
        canon.is_synthesis = merging.text.is_some_and(|(_, is_synthesis)| is_synthesis);
        if let Some(said) = merging.said {
            canon.said = Some(said);
        }
        canon.is_due = self.is_due_again;
        let sources = merging.sources.join(" and ");
        self.record.decided(format!(
            "canon {count} is made of {}",
            if sources.is_empty() { "nothing" } else { &sources }
        ));
        // Of one that finished meanwhile, the last words may not be in it yet.
        if !self.is_due_again {
            self.mark_merged();
        }
    }

    /// Says of each worker and guest whose words are in the canon that they are.
    fn mark_merged(&mut self) {
        let (sources, revision) = (self.record.canon.sources.clone(), self.record.canon.revision);
        let workers = self.record.workers.iter_mut();
        let workers = workers.map(|worker| (&worker.name, &mut worker.phase, &mut worker.merged));
        let guests = self.record.guests.iter_mut();
        let guests = guests.map(|guest| (&guest.name, &mut guest.phase, &mut guest.merged));
        for (_, phase, merged) in workers.chain(guests).filter(|(name, ..)| sources.contains(name)) {
            *merged = revision;
            if *phase == Phase::Done {
                *phase = Phase::Merged;
            }
        }
    }

    pub(super) fn canon_conflict(&mut self, count: u32, effects: &mut Vec<Effect>) {
        let Some(merging) = self.merging.as_mut().filter(|merging| merging.count == count) else { return };
        merging.rewrites += 1;
        match merging.text.take().filter(|_| merging.rewrites <= REWRITES_MAX) {
            Some((text, is_synthesis)) => self.write(text, is_synthesis, effects),
            None => self.canon_refused(count, "somebody keeps changing it"),
        }
    }

    pub(super) fn canon_refused(&mut self, count: u32, why: &str) {
        if self.merging.take_if(|merging| merging.count == count).is_some() {
            self.is_put_off = true;
            self.record.decided(format!(
                "the canon could not be written: {why}; it is tried again when the document changes"
            ));
        }
    }

    pub(super) fn is_merging(&self) -> bool {
        self.merging.is_some()
    }
}
