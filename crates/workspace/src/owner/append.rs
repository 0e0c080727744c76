//! Adds blocks to sections, many at once, because each one alone costs a reading of the whole document. Never mixes up the
//! order of blocks within a section.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use document::contain::{Addition, Appended, Containment, Limits, append_contained, contain};
use document::section::Place;
use document::text::{LineEnding, with_line_ending};
use document::{Author, Edit};
use tokio::sync::oneshot;

use super::answer::{Answer, Outcome};
use super::apply::lacks_marker;
use super::desk::Desk;
use super::rules::{self, How};
use crate::command::{Actor, FileCommand, FileErrorKind, FileResult, Refusal, Reply, Request};
use crate::event::ChangeKind;

/// A request and where its answer goes.
pub(super) type Asked = (Request, oneshot::Sender<Reply>);

/// Who gave which name to a request.
type Named = BTreeSet<(Actor, String)>;

/// Appends of one turn that wait to be done together, by the title of their section.
#[derive(Default)]
pub(super) struct Groups {
    groups: Vec<(String, VecDeque<Asked>)>,
}

impl Groups {
    /// Takes an append; gives anything else back.
    pub(super) fn take(&mut self, request: Request, reply: oneshot::Sender<Reply>) -> Option<Asked> {
        let FileCommand::AppendSection { section, .. } = &request.command else {
            return Some((request, reply));
        };
        match self.groups.iter_mut().find(|(title, _)| title == section) {
            Some((_, group)) => group.push_back((request, reply)),
            None => self.groups.push((section.clone(), [(request, reply)].into())),
        }
        None
    }

    pub(super) fn is_empty(&self) -> bool {
        self.groups.is_empty()
    }
}

/// One block that goes in with others.
struct Block {
    asked: Asked,
    /// As it stands in the section.
    text: String,
    /// How many bytes were asked for.
    bytes: usize,
}

/// The blocks that go into one section in one round.
struct Lot {
    title: String,
    /// The title as the document has it.
    section: String,
    blocks: Vec<Block>,
}

impl Desk {
    /// Does all appends that wait: in each round what is plain, of all sections at once, and then by itself what is not.
    pub(super) fn append_all(&mut self, groups: &mut Groups, outcome: &mut Outcome) {
        let mut waiting = std::mem::take(&mut groups.groups);
        while !waiting.is_empty() {
            let lots = self.plain_lots(&mut waiting);
            self.append_together(lots, outcome);
            for (_, group) in &mut waiting {
                if let Some(asked) = group.pop_front() {
                    self.append_singly(asked, outcome);
                }
            }
            waiting.retain(|(_, group)| !group.is_empty());
        }
    }

    /// Does the appends that are plain, and gives the others back, those of one section in their order.
    pub(super) fn append_plain(&mut self, groups: Groups, outcome: &mut Outcome) -> Vec<Asked> {
        let mut waiting = groups.groups;
        let lots = self.plain_lots(&mut waiting);
        let mut left = Vec::new();
        match self.appended(&lots) {
            Some((appended, pieces)) => self.put_all(lots, appended, pieces, outcome),
            None => left.extend(lots.into_iter().flat_map(|lot| lot.blocks).map(|block| block.asked)),
        }
        left.extend(waiting.into_iter().flat_map(|(_, group)| group));
        left
    }

    /// Takes from each group the blocks about which nothing is special, up to the first about which something is.
    fn plain_lots(&mut self, waiting: &mut [(String, VecDeque<Asked>)]) -> Vec<Lot> {
        self.read_structure();
        let mut named = Named::new();
        let lot = |(title, group): &mut (String, VecDeque<Asked>)| {
            let target = self.structure()?.place(self.document.text(), title).ok()?;
            let mut blocks = Vec::new();
            while let Some((request, _)) = group.front()
                && let Some((text, bytes)) = self.block(&target, request, &mut named)
            {
                blocks.extend(group.pop_front().map(|asked| Block { asked, text, bytes }));
            }
            let is_any = !blocks.is_empty();
            is_any.then(|| Lot { title: title.clone(), section: target.title, blocks })
        };
        waiting.iter_mut().filter_map(lot).collect()
    }

    /// Does plain appends with one reading of the document. If one of them does not go in just like that, which one is found by trying
    /// each section by itself, and then each block.
    fn append_together(&mut self, lots: Vec<Lot>, outcome: &mut Outcome) {
        match self.appended(&lots) {
            Some((appended, pieces)) => self.put_all(lots, appended, pieces, outcome),
            None if lots.len() > 1 => {
                for lot in lots {
                    self.read_structure();
                    self.append_together(vec![lot], outcome);
                }
            }
            None => {
                for block in lots.into_iter().flat_map(|lot| lot.blocks) {
                    self.append_singly(block.asked, outcome);
                }
            }
        }
    }

    /// What the lots make of the document, and what of it each block of each lot brings.
    fn appended(&self, lots: &[Lot]) -> Option<(Appended, Vec<Vec<String>>)> {
        let old = self.document.text();
        let joined: Vec<String> = lots.iter().map(joined).collect();
        let length: usize = joined.iter().map(|text| text.len() + 4).sum();
        if lots.is_empty() || old.len().saturating_add(length) > self.options.document_max {
            return None;
        }
        let texts: Vec<(&str, &str)> =
            lots.iter().zip(&joined).map(|(lot, text)| (lot.title.as_str(), text.as_str())).collect();
        let structure = self.structure()?;
        let appended = structure.append_each(old, &texts)?;
        let additions = appended.additions.iter().zip(lots);
        let pieces: Option<_> =
            additions.map(|(addition, lot)| split(&addition.text, &lot.blocks, structure.ending())).collect();
        Some((appended, pieces?))
    }

    /// Puts all blocks in, from the end to the beginning, so that each place is still what it was.
    fn put_all(
        &mut self,
        lots: Vec<Lot>,
        appended: Appended,
        pieces: Vec<Vec<String>>,
        outcome: &mut Outcome,
    ) {
        let mut placed: Vec<_> = appended.additions.iter().zip(lots).zip(pieces).collect();
        placed.sort_by_key(|((addition, _), _)| std::cmp::Reverse(addition.at));
        let edits = self.inserted(&placed);
        let mut is_just_so = true;
        for (index, ((addition, lot), pieces)) in placed.into_iter().enumerate() {
            match edits.as_ref().and_then(|edits| edits.get(index)) {
                Some(edit) => {
                    is_just_so &= edit.range == (addition.at..addition.at) && edit.text == addition.text;
                    for block in lot.blocks {
                        self.settle(block, edit.clone(), &lot.section, outcome);
                    }
                }
                None => is_just_so &= self.put(addition.at, lot.blocks, pieces, &lot.section, outcome),
            }
        }
        if is_just_so {
            self.keep_structure(appended);
        }
    }

    /// Puts one block into each section, with one move of the text; nothing if a section gets several, which must follow each other.
    fn inserted(&mut self, placed: &[((&Addition, Lot), Vec<String>)]) -> Option<Vec<Edit>> {
        let single = |((addition, lot), pieces): &'_ ((&Addition, Lot), Vec<String>)| {
            let ([block], [piece]) = (lot.blocks.as_slice(), pieces.as_slice()) else { return None };
            Some((addition.at, piece.clone(), block.asked.0.actor.author()))
        };
        let blocks: Vec<(usize, String, Author)> = placed.iter().map(single).collect::<Option<_>>()?;
        let insertions: Vec<_> =
            blocks.iter().map(|(at, piece, author)| (*at, piece.as_str(), author)).collect();
        self.document.insert_each(&insertions)
    }

    /// The text of the request's block and how many bytes were asked for, if nothing speaks against it and nothing is special about it.
    fn block(&self, target: &Place, request: &Request, named: &mut Named) -> Option<(String, usize)> {
        let FileCommand::AppendSection { content, .. } = &request.command else {
            return None;
        };
        // A name that comes twice in one turn must find the first answer.
        let name = request.request_id.as_ref().map(|id| (request.actor.clone(), id.clone()));
        if name.is_some_and(|name| !named.insert(name)) {
            return None;
        }
        let is_plain = self.standing().is_ok()
            && self.requests.find(&request.actor, request.request_id.as_deref()).is_none()
            && rules::check(self.document.text(), target, &request.actor, How::Append, &self.path).is_ok()
            && self.check_length(content.len()).is_ok()
            && !lacks_marker(target, &request.actor);
        let context = Containment { section_level: target.level, limits: Limits::NONE };
        let text = is_plain.then(|| contain(content, &context)).filter(|text| !text.is_empty())?;
        Some((text, content.len()))
    }

    fn append_singly(&mut self, (request, to): Asked, outcome: &mut Outcome) {
        let (reply, is_change) = self.execute(&request);
        outcome.answers.push(Answer::Reply { to, reply, is_change });
    }

    /// Puts blocks in, one after another from `at` on, each as a change of its own. Whether they stand there just as they were given.
    fn put(
        &mut self,
        mut at: usize,
        blocks: Vec<Block>,
        pieces: Vec<String>,
        section: &str,
        outcome: &mut Outcome,
    ) -> bool {
        let mut is_just_so = true;
        for (block, piece) in blocks.into_iter().zip(pieces) {
            // The place is one of this very text, so an edit is never out of it.
            let Ok(edit) = self.document.edit(at..at, &piece, &block.asked.0.actor.author()) else {
                return false;
            };
            is_just_so &= edit.text == piece;
            at += edit.text.len();
            self.settle(block, edit, section, outcome);
        }
        is_just_so
    }

    /// Keeps account of a block that is in the text, and answers for it.
    fn settle(&mut self, block: Block, edit: Edit, section: &str, outcome: &mut Outcome) {
        let (request, to) = block.asked;
        self.record(vec![edit], &request, Some(section), ChangeKind::Appended);
        let reply = self.reply(FileResult::Written { bytes: block.bytes });
        self.requests.remember(&request.actor, request.request_id.as_deref(), &reply);
        outcome.answers.push(Answer::Reply { to, reply, is_change: true });
    }

    /// Does one append.
    pub(super) fn append_one(
        &mut self,
        request: &Request,
        title: &str,
        content: &str,
    ) -> Result<FileResult, Refusal> {
        let target = self.section(title)?;
        let place = Place::from(&target);
        rules::check(self.document.text(), &place, &request.actor, How::Append, &self.path)?;
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
            None => self.document.become_text(&Arc::new(new), &request.actor.author()),
        };
        self.record(edits, request, Some(&target.title), ChangeKind::Appended);
        Ok(FileResult::Written { bytes: content.len() })
    }
}

/// The blocks of a lot as one text.
fn joined(lot: &Lot) -> String {
    lot.blocks.iter().map(|block| block.text.as_str()).collect::<Vec<_>>().join("\n\n")
}

/// What of `added` belongs to each of the blocks that it was made of.
fn split(added: &str, blocks: &[Block], ending: LineEnding) -> Option<Vec<String>> {
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
