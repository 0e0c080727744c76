//! `agent-doc trust`: what the files of a project would change, and the person's word that they may. Never trusts a file that it
//! did not show.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};
use tools::files::Fingerprint;
use workspace::sidecar::root_of;

use super::visible;
use crate::arguments::Trust as Given;
use crate::configuration::{self, Configuration};
use crate::output;
use crate::refusal::Refusal;
use crate::trust::{Trust, content};
use crate::wiring::{prompt, roles};

pub(crate) fn run(given: &Given) -> Result<()> {
    let folder = given.folder.canonicalize().with_context(|| {
        Refusal::new(format!("{} cannot be read", given.folder.display()), "name a folder that is there")
    })?;
    let root = root_of(&folder.join("x")).to_owned();
    let mut trust = Trust::of_person();
    let mut files = vec![configuration::project_file(&root), prompt::project_file(&root)];
    files.extend(roles::files(&root));
    if given.remove {
        return remove(&mut trust, &files);
    }
    let mut told = String::new();
    let mut shown = Vec::new();
    for path in &files {
        let unusable = |why| Refusal::new(format!("{} cannot be trusted", path.display()), why);
        let Some(text) = content(path).map_err(unusable)? else { continue };
        let state = if trust.holds(path, text.as_bytes()) { "trusted" } else { "not trusted" };
        let sum = Fingerprint::of(text.as_bytes()).hex();
        told.push_str(&format!(
            "{}\n  sha256 {sum}, {state}\n{}",
            path.display(),
            meaning(path, &text, &root)?
        ));
        shown.push((path, text));
    }
    if shown.is_empty() {
        return output::print(b"nothing of this project asks for trust\n");
    }
    if !given.list {
        for (path, text) in &shown {
            trust.add(path, text.as_bytes())?;
        }
        told.push_str("trusted as they are now; whoever changes a byte ends that\n");
    }
    output::print(told.as_bytes())
}

fn remove(trust: &mut Trust, files: &[PathBuf]) -> Result<()> {
    let mut told = String::new();
    for path in files {
        if trust.remove(path)? {
            told.push_str(&format!("{}: no longer trusted\n", path.display()));
        }
    }
    if told.is_empty() {
        told.push_str("nothing of this project was trusted\n");
    }
    output::print(told.as_bytes())
}

/// What a file would change, a line each.
fn meaning(path: &Path, text: &str, root: &Path) -> Result<String> {
    if path != configuration::project_file(root) {
        let lines: String = text.lines().map(|line| format!("    {}\n", visible(line))).collect();
        return Ok(format!("  tells every model:\n{lines}"));
    }
    let set = Configuration::of_text(path, text)?;
    Ok(set.iter().map(|(key, value)| format!("  sets {key} = {}\n", visible(value))).collect())
}
