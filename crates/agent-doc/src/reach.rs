//! From a command to the owner of a document: the project's daemon if there is one, else this process. Never keeps anything open
//! after the command.

use std::path::Path;

use anyhow::{Context as _, Result};
use workspace::owner::{Options, Waits};
use workspace::reach::{Reach, ReachError};
use workspace::rooms;

use crate::refusal::Refusal;

/// Who the person at the keyboard is in the history, as one who saves the file with an editor is.
pub(crate) const PERSON: &str = "user";

/// Does `work` with the documents of the project below `root`; `name` is the file in messages.
pub(crate) fn run<T>(
    name: &str,
    root: &Path,
    work: impl AsyncFnOnce(&mut Reach) -> Result<T, ReachError>,
) -> Result<T> {
    rooms::prepare();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let done = runtime.block_on(async {
        let options = Options { waits: Waits::Here, ..Options::default() };
        let mut reach = Reach::open(root, options).await?;
        let done = work(&mut reach).await;
        reach.close().await;
        done
    });
    done.with_context(|| {
        Refusal::new(
            format!("{name} cannot be written"),
            "look at the folder '.agent-doc' of the project, or run 'agent-doc doctor'",
        )
    })
}
