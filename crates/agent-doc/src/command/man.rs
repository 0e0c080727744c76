//! `agent-doc man`: the manual, from the same words as the help. Never writes outside the folder it is given.

use std::path::Path;

use anyhow::{Context as _, Result};
use clap_mangen::Man as Page;

use crate::arguments::{Man, definition};
use crate::groups::HELP;
use crate::output;
use crate::refusal::Refusal;

pub(crate) fn run(given: &Man) -> Result<()> {
    let mut pages = Vec::new();
    collect(definition(), &mut pages)?;
    match &given.out {
        None => {
            let whole: Vec<u8> = pages.into_iter().flat_map(|(_, page)| page).collect();
            output::print(&whole)
        }
        Some(folder) => write(folder, &pages),
    }
}

/// The pages of a command and all below it, each with its file name, in reading order. `agent-doc help` repeats what they say.
fn collect(command: clap::Command, pages: &mut Vec<(String, Vec<u8>)>) -> Result<()> {
    let is_shown = |inner: &&clap::Command| !inner.is_hide_set() && inner.get_name() != HELP;
    let below: Vec<clap::Command> = command.get_subcommands().filter(is_shown).cloned().collect();
    let page = Page::new(command);
    let mut roff = Vec::new();
    page.render(&mut roff).context("the manual cannot be written")?;
    pages.push((page.get_filename(), roff));
    below.into_iter().try_for_each(|inner| collect(inner, pages))
}

fn write(folder: &Path, pages: &[(String, Vec<u8>)]) -> Result<()> {
    let refusal = |path: &Path| {
        let remedy = "name a folder that you may write to";
        Refusal::new(format!("cannot write {}", path.display()), remedy)
    };
    std::fs::create_dir_all(folder).with_context(|| refusal(folder))?;
    let mut written = String::new();
    for (name, page) in pages {
        let path = folder.join(name);
        std::fs::write(&path, page).with_context(|| refusal(&path))?;
        written.push_str(&format!("{}\n", path.display()));
    }
    output::print(written.as_bytes())
}
