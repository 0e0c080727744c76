//! `agent-doc commit` and `agent-doc clean`: git, for one document. Never takes another file along.

use anyhow::{Context as _, Result};
use workspace::git::{Cleaned, Committed, Repository, subject};
use workspace::session::file::SessionFile;

use super::found;
use crate::arguments::{Clean, Commit};
use crate::refusal::Refusal;
use crate::{input, moment, output};

/// How many characters of a commit's name are shown.
const SHORT: usize = 12;

pub(crate) fn commit(given: &Commit) -> Result<()> {
    let file = found(&given.file)?;
    let (name, text) = (input::shown(&given.file), input::read(&given.file)?);
    let message =
        given.message.clone().unwrap_or_else(|| subject(&file.whole, &moment::shown(moment::now())));
    match repository(&file, &name)?.commit(&text, &message).with_context(|| undone(&name))? {
        Committed::Unchanged => output::notice(&format!("{name} is in the last commit as it is")),
        Committed::Made { id, is_index_told } => {
            output::notice(&format!("{name}: commit {}", short(&id)));
            if !is_index_told {
                output::notice(
                    "warning: another git has the index locked, so the document shows as staged until its next commit",
                );
            }
        }
        Committed::Not(why) => {
            return Err(Refusal::new(why.to_string(), "end it, then try again").into());
        }
    }
    Ok(())
}

pub(crate) fn clean(given: &Clean) -> Result<()> {
    let file = found(&given.file)?;
    let name = input::shown(&given.file);
    match repository(&file, &name)?.clean().with_context(|| undone(&name))? {
        Cleaned::Nothing => output::notice(&format!("{name}: there are no two session commits to join")),
        Cleaned::Squashed { from, into, before, .. } => output::notice(&format!(
            "{name}: {from} session commits are {into} now; 'git update-ref HEAD {}' brings them back",
            short(&before)
        )),
        Cleaned::Not(why) => {
            return Err(Refusal::new(format!("{name}: {why}"), "the commits were left as they are").into());
        }
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
