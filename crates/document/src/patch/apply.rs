//! Puts the patches of an answer into the components of a document.
//! Never drops a text: a second patch for the same component is added to the first.

use std::collections::BTreeSet;

use super::{Answer, Notice, Patch};
use crate::component::{ComponentError, Draft, Mode, find_index};

/// The components that take what has no component of its own, in order of preference.
const CATCH_ALL: [&str; 2] = ["exchange", "output"];

/// A document after an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Applied {
    /// The document's new text.
    pub text: String,
    /// What the person may want to know.
    pub notices: Vec<Notice>,
}

/// Why an answer cannot be put into a document. The document is unchanged and the caller still has the answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatchError {
    /// The document's components cannot be read or changed.
    #[error("the answer does not fit into the document's components")]
    Component(#[from] ComponentError),
    /// There is text without a component, and no component that takes such text.
    #[error(
        "the answer has text for {}, and the document has no component `exchange` or `output` to take it; \
         add `<!-- agent:exchange -->` and `<!-- /agent:exchange -->`",
        name.as_ref().map_or_else(|| "no component".to_owned(), |name| format!("`{name}`"))
    )]
    NoTarget {
        /// The component that a patch is meant for; none for text outside of patches.
        name: Option<String>,
    },
}

/// `document` with each patch of `answer` in its component, and the rest in `exchange` or `output`.
///
/// ```
/// use document::patch::{apply_patches, parse_answer};
///
/// let document = "<!-- agent:exchange -->\nHow is it?\n<!-- /agent:exchange -->\n";
/// let applied = apply_patches(document, &parse_answer("Fine."))?;
/// assert_eq!(applied.text, "<!-- agent:exchange -->\nHow is it?\n\nFine.\n<!-- /agent:exchange -->\n");
/// # Ok::<(), document::patch::PatchError>(())
/// ```
///
/// # Errors
///
/// If the document's markers do not pair up, or nothing in it takes a part of the answer.
pub fn apply_patches(document: &str, answer: &Answer) -> Result<Applied, PatchError> {
    apply(document, answer, None)
}

/// As [`apply_patches`], but what has no component of its own goes to the component `target`.
///
/// # Errors
///
/// If the document's markers do not pair up, or there is not exactly one component `target` where one is needed.
pub fn apply_patches_to(document: &str, answer: &Answer, target: &str) -> Result<Applied, PatchError> {
    apply(document, answer, Some(target))
}

fn apply(document: &str, answer: &Answer, target: Option<&str>) -> Result<Applied, PatchError> {
    let mut application = Application {
        draft: Draft::new(document)?,
        target,
        written: BTreeSet::new(),
        notices: answer.notices.clone(),
    };
    for patch in &answer.patches {
        application.add_patch(patch)?;
    }
    application.add_unmatched(&answer.unmatched)?;
    Ok(Applied { text: application.draft.into_text(), notices: application.notices })
}

struct Application<'a> {
    draft: Draft<'a>,
    /// The component for text that has none.
    target: Option<&'a str>,
    /// Components that took a part of this answer; what follows is added to it.
    written: BTreeSet<usize>,
    notices: Vec<Notice>,
}

impl Application<'_> {
    fn add_patch(&mut self, patch: &Patch) -> Result<(), PatchError> {
        let is_blank = patch.text.trim().is_empty();
        if is_blank && !patch.is_closed {
            return Ok(());
        }
        let own = find_index(self.draft.text(), self.draft.components(), &patch.name);
        let index = match own {
            Ok(index) => index,
            Err(_) if is_blank => return Ok(()),
            Err(_) => {
                let target = self.catch_all(Some(&patch.name))?;
                let target_name = self.name_of(target);
                self.notices.push(Notice::Rerouted { name: patch.name.clone(), target: target_name });
                target
            }
        };
        let own_mode = self.mode_of(index);
        self.put(index, patch.mode_for(own_mode), &patch.text)
    }

    fn add_unmatched(&mut self, text: &str) -> Result<(), PatchError> {
        if text.trim().is_empty() {
            return Ok(());
        }
        let index = self.catch_all(None)?;
        self.put(index, self.mode_of(index), text)
    }

    fn put(&mut self, index: usize, mode: Mode, text: &str) -> Result<(), PatchError> {
        let first = self.written.insert(index);
        let mode = match mode {
            Mode::Replace if !first => Mode::Append,
            Mode::Replace if self.draft.inner_of(index).is_some() => {
                let name = self.name_of(index);
                self.notices.push(Notice::Appended { name });
                Mode::Append
            }
            Mode::Replace | Mode::Append | Mode::Prepend => mode,
        };
        Ok(self.draft.edit(index, mode, text)?)
    }

    /// The component for text that has none. If `exchange` stands there twice, that is said, not guessed around.
    fn catch_all(&self, name: Option<&str>) -> Result<usize, PatchError> {
        if let Some(target) = self.target {
            return Ok(find_index(self.draft.text(), self.draft.components(), target)?);
        }
        for candidate in CATCH_ALL {
            match find_index(self.draft.text(), self.draft.components(), candidate) {
                Ok(index) => return Ok(index),
                Err(ComponentError::NotFound { .. }) => {}
                Err(error) => return Err(error.into()),
            }
        }
        Err(PatchError::NoTarget { name: name.map(str::to_owned) })
    }

    fn mode_of(&self, index: usize) -> Mode {
        self.draft.components().get(index).map_or(Mode::Append, |component| component.mode())
    }

    fn name_of(&self, index: usize) -> String {
        self.draft.components().get(index).map_or_else(String::new, |component| component.name.clone())
    }
}
