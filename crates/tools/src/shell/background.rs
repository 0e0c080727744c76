//! Commands that run on while the model does something else. Never more than a limit, and none outlives the session.

use std::collections::BTreeMap;

use crate::limits::BACKGROUND_MAX;
use crate::output::View;
use crate::process::Running;

use super::{Finished, add_line, told};

/// A command in the background, for a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its name.
    pub name: String,
    /// Its text.
    pub command: String,
    /// Whether it still runs.
    pub is_running: bool,
}

#[derive(Default)]
pub(super) struct Background {
    tasks: BTreeMap<String, Task>,
    begun: usize,
}

pub(super) struct Task {
    command: String,
    pub(super) running: Running,
    mark: u64,
}

impl Task {
    /// What it said since the last look.
    pub(super) fn rest(&mut self) -> View {
        let mut capture = self.running.capture();
        let view = capture.view_since(self.mark);
        self.mark = capture.mark();
        view
    }
}

impl Background {
    pub(super) fn listed(&self) -> Vec<Listed> {
        let listed = |(name, task): (&String, &Task)| Listed {
            name: name.clone(),
            command: task.command.clone(),
            is_running: task.running.ended().is_none(),
        };
        self.tasks.iter().map(listed).collect()
    }

    /// Commands that have ended make room.
    pub(super) fn check_room(&mut self) -> Result<(), String> {
        if self.tasks.len() >= BACKGROUND_MAX {
            self.tasks.retain(|_, task| task.running.ended().is_none());
        }
        if self.tasks.len() < BACKGROUND_MAX {
            return Ok(());
        }
        Err(format!(
            "{BACKGROUND_MAX} commands run in the background already; end one of them with KillBash first"
        ))
    }

    pub(super) fn add(&mut self, command: &str, running: Running) -> String {
        self.begun += 1;
        let name = format!("bash_{}", self.begun);
        self.tasks.insert(name.clone(), Task { command: command.to_owned(), running, mark: 0 });
        name
    }

    pub(super) fn output(&mut self, name: &str) -> Result<Finished, String> {
        let known = self.known();
        let task = self.tasks.get_mut(name).ok_or_else(|| unknown(name, &known))?;
        // Asked before the output is read: what is said in between belongs to the next look.
        let ended = task.running.ended();
        let mut text = task.rest().text;
        add_line(
            &mut text,
            &ended.map_or_else(|| "[still running]".to_owned(), |ended| format!("[ended: {}]", told(ended))),
        );
        Ok(Finished { text, is_error: false })
    }

    pub(super) fn remove(&mut self, name: &str) -> Result<Task, String> {
        let known = self.known();
        self.tasks.remove(name).ok_or_else(|| unknown(name, &known))
    }

    fn known(&self) -> String {
        let names: Vec<&str> = self.tasks.keys().map(String::as_str).collect();
        if names.is_empty() { "none".to_owned() } else { names.join(", ") }
    }
}

fn unknown(name: &str, known: &str) -> String {
    format!("there is no command {name:?} in the background; there are: {known}")
}
