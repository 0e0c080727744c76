//! What stands after the name in a marker: `key=value`, `key="quoted value"` and bare flags.
//! Never changes what the person wrote: the text is kept verbatim and read on demand.

/// The attributes of a marker.
///
/// ```
/// use document::component::Attributes;
///
/// let attributes = Attributes::new(r#"patch=append title="two words" pinned"#);
/// assert_eq!(attributes.get("patch"), Some("append"));
/// assert_eq!(attributes.get("title"), Some("two words"));
/// assert_eq!(attributes.get("pinned"), Some(""));
/// assert_eq!(attributes.get("words"), None);
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Attributes(String);

impl Attributes {
    /// Attributes as they stand in a marker.
    pub fn new(text: &str) -> Self {
        Self(text.to_owned())
    }

    /// The attributes as the person wrote them.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The value of `key`; empty for a bare flag. Of two equal keys the first counts.
    pub fn get(&self, key: &str) -> Option<&str> {
        self.iter().find(|(name, _)| *name == key).map(|(_, value)| value)
    }

    /// Keys and values in order; a bare flag has an empty value.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let mut rest = self.0.as_str();
        std::iter::from_fn(move || {
            let (attribute, after) = next_attribute(rest)?;
            rest = after;
            Some(attribute)
        })
    }
}

/// One attribute and the text after it.
fn next_attribute(text: &str) -> Option<((&str, &str), &str)> {
    let text = text.trim_start();
    if text.is_empty() {
        return None;
    }
    let key_end = text.find(|c: char| c == '=' || c.is_whitespace()).unwrap_or(text.len());
    let (key, after) = text.split_at_checked(key_end)?;
    let Some(value) = after.strip_prefix('=') else {
        return Some(((key, ""), after));
    };
    for quote in ['"', '\''] {
        if let Some((quoted, after)) = value.strip_prefix(quote).and_then(|inner| inner.split_once(quote)) {
            return Some(((key, quoted), after));
        }
    }
    let end = value.find(char::is_whitespace).unwrap_or(value.len());
    let (value, after) = value.split_at_checked(end)?;
    Some(((key, value), after))
}
