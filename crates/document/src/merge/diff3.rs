//! Merging with conflict markers, for append and template documents and for git. Never marks what can be merged.

use super::{Merge, Style, merge_in_style};

/// Label of the agent's side in a conflict.
pub const LABEL_OURS: &str = "agent-response";
/// Label of the common text in a conflict.
pub const LABEL_BASE: &str = "original";
/// Label of the person's side in a conflict.
pub const LABEL_THEIRS: &str = "your-edits";

/// Merges like [`merge`](super::merge()), but writes diff3 conflict markers where both sides changed the same words.
/// Where nothing but blanks stood before, both texts are kept without markers, the agent's first.
///
/// Each conflict is a [`Notice`](super::Notice) of kind [`Conflict`](super::NoticeKind::Conflict).
///
/// ```
/// use document::merge::merge_diff3;
///
/// let merged = merge_diff3("one\n", "two\n", "three\n");
/// assert_eq!(
///     merged.text,
///     "<<<<<<< agent-response\ntwo\n||||||| original\none\n=======\nthree\n>>>>>>> your-edits\n",
/// );
/// ```
pub fn merge_diff3(base: &str, ours: &str, theirs: &str) -> Merge {
    merge_in_style(base, ours, theirs, Style::Diff3)
}

/// Both versions and the original between markers, in the line ending of the lines themselves.
pub(super) fn conflict(ours: &str, original: &str, theirs: &str) -> String {
    let is_crlf = [ours, original, theirs].iter().any(|text| text.contains("\r\n"));
    let end = if is_crlf { "\r\n" } else { "\n" };
    format!(
        "<<<<<<< {LABEL_OURS}{end}{ours}||||||| {LABEL_BASE}{end}{original}======={end}{theirs}>>>>>>> {LABEL_THEIRS}{end}"
    )
}
