//! How one record lies in the file: its length, a sum of the content, which counts its length, and the content. Never reads past the end,
//! and never trusts a length that the sum does not vouch for.

use crate::checksum::{long_sum64, sum64};

const LENGTH_BYTES: usize = 4;
const SUM_BYTES: usize = 8;
const HEADER_BYTES: usize = LENGTH_BYTES + SUM_BYTES;

/// What stands at the beginning of some bytes.
#[derive(Debug)]
pub(super) enum Next<'a> {
    /// Nothing more.
    End,
    /// A whole record, and the bytes after it.
    Whole { content: &'a [u8], rest: &'a [u8] },
    /// Something that is no record. `rest` begins where the next one would, if the length can be believed.
    Damaged { rest: Option<&'a [u8]> },
}

/// Adds one record. False if it is too long to be one.
#[must_use]
pub(super) fn put(bytes: &mut Vec<u8>, content: &[u8]) -> bool {
    let Ok(length) = u32::try_from(content.len()) else {
        return false;
    };
    let length = length.to_le_bytes();
    bytes.extend_from_slice(&length);
    bytes.extend_from_slice(&long_sum64(content).to_le_bytes());
    bytes.extend_from_slice(content);
    true
}

/// What a whole record holds, without what is before it.
pub(super) fn content(record: &[u8]) -> &[u8] {
    record.get(HEADER_BYTES..).unwrap_or_default()
}

pub(super) fn next(bytes: &[u8]) -> Next<'_> {
    if bytes.is_empty() {
        return Next::End;
    }
    let Some((header, after)) = bytes.split_at_checked(HEADER_BYTES) else {
        return Next::Damaged { rest: None };
    };
    let (Some((length, _)), Some((_, sum))) =
        (header.split_first_chunk::<LENGTH_BYTES>(), header.split_last_chunk::<SUM_BYTES>())
    else {
        return Next::Damaged { rest: None };
    };
    let Some((content, rest)) = after.split_at_checked(u32::from_le_bytes(*length) as usize) else {
        return Next::Damaged { rest: None };
    };
    // The second sum is that of journals from before the first was found, which takes a tenth of the time.
    let sum = u64::from_le_bytes(*sum);
    if long_sum64(content) == sum || sum64(&[length, content]) == sum {
        Next::Whole { content, rest }
    } else {
        Next::Damaged { rest: Some(rest) }
    }
}
