//! Where in a document an answer stands: as a block of the conversation, or in components. Never knows of files; the same words on
//! the same text always give the same text.

use std::borrow::Cow;

use document::component::{self, ComponentError};
use document::contain::{ContainError, Limits, append_contained};
use document::exchange::{build_response, strip_echoed_headings};
use document::frontmatter::{Format, FrontmatterError, Settings, has_key, set_key};
use document::patch::{PatchError, apply_patches, apply_patches_to, parse_answer};
use document::section::locate;
use serde::{Deserialize, Serialize};

/// How the answers of a document are laid out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Layout {
    /// `## Assistant` at the end, and `## User` for the person to go on in.
    Append,
    /// Patches in their components, and the rest in `exchange` or `output`.
    Template,
    /// Patches in their components, and the rest in the target.
    Stream {
        /// Where the words go that have no component of their own.
        target: Place,
        /// Where the thinking goes, if it is wanted; the name of a component.
        thinking: Option<String>,
    },
}

/// A named place of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Place {
    /// The component of this name.
    Component(String),
    /// The section of this title.
    Section(String),
}

/// What an agent has said so far.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Words {
    /// The answer.
    pub text: String,
    /// Its thinking.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub thinking: String,
    /// The conversation's name, to be kept in the frontmatter.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub talk: Option<String>,
}

/// A document with an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Laid {
    /// Its text.
    pub text: String,
    /// What the person may want to know.
    pub notices: Vec<String>,
}

/// Why an answer has no place in a document.
#[derive(Debug, thiserror::Error)]
pub enum LayoutError {
    /// The components do not take it.
    #[error("{}", told(.0))]
    Patch(#[from] PatchError),
    /// The component is not there.
    #[error(transparent)]
    Component(#[from] ComponentError),
    /// The section is not there.
    #[error(transparent)]
    Section(#[from] ContainError),
    /// The conversation's name cannot be kept.
    #[error(transparent)]
    Frontmatter(#[from] FrontmatterError),
    /// There is neither a component nor a section of this name.
    #[error(
        "there is neither a component nor a section '{0}'; add '<!-- agent:{0} -->' and '<!-- /agent:{0} -->', or set 'target' to one that is there"
    )]
    Absent(String),
}

fn told(error: &PatchError) -> String {
    match error {
        PatchError::Component(cause) => cause.to_string(),
        PatchError::NoTarget { .. } => error.to_string(),
    }
}

impl Layout {
    /// The layout that a document asks for in its settings.
    #[must_use]
    pub fn of(settings: &Settings) -> Layout {
        match settings.format() {
            Format::Append => Layout::Append,
            Format::Template => Layout::Template,
        }
    }

    /// The layout of an answer that streams into the document's target, or into `target` if one is given.
    ///
    /// # Errors
    ///
    /// [`LayoutError`] if there is no such place.
    pub fn streaming(
        document: &str,
        settings: &Settings,
        target: Option<&str>,
    ) -> Result<Layout, LayoutError> {
        if settings.format() == Format::Append && target.is_none() {
            return Ok(Layout::Append);
        }
        let name = target.unwrap_or(&settings.stream.target);
        let target = match component::find_component(document, name) {
            Ok(_) => Place::Component(name.to_owned()),
            Err(ComponentError::NotFound { .. }) if locate(document, name).is_ok() => {
                Place::Section(name.to_owned())
            }
            Err(ComponentError::NotFound { .. }) => return Err(LayoutError::Absent(name.to_owned())),
            Err(error) => return Err(error.into()),
        };
        let own = || match &target {
            Place::Component(name) => Some(name.clone()),
            Place::Section(_) => None,
        };
        let asked = settings.stream.thinking.then(|| settings.stream.thinking_target.clone());
        let thinking = asked.and_then(|named| named.or_else(own));
        if let Some(thinking) = &thinking {
            component::find_component(document, thinking)?;
        }
        Ok(Layout::Stream { target, thinking })
    }

    /// `baseline` with the words at their place.
    ///
    /// # Errors
    ///
    /// [`LayoutError`] if they have none.
    pub fn lay(&self, baseline: &str, words: &Words) -> Result<Laid, LayoutError> {
        let thought = self.with_thinking(baseline, &words.thinking)?;
        let mut laid = self.lay_text(&thought, &words.text)?;
        if let Some(talk) = &words.talk {
            laid.text = set_key(&laid.text, talk_key(&laid.text), talk)?;
        }
        Ok(laid)
    }

    /// The thinking stands before the answer if both have the same place.
    fn with_thinking<'b>(&self, baseline: &'b str, thinking: &str) -> Result<Cow<'b, str>, LayoutError> {
        match self {
            Layout::Stream { thinking: Some(component), target } if !thinking.trim().is_empty() => {
                let is_shared = matches!(target, Place::Component(name) if name == component);
                let shown = if is_shared { quoted(thinking) } else { thinking.to_owned() };
                Ok(component::append(baseline, component, &shown)?.into())
            }
            Layout::Append | Layout::Template | Layout::Stream { .. } => Ok(baseline.into()),
        }
    }

    fn lay_text(&self, baseline: &str, text: &str) -> Result<Laid, LayoutError> {
        if text.trim().is_empty() {
            return Ok(Laid { text: baseline.to_owned(), notices: Vec::new() });
        }
        let applied = match self {
            Layout::Append => {
                return Ok(Laid { text: build_response(baseline, &unpatched(text)), notices: Vec::new() });
            }
            Layout::Template => apply_patches(baseline, &parse_answer(strip_echoed_headings(text)))?,
            Layout::Stream { target: Place::Component(name), .. } => {
                apply_patches_to(baseline, &parse_answer(strip_echoed_headings(text)), name)?
            }
            Layout::Stream { target: Place::Section(title), .. } => {
                let text =
                    append_contained(baseline, title, &unpatched(strip_echoed_headings(text)), Limits::NONE)?;
                return Ok(Laid { text, notices: Vec::new() });
            }
        };
        let notices = applied.notices.iter().map(ToString::to_string).collect();
        Ok(Laid { text: applied.text, notices })
    }

    /// Whether the place of the answer is in `document` still, whose components have these names; none if its marks are broken.
    #[must_use]
    pub fn has_place_in(&self, document: &str, components: Option<&[String]>) -> bool {
        match self {
            Layout::Append => true,
            Layout::Template => components.is_some(),
            Layout::Stream { target: Place::Component(name), .. } => {
                components.is_some_and(|names| names.iter().filter(|one| *one == name).count() == 1)
            }
            Layout::Stream { target: Place::Section(title), .. } => locate(document, title).is_ok(),
        }
    }
}

/// The key that holds the name of the agent's conversation: documents that name a session of their own keep it apart.
#[must_use]
pub fn talk_key(document: &str) -> &'static str {
    if has_key(document, "resume") || has_key(document, "agent_doc_session") { "resume" } else { "session" }
}

/// Thinking in the middle of answers, so that it can be told from them.
fn quoted(thinking: &str) -> String {
    thinking.trim().lines().map(|line| format!("> {line}\n")).collect()
}

/// The words of an answer without the markers of patches, for a document that has no components to put them in.
fn unpatched(text: &str) -> Cow<'_, str> {
    if !text.contains("<!--") {
        return text.into();
    }
    let answer = parse_answer(text);
    if answer.patches.is_empty() {
        return text.into();
    }
    let mut parts: Vec<&str> = answer.patches.iter().map(|patch| patch.text.trim_end()).collect();
    parts.push(&answer.unmatched);
    parts.retain(|part| !part.trim().is_empty());
    parts.join("\n\n").into()
}
