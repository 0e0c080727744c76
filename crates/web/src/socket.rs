//! One page's live connection: Yjs messages as binary frames, events as text. First comes the document with its revision, then
//! what changes. Never lets a page that does not read hold up anybody else: it is dropped and joins again.

use std::sync::Arc;
use std::time::Duration;

use axum::Extension;
use axum::extract::ws::{CloseFrame, Message, WebSocket, WebSocketUpgrade};
use axum::extract::{Query, State};
use axum::http::StatusCode;
use axum::response::{IntoResponse as _, Response};
use serde::{Deserialize, Serialize};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, interval, timeout};
use workspace::Author;
use workspace::event::{Event, Subscription};
use workspace::owner::{Clash, DocumentHandle, Joined, PeerEvent, PeerEvents, PeerHandle};
use workspace::session::turn::is_session;

use crate::beside::Beside;
use crate::guard::SOCKET_PROTOCOL;
use crate::key::{Admitted, Role};
use crate::refused::Refused;
use crate::routes::person_name;
use crate::server::Shared;
use crate::sync::{self, Frame};
use crate::wire::{WireCall, WireEvent, WireWatched};

/// The longest frame that is read. A document has at most 32 MB, and a page sends what it types.
const FRAME_MAX: usize = 8 << 20;
/// How long a page may take to say what it knows, and to read what it is sent.
const PATIENCE: Duration = Duration::from_secs(10);
/// How long a page that was told to go is still listened to.
const FAREWELL: Duration = Duration::from_secs(2);
/// How often a quiet page is asked whether it is there, and after how much silence it is taken to be gone.
pub(crate) const PING: Duration = Duration::from_secs(15);
const SILENCE_MAX: Duration = Duration::from_secs(50);
/// What a peer says that knows no events.
const BINARY: &str = "binary";
/// The largest number that both sides can count to.
const CLIENT_MAX: u64 = (1 << 53) - 1;

/// Why a connection was closed, for the page.
const CLOSE_AGAIN: u16 = 4409;
const CLOSE_REFUSED: u16 = 4400;
const CLOSE_FORBIDDEN: u16 = 4403;
pub(crate) const CLOSE_RENEWED: u16 = 4401;
pub(crate) const CLOSE_GONE: u16 = 1001;

/// What a page says when it comes.
#[derive(Debug, Deserialize)]
pub(crate) struct Coming {
    path: String,
    /// The Yjs client number of the page.
    client: u64,
    /// The name of the one who types.
    #[serde(default)]
    name: String,
    /// The session it knows, if it was here before.
    #[serde(default)]
    epoch: String,
    /// `binary` for a peer that was written for Yjs alone and knows no events.
    #[serde(default)]
    frames: String,
}

/// A page that shows a document.
pub(crate) async fn open(
    State(shared): State<Arc<Shared>>,
    Extension(admitted): Extension<Admitted>,
    Query(coming): Query<Coming>,
    upgrade: WebSocketUpgrade,
) -> Response {
    let Some(permit) = place(&shared) else { return full() };
    if coming.client == 0 || coming.client > CLIENT_MAX {
        return (StatusCode::BAD_REQUEST, "the page's number is none; load the page again\n").into_response();
    }
    let handle = match shared.hub.document(&coming.path).await {
        Ok(handle) => handle,
        Err(refusal) => return Refused::from(refusal).into_response(),
    };
    shared.watching.document(handle.path());
    let name = person_name(&coming.name).unwrap_or(&shared.person).to_owned();
    let visit = Visit { shared, handle, coming, name, admitted };
    limited(upgrade).on_upgrade(move |socket| async move {
        visit.live(socket).await;
        drop(permit);
    })
}

/// How many bytes may come at once.
pub(crate) fn limited(upgrade: WebSocketUpgrade) -> WebSocketUpgrade {
    upgrade.protocols([SOCKET_PROTOCOL]).max_message_size(FRAME_MAX).max_frame_size(FRAME_MAX)
}

pub(crate) fn place(shared: &Shared) -> Option<OwnedSemaphorePermit> {
    Arc::clone(&shared.sockets).try_acquire_owned().ok()
}

pub(crate) fn full() -> Response {
    (StatusCode::SERVICE_UNAVAILABLE, "too many pages are open; close some\n").into_response()
}

/// A page that has asked to join.
struct Visit {
    shared: Arc<Shared>,
    handle: DocumentHandle,
    coming: Coming,
    name: String,
    admitted: Admitted,
}

impl Visit {
    async fn live(self, mut socket: WebSocket) {
        let Visit { shared, handle, coming, name, admitted } = self;
        let Some(known) = first_words(&mut socket).await else {
            return close(socket, CLOSE_REFUSED, "say first what you know").await;
        };
        let changes = handle.subscribe();
        let (first, beside) = Beside::of(&shared, handle.path(), &admitted.role).await;
        let is_session = is_session(&handle.read().text);
        let epoch = Some(coming.epoch).filter(|epoch| !epoch.is_empty());
        match handle.join(coming.client, Author::new(name), epoch.map(|epoch| (epoch, known))).await {
            Ok(joined) => {
                let hello = WireEvent::Hello {
                    path: handle.path().to_owned(),
                    epoch: joined.epoch.to_string(),
                    revision: joined.revision,
                    writes: admitted.role == Role::Person,
                    session: is_session && shared.turns.is_some(),
                    visitors: joined.visitors.iter().map(Into::into).collect(),
                    unsaved: joined.unsaved.as_deref().map(str::to_owned),
                    gone: is_gone(&shared, handle.path()).await,
                    watched: shared.watching.how(handle.path()),
                };
                let is_told = coming.frames != BINARY;
                let told: Vec<WireEvent> = std::iter::once(hello).chain(first).filter(|_| is_told).collect();
                let Joined { peer, events, .. } = greet(&mut socket, joined, &told).await;
                let line = Line {
                    socket,
                    path: handle.path().to_owned(),
                    watched: shared.watching.how(handle.path()),
                    peer,
                    client: coming.client,
                    heard: Instant::now(),
                    admitted,
                    shared,
                    is_told,
                };
                line.serve(events, changes, beside).await;
            }
            Err(refusal) => close(socket, CLOSE_REFUSED, &refusal.message).await,
        }
    }
}

/// The state vector, which a page sends first.
async fn first_words(socket: &mut WebSocket) -> Option<Vec<u8>> {
    let message = timeout(PATIENCE, socket.recv()).await.ok()??.ok()?;
    match message {
        Message::Binary(bytes) => match sync::read(&bytes)? {
            Frame::StateVector(vector) => Some(vector.to_vec()),
            Frame::Update(_) | Frame::Presence(_) | Frame::Query => None,
        },
        Message::Text(_) | Message::Ping(_) | Message::Pong(_) | Message::Close(_) => None,
    }
}

/// Says where the document stands. One that cannot be told is noticed with the next frame.
async fn greet(socket: &mut WebSocket, joined: Joined, told: &[WireEvent]) -> Joined {
    let (hello, beside) = told.split_at(told.len().min(1));
    let mut frames: Vec<Message> = hello.iter().map(text).collect();
    frames.extend([
        Message::Binary(sync::missing(&joined.update).into()),
        Message::Binary(sync::state_vector(&joined.state_vector).into()),
    ]);
    frames.extend(joined.present.iter().map(|state| Message::Binary(sync::presence(state).into())));
    frames.extend(beside.iter().map(text));
    for frame in frames {
        if !send(socket, frame).await {
            break;
        }
    }
    joined
}

/// A connection that has joined.
struct Line {
    socket: WebSocket,
    /// The document.
    path: String,
    /// How the page believes that saves are heard of.
    watched: WireWatched,
    peer: PeerHandle,
    client: u64,
    heard: Instant,
    admitted: Admitted,
    shared: Arc<Shared>,
    /// Whether it hears of events.
    is_told: bool,
}

pub(crate) type End = (u16, String);

impl Line {
    /// Carries words both ways until one side goes, and says why.
    async fn serve(mut self, events: PeerEvents, changes: Subscription, beside: Beside) {
        let (code, reason) = self.talk(events, changes, beside).await;
        if code == CLOSE_AGAIN && self.is_told {
            send(&mut self.socket, text(&WireEvent::Resync { reason: reason.clone() })).await;
        }
        let Line { socket, peer, .. } = self;
        // Nobody is shown one who was told to go.
        drop(peer);
        close(socket, code, &reason).await;
    }

    async fn talk(&mut self, mut events: PeerEvents, mut changes: Subscription, mut beside: Beside) -> End {
        let mut pings = interval(PING);
        let mut renewals = self.admitted.renewals.clone();
        loop {
            let heard = tokio::select! {
                // What was said before a page asks is told before it is answered.
                biased;
                _renewed = renewals.changed() => Err((CLOSE_RENEWED, "the secret was made anew".to_owned())),
                event = events.next() => match event {
                    Some(event) => self.tell(event).await,
                    None => Err((CLOSE_GONE, "the document was closed".to_owned())),
                },
                change = changes.next() => self.tell_change(change).await,
                event = beside.next(&self.shared) => self.send(text(&event)).await,
                message = self.socket.recv() => self.hear(message).await,
                _ = pings.tick() => self.ping().await,
            };
            if let Err(end) = heard {
                return end;
            }
        }
    }

    async fn tell(&mut self, event: PeerEvent) -> Result<(), End> {
        let own = self.peer.number();
        let frame = match event {
            PeerEvent::Update { from, .. } if from == Some(own) => return Ok(()),
            PeerEvent::Presence { from, .. } if from == own => return Ok(()),
            PeerEvent::Update { bytes, .. } => Message::Binary(sync::update(&bytes).into()),
            PeerEvent::Presence { bytes, .. } => Message::Binary(sync::presence(&bytes).into()),
            PeerEvent::Left { client } if client == self.client => return Ok(()),
            PeerEvent::Left { client } => text(&WireEvent::Left { client }),
            PeerEvent::Saved { peer, count, revision } if peer == own => {
                text(&WireEvent::Saved { count, revision })
            }
            PeerEvent::Saved { .. } => return Ok(()),
            PeerEvent::Unsaved { reason } => {
                let gone = is_gone(&self.shared, &self.path).await;
                text(&WireEvent::Unsaved { reason: reason.to_string(), gone })
            }
            PeerEvent::Clashed(Clash { section, is_both, ours, theirs }) => text(&WireEvent::Clashed {
                section: section.as_deref().map(str::to_owned),
                both: is_both,
                ours: ours.to_string(),
                theirs: theirs.to_string(),
            }),
            PeerEvent::Visitors(visitors) => {
                text(&WireEvent::Visitors { visitors: visitors.iter().map(Into::into).collect() })
            }
            PeerEvent::Expelled { peer, reason } if peer == own => {
                return Err((CLOSE_AGAIN, reason.to_string()));
            }
            PeerEvent::Expelled { .. } => return Ok(()),
            PeerEvent::Resync => return Err((CLOSE_AGAIN, "events were missed".to_owned())),
        };
        self.send(frame).await
    }

    async fn tell_change(&mut self, change: Option<Event>) -> Result<(), End> {
        match change {
            Some(Event::Changed(changed)) => {
                let event = WireEvent::Changed {
                    revision: changed.revision,
                    author: changed.author.name().to_owned(),
                    section: changed.section,
                };
                self.send(text(&event)).await
            }
            // What was missed is in the text, which comes another way.
            Some(Event::Resync) => Ok(()),
            None => Err((CLOSE_GONE, "the document was closed".to_owned())),
        }
    }

    async fn hear(&mut self, message: Option<Result<Message, axum::Error>>) -> Result<(), End> {
        self.heard = Instant::now();
        let is_open = match message {
            Some(Ok(Message::Binary(bytes))) => match sync::read(&bytes) {
                Some(Frame::Update(_)) if self.admitted.role != Role::Person => {
                    return Err((CLOSE_FORBIDDEN, "this link is for reading".to_owned()));
                }
                Some(Frame::Update(update)) => self.peer.update(update.to_vec()).await,
                Some(Frame::Presence(state)) if sync::is_own_presence(state, self.client) => {
                    self.peer.presence(state.to_vec()).await
                }
                // A page that was greeted has what it lacks. Some peers say again where others are; it is theirs to say.
                Some(Frame::StateVector(_) | Frame::Query | Frame::Presence(_)) => true,
                None => {
                    return Err((CLOSE_REFUSED, "the frame is none that this server knows".to_owned()));
                }
            },
            Some(Ok(Message::Text(call))) => match serde_json::from_str(&call) {
                Ok(WireCall::Ping { at }) => return self.send(text(&WireEvent::Pong { at })).await,
                Err(_) => {
                    return Err((CLOSE_REFUSED, "the words are none that this server knows".to_owned()));
                }
            },
            Some(Ok(Message::Ping(_) | Message::Pong(_))) => true,
            Some(Ok(Message::Close(_)) | Err(_)) | None => false,
        };
        if is_open { Ok(()) } else { Err((CLOSE_GONE, String::new())) }
    }

    async fn ping(&mut self) -> Result<(), End> {
        if self.heard.elapsed() > SILENCE_MAX {
            return Err((CLOSE_GONE, "the page was silent".to_owned()));
        }
        let watched = self.shared.watching.how(&self.path);
        if watched != std::mem::replace(&mut self.watched, watched) {
            self.send(text(&WireEvent::Watched { watched })).await?;
        }
        self.send(Message::Ping(axum::body::Bytes::new())).await
    }

    async fn send(&mut self, frame: Message) -> Result<(), End> {
        if !self.is_told && matches!(frame, Message::Text(_)) {
            return Ok(());
        }
        if send(&mut self.socket, frame).await {
            Ok(())
        } else {
            Err((CLOSE_AGAIN, "the page did not read".to_owned()))
        }
    }
}

/// Whether the file of a document is there no more.
async fn is_gone(shared: &Shared, path: &str) -> bool {
    matches!(tokio::fs::try_exists(shared.hub.root().join(path)).await, Ok(false))
}

pub(crate) async fn send(socket: &mut WebSocket, frame: Message) -> bool {
    matches!(timeout(PATIENCE, socket.send(frame)).await, Ok(Ok(())))
}

pub(crate) async fn close(mut socket: WebSocket, code: u16, reason: &str) {
    // The reason of a close has room for 123 bytes.
    let end = reason.floor_char_boundary(120);
    let reason = reason.get(..end).unwrap_or_default().into();
    if !send(&mut socket, Message::Close(Some(CloseFrame { code, reason }))).await {
        return;
    }
    // What is hung up with words unread is reset, and then the page may never hear why.
    let heard = async { while let Some(Ok(_)) = socket.recv().await {} };
    drop(timeout(FAREWELL, heard).await);
}

pub(crate) fn text(event: &impl Serialize) -> Message {
    Message::Text(serde_json::to_string(event).unwrap_or_default().into())
}
