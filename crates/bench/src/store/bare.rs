//! The bare way to replace a file so that it survives a power cut: write beside, sync, exchange, sync the folder. Never looks at
//! what it displaced, which is why it loses saves.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;

use anyhow::{Context as _, Result};
use nix::fcntl::{AT_FDCWD, RenameFlags, renameat2};

/// Replaces the file by `text`.
pub(super) fn exchange(path: &Path, text: &str) -> Result<()> {
    let beside = path.with_extension("bare");
    let mut file = File::create(&beside)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    renameat2(AT_FDCWD, &beside, AT_FDCWD, path, RenameFlags::RENAME_EXCHANGE)?;
    File::open(path.parent().context("a file has a folder")?)?.sync_all()?;
    Ok(fs::remove_file(&beside)?)
}
