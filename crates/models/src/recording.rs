//! What went over the wire, kept in a file for tests and reports of bugs. Never holds a header of a request, so no key gets
//! into it.
//!
//! A recording is one JSON object a line. Lines of one exchange bear its number: first the request, then the status, then
//! the bytes in the pieces they came in, then how it ended.

mod read;

use std::fs::File;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use agent::model::ModelError;
use reqwest::header::HeaderMap;
use serde::{Deserialize, Serialize};

use crate::failure::broken;
use crate::protocol::Protocol;

pub use read::{Exchange, Recording, Unreadable};

/// The headers of a response that decide what we do, and its name for the provider's support.
const HEADERS: &[&str] =
    &["content-type", "retry-after", "retry-after-ms", "x-should-retry", "request-id", "x-request-id"];

/// One line of a recording.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    exchange: u64,
    #[serde(flatten)]
    what: What,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum What {
    Request {
        provider: String,
        url: String,
        body: String,
    },
    Response {
        status: u16,
        headers: Vec<(String, String)>,
    },
    /// A piece that is text.
    Text(String),
    /// A piece that was cut within a character.
    Bytes(Vec<u8>),
    /// `whole`, or `cut` if the connection broke.
    End(String),
}

/// Writes a recording. Shared by all models of a process; each exchange has a number of its own.
#[derive(Clone, Debug)]
pub struct Recorder {
    path: PathBuf,
    file: Arc<Mutex<File>>,
    next: Arc<AtomicU64>,
}

impl Recorder {
    /// Begins a new recording; what stood in the file is gone.
    pub fn create(path: &Path) -> std::io::Result<Self> {
        let file = File::create(path)?;
        let next = Arc::new(AtomicU64::new(0));
        Ok(Self { path: path.to_owned(), file: Arc::new(Mutex::new(file)), next })
    }

    /// Begins an exchange with what is sent.
    pub(crate) fn begin(&self, protocol: Protocol, url: &str, body: &str) -> Result<Tape, ModelError> {
        let exchange = self.next.fetch_add(1, Ordering::Relaxed);
        let tape = Tape { recorder: self.clone(), exchange };
        tape.write(What::Request {
            provider: protocol.name().to_owned(),
            url: without_secrets(url),
            body: body.to_owned(),
        })?;
        Ok(tape)
    }
}

/// The recording of one exchange.
pub(crate) struct Tape {
    recorder: Recorder,
    exchange: u64,
}

impl Tape {
    pub(crate) fn head(&self, status: u16, headers: &HeaderMap) -> Result<(), ModelError> {
        let kept = HEADERS.iter().filter_map(|name| {
            let value = headers.get(*name)?.to_str().ok()?;
            Some(((*name).to_owned(), value.to_owned()))
        });
        self.write(What::Response { status, headers: kept.collect() })
    }

    pub(crate) fn bytes(&self, bytes: &[u8]) -> Result<(), ModelError> {
        self.write(match std::str::from_utf8(bytes) {
            Ok(text) => What::Text(text.to_owned()),
            Err(_) => What::Bytes(bytes.to_owned()),
        })
    }

    pub(crate) fn end(&self, how: &str) -> Result<(), ModelError> {
        self.write(What::End(how.to_owned()))
    }

    /// A recording with holes helps nobody, so an error here ends the answer.
    fn write(&self, what: What) -> Result<(), ModelError> {
        let path = self.recorder.path.display();
        let line = serde_json::to_string(&Line { exchange: self.exchange, what });
        let mut line = line.map_err(|error| broken(format!("cannot record to {path}: {error}")))?;
        line.push('\n');
        let Ok(mut file) = self.recorder.file.lock() else {
            return Err(broken(format!("cannot record to {path}: another writer failed")));
        };
        file.write_all(line.as_bytes()).map_err(|error| broken(format!("cannot record to {path}: {error}")))
    }
}

/// An address without user, password and query, where people put keys.
fn without_secrets(url: &str) -> String {
    let Ok(mut url) = reqwest::Url::parse(url) else { return String::new() };
    url.set_query(None);
    if url.set_username("").is_err() || url.set_password(None).is_err() {
        // Only addresses without a host refuse this, and those cannot hold either.
    }
    url.to_string()
}
