//! Where a merge could not please both, told to the pages that show the document. Never part of the text, and never kept: what both wrote
//! is in the text and in the past.

use std::sync::Arc;

use document::merge::{Notice, NoticeKind};
use document::section::find_sections;

use super::desk::Desk;
use super::peer::PeerEvent;

/// How many places of one merge are told, and how many bytes of each version.
const CLASHES_MAX: usize = 16;
const BYTES_MAX: usize = 400;

/// A place where two changed the same words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clash {
    /// The title of the section it is in, if it is in one.
    pub section: Option<Arc<str>>,
    /// Whether both versions stand in the text; else only one of them does.
    pub is_both: bool,
    /// What stood in the document.
    pub ours: Arc<str>,
    /// What the other one saved, or wrote while they were away.
    pub theirs: Arc<str>,
}

impl Desk {
    /// Tells pages what a merge noticed.
    pub(super) fn tell_of_clashes(&self, notices: &[Notice]) {
        if notices.is_empty() || self.peers.is_empty() {
            return;
        }
        let sections = find_sections(self.document.text());
        for notice in notices.iter().take(CLASHES_MAX) {
            let is_both = match notice.kind {
                NoticeKind::BothChanged | NoticeKind::Conflict => true,
                NoticeKind::DeletedAndChanged | NoticeKind::PersonKept => false,
                // Nothing was taken in, so there is nothing to look at.
                NoticeKind::EmptySave => continue,
            };
            // The innermost section that holds a line is the last one that begins before it.
            let section = sections.iter().rfind(|section| section.line <= notice.line);
            self.peers.tell(PeerEvent::Clashed(Clash {
                section: section.map(|section| section.title.as_str().into()),
                is_both,
                ours: shortened(&notice.ours),
                theirs: shortened(&notice.theirs),
            }));
        }
    }
}

fn shortened(text: &str) -> Arc<str> {
    text.get(..text.floor_char_boundary(BYTES_MAX)).unwrap_or_default().into()
}
