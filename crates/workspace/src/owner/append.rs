//! Adds blocks to sections, many at once, because each one alone costs a reading of the whole document. Never mixes up the
//! order of blocks within a section.

use document::contain::{Containment, Limits, append_contained, contain};
use document::section::{Section, locate};
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

/// Appends of one turn that wait to be done together, by section.
#[derive(Default)]
pub(super) struct Groups {
    groups: Vec<(String, Vec<Asked>)>,
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
        for (title, group) in std::mem::take(&mut groups.groups) {
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
                let mut at = at;
                for (block, piece) in blocks.into_iter().zip(pieces) {
                    let (request, to) = block.asked;
                    let edit = self.document.edit(at..at, &piece, &request.actor.author());
                    at += edit.as_ref().map_or(0, |edit| edit.text.len());
                    self.record(edit.into_iter().collect(), &request, Some(&target), ChangeKind::Appended);
                    let reply = self.reply(FileResult::Written { bytes: block.text.len() });
                    self.requests.remember(&request.actor, request.request_id.as_deref(), &reply);
                    outcome.answers.push(Answer::Reply { to, reply, is_change: true });
                }
            }
            Some(_) | None => {
                for block in blocks {
                    self.append_singly(block.asked, outcome);
                }
            }
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
        let joined = blocks.iter().map(|block| block.text.as_str()).collect::<Vec<_>>().join("\n\n");
        let new = append_contained(old, title, &joined, Limits::NONE).ok()?;
        let (at, added) = insertion(old, &new)?;
        let ending = LineEnding::of(old);
        let mut starts = Vec::with_capacity(blocks.len());
        let mut from = 0;
        for block in blocks {
            let text = with_line_ending(&block.text, ending);
            let found = from + added.get(from..)?.find(text.as_ref())?;
            starts.push(found);
            from = found + text.len();
        }
        *starts.first_mut()? = 0;
        let ends = starts.iter().skip(1).copied().chain([added.len()]);
        let pieces = starts.iter().zip(ends).map(|(start, end)| added.get(*start..end).map(str::to_owned));
        Some((at, pieces.collect::<Option<Vec<_>>>()?, target.title))
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
