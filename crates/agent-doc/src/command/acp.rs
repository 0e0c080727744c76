//! `agent-doc acp`: our agent for an editor. Never writes to standard output but for the protocol.

use std::sync::Arc;

use agent::StreamController;
use anyhow::{Context as _, Result};
use join::{Hire, serve_acp};
use tokio::io::{stdin, stdout};

use crate::arguments::Acp;
use crate::refusal::Refusal;
use crate::wiring::own::Own;
use crate::{Outcome, signals};

pub(crate) fn run(given: &Acp) -> Result<Outcome> {
    // A rule that cannot be read is told now, and not in the editor.
    drop(Own::asking(given.model.as_deref(), &given.allow, None)?);
    let (model, allow) = (given.model.clone(), given.allow.clone());
    let hire: Arc<Hire> = Arc::new(move |desk| {
        let own = Own::asking(model.as_deref(), &allow, Some(desk)).map_err(|error| format!("{error:#}"))?;
        Ok(Arc::new(own))
    });
    let runtime = tokio::runtime::Runtime::new().context("no thread can be started")?;
    let outcome = runtime.block_on(async {
        let stop = StreamController::new();
        let signal = signals::listen(stop.clone());
        tokio::select! {
            served = serve_acp(hire, stdin(), stdout()) => {
                let told = served.map_err(|error| anyhow::anyhow!("{error}"));
                told.context(Refusal::new(
                    "the editor does not speak the Agent Client Protocol",
                    "this command is started by an editor; see 'agent-doc acp --help'",
                ))?;
                Ok(Outcome::Done)
            }
            () = stop.subscribe() => Ok(Outcome::Code(signal.await?)),
        }
    });
    // Standard input cannot be given up by the thread that reads it.
    runtime.shutdown_background();
    outcome
}
