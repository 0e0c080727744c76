//! From a command to the owner of a document: the project's daemon if there is one, else this process. Never keeps anything open
//! after the command.

use std::path::Path;

use anyhow::{Context as _, Result};
use workspace::owner::{Options, Waits};
use workspace::reach::{Reach, ReachError};

use crate::refusal::Refusal;

/// Who the person at the keyboard is in the history, as one who saves the file with an editor is.
pub(crate) const PERSON: &str = "user";

/// Rooms up to this length are used again.
const ROOM: usize = 8 << 20;

/// Does `work` with the documents of the project below `root`; `name` is the file in messages.
pub(crate) fn run<T>(
    name: &str,
    root: &Path,
    work: impl AsyncFnOnce(&mut Reach) -> Result<T, ReachError>,
) -> Result<T> {
    use_rooms_again();
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

/// The C library has the system make a room for each long text, and take it away when it is free, as long as none of that length has been
/// free before. To make and to clear one takes longer than most of what is done in it. This one is never touched, so it costs nothing.
fn use_rooms_again() {
    drop(std::hint::black_box(Vec::<u8>::with_capacity(ROOM)));
}
