//! Sums that find damage and name files. Never a defence against an attacker, who could write the files itself.

use std::hint::black_box;

/// A sum of 64 bits that any change of one byte changes (FNV-1a).
pub(crate) fn sum64(parts: &[&[u8]]) -> u64 {
    let bytes = parts.iter().flat_map(|part| part.iter());
    bytes
        .fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// A sum of 64 bits for texts of any length, the same on every machine.
pub(crate) fn long_sum64(bytes: &[u8]) -> u64 {
    let mut sum = LongSum::default();
    sum.add(bytes);
    sum.value()
}

/// The sum of [`long_sum64`], of a text that comes in pieces: 32 bytes a step, in four lanes, because each step of one waits for the one
/// before it.
#[derive(Debug)]
pub(crate) struct LongSum {
    lanes: [u64; 4],
    length: usize,
    /// The beginning of a block that is not whole yet.
    begun: Vec<u8>,
}

impl Default for LongSum {
    fn default() -> LongSum {
        LongSum { lanes: LANES, length: 0, begun: Vec::new() }
    }
}

impl LongSum {
    /// Adds what follows.
    pub(crate) fn add(&mut self, bytes: &[u8]) {
        self.length += bytes.len();
        let missing = if self.begun.is_empty() { 0 } else { BLOCK - self.begun.len() };
        let (first, bytes) = bytes.split_at_checked(missing).unwrap_or((bytes, &[]));
        self.begun.extend_from_slice(first);
        if let Ok(block) = self.begun.as_slice().try_into() {
            self.lanes = taken(self.lanes, &block);
            self.begun.clear();
        }
        let (blocks, rest) = bytes.as_chunks::<BLOCK>();
        self.lanes = blocks.iter().fold(self.lanes, taken);
        self.begun.extend_from_slice(rest);
    }

    /// The sum of all that was added.
    pub(crate) fn value(&self) -> u64 {
        let sum = self.lanes.into_iter().fold(self.rest(), mixed);
        sum.wrapping_mul(0xc4ce_b9fe_1a85_ec53) ^ (sum >> 29)
    }

    /// A longer sum of the same, in hexadecimal: the lanes once more, in the other order.
    pub(crate) fn hex128(&self) -> String {
        let other = self.lanes.into_iter().rev().fold(!self.rest(), mixed);
        format!("{:016x}{other:016x}", self.value())
    }

    fn rest(&self) -> u64 {
        self.begun.iter().fold(self.length as u64, |sum, byte| mixed(sum, u64::from(*byte)))
    }
}

const BLOCK: usize = 32;

const LANES: [u64; 4] =
    [0x9e37_79b9_7f4a_7c15, 0xbf58_476d_1ce4_e5b9, 0x94d0_49bb_1331_11eb, 0xd6e8_feb8_6659_fd93];

/// The lanes with one more block, a word for each. Written out, because all sums of long texts pass through here.
#[inline]
fn taken([a, b, c, d]: [u64; 4], block: &[u8; BLOCK]) -> [u64; 4] {
    let word = |index: usize| {
        let (words, _) = block.as_chunks::<8>();
        words.get(index).map_or(0, |word| u64::from_le_bytes(*word))
    };
    // Two words that the compiler cannot look through keep it from putting lanes together: a product of two of them at once takes
    // several steps on most processors, and that is twice as slow as one after the other.
    [mixed(a, black_box(word(0))), mixed(b, word(1)), mixed(c, black_box(word(2))), mixed(d, word(3))]
}

#[inline]
fn mixed(sum: u64, word: u64) -> u64 {
    let sum = (sum ^ word).wrapping_mul(0xff51_afd7_ed55_8ccd);
    sum ^ (sum >> 32)
}

/// A sum of 128 bits in hexadecimal for texts of any length: 32 bytes a step, where [`hex128`] takes one.
pub(crate) fn long_hex128(bytes: &[u8]) -> String {
    let mut sum = LongSum::default();
    sum.add(bytes);
    sum.hex128()
}

/// A sum of 128 bits in hexadecimal, the same on every machine.
pub(crate) fn hex128(bytes: &[u8]) -> String {
    let sum = bytes.iter().fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d_u128, |sum, byte| {
        (sum ^ u128::from(*byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
    });
    format!("{sum:032x}")
}

#[cfg(test)]
mod tests {
    use super::{LongSum, long_hex128, long_sum64};

    #[test]
    fn a_text_has_the_same_sum_however_it_is_cut() {
        let text: Vec<u8> = (0..=255).chain(0..70).collect();
        let whole = long_sum64(&text);
        assert_eq!(whole, 18_047_375_196_298_778_675, "what the journals of earlier programs hold");
        for length in 1..text.len() {
            let mut sum = LongSum::default();
            text.chunks(length).for_each(|piece| sum.add(piece));
            assert_eq!(sum.value(), whole, "pieces of {length} bytes");
        }
    }

    #[test]
    fn every_byte_and_the_length_of_a_text_count() {
        let text = "The text of a document, which is longer than a word.";
        let whole = long_hex128(text.as_bytes());
        for at in 0..text.len() {
            let mut other = text.as_bytes().to_vec();
            other[at] ^= 0x80;
            assert_ne!(long_hex128(&other), whole, "byte {at}");
            assert_ne!(long_hex128(&text.as_bytes()[..at]), whole, "length {at}");
            assert_ne!(long_sum64(&other), long_sum64(text.as_bytes()), "byte {at}");
            assert_ne!(long_sum64(&text.as_bytes()[..at]), long_sum64(text.as_bytes()), "length {at}");
        }
        assert_ne!(long_hex128(b""), long_hex128(&[0]));
        assert_eq!(whole.len(), 32);
    }
}
