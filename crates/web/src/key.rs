//! Whom a secret lets in, and as what. Never takes a role from anything but the secret, and never says which part of one was wrong.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use workspace::token::Token;

/// How many secrets there may be at once.
const KEYS_MAX: usize = 64;

/// What the one who knows a secret may do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Role {
    /// Everything: it is the person who started the server, or somebody they gave the link to.
    Person,
    /// See documents, and change nothing.
    Reader,
    /// Read documents, and write in the section of this name.
    Worker(String),
}

/// A secret and what it opens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Key {
    /// The secret.
    pub token: Token,
    /// What it opens.
    pub role: Role,
}

/// Writes the secrets down for the next start. Must not block for long.
pub type Keep = Arc<dyn Fn(&[Key]) + Send + Sync>;

/// The secrets of a server. They end together, so that a link that went astray is worth nothing.
pub(crate) struct Keys {
    held: Mutex<Vec<Key>>,
    /// Counts how often all were made anew; open sockets listen.
    renewals: watch::Sender<u64>,
    keep: Keep,
}

impl Keys {
    pub(crate) fn new(held: Vec<Key>, keep: Keep) -> Keys {
        Keys { held: Mutex::new(held), renewals: watch::Sender::new(0), keep }
    }

    /// What a secret opens. All are compared, so that the time tells nothing.
    pub(crate) fn role(&self, given: &str) -> Option<Role> {
        let held = self.lock();
        held.iter().fold(None, |found, key| if key.token.is(given) { Some(key.role.clone()) } else { found })
    }

    /// The secret for a role: the one that there is, or a new one. None if there are too many.
    pub(crate) fn given(&self, role: Role) -> std::io::Result<Option<Token>> {
        let token = Token::random()?;
        let mut held = self.lock();
        if let Some(key) = held.iter().find(|key| key.role == role) {
            return Ok(Some(key.token.clone()));
        }
        if held.len() >= KEYS_MAX {
            return Ok(None);
        }
        held.push(Key { token: token.clone(), role });
        (self.keep)(&held);
        Ok(Some(token))
    }

    /// Ends every secret and makes a new one for the person. Sockets that came with an old one are closed.
    pub(crate) fn renew(&self) -> std::io::Result<Token> {
        let token = Token::random()?;
        let mut held = self.lock();
        *held = vec![Key { token: token.clone(), role: Role::Person }];
        (self.keep)(&held);
        drop(held);
        self.renewals.send_modify(|count| *count += 1);
        Ok(token)
    }

    /// Changes when the secrets were made anew.
    pub(crate) fn renewals(&self) -> watch::Receiver<u64> {
        self.renewals.subscribe()
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Key>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One who was let in, as the routes see them.
#[derive(Debug, Clone)]
pub(crate) struct Admitted {
    pub(crate) role: Role,
    /// Counted when they came, so that a socket knows whether the secrets were made anew since.
    pub(crate) renewals: watch::Receiver<u64>,
}
