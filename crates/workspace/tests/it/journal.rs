use std::fs;
use std::path::PathBuf;

use document::{Author, Edit};
use tempfile::TempDir;
use workspace::journal::{History, Journal, JournalError, Keep, edits_between};
use workspace::keeper::{Entry, InFile};

use crate::past::{Past, START};

fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    (folder, path)
}

fn write(path: &std::path::Path, past: &Past) -> Journal {
    let mut journal = Journal::begin(path, Past::checkpoint()).unwrap();
    for some in past.entries.chunks(7) {
        journal.append_all(some.to_vec()).unwrap();
    }
    journal
}

fn typed(revision: u64, at: usize, text: &str, request: Option<&str>) -> Entry {
    Entry {
        revision,
        author: Author::new("ann"),
        time: revision,
        section: None,
        request: request.map(str::to_owned),
        edits: vec![Edit { range: at..at, text: text.to_owned() }],
        file: InFile::default(),
    }
}

// DS-24
#[test]
fn any_of_300_operations_can_be_brought_back_also_after_a_restart() {
    let (_folder, path) = folder();
    let past = Past::random(300, 1);
    drop(write(&path, &past));
    let (journal, recovered) = Journal::open(&path).unwrap();
    assert_eq!((recovered.entries, recovered.torn_bytes, recovered.bad_frames), (300, 0, 0));
    let history = journal.history();
    assert_eq!(history.entries(), past.entries);
    assert_eq!(history.text_at(0).unwrap(), START);
    for (entry, text) in past.entries.iter().zip(&past.texts[1..]) {
        assert_eq!(history.text_at(entry.revision).as_ref(), Some(text));
    }
    assert_eq!(history.latest_text(), past.texts[300]);
    assert_eq!(history.last_revision(), past.entries[299].revision);
}

fn knows(history: &History, request: &str) -> bool {
    history.done().iter().any(|done| done.request == request)
}

#[test]
fn random_pasts_are_read_as_they_were_written() {
    for seed in 2..60 {
        let (_folder, path) = folder();
        let past = Past::random(40, seed);
        drop(write(&path, &past));
        let (history, _) = Journal::read(&path).unwrap();
        for (entry, text) in past.entries.iter().zip(&past.texts[1..]) {
            assert_eq!(history.text_at(entry.revision).as_ref(), Some(text), "seed {seed}");
            assert!(entry.request.as_ref().is_none_or(|request| knows(&history, request)));
        }
    }
}

#[test]
fn what_is_restored_is_a_new_operation_and_what_was_there_can_come_back_too() {
    let (_folder, path) = folder();
    let past = Past::random(20, 3);
    let mut journal = write(&path, &past);
    let wanted = journal.history().text_at(past.entries[4].revision).unwrap();
    let last = past.entries[19].clone();
    let edits = edits_between(journal.history().latest_text(), &wanted);
    let (revision, author) = (last.revision + 1, Author::new("ann"));
    journal.append(Entry { revision, author, edits, request: None, ..last.clone() }).unwrap();
    assert_eq!(journal.history().latest_text(), wanted);
    assert_eq!(journal.history().text_at(last.revision).unwrap(), past.texts[20]);
    assert_eq!(journal.history().text_at(revision).unwrap(), wanted);
}

#[test]
fn pruning_keeps_every_text_of_the_operations_that_are_kept() {
    for seed in 0..30 {
        let (_folder, path) = folder();
        let past = Past::random(60, seed);
        let mut journal = write(&path, &past);
        let before = journal.history().blame();
        let keep = Keep { age: 0, operations: 25, bytes: u64::MAX };
        assert_eq!(journal.prune(1_000_000, &keep).unwrap(), 35);
        assert_eq!(journal.prune(1_000_000, &keep).unwrap(), 0);
        // The file that took the place of the old one goes on.
        let next = journal.history().last_revision() + 1;
        journal.append(typed(next, 0, "after\n", None)).unwrap();
        drop(journal);
        let (journal, recovered) = Journal::open(&path).unwrap();
        assert_eq!(recovered.entries, 26);
        let history = journal.history();
        for (entry, text) in past.entries.iter().zip(&past.texts[1..]).skip(34) {
            assert_eq!(history.text_at(entry.revision).as_ref(), Some(text));
        }
        assert_eq!(history.text_at(past.entries[33].revision), None);
        for request in past.entries.iter().filter_map(|entry| entry.request.as_ref()) {
            assert!(knows(history, request), "a folded request is still known");
        }
        let after: Vec<_> = history.blame().into_iter().skip(1).map(|line| line.revision).collect();
        assert_eq!(after, before.into_iter().map(|line| line.revision).collect::<Vec<_>>());
    }
}

#[test]
fn age_keeps_operations_beyond_their_number_until_the_journal_is_too_large() {
    let (_folder, path) = folder();
    let past = Past::random(50, 8);
    let mut journal = write(&path, &past);
    // Operation 20 is the first that is young enough.
    let young = Keep { age: 1000, operations: 10, bytes: u64::MAX };
    assert_eq!(journal.prune(past.entries[20].time + 1000, &young).unwrap(), 20);
    let small = Keep { bytes: 10, ..young };
    assert_eq!(journal.prune(past.entries[20].time + 1000, &small).unwrap(), 20);
    assert_eq!(journal.history().entries().len(), 10);
}

#[test]
fn an_operation_that_does_not_follow_is_refused_and_leaves_no_trace() {
    let (_folder, path) = folder();
    let mut journal = write(&path, &Past::random(5, 4));
    let (last, length) = (journal.history().last_revision(), fs::metadata(&path).unwrap().len());
    let text = journal.history().latest_text().to_owned();
    let stale = journal.append(typed(last, 0, "x", None));
    assert!(matches!(stale, Err(JournalError::OutOfOrder { .. })), "{stale:?}");
    let far =
        journal.append_all(vec![typed(last + 1, 0, "x", Some("r")), typed(last + 2, 1 << 40, "x", None)]);
    assert!(matches!(far, Err(JournalError::DoesNotFit { .. })), "{far:?}");
    assert_eq!(journal.history().latest_text(), text);
    assert_eq!(journal.history().entries().len(), 5);
    assert!(!knows(journal.history(), "r"));
    assert_eq!(fs::metadata(&path).unwrap().len(), length);
    journal.append(typed(last + 1, 0, "x", Some("r"))).unwrap();
}

#[test]
fn a_thousand_requests_are_remembered_and_no_more() {
    let (_folder, path) = folder();
    let mut journal = Journal::begin(&path, Past::checkpoint()).unwrap();
    let entries = (1..=1200).map(|number| typed(number, 0, "x", Some(&format!("r{number}")))).collect();
    journal.append_all(entries).unwrap();
    journal.prune(u64::MAX, &Keep { operations: 1, ..Keep::default() }).unwrap();
    drop(journal);
    let (journal, _) = Journal::open(&path).unwrap();
    let known: Vec<String> = journal.history().done().into_iter().map(|done| done.request).collect();
    assert_eq!(known, (201..=1200).map(|number| format!("r{number}")).collect::<Vec<_>>());
}

#[test]
fn one_writes_and_others_may_read() {
    let (_folder, path) = folder();
    let mut journal = write(&path, &Past::random(3, 5));
    assert!(matches!(Journal::open(&path), Err(JournalError::Busy { .. })));
    assert_eq!(Journal::read(&path).unwrap().1.entries, 3);
    let keep = Keep { age: 0, operations: 1, bytes: 0 };
    journal.prune(u64::MAX, &keep).unwrap();
    assert!(matches!(Journal::open(&path), Err(JournalError::Busy { .. })), "also after it was replaced");
    drop(journal);
    Journal::open(&path).unwrap();
}

#[test]
fn opening_twenty_times_changes_nothing() {
    let (_folder, path) = folder();
    drop(write(&path, &Past::random(9, 6)));
    let bytes = fs::read(&path).unwrap();
    for _ in 0..20 {
        drop(Journal::open_or_begin(&path, "other text", &Author::new("x"), 1).unwrap());
    }
    assert_eq!(fs::read(&path).unwrap(), bytes);
}

/// One record with the sum that older programs wrote.
fn framed(content: &str) -> Vec<u8> {
    let length = u32::try_from(content.len()).unwrap().to_le_bytes();
    let sum = length.iter().chain(content.as_bytes()).fold(0xcbf2_9ce4_8422_2325_u64, |sum, byte| {
        (sum ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    [&length[..], &sum.to_le_bytes(), content.as_bytes()].concat()
}

/// A journal as a later program would write it.
pub(crate) fn of_a_later_format() -> Vec<u8> {
    let (_folder, path) = folder();
    drop(Journal::begin(&path, Past::checkpoint()).unwrap());
    let mut bytes = fs::read(&path).unwrap();
    let content = String::from_utf8(bytes.split_off(12)).unwrap().replace("\"format\":2", "\"format\":9");
    framed(&content)
}

/// The bytes of a journal with one record, as programs wrote it that had the text of a checkpoint in its JSON.
fn of_the_first_format(text: &str) -> Vec<u8> {
    let length = text.len();
    let checkpoint = serde_json::json!({ "checkpoint": {
        "format": 1, "revision": 7, "floor": 7, "time": 5, "text": text, "spans": [[length, "ada", 7, 5]],
    } });
    let content = checkpoint.to_string();
    framed(&content)
}

#[test]
fn a_journal_of_the_first_format_is_gone_on_with() {
    let (_folder, path) = folder();
    fs::write(&path, of_the_first_format("one\n\ttwo \"three\"\n")).unwrap();
    let (mut journal, recovered) = Journal::open(&path).unwrap();
    assert_eq!((recovered.torn_bytes, journal.history().latest_revision()), (0, 7));
    journal.append(typed(8, 0, "zero ", None)).unwrap();
    drop(journal);
    let (history, _) = Journal::read(&path).unwrap();
    assert_eq!(history.latest_text(), "zero one\n\ttwo \"three\"\n");
    assert_eq!(history.checkpoint().spans[0].author, Author::new("ada"));
}

#[test]
fn a_journal_of_a_later_format_is_refused_untouched() {
    let (folder, path) = folder();
    let later = of_a_later_format();
    fs::write(&path, &later).unwrap();
    assert!(matches!(Journal::open(&path), Err(JournalError::Newer { .. })));
    assert!(matches!(Journal::read(&path), Err(JournalError::Newer { .. })));
    assert_eq!(fs::read(&path).unwrap(), later);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}
