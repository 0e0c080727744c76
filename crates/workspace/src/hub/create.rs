//! The first text of a document, and the folders on the way to it. Never writes the file itself, which is the store's, and never goes
//! through a link.

use std::fs::File;
use std::io;
use std::path::Path;

use document::section::find_sections;

use super::path::leads_out;
use crate::store;

/// Characters of an objective that become the title.
const TITLE_MAX: usize = 160;
/// The title of a run without words.
const UNTITLED: &str = "Untitled";
/// The sections of a run after its title, and whether they begin as proposals.
const SECTIONS: [(&str, bool); 4] =
    [("Conductor", false), ("Researcher", true), ("Terminal", true), ("User", true)];
/// What a markdown reader takes for more than itself.
const ACTIVE: [char; 16] = ['\\', '`', '*', '_', '{', '}', '[', ']', '<', '>', '(', ')', '#', '&', '~', '|'];

/// The text that a run begins with.
pub(super) fn run_document(objective: &str) -> String {
    let title = one_line(objective);
    let text = document_titled(&title);
    let sections = find_sections(&text);
    let is_read_as_meant = sections.len() == SECTIONS.len() + 1
        && sections.first().is_some_and(|section| section.title == title && section.level == 1);
    if is_read_as_meant { text } else { document_titled(&escaped(&title)) }
}

fn document_titled(title: &str) -> String {
    let mut text = format!("# {title}\n");
    for (name, is_proposal) in SECTIONS {
        text.push_str(&format!("\n## {name}\n"));
        if is_proposal {
            text.push_str("<!-- proposal -->\n");
        }
    }
    text
}

/// The words of an objective on one line, without what would turn or hide them.
fn one_line(objective: &str) -> String {
    let is_hidden = |c: char| {
        c.is_control()
            || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}')
    };
    let spaced: String = objective.chars().map(|c| if c.is_whitespace() { ' ' } else { c }).collect();
    let plain: String = spaced.chars().filter(|c| !is_hidden(*c)).collect();
    let words = plain.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    if words.is_empty() {
        return UNTITLED.to_owned();
    }
    if words.chars().count() <= TITLE_MAX {
        return words;
    }
    let cut: String = words.chars().take(TITLE_MAX).collect();
    format!("{}…", cut.trim_end())
}

fn escaped(title: &str) -> String {
    let mut text = String::with_capacity(title.len() + 8);
    for c in title.chars() {
        if ACTIVE.contains(&c) {
            text.push('\\');
        }
        text.push(c);
    }
    text
}

/// Makes the file `path` beneath the root with this text, and the folders on the way. All of them are on the disk when this returns: a
/// file that was synced is lost with a folder that was not.
pub(super) fn create_beneath(root: &File, root_path: &Path, path: &str, text: &str) -> io::Result<()> {
    let folders = path.rsplit_once('/').map_or("", |(folders, _)| folders);
    make_folders(root, root_path, folders)?;
    store::create(&root_path.join(path), text)
}

#[cfg(unix)]
fn make_folders(root: &File, _root_path: &Path, folders: &str) -> io::Result<()> {
    make_folders_with(root, folders, |parent| Ok(rustix::fs::fsync(parent)?))
}

/// Makes folders; `sync` brings a folder in which another one was made to the disk.
#[cfg(unix)]
fn make_folders_with(
    root: &File,
    folders: &str,
    mut sync: impl FnMut(&std::os::fd::OwnedFd) -> io::Result<()>,
) -> io::Result<()> {
    use rustix::fs::{Mode, OFlags, mkdirat, openat};
    use rustix::io::Errno;
    let mut folder: std::os::fd::OwnedFd = root.try_clone()?.into();
    for step in folders.split('/').filter(|step| !step.is_empty()) {
        match mkdirat(&folder, step, Mode::from_raw_mode(0o777)) {
            Ok(()) => sync(&folder)?,
            Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        folder = match openat(&folder, step, flags, Mode::empty()) {
            // A link in place of a folder may lead anywhere.
            Err(Errno::NOTDIR | Errno::LOOP) => return Err(leads_out()),
            opened => opened?,
        };
    }
    Ok(())
}

/// The same by looking at each step: a link that is swapped in between the look and the step is not seen.
#[cfg(not(unix))]
fn make_folders(_root: &File, root_path: &Path, folders: &str) -> io::Result<()> {
    let mut folder = root_path.to_owned();
    for step in folders.split('/').filter(|step| !step.is_empty()) {
        folder.push(step);
        match std::fs::create_dir(&folder) {
            Ok(()) => {}
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
        if !folder.symlink_metadata()?.is_dir() {
            return Err(leads_out());
        }
    }
    Ok(())
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::fs::File;
    use std::os::unix::fs::MetadataExt as _;

    use super::make_folders_with;

    /// The folders that were synced while `folders` were made, from the root.
    fn synced(root: &std::path::Path, folders: &str) -> Vec<String> {
        let mut inodes = Vec::new();
        make_folders_with(&File::open(root).unwrap(), folders, |folder| {
            inodes.push(File::from(folder.try_clone()?).metadata()?.ino());
            Ok(())
        })
        .unwrap();
        let name = |inode: u64| {
            let known = ["", "runs", "runs/a"].into_iter();
            let is_it = |path: &&str| root.join(path).metadata().is_ok_and(|known| known.ino() == inode);
            known.filter(is_it).collect::<String>()
        };
        inodes.into_iter().map(name).collect()
    }

    #[test]
    fn each_folder_in_which_another_is_made_is_synced_and_no_other() {
        let root = tempfile::tempdir().unwrap();
        assert_eq!(synced(root.path(), "runs/a"), ["", "runs"]);
        assert_eq!(synced(root.path(), "runs/a"), [""; 0]);
        assert_eq!(synced(root.path(), "runs/a/b"), ["runs/a"]);
    }

    #[test]
    fn a_folder_that_cannot_be_synced_is_told() {
        let root = tempfile::tempdir().unwrap();
        let made = make_folders_with(&File::open(root.path()).unwrap(), "runs", |_| {
            Err(std::io::ErrorKind::StorageFull.into())
        });
        assert_eq!(made.unwrap_err().kind(), std::io::ErrorKind::StorageFull);
    }
}
