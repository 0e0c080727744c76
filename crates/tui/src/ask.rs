//! A question as a person sees it. Never decides what may be answered: the choices come with it.

use crate::change::Change;

/// Something that a person must decide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// Its name.
    pub id: u64,
    /// Who asks.
    pub agent: String,
    /// What for, in a few words.
    pub heading: String,
    /// Exactly what would be done.
    pub body: String,
    /// What would change, if it is an edit.
    pub change: Option<Change>,
    /// Why it is asked.
    pub why: String,
    /// What can be answered.
    pub choices: Vec<Choice>,
}

/// One possible answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The key for it, the same for the same meaning in every question.
    pub number: u8,
    /// What it says.
    pub label: String,
    /// What it does beyond this one time, such as the rule it saves and where.
    pub note: String,
    /// Whether words go with it.
    pub takes_words: bool,
    /// Whether it means "do not, and wait for me". It is what the person chooses by choosing nothing.
    pub is_refusal: bool,
}

impl Question {
    /// The choice that stands for "do not, and wait for me". Where none does, nothing is chosen: no other one may be taken for it.
    pub fn refusing(&self) -> Option<usize> {
        self.choices.iter().position(|choice| choice.is_refusal)
    }
}
