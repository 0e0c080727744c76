//! A whole text that the owner of a document, the disk, and all who read hold together, without a copy each. Never changes: who wants
//! another text makes one.

use std::fmt;
use std::ops::Deref;
use std::sync::{Arc, OnceLock};

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::checksum::LongSum;

/// A text in one copy. Cloning it copies nothing, and its sum is counted once.
#[derive(Clone, Default)]
pub struct SharedText(Arc<Whole>);

#[derive(Default)]
struct Whole {
    text: Arc<String>,
    sum: OnceLock<LongSum>,
}

impl SharedText {
    /// Whether both are the same copy, so that they need not be compared.
    #[must_use]
    pub fn is(&self, other: &SharedText) -> bool {
        self.is_held_as(other.held())
    }

    /// Whether a document holds this very copy.
    pub(crate) fn is_held_as(&self, text: &Arc<String>) -> bool {
        Arc::ptr_eq(&self.0.text, text)
    }

    /// The text as a document or a journal holds it.
    pub(crate) fn held(&self) -> &Arc<String> {
        &self.0.text
    }

    /// The sum of the text, as [`long_sum64`](crate::checksum::long_sum64) and the fingerprints of pending responses have it.
    pub(crate) fn sum(&self) -> &LongSum {
        self.0.sum.get_or_init(|| {
            let mut sum = LongSum::default();
            sum.add(self.0.text.as_bytes());
            sum
        })
    }
}

impl Deref for SharedText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0.text
    }
}

impl AsRef<str> for SharedText {
    fn as_ref(&self) -> &str {
        self
    }
}

impl From<String> for SharedText {
    fn from(text: String) -> SharedText {
        Arc::new(text).into()
    }
}

impl From<Arc<String>> for SharedText {
    fn from(text: Arc<String>) -> SharedText {
        SharedText(Arc::new(Whole { text, sum: OnceLock::new() }))
    }
}

impl From<&str> for SharedText {
    fn from(text: &str) -> SharedText {
        text.to_owned().into()
    }
}

impl PartialEq for SharedText {
    fn eq(&self, other: &SharedText) -> bool {
        self.is(other) || **self == **other
    }
}

impl Eq for SharedText {}

impl PartialEq<str> for SharedText {
    fn eq(&self, other: &str) -> bool {
        **self == *other
    }
}

impl PartialEq<&str> for SharedText {
    fn eq(&self, other: &&str) -> bool {
        **self == **other
    }
}

impl PartialEq<String> for SharedText {
    fn eq(&self, other: &String) -> bool {
        **self == **other
    }
}

impl fmt::Debug for SharedText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&**self, formatter)
    }
}

impl fmt::Display for SharedText {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&**self, formatter)
    }
}

impl Serialize for SharedText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<'de> Deserialize<'de> for SharedText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<SharedText, D::Error> {
        String::deserialize(deserializer).map(SharedText::from)
    }
}

#[cfg(test)]
mod tests {
    use super::SharedText;
    use crate::checksum::{long_hex128, long_sum64};

    #[test]
    fn a_clone_is_the_same_copy_and_an_equal_text_is_not() {
        let text = SharedText::from("one\n");
        assert!(text.clone().is(&text));
        assert!(!SharedText::from("one\n").is(&text));
        assert_eq!(SharedText::from("one\n"), text);
        assert_ne!(SharedText::from("two\n"), text);
    }

    #[test]
    fn its_sum_is_the_one_that_files_are_named_by() {
        let text = SharedText::from("A text that is longer than one block of its sum, é 🦀.\n".repeat(3));
        assert_eq!(text.sum().value(), long_sum64(text.as_bytes()));
        assert_eq!(text.sum().hex128(), long_hex128(text.as_bytes()));
    }

    #[test]
    fn on_the_wire_it_is_a_plain_text() {
        let wire = serde_json::to_string(&SharedText::from("a \"word\"\n")).unwrap();
        assert_eq!(wire, r#""a \"word\"\n""#);
        assert_eq!(serde_json::from_str::<SharedText>(&wire).unwrap(), "a \"word\"\n");
    }
}
