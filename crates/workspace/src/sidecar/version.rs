//! The format of the folder, and the way from an older one. Never migrates without a copy of what was there, and never
//! touches a newer format.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use super::{SidecarError, failed};
use crate::private;

/// The format that is written here.
pub const FORMAT: u32 = 1;

/// What brings a folder from one format to the next: the format it starts from, and what to do.
pub(super) type Step = (u32, fn(&Path) -> io::Result<()>);

/// All steps, oldest first. There is none yet, because this is the first format.
pub(super) const STEPS: &[Step] = &[];

/// How deep folders are copied; ours are two deep.
const DEPTH_MAX: usize = 8;

/// Makes sure that the folder is of the format `wanted`.
pub(super) fn settle(folder: &Path, wanted: u32, steps: &[Step]) -> Result<(), SidecarError> {
    let path = folder.join("version");
    let found = match fs::read_to_string(&path) {
        Ok(text) => {
            let number = text.trim().parse::<u32>();
            number.map_err(|_| SidecarError::UnknownVersion { path: path.clone() })?
        }
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return write(&path, wanted);
        }
        Err(source) => return Err(failed(&path, source)),
    };
    if found == wanted {
        return Ok(());
    }
    if found > wanted {
        return Err(SidecarError::Newer { folder: folder.to_owned(), found });
    }
    let backup = folder.join(format!("backup-{found}"));
    back_up(folder, &backup).map_err(|source| failed(&backup, source))?;
    for (_, step) in steps.iter().filter(|(from, _)| *from >= found && *from < wanted) {
        step(folder).map_err(|source| failed(folder, source))?;
    }
    write(&path, wanted)
}

fn write(path: &Path, format: u32) -> Result<(), SidecarError> {
    private::replace(path, format!("{format}\n").as_bytes()).map_err(|source| failed(path, source))
}

/// Copies the folder into `backup`. A copy that is there already is of an attempt that did not end, and it is the one that
/// was made before anything was changed.
fn back_up(folder: &Path, backup: &Path) -> io::Result<()> {
    if backup.exists() {
        return Ok(());
    }
    let unfinished = backup.with_extension("unfinished");
    if unfinished.exists() {
        fs::remove_dir_all(&unfinished)?;
    }
    copy(folder, &unfinished, DEPTH_MAX)?;
    fs::rename(&unfinished, backup)?;
    private::sync_folder_of(backup)
}

fn copy(from: &Path, to: &Path, depth: usize) -> io::Result<()> {
    private::create_folder(to)?;
    if depth == 0 {
        return Err(io::Error::other("the folder is too deep"));
    }
    for entry in fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        let kind = entry.file_type()?;
        if kind.is_dir() && !name.to_string_lossy().starts_with("backup-") {
            copy(&entry.path(), &to.join(name), depth - 1)?;
        } else if kind.is_file() {
            private::replace(&to.join(name), &fs::read(entry.path())?)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::super::SidecarError;
    use super::{Step, settle};

    fn upper(folder: &Path) -> std::io::Result<()> {
        let path = folder.join("journal/a");
        fs::write(&path, fs::read_to_string(&path)?.to_uppercase())
    }

    const STEPS: &[Step] = &[(1, upper)];

    fn older() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("journal")).unwrap();
        fs::write(folder.path().join("journal/a"), "words").unwrap();
        fs::write(folder.path().join("version"), "1\n").unwrap();
        folder
    }

    #[test]
    fn an_older_folder_is_migrated_once_and_what_was_there_is_kept() {
        let older = older();
        let read = |name: &str| fs::read_to_string(older.path().join(name)).unwrap();
        for _ in 0..2 {
            settle(older.path(), 2, STEPS).unwrap();
            assert_eq!((read("version"), read("journal/a")), ("2\n".into(), "WORDS".into()));
            assert_eq!(
                (read("backup-1/version"), read("backup-1/journal/a")),
                ("1\n".into(), "words".into())
            );
        }
    }

    #[test]
    fn a_migration_that_failed_keeps_the_first_copy() {
        let older = older();
        fn half(folder: &Path) -> std::io::Result<()> {
            upper(folder)?;
            Err(std::io::Error::other("no room"))
        }
        assert!(settle(older.path(), 2, &[(1, half)]).is_err());
        assert_eq!(fs::read_to_string(older.path().join("version")).unwrap(), "1\n");
        settle(older.path(), 2, STEPS).unwrap();
        assert_eq!(fs::read_to_string(older.path().join("backup-1/journal/a")).unwrap(), "words");
    }

    #[test]
    fn a_newer_folder_is_refused() {
        let newer = older();
        fs::write(newer.path().join("version"), "7\n").unwrap();
        assert!(matches!(settle(newer.path(), 1, &[]), Err(SidecarError::Newer { found: 7, .. })));
        assert_eq!(fs::read_to_string(newer.path().join("version")).unwrap(), "7\n");
    }
}
