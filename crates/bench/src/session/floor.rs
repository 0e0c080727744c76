//! What a merged write costs whoever does it: a program is started, two texts are read, and what came is brought to the disk. Never
//! merges anything, keeps no history and looks for nobody's save, so no program that does these gets there.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result};

use super::super::measure::{Cost, child, once};
use super::super::page::answer;
use super::super::table::{ratio, time};
use super::beside::middle;
use super::stage::{Mode, Stage, document};

const ROUNDS: usize = 11;

/// The parts that no way of merging avoids.
pub(super) struct Floor {
    /// A start of our program, which says its version and ends.
    pub(super) start: Cost,
    /// The texts read and checked to be text, and the new ones on the disk.
    pub(super) disk: Cost,
}

impl Floor {
    /// What a merged write of ours takes beside it.
    pub(super) fn beside(&self, write: &Cost) -> String {
        let least = self.start.cpu + self.disk.cpu;
        format!(
            "a merged write of 1 MB, at least: {} to start and end, {} to read two texts and bring two to the disk; ours is {} of that",
            time(self.start.cpu),
            time(self.disk.cpu),
            ratio(write.cpu, least),
        )
    }
}

pub(super) fn measure(program: &Path, folder: &Path, length: usize) -> Result<Floor> {
    let stage = Stage::new(program, folder, "")?;
    let text = document(Mode::Stream, length, length / 10);
    let (mut starts, mut disk) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        starts.push(child(&mut stage.command(&["--version"]))?);
        for name in ["baseline", "page", "agreed"] {
            fs::write(folder.join(name), &text)?;
        }
        disk.push(once(|| read_and_write(folder))?.0);
    }
    Ok(Floor { start: middle(&starts)?, disk: middle(&disk)? })
}

/// The answer is on the disk before the page is touched; the page and the text that the next change is told from are replaced whole.
fn read_and_write(folder: &Path) -> Result<()> {
    let (baseline, page) =
        (fs::read_to_string(folder.join("baseline"))?, fs::read_to_string(folder.join("page"))?);
    let answer = answer();
    replace(folder, "answer", &[&answer])?;
    for (name, text) in [("page", &page), ("agreed", &baseline)] {
        let (head, tail) =
            text.split_at_checked(text.floor_char_boundary(text.len() / 10)).context("no text")?;
        replace(folder, name, &[head, &answer, tail])?;
    }
    fs::remove_file(folder.join("answer"))?;
    Ok(())
}

fn replace(folder: &Path, name: &str, parts: &[&str]) -> Result<()> {
    let beside = folder.join(format!("{name}.new"));
    let mut file = File::create(&beside)?;
    for part in parts {
        file.write_all(part.as_bytes())?;
    }
    file.sync_all()?;
    fs::rename(&beside, folder.join(name))?;
    Ok(File::open(folder)?.sync_all()?)
}
