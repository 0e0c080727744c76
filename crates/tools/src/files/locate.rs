//! The path that a model wrote, and the one that it leads to. Never opens a file.

use std::ffi::OsString;
use std::path::{Component, Path, PathBuf};

/// The longest path.
const PATH_MAX: usize = 4_000;

/// As written and after links, both absolute and without `.` and `..`; one if they are the same.
pub(super) fn spellings(root: &Path, given: &str) -> Result<Vec<String>, String> {
    if given.trim().is_empty() {
        return Err("is empty; give a path".to_owned());
    }
    if given.len() > PATH_MAX {
        return Err(format!("has more than {PATH_MAX} bytes"));
    }
    if given.contains('\0') {
        return Err("holds a NUL character".to_owned());
    }
    let written = plain(&root.join(given));
    let real = real(&written)?;
    let text = |path: &Path| path.to_str().map(str::to_owned).ok_or("leads to a name that is no text");
    let mut spellings = vec![text(&written)?, text(&real)?];
    spellings.dedup();
    Ok(spellings)
}

/// Without `.` and `..`, by the words alone.
fn plain(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                plain.pop();
            }
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => plain.push(component),
        }
    }
    plain
}

/// After links. Of a file that is to be made, the links of the nearest folder that exists are followed.
fn real(path: &Path) -> Result<PathBuf, String> {
    let mut missing: Vec<OsString> = Vec::new();
    let mut existing = path.to_path_buf();
    loop {
        match existing.canonicalize() {
            Ok(real) => return Ok(missing.iter().rev().fold(real, |path, name| path.join(name))),
            Err(_) if existing.symlink_metadata().is_ok_and(|metadata| metadata.is_symlink()) => {
                return Err("is or passes a link that leads nowhere; name the file itself".to_owned());
            }
            Err(error) => {
                let name = existing.file_name().map(OsString::from);
                let (Some(name), true) = (name, existing.pop()) else {
                    return Err(format!("cannot be found: {error}"));
                };
                missing.push(name);
            }
        }
    }
}
