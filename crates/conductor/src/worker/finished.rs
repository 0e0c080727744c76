//! The tool with which a worker says that it is done. Never believes one that has added nothing.

use std::sync::{Arc, Mutex, PoisonError};

use agent::message::ToolCall;
use agent::model::ToolSpec;
use agent::permission::{Access, Claim, Permit};
use agent::tool::{Output, RunScope, Tool, ToolFuture, parsed, spec};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::core::Outcome;
use crate::draft::Draft;
use crate::paper::Paper;

/// The tool's name.
pub(crate) const NAME: &str = "Finished";
/// Characters of a summary or a question.
const WORDS_MAX: usize = 1000;

/// Says that your assignment is done. It is accepted only if you added something to your section since the assignment began. If you
/// cannot go on without a word of the person, give a question instead.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct FinishedInput {
    /// What you found, in one sentence.
    summary: String,
    /// What only the person can answer, if you cannot go on without it.
    #[serde(default)]
    question: Option<String>,
}

/// `Finished`.
pub(super) struct Finished {
    spec: ToolSpec,
    worker: String,
    /// What the section was when the assignment began.
    before: String,
    paper: Paper,
    said: Arc<Mutex<Option<Outcome>>>,
}

impl Finished {
    pub(super) fn new(worker: &str, before: &str, paper: Paper) -> Self {
        let spec = spec::<FinishedInput>(NAME);
        Self { spec, worker: worker.to_owned(), before: before.to_owned(), paper, said: Arc::default() }
    }

    /// Where an end that was accepted is found.
    pub(super) fn said(&self) -> Arc<Mutex<Option<Outcome>>> {
        Arc::clone(&self.said)
    }

    async fn finish(&self, permit: &Permit) -> Result<Output, Output> {
        let input: FinishedInput = parsed(permit.call()).map_err(Output::error)?;
        let cut = |words: &str| words.trim().chars().take(WORDS_MAX).collect::<String>();
        let question = input.question.as_deref().map(cut).filter(|question| !question.is_empty());
        let draft = self
            .paper
            .read()
            .await
            .map_err(|error| Output::error(format!("the document cannot be read: {error}")))?;
        let outcome = match question {
            Some(question) => Outcome::Asked(question),
            None if is_reported(&draft, &self.worker, &self.before) => Outcome::Done(cut(&input.summary)),
            None => {
                let message = format!(
                    "not accepted: nothing was added to the section {:?} since this assignment began; add what you found with \
                     AppendSection, or give a question if you cannot",
                    self.worker
                );
                return Err(Output::error(message));
            }
        };
        *self.said.lock().unwrap_or_else(PoisonError::into_inner) = Some(outcome);
        Ok(Output::success("Accepted. End your turn now."))
    }
}

/// Whether a worker's section says something that it did not say before.
pub(super) fn is_reported(draft: &Draft, worker: &str, before: &str) -> bool {
    let says = draft.section(worker).is_ok_and(|text| !text.is_empty());
    says && draft.sum_of(worker) != before
}

impl Tool for Finished {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn inspect<'a>(&'a self, call: &'a ToolCall) -> ToolFuture<'a, Result<Claim, String>> {
        Box::pin(async move {
            parsed::<FinishedInput>(call)?;
            // Not a call that only reads: those run side by side with what they should come after.
            Ok(Claim::of(Access::Edit))
        })
    }

    fn run(&self, permit: Permit, _: RunScope) -> ToolFuture<'_, Output> {
        Box::pin(async move { self.finish(&permit).await.unwrap_or_else(|told| told) })
    }
}
