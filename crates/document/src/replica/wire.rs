//! The Yjs update format (version 1), as far as one plain text needs it. Never accepts what a plain text cannot hold: formats,
//! embeds, maps, other roots.

use super::index::{Client, Id};

/// The root under which peers find the text.
pub(crate) const ROOT: &str = "text";

const CONTENT_GC: u8 = 0;
const CONTENT_DELETED: u8 = 1;
const CONTENT_STRING: u8 = 4;
const CONTENT_MASK: u8 = 0b1_1111;
const HAS_ORIGIN: u8 = 0x80;
const HAS_RIGHT_ORIGIN: u8 = 0x40;
const HAS_PARENT_KEY: u8 = 0x20;

/// One inserted run of text, with the units it stands between.
#[derive(Debug, Clone)]
pub(crate) struct Insertion<'a> {
    pub(crate) id: Id,
    pub(crate) left: Option<Id>,
    pub(crate) right: Option<Id>,
    pub(crate) text: &'a str,
}

/// Units of one client that were deleted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Deletion {
    pub(crate) id: Id,
    pub(crate) units: u32,
}

/// An update that makes these insertions and deletions. Insertions of one client stand in the order of their clocks.
pub(crate) fn write(insertions: &[Insertion<'_>], deletions: &[Deletion]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut clients: Vec<Client> = insertions.iter().map(|insertion| insertion.id.client).collect();
    clients.sort_unstable();
    clients.dedup();
    put(&mut bytes, clients.len() as u64);
    // Yjs writes the highest client first.
    for client in clients.into_iter().rev() {
        let of_client = insertions.iter().filter(|insertion| insertion.id.client == client);
        put(&mut bytes, of_client.clone().count() as u64);
        put(&mut bytes, client);
        put(&mut bytes, of_client.clone().next().map_or(0, |first| u64::from(first.id.clock)));
        of_client.for_each(|insertion| write_insertion(&mut bytes, insertion));
    }
    write_deletions(&mut bytes, deletions);
    bytes
}

fn write_insertion(bytes: &mut Vec<u8>, insertion: &Insertion<'_>) {
    let origin = if insertion.left.is_some() { HAS_ORIGIN } else { 0 };
    let right_origin = if insertion.right.is_some() { HAS_RIGHT_ORIGIN } else { 0 };
    bytes.push(CONTENT_STRING | origin | right_origin);
    for id in [insertion.left, insertion.right].into_iter().flatten() {
        put(bytes, id.client);
        put(bytes, u64::from(id.clock));
    }
    if insertion.left.is_none() && insertion.right.is_none() {
        bytes.push(1);
        put_text(bytes, ROOT);
    }
    put_text(bytes, insertion.text);
}

fn write_deletions(bytes: &mut Vec<u8>, deletions: &[Deletion]) {
    let mut deletions = deletions.to_vec();
    deletions.sort_unstable_by_key(|deletion| (deletion.id.client, deletion.id.clock));
    let groups = deletions.chunk_by(|a, b| a.id.client == b.id.client);
    put(bytes, groups.clone().count() as u64);
    for group in groups.rev() {
        put(bytes, group.first().map_or(0, |first| first.id.client));
        put(bytes, group.len() as u64);
        for deletion in group {
            put(bytes, u64::from(deletion.id.clock));
            put(bytes, u64::from(deletion.units));
        }
    }
}

/// An unsigned number in groups of seven bits, lowest first.
pub(crate) fn put(bytes: &mut Vec<u8>, mut number: u64) {
    while number > 0x7f {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

pub(crate) fn put_text(bytes: &mut Vec<u8>, text: &str) {
    put(bytes, text.len() as u64);
    bytes.extend_from_slice(text.as_bytes());
}

/// What a peer's update holds, before it is trusted.
#[derive(Debug, Default)]
pub(crate) struct Parsed<'a> {
    pub(crate) blocks: Vec<Block<'a>>,
    pub(crate) deletions: Vec<Deletion>,
}

impl Parsed<'_> {
    /// Whether the update itself deletes a unit.
    pub(crate) fn deletes(&self, id: Option<Id>) -> bool {
        id.is_some_and(|id| {
            self.deletions.iter().any(|deletion| {
                deletion.id.client == id.client && id.clock.wrapping_sub(deletion.id.clock) < deletion.units
            })
        })
    }
}

/// A run of consecutive units of one client.
#[derive(Debug)]
pub(crate) struct Block<'a> {
    pub(crate) id: Id,
    pub(crate) units: u32,
    pub(crate) left: Option<Id>,
    pub(crate) right: Option<Id>,
    /// Nothing if the units were deleted before they came here.
    pub(crate) text: Option<&'a str>,
}

/// Why an update of a peer cannot be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MalformedUpdate {
    /// The bytes end in the middle of something, or go on behind the end.
    #[error("the update is cut short or has bytes behind its end")]
    Truncated,
    /// A number is larger than any document can need.
    #[error("the update holds a number out of range")]
    OutOfRange,
    /// A text is no UTF-8.
    #[error("the update holds text that is not UTF-8")]
    NotText,
    /// Something else than plain text under the known root.
    #[error("the update holds something else than plain text (kind {kind})")]
    NotPlain {
        /// The kind of content, as Yjs numbers it.
        kind: u8,
    },
}

/// Reads an update, accepting only what a plain text can hold.
pub(crate) fn read(bytes: &[u8]) -> Result<Parsed<'_>, MalformedUpdate> {
    let mut reader = Reader { bytes };
    let mut parsed = Parsed::default();
    for _ in 0..reader.number()? {
        let blocks = reader.number()?;
        let client = reader.number()?;
        let mut clock = reader.small()?;
        for _ in 0..blocks {
            let block = reader.block(Id { client, clock })?;
            clock = clock.checked_add(block.units).ok_or(MalformedUpdate::OutOfRange)?;
            parsed.blocks.push(block);
        }
    }
    for _ in 0..reader.number()? {
        let client = reader.number()?;
        for _ in 0..reader.number()? {
            let id = Id { client, clock: reader.small()? };
            let units = reader.small()?;
            id.clock.checked_add(units).ok_or(MalformedUpdate::OutOfRange)?;
            parsed.deletions.push(Deletion { id, units });
        }
    }
    if reader.bytes.is_empty() { Ok(parsed) } else { Err(MalformedUpdate::Truncated) }
}

/// Reads numbers and texts off the front of some bytes.
pub(crate) struct Reader<'a> {
    pub(crate) bytes: &'a [u8],
}

impl<'a> Reader<'a> {
    fn block(&mut self, id: Id) -> Result<Block<'a>, MalformedUpdate> {
        let info = self.byte()?;
        let kind = info & CONTENT_MASK;
        if kind == CONTENT_GC {
            let units = self.length()?;
            return Ok(Block { id, units, left: None, right: None, text: None });
        }
        if !matches!(kind, CONTENT_STRING | CONTENT_DELETED) {
            return Err(MalformedUpdate::NotPlain { kind });
        }
        let left = if info & HAS_ORIGIN != 0 { Some(self.id()?) } else { None };
        let right = if info & HAS_RIGHT_ORIGIN != 0 { Some(self.id()?) } else { None };
        if left.is_none() && right.is_none() {
            let is_root = self.number()? == 1;
            if !is_root || self.text()? != ROOT || info & HAS_PARENT_KEY != 0 {
                return Err(MalformedUpdate::NotPlain { kind });
            }
        }
        if kind == CONTENT_DELETED {
            return Ok(Block { id, units: self.length()?, left, right, text: None });
        }
        let text = self.text()?;
        let units = super::index::units(text);
        if units == 0 {
            return Err(MalformedUpdate::OutOfRange);
        }
        Ok(Block { id, units, left, right, text: Some(text) })
    }

    fn id(&mut self) -> Result<Id, MalformedUpdate> {
        Ok(Id { client: self.number()?, clock: self.small()? })
    }

    fn byte(&mut self) -> Result<u8, MalformedUpdate> {
        let (first, rest) = self.bytes.split_first().ok_or(MalformedUpdate::Truncated)?;
        self.bytes = rest;
        Ok(*first)
    }

    /// Numbers go up to 2^53, which is what a Yjs client can hold.
    pub(crate) fn number(&mut self) -> Result<u64, MalformedUpdate> {
        let mut number = 0_u64;
        for shift in (0..53).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return if number < 1 << 53 { Ok(number) } else { Err(MalformedUpdate::OutOfRange) };
            }
        }
        Err(MalformedUpdate::OutOfRange)
    }

    pub(crate) fn small(&mut self) -> Result<u32, MalformedUpdate> {
        // A quarter of the range leaves room to add two of them.
        let number = self.number()?;
        u32::try_from(number).ok().filter(|&small| small < 1 << 30).ok_or(MalformedUpdate::OutOfRange)
    }

    fn length(&mut self) -> Result<u32, MalformedUpdate> {
        self.small().and_then(|units| if units == 0 { Err(MalformedUpdate::OutOfRange) } else { Ok(units) })
    }

    pub(crate) fn text(&mut self) -> Result<&'a str, MalformedUpdate> {
        std::str::from_utf8(self.sized()?).map_err(|_| MalformedUpdate::NotText)
    }

    /// Some bytes with their number before them.
    pub(crate) fn sized(&mut self) -> Result<&'a [u8], MalformedUpdate> {
        let length = self.small()? as usize;
        let (bytes, rest) = self.bytes.split_at_checked(length).ok_or(MalformedUpdate::Truncated)?;
        self.bytes = rest;
        Ok(bytes)
    }
}
