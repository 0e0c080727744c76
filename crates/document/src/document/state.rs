//! A document as bytes, for the sidecar, and back. Never outranks the file: where the two differ, the file is absorbed.

use super::anchor::Anchors;
use super::{Author, Document, StateError};
use crate::history::History;
use crate::replica::{Reader, Replica, put};
use crate::versions::Versions;

/// What the bytes begin with: a name, and the version of the format.
const MAGIC: &[u8] = b"agent-doc\x01";
/// How many bytes versions may take beside those of a short text: room for a quarter of an hour of an answer.
const VERSION_BYTES_MIN: usize = 1 << 16;
/// What they end with: a sum over all that goes before.
const SUM_BYTES: usize = 8;

impl Document {
    /// The whole document as bytes: text, authors, anchors, latest versions, and the session if one is open.
    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.text().len() + self.text().len() / 4 + 64);
        bytes.extend_from_slice(MAGIC);
        put(&mut bytes, self.revision);
        put(&mut bytes, self.epoch);
        self.replica.encode(&mut bytes);
        let anchors: Vec<_> = self.anchors.iter().collect();
        put(&mut bytes, anchors.len() as u64);
        for (anchor, at) in anchors {
            put(&mut bytes, anchor.number());
            put(&mut bytes, at as u64);
        }
        self.versions.encode(&mut bytes, self.text().len() / 4 + VERSION_BYTES_MIN);
        let sum = checksum(&bytes);
        bytes.extend_from_slice(&sum);
        bytes
    }

    /// Reads what [`encode`](Self::encode) wrote.
    pub fn decode(bytes: &[u8]) -> Result<Document, StateError> {
        let (bytes, sum) = bytes.split_last_chunk::<SUM_BYTES>().ok_or(StateError::UnknownVersion)?;
        let body = bytes.strip_prefix(MAGIC).ok_or(StateError::UnknownVersion)?;
        // A damaged sidecar must not reach the CRDT library, which trusts its own format.
        if checksum(bytes) != *sum {
            return Err(StateError::Damaged);
        }
        let mut reader = Reader { bytes: body };
        let revision = reader.number()?;
        let epoch = reader.number()?;
        let replica = Replica::decode(&mut reader)?;
        let mut anchors = Anchors::default();
        for _ in 0..reader.number()? {
            let (number, at) = (reader.number()?, reader.small()? as usize);
            if !replica.text().is_char_boundary(at) {
                return Err(StateError::Damaged);
            }
            anchors.restore(number, at);
        }
        let versions = Versions::decode(&mut reader, replica.text())?;
        if !reader.bytes.is_empty() {
            return Err(StateError::Damaged);
        }
        Ok(Document { replica, history: History::new(revision), versions, anchors, revision, epoch })
    }

    /// Goes on with a saved document, given what its file holds now. What was changed in the file meanwhile is taken in as
    /// `author`'s edit; bytes that cannot be used are as good as none.
    pub fn resume(state: &[u8], file: &str, author: &Author) -> Document {
        match Document::decode(state) {
            Ok(mut document) => {
                document.absorb(file, author);
                document
            }
            Err(_) => Document::open(file, author),
        }
    }
}

/// A sum that changes with any bit (FNV-1a). Against damage, not against an attacker, who could write the document itself.
fn checksum(bytes: &[u8]) -> [u8; SUM_BYTES] {
    let mut sum = 0xcbf2_9ce4_8422_2325_u64;
    for byte in bytes {
        sum = (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    sum.to_le_bytes()
}
