//! Bytes of a provider's stream in, events out. Never waits and never reads a socket, so that a live stream, a recording and
//! a test go the same way.

use agent::model::{ModelError, ModelEvent};

use crate::failure::broken;
use crate::protocol::Protocol;
use crate::sse::{Frame, Frames};

/// The most bytes of one answer. No honest answer comes near, and a server that never stops must not fill the memory.
const ANSWER_BYTES_MAX: u64 = 256 * 1024 * 1024;

/// Whether more can come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// The answer goes on.
    More,
    /// All of the answer is here, but its provider may add something: the answer may also end now.
    Whole,
    /// The answer is over. What follows is not read.
    Over,
}

/// Reads the events of one wire format. The events of an answer do not depend on how its bytes were cut.
pub(crate) trait Decode: Send {
    /// Takes one event of the wire.
    fn frame(&mut self, frame: &Frame, events: &mut Vec<ModelEvent>) -> Result<Progress, ModelError>;

    /// The stream has ended without saying that the answer is over.
    fn end(&mut self, events: &mut Vec<ModelEvent>) -> Result<(), ModelError>;
}

/// One answer while it arrives.
pub struct Answer {
    frames: Frames,
    decoder: Box<dyn Decode>,
    progress: Progress,
    bytes: u64,
}

impl Answer {
    /// An answer in `protocol`. `place` is the number of messages before it; it names calls that their provider left
    /// without a name.
    pub fn new(protocol: Protocol, place: usize) -> Self {
        let decoder = protocol.decoder(place);
        Self { frames: Frames::default(), decoder, progress: Progress::More, bytes: 0 }
    }

    /// Takes the next bytes, cut anywhere. What was understood before an error is in `events`.
    pub fn feed(&mut self, bytes: &[u8], events: &mut Vec<ModelEvent>) -> Result<Progress, ModelError> {
        if self.progress == Progress::Over {
            return Ok(Progress::Over);
        }
        self.bytes = self.bytes.saturating_add(bytes.len() as u64);
        if self.bytes > ANSWER_BYTES_MAX {
            return Err(broken(format!("the answer is larger than {} MiB", ANSWER_BYTES_MAX >> 20)));
        }
        let mut frames = Vec::new();
        let fed = self.frames.feed(bytes, &mut frames);
        for frame in &frames {
            if self.progress != Progress::Over {
                self.progress = self.decoder.frame(frame, events)?;
            }
        }
        match fed {
            Err(too_large) if self.progress != Progress::Over => Err(ModelError::Broken(Box::new(too_large))),
            Ok(()) | Err(_) => Ok(self.progress),
        }
    }

    /// The stream has ended. An answer that is not whole is an error.
    pub fn finish(&mut self, events: &mut Vec<ModelEvent>) -> Result<(), ModelError> {
        if self.progress == Progress::Over {
            return Ok(());
        }
        // A last event without its blank line counts if it is whole. A part of one never is: it is no JSON.
        if let Some(frame) = self.frames.finish()
            && is_whole(&frame.data)
        {
            self.progress = self.decoder.frame(&frame, events)?;
        }
        match std::mem::replace(&mut self.progress, Progress::Over) {
            Progress::Over => Ok(()),
            Progress::More | Progress::Whole => self.decoder.end(events),
        }
    }

    /// Whether more can come.
    pub fn progress(&self) -> Progress {
        self.progress
    }
}

fn is_whole(data: &str) -> bool {
    data == "[DONE]" || serde_json::from_str::<serde::de::IgnoredAny>(data).is_ok()
}
