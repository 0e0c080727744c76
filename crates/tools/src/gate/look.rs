//! Looks at the repository in which a command would run. Never runs git to find out: that is what the look is for.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::repository::Repository;

/// More settings than this nobody has.
const SETTINGS_MAX: u64 = 256 * 1024;

impl Repository {
    /// What git would find in `folder`.
    pub fn look(folder: &Path) -> Self {
        for folder in folder.ancestors() {
            let inside = folder.join(".git");
            if inside.symlink_metadata().is_ok() {
                return look_inside(&inside);
            }
            // Git takes such a folder for a repository, and files of a project can make one.
            if folder.join("HEAD").exists() && folder.join("objects").exists() {
                return Self::Suspect("a repository without a `.git` folder".to_owned());
            }
        }
        Self::Plain
    }
}

fn look_inside(git: &Path) -> Repository {
    let Some(folder) = (if git.is_dir() { Some(git.to_owned()) } else { linked(git) }) else {
        return Repository::Unseen;
    };
    // A further working folder shares the settings of the first.
    let common = short(&folder.join("commondir")).map(|path| folder.join(path.trim_end()));
    match short(&common.unwrap_or(folder).join("config")) {
        Some(settings) => Repository::of_settings(&settings),
        None => Repository::Unseen,
    }
}

/// The folder that a file named `.git` points to.
fn linked(git: &Path) -> Option<PathBuf> {
    let text = short(git)?;
    let path = text.strip_prefix("gitdir:")?.trim();
    Some(git.parent()?.join(path))
}

/// The text of a file that must not be long.
fn short(path: &Path) -> Option<String> {
    // What is no plain file may never end, or block.
    if !path.metadata().ok()?.is_file() {
        return None;
    }
    let mut text = String::new();
    let length = std::fs::File::open(path).ok()?.take(SETTINGS_MAX).read_to_string(&mut text).ok()?;
    (u64::try_from(length).ok()? < SETTINGS_MAX).then_some(text)
}
