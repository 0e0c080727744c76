//! Sums that find damage and name files (FNV-1a). Never a defence against an attacker, who could write the files itself.

/// A sum of 64 bits that any change of one byte changes.
pub(crate) fn sum64(parts: &[&[u8]]) -> u64 {
    let bytes = parts.iter().flat_map(|part| part.iter());
    bytes
        .fold(0xcbf2_9ce4_8422_2325, |sum, byte| (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3))
}

/// A sum of 128 bits in hexadecimal, the same on every machine.
pub(crate) fn hex128(bytes: &[u8]) -> String {
    let sum = bytes.iter().fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d_u128, |sum, byte| {
        (sum ^ u128::from(*byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
    });
    format!("{sum:032x}")
}
