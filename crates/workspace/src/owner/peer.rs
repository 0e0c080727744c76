//! Peers of a document: pages that hold a replica of its text and write in it as it stands. Never lets a peer write under
//! another's name, and never says that words are saved before the file has them.

use std::cell::LazyCell;
use std::collections::BTreeMap;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::sync::Arc;

use document::merge::merge;
use document::section::{find_sections, is_proposal};
use document::{Author, Edit, Revision, UpdateError};
use tokio::sync::{broadcast, mpsc, oneshot};

use super::answer::Answer;
use super::clash::Clash;
use super::desk::{Change, Desk, cause};
use super::rules::folded;
use super::{DocumentHandle, Message};
use crate::command::{Actor, FileErrorKind, FileResult, Refusal, Reply};
use crate::event::ChangeKind;

/// How many events a peer may lag behind before it has to load the document anew.
const LAG_MAX: usize = 1024;
/// How many peers one document may have.
const PEERS_MAX: usize = 1000;
/// The longest word of a peer about itself.
const PRESENCE_MAX: usize = 4096;

/// Who writes under a client number.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visitor {
    /// The number that stands in the updates.
    pub client: u64,
    /// The name.
    pub author: Author,
    /// Whether it is a program that writes by itself.
    pub is_agent: bool,
}

/// What a peer hears.
#[derive(Debug, Clone)]
pub enum PeerEvent {
    /// The text changed: a Yjs update.
    Update {
        /// The peer that made it; none if it was made here.
        from: Option<u64>,
        /// The update.
        bytes: Arc<[u8]>,
    },
    /// What a peer says about itself, to be passed on as it is.
    Presence {
        /// The peer.
        from: u64,
        /// Its words.
        bytes: Arc<[u8]>,
    },
    /// A peer went away.
    Left {
        /// The number that it wrote under.
        client: u64,
    },
    /// The file holds the first `count` updates of a peer.
    Saved {
        /// The peer.
        peer: u64,
        /// How many of its updates.
        count: u64,
        /// The revision that holds them.
        revision: Revision,
    },
    /// The file lacks words, for this reason; they are kept and written later.
    Unsaved {
        /// Why.
        reason: Arc<str>,
    },
    /// Two changed the same words, so that somebody should look.
    Clashed(Clash),
    /// Somebody new writes; this is everybody.
    Visitors(Arc<[Visitor]>),
    /// What a peer sent could not be taken; it has to join again.
    Expelled {
        /// The peer.
        peer: u64,
        /// Why.
        reason: Arc<str>,
    },
    /// Everyone has to join again: events were missed, or the session ended.
    Resync,
}

/// A peer's place in the stream of events.
#[derive(Debug)]
pub struct PeerEvents(broadcast::Receiver<PeerEvent>);

impl PeerEvents {
    /// The next event; none when the document was closed.
    pub async fn next(&mut self) -> Option<PeerEvent> {
        match self.0.recv().await {
            Ok(event) => Some(event),
            Err(broadcast::error::RecvError::Lagged(_)) => Some(PeerEvent::Resync),
            Err(broadcast::error::RecvError::Closed) => None,
        }
    }
}

/// A peer that has joined.
#[derive(Debug)]
pub struct Joined {
    /// The way to speak.
    pub peer: PeerHandle,
    /// What all peers hear from now on.
    pub events: PeerEvents,
    /// The session. One who knows another session has to begin with an empty text.
    pub epoch: Arc<str>,
    /// What the peer lacks, as a Yjs update.
    pub update: Vec<u8>,
    /// What this side has, as a Yjs state vector, so that the peer can send the rest.
    pub state_vector: Vec<u8>,
    /// The revision now.
    pub revision: Revision,
    /// Everybody who wrote.
    pub visitors: Arc<[Visitor]>,
    /// What the others said last about themselves.
    pub present: Vec<Arc<[u8]>>,
    /// Why the file lacks words, if it does.
    pub unsaved: Option<Arc<str>>,
}

/// A peer's way to the owner. Dropped, the peer leaves.
#[derive(Debug)]
pub struct PeerHandle {
    peer: u64,
    mailbox: mpsc::Sender<Message>,
}

impl PeerHandle {
    /// The number of this visit, as events name it.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.peer
    }

    /// Sends an update of the peer's own words. False if the document was closed.
    pub async fn update(&self, bytes: Vec<u8>) -> bool {
        self.send(PeerMessage::Update { peer: self.peer, bytes }).await
    }

    /// Sends what the peer says about itself. False if the document was closed.
    pub async fn presence(&self, bytes: Vec<u8>) -> bool {
        self.send(PeerMessage::Presence { peer: self.peer, bytes }).await
    }

    async fn send(&self, message: PeerMessage) -> bool {
        self.mailbox.send(Message::Peer(message)).await.is_ok()
    }
}

impl Drop for PeerHandle {
    fn drop(&mut self) {
        // In a full mailbox the word is lost, and the name stays in the list until the document is closed.
        drop(self.mailbox.try_send(Message::Peer(PeerMessage::Leave { peer: self.peer })));
    }
}

/// What the owner hears of peers.
pub(super) enum PeerMessage {
    Join { asked: Asked, reply: oneshot::Sender<Result<Joined, Refusal>> },
    Update { peer: u64, bytes: Vec<u8> },
    Presence { peer: u64, bytes: Vec<u8> },
    Leave { peer: u64 },
    Rebase { author: Author, base: String, text: String, reply: oneshot::Sender<Reply> },
}

/// How a peer wants to join.
pub(super) struct Asked {
    client: u64,
    author: Author,
    known: Option<(String, Vec<u8>)>,
    mailbox: mpsc::Sender<Message>,
}

impl Message {
    /// Whether it only brings words, which are shown at once and written with the next turn.
    pub(super) fn is_words(&self) -> bool {
        match self {
            Self::Say { .. } => true,
            Self::Peer(message) => match message {
                PeerMessage::Update { .. } | PeerMessage::Presence { .. } | PeerMessage::Leave { .. } => true,
                PeerMessage::Join { .. } | PeerMessage::Rebase { .. } => false,
            },
            Self::Execute { .. }
            | Self::Stream { .. }
            | Self::Finish { .. }
            | Self::FileChanged
            | Self::Settled { .. }
            | Self::Stop => false,
        }
    }
}

impl DocumentHandle {
    /// Joins as a peer that writes under `client` for `author`. One that comes back says the epoch it knows and its state vector.
    ///
    /// # Errors
    ///
    /// [`Refusal`] if there are too many, or the number is somebody else's.
    pub async fn join(
        &self,
        client: u64,
        author: Author,
        known: Option<(String, Vec<u8>)>,
    ) -> Result<Joined, Refusal> {
        let (reply, answer) = oneshot::channel();
        let mailbox = self.people.clone();
        let asked = Asked { client, author, known, mailbox };
        let message = Message::Peer(PeerMessage::Join { asked, reply });
        self.people.send(message).await.map_err(|_| self.stopped())?;
        answer.await.map_err(|_| self.stopped())?
    }

    /// Takes in a text that somebody made from `base` while they were away, when there is no session to go on with.
    pub async fn rebase(&self, author: Author, base: String, text: String) -> Reply {
        let (reply, answer) = oneshot::channel();
        let message = Message::Peer(PeerMessage::Rebase { author, base, text, reply });
        if self.people.send(message).await.is_err() {
            return self.refused(self.stopped());
        }
        answer.await.unwrap_or_else(|_| self.refused(self.stopped()))
    }
}

/// The peers of one document.
pub(super) struct Peers {
    /// None as long as nobody has come: room for what one may lag behind is long, and most documents are opened for a moment.
    events: Option<broadcast::Sender<PeerEvent>>,
    members: BTreeMap<u64, Member>,
    next: u64,
    /// Sessions of different owners never have the same name.
    nonce: u64,
    /// How many had written, and how many had come, when the names were told last.
    told: (usize, u64),
    /// Programs that wrote here.
    agents: Vec<Author>,
    typing: Option<Typing>,
    unsaved: Option<Arc<str>>,
}

struct Member {
    client: u64,
    author: Author,
    received: u64,
    saved: u64,
    presence: Option<Arc<[u8]>>,
}

/// What one peer typed since the last turn; it becomes one operation of the journal.
struct Typing {
    author: Author,
    revision: Revision,
    before: Revision,
}

impl Default for Peers {
    fn default() -> Self {
        Self {
            events: None,
            members: BTreeMap::new(),
            next: 0,
            nonce: RandomState::new().build_hasher().finish(),
            told: (0, 0),
            agents: Vec::new(),
            typing: None,
            unsaved: None,
        }
    }
}

impl Peers {
    pub(super) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    /// Remembers which names are programs, for the list of those who wrote.
    pub(super) fn wrote(&mut self, actor: &Actor) {
        let author = actor.author();
        let is_agent = matches!(actor, Actor::Worker(_) | Actor::Conductor | Actor::System);
        if is_agent && !self.agents.contains(&author) {
            self.agents.push(author);
        }
    }

    fn listen(&mut self) -> PeerEvents {
        let events = self.events.get_or_insert_with(|| broadcast::Sender::new(LAG_MAX));
        PeerEvents(events.subscribe())
    }

    pub(super) fn tell(&self, event: PeerEvent) {
        if let Some(events) = &self.events {
            // Nobody may be listening.
            drop(events.send(event));
        }
    }

    fn expel(&mut self, peer: u64, reason: &str) {
        self.members.remove(&peer);
        self.tell(PeerEvent::Expelled { peer, reason: reason.into() });
    }
}

impl Desk {
    /// Does what a peer asks for in a turn.
    pub(super) fn meet(&mut self, message: PeerMessage) -> Option<Answer> {
        match message {
            PeerMessage::Join { asked, reply } => {
                let joined = self.join(asked);
                // One that has gone meanwhile has left.
                drop(reply.send(joined));
                None
            }
            PeerMessage::Rebase { author, base, text, reply } => {
                let before = self.revision;
                let answer = match self.rebase(&author, &base, &text) {
                    Ok(bytes) => self.reply(FileResult::Written { bytes }),
                    Err(refusal) => self.refusing(refusal),
                };
                let is_change = self.revision != before;
                Some(Answer::Reply { to: reply, reply: answer, is_change })
            }
            words => {
                self.hear(words);
                None
            }
        }
    }

    /// Takes words of a peer. Whether the file is to be written for them.
    pub(super) fn hear(&mut self, message: PeerMessage) -> bool {
        match message {
            PeerMessage::Update { peer, bytes } => {
                self.take_update(peer, &bytes);
                true
            }
            PeerMessage::Presence { peer, bytes } => {
                if let Some(member) = self.peers.members.get_mut(&peer)
                    && bytes.len() <= PRESENCE_MAX
                {
                    let bytes: Arc<[u8]> = bytes.into();
                    member.presence = Some(Arc::clone(&bytes));
                    self.peers.tell(PeerEvent::Presence { from: peer, bytes });
                }
                false
            }
            PeerMessage::Leave { peer } => {
                if let Some(member) = self.peers.members.remove(&peer) {
                    self.peers.tell(PeerEvent::Left { client: member.client });
                }
                false
            }
            PeerMessage::Join { .. } | PeerMessage::Rebase { .. } => false,
        }
    }

    fn join(&mut self, asked: Asked) -> Result<Joined, Refusal> {
        let refuse = |message: String| Refusal::new(FileErrorKind::IoError, message);
        if self.peers.members.len() >= PEERS_MAX {
            return Err(refuse(format!("{}: {PEERS_MAX} pages are open already; close some", self.path)));
        }
        let taken = self.document.clients().into_iter().any(|(client, author)| {
            // A page that comes back may be faster than the end of its last visit.
            client == asked.client && author != asked.author
        });
        if taken || asked.client == 0 {
            return Err(refuse(format!("{}: the page's number is taken; load the page again", self.path)));
        }
        self.tell_peers();
        let epoch = self.document.open_session();
        let epoch: Arc<str> = format!("{:016x}-{epoch}", self.peers.nonce).into();
        let known = asked.known.filter(|(known, _)| **known == *epoch).map(|(_, vector)| vector);
        let broken = |error: UpdateError| refuse(format!("{}: {error}", self.path));
        let update = self.document.update_since(known.as_deref()).map_err(broken)?;
        let state_vector = self.document.state_vector().map_err(broken)?;
        let number = self.peers.next;
        self.peers.next += 1;
        let present = self.peers.members.values().filter_map(|member| member.presence.clone()).collect();
        let (client, author) = (asked.client, asked.author);
        self.peers.members.insert(number, Member { client, author, received: 0, saved: 0, presence: None });
        Ok(Joined {
            peer: PeerHandle { peer: number, mailbox: asked.mailbox },
            events: self.peers.listen(),
            epoch,
            update,
            state_vector,
            revision: self.revision,
            visitors: self.visitors(),
            present,
            unsaved: self.peers.unsaved.clone(),
        })
    }

    /// Brings a text that was made from `base` together with what stands here now.
    fn rebase(&mut self, author: &Author, base: &str, text: &str) -> Result<usize, Refusal> {
        let grown = text.len().saturating_sub(self.document.text().len());
        self.check_length(grown)?;
        document::text::check(text).map_err(|error| {
            Refusal::new(FileErrorKind::InvalidContent, format!("{}: {error}", self.path))
        })?;
        let before = self.document.mark();
        let merged = merge(base, self.document.text(), text);
        let length = merged.text.len();
        let edits = self.document.become_text(&Arc::new(merged.text), author);
        self.tell_of_clashes(&merged.notices);
        if !edits.is_empty() {
            self.typed(edits, author, ChangeKind::Edited);
            self.touched.compare(before, self.document.mark(), self.revision);
        }
        Ok(length)
    }

    fn take_update(&mut self, peer: u64, bytes: &[u8]) {
        let Some(member) = self.peers.members.get_mut(&peer) else { return };
        let (client, author) = (member.client, member.author.clone());
        if bytes.len() > self.options.content_max
            || self.document.text().len() + bytes.len() > self.options.document_max
        {
            return self
                .peers
                .expel(peer, "the text is longer than a document may be; keep a part elsewhere");
        }
        member.received += 1;
        if self.peers.typing.as_ref().is_some_and(|typing| typing.author != author) {
            self.close_typing();
        }
        let before = self.peers.typing.is_none().then(|| self.document.mark());
        match self.document.apply_update(bytes, client, &author) {
            Ok(mut edits) => {
                self.peers.tell(PeerEvent::Update { from: Some(peer), bytes: bytes.into() });
                self.take_out_zeros(&mut edits, &author);
                if !edits.is_empty() {
                    self.keep_typing(edits, &author, before);
                }
            }
            Err(UpdateError::Inconsistent | UpdateError::NoSession) => self.peers.tell(PeerEvent::Resync),
            Err(
                error @ (UpdateError::Malformed(_)
                | UpdateError::Gap
                | UpdateError::Forged { .. }
                | UpdateError::SplitCharacter),
            ) => self.peers.expel(peer, &error.to_string()),
        }
    }

    /// A file with a zero byte is no text, so a page's are taken out again at once.
    fn take_out_zeros(&mut self, edits: &mut Vec<Edit>, author: &Author) {
        if !edits.iter().any(|edit| edit.text.contains('\0')) {
            return;
        }
        while let Some(at) = self.document.text().find('\0') {
            match self.document.edit(at..at + 1, "", author) {
                Ok(edit) => edits.push(edit),
                Err(_) => return,
            }
        }
    }

    /// What one peer types between two turns is one operation; nobody has seen its revision yet.
    fn keep_typing(&mut self, edits: Vec<Edit>, author: &Author, before: Option<Revision>) {
        let goes_on = self.peers.typing.as_ref().is_some_and(|typing| typing.revision == self.revision);
        if goes_on && let Some(entry) = self.unnoted.last_mut() {
            entry.edits.extend(edits);
            return;
        }
        let before = match self.peers.typing.take() {
            Some(typing) => typing.before,
            None => before.unwrap_or_default(),
        };
        self.typed(edits, author, ChangeKind::Edited);
        self.peers.typing = Some(Typing { author: author.clone(), revision: self.revision, before });
    }

    fn typed(&mut self, edits: Vec<Edit>, author: &Author, kind: ChangeKind) {
        let actor = Actor::User(author.name().to_owned());
        self.changed(edits, &Change { actor: &actor, section: None, request: None, kind });
    }

    /// The operation that a peer's typing became is complete.
    pub(super) fn close_typing(&mut self) {
        if let Some(typing) = self.peers.typing.take() {
            self.touched.compare(typing.before, self.document.mark(), self.revision);
        }
    }

    /// Gives peers what was written here, and first the names of those who wrote it.
    pub(super) fn tell_peers(&mut self) {
        let known = (self.document.clients().len(), self.peers.next);
        if !self.peers.is_empty() && known != self.peers.told {
            self.peers.told = known;
            self.peers.tell(PeerEvent::Visitors(self.visitors()));
        }
        for update in self.document.drain_updates() {
            self.peers.tell(PeerEvent::Update { from: None, bytes: update.into() });
        }
    }

    /// Tells each peer how much of what it sent is in the file, or why it is not.
    pub(super) fn tell_peers_what_is_saved(&mut self) {
        self.tell_peers();
        let reason = match &self.trouble {
            Some(trouble) if self.is_dirty() => Some(Arc::from(cause(trouble))),
            Some(trouble @ crate::keeper::KeeperError::Gone) => Some(Arc::from(cause(trouble))),
            Some(_) | None => None,
        };
        if let Some(reason) = &reason
            && self.peers.unsaved.as_ref() != Some(reason)
        {
            self.peers.tell(PeerEvent::Unsaved { reason: Arc::clone(reason) });
        }
        let was_unsaved = std::mem::replace(&mut self.peers.unsaved, reason).is_some();
        if self.peers.unsaved.is_some() {
            return;
        }
        let revision = self.revision;
        let mut told = Vec::new();
        for (peer, member) in &mut self.peers.members {
            if member.saved != member.received || was_unsaved {
                member.saved = member.received;
                told.push(PeerEvent::Saved { peer: *peer, count: member.received, revision });
            }
        }
        told.into_iter().for_each(|event| self.peers.tell(event));
    }

    /// Everyone who wrote, and those who are here and may.
    fn clients(&self) -> Vec<(u64, Author)> {
        let mut clients = self.document.clients();
        for member in self.peers.members.values() {
            if !clients.iter().any(|(client, _)| *client == member.client) {
                clients.push((member.client, member.author.clone()));
            }
        }
        clients
    }

    fn visitors(&self) -> Arc<[Visitor]> {
        let is_person = |author: &Author| {
            *author == self.options.person
                || self.peers.members.values().any(|member| member.author == *author)
        };
        // A worker writes in the section of its name; one that wrote before a restart is known by that. Few documents need to be
        // looked through for it.
        let proposing: LazyCell<Vec<String>, _> = LazyCell::new(|| {
            let sections = find_sections(self.document.text());
            sections
                .iter()
                .filter(|section| is_proposal(section))
                .map(|section| folded(&section.title))
                .collect()
        });
        let visitor = |(client, author): (u64, Author)| {
            let is_agent = !is_person(&author)
                && (self.peers.agents.contains(&author) || proposing.contains(&folded(author.name())));
            Visitor { client, author, is_agent }
        };
        self.clients().into_iter().map(visitor).collect()
    }
}
