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

/// The authors of a document, each with its client number.
#[derive(Debug, Clone, Default)]
pub(crate) struct Authors {
    known: Vec<(Client, Author)>,
}

impl Authors {
    pub(crate) fn iter(&self) -> impl Iterator<Item = &(Client, Author)> {
        self.known.iter()
    }

    /// The author's client number, given now if this is the first time.
    pub(crate) fn client(&mut self, author: &Author) -> Client {
        if let Some((client, _)) = self.known.iter().find(|(_, known)| known == author) {
            return *client;
        }
        let mut client = hash(author.name());
        while self.known.iter().any(|(known, _)| *known == client) {
            client = hash(&client.to_string());
        }
        self.known.push((client, author.clone()));
        client
    }

    /// Gives a peer's own client number to an author. False if another author has that number.
    pub(crate) fn enlist(&mut self, client: Client, author: &Author) -> bool {
        match self.known.iter().find(|(known, _)| *known == client) {
            Some((_, known)) => known == author,
            None => {
                self.known.push((client, author.clone()));
                true
            }
        }
    }

    pub(crate) fn author(&self, client: Client) -> Option<&Author> {
        self.known.iter().find(|(known, _)| *known == client).map(|(_, author)| author)
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
