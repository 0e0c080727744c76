//! The secret that a page has to know. Never compared in a time that tells how much of it was right.

use std::fmt;

/// Bytes of a new secret.
const BYTES: usize = 16;

/// A secret, as it stands in the link.
#[derive(Clone, PartialEq, Eq)]
pub struct Token(String);

impl Token {
    /// A new one, from the system's randomness.
    ///
    /// # Errors
    ///
    /// If the system has none.
    pub fn random() -> std::io::Result<Token> {
        let mut bytes = [0; BYTES];
        getrandom::fill(&mut bytes).map_err(std::io::Error::other)?;
        Ok(Token(bytes.iter().map(|byte| format!("{byte:02x}")).collect()))
    }

    /// One that was made before. None if it is not of our form.
    #[must_use]
    pub fn known(text: &str) -> Option<Token> {
        let is_ours = text.len() == 2 * BYTES && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        is_ours.then(|| Token(text.to_owned()))
    }

    /// The secret itself.
    #[must_use]
    pub fn secret(&self) -> &str {
        &self.0
    }

    /// Whether a caller knows the secret.
    pub(crate) fn is(&self, given: &str) -> bool {
        let difference = self.0.bytes().zip(given.bytes()).fold(0, |sum, (one, two)| sum | (one ^ two));
        given.len() == self.0.len() && difference == 0
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Token(…)")
    }
}
