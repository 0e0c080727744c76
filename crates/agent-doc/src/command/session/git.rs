//! `agent-doc commit` and `agent-doc clean`: git, for one document. Never takes another file along.

use anyhow::{Context as _, Result};
use serde::Serialize;
use workspace::git::{Cleaned, Committed, Repository, subject};
use workspace::session::file::SessionFile;

use super::found;
use crate::arguments::{Clean, Commit};
use crate::refusal::Refusal;
use crate::{input, moment, output};

/// How many characters of a commit's name are shown.
const SHORT: usize = 12;
/// What is said if git could not be told of the commit.
const INDEX_LOCKED: &str =
    "another git has the index locked, so the document shows as staged until its next commit";

/// What `commit --json` prints.
#[derive(Debug, Serialize)]
struct CommitReport<'a> {
    document: &'a str,
    /// The commit's name; none if the last one holds the document as it is.
    commit: Option<String>,
    notices: Vec<&'static str>,
}

/// What `clean --json` prints.
#[derive(Debug, Serialize)]
struct CleanReport<'a> {
    document: &'a str,
    /// How many session commits there were, and how many there are now.
    from: usize,
    into: usize,
    /// The commit that brings them back.
    before: Option<String>,
}

pub(crate) fn commit(given: &Commit) -> Result<()> {
    let file = found(&given.file)?;
    let (name, text) = (input::shown(&given.file), input::read(&given.file)?);
    let message =
        given.message.clone().unwrap_or_else(|| subject(&file.whole, &moment::shown(moment::now())));
    let mut report = CommitReport { document: &name, commit: None, notices: Vec::new() };
    match repository(&file, &name)?.commit(&text, &message).with_context(|| undone(&name))? {
        Committed::Unchanged => {}
        Committed::Made { id, is_index_told } => {
            report.commit = Some(id);
            report.notices.extend((!is_index_told).then_some(INDEX_LOCKED));
        }
        Committed::Not(why) => {
            return Err(Refusal::new(why.to_string(), "end it, then try again").into());
        }
    }
    if given.json {
        return output::print_json(&report);
    }
    match &report.commit {
        Some(id) => output::notice(&format!("{name}: commit {}", short(id))),
        None => output::notice(&format!("{name} is in the last commit as it is")),
    }
    for notice in report.notices {
        output::notice(&format!("warning: {notice}"));
    }
    Ok(())
}

pub(crate) fn clean(given: &Clean) -> Result<()> {
    let file = found(&given.file)?;
    let name = input::shown(&given.file);
    let cleaned = repository(&file, &name)?.clean().with_context(|| undone(&name))?;
    let report = match cleaned {
        Cleaned::Nothing => CleanReport { document: &name, from: 0, into: 0, before: None },
        Cleaned::Squashed { from, into, before, .. } => {
            CleanReport { document: &name, from, into, before: Some(before) }
        }
        Cleaned::Not(why) => {
            return Err(Refusal::new(format!("{name}: {why}"), "the commits were left as they are").into());
        }
    };
    if given.json {
        return output::print_json(&report);
    }
    let CleanReport { from, into, before, .. } = report;
    match before {
        None => output::notice(&format!("{name}: there are no two session commits to join")),
        Some(before) => output::notice(&format!(
            "{name}: {from} session commits are {into} now; 'git update-ref HEAD {}' brings them back",
            short(&before)
        )),
    }
    Ok(())
}

fn repository(file: &SessionFile, name: &str) -> Result<Repository> {
    let found = Repository::of(&file.whole).with_context(|| undone(name))?;
    found.ok_or_else(|| {
        Refusal::new(format!("{name} is in no git repository"), "make one with 'git init', or work without")
            .into()
    })
}

fn undone(name: &str) -> Refusal {
    Refusal::new(format!("{name}: git could not do it"), "see the cause; nothing was committed or changed")
}

fn short(id: &str) -> &str {
    id.get(..SHORT).unwrap_or(id)
}
