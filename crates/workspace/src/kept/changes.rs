//! The edits that made a later text of one that is kept. Never believed of any other text: they name both by their fingerprints.

use std::io::{self, ErrorKind};

use document::Edit;
use serde::{Deserialize, Serialize};

use crate::pending::fingerprint;

/// What was changed in a text, edit by edit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Changes {
    /// The fingerprint of the text that they were made in.
    pub(super) before: String,
    /// The fingerprint of the text that they made of it.
    pub(super) after: String,
    /// From where to where, in the text as the edits before left it, and what stands there now.
    edits: Vec<(usize, usize, String)>,
}

impl Changes {
    pub(super) fn new(before: &str, edits: &[Edit], after: String) -> Changes {
        Changes { before: before.to_owned(), after: String::new(), edits: Vec::new() }.and(edits, after)
    }

    /// These changes, and then others.
    pub(super) fn and(&self, edits: &[Edit], after: String) -> Changes {
        let new = edits.iter().map(|edit| (edit.range.start, edit.range.end, edit.text.clone()));
        let edits = self.edits.iter().cloned().chain(new).collect();
        Changes { before: self.before.clone(), after, edits }
    }

    pub(super) fn count(&self) -> usize {
        self.edits.len()
    }

    /// As they are in their file.
    pub(super) fn bytes(&self) -> io::Result<Vec<u8>> {
        Ok(serde_json::to_vec(self)?)
    }

    /// What a file holds. If that is something else, the error is of the kind [`ErrorKind::InvalidData`].
    pub(super) fn read(bytes: &[u8]) -> io::Result<Changes> {
        serde_json::from_slice(bytes).map_err(|_| ErrorKind::InvalidData.into())
    }

    /// What they make of the text; none if they do not fit it.
    pub(super) fn applied_to(&self, mut text: String) -> Option<String> {
        for (start, end, new) in &self.edits {
            if start > end || text.get(*start..*end).is_none() {
                return None;
            }
            text.replace_range(*start..*end, new);
        }
        (fingerprint(&text) == self.after).then_some(text)
    }
}
