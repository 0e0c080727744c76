//! An answer that arrives word by word and goes into the document as it comes. Never shows half a marker or comment, and
//! never takes away what somebody typed into it.

use std::ops::Range;
use std::sync::Arc;

use document::component::{self, closing_line, inert};
use document::contain::{Containment, Limits, append_contained, contain};
use document::patch::steady_prefix;
use document::section::{Place, find_sections, locate};
use document::text::{LineEnding, floor_char_boundary, with_line_ending};
use document::{Anchor, Edit, Revision};

use super::append::insertion;
use super::apply::{component_names, keeps_structure};
use super::desk::{Change, Desk};
use super::rules::{self, How};
use crate::command::{Actor, FileErrorKind, Refusal};
use crate::event::ChangeKind;

/// How many answers may arrive at once in one document.
const STREAMS_MAX: usize = 256;

/// How many bytes at the end of what is shown may be written anew; enough for what closes a block.
const TAKEN_BACK_MAX: usize = 256;
/// How many bytes blank lines and a marker around an answer may have.
const AROUND_MAX: usize = 256;

/// Where an answer goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// The end of the section of this title.
    Section(String),
    /// The end of the component of this name.
    Component(String),
    /// The end of the document.
    End,
}

/// What came of an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finished {
    /// The revision that holds all of it.
    pub revision: Revision,
    /// The whole answer, if its place was taken away while it arrived. What of it was shown is gone with the place.
    pub leftover: Option<String>,
}

/// One answer on its way.
#[derive(Debug)]
pub(super) struct Stream {
    target: Target,
    actor: Actor,
    said: String,
    /// Where in it the piece begins that is being shown. The first piece goes on as long as nobody writes into its end.
    from: usize,
    /// How much of it is shown.
    until: usize,
    /// What of the piece was put into the document, in the shape in which it was put there.
    shown: String,
    anchor: Option<Anchor>,
    is_lost: bool,
}

impl Desk {
    pub(super) fn open_stream(&mut self, target: Target, actor: Actor) -> Result<u64, Refusal> {
        self.standing()?;
        if self.streams.len() >= STREAMS_MAX {
            let message = format!("{}: too many answers arrive at once; try again later", self.path);
            return Err(Refusal::new(FileErrorKind::IoError, message));
        }
        let text = self.document.text();
        match &target {
            Target::Section(title) => {
                let section = self.section(title)?;
                rules::check(text, &Place::from(&section), &actor, How::Append, &self.path)?;
            }
            Target::Component(name) => {
                component::find_component(text, name).map_err(|error| {
                    Refusal::new(FileErrorKind::SectionNotFound, format!("{}: {error}", self.path))
                })?;
            }
            Target::End => {}
        }
        let number = self.next_stream;
        self.next_stream += 1;
        let (said, shown) = (String::new(), String::new());
        let stream = Stream { target, actor, said, from: 0, until: 0, shown, anchor: None, is_lost: false };
        self.streams.insert(number, stream);
        Ok(number)
    }

    /// Takes words; they go into the document with the next turn.
    pub(super) fn say(&mut self, number: u64, text: &str) {
        if let Some(stream) = self.streams.get_mut(&number) {
            stream.said.push_str(text);
        }
    }

    /// Shows what may be shown of every answer.
    pub(super) fn advance_streams(&mut self) {
        let numbers: Vec<u64> = self.streams.keys().copied().collect();
        for number in numbers {
            if let Some(mut stream) = self.streams.remove(&number) {
                let safe = stream.from + steady_prefix(stream.said.get(stream.from..).unwrap_or_default());
                self.show(&mut stream, safe);
                self.streams.insert(number, stream);
            }
        }
    }

    /// Shows the rest and forgets the answer.
    pub(super) fn finish(&mut self, number: u64) -> Result<Finished, Refusal> {
        let Some(mut stream) = self.streams.remove(&number) else {
            let message = format!("{}: this answer is finished already", self.path);
            return Err(Refusal::new(FileErrorKind::NotFound, message));
        };
        if self.standing().is_err() {
            stream.is_lost = true;
        }
        let length = stream.said.len();
        if !self.show(&mut stream, length) {
            self.show_anyhow(&mut stream);
        }
        if let Some(anchor) = stream.anchor {
            self.document.release(anchor);
        }
        let leftover = stream.is_lost.then_some(stream.said);
        Ok(Finished { revision: self.revision, leftover })
    }

    /// Brings the document to show the first `length` bytes of what was said. Whether that worked, or will never.
    fn show(&mut self, stream: &mut Stream, length: usize) -> bool {
        if stream.is_lost {
            return true;
        }
        let text = stream.said.get(stream.from..length).unwrap_or_default().to_owned();
        let Some(shape) = self.shape(stream, &text) else {
            stream.is_lost = true;
            return true;
        };
        if shape == stream.shown || shape.is_empty() {
            return true;
        }
        let grown = self.document.text().len() + shape.len().saturating_sub(stream.shown.len());
        if grown + AROUND_MAX > self.options.document_max {
            // The document is full. What is shown stays, and the caller has all words again at the end.
            stream.is_lost = true;
            return true;
        }
        let edits = match stream.anchor {
            None => self.begin(stream, &text, &shape),
            Some(anchor) => match self.go_on(stream, anchor, &shape) {
                Some(edits) => Some(edits),
                None => return self.begin_anew(stream, anchor, length),
            },
        };
        let Some(edits) = edits else { return false };
        stream.shown = shape;
        stream.until = length;
        self.streamed(stream, edits);
        true
    }

    /// Somebody wrote where the answer would go on: what is there stays, and the rest becomes a block of its own.
    fn begin_anew(&mut self, stream: &mut Stream, anchor: Anchor, length: usize) -> bool {
        self.document.release(anchor);
        stream.anchor = None;
        stream.from = stream.until;
        stream.shown.clear();
        self.show(stream, length)
    }

    /// The words as they may stand at their place; none if there is no such place any more.
    fn shape(&self, stream: &Stream, said: &str) -> Option<String> {
        let text = self.document.text();
        let at = stream.anchor.and_then(|anchor| self.document.position(anchor));
        match &stream.target {
            Target::Section(title) => {
                let section = locate(text, title).ok()?;
                let is_inside = at.is_none_or(|at| section.content_start <= at && at <= section.end);
                let context = Containment { section_level: section.level, limits: Limits::NONE };
                is_inside.then(|| contain(said, &context))
            }
            Target::Component(name) => {
                let found = component::find_component(text, name).ok()?;
                let is_inside = at.is_none_or(|at| found.content.start <= at && at <= found.content.end);
                is_inside.then(|| closed(said))
            }
            Target::End => Some(closed(said)),
        }
    }

    /// Puts the first words at their place.
    fn begin(&mut self, stream: &mut Stream, said: &str, shape: &str) -> Option<Vec<Edit>> {
        let old = self.document.text();
        let new = match &stream.target {
            Target::Section(title) => {
                let target = locate(old, title).ok()?;
                let text = self.marked(&target, title, &stream.actor).ok()?;
                append_contained(&text, title, said, Limits::NONE).ok()?
            }
            Target::Component(name) => component::append(old, name, shape).ok()?,
            Target::End => {
                let gap = if document::text::has_final_newline(old) { "" } else { "\n" };
                let blank = if old.is_empty() || old.ends_with("\n\n") { "" } else { "\n" };
                [old, gap, blank, shape, "\n"].concat()
            }
        };
        let shape = with_line_ending(shape, LineEnding::of(old)).into_owned();
        let author = stream.actor.author();
        let (at, added) = match insertion(old, &new) {
            Some((at, added)) => (at, added.to_owned()),
            // A marker came in as well.
            None => {
                let edits = self.document.become_text(&Arc::new(new), &author);
                let end = self.document.text().rfind(shape.as_str())? + shape.len();
                stream.anchor = self.document.anchor_at(end).ok();
                return Some(edits);
            }
        };
        let end = at + added.find(shape.as_str())? + shape.len();
        let edit = self.document.edit(at..at, &added, &author).ok()?;
        stream.anchor = self.document.anchor_at(end).ok();
        Some(vec![edit])
    }

    /// Puts more words where the last ones ended, and takes back what only closed them.
    fn go_on(&mut self, stream: &Stream, anchor: Anchor, shape: &str) -> Option<Vec<Edit>> {
        let text = self.document.text();
        let at = self.document.position(anchor)?;
        let parts = continuation(text, at, &stream.shown, shape)?;
        let mut candidate = text.to_owned();
        for (range, new) in &parts {
            candidate.replace_range(range.clone(), new);
        }
        let keeps = match &stream.target {
            Target::Section(title) => keeps_structure(text, &candidate, title),
            Target::Component(_) | Target::End => component_names(text) == component_names(&candidate),
        };
        if !keeps {
            return None;
        }
        let author = stream.actor.author();
        let mut edits = Vec::new();
        for (range, new) in parts {
            let edit = if range == (at..at) {
                self.document.insert_at(anchor, &new, &author)
            } else {
                self.document.edit(range, &new, &author)
            };
            edits.push(edit.ok()?);
        }
        Some(edits)
    }

    /// The end of an answer that cannot go on where it stopped becomes a block of its own.
    fn show_anyhow(&mut self, stream: &mut Stream) {
        let rest = stream.said.get(stream.until..).unwrap_or_default();
        let text = self.document.text();
        let new = match &stream.target {
            Target::Section(title) => append_contained(text, title, rest, Limits::NONE).ok(),
            Target::Component(name) => component::append(text, name, rest).ok(),
            Target::End => Some([text, "\n\n", &closed(rest), "\n"].concat()),
        };
        match new {
            Some(new) => {
                let edits = self.document.become_text(&Arc::new(new), &stream.actor.author());
                self.streamed(stream, edits);
            }
            None => stream.is_lost = true,
        }
    }

    fn streamed(&mut self, stream: &Stream, edits: Vec<Edit>) {
        if edits.iter().any(|edit| !edit.range.is_empty() || !edit.text.is_empty()) {
            let section = self.section_of(stream);
            let section = section.as_deref();
            let change = Change { actor: &stream.actor, section, request: None, kind: ChangeKind::Streamed };
            self.changed(edits, &change);
        }
    }

    /// The title of the innermost section that the answer stands in.
    fn section_of(&self, stream: &Stream) -> Option<String> {
        let text = self.document.text();
        let at = match stream.anchor.and_then(|anchor| self.document.position(anchor)) {
            Some(at) => at,
            None => match &stream.target {
                Target::Section(title) => locate(text, title).ok()?.content_start,
                Target::Component(name) => component::find_component(text, name).ok()?.content.start,
                Target::End => text.len(),
            },
        };
        let around =
            find_sections(text).into_iter().rfind(|section| section.start <= at && at <= section.end)?;
        Some(around.title)
    }
}

/// What to replace, from the end to the beginning, and by what, so that `shape` stands where `shown` ends at `at`. None if somebody changed the end of it.
fn continuation(text: &str, at: usize, shown: &str, shape: &str) -> Option<Vec<(Range<usize>, String)>> {
    let ending = LineEnding::of(text);
    let kept = common_prefix(shown, shape);
    let turned = |part: &str| with_line_ending(part, ending).into_owned();
    let (old, new) = (turned(shown.get(kept..)?), turned(shape.get(kept..)?));
    let start = at.checked_sub(old.len())?;
    if old.len() > TAKEN_BACK_MAX || text.get(start..at) != Some(old.as_str()) {
        return None;
    }
    let line = shown.get(..kept)?.rsplit('\n').next()?;
    if old.is_empty() || text.get(..start)?.ends_with(line) {
        return Some(vec![(start..at, new)]);
    }
    // Somebody typed between our words and what closes them. The next words belong to ours, not to theirs.
    let (ours, after) = new.split_once(old.as_str())?;
    let own_line = ["\n", line].concat();
    let end = text.get(..start)?.rfind(&own_line)? + own_line.len();
    let parts = [(at..at, after), (end..end, ours)];
    Some(
        parts
            .into_iter()
            .filter(|(_, part)| !part.is_empty())
            .map(|(range, part)| (range, part.to_owned()))
            .collect(),
    )
}

/// Words that open and close nothing around them: markers without force, and whatever they leave open closed.
fn closed(said: &str) -> String {
    let text =
        inert(said.trim_end_matches([' ', '\t', '\r', '\n']).trim_start_matches(['\r', '\n'])).into_owned();
    match closing_line(&text) {
        Some(line) if !line.is_empty() => [text.as_str(), "\n", line.as_str()].concat(),
        Some(_) | None => text,
    }
}

fn common_prefix(one: &str, two: &str) -> usize {
    let length = one.bytes().zip(two.bytes()).take_while(|(one, two)| one == two).count();
    floor_char_boundary(one, length).min(floor_char_boundary(two, length))
}
