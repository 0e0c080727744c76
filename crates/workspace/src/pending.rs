//! Responses that are on their way into a document: each is on the disk before any of it is in the file. Never removes one
//! before the journal knows that it is done.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use document::Edit;
use serde::{Deserialize, Serialize};

use crate::SharedText;
use crate::checksum::{hex128, long_hex128};
use crate::kept::{self, KeptText, Seen, When};
use crate::private;
use crate::session::layout::Layout;
use crate::sidecar::{SidecarError, failed};
use crate::snapshot::Snapshot;

/// Where a response goes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Target {
    /// To the end of a component.
    Component(String),
    /// To the end of a section.
    Section(String),
    /// To the end of the document.
    End,
    /// Wherever the layout of the document has it; its merge base is kept beside it.
    Answer(Layout),
}

/// A response, as far as it has come.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Response {
    /// Its name, which no other has; the journal knows it by this name once it is done.
    pub id: String,
    /// Who writes it.
    pub author: String,
    /// When it began, in milliseconds since 1970.
    pub time: u64,
    /// Where it goes.
    pub target: Target,
    /// The [`fingerprint`] of the text that it answers.
    pub base: String,
    /// What has come so far, as it goes into the document.
    pub text: String,
    /// What the agent thought, where the document wants that, too.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub thinking: String,
    /// The name of the agent's conversation, for the frontmatter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub talk: Option<String>,
    /// Whether nothing more will come.
    #[serde(default)]
    pub is_whole: bool,
    /// The [`fingerprint`] of the snapshot at its beginning, if there was one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<String>,
    /// Whether that snapshot was of a later text than the one that it answers.
    #[serde(default)]
    pub is_later: bool,
    /// How many bytes of it are in the document for sure.
    #[serde(default)]
    pub applied: usize,
    /// A write of the document that is not known to have ended.
    #[serde(default)]
    pub attempt: Option<Attempt>,
}

/// A write of the document, noted before it was tried.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Attempt {
    /// The [`fingerprint`] of the document before.
    pub before: String,
    /// The [`fingerprint`] of the document after.
    pub after: String,
    /// How many bytes of the response are in it then.
    pub upto: usize,
}

impl Response {
    /// A response of which nothing has come yet.
    pub fn new(id: &str, author: &str, target: Target, base: &str, time: u64) -> Response {
        Response {
            id: id.to_owned(),
            author: author.to_owned(),
            time,
            target,
            base: fingerprint(base),
            text: String::new(),
            thinking: String::new(),
            talk: None,
            is_whole: false,
            snapshot: None,
            is_later: false,
            applied: 0,
            attempt: None,
        }
    }

    /// How many bytes of the response are in the document, which reads `file` now.
    pub fn applied_in(&self, file: &str) -> usize {
        let Some(attempt) = &self.attempt else {
            return self.applied;
        };
        let now = fingerprint(file);
        if now == attempt.after {
            return attempt.upto;
        }
        if now == attempt.before {
            return self.applied;
        }
        // Somebody saved since. The attempt ended if most of what it brought can be found.
        let brought = self.text.get(self.applied..attempt.upto).unwrap_or_default();
        if is_mostly_in(brought, file) { attempt.upto } else { self.applied }
    }

    /// Notes that the document is about to be changed from `before` to `after`, with all that has come so far.
    pub fn attempting(&mut self, before: &SharedText, after: &SharedText) {
        let (before, after) = (before.sum().hex128(), after.sum().hex128());
        self.attempt = Some(Attempt { before, after, upto: self.text.len() });
    }
}

/// The responses of one document.
#[derive(Debug, Clone)]
pub struct Pending {
    folder: PathBuf,
}

impl Pending {
    /// The responses that are kept in `folder`.
    pub fn at(folder: &Path) -> Pending {
        Pending { folder: folder.to_owned() }
    }

    /// Keeps a response as it is now. When this returns it is on the disk.
    pub fn put(&self, response: &Response) -> Result<(), SidecarError> {
        private::create_folder(&self.folder).map_err(|source| failed(&self.folder, source))?;
        let path = self.path(&response.id);
        let written = serde_json::to_vec(response).map_err(io::Error::from);
        written.and_then(|bytes| private::replace(&path, &bytes)).map_err(|source| failed(&path, source))
    }

    /// Keeps the text that a response is merged on. It is on the disk for good when the response itself is.
    pub fn put_base(&self, id: &str, base: &str) -> Result<(), SidecarError> {
        private::create_folder(&self.folder).map_err(|source| failed(&self.folder, source))?;
        self.kept_base(id).set(&[base], When::Next).map_err(|source| failed(&self.base_path(id), source))
    }

    /// As [`put_base`](Self::put_base), for a text that these edits make of the snapshot that was seen: then its files get second
    /// names. Whether it could be done.
    pub(crate) fn link_base(
        &self,
        id: &str,
        snapshot: &Snapshot,
        seen: &Seen,
        since: &[Edit],
        base: &str,
    ) -> Result<bool, SidecarError> {
        private::create_folder(&self.folder).map_err(|source| failed(&self.folder, source))?;
        let kept = self.kept_base(id);
        let linked = match kept.link(snapshot.kept(), seen) {
            Ok(true) if !since.is_empty() => kept.change(seen, since, &[base], When::Next).map(|()| true),
            linked => linked,
        };
        linked.map_err(|source| failed(&self.base_path(id), source))
    }

    /// The text that a response is merged on, if it was kept.
    pub fn base(&self, id: &str) -> Result<Option<String>, SidecarError> {
        match self.kept_base(id).get() {
            Ok(text) => Ok(text),
            Err(error) if error.kind() == ErrorKind::InvalidData => Ok(None),
            Err(source) => Err(failed(&self.base_path(id), source)),
        }
    }

    /// A response by its name.
    pub fn get(&self, id: &str) -> Result<Option<Response>, SidecarError> {
        self.read(&self.path(id))
    }

    /// All responses, oldest first. One that cannot be read is kept aside.
    pub fn list(&self) -> Result<Vec<Response>, SidecarError> {
        let listed = match fs::read_dir(&self.folder) {
            Ok(listed) => listed,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(source) => return Err(failed(&self.folder, source)),
        };
        let mut responses = Vec::new();
        for entry in listed {
            let path = entry.map_err(|source| failed(&self.folder, source))?.path();
            if path.extension().is_some_and(|extension| extension == "json") {
                responses.extend(self.read(&path)?);
            }
        }
        responses.sort_by(|one, other| (one.time, &one.id).cmp(&(other.time, &other.id)));
        Ok(responses)
    }

    /// Forgets a response that the journal knows to be done, or that a person does not want.
    pub fn clear(&self, id: &str) -> Result<(), SidecarError> {
        let (path, [base, beside]) = (self.path(id), self.kept_base(id).files());
        private::remove_all(&[&path, &base, &beside]).map_err(|source| failed(&path, source))
    }

    /// Forgets a response that the journal knows by its name. If a crash brings it back, the journal still does.
    pub(crate) fn forget(&self, id: &str) -> Result<(), SidecarError> {
        let (path, [base, beside]) = (self.path(id), self.kept_base(id).files());
        let forgotten = private::forget_all(&[&path, &base, &beside]);
        forgotten.map(drop).map_err(|source| failed(&path, source))
    }

    /// Removes what processes that were killed left unfinished. Only for the one who has the turn: whoever waits for it
    /// keeps its answer once more when it has it.
    #[cfg(unix)]
    pub(crate) fn sweep(&self) -> Result<(), SidecarError> {
        let Ok(listed) = fs::read_dir(&self.folder) else {
            return Ok(());
        };
        for path in listed.flatten().map(|entry| entry.path()) {
            let ends_with = |end: &str| path.extension().is_some_and(|extension| extension == end);
            let is_of_a_base = ends_with("md") || ends_with(kept::CHANGES);
            let is_orphan = is_of_a_base && !path.with_extension("json").exists();
            if ends_with(private::UNFINISHED) || is_orphan {
                private::remove(&path).map_err(|source| failed(&path, source))?;
            }
        }
        Ok(())
    }

    fn kept_base(&self, id: &str) -> KeptText {
        KeptText::at(&self.base_path(id))
    }

    fn base_path(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{}.md", hex128(id.as_bytes())))
    }

    fn path(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{}.json", hex128(id.as_bytes())))
    }

    fn read(&self, path: &Path) -> Result<Option<Response>, SidecarError> {
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(source) => return Err(failed(path, source)),
        };
        match serde_json::from_slice::<Response>(&bytes) {
            Ok(response) if response.text.is_char_boundary(response.applied) => Ok(Some(response)),
            Ok(_) | Err(_) => {
                let kept = private::keep_aside(path, &bytes).and_then(|_| private::remove(path));
                kept.map_err(|source| failed(path, source))?;
                Ok(None)
            }
        }
    }
}

/// A short name for a text: equal texts have the same.
pub fn fingerprint(text: &str) -> String {
    long_hex128(text.as_bytes())
}

/// Whether more than half of the lines with words are found in `file`.
fn is_mostly_in(text: &str, file: &str) -> bool {
    let known: std::collections::HashSet<&str> = file.lines().map(str::trim).collect();
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let found = lines.iter().filter(|line| known.contains(*line)).count();
    found * 2 > lines.len()
}
