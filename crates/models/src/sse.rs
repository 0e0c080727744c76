//! Cuts a stream of bytes into server-sent events, by the rules of the HTML standard. Never waits, never reads a socket, and
//! never holds more than one event of the largest allowed size.
//!
//! It departs from the standard in one place: the standard drops an event that the stream ends in, and [`Frames::finish`]
//! hands it out. Some servers forget the last blank line. That is safe here, because what providers send is a JSON object,
//! and no beginning of an object is an object.

use memchr::{memchr, memchr2};

/// The largest event that we read, in bytes. The largest honest ones hold a whole answer, and stay far below.
pub const EVENT_BYTES_MAX: usize = 8 * 1024 * 1024;

/// One event.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frame {
    /// The name of the event; empty if the server gave none.
    pub event: String,
    /// Its lines of data, joined by line breaks.
    pub data: String,
}

/// An event is larger than we read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an event of the stream is larger than {} MiB, which is the limit", self.limit >> 20)]
pub struct TooLarge {
    /// The limit, in bytes.
    pub limit: usize,
}

/// The bytes of one stream on their way to events.
#[derive(Debug, Default)]
pub struct Frames {
    /// The beginning of a line whose end has not come.
    line: Vec<u8>,
    event: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    /// The last byte was a CR that ended a line; an LF right after it belongs to it.
    after_return: bool,
    /// The first line has been read, so a byte order mark is text from here on.
    begun: bool,
}

impl Frames {
    /// Takes the next bytes, cut anywhere, and adds the events that are whole now to `frames`.
    pub fn feed(&mut self, mut bytes: &[u8], frames: &mut Vec<Frame>) -> Result<(), TooLarge> {
        while !bytes.is_empty() {
            if std::mem::take(&mut self.after_return)
                && let Some(rest) = bytes.strip_prefix(b"\n")
            {
                bytes = rest;
                continue;
            }
            // Only new bytes are searched: an event in a million pieces is still read once.
            let Some(end) = memchr2(b'\n', b'\r', bytes) else {
                return self.keep(bytes);
            };
            let (head, tail) = bytes.split_at(end);
            self.keep(head)?;
            self.after_return = tail.first() == Some(&b'\r');
            bytes = tail.get(1..).unwrap_or_default();
            self.end_line(frames);
        }
        Ok(())
    }

    /// The stream has ended: gives the event that it ended in, if there is one.
    pub fn finish(&mut self) -> Option<Frame> {
        let mut frames = Vec::new();
        if !self.line.is_empty() {
            self.end_line(&mut frames);
        }
        self.dispatch(&mut frames);
        frames.pop()
    }

    fn keep(&mut self, bytes: &[u8]) -> Result<(), TooLarge> {
        let held = self.line.len() + self.event.len() + self.data.len();
        if bytes.len() > EVENT_BYTES_MAX.saturating_sub(held) {
            return Err(TooLarge { limit: EVENT_BYTES_MAX });
        }
        self.line.extend_from_slice(bytes);
        Ok(())
    }

    fn end_line(&mut self, frames: &mut Vec<Frame>) {
        let mut line = std::mem::take(&mut self.line);
        self.read_line(&line, frames);
        // The room is used again, so that short lines cost no allocation.
        line.clear();
        self.line = line;
    }

    fn read_line(&mut self, line: &[u8], frames: &mut Vec<Frame>) {
        let mut line = line;
        if !std::mem::replace(&mut self.begun, true) {
            line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
        }
        if line.is_empty() {
            return self.dispatch(frames);
        }
        let (name, value) = match memchr(b':', line) {
            Some(colon) => {
                let (name, rest) = line.split_at(colon);
                let value = rest.get(1..).unwrap_or_default();
                (name, value.strip_prefix(b" ").unwrap_or(value))
            }
            None => (line, &b""[..]),
        };
        match name {
            b"data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.data.push(b'\n');
                }
                self.data.extend_from_slice(value);
            }
            b"event" => value.clone_into(&mut self.event),
            // Comments have an empty name; `id` and `retry` are for connections that are made again, and ours never is.
            _ => {}
        }
    }

    fn dispatch(&mut self, frames: &mut Vec<Frame>) {
        let event = text(std::mem::take(&mut self.event));
        let data = text(std::mem::take(&mut self.data));
        if std::mem::take(&mut self.has_data) {
            frames.push(Frame { event, data });
        }
    }
}

/// Whole lines are decoded, so a character that was cut between two pieces is whole again.
fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

#[cfg(test)]
mod tests;
