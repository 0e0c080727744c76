//! Names of those who write, and the one client number that each has. Never changes a number once it is given.

use super::index::Client;

/// Who wrote a span: a person, an agent, or a web peer, by the name that the caller uses for them.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Author(String);

impl Author {
    /// An author of this name. The same name is the same author.
    pub fn new(name: impl Into<String>) -> Author {
        Author(name.into())
    }

    /// The author's name.
    pub fn name(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for Author {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// The authors of a document and their client numbers: one for what is written here, and one for each peer that
/// writes for the author elsewhere. Nothing is ever written here under a peer's number, which counts on its own.
#[derive(Debug, Clone, Default)]
pub(crate) struct Authors {
    known: Vec<Known>,
}

#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub(crate) client: Client,
    pub(crate) author: Author,
    pub(crate) is_peer: bool,
}

impl Authors {
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Known> {
        self.known.iter()
    }

    /// The number that the author writes under here, given now if this is the first time.
    pub(crate) fn client(&mut self, author: &Author) -> Client {
        if let Some(known) = self.known.iter().find(|known| !known.is_peer && known.author == *author) {
            return known.client;
        }
        let mut client = hash(author.name());
        while self.known.iter().any(|known| known.client == client) {
            client = hash(&client.to_string());
        }
        self.known.push(Known { client, author: author.clone(), is_peer: false });
        client
    }

    /// Gives a peer's own number to an author. False if it is the number of another, or one that is used here.
    pub(crate) fn enlist(&mut self, client: Client, author: &Author) -> bool {
        match self.known.iter().find(|known| known.client == client) {
            Some(known) => known.is_peer && known.author == *author,
            None => {
                self.known.push(Known { client, author: author.clone(), is_peer: true });
                true
            }
        }
    }

    /// Takes over an author as it was saved. False if the number is taken.
    pub(crate) fn restore(&mut self, restored: Known) -> bool {
        let is_free = self.known.iter().all(|known| known.client != restored.client);
        if is_free {
            self.known.push(restored);
        }
        is_free
    }

    pub(crate) fn author(&self, client: Client) -> Option<&Author> {
        self.known.iter().find(|known| known.client == client).map(|known| &known.author)
    }
}

/// A number of 32 bits, as Yjs draws them, that depends on the name alone: the same on every machine and in every run.
fn hash(name: &str) -> Client {
    let mut hash = 0x811c_9dc5_u32;
    for byte in name.bytes() {
        hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    }
    Client::from(hash.max(1))
}
