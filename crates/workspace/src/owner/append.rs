//! Adds blocks to sections, many at once, because each one alone costs a reading of the whole document. Never mixes up the
//! order of blocks within a section.

use document::contain::{Containment, Limits, append_contained, append_each, contain};
use document::section::{Section, locate, locate_all};
use document::text::{LineEnding, with_line_ending};
use tokio::sync::oneshot;

use super::answer::{Answer, Outcome};
use super::apply::lacks_marker;
use super::desk::Desk;
use super::rules::{self, How};
use crate::command::{FileCommand, FileErrorKind, FileResult, Refusal, Reply, Request};
use crate::event::ChangeKind;

/// A request and where its answer goes.
type Asked = (Request, oneshot::Sender<Reply>);

/// What goes to one section, by its title.
type Group = (String, Vec<Asked>);

/// Appends of one turn that wait to be done together, by section.
#[derive(Default)]
pub(super) struct Groups {
    groups: Vec<Group>,
}

impl Groups {
    /// Takes an append; gives anything else back.
    pub(super) fn take(&mut self, request: Request, reply: oneshot::Sender<Reply>) -> Option<Asked> {
        let FileCommand::AppendSection { section, .. } = &request.command else {
            return Some((request, reply));
        };
        match self.groups.iter_mut().find(|(title, _)| title == section) {
            Some((_, group)) => group.push((request, reply)),
            None => self.groups.push((section.clone(), vec![(request, reply)])),
        }
        None
    }
}

/// One block that goes in with others.
struct Block {
    asked: Asked,
    text: String,
}

impl Desk {
    /// Does all appends that wait.
    pub(super) fn append_all(&mut self, groups: &mut Groups, outcome: &mut Outcome) {
        let mut groups = std::mem::take(&mut groups.groups);
        if groups.len() > 1 {
            groups = self.append_across(groups, outcome);
        }
        for (title, group) in groups {
            let mut blocks = Vec::new();
            let mut ids = std::collections::BTreeSet::new();
            let target = locate(self.document.text(), &title);
            for asked in group {
                // A name that comes twice in one turn must find the first answer.
                let is_new = asked
                    .0
                    .request_id
                    .as_ref()
                    .is_none_or(|id| ids.insert((asked.0.actor.clone(), id.clone())));
                match &target {
                    Ok(target) if is_new => match self.block(target, &asked.0) {
                        Some(text) => blocks.push(Block { asked, text }),
                        None => {
                            self.append_together(&title, std::mem::take(&mut blocks), outcome);
                            self.append_singly(asked, outcome);
                        }
                    },
                    Ok(_) => {
                        self.append_together(&title, std::mem::take(&mut blocks), outcome);
                        self.append_singly(asked, outcome);
                    }
                    Err(_) => self.append_singly(asked, outcome),
                }
            }
            self.append_together(&title, blocks, outcome);
        }
    }

    /// Does the plain appends to several sections in one reading of the document. Gives back what needs a closer look.
    fn append_across(&mut self, groups: Vec<Group>, outcome: &mut Outcome) -> Vec<Group> {
        let titles: Vec<&str> = groups.iter().map(|(title, _)| title.as_str()).collect();
        let targets = locate_all(self.document.text(), &titles);
        let (mut plain, mut special) = (Vec::new(), Vec::new());
        for ((title, group), target) in groups.into_iter().zip(targets) {
            match target.ok().map(|target| (self.blocks(&target, &group), target)) {
                Some((Some(texts), target)) => plain.push((title, target.title, texts, group)),
                Some((None, _)) | None => special.push((title, group)),
            }
        }
        let Some(mut placed) = self.placed(&plain) else {
            special.extend(plain.into_iter().map(|(title, _, _, group)| (title, group)));
            return special;
        };
        let mut order: Vec<usize> = (0..plain.len()).collect();
        order.sort_by_key(|index| std::cmp::Reverse(placed.get(*index).map(|(at, _)| *at)));
        let mut plain: Vec<_> = plain.into_iter().map(Some).collect();
        // From the end to the beginning, so that each place is still what it was.
        for index in order {
            let taken = plain.get_mut(index).and_then(Option::take).zip(placed.get_mut(index));
            if let Some(((_, target, texts, group), (at, pieces))) = taken {
                let blocks = group.into_iter().zip(texts).map(|(asked, text)| Block { asked, text });
                self.put(*at, blocks.collect(), std::mem::take(pieces), &target, outcome);
            }
        }
        special
    }

    /// The blocks of a group, if all of them are plain and none has the name of another.
    fn blocks(&self, target: &Section, group: &[Asked]) -> Option<Vec<String>> {
        let mut ids = std::collections::BTreeSet::new();
        let is_new = |(request, _): &Asked| {
            request.request_id.as_ref().is_none_or(|id| ids.insert((request.actor.clone(), id.clone())))
        };
        if !group.iter().all(is_new) {
            return None;
        }
        group.iter().map(|(request, _)| self.block(target, request)).collect()
    }

    /// Where the blocks of each section go, and what of the new text each of them brings.
    fn placed(
        &self,
        plain: &[(String, String, Vec<String>, Vec<Asked>)],
    ) -> Option<Vec<(usize, Vec<String>)>> {
        let old = self.document.text();
        let joined: Vec<String> = plain.iter().map(|(_, _, texts, _)| texts.join("\n\n")).collect();
        let length: usize = joined.iter().map(|text| text.len() + 4).sum();
        if old.len().saturating_add(length) > self.options.document_max {
            return None;
        }
        let titled: Vec<(&str, &str)> =
            plain.iter().zip(&joined).map(|((title, ..), text)| (title.as_str(), text.as_str())).collect();
        let ending = LineEnding::of(old);
        let additions = append_each(old, &titled)?.into_iter().zip(plain);
        additions
            .map(|(addition, (_, _, texts, _))| Some((addition.at, split(&addition.text, texts, ending)?)))
            .collect()
    }

    /// The text of the request's block, if nothing speaks against it and nothing is special about it.
    fn block(&self, target: &Section, request: &Request) -> Option<String> {
        let FileCommand::AppendSection { content, .. } = &request.command else {
            return None;
        };
        let is_plain = self.standing().is_ok()
            && self.requests.find(&request.actor, request.request_id.as_deref()).is_none()
            && rules::check(self.document.text(), target, &request.actor, How::Append, &self.path).is_ok()
            && self.check_length(content.len()).is_ok()
            && !lacks_marker(target, &request.actor);
        let context = Containment { section_level: target.level, limits: Limits::NONE };
        is_plain.then(|| contain(content, &context)).filter(|text| !text.is_empty())
    }

    fn append_singly(&mut self, (request, to): Asked, outcome: &mut Outcome) {
        let (reply, is_change) = self.execute(&request);
        outcome.answers.push(Answer::Reply { to, reply, is_change });
    }

    fn append_together(&mut self, title: &str, blocks: Vec<Block>, outcome: &mut Outcome) {
        match self.pieces(title, &blocks) {
            Some((at, pieces, target)) if blocks.len() > 1 => {
                self.put(at, blocks, pieces, &target, outcome);
            }
            Some(_) | None => {
                for block in blocks {
                    self.append_singly(block.asked, outcome);
                }
            }
        }
    }

    /// Puts blocks in, one after another from `at` on, each as a change of its own.
    fn put(
        &mut self,
        mut at: usize,
        blocks: Vec<Block>,
        pieces: Vec<String>,
        section: &str,
        outcome: &mut Outcome,
    ) {
        for (block, piece) in blocks.into_iter().zip(pieces) {
            let (request, to) = block.asked;
            let edit = self.document.edit(at..at, &piece, &request.actor.author());
            at += edit.as_ref().map_or(0, |edit| edit.text.len());
            self.record(edit.into_iter().collect(), &request, Some(section), ChangeKind::Appended);
            let reply = self.reply(FileResult::Written { bytes: block.text.len() });
            self.requests.remember(&request.actor, request.request_id.as_deref(), &reply);
            outcome.answers.push(Answer::Reply { to, reply, is_change: true });
        }
    }

    /// Where the blocks go and what of the new text each of them brings; none if they cannot be told apart there.
    fn pieces(&self, title: &str, blocks: &[Block]) -> Option<(usize, Vec<String>, String)> {
        let length: usize = blocks.iter().map(|block| block.text.len()).sum();
        if blocks.len() < 2 || self.document.text().len().saturating_add(length) > self.options.document_max {
            return None;
        }
        let old = self.document.text();
        let target = locate(old, title).ok()?;
        let texts: Vec<String> = blocks.iter().map(|block| block.text.clone()).collect();
        let joined = texts.join("\n\n");
        let new = append_contained(old, title, &joined, Limits::NONE).ok()?;
        let (at, added) = insertion(old, &new)?;
        Some((at, split(added, &texts, LineEnding::of(old))?, target.title))
    }

    /// Does one append.
    pub(super) fn append_one(
        &mut self,
        request: &Request,
        title: &str,
        content: &str,
    ) -> Result<FileResult, Refusal> {
        let target = self.section(title)?;
        rules::check(self.document.text(), &target, &request.actor, How::Append, &self.path)?;
        self.check_length(content.len())?;
        let context = Containment { section_level: target.level, limits: Limits::NONE };
        if contain(content, &context).is_empty() {
            return Ok(FileResult::Written { bytes: 0 });
        }
        let text = self.marked(&target, title, &request.actor)?;
        let new =
            append_contained(&text, title, content, Limits::NONE).map_err(|error| self.contained(error))?;
        if new.len() > self.options.document_max {
            return Err(Refusal::new(
                FileErrorKind::TooLarge,
                format!("{}: the document is full", self.path),
            ));
        }
        let edits = match insertion(self.document.text(), &new) {
            Some((at, added)) => {
                let added = added.to_owned();
                self.document.edit(at..at, &added, &request.actor.author()).into_iter().collect()
            }
            None => self.become_text(&new, &request.actor.author()),
        };
        self.record(edits, request, Some(&target.title), ChangeKind::Appended);
        Ok(FileResult::Written { bytes: content.len() })
    }
}

/// What of `added` belongs to each of the texts that it was made of.
fn split(added: &str, texts: &[String], ending: LineEnding) -> Option<Vec<String>> {
    let mut starts = Vec::with_capacity(texts.len());
    let mut from = 0;
    for text in texts {
        let text = with_line_ending(text, ending);
        let found = from + added.get(from..)?.find(text.as_ref())?;
        starts.push(found);
        from = found + text.len();
    }
    *starts.first_mut()? = 0;
    let ends = starts.iter().skip(1).copied().chain([added.len()]);
    starts.iter().zip(ends).map(|(start, end)| added.get(*start..end).map(str::to_owned)).collect()
}

/// Where `new` has more than `old`, if that is in one place.
pub(super) fn insertion<'n>(old: &str, new: &'n str) -> Option<(usize, &'n str)> {
    let prefix = old.bytes().zip(new.bytes()).take_while(|(one, two)| one == two).count();
    let mut at = document::text::floor_char_boundary(old, prefix);
    let added = new.len().checked_sub(old.len())?;
    // The same line break may stand before and behind what was added; go back until the rest fits.
    while old.get(at..) != new.get(at + added..) {
        at = document::text::floor_char_boundary(old, at.checked_sub(1)?);
        if prefix - at > 8 {
            return None;
        }
    }
    Some((at, new.get(at..at + added)?))
}
