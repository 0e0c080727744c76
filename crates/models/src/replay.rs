//! A model that says again what was recorded. Never asks anyone.

use std::sync::Mutex;
use std::time::SystemTime;

use agent::model::{Limits, Model, ModelError, ModelEvent, ModelStream, Request};
use futures_util::stream;

use crate::answer::{Answer, Progress};
use crate::failure::{Asked, Refused, broken, cut};
use crate::http::Timeouts;
use crate::protocol::{Dialect, Protocol};
use crate::recording::{Exchange, Recording};
use crate::stream::decode;

/// Whether a request has to be the recorded one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Strictness {
    /// Byte for byte. A run that asks something else has departed from the recording, and that is an error.
    SameRequest,
    /// Any request gets the next recorded answer.
    AnyRequest,
}

/// A recorded model. Each request takes the next exchange.
#[derive(Debug)]
pub struct Replay {
    id: String,
    limits: Limits,
    strictness: Strictness,
    exchanges: Mutex<std::vec::IntoIter<Exchange>>,
}

impl Replay {
    /// Plays `recording` from its beginning.
    pub fn new(recording: Recording, limits: Limits, strictness: Strictness) -> Self {
        let exchanges = Mutex::new(recording.exchanges.into_iter());
        Self { id: "replay".to_owned(), limits, strictness, exchanges }
    }

    fn next(&self, request: &Request) -> Result<ModelStream, ModelError> {
        let next = self.exchanges.lock().ok().and_then(|mut exchanges| exchanges.next());
        let Some(exchange) = next else {
            return Err(broken("the recording holds no further answer"));
        };
        let Some(protocol) = exchange.protocol else {
            return Err(broken("the recording does not say which provider answered"));
        };
        if self.strictness == Strictness::SameRequest {
            same(&protocol.encode(request, Dialect::of(&exchange.url)), &exchange.request)?;
        }
        play(exchange, protocol, request.messages.len())
    }
}

fn same(sent: &str, recorded: &str) -> Result<(), ModelError> {
    if sent == recorded {
        return Ok(());
    }
    let place = sent.bytes().zip(recorded.bytes()).take_while(|(ours, theirs)| ours == theirs).count();
    Err(broken(format!("the request departs from the recorded one at byte {place}")))
}

/// All events of a recorded answer, and the error that ended it.
pub fn events(exchange: &Exchange, protocol: Protocol) -> (Vec<ModelEvent>, Option<ModelError>) {
    if let Some(error) = refusal(exchange, protocol) {
        return (Vec::new(), Some(error));
    }
    let (mut answer, mut events) = (Answer::new(protocol, 1), Vec::new());
    for piece in &exchange.pieces {
        if let Err(error) = answer.feed(piece, &mut events) {
            return (events, Some(error));
        }
    }
    if exchange.cut && answer.progress() == Progress::More {
        return (events, Some(cut(BROKE)));
    }
    let error = answer.finish(&mut events).err();
    (events, error)
}

const BROKE: &str = "the connection broke";

/// What the server said instead of an answer.
fn refusal(exchange: &Exchange, protocol: Protocol) -> Option<ModelError> {
    if (200..300).contains(&exchange.status) {
        return None;
    }
    let asked = Asked { provider: protocol.name().to_owned(), variable: "the recording".to_owned() };
    let refused = Refused {
        status: exchange.status,
        should_retry: exchange.header("x-should-retry"),
        retry_after_ms: exchange.header("retry-after-ms"),
        retry_after: exchange.header("retry-after"),
        body: exchange.bytes(),
    };
    Some(refused.error(&asked, SystemTime::now()))
}

/// The answer of one exchange, in the pieces it came in.
fn play(exchange: Exchange, protocol: Protocol, place: usize) -> Result<ModelStream, ModelError> {
    if let Some(error) = refusal(&exchange, protocol) {
        return Err(error);
    }
    let broke = exchange.cut.then(|| Err(BROKE.to_owned()));
    let body = exchange.pieces.into_iter().map(Ok).chain(broke);
    Ok(decode(Box::pin(stream::iter(body)), Answer::new(protocol, place), Timeouts::default()))
}

impl Model for Replay {
    fn id(&self) -> &str {
        &self.id
    }

    fn limits(&self) -> Limits {
        self.limits
    }

    fn stream(&self, request: Request) -> ModelStream {
        self.next(&request).unwrap_or_else(|error| Box::pin(stream::iter([Err(error)])))
    }
}
