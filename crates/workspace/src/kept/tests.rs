//! What is kept is read back whole, whichever of the two files it is in, and whatever a crash left of them.

use std::fs;
use std::io::ErrorKind;
use std::path::Path;

use document::Edit;

use super::{CHANGED_MIN, EDITS_MAX, KeptText, Seen, When};
use crate::journal::edits_between;
use crate::pending::fingerprint;

/// A text that is long enough to be changed by edits.
fn long() -> String {
    (0..).map(|number| format!("Line {number} of a long text.\n")).take(CHANGED_MIN as usize / 20).collect()
}

/// As if an answer had been put into what is kept.
fn change(kept: &KeptText, new: &str) -> Vec<Edit> {
    let seen = looked(kept);
    let edits = edits_between(&kept.get().unwrap().unwrap(), new);
    kept.change(&seen, &edits, &[new], When::Now).unwrap();
    assert_is(kept, new);
    edits
}

fn looked(kept: &KeptText) -> Seen {
    kept.look().unwrap().unwrap()
}

fn assert_is(kept: &KeptText, text: &str) {
    assert_eq!(kept.get().unwrap().as_deref(), Some(text));
    assert_eq!(looked(kept).fingerprint(), fingerprint(text));
}

fn names(folder: &Path) -> Vec<String> {
    let listed = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        listed.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn a_long_text_with_a_few_more_words_is_kept_as_edits() {
    let folder = tempfile::tempdir().unwrap();
    let kept = KeptText::at(&folder.path().join("a.md"));
    assert_eq!(kept.get().unwrap(), None);
    assert!(kept.look().unwrap().is_none());

    let text = long();
    kept.set(&[&text], When::Now).unwrap();
    assert_is(&kept, &text);
    let mut now = text.clone();
    for number in 0..5 {
        now = now.replacen("Line 7 ", &format!("Line {number} — 日本 — 7 "), 1) + "More.\n";
        change(&kept, &now);
    }
    assert_eq!(fs::read_to_string(folder.path().join("a.md")).unwrap(), text, "it was not written again");
    assert_eq!(names(folder.path()), ["a.edits", "a.md"]);
}

#[test]
fn a_short_text_and_one_with_many_edits_are_written_as_a_whole() {
    let folder = tempfile::tempdir().unwrap();
    let kept = KeptText::at(&folder.path().join("a.md"));
    kept.set(&["short\n"], When::Now).unwrap();
    change(&kept, "short and more\n");
    assert_eq!(names(folder.path()), ["a.md"]);

    let text = long();
    kept.set(&[&text], When::Now).unwrap();
    change(&kept, &format!("{text}More.\n"));
    assert_eq!(names(folder.path()), ["a.edits", "a.md"]);
    change(&kept, &format!("{text}{}", "Much more. ".repeat(text.len() / 40)));
    assert_eq!(names(folder.path()), ["a.md"], "much of it is new");

    let mut now = text.clone();
    let mut has_been_whole = false;
    kept.set(&[&text], When::Now).unwrap();
    for _ in 0..=EDITS_MAX {
        now.push_str("A\n");
        change(&kept, &now);
        has_been_whole |= names(folder.path()) == ["a.md"];
    }
    assert!(has_been_whole, "there is an end to the edits");
}

#[test]
fn edits_that_a_crash_left_beside_another_text_count_for_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (kept, beside) = (KeptText::at(&folder.path().join("a.md")), folder.path().join("a.edits"));
    let text = long();
    kept.set(&[&text], When::Now).unwrap();
    change(&kept, &format!("{text}More.\n"));
    let edits = fs::read(&beside).unwrap();

    let other = format!("Other.\n{text}");
    kept.set(&[&other], When::Now).unwrap();
    fs::write(&beside, &edits).unwrap();
    assert_is(&kept, &other);
    // The edits that come to them are of this text.
    change(&kept, &format!("{other}Most.\n"));

    fs::write(&beside, &edits).unwrap();
    kept.set(&[&text], When::Now).unwrap();
    assert_is(&kept, &text);
    assert_eq!(names(folder.path()), ["a.md"]);
}

#[test]
fn what_is_no_text_and_edits_that_do_not_fit_are_told() {
    let folder = tempfile::tempdir().unwrap();
    let (kept, beside) = (KeptText::at(&folder.path().join("a.md")), folder.path().join("a.edits"));
    let text = long();
    kept.set(&[&text], When::Now).unwrap();
    change(&kept, &format!("{text}More.\n"));
    let edits = fs::read_to_string(&beside).unwrap();
    for damaged in [edits.replace("More", "Mire"), edits.replace('}', ""), String::new()] {
        fs::write(&beside, &damaged).unwrap();
        assert_eq!(kept.get().unwrap_err().kind(), ErrorKind::InvalidData, "{damaged}");
        let seen = looked(&kept);
        let since = seen.edits_to(&fingerprint("other"), "other").unwrap();
        let is_known = since.is_some_and(|since| since.len() == 1);
        assert_eq!(is_known, !damaged.contains("Mire"), "what the edits would make is not known: {damaged}");
    }
    fs::remove_file(&beside).unwrap();
    fs::write(folder.path().join("a.md"), [0xff]).unwrap();
    assert_eq!(kept.get().unwrap_err().kind(), ErrorKind::InvalidData);
}

#[test]
fn a_second_name_keeps_the_text_when_the_first_is_given_another() {
    let folder = tempfile::tempdir().unwrap();
    let (kept, second) =
        (KeptText::at(&folder.path().join("a.md")), KeptText::at(&folder.path().join("b.md")));
    let text = long();
    kept.set(&[&text], When::Now).unwrap();
    let with_edits = format!("{text}More.\n");
    change(&kept, &with_edits);

    let seen = looked(&kept);
    assert!(second.link(&kept, &seen).unwrap());
    assert_is(&second, &with_edits);
    let asked = format!("{with_edits}Why?\n");
    let since = seen.edits_to(&fingerprint(&asked), &asked).unwrap().unwrap();
    second.change(&seen, &since, &[&asked], When::Next).unwrap();
    assert_is(&second, &asked);
    assert_is(&kept, &with_edits);

    change(&kept, &format!("{asked}Because.\n"));
    kept.set(&["another"], When::Now).unwrap();
    assert_is(&second, &asked);
}

#[test]
fn whoever_looked_is_told_of_every_later_text() {
    let folder = tempfile::tempdir().unwrap();
    let kept = KeptText::at(&folder.path().join("a.md"));
    assert!(kept.is_still(None).unwrap());
    let text = long();
    kept.set(&[&text], When::Now).unwrap();
    assert!(!kept.is_still(None).unwrap());

    let first = looked(&kept);
    assert!(kept.is_still(Some(&first)).unwrap());
    let more = format!("{text}More.\n");
    change(&kept, &more);
    assert!(!kept.is_still(Some(&first)).unwrap(), "by edits");

    let second = looked(&kept);
    assert!(kept.is_still(Some(&second)).unwrap());
    let most = format!("{more}Most.\n");
    change(&kept, &most);
    assert!(!kept.is_still(Some(&second)).unwrap(), "by more edits");

    // What somebody saw is not there any more, so that edits of it would not fit.
    kept.change(&second, &edits_between(&more, &text), &[&text], When::Now).unwrap();
    assert_is(&kept, &text);
}
