//! Does one command on the text in memory. Never touches the disk, and never changes anything when it refuses.

use std::sync::Arc;

use document::component::components;
use document::contain::{ContainError, Limits, replace_contained};
use document::section::{self, Place, Section, SectionError, find_sections, is_proposal, locate};
use document::{Edit, Revision};

use super::desk::{Change, Desk};
use super::passage;
use super::rules::{self, How};
use crate::SharedText;
use crate::command::{Actor, FileCommand, FileErrorKind, FileResult, Refusal, Reply, Request};
use crate::event::ChangeKind;

impl Desk {
    /// The answer to a command, and whether it depends on words that the file may lack.
    pub(super) fn execute(&mut self, request: &Request) -> (Reply, bool) {
        let id = request.request_id.as_deref();
        if let Some(reply) = self.requests.find(&request.actor, id) {
            return (reply, true);
        }
        let before = self.revision;
        match self.standing().and_then(|()| self.dispatch(request)) {
            Ok(result) => {
                let reply = self.reply(result);
                let is_read =
                    matches!(request.command, FileCommand::Read { .. } | FileCommand::ReadSection { .. });
                if !is_read {
                    self.requests.remember(&request.actor, id, &reply);
                }
                (reply, self.revision != before)
            }
            Err(refusal) => (self.refusing(refusal), false),
        }
    }

    fn dispatch(&mut self, request: &Request) -> Result<FileResult, Refusal> {
        match &request.command {
            FileCommand::Read { .. } => Ok(FileResult::Content { content: self.shared_text() }),
            FileCommand::ReadSection { section, .. } => {
                let found = self.section(section)?;
                Ok(FileResult::SectionContent { section: found.title, content: found.content })
            }
            FileCommand::Write { content, .. } => self.write(request, content),
            FileCommand::WriteSection { section, content, .. } => {
                self.write_section(request, section, content)
            }
            FileCommand::EditSection { section, old, new, .. } => {
                self.edit_section(request, section, old, new)
            }
            FileCommand::AppendSection { section, content, .. } => self.append_one(request, section, content),
            FileCommand::CreateRunDocument { .. } => Err(Refusal::new(
                FileErrorKind::AlreadyExists,
                format!("{} exists already; choose another run id", self.path),
            )),
        }
    }

    fn write(&mut self, request: &Request, content: &SharedText) -> Result<FileResult, Refusal> {
        match &request.actor {
            Actor::User(_) | Actor::System => {}
            Actor::Worker(_) | Actor::Conductor => {
                let message = format!(
                    "{}: {} may not write the whole document; write in your own section instead",
                    self.path, request.actor
                );
                return Err(Refusal::new(FileErrorKind::Forbidden { owner: "user".to_owned() }, message));
            }
        }
        self.check_whole(content.len(), content.len())?;
        document::text::check(content).map_err(|error| {
            Refusal::new(FileErrorKind::InvalidContent, format!("{}: {error}", self.path))
        })?;
        if self.has(content) {
            return Ok(FileResult::Written { bytes: 0 });
        }
        if request.base != Some(self.revision) {
            return Err(self.conflict(request.base, self.document.text().to_owned(), "the document"));
        }
        let before = self.document.mark();
        let edits = self.document.become_text(content.held(), &request.actor.author());
        self.record(edits, request, None, ChangeKind::Written);
        self.touched.compare(before, self.document.mark(), self.revision);
        if self.has(content) {
            // Whoever reads it next gets the caller's copy.
            self.share(content);
        }
        Ok(FileResult::Written { bytes: content.len() })
    }

    fn write_section(
        &mut self,
        request: &Request,
        title: &str,
        content: &str,
    ) -> Result<FileResult, Refusal> {
        let target = self.writable(request, title)?;
        self.check_length(content.len())?;
        let text = self.marked(&target, title, &request.actor)?;
        let new =
            replace_contained(&text, title, content, Limits::NONE).map_err(|error| self.contained(error))?;
        if new == self.document.text() {
            return Ok(FileResult::Written { bytes: 0 });
        }
        self.check_base(request, &target)?;
        let edits = self.document.become_text(&Arc::new(new), &request.actor.author());
        self.record(edits, request, Some(&target.title), ChangeKind::SectionWritten);
        Ok(FileResult::Written { bytes: content.len() })
    }

    fn edit_section(
        &mut self,
        request: &Request,
        title: &str,
        old: &str,
        new: &str,
    ) -> Result<FileResult, Refusal> {
        let target = self.writable(request, title)?;
        self.check_length(new.len())?;
        let invalid = |message: String| Refusal::new(FileErrorKind::InvalidContent, message);
        if old.is_empty() {
            let next = "give the passage to replace, or append to the section";
            return Err(invalid(format!("{}: section {title:?}: the passage is empty; {next}", self.path)));
        }
        if old == new {
            let next = "there is nothing to do";
            return Err(invalid(format!(
                "{}: section {title:?}: both passages are the same; {next}",
                self.path
            )));
        }
        self.check_base(request, &target)?;
        let range = passage::find(self.document.text(), &target, old, &self.path)?;
        let mut edited = self.document.text().to_owned();
        edited.replace_range(range.clone(), new);
        if document::text::check(new).is_err() || !keeps_structure(self.document.text(), &edited, title) {
            let next = "leave headings of other sections, markers, fences and comments as they are";
            return Err(invalid(format!(
                "{}: section {title:?}: the edit would change the document around it; {next}",
                self.path
            )));
        }
        let edit = self.document.edit(range, new, &request.actor.author());
        let edits = edit.map_err(|error| invalid(format!("{}: {error}", self.path)))?;
        self.record(vec![edits], request, Some(&target.title), ChangeKind::Edited);
        Ok(FileResult::Written { bytes: new.len() })
    }

    fn writable(&self, request: &Request, title: &str) -> Result<Section, Refusal> {
        let target = self.section(title)?;
        let place = Place::from(&target);
        rules::check(self.document.text(), &place, &request.actor, How::Replace, &self.path)?;
        Ok(target)
    }

    /// The section of a title, or why there is not exactly one.
    pub(super) fn section(&self, title: &str) -> Result<Section, Refusal> {
        locate(self.document.text(), title).map_err(|error| self.section_refusal(&error))
    }

    pub(super) fn section_refusal(&self, error: &SectionError) -> Refusal {
        let (kind, next) = match error {
            SectionError::NotFound { .. } => (FileErrorKind::SectionNotFound, self.titles()),
            SectionError::Multiple { count, .. } => {
                (FileErrorKind::MultipleMatches { count: *count }, String::new())
            }
            SectionError::UnclosedMarker { .. } => (FileErrorKind::InvalidContent, String::new()),
        };
        Refusal::new(kind, format!("{}: {error}{next}", self.path))
    }

    pub(super) fn contained(&self, error: ContainError) -> Refusal {
        match error {
            ContainError::Section(error) => self.section_refusal(&error),
            ContainError::InvalidContent { .. } => {
                Refusal::new(FileErrorKind::InvalidContent, format!("{}: {error}", self.path))
            }
        }
    }

    fn titles(&self) -> String {
        let sections = find_sections(self.document.text());
        let titles: Vec<String> =
            sections.iter().take(20).map(|section| format!("{:?}", section.title)).collect();
        if titles.is_empty() {
            return "; the document has no sections: write a heading first".to_owned();
        }
        format!("; the document has {}; use one of these", titles.join(", "))
    }

    pub(super) fn check_length(&self, length: usize) -> Result<(), Refusal> {
        let whole = self.document.text().len().saturating_add(length);
        self.check_whole(if length <= self.options.content_max { whole } else { usize::MAX }, length)
    }

    /// Refuses `length` bytes if they make the document longer than it may be.
    fn check_whole(&self, whole: usize, length: usize) -> Result<(), Refusal> {
        let (limit, document_max) = (self.options.content_max, self.options.document_max);
        if whole <= document_max {
            return Ok(());
        }
        let message = format!(
            "{}: {length} bytes are too many (the limit is {limit} at a time and {document_max} for the document); \
             write less, and keep the rest in a file of its own",
            self.path
        );
        Err(Refusal::new(FileErrorKind::TooLarge, message))
    }

    fn check_base(&mut self, request: &Request, target: &Section) -> Result<(), Refusal> {
        let is_fresh = request.base.is_some_and(|base| {
            base <= self.revision && !self.touched.is_newer(&self.document, target, base)
        });
        if is_fresh {
            return Ok(());
        }
        Err(self.conflict(request.base, target.content.clone(), &format!("section {:?}", target.title)))
    }

    fn conflict(&self, base: Option<Revision>, current: String, what: &str) -> Refusal {
        let now = self.revision;
        let why = match base {
            None => format!("the base revision is missing, which is needed to replace {what}"),
            Some(base) if base > now => format!("there is no revision {base} of {what} yet"),
            Some(base) => format!("{what} has changed since revision {base}"),
        };
        let message = format!(
            "{}: {why}; nothing was written; look at the text that comes with this answer and send the change again with \
             base {now}",
            self.path
        );
        Refusal::new(FileErrorKind::Conflict { current_revision: now, current }, message)
    }

    /// The text, in which a worker's section is marked as a proposal.
    pub(super) fn marked(&self, target: &Section, title: &str, actor: &Actor) -> Result<String, Refusal> {
        let text = self.document.text();
        if lacks_marker(&Place::from(target), actor) {
            return section::mark_proposal(text, title, true).map_err(|error| self.section_refusal(&error));
        }
        Ok(text.to_owned())
    }

    pub(super) fn record(
        &mut self,
        edits: Vec<Edit>,
        request: &Request,
        section: Option<&str>,
        kind: ChangeKind,
    ) {
        let change = Change { actor: &request.actor, section, request: request.request_id.as_deref(), kind };
        self.changed(edits, &change);
    }
}

/// Whether what the actor writes there must be marked as a proposal first.
pub(super) fn lacks_marker(target: &Place, actor: &Actor) -> bool {
    match actor {
        Actor::Worker(_) => target.level == 2 && !target.is_proposal,
        Actor::Conductor | Actor::User(_) | Actor::System => false,
    }
}

/// Whether all sections but what is inside of `title`, and all components, are what they were.
pub(super) fn keeps_structure(before: &str, after: &str, title: &str) -> bool {
    let (Ok(old), Ok(new)) = (locate(before, title), locate(after, title)) else {
        return false;
    };
    is_proposal(&old) == is_proposal(&new)
        && outside(before, &old) == outside(after, &new)
        && component_names(before) == component_names(after)
        && before.get(..old.content_start) == after.get(..new.content_start)
        && before.get(old.end..) == after.get(new.end..)
}

fn outside(text: &str, inner: &Section) -> Vec<(String, u8)> {
    let is_inside = |section: &Section| section.start > inner.start && section.end <= inner.end;
    let sections = find_sections(text).into_iter();
    sections.filter(|section| !is_inside(section)).map(|section| (section.title, section.level)).collect()
}

/// The components in order; none if their markers do not pair up.
pub(super) fn component_names(text: &str) -> Option<Vec<(String, usize)>> {
    let components = components(text).ok()?;
    Some(components.into_iter().map(|component| (component.name, component.depth)).collect())
}
