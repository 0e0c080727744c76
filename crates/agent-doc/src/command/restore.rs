//! `agent-doc restore`: a document as it was, made what it is. Never takes a text out of the history, and never writes over
//! what was saved since we looked.

use anyhow::Result;
use document::Author;

use crate::arguments::Restore;
use crate::past::Past;
use crate::replace::{self, Destination};
use crate::{moment, output};

/// Who changes are said to be of that were found in the file.
const SAVED: &str = "file";

pub(crate) fn run(given: &Restore) -> Result<()> {
    let past = Past::find(&given.file)?;
    let mut journal = past.journal()?;
    let wanted = past.text_at(journal.history(), given.revision)?;
    if past.text.as_ref() == Some(&wanted) {
        output::notice(&format!("{} is as it was at revision {}", past.name, given.revision));
        return Ok(());
    }
    // What stands in the file may be in no history yet, and it is about to be replaced.
    if let Some(text) = &past.text {
        journal.catch_up(text, &Author::new(SAVED), moment::now())?;
    }
    let destination = Destination::find(&given.file)?;
    replace::replace(&destination, &wanted, past.text.as_deref())?;
    let before = journal.history().latest_revision();
    journal.catch_up(&wanted, &person(), moment::now())?;
    output::notice(&format!(
        "{} is as it was at revision {}; to undo this, restore revision {before}",
        past.name, given.revision
    ));
    Ok(())
}

/// The person at the keyboard, by the name that the system knows.
fn person() -> Author {
    let name = std::env::var("USER").or_else(|_| std::env::var("USERNAME")).unwrap_or_default();
    Author::new(if name.is_empty() { "person".to_owned() } else { name })
}
