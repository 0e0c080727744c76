//! Where agents ask and the person before a page answers. Never answers by itself, never keeps a question whose turn is over, and never
//! takes a second answer.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use agent::permission::{Answer, PermissionDecision, Scope};
use tokio::sync::{oneshot, watch};
use uuid::Uuid;
use workspace::outside::PermissionDesk;
use workspace::outside::permission::{Choice, Deciding, Decision, Meaning, PermissionRequest};

/// How many questions may wait at once. Whoever asks more is refused.
const WAITING_MAX: usize = 256;
/// How many answers are remembered, so that one that is sent twice is taken once.
const ANSWERED_MAX: usize = 512;
/// The most that a person says to an agent with an answer, in bytes.
const WORDS_MAX: usize = 8 << 10;

/// The questions of all agents of a server. Clones are the same.
#[derive(Clone)]
pub struct Desk {
    inner: Arc<Inner>,
}

struct Inner {
    /// Where rules are kept that an answer makes, for people to read.
    place: String,
    state: Mutex<State>,
    open: watch::Sender<Open>,
}

/// All that waits, the oldest first.
pub(crate) type Open = Arc<[Arc<Asked>]>;

/// Locked for a moment only, never across an await.
#[derive(Default)]
struct State {
    waiting: Vec<(Arc<Asked>, oneshot::Sender<Decision>)>,
    /// Questions that were answered, with the names of the requests.
    answered: VecDeque<(String, Option<String>)>,
}

/// A question that waits.
#[derive(Debug)]
pub(crate) struct Asked {
    /// Its name, which no other question ever has: a page may be older than the server.
    pub(crate) id: String,
    /// The document that the agent works on.
    pub(crate) document: String,
    /// Where a rule would be kept.
    pub(crate) place: String,
    pub(crate) request: PermissionRequest,
}

/// Why an answer was not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Untaken {
    /// Nobody asks that any more.
    Gone,
    /// It is none of the options.
    NotOffered,
    /// Too much was said with it.
    TooLong,
}

impl Desk {
    /// A desk whose rules are kept at `place`.
    #[must_use]
    pub fn new(place: &str) -> Desk {
        let inner =
            Inner { place: place.to_owned(), state: Mutex::default(), open: watch::Sender::new([].into()) };
        Desk { inner: Arc::new(inner) }
    }

    /// The desk for whoever works on a document, whose pages show the questions.
    #[must_use]
    pub fn at(&self, document: &str) -> Arc<dyn PermissionDesk> {
        Arc::new(Seat { desk: self.clone(), document: document.to_owned() })
    }

    /// All that waits, now and from now on.
    pub(crate) fn listen(&self) -> watch::Receiver<Open> {
        self.inner.open.subscribe()
    }

    /// Answers a question. The same request again is done already.
    pub(crate) fn answer(
        &self,
        id: &str,
        request: Option<String>,
        option: &str,
        words: String,
    ) -> Result<(), Untaken> {
        if words.len() > WORDS_MAX {
            return Err(Untaken::TooLong);
        }
        let mut state = self.lock();
        let Some(index) = state.waiting.iter().position(|(asked, _)| asked.id == id) else {
            let is_known = |(known, name): &(String, Option<String>)| known == id && *name == request;
            let is_repeated = request.is_some() && state.answered.iter().any(is_known);
            return if is_repeated { Ok(()) } else { Err(Untaken::Gone) };
        };
        let decision = state.waiting.get(index).and_then(|(asked, _)| decided(&asked.request, option, words));
        let decision = decision.ok_or(Untaken::NotOffered)?;
        let (_, reply) = state.waiting.remove(index);
        if state.answered.len() >= ANSWERED_MAX {
            state.answered.pop_front();
        }
        state.answered.push_back((id.to_owned(), request));
        self.publish(&state);
        reply.send(decision).map_err(|_| Untaken::Gone)
    }

    fn put(&self, asked: Asked) -> Option<oneshot::Receiver<Decision>> {
        let (reply, answer) = oneshot::channel();
        let mut state = self.lock();
        if state.waiting.len() >= WAITING_MAX {
            return None;
        }
        state.waiting.push((Arc::new(asked), reply));
        self.publish(&state);
        Some(answer)
    }

    fn take_back(&self, id: &str) {
        let mut state = self.lock();
        let before = state.waiting.len();
        state.waiting.retain(|(asked, _)| asked.id != id);
        if state.waiting.len() != before {
            self.publish(&state);
        }
    }

    fn publish(&self, state: &State) {
        let open: Open = state.waiting.iter().map(|(asked, _)| Arc::clone(asked)).collect();
        self.inner.open.send_replace(open);
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.inner.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What an option means, in the words of whoever asks. Only one who waits is told something.
fn decided(request: &PermissionRequest, option: &str, words: String) -> Option<Decision> {
    let choice: &Choice = request.choices.iter().find(|choice| choice.id == option)?;
    if request.question.is_none() {
        return words.is_empty().then(|| Decision::Chosen(choice.id.clone()));
    }
    let decision = match choice.meaning {
        Meaning::AllowOnce => PermissionDecision::Allow,
        Meaning::AllowAlways => PermissionDecision::AlwaysAllow,
        Meaning::RejectOnce => PermissionDecision::Wait,
        Meaning::RejectAlways => PermissionDecision::Never,
    };
    let is_fit = words.is_empty() || decision == PermissionDecision::Wait;
    is_fit.then_some(Decision::Answered(Answer { decision, words, scope: Scope::Local }))
}

/// The desk as one who works on a document sees it.
struct Seat {
    desk: Desk,
    document: String,
}

/// A question at the desk, taken back when nobody waits for the answer any more.
struct Ticket {
    desk: Desk,
    id: String,
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.desk.take_back(&self.id);
    }
}

impl PermissionDesk for Seat {
    fn decide(&self, request: PermissionRequest) -> Deciding<'_> {
        Box::pin(async move {
            let id = Uuid::now_v7().to_string();
            let ticket = Ticket { desk: self.desk.clone(), id: id.clone() };
            let (document, place) = (self.document.clone(), self.desk.inner.place.clone());
            let Some(answer) = self.desk.put(Asked { id, document, place, request }) else {
                return Decision::Refused;
            };
            let decision = answer.await.unwrap_or(Decision::Refused);
            drop(ticket);
            decision
        })
    }
}
