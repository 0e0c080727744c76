//! Which paths are paths of the root. Never touches the disk before the words of a path are checked, and never follows a
//! link out of the root.

use std::fs::File;
use std::io;
use std::path::Path;

use crate::command::{FileErrorKind, Refusal};

/// The longest path, and the longest name in one.
const PATH_MAX: usize = 1024;
const NAME_MAX: usize = 255;
/// The longest name of a run.
const RUN_ID_MAX: usize = 64;
/// Names that are devices on some systems.
const RESERVED: [&str; 4] = ["con", "prn", "aux", "nul"];

/// Folders whose files are no documents: one kept by us, the other by git. Words written there would be settings and hooks.
const KEPT: [&str; 2] = [".agent-doc", ".git"];

/// The path in its plain form: names joined by single slashes. Checked as written and decoded once, as a browser would.
pub(crate) fn checked(path: &str) -> Result<String, Refusal> {
    let names = names(path).and_then(|names| self::names(&decoded(path)).map(|_| names));
    match names {
        Ok(names) => Ok(names.join("/")),
        Err(why) => {
            let shown: String = path.chars().take(80).collect();
            let message =
                format!("{shown:?} is no path of a document: {why}; give one like \"notes/plan.md\"");
            Err(Refusal::new(FileErrorKind::PathTraversal, message))
        }
    }
}

fn names(path: &str) -> Result<Vec<&str>, &'static str> {
    if path.trim().is_empty() {
        return Err("it is empty");
    }
    if path.len() > PATH_MAX {
        return Err("it is too long");
    }
    if path.contains('\\') {
        return Err("it has a backslash");
    }
    if path.chars().any(char::is_control) {
        return Err("it has a control character");
    }
    if path.starts_with('/') {
        return Err("it is absolute");
    }
    if path.as_bytes().get(1) == Some(&b':') {
        return Err("it begins with a drive");
    }
    let names: Vec<&str> = path.split('/').filter(|name| !matches!(*name, "" | ".")).collect();
    if names.contains(&"..") {
        return Err("it leads upwards");
    }
    if names.iter().any(|name| KEPT.iter().any(|kept| name.eq_ignore_ascii_case(kept))) {
        return Err("it is in a folder that programs keep");
    }
    if names.iter().any(|name| name.len() > NAME_MAX) {
        return Err("a name in it is too long");
    }
    if names.is_empty() || path.ends_with(['/']) || path.ends_with("/.") {
        return Err("it is a folder");
    }
    Ok(names)
}

/// `path` with `%2e` and the like read once. What decodes to no text is left as it is.
fn decoded(path: &str) -> String {
    let bytes = path.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        let pair =
            path.get(at + 1..at + 3).filter(|pair| pair.bytes().all(|digit| digit.is_ascii_hexdigit()));
        match pair.and_then(|pair| u8::from_str_radix(pair, 16).ok()) {
            Some(value) if *byte == b'%' => {
                out.push(value);
                at += 3;
            }
            Some(_) | None => {
                out.push(*byte);
                at += 1;
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| path.to_owned())
}

/// Refuses a name of a run that could not be a folder everywhere.
pub(super) fn check_run_id(run_id: &str) -> Result<(), Refusal> {
    let is_plain = run_id.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_'));
    let lower = run_id.to_ascii_lowercase();
    let is_port = |name: &str| {
        lower
            .strip_prefix(name)
            .is_some_and(|digit| digit.len() == 1 && digit.bytes().all(|c| c.is_ascii_digit()))
    };
    let is_reserved = RESERVED.contains(&lower.as_str()) || is_port("com") || is_port("lpt");
    if is_plain && !is_reserved && !run_id.is_empty() && run_id.len() <= RUN_ID_MAX {
        return Ok(());
    }
    let shown: String = run_id.chars().take(RUN_ID_MAX).collect();
    let message = format!(
        "{shown:?} is no name of a run: use up to {RUN_ID_MAX} letters, digits, \"-\" and \"_\", and no name of a device"
    );
    Err(Refusal::new(FileErrorKind::PathTraversal, message))
}

/// The one name of a plain file beneath the root, without links on the way. Refuses all else.
pub(super) fn resolved(root: &File, root_path: &Path, path: &str) -> Result<String, Refusal> {
    match kind_beneath(root, root_path, path) {
        Ok(Kind::File) => {
            let whole = root_path.join(path).canonicalize().map_err(|error| refused(path, &error))?;
            let name = whole.strip_prefix(root_path).ok().and_then(Path::to_str);
            name.map(str::to_owned).ok_or_else(|| outside(path, "it leads out of the root"))
        }
        Ok(Kind::Link) => Err(outside(path, "it is a link; name the file that it leads to")),
        Ok(Kind::Other) => Err(Refusal::new(
            FileErrorKind::IoError,
            format!("{path}: there is no plain file, but a folder or a device; choose another path"),
        )),
        Err(error) => Err(refused(path, &error)),
    }
}

pub(super) fn refused(path: &str, error: &io::Error) -> Refusal {
    if is_outside(error) {
        return outside(path, "a link on the way leads out of the root; use a path without it");
    }
    match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => {
            let message = format!(
                "{path}: there is no such document; create it first, or look at the list of documents"
            );
            Refusal::new(FileErrorKind::NotFound, message)
        }
        io::ErrorKind::AlreadyExists => {
            let message =
                format!("{path} exists already and was left alone; read it, or choose another name");
            Refusal::new(FileErrorKind::AlreadyExists, message)
        }
        kind => Refusal::new(FileErrorKind::IoError, format!("{path}: {kind}; nothing was changed")),
    }
}

fn outside(path: &str, why: &str) -> Refusal {
    Refusal::new(FileErrorKind::PathTraversal, format!("{path}: {why}"))
}

/// What stands at a path.
enum Kind {
    File,
    Link,
    Other,
}

/// A folder, held open so that it stays the same one.
#[cfg(not(windows))]
pub(super) fn open_folder(path: &Path) -> io::Result<File> {
    File::open(path)
}

/// A folder, held open so that it stays the same one.
#[cfg(windows)]
pub(super) fn open_folder(path: &Path) -> io::Result<File> {
    use std::os::windows::fs::OpenOptionsExt as _;
    // Without this flag the system opens files only.
    const BACKUP_SEMANTICS: u32 = 0x0200_0000;
    std::fs::OpenOptions::new().read(true).custom_flags(BACKUP_SEMANTICS).open(path)
}

/// A path that ends outside of the root.
pub(super) fn leads_out() -> io::Error {
    io::ErrorKind::CrossesDevices.into()
}

fn is_outside(error: &io::Error) -> bool {
    #[cfg(unix)]
    if error.raw_os_error() == Some(rustix::io::Errno::LOOP.raw_os_error()) {
        return true;
    }
    error.kind() == io::ErrorKind::CrossesDevices
}

#[cfg(target_os = "linux")]
fn kind_beneath(root: &File, root_path: &Path, path: &str) -> io::Result<Kind> {
    use rustix::fs::{FileType, Mode, OFlags, ResolveFlags, fstat, openat2};
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
    match openat2(root, path, flags, Mode::empty(), resolve) {
        Ok(file) => Ok(match FileType::from_raw_mode(fstat(&file)?.st_mode) {
            FileType::RegularFile => Kind::File,
            FileType::Symlink => Kind::Link,
            _ => Kind::Other,
        }),
        // A kernel or a sandbox without the call.
        Err(rustix::io::Errno::NOSYS | rustix::io::Errno::PERM) => kind_by_walking(root_path, path),
        Err(error) => Err(error.into()),
    }
}

#[cfg(not(target_os = "linux"))]
fn kind_beneath(_root: &File, root_path: &Path, path: &str) -> io::Result<Kind> {
    kind_by_walking(root_path, path)
}

/// The same by looking at each step, for systems that cannot do it in one.
fn kind_by_walking(root: &Path, path: &str) -> io::Result<Kind> {
    let root = root.canonicalize()?;
    let whole = root.join(path);
    let folder = whole.parent().unwrap_or(&root).canonicalize()?;
    if !folder.starts_with(&root) {
        return Err(leads_out());
    }
    let kind = whole.symlink_metadata()?.file_type();
    Ok(match (kind.is_file(), kind.is_symlink()) {
        (true, _) => Kind::File,
        (false, true) => Kind::Link,
        (false, false) => Kind::Other,
    })
}
