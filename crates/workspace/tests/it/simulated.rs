//! A disk in memory that can lose power: content is there for good only after it was synced, names only after their folder was.
//! Never more orderly than a journaling file system: names reach the disk in order, content in any way.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard};

use workspace::store::{Disk, Glimpse, Kind, Like, Look};

use crate::editor::Dice;

type Names = BTreeMap<PathBuf, usize>;

#[derive(Debug, Default, Clone)]
struct State {
    contents: Vec<Vec<u8>>,
    durable: Vec<Vec<u8>>,
    names: Names,
    /// The names after each change since the last sync of the folder, beginning with those that are there for good.
    states: Vec<Names>,
    steps: usize,
    crash_at: Option<usize>,
    fail_at: Option<(usize, io::ErrorKind)>,
    save_at: Option<(usize, PathBuf, Vec<u8>)>,
}

/// The disk; clones are the same disk.
#[derive(Debug, Clone, Default)]
pub(crate) struct SimulatedDisk(Arc<Mutex<State>>);

impl SimulatedDisk {
    /// A disk with one file that is there for good.
    pub(crate) fn with(path: &Path, text: &str) -> SimulatedDisk {
        let disk = SimulatedDisk::default();
        let mut state = disk.lock();
        state.contents.push(text.into());
        state.durable.push(text.into());
        state.names.insert(path.to_owned(), 0);
        state.states = vec![state.names.clone()];
        drop(state);
        disk
    }

    /// From step `at` on nothing is done any more.
    pub(crate) fn crash_at(&self, at: usize) {
        let mut state = self.lock();
        state.crash_at = Some(state.steps + at);
    }

    pub(crate) fn fail_at(&self, at: usize, kind: io::ErrorKind) {
        let mut state = self.lock();
        state.fail_at = Some((state.steps + at, kind));
    }

    /// An editor saves in place, and syncs, just before step `at`.
    pub(crate) fn save_at(&self, at: usize, path: &Path, text: &str) {
        let mut state = self.lock();
        state.save_at = Some((state.steps + at, path.to_owned(), text.into()));
    }

    pub(crate) fn has_saved(&self) -> bool {
        self.lock().save_at.is_none()
    }

    pub(crate) fn steps(&self) -> usize {
        self.lock().steps
    }

    pub(crate) fn text(&self, path: &Path) -> String {
        let state = self.lock();
        String::from_utf8(state.contents[state.names[path]].clone()).unwrap()
    }

    pub(crate) fn count(&self) -> usize {
        self.lock().names.len()
    }

    /// The disk after the process was killed: all that was done is there.
    pub(crate) fn after_kill(&self) -> SimulatedDisk {
        let mut state = self.lock().clone();
        (state.crash_at, state.fail_at, state.save_at) = (None, None, None);
        SimulatedDisk(Arc::new(Mutex::new(state)))
    }

    /// The disk after the power was cut.
    pub(crate) fn after_power_cut(&self, seed: u64) -> SimulatedDisk {
        let mut dice = Dice::new(seed);
        let disk = self.after_kill();
        let mut state = disk.lock();
        let kept = usize::try_from(dice.below(state.states.len() as u64)).unwrap();
        state.names = state.states[kept].clone();
        state.states = vec![state.names.clone()];
        for index in 0..state.contents.len() {
            let written = state.contents[index].clone();
            let length = usize::try_from(dice.below(written.len() as u64 + 1)).unwrap();
            if written == state.durable[index] {
                continue;
            }
            state.contents[index] = match dice.below(3) {
                0 => state.durable[index].clone(),
                // The length came to the disk and the content did not.
                1 => vec![0; length],
                _ => written[..length].to_vec(),
            };
        }
        state.durable = state.contents.clone();
        drop(state);
        disk
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap()
    }

    /// Every call goes through here, and may end here.
    fn step(&self) -> io::Result<MutexGuard<'_, State>> {
        let mut state = self.lock();
        state.steps += 1;
        let now = state.steps;
        if state.crash_at.is_some_and(|at| now >= at) {
            return Err(io::Error::other("the machine is down"));
        }
        if let Some((_, path, text)) = state.save_at.take_if(|(at, ..)| now >= *at) {
            let inode = state.names[&path];
            state.contents[inode].clone_from(&text);
            state.durable[inode] = text;
            // A journal that holds the file's content for good holds all names that changed before.
            state.states = vec![state.names.clone()];
        }
        match state.fail_at {
            Some((at, kind)) if at == now => Err(kind.into()),
            _ => Ok(state),
        }
    }

    fn change_names(&self, change: impl FnOnce(&mut Names) -> io::Result<()>) -> io::Result<()> {
        let mut state = self.step()?;
        change(&mut state.names)?;
        let names = state.names.clone();
        state.states.push(names);
        Ok(())
    }
}

fn missing() -> io::Error {
    io::ErrorKind::NotFound.into()
}

impl Disk for SimulatedDisk {
    type File = usize;

    fn resolve(&self, path: &Path) -> io::Result<PathBuf> {
        Ok(path.to_owned())
    }

    fn look(&self, path: &Path) -> io::Result<Look> {
        let state = self.step()?;
        let found = state.names.get(path).copied();
        let is_folder = found.is_none() && state.names.keys().any(|name| name.parent() == Some(path));
        let inode = if is_folder { 0 } else { found.ok_or_else(missing)? };
        Ok(Look {
            kind: if is_folder { Kind::Folder } else { Kind::File },
            device: 1,
            inode: inode as u64,
            size: state.contents[inode].len() as u64,
            modified: 0,
            links: 1,
            is_writable: true,
            keeps_owner: true,
        })
    }

    fn open(&self, path: &Path) -> io::Result<usize> {
        self.step()?.names.get(path).copied().ok_or_else(missing)
    }

    fn glimpse(&self, file: &usize, _: u64) -> io::Result<Glimpse> {
        Ok(Glimpse::Quiet(self.step()?.contents[*file].clone()))
    }

    fn create(&self, path: &Path, _: Like<'_>, bytes: &[u8]) -> io::Result<()> {
        let inode = self.lock().contents.len();
        self.change_names(|names| match names.contains_key(path) {
            true => Err(io::ErrorKind::AlreadyExists.into()),
            false => {
                names.insert(path.to_owned(), inode);
                Ok(())
            }
        })
        .inspect(|()| {
            let mut state = self.lock();
            state.contents.push(Vec::new());
            state.durable.push(Vec::new());
        })?;
        for end in [bytes.len() / 2, bytes.len()] {
            self.step()?.contents[inode] = bytes[..end].to_vec();
        }
        self.step()?.durable[inode] = bytes.to_vec();
        Ok(())
    }

    fn overwrite(&self, path: &Path, bytes: &[u8]) -> io::Result<()> {
        let inode = self.open(path)?;
        for end in [0, bytes.len() / 2, bytes.len()] {
            self.step()?.contents[inode] = bytes[..end].to_vec();
        }
        self.step()?.durable[inode] = bytes.to_vec();
        Ok(())
    }

    fn exchange(&self, one: &Path, other: &Path) -> io::Result<()> {
        self.change_names(|names| {
            let inodes = names.get(one).copied().zip(names.get(other).copied());
            let (first, second) = inodes.ok_or_else(missing)?;
            names.insert(one.to_owned(), second);
            names.insert(other.to_owned(), first);
            Ok(())
        })
    }

    fn place(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.change_names(|names| match names.contains_key(to) {
            true => Err(io::ErrorKind::AlreadyExists.into()),
            false => {
                let inode = names.remove(from).ok_or_else(missing)?;
                names.insert(to.to_owned(), inode);
                Ok(())
            }
        })
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        self.change_names(|names| {
            let inode = names.remove(from).ok_or_else(missing)?;
            names.insert(to.to_owned(), inode);
            Ok(())
        })
    }

    fn remove(&self, path: &Path) -> io::Result<()> {
        self.change_names(|names| names.remove(path).map(drop).ok_or_else(missing))
    }

    fn sync_folder(&self, _: &Path) -> io::Result<()> {
        let mut state = self.step()?;
        state.states = vec![state.names.clone()];
        Ok(())
    }

    fn names(&self, _: &Path) -> io::Result<Vec<String>> {
        let state = self.step()?;
        let name = |path: &PathBuf| path.file_name().unwrap().to_string_lossy().into_owned();
        Ok(state.names.keys().map(name).collect())
    }

    fn is_running(&self, _: u32) -> bool {
        false
    }
}
