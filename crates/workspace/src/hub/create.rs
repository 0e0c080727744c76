//! Makes a document that is not there yet, whole or not at all. Never writes over one that is, and never through a link.

use std::fs::File;
use std::io::{self, Write as _};
use std::os::fd::OwnedFd;

use document::section::find_sections;
use rustix::fs::{AtFlags, Mode, OFlags, linkat, mkdirat, openat, renameat, statat, unlinkat};
use rustix::io::Errno;

/// Characters of an objective that become the title.
const TITLE_MAX: usize = 160;
/// How many names are tried for the file beside.
const ATTEMPTS_MAX: usize = 64;
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

/// Makes the file `path` beneath `root` with this text, and the folders on the way.
pub(super) fn create_beneath(root: &File, path: &str, text: &str) -> io::Result<()> {
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let mut folder: OwnedFd = root.try_clone()?.into();
    for step in folders.split('/').filter(|step| !step.is_empty()) {
        match mkdirat(&folder, step, Mode::from_raw_mode(0o777)) {
            Ok(()) | Err(Errno::EXIST) => {}
            Err(error) => return Err(error.into()),
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        folder = match openat(&folder, step, flags, Mode::empty()) {
            // A link in place of a folder may lead anywhere.
            Err(Errno::NOTDIR | Errno::LOOP) => return Err(Errno::XDEV.into()),
            opened => opened?,
        };
    }
    put(folder, name, text)
}

/// Writes beside the name, then takes the name, which only one can.
fn put(folder: OwnedFd, name: &str, text: &str) -> io::Result<()> {
    if statat(&folder, name, AtFlags::SYMLINK_NOFOLLOW).is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    let (beside, file) = open_beside(&folder, name)?;
    let mut file = File::from(file);
    let taken = file
        .write_all(text.as_bytes())
        .and_then(|()| file.sync_all())
        .and_then(|()| take_name(&folder, &beside, name));
    let removed = match unlinkat(&folder, beside.as_str(), AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(error) => Err(error.into()),
    };
    taken.and(removed).and_then(|()| File::from(folder).sync_all())
}

/// A new file of a name that nobody has.
fn open_beside(folder: &OwnedFd, name: &str) -> io::Result<(String, OwnedFd)> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    for attempt in 0..ATTEMPTS_MAX {
        let beside = format!(".{name}.{}.{attempt}.new", std::process::id());
        match openat(folder, beside.as_str(), flags, Mode::from_raw_mode(0o666)) {
            // Of another call right now, or of a process that is gone.
            Err(Errno::EXIST) => {}
            opened => return Ok((beside, opened?)),
        }
    }
    Err(io::ErrorKind::ResourceBusy.into())
}

fn take_name(folder: &OwnedFd, beside: &str, name: &str) -> io::Result<()> {
    match linkat(folder, beside, folder, name, AtFlags::empty()) {
        // A file system without hard links. The name was free a moment ago.
        Err(Errno::PERM | Errno::OPNOTSUPP | Errno::NOSYS) => Ok(renameat(folder, beside, folder, name)?),
        linked => Ok(linked?),
    }
}
