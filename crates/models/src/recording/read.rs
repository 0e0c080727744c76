//! Reads recordings: our own, those of the widespread form `interactions[].request/response`, and bare streams. Never
//! repairs one; a line that is not understood is an error with its number, except a last one that was torn.

use serde::Deserialize;

use super::{Line, What};
use crate::protocol::Protocol;
use crate::sse::Frames;

/// One request and what came back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exchange {
    /// The wire format, if it is known or can be told from the stream.
    pub protocol: Option<Protocol>,
    /// Where the request went; empty if the recording does not say.
    pub url: String,
    /// What was sent; empty if the recording does not say.
    pub request: String,
    /// The HTTP status.
    pub status: u16,
    /// The headers that matter.
    pub headers: Vec<(String, String)>,
    /// What came, in the pieces it came in.
    pub pieces: Vec<Vec<u8>>,
    /// Whether the connection broke.
    pub cut: bool,
}

impl Exchange {
    /// All bytes that came.
    pub fn bytes(&self) -> Vec<u8> {
        self.pieces.concat()
    }

    pub(crate) fn header(&self, name: &str) -> Option<String> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
    }
}

/// A recording.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Recording {
    /// The exchanges, in the order of their requests.
    pub exchanges: Vec<Exchange>,
}

/// A file that is no recording.
#[derive(Debug, thiserror::Error)]
pub enum Unreadable {
    /// A line is not understood.
    #[error("line {line}: {message}")]
    Line {
        /// Counted from one.
        line: usize,
        /// What is wrong.
        message: String,
    },
    /// The file holds no exchange and no event.
    #[error("there is no recorded stream in it")]
    Empty,
}

#[derive(Deserialize)]
struct Cassette {
    interactions: Vec<Interaction>,
}

#[derive(Deserialize)]
struct Interaction {
    request: Sent,
    response: Received,
}

#[derive(Deserialize)]
struct Sent {
    #[serde(default)]
    url: String,
    #[serde(default)]
    body: String,
}

#[derive(Deserialize)]
struct Received {
    #[serde(default)]
    status: u16,
    #[serde(default)]
    body: String,
}

impl Recording {
    /// Reads the bytes of a file.
    pub fn read(bytes: &[u8]) -> Result<Self, Unreadable> {
        let mut recording = match serde_json::from_slice::<Cassette>(bytes) {
            Ok(cassette) => Self { exchanges: cassette.interactions.into_iter().map(interaction).collect() },
            Err(_) if bytes.starts_with(b"{") => lines(&String::from_utf8_lossy(bytes))?,
            Err(_) => Self { exchanges: vec![bare(bytes)] },
        };
        for exchange in &mut recording.exchanges {
            exchange.protocol = exchange.protocol.or_else(|| guess(&exchange.bytes()));
        }
        let is_bare = |exchange: &Exchange| exchange.request.is_empty() && exchange.protocol.is_none();
        if recording.exchanges.iter().all(is_bare) && !has_frames(&recording) {
            return Err(Unreadable::Empty);
        }
        Ok(recording)
    }
}

fn has_frames(recording: &Recording) -> bool {
    recording.exchanges.iter().any(|exchange| !frames(&exchange.bytes()).is_empty())
}

fn bare(bytes: &[u8]) -> Exchange {
    Exchange { status: 200, pieces: vec![bytes.to_vec()], ..Exchange::default() }
}

fn interaction(interaction: Interaction) -> Exchange {
    Exchange {
        url: interaction.request.url,
        request: interaction.request.body,
        status: interaction.response.status,
        pieces: vec![interaction.response.body.into_bytes()],
        ..Exchange::default()
    }
}

fn lines(text: &str) -> Result<Recording, Unreadable> {
    let mut recording = Recording::default();
    let whole = text.ends_with('\n');
    let count = text.lines().count();
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        let torn = number == count && !whole;
        match serde_json::from_str::<Line>(line) {
            Ok(line) => add(&mut recording, line, number)?,
            // The process that wrote it was killed in the middle of a line.
            Err(_) if torn => {}
            Err(error) => return Err(Unreadable::Line { line: number, message: error.to_string() }),
        }
    }
    Ok(recording)
}

fn add(recording: &mut Recording, line: Line, number: usize) -> Result<(), Unreadable> {
    let place = usize::try_from(line.exchange).unwrap_or(usize::MAX);
    if let What::Request { provider, url, body } = line.what {
        if place != recording.exchanges.len() {
            return Err(Unreadable::Line {
                line: number,
                message: format!("exchange {place} is out of order"),
            });
        }
        let protocol = provider.parse().ok();
        recording.exchanges.push(Exchange { protocol, url, request: body, ..Exchange::default() });
        return Ok(());
    }
    let Some(exchange) = recording.exchanges.get_mut(place) else {
        let message = format!("exchange {place} has no request");
        return Err(Unreadable::Line { line: number, message });
    };
    match line.what {
        What::Response { status, headers } => (exchange.status, exchange.headers) = (status, headers),
        What::Text(text) => exchange.pieces.push(text.into_bytes()),
        What::Bytes(bytes) => exchange.pieces.push(bytes),
        What::End(how) => exchange.cut = how != "whole",
        What::Request { .. } => {}
    }
    Ok(())
}

fn frames(bytes: &[u8]) -> Vec<crate::sse::Frame> {
    let (mut reader, mut found) = (Frames::default(), Vec::new());
    if reader.feed(bytes, &mut found).is_ok() {
        found.extend(reader.finish());
    }
    found
}

fn guess(bytes: &[u8]) -> Option<Protocol> {
    frames(bytes).iter().find_map(|frame| Protocol::guess(&frame.data))
}
