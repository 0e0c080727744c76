//! A plain pipeline cut into its stages, because the grammar takes four times as long for all of it as for each part. Never cuts where
//! it is not certain: whatever could hide a bar, or give it another meaning, is left to the grammar.

use std::ops::Range;

/// Outside of quotes, each of these may hide a bar, or make something else of it.
const DOUBTFUL: &[u8] = b"`$\\(){};&#!\n\r";

/// The stages of a pipeline of two or more plain commands; none if the text is anything else, or may be.
pub(super) fn stages(text: &str) -> Option<Vec<Range<usize>>> {
    let bytes = text.as_bytes();
    let (mut found, mut start, mut at) = (Vec::new(), 0, 0);
    while let Some(byte) = bytes.get(at) {
        match byte {
            b'\'' => at += end_of_quote(bytes.get(at + 1..)?, b'\'', b"")?,
            b'"' => at += end_of_quote(bytes.get(at + 1..)?, b'"', b"`$\\!")?,
            b'<' if bytes.get(at + 1) == Some(&b'<') => return None,
            b'|' => {
                // Two are another operator, and after a sign of redirection one is part of it.
                let is_doubled = bytes.get(at + 1) == Some(&b'|');
                let is_of_redirection = at.checked_sub(1).and_then(|before| bytes.get(before)) == Some(&b'>');
                if is_doubled || is_of_redirection {
                    return None;
                }
                found.push(start..at);
                start = at + 1;
            }
            byte if DOUBTFUL.contains(byte) => return None,
            _ => {}
        }
        at += 1;
    }
    if found.is_empty() {
        return None;
    }
    found.push(start..bytes.len());
    let is_blank = |range: &Range<usize>| text.get(range.clone()).is_none_or(|stage| stage.trim().is_empty());
    (!found.iter().any(is_blank)).then_some(found)
}

/// How far it is to the closing sign, if none of `doubtful` stands before it.
fn end_of_quote(rest: &[u8], sign: u8, doubtful: &[u8]) -> Option<usize> {
    let length = rest.iter().position(|byte| *byte == sign)?;
    let inside = rest.get(..length)?;
    (!inside.iter().any(|byte| doubtful.contains(byte))).then_some(length + 1)
}

#[cfg(test)]
mod tests {
    use super::stages;

    fn check(text: &str, expected: Option<&[&str]>) {
        let found = stages(text);
        let found = found.map(|all| all.into_iter().map(|one| text.get(one).unwrap()).collect::<Vec<_>>());
        assert_eq!(found.as_deref(), expected, "{text}");
    }

    #[test]
    fn a_plain_pipeline_is_cut_at_its_bars() {
        check("ls | wc -l", Some(&["ls ", " wc -l"]));
        check(
            "grep -n 'a|b$' \"x|y\" 2>/dev/null|sort",
            Some(&["grep -n 'a|b$' \"x|y\" 2>/dev/null", "sort"]),
        );
    }

    #[test]
    fn what_may_be_something_else_is_not_cut() {
        for text in [
            "ls",
            "a || b",
            "a |& b",
            "a >| b | c",
            "a | b; c",
            "a | b & c",
            "a | $(b)",
            "a | `b`",
            "a \\| b | c",
            "a | b # | c",
            "a | b\n| c",
            "a 'x | b",
            "a \"$x\" | b",
            "a \"\\\" | b\" | c",
            "cat <<E | b",
            "{ a | b; }",
            "(a | b)",
            "! a | b",
            "a | | b",
            "| a",
            "a |",
        ] {
            check(text, None);
        }
    }
}
