//! Any two changes of any text can be merged, and nobody's words are lost.
//! Never asks which order is nicer; only what every merge promises.
#![no_main]

use std::collections::HashSet;

use document::diff::{Hunk, diff, diff_lines, unified};
use document::merge::{Merge, NoticeKind, merge, merge_diff3};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let [base, ours, theirs] = fuzz::texts::<3>(bytes);
    for (old, new) in [(&base, &ours), (&base, &theirs), (&ours, &theirs)] {
        assert_eq!(applied(old, new, &diff(old, new)), **new);
        assert_eq!(applied(old, new, &diff_lines(old, new)), **new);
        assert_eq!(unified(old, new, 3).is_empty(), old == new);
    }
    assert_eq!(merge(&base, &base, &theirs).text, theirs);
    assert_eq!(merge(&base, &ours, &base).text, ours);
    assert_eq!(merge(&base, &ours, &ours).text, ours);
    if theirs.is_empty() {
        return; // An editor in the middle of a save, not a deletion of everything.
    }
    check_words(&base, &ours, &theirs, &merge(&base, &ours, &theirs));
    check_words(&base, &ours, &theirs, &merge_diff3(&base, &ours, &theirs));
});

fn applied(old: &str, new: &str, hunks: &[Hunk]) -> String {
    let mut text = String::new();
    let mut at = 0;
    for hunk in hunks {
        text.push_str(&old[at..hunk.old.start]);
        text.push_str(&new[hunk.new.clone()]);
        at = hunk.old.end;
    }
    text.push_str(&old[at..]);
    text
}

/// A word that one side wrote stands in the merge, and so does a word that nobody removed. Words nobody wrote do not.
/// Of a word that the base holds twice, one side may have kept the first and the other the second.
fn check_words(base: &str, ours: &str, theirs: &str, merged: &Merge) {
    let [in_base, in_ours, in_theirs, in_merged] = [base, ours, theirs, &merged.text].map(words);
    let told: HashSet<&str> = merged
        .notices
        .iter()
        .filter(|notice| notice.kind == NoticeKind::PersonKept)
        .flat_map(|notice| words(&notice.ours))
        .collect();
    let is_single = |word: &str| words_in(base).filter(|other| *other == word).count() == 1;
    for word in &in_ours {
        let must_stay = !in_base.contains(word) || (in_theirs.contains(word) && is_single(word));
        let stays = in_merged.contains(word) || told.contains(word);
        assert!(!must_stay || stays, "{word:?} of the agent is lost: {merged:?}");
    }
    for word in &in_theirs {
        let must_stay = !in_base.contains(word) || (in_ours.contains(word) && is_single(word));
        assert!(!must_stay || in_merged.contains(word), "{word:?} of the person is lost: {merged:?}");
    }
    let is_marked = merged.notices.iter().any(|notice| notice.kind == NoticeKind::Conflict);
    for word in in_merged.iter().filter(|_| !is_marked) {
        let is_known = in_base.contains(word) || in_ours.contains(word) || in_theirs.contains(word);
        assert!(is_known, "{word:?} was written by nobody: {merged:?}");
    }
}

fn words(text: &str) -> HashSet<&str> {
    words_in(text).collect()
}

fn words_in(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !(c.is_alphanumeric() || c == '_')).filter(|word| !word.is_empty())
}
