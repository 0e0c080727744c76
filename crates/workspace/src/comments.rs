//! What people say about passages of a document, kept beside it. Never part of its text, and never moved to words that only look
//! like those that were meant while it is known where those went.

mod anchor;

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

pub use anchor::{Anchor, Place};
pub use document::text::{utf8_to_utf16, utf16_to_utf8};

use crate::private;
use crate::sidecar::{SidecarError, failed};

/// The version of the format. A newer one is not touched.
const FORMAT: u32 = 1;
/// How many comments a document may have.
pub const COMMENTS_MAX: usize = 1000;
/// How many remarks a comment may have.
pub const REMARKS_MAX: usize = 200;

/// A passage, and what was said about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Comment {
    /// Its name.
    pub id: String,
    /// The passage.
    pub anchor: Anchor,
    /// What was said, in order.
    pub remarks: Vec<Remark>,
    /// Nothing more is to be done about it.
    #[serde(default)]
    pub is_resolved: bool,
}

/// Something that somebody said.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Remark {
    /// Who.
    pub author: String,
    /// When, in milliseconds since 1970.
    pub time: u64,
    /// What.
    pub text: String,
    /// The name of the request, by which one that is sent twice is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<String>,
}

/// All comments of one document, in a file.
#[derive(Debug, Clone)]
pub struct Comments {
    path: PathBuf,
}

#[derive(Serialize, Deserialize)]
struct Kept {
    format: u32,
    comments: Vec<Comment>,
}

impl Comments {
    /// The comments that are kept at `path`.
    pub fn at(path: &Path) -> Comments {
        Comments { path: path.to_owned() }
    }

    /// All of them. A file that is none of ours counts as none, and its bytes are kept.
    ///
    /// # Errors
    ///
    /// [`SidecarError`] if the file cannot be read, or a later program wrote it.
    pub fn get(&self) -> Result<Vec<Comment>, SidecarError> {
        let bytes = match fs::read(&self.path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(failed(&self.path, source)),
        };
        match serde_json::from_slice::<Kept>(&bytes) {
            Ok(kept) if kept.format <= FORMAT => Ok(kept.comments),
            Ok(kept) => Err(SidecarError::Newer { folder: self.path.clone(), found: kept.format }),
            Err(_) => {
                let moved = private::keep_aside(&self.path, &bytes).and_then(|_| private::remove(&self.path));
                moved.map_err(|source| failed(&self.path, source))?;
                Ok(Vec::new())
            }
        }
    }

    /// Keeps these instead of those that were kept before; on the disk when this returns.
    ///
    /// # Errors
    ///
    /// [`SidecarError`] if the file cannot be written.
    pub fn set(&self, comments: Vec<Comment>) -> Result<(), SidecarError> {
        let bytes = serde_json::to_vec(&Kept { format: FORMAT, comments }).unwrap_or_default();
        let folder = self.path.parent().unwrap_or(Path::new("."));
        let written = private::create_folder(folder).and_then(|()| private::replace(&self.path, &bytes));
        written.map_err(|source| failed(&self.path, source))
    }
}
