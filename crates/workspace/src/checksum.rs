//! Sums that find damage and name files (FNV-1a). Never a defence against an attacker, who could write the files itself.

/// A sum of 64 bits that any change of one byte changes.
pub(crate) fn sum64(parts: &[&[u8]]) -> u64 {
    let bytes = parts.iter().flat_map(|part| part.iter());
    bytes
        .fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// A sum of 128 bits in hexadecimal for texts of any length: eight bytes a step, where [`hex128`] takes one.
pub(crate) fn long_hex128(bytes: &[u8]) -> String {
    const FACTORS: [u64; 2] = [0x9e37_79b9_7f4a_7c15, 0xc2b2_ae3d_27d4_eb4f];
    let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
    let mut sums = [length, !length];
    let (words, rest) = bytes.as_chunks::<8>();
    let mut last = [0; 8];
    last.iter_mut().zip(rest).for_each(|(to, from)| *to = *from);
    for word in words.iter().chain([&last]) {
        let word = u64::from_le_bytes(*word);
        for (sum, factor) in sums.iter_mut().zip(FACTORS) {
            // Each step can be undone, so that texts which differ in one word never meet; the turn brings high bits down.
            *sum = (*sum ^ word).wrapping_mul(factor).rotate_left(29);
        }
    }
    let [one, other] = sums;
    format!("{one:016x}{other:016x}")
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
    use super::long_hex128;

    #[test]
    fn every_byte_and_the_length_of_a_text_count() {
        let text = "The text of a document, which is longer than a word.";
        let whole = long_hex128(text.as_bytes());
        for at in 0..text.len() {
            let mut other = text.as_bytes().to_vec();
            other[at] ^= 0x80;
            assert_ne!(long_hex128(&other), whole, "byte {at}");
            assert_ne!(long_hex128(&text.as_bytes()[..at]), whole, "length {at}");
        }
        assert_ne!(long_hex128(b""), long_hex128(&[0]));
        assert_eq!(whole.len(), 32);
    }
}
