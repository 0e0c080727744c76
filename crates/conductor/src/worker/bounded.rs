//! Limits on what a worker adds to its section: how often, how much, and nothing that the person has turned down. Never cuts a text:
//! what is too much is refused, with what to do instead.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use agent::message::ToolCall;
use agent::model::ToolSpec;
use agent::permission::{Claim, Permit};
use agent::tool::{Output, RunScope, Tool, ToolFuture};
use tokio::sync::watch;

use crate::draft::{Draft, squeezed};
use crate::paper::Paper;
use crate::record::Record;
use crate::runs::View;

/// A tool that writes in a worker's section, with limits around it.
pub(super) struct Bounded {
    tool: Arc<dyn Tool>,
    worker: String,
    paper: Paper,
    view: watch::Receiver<View>,
    appends: Arc<AtomicU32>,
}

impl Bounded {
    pub(super) fn around(
        tool: Arc<dyn Tool>,
        worker: &str,
        paper: Paper,
        view: watch::Receiver<View>,
        appends: Arc<AtomicU32>,
    ) -> Arc<dyn Tool> {
        Arc::new(Self { tool, worker: worker.to_owned(), paper, view, appends })
    }

    /// Why a call is too much.
    async fn objection(&self, call: &ToolCall) -> Option<String> {
        let record = Arc::clone(&self.view.borrow().record);
        let limits = record.limits;
        if self.appends.fetch_add(1, Ordering::Relaxed) >= limits.appends_max {
            return Some(format!(
                "you wrote {} times already, which is the limit; call Finished",
                limits.appends_max
            ));
        }
        let arguments = call.arguments().ok()?;
        let content = ["content", "new_string"].iter().find_map(|key| arguments.get(*key)?.as_str())?;
        if let Some(rejected) = rejected(&record, &self.worker, content) {
            return Some(format!("the person turned this down; do not propose it again: {rejected:?}"));
        }
        let draft = self.paper.glimpse()?;
        let length = draft.section(&self.worker).map_or(0, |text| text.len());
        (length + content.len() > limits.section_max).then(|| {
            format!(
                "your section would have more than {} bytes; keep long output in a file, and say where it is",
                limits.section_max
            )
        })
    }
}

/// A block of `content` that the person has turned down.
fn rejected(record: &Record, worker: &str, content: &str) -> Option<String> {
    let own = record.rejected.iter().filter(|settled| settled.author == worker);
    let known: Vec<String> = own.map(|settled| squeezed(&settled.text)).collect();
    let draft = Draft::new(&format!("## {worker}\n{content}\n"), 0);
    let blocks = draft.proposals(worker).into_iter();
    blocks.map(|proposal| proposal.text).find(|text| known.contains(&squeezed(text)))
}

impl Tool for Bounded {
    fn spec(&self) -> &ToolSpec {
        self.tool.spec()
    }

    fn inspect<'a>(&'a self, call: &'a ToolCall) -> ToolFuture<'a, Result<Claim, String>> {
        self.tool.inspect(call)
    }

    fn run(&self, permit: Permit, scope: RunScope) -> ToolFuture<'_, Output> {
        Box::pin(async move {
            match self.objection(permit.call()).await {
                Some(why) => Output::error(why),
                None => self.tool.run(permit, scope).await,
            }
        })
    }
}
