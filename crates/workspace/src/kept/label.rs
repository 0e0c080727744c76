//! The sum of a long text as an attribute of its file, so that a text that is kept for the next answer need not be read to be told
//! from another one. Never believed of a file that was written since, and never needed: a file without it is read.

use std::fs::File;

/// Gives `file`, which is whole, the sum of what it holds. Not every file system keeps attributes.
#[cfg(unix)]
pub(super) fn put(file: &File, sum: &str) {
    use xattr::FileExt as _;

    let Some(written) = written(file) else { return };
    if file.set_xattr(NAME, format!("{written} {sum}").as_bytes()).is_err() {
        // Then the text is read the next time.
    }
}

/// The sum that the file was given, if nobody has written in it since.
#[cfg(unix)]
pub(super) fn of(file: &File) -> Option<String> {
    use xattr::FileExt as _;

    let label = String::from_utf8(file.get_xattr(NAME).ok()??).ok()?;
    let (when, sum) = label.rsplit_once(' ')?;
    (when == written(file)?).then(|| sum.to_owned())
}

#[cfg(unix)]
const NAME: &str = "user.agent-doc.sum";

/// How long the file is, and when it was written last.
#[cfg(unix)]
fn written(file: &File) -> Option<String> {
    use std::os::unix::fs::MetadataExt as _;

    let metadata = file.metadata().ok()?;
    Some(format!("{} {}.{:09}", metadata.len(), metadata.mtime(), metadata.mtime_nsec()))
}

#[cfg(not(unix))]
pub(super) fn put(_file: &File, _sum: &str) {}

#[cfg(not(unix))]
pub(super) fn of(_file: &File) -> Option<String> {
    None
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs::{self, File, OpenOptions};
    use std::io::Write as _;

    use super::{of, put};

    #[test]
    fn a_sum_counts_until_somebody_writes_in_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("text");
        fs::write(&path, "one").unwrap();
        assert_eq!(of(&File::open(&path).unwrap()), None, "nobody gave it one");

        put(&File::open(&path).unwrap(), "5a");
        let kept = of(&File::open(&path).unwrap());
        // Some file systems keep no attributes.
        assert!(kept.is_none() || kept.as_deref() == Some("5a"), "{kept:?}");
        fs::rename(&path, folder.path().join("renamed")).unwrap();
        let path = folder.path().join("renamed");
        assert_eq!(of(&File::open(&path).unwrap()), kept, "another name is no other text");

        OpenOptions::new().append(true).open(&path).unwrap().write_all(b"!").unwrap();
        assert_eq!(of(&File::open(&path).unwrap()), None, "longer");
    }

    #[test]
    fn a_sum_of_a_text_as_long_that_was_written_later_counts_for_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("text");
        fs::write(&path, "one").unwrap();
        let file = File::options().read(true).write(true).open(&path).unwrap();
        put(&file, "5a");
        let before = file.metadata().unwrap().modified().unwrap();
        while file.metadata().unwrap().modified().unwrap() == before {
            fs::write(&path, "two").unwrap();
        }
        assert_eq!(of(&file), None);
    }
}
