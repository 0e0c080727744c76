//! A session document and what is kept for it. Never makes a document, and never takes a file for one that does not say so.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use document::frontmatter::{Frontmatter, Presence, Session, Settings, body, presence};

use super::agent::Talk;
use super::layout::talk_key;
use crate::sidecar::{DocumentPaths, Sidecar, SidecarError, root_of};
use crate::snapshot::Snapshot;

/// A session document on the disk.
#[derive(Debug, Clone)]
pub struct SessionFile {
    /// The file, from the top, with links followed.
    pub whole: PathBuf,
    /// The root of its project.
    pub root: PathBuf,
    /// Its path from the root, with `/` between its parts.
    pub path: String,
}

/// Why a file cannot be worked on as a session document.
#[derive(Debug, thiserror::Error)]
pub enum NoSession {
    /// Its name is no text.
    #[error("the name of {} is not UTF-8; rename the file", .0.display())]
    Name(PathBuf),
    /// It has no frontmatter.
    #[error(
        "{0} is no session document: it has no frontmatter; 'agent-doc convert {0} --mode append' makes it one"
    )]
    Plain(String),
    /// Its frontmatter cannot be read.
    #[error("{path}:{line}: {message}; correct that line, then try again")]
    Frontmatter {
        /// The document.
        path: String,
        /// The line.
        line: usize,
        /// What is wrong.
        message: String,
    },
}

impl SessionFile {
    /// The document at a path that is there, with links followed.
    ///
    /// # Errors
    ///
    /// [`NoSession`] if its name is no text.
    pub fn at(whole: &Path) -> Result<SessionFile, NoSession> {
        let root = root_of(whole).to_owned();
        let relative = whole.strip_prefix(&root).unwrap_or(whole).to_str();
        let path = relative.ok_or_else(|| NoSession::Name(whole.to_owned()))?.to_owned();
        Ok(SessionFile { whole: whole.to_owned(), root, path })
    }

    /// What its text says of how it is worked on.
    ///
    /// # Errors
    ///
    /// [`NoSession`] if it does not say so, or not in a way that can be read.
    pub fn settings(&self, text: &str) -> Result<Settings, NoSession> {
        match presence(text) {
            Presence::Absent => return Err(NoSession::Plain(self.path.clone())),
            Presence::Broken(wrong) => return Err(self.wrong(wrong.line, wrong.message)),
            Presence::Readable => {}
        }
        let Frontmatter { settings, diagnostics } = Frontmatter::parse(text);
        match diagnostics.into_iter().next() {
            Some(wrong) => Err(self.wrong(wrong.line, wrong.message)),
            None => Ok(settings),
        }
    }

    fn wrong(&self, line: usize, message: String) -> NoSession {
        NoSession::Frontmatter { path: self.path.clone(), line, message }
    }

    /// Where its files are, if its text is this.
    ///
    /// # Errors
    ///
    /// [`SidecarError`] if the state folder cannot be used.
    pub fn paths(&self, sidecar: &Sidecar, text: &str) -> Result<DocumentPaths, SidecarError> {
        let path = Path::new(&self.path);
        match Frontmatter::parse(text).settings.session {
            Session::Id(id) => sidecar.paths_for(path, Some(&id)),
            Session::Absent | Session::Empty => sidecar.paths_by_files(path, |files| {
                let answered = Snapshot::at(&files.snapshot).get();
                answered.is_ok_and(|answered| answered.is_some_and(|answered| holds_most(text, &answered)))
            }),
        }
    }
}

/// Whether more than three quarters of the lines that were answered are in the text, wherever they stand.
fn holds_most(text: &str, answered: &str) -> bool {
    let lines: HashSet<&str> = body(text).lines().map(str::trim).collect();
    let known = body(answered).lines().map(str::trim).filter(|line| !line.is_empty());
    let (there, all) =
        known.fold((0, 0), |(there, all), line| (there + usize::from(lines.contains(line)), all + 1));
    there * 4 > all * 3
}

/// Which conversation the next answer belongs to. A name that was there and was deleted begins anew; where there never was one, the
/// answer begins with what was said last.
#[must_use]
pub fn talk_of(text: &str, settings: &Settings, has_answered: bool) -> Talk {
    let (named, is_open) = match (talk_key(text), &settings.session) {
        ("resume", _) => (settings.resume.as_ref(), true),
        (_, Session::Id(id)) => (Some(id), true),
        (_, Session::Empty) => (None, true),
        (_, Session::Absent) => (None, false),
    };
    match named {
        Some(id) if !id.trim().is_empty() => Talk::Resume(id.trim().to_owned()),
        Some(_) | None if is_open && !has_answered => Talk::ForkLatest,
        Some(_) | None => Talk::Fresh,
    }
}
