//! What a text holds that an addition must leave alone, found in one reading and kept for the next addition.
//! Never notices that the text has changed; that is the caller's.

use std::ops::Range;

use pulldown_cmark::{Event, Tag};

use super::verify::{Insertion, is_unchanged_around, markers};
use super::{Containment, Limits, around, contain};
use crate::section::{self, Found, Gap, Place, Section, SectionError};
use crate::text::{LineEnding, with_each};

/// The headings and markers of one text. Where it is given together with a text, it must be that text's own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Structure {
    pub(super) headings: Vec<Found>,
    /// Where our markers begin, outside of code.
    pub(super) markers: Vec<usize>,
    pub(super) ending: LineEnding,
    /// Lines end with line feeds only, and no link is defined: what a paragraph means is said in it.
    pub(super) is_local: bool,
    pub(super) cuts: Cuts,
}

/// Places where nothing is open, as far as additions came upon them, so that the next one needs not read its section from the
/// beginning. They say nothing about the text, and so are no part of what is compared.
#[derive(Debug, Clone, Default)]
pub(super) struct Cuts(pub(super) Vec<usize>);

impl PartialEq for Cuts {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Eq for Cuts {}

/// Where code stands, inline and in blocks.
#[derive(Default)]
struct Code(Vec<Range<usize>>);

impl Code {
    fn see(&mut self, event: &Event<'_>, range: &Range<usize>) {
        if matches!(event, Event::Code(_) | Event::Start(Tag::CodeBlock(_))) {
            self.0.push(range.clone());
        }
    }
}

/// What is put into a document, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Addition {
    /// The place in the document as it was before all additions.
    pub at: usize,
    /// What is put there, with what parts it from the text around it.
    pub text: String,
}

/// What several additions make of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appended {
    /// One for each text, in the order in which they were given.
    pub additions: Vec<Addition>,
    /// The structure of the document with all of them.
    pub structure: Structure,
}

impl Appended {
    /// The document with all additions.
    #[must_use]
    pub fn text(&self, document: &str) -> String {
        let mut places: Vec<(usize, &str)> =
            self.additions.iter().map(|addition| (addition.at, addition.text.as_str())).collect();
        places.sort_by_key(|(at, _)| *at);
        // The places are those of this very text.
        with_each(document, places.into_iter(), document.len()).unwrap_or_else(|| document.to_owned())
    }
}

impl Structure {
    /// Reads the text.
    #[must_use]
    pub fn of(text: &str) -> Structure {
        let mut code = Code::default();
        let headings = section::scan_with(text, |event, range| code.see(event, range));
        Structure::with(text, headings, &code)
    }

    /// Reads markdown that stands somewhere inside a text.
    pub(super) fn of_fragment(text: &str) -> Structure {
        let mut code = Code::default();
        let headings = section::scan_fragment_with(text, |event, range| code.see(event, range));
        Structure::with(text, headings, &code)
    }

    fn with(text: &str, headings: Vec<Found>, Code(code): &Code) -> Structure {
        let markers = markers(text, code).into_iter().map(|marker| marker.start).collect();
        let is_local = around::is_local(text);
        Structure { headings, markers, ending: LineEnding::of(text), is_local, cuts: Cuts::default() }
    }

    /// How most lines of the text end.
    #[must_use]
    pub fn ending(&self) -> LineEnding {
        self.ending
    }

    /// As [`locate`](section::locate), without reading the text again.
    ///
    /// # Errors
    ///
    /// [`SectionError`] if the title does not name exactly one section.
    pub fn locate(&self, document: &str, title: &str) -> Result<Section, SectionError> {
        self.find(document, title).map(|heading| Section::of(document, &heading))
    }

    /// As [`locate`](Self::locate), without the content, which may be long.
    ///
    /// # Errors
    ///
    /// [`SectionError`] if the title does not name exactly one section.
    pub fn place(&self, document: &str, title: &str) -> Result<Place, SectionError> {
        self.find(document, title).map(|heading| Place::of(document, heading))
    }

    /// What [`append_contained`](super::append_contained) adds for each title and text, with one reading for all of them. None if one
    /// of them cannot go in just like that, or two go to the same place; then each is to be tried alone.
    ///
    /// ```
    /// use document::contain::Structure;
    ///
    /// let text = "## A\n\n## B\n";
    /// let added = Structure::of(text).append_each(text, &[("A", "One."), ("B", "Two.")]).unwrap();
    /// assert_eq!(added.text(text), "## A\nOne.\n\n## B\nTwo.\n");
    /// assert_eq!(added.structure, Structure::of(&added.text(text)));
    /// ```
    #[must_use]
    pub fn append_each(&self, document: &str, texts: &[(&str, &str)]) -> Option<Appended> {
        let mut additions = Vec::with_capacity(texts.len());
        for (title, text) in texts {
            let heading = self.find(document, title).ok()?;
            let contained =
                contain(text, &Containment { section_level: heading.level, limits: Limits::NONE });
            let (at, text) = section::addition(document, &heading, &contained, Gap::Blank, self.ending);
            additions.push((Addition { at, text }, heading.level));
        }
        let mut order: Vec<&(Addition, u8)> = additions.iter().collect();
        order.sort_by_key(|(addition, _)| addition.at);
        let insertions: Vec<Insertion<'_>> = order
            .iter()
            .map(|(addition, level)| Insertion { at: addition.at, text: &addition.text, level: *level })
            .collect();
        if !insertions.is_sorted_by(|one, next| one.at < next.at) {
            return None;
        }
        // A long document is made and read as a whole only if the paragraphs around the additions do not tell.
        let structure = around::grown(self, document, &insertions).or_else(|| {
            let places = insertions.iter().map(|one| (one.at, one.text));
            let whole = Structure::of(&with_each(document, places, document.len())?);
            Some(whole).filter(|whole| is_unchanged_around(self, whole, &insertions))
        })?;
        let additions = additions.into_iter().map(|(addition, _)| addition).collect();
        Some(Appended { additions, structure })
    }

    pub(super) fn find(&self, document: &str, title: &str) -> Result<Found, SectionError> {
        section::find_among(document, &self.headings, title)
    }
}
