//! Prompts of the past, for the keys up and down. Never forgets what was being written when the person looked back.

/// Prompts that are remembered.
const PROMPTS_MAX: usize = 500;

#[derive(Debug, Default)]
pub(super) struct History {
    prompts: Vec<String>,
    /// The one that is shown.
    at: Option<usize>,
    /// What was being written.
    draft: String,
}

impl History {
    pub(super) fn keep(&mut self, prompt: &str) {
        self.leave();
        if prompt.trim().is_empty() || self.prompts.last().is_some_and(|last| last == prompt) {
            return;
        }
        if self.prompts.len() >= PROMPTS_MAX {
            drop(self.prompts.drain(..1));
        }
        self.prompts.push(prompt.to_owned());
    }

    pub(super) fn leave(&mut self) {
        self.at = None;
        self.draft.clear();
    }

    pub(super) fn older(&mut self, draft: &str) -> Option<String> {
        let next = match self.at {
            None => {
                draft.clone_into(&mut self.draft);
                self.prompts.len()
            }
            Some(at) => at,
        };
        let at = next.checked_sub(1)?;
        self.at = Some(at);
        self.prompts.get(at).cloned()
    }

    pub(super) fn newer(&mut self) -> Option<String> {
        let at = self.at? + 1;
        if let Some(prompt) = self.prompts.get(at) {
            self.at = Some(at);
            return Some(prompt.clone());
        }
        self.at = None;
        Some(std::mem::take(&mut self.draft))
    }
}
