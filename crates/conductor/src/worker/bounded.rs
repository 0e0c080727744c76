//! The limits of a run around a tool with which a worker writes in its section. Never weighs anything itself: what is too much is said
//! in one place for workers and guests alike.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use agent::message::ToolCall;
use agent::model::ToolSpec;
use agent::permission::{Claim, Permit};
use agent::tool::{Output, RunScope, Tool, ToolFuture};
use tokio::sync::watch;

use crate::bounds::objection;
use crate::draft::Draft;
use crate::paper::Paper;
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
        let written = self.appends.fetch_add(1, Ordering::Relaxed);
        let arguments = call.arguments().unwrap_or_default();
        let content = ["content", "new_string"].iter().find_map(|key| arguments.get(*key)?.as_str());
        let draft = self.paper.glimpse().unwrap_or_else(|| Draft::new("", 0));
        objection(&record, &draft, &self.worker, written, content.unwrap_or_default())
    }
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
