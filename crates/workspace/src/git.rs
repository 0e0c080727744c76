//! Git, as far as a session document needs it: one document committed by itself, its branch, and its own commits made one.
//!
//! Everything is done by plumbing. No hook, filter or other program that a repository names is ever run, the working files are
//! never touched, and of the index only the document's own entry is.

mod branch;
mod clean;
mod commit;
mod command;
mod loose;
mod place;
mod tree;

use std::ffi::OsString;
use std::io;
use std::path::{Path, PathBuf};

pub use branch::{Branched, branch_name};
pub use clean::{Cleaned, Unsquashable};
pub use commit::{Committed, NotCommitted, subject};

use command::Git;
use place::Place;

/// The name of a git object.
pub type ObjectId = String;

/// A repository, and the place of one document in it.
#[derive(Debug, Clone)]
pub struct Repository {
    git: Git,
    /// The repository's own folder; in a linked worktree, that worktree's.
    folder: PathBuf,
    /// The document's path from the root of the working files, with `/` between its parts.
    path: String,
    /// The commit that was checked out when the repository was found, if there was one.
    head: Option<ObjectId>,
}

/// Why git did not do what was asked. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum GitError {
    /// There is no such program.
    #[error("git is not installed; install it, or work with --no-git")]
    Absent,
    /// It could not be started or spoken to.
    #[error("git could not be run")]
    Io(#[from] io::Error),
    /// It said no.
    #[error("git {what} failed: {told}")]
    Failed {
        /// The command.
        what: &'static str,
        /// What it said, in its first line.
        told: String,
    },
    /// Git does not know who the person is.
    #[error(
        "git does not know your name; set it with: git config --global user.name NAME and user.email ADDRESS, or work with --no-git"
    )]
    Nameless,
    /// Others commit faster than we do.
    #[error("other programs keep committing to this repository; try again when they are done")]
    Busy,
    /// The path cannot be told to git.
    #[error("the path {} is not UTF-8; rename the document, or work with --no-git", .0.display())]
    Path(PathBuf),
    /// It said something that we do not understand.
    #[error("git {what} answered what it never should: {told}")]
    Odd {
        /// The command.
        what: &'static str,
        /// Its answer, in part.
        told: String,
    },
}

impl Repository {
    /// The repository that a document lies in, if it lies in one. A link is followed to the document itself.
    ///
    /// # Errors
    ///
    /// [`GitError`] if git is there and cannot be asked.
    pub fn of(document: &Path) -> Result<Option<Repository>, GitError> {
        let document = document.canonicalize()?;
        let (Some(folder), Some(name)) = (document.parent(), document.file_name()) else {
            return Ok(None);
        };
        let Some(told) = Place::of(folder)? else {
            return Ok(None);
        };
        let mut name_in = OsString::from(told.prefix);
        name_in.push(name);
        let path = name_in.into_string().map_err(|name| GitError::Path(PathBuf::from(name)))?;
        let git = Git::in_folder(&told.top).with_loose(told.loose);
        Ok(Some(Repository { git, folder: told.folder, path, head: told.head }))
    }

    /// The document's path from the root of the working files.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The commit that is checked out now, if there is one yet.
    fn head(&self) -> Result<Option<ObjectId>, GitError> {
        self.git.commit_of("HEAD")
    }
}
