//! How the bytes of the fuzzer become the texts that a target needs.
//! Never rejects an input: every byte string gives some texts, so the fuzzer never wastes a run.

use std::borrow::Cow;

/// Ends one text and begins the next. A byte that no UTF-8 text contains, so it cannot stand inside a text.
const SEPARATOR: u8 = 0xff;

/// Splits `bytes` at the first `N - 1` separators into `N` texts; texts that are missing are empty.
///
/// Bytes that are no UTF-8 become replacement characters, because the functions under test take `&str`.
/// Text without such bytes reaches the target unchanged, so a plain markdown file is a fine seed.
pub fn texts<const N: usize>(bytes: &[u8]) -> [Cow<'_, str>; N] {
    let mut parts = bytes.splitn(N, |byte| *byte == SEPARATOR);
    std::array::from_fn(|_| String::from_utf8_lossy(parts.next().unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use super::texts;

    #[test]
    fn separators_part_the_texts_and_the_last_one_takes_the_rest() {
        assert_eq!(texts(b"base\xffours\xfftheirs"), ["base", "ours", "theirs"]);
        assert_eq!(texts(b"base"), ["base", "", ""]);
        assert_eq!(texts(b"a\xffb\xffc"), ["a", "b\u{fffd}c"]);
        assert_eq!(texts(b"# Plan\n"), ["# Plan\n"]);
    }
}
