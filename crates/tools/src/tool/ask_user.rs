//! The tool that asks the person. Never answers for them.

use std::sync::Arc;

use agent::message::ToolCall;
use agent::model::ToolSpec;
use agent::permission::{Access, Claim, Permit};
use agent::tool::{Output, RunScope, Tool, ToolFuture, parsed, spec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::limits::{CHOICES_MAX, QUESTIONS_MAX};

/// Asks the person questions that only they can answer, and waits. Do not ask what you can find out, and do not ask for
/// permission: that happens by itself.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct AskUserInput {
    /// One to four questions.
    questions: Vec<Inquiry>,
}

/// One question.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Inquiry {
    /// The question, as one sentence.
    pub question: String,
    /// Answers to choose from, up to eight. The person can always answer something else.
    #[serde(default)]
    pub options: Vec<String>,
    /// Whether several answers can be chosen.
    #[serde(default, rename = "multiSelect")]
    pub multi_select: bool,
}

/// Whoever can put questions to the person: a terminal, a page, a document.
pub trait Asker: Send + Sync {
    /// One answer to each question, or nothing if nobody is there. Dropping the future takes the questions back.
    fn ask(&self, questions: Vec<Inquiry>) -> ToolFuture<'_, Option<Vec<String>>>;
}

/// `AskUser`.
pub struct AskUser {
    spec: ToolSpec,
    asker: Arc<dyn Asker>,
}

impl AskUser {
    /// Asks through `asker`.
    pub fn new(asker: Arc<dyn Asker>) -> Self {
        Self { spec: spec::<AskUserInput>("AskUser"), asker }
    }

    fn checked(call: &ToolCall) -> Result<Vec<Inquiry>, String> {
        let input: AskUserInput = parsed(call)?;
        if input.questions.is_empty() || input.questions.len() > QUESTIONS_MAX {
            return Err(format!("InputValidationError: `questions`: give between 1 and {QUESTIONS_MAX}"));
        }
        for (index, inquiry) in input.questions.iter().enumerate() {
            if inquiry.question.trim().is_empty() {
                return Err(format!("InputValidationError: `questions[{index}].question`: it is empty"));
            }
            if inquiry.options.len() > CHOICES_MAX {
                return Err(format!(
                    "InputValidationError: `questions[{index}].options`: more than {CHOICES_MAX}"
                ));
            }
        }
        Ok(input.questions)
    }
}

impl Tool for AskUser {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn inspect<'a>(&'a self, call: &'a ToolCall) -> ToolFuture<'a, Result<Claim, String>> {
        Box::pin(async move { Self::checked(call).map(|_| Claim::of(Access::ReadOnly)) })
    }

    fn run(&self, permit: Permit, scope: RunScope) -> ToolFuture<'_, Output> {
        Box::pin(async move {
            let questions = match Self::checked(permit.call()) {
                Ok(questions) => questions,
                Err(words) => return Output::error(words),
            };
            let asked: Vec<String> = questions.iter().map(|inquiry| inquiry.question.clone()).collect();
            tokio::select! {
                answers = self.asker.ask(questions) => match answers {
                    Some(answers) => {
                        let pairs = asked.iter().zip(answers);
                        Output::success(pairs.map(|(question, answer)| format!("{question}\n{answer}\n")).collect::<String>())
                    }
                    None => Output::error("nobody is there to answer; go on with what is most likely meant, and say so"),
                },
                () = scope.controller.subscribe() => Output::error("[Interrupted by user]"),
            }
        })
    }
}
