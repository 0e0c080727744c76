//! Bytes cut into lines. Never holds a line that is longer than any honest one.

/// The longest line. What a tool of an agent returned may stand in one, but not more than this.
pub(super) const LINE_MAX: usize = 16 << 20;

/// The end of a line that has not come yet.
#[derive(Debug, Default)]
pub(super) struct Lines {
    open: Vec<u8>,
}

/// A line is too long.
#[derive(Debug)]
pub(super) struct TooLong;

impl Lines {
    /// The lines that end in `bytes`. What is no UTF-8 is replaced.
    pub(super) fn take(&mut self, bytes: &[u8]) -> Result<Vec<String>, TooLong> {
        let mut whole = Vec::new();
        for piece in bytes.split_inclusive(|byte| *byte == b'\n') {
            if self.open.len() + piece.len() > LINE_MAX {
                return Err(TooLong);
            }
            self.open.extend_from_slice(piece);
            if piece.ends_with(b"\n") {
                whole.extend(self.finish());
            }
        }
        Ok(whole)
    }

    /// The last line, if nothing ended it.
    pub(super) fn finish(&mut self) -> Option<String> {
        let line = std::mem::take(&mut self.open);
        let text = String::from_utf8_lossy(&line);
        let text = text.trim();
        (!text.is_empty()).then(|| text.to_owned())
    }
}
