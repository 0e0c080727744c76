//! The tools that a model can call, one file each. Never runs one without a permit.

mod bash;
mod bash_output;
mod kill_bash;

mod read;
mod write;
mod edit;
mod multi_edit;

mod glob;
mod grep;
mod list;

mod todo;
mod ask_user;

mod web_fetch;
mod web_search;

use std::sync::Arc;

use agent::tool::{Output, Tool, ToolFuture};

pub use ask_user::{AskUser, Asker, Inquiry};
pub use bash::Bash;
pub use bash_output::BashOutput;
pub use edit::Edit;
pub use glob::Glob;
pub use grep::Grep;
pub use kill_bash::KillBash;
pub use list::List;
pub use multi_edit::MultiEdit;
pub use read::Read;
pub(crate) use read::image_type;
pub use todo::{Task, TaskStatus, Tasks, Todo};
pub use web_fetch::WebFetch;
pub use web_search::WebSearch;
pub use write::Write;

use crate::files::Files;
use crate::gate::Gate;
use crate::search::Veil;
use crate::shell::Shell;
use crate::web::{Provider, Web};

/// What the tools of a session need.
pub struct Outfit {
    /// For commands.
    pub shell: Shell,
    /// Takes commands apart, so that rules can be about their parts.
    pub gate: Arc<Gate>,
    /// For files.
    pub files: Files,
    /// Files that searches pass over.
    pub veil: Veil,
    /// The list of tasks.
    pub tasks: Tasks,
    /// Whoever puts questions to the person, if somebody is there.
    pub asker: Option<Arc<dyn Asker>>,
    /// The way to pages of the web.
    pub web: Web,
    /// Who searches the web, if the person chose somebody.
    pub provider: Option<Provider>,
}

impl Outfit {
    /// All tools, in the order in which the model sees them.
    pub fn tools(self) -> Vec<Arc<dyn Tool>> {
        let Self { shell, gate, files, veil, tasks, asker, web, provider } = self;
        let mut tools: Vec<Arc<dyn Tool>> = vec![
            Arc::new(Bash::new(shell.clone(), gate)),
            Arc::new(BashOutput::new(shell.clone())),
            Arc::new(KillBash::new(shell)),
            Arc::new(Read::new(files.clone())),
            Arc::new(Write::new(files.clone())),
            Arc::new(Edit::new(files.clone())),
            Arc::new(MultiEdit::new(files.clone())),
            Arc::new(Glob::new(files.clone(), veil.clone())),
            Arc::new(Grep::new(files.clone(), veil)),
            Arc::new(List::new(files)),
            Arc::new(Todo::new(tasks)),
            Arc::new(WebFetch::new(web)),
        ];
        if let Some(provider) = provider {
            tools.push(Arc::new(WebSearch::new(provider)));
        }
        if let Some(asker) = asker {
            tools.push(Arc::new(AskUser::new(asker)));
        }
        tools
    }
}

/// Work that waits for the disk, away from the threads that must not wait. A bug in it ends the call, not the session.
pub(crate) fn blocking(work: impl FnOnce() -> Output + Send + 'static) -> ToolFuture<'static, Output> {
    Box::pin(async move {
        let outcome = tokio::task::spawn_blocking(work).await;
        outcome.unwrap_or_else(|error| Output::error(format!("internal error: {error}; please report it")))
    })
}
