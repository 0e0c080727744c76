//! All files of a workspace at one moment, by fingerprint. Never reads a file again that the system says is unchanged, and never
//! looks at what git ignores.

use std::collections::BTreeMap;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::Path;

use crate::files::{Fingerprint, Opened, opened, read_whole};
use crate::limits::{CHECKPOINT_FILE_MAX, CHECKPOINT_FILES_MAX};
use crate::walk::walker;

#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    pub(super) files: BTreeMap<String, KnownFile>,
    /// Some files were too large, too many, or have names that are no text.
    pub(super) is_partial: bool,
}

#[derive(Clone, Debug)]
pub(super) struct KnownFile {
    pub(super) name: String,
    pub(super) fingerprint: Fingerprint,
    pub(super) is_kept: bool,
    stamp: Stamp,
}

/// Changes whenever the content may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    inode: u64,
    length: u64,
    changed: (i64, i64),
}

/// `before` saves reading what did not change since.
pub(super) fn taken(root: &Path, before: &Known) -> io::Result<Known> {
    let mut known = Known::default();
    for entry in walker(root).build().flatten() {
        if !entry.file_type().is_some_and(|kind| kind.is_file()) {
            continue;
        }
        let name = entry.path().strip_prefix(root).ok().and_then(Path::to_str);
        let (Some(name), Ok(metadata)) = (name, entry.metadata()) else {
            known.is_partial = true;
            continue;
        };
        if metadata.len() > CHECKPOINT_FILE_MAX || known.files.len() >= CHECKPOINT_FILES_MAX {
            known.is_partial = true;
            continue;
        }
        let changed = (metadata.ctime(), metadata.ctime_nsec());
        let stamp = Stamp { inode: metadata.ino(), length: metadata.len(), changed };
        let file = match before.files.get(name).filter(|file| file.stamp == stamp) {
            Some(file) => file.clone(),
            None => match fingerprint_of(entry.path())? {
                Some(fingerprint) => KnownFile { name: name.to_owned(), fingerprint, is_kept: false, stamp },
                // Gone while we looked.
                None => continue,
            },
        };
        known.files.insert(name.to_owned(), file);
    }
    Ok(known)
}

/// Of a plain file that is there.
pub(super) fn fingerprint_of(path: &Path) -> io::Result<Option<Fingerprint>> {
    match opened(path) {
        Ok(Opened::File(file, _)) => Ok(Some(Fingerprint::of(&read_whole(file, CHECKPOINT_FILE_MAX)?))),
        Ok(Opened::Folder | Opened::Other | Opened::Missing) => Ok(None),
        // What we may not read we cannot keep.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(None),
        Err(error) => Err(error),
    }
}
