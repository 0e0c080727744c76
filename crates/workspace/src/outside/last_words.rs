//! What a program said on its error stream, of which only the end is kept. Never a part of the answer.

use tokio::io::AsyncReadExt as _;
use tokio::process::ChildStderr;

use super::plain::plain;

/// How much of it is kept.
const KEPT_MAX: usize = 8192;
/// How much of that is shown, in lines and letters.
const LINES_MAX: usize = 4;
const SHOWN_MAX: usize = 600;

/// The error stream.
pub(super) struct LastWords {
    stream: Option<ChildStderr>,
    kept: Vec<u8>,
}

impl LastWords {
    pub(super) fn of(stream: ChildStderr) -> Self {
        Self { stream: Some(stream), kept: Vec::new() }
    }

    /// Waits until something was said, or that was all; for ever, after that. May be dropped at any time.
    pub(super) async fn hear(&mut self) {
        let Some(stream) = &mut self.stream else {
            return std::future::pending().await;
        };
        let mut buffer = [0; 4096];
        match stream.read(&mut buffer).await {
            Ok(0) | Err(_) => self.stream = None,
            Ok(length) => {
                self.kept.extend_from_slice(buffer.get(..length).unwrap_or_default());
                let old = self.kept.len().saturating_sub(KEPT_MAX);
                self.kept.drain(..old);
            }
        }
    }

    /// Whether that was all.
    pub(super) fn is_over(&self) -> bool {
        self.stream.is_none()
    }

    /// The last lines of it, in one line.
    pub(super) fn shown(&self) -> String {
        shown(&String::from_utf8_lossy(&self.kept))
    }
}

/// The last lines of a text, in one line, for a message.
pub(super) fn shown(text: &str) -> String {
    let text = plain(text);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let last = lines.get(lines.len().saturating_sub(LINES_MAX)..).unwrap_or_default().join(" | ");
    let skipped = last.chars().count().saturating_sub(SHOWN_MAX);
    last.chars().skip(skipped).collect()
}
