//! Places for protected folders that do not exist: without them a command could make its own `.git`, with programs that the
//! person's git would run later. Never removes a folder with something in it.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

/// Which places are in use, by how many calls.
#[derive(Clone, Debug, Default)]
pub(super) struct Masks {
    uses: Arc<Mutex<BTreeMap<PathBuf, usize>>>,
}

impl Masks {
    /// Makes an empty folder for each path that is missing. It is gone when the last call is over.
    pub(super) fn raise(&self, protected: &[PathBuf]) -> io::Result<Masked> {
        let mut masked = Masked { masks: self.clone(), paths: Vec::new() };
        let mut uses = self.uses.lock().unwrap_or_else(PoisonError::into_inner);
        for path in protected {
            let is_ours = uses.contains_key(path);
            if !is_ours && path.symlink_metadata().is_ok() {
                continue;
            }
            match fs::create_dir(path) {
                Ok(()) => {}
                Err(error) if is_ours && error.kind() == io::ErrorKind::AlreadyExists => {}
                // Where we may not make it, a command may not either.
                Err(error) if is_refused(&error) => continue,
                Err(error) => return Err(error),
            }
            *uses.entry(path.clone()).or_default() += 1;
            masked.paths.push(path.clone());
        }
        Ok(masked)
    }
}

fn is_refused(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

/// The places that one call uses.
#[derive(Debug)]
pub(super) struct Masked {
    masks: Masks,
    paths: Vec<PathBuf>,
}

impl Masked {
    pub(super) fn paths(&self) -> &[PathBuf] {
        &self.paths
    }
}

impl Drop for Masked {
    fn drop(&mut self) {
        let mut uses = self.masks.uses.lock().unwrap_or_else(PoisonError::into_inner);
        for path in &self.paths {
            let Some(count) = uses.get_mut(path) else { continue };
            *count -= 1;
            if *count == 0 {
                uses.remove(path);
                // If the person made something of it meanwhile, it is not empty and stays.
                fs::remove_dir(path).ok();
            }
        }
    }
}
