//! The physical floor: what reading, replacing and durably replacing a file costs before any work of ours.
//! Never touches a document; it writes its own files under `target/` and removes them.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

use super::Size;
use super::measure::median_of;
use super::table::{Table, bytes, ratio, time};

const SIZES: &[usize] = &[10_000, 100_000, 1_000_000, 10_000_000];
const SIZES_SMOKE: &[usize] = &[10_000];
const ROUNDS: usize = 31;

/// Prints one row for each size.
pub(crate) fn run(size: Size) -> Result<()> {
    let (sizes, rounds) = match size {
        Size::Full => (SIZES, ROUNDS),
        Size::Smoke => (SIZES_SMOKE, 1),
    };
    // Not the folder for temporary files: that is often memory, where syncing costs nothing.
    let scratch = Scratch::new(crate::folder("io"))?;
    let mut table =
        Table::new(&["size", "read", "replace", "replace cpu", "durable", "durable cpu", "durable/replace"]);
    for &length in sizes {
        table.row(row(&scratch.folder, length, rounds)?);
    }
    println!("{table}");
    Ok(())
}

fn row(folder: &Path, length: usize, rounds: usize) -> Result<[String; 7]> {
    let path = folder.join("document.md");
    let content = text(length);
    let replaced = median_of(rounds, || replace(&path, &content, Durability::None))?;
    let read = median_of(rounds, || Ok(fs::read(&path)?))?;
    let durable = median_of(rounds, || replace(&path, &content, Durability::Synced))?;
    Ok([
        bytes(length),
        time(read.wall),
        time(replaced.wall),
        time(replaced.cpu),
        time(durable.wall),
        time(durable.cpu),
        ratio(durable.wall, replaced.wall),
    ])
}

/// What a replaced file survives.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Durability {
    /// A crash of the program, not of the machine.
    None,
    /// Both: the file is synced before the rename and its folder after it.
    Synced,
}

/// Writes a sibling and renames it over `path`, so that a reader sees one whole version.
fn replace(path: &Path, content: &[u8], durability: Durability) -> Result<()> {
    let sibling = path.with_extension("new");
    let mut file = File::create(&sibling)?;
    file.write_all(content)?;
    if durability == Durability::Synced {
        file.sync_all()?;
    }
    fs::rename(&sibling, path)?;
    if durability == Durability::Synced {
        let folder = path.parent().context("a file has a folder")?;
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}

/// Lines of prose, so that a file system that compresses does the work it would do for a document.
fn text(length: usize) -> Vec<u8> {
    let line = b"The quick brown fox writes above, and the lazy dog answers below. ";
    line.iter().copied().cycle().take(length).collect()
}

/// A folder that is gone when the benchmark is over, also after a failure.
pub(super) struct Scratch {
    folder: PathBuf,
}

impl Scratch {
    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn new(folder: PathBuf) -> Result<Self> {
        fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(Self { folder })
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.folder) {
            println!("{} stays behind: {error}", self.folder.display());
        }
    }
}
