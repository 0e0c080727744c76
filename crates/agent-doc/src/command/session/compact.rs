//! `agent-doc compact`: old exchanges go to the project's archive. Never loses one: it is on the disk there before it leaves the
//! document, which keeps it in its history as well.

use std::path::PathBuf;

use anyhow::{Context as _, Result};
use document::component::{self, ComponentError};
use document::exchange::{Speaker, blocks};
use document::frontmatter::Format;
use document::section::find_sections;
use serde::Serialize;
use workspace::session::file::SessionFile;
use workspace::sidecar::Sidecar;
use workspace::snapshot::Snapshot;

use super::{changed, found};
use crate::arguments::Compact;
use crate::refusal::Refusal;
use crate::{input, moment, output, reach};

/// What `--json` prints.
#[derive(Debug, Serialize)]
struct Report<'a> {
    document: &'a str,
    /// How many lines left the document.
    lines: usize,
    /// Where they are now.
    archive: Option<PathBuf>,
    revision: Option<u64>,
}

pub(crate) fn run(given: &Compact) -> Result<()> {
    let file = found(&given.file)?;
    let (name, text) = (input::shown(&given.file), input::read(&given.file)?);
    let settings =
        file.settings(&text).map_err(|error| Refusal::new(error.to_string(), "nothing was changed"))?;
    let old = match settings.format() {
        Format::Append => old_blocks(&text, given.keep),
        Format::Template => old_entries(&text, &given.component, given.keep).map_err(|error| {
            Refusal::new(format!("{name}: {error}"), "name it with --component; nothing was changed")
        })?,
    };
    let Some(old) = old else {
        if given.json {
            return output::print_json(&Report { document: &name, lines: 0, archive: None, revision: None });
        }
        output::notice(&format!("{name}: there are no more than {} exchanges", given.keep));
        return Ok(());
    };
    let archive = archived(&file, &name, &old)?;
    let gone = |text: &str| match text.split_once(old.as_str()) {
        Some((before, after)) => Ok([before, after].concat()),
        None => Err(Refusal::new(format!("{name} was changed meanwhile"), "try again").into()),
    };
    let revision = changed(&file, &name, reach::PERSON, gone)?;
    forget(&file, &text, &old)?;
    let lines = old.lines().count();
    if given.json {
        return output::print_json(&Report { document: &name, lines, archive: Some(archive), revision });
    }
    output::notice(&format!("{name}: {lines} lines are in {} now", archive.display()));
    Ok(())
}

/// The blocks of a conversation before the last exchanges.
fn old_blocks(text: &str, keep: usize) -> Option<String> {
    let blocks = blocks(text);
    let answers: Vec<usize> = blocks
        .iter()
        .enumerate()
        .filter(|(_, block)| block.speaker == Speaker::Assistant)
        .map(|(index, _)| index)
        .collect();
    let last = *answers.get(answers.len().checked_sub(keep + 1)?)?;
    let (first, end) = (blocks.first()?.heading.start, blocks.get(last)?.body.end);
    text.get(first..end).map(str::to_owned)
}

/// The entries of a component before the last ones. An entry begins at a heading of the third level.
fn old_entries(text: &str, name: &str, keep: usize) -> Result<Option<String>, ComponentError> {
    let content = component::find_component(text, name)?.content;
    let starts: Vec<usize> = find_sections(text)
        .into_iter()
        .filter(|section| section.level == 3 && content.contains(&section.start))
        .map(|section| section.start)
        .collect();
    let Some(kept) = starts.len().checked_sub(keep).filter(|count| *count > 0) else { return Ok(None) };
    let end = starts.get(kept).copied().unwrap_or(content.end);
    let first = starts.first().copied().unwrap_or(content.start);
    Ok(text.get(first..end).map(str::to_owned))
}

/// Puts the old exchanges into the archive.
fn archived(file: &SessionFile, name: &str, old: &str) -> Result<PathBuf> {
    let unusable = || {
        Refusal::new(
            format!("the archive of {name} cannot be written"),
            "look who owns the folder '.agent-doc'",
        )
    };
    let folder = Sidecar::open(&file.root).with_context(unusable)?.folder().join("archives");
    std::fs::create_dir_all(&folder).with_context(unusable)?;
    let stem = file.whole.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let stamp = moment::shown(moment::now()).replace([' ', ':'], "-");
    for number in 1..1000 {
        let path = folder.join(format!("{stem}-{stamp}-{number}.md"));
        match workspace::store::create(&path, old) {
            Ok(_) => return Ok(path),
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error).with_context(unusable),
        }
    }
    Err(unusable().into())
}

/// What went is no change that somebody would have to answer.
fn forget(file: &SessionFile, text: &str, old: &str) -> Result<()> {
    let Some(sidecar) = Sidecar::find(&file.root)? else { return Ok(()) };
    let snapshot = Snapshot::at(&file.paths(&sidecar, text)?.snapshot);
    if let Some(agreed) = snapshot.get()? {
        let without = agreed.split_once(old).map(|(before, after)| [before, after].concat());
        snapshot.set(&without.unwrap_or(agreed))?;
    }
    Ok(())
}
