//! The tool that keeps the model's list of tasks, for the person to see. Never acts on it.

use std::sync::{Arc, Mutex};

use agent::message::ToolCall;
use agent::model::ToolSpec;
use agent::permission::{Access, Claim, Permit};
use agent::tool::{Output, RunScope, Tool, ToolFuture, parsed, spec};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::limits::TASKS_MAX;
use crate::process::locked;

/// Replaces your list of tasks, which the person sees. Keep one for work of several steps: one task in progress at a time, and mark
/// each as completed as soon as it is.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TodoInput {
    /// The whole list, in order.
    todos: Vec<Task>,
}

/// One thing to do.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Task {
    /// What is to be done.
    pub content: String,
    /// How far it is.
    pub status: TaskStatus,
}

/// How far a task is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TaskStatus {
    /// Not begun.
    Pending,
    /// Being done.
    InProgress,
    /// Done.
    Completed,
}

/// The list of one session, for front ends.
pub type Tasks = Arc<Mutex<Vec<Task>>>;

/// `Todo`.
pub struct Todo {
    spec: ToolSpec,
    tasks: Tasks,
}

impl Todo {
    /// Keeps its list in `tasks`.
    pub fn new(tasks: Tasks) -> Self {
        Self { spec: spec::<TodoInput>("Todo"), tasks }
    }

    fn checked(call: &ToolCall) -> Result<TodoInput, String> {
        let input: TodoInput = parsed(call)?;
        if input.todos.len() > TASKS_MAX {
            return Err(format!(
                "InputValidationError: `todos`: more than {TASKS_MAX} tasks; put some together"
            ));
        }
        let empty = input.todos.iter().position(|task| task.content.trim().is_empty());
        match empty {
            Some(index) => Err(format!("InputValidationError: `todos[{index}].content`: it is empty")),
            None => Ok(input),
        }
    }
}

impl Tool for Todo {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn inspect<'a>(&'a self, call: &'a ToolCall) -> ToolFuture<'a, Result<Claim, String>> {
        Box::pin(async move { Self::checked(call).map(|_| Claim::of(Access::ReadOnly)) })
    }

    fn run(&self, permit: Permit, _scope: RunScope) -> ToolFuture<'_, Output> {
        Box::pin(async move {
            let input = match Self::checked(permit.call()) {
                Ok(input) => input,
                Err(words) => return Output::error(words),
            };
            let open = input.todos.iter().filter(|task| task.status != TaskStatus::Completed).count();
            let all = input.todos.len();
            *locked(&self.tasks) = input.todos;
            Output::success(format!("the list is kept: {open} of {all} tasks are open"))
        })
    }
}
