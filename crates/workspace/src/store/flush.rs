//! Bringing a document and its file together: read, take in, write, and again if somebody saved meanwhile.
//! Never gives up a save: one that raced the last round is taken in before the error is told.

use document::{Author, Document};

use crate::SharedText;
use crate::keeper::{Displaced, Keeper, KeeperError};

/// How often a save may race us in one flush. An editor that saves without pause is served, but not for ever.
const ROUNDS_MAX: usize = 20;

/// What a flush did.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Flushed {
    /// Saves that were taken in.
    pub absorbed: usize,
    /// Times that the file was written.
    pub written: usize,
}

/// Takes in what people saved, and writes what is new. `in_file` is what the file was last known to hold, and is kept true.
///
/// # Errors
///
/// [`KeeperError::Busy`] if saves raced every round; the text is in the document all the same. The keeper's own errors otherwise.
pub fn flush(
    document: &mut Document,
    in_file: &mut SharedText,
    keeper: &mut dyn Keeper,
    person: &Author,
) -> Result<Flushed, KeeperError> {
    let mut flushed = Flushed::default();
    for _ in 0..ROUNDS_MAX {
        take_in(document, in_file, keeper, person, &mut flushed)?;
        if **in_file == *document.text() {
            document.publish();
            return Ok(flushed);
        }
        let text = SharedText::from(document.text());
        let displaced = keeper.write(in_file, &text);
        // Even if it failed, the text may stand in the file, and an editor may have loaded it.
        document.publish();
        let displaced = displaced?;
        flushed.written += 1;
        *in_file = text;
        match displaced {
            Displaced::AsExpected => return Ok(flushed),
            Displaced::Save(save) => {
                document.absorb_displaced(&save, person);
                flushed.absorbed += 1;
            }
        }
    }
    Err(KeeperError::Busy)
}

/// Everything that can be read now. Only the last text read is in the file; one before it was displaced.
fn take_in(
    document: &mut Document,
    in_file: &mut SharedText,
    keeper: &mut dyn Keeper,
    person: &Author,
    flushed: &mut Flushed,
) -> Result<(), KeeperError> {
    let mut last: Option<SharedText> = None;
    let mut result = Ok(());
    for _ in 0..ROUNDS_MAX {
        let read = keeper.read().unwrap_or_else(|error| {
            result = Err(error);
            None
        });
        let Some(saved) = read else { break };
        flushed.absorbed += 1;
        if let Some(earlier) = last.replace(saved) {
            document.absorb_displaced(&earlier, person);
        }
    }
    if let Some(saved) = last {
        document.absorb(&saved, person);
        *in_file = saved;
    }
    result
}
