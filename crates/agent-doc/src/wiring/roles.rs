//! Who can work in runs of a project: those that are always there, and those that it describes in `.agent-doc/workers`. Never takes
//! the word of a project that the person does not trust.

use std::path::{Path, PathBuf};

use conductor::role::Role;

use crate::output;
use crate::trust::Trust;

/// The folder of descriptions, in the root of a project.
const FOLDER: &str = ".agent-doc/workers";
/// Descriptions that are looked at.
const FILES_MAX: usize = 64;

/// The files that describe workers, by name.
pub(crate) fn files(root: &Path) -> Vec<PathBuf> {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let Ok(entries) = std::fs::read_dir(root.join(FOLDER)) else { return Vec::new() };
    let paths = entries.flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> =
        paths.filter(|path| path.extension().is_some_and(|ending| ending == "md")).collect();
    files.sort();
    files.truncate(FILES_MAX);
    files
}

/// All roles. What is not trusted or cannot be read is said and left out.
pub(crate) fn all(root: &Path, trust: &Trust) -> Vec<Role> {
    let mut roles = Role::standing();
    for path in files(root) {
        let Some(text) = trust.text_of(&path) else { continue };
        let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        match Role::parse(stem, &text) {
            Ok(role) if roles.iter().any(|known| known.name.eq_ignore_ascii_case(&role.name)) => {
                let name = role.name;
                output::notice(&format!(
                    "{} does not count: there is a worker {name} already",
                    path.display()
                ));
            }
            Ok(role) => roles.push(role),
            Err(error) => output::notice(&format!("{} does not count: {error}", path.display())),
        }
    }
    roles
}
