use std::fs;
use std::path::Path;

use document::{Author, Edit};
use workspace::journal::{Journal, JournalError};
use workspace::keeper::{Entry, InFile};

use crate::dice::Dice;
use crate::memory;
use crate::past::Past;

/// A journal and the place where each of its records ends.
fn written(path: &Path, past: &Past) -> (Vec<u8>, Vec<usize>) {
    let mut journal = Journal::begin(path, Past::checkpoint()).unwrap();
    let mut ends = vec![fs::read(path).unwrap().len()];
    for entry in &past.entries {
        journal.append(entry.clone()).unwrap();
        ends.push(usize::try_from(fs::metadata(path).unwrap().len()).unwrap());
    }
    (fs::read(path).unwrap(), ends)
}

/// Changes the bytes at random, and gives the first place that was changed.
fn damage(bytes: &mut Vec<u8>, ends: &[usize], dice: &mut Dice) -> usize {
    let mut first = bytes.len();
    for _ in 0..=dice.below(3) {
        let length = bytes.len();
        match dice.below(3) {
            0 => {
                bytes.truncate(dice.below(length + 1));
                first = first.min(bytes.len());
            }
            1 => {
                let from = if dice.below(2) == 0 {
                    ends[dice.below(ends.len())].min(length)
                } else {
                    dice.below(length + 1)
                };
                bytes.extend_from_within(from..);
                first = first.min(length);
            }
            _ if length > 0 => {
                let at = dice.below(length);
                bytes[at] ^= 1 << dice.below(8);
                first = first.min(at);
            }
            _ => {}
        }
    }
    first
}

// DS-15
#[test]
fn ten_thousand_damaged_journals_give_what_stands_before_the_damage() {
    let folder = memory::folder();
    let past = Past::random(12, 7);
    let (whole, ends) = written(&folder.path().join("whole"), &past);
    let mut dice = Dice::new(99);
    for round in 0..10_000 {
        let mut bytes = whole.clone();
        let first = damage(&mut bytes, &ends, &mut dice);
        let intact = ends.iter().filter(|end| **end <= first).count();
        let path = folder.path().join(format!("j{round}"));
        fs::write(&path, &bytes).unwrap();
        match Journal::open(&path) {
            Ok((journal, recovered)) => {
                let found = journal.history().entries();
                assert!(found.len() + 1 >= intact, "round {round}");
                assert_eq!(found, &past.entries[..found.len()], "round {round}");
                assert_eq!(journal.history().latest_text(), past.texts[found.len()], "round {round}");
                assert!(journal.history().last_revision() >= found.last().map_or(0, |last| last.revision));
                let rest = bytes.len() - ends[found.len()];
                assert_eq!(recovered.torn_bytes, rest as u64, "round {round}");
                assert_eq!(recovered.bad_frames > 0, rest > 0, "round {round}");
                let kept = recovered.kept.map(|kept| {
                    let bytes = fs::read(&kept).unwrap();
                    fs::remove_file(kept).unwrap();
                    bytes
                });
                assert_eq!(kept.unwrap_or_default(), bytes[ends[found.len()]..], "round {round}");
                drop(journal);
                let (again, recovered) = Journal::open(&path).unwrap();
                assert_eq!((recovered.torn_bytes, recovered.kept), (0, None), "round {round}");
                assert_eq!(again.history().latest_text(), past.texts[recovered.entries]);
                fs::remove_file(path).unwrap();
            }
            Err(JournalError::Unreadable { kept, .. }) => {
                assert_eq!(intact, 0, "round {round}");
                assert_eq!(fs::read(&kept).unwrap(), bytes, "round {round}");
                fs::remove_file(kept).unwrap();
            }
            Err(JournalError::Absent { .. }) => assert_eq!(bytes.len(), 0, "round {round}"),
            Err(other) => panic!("round {round}: {other}"),
        }
    }
}

#[test]
fn after_damage_inside_no_revision_is_given_twice() {
    let folder = memory::folder();
    let path = folder.path().join("journal");
    let past = Past::random(10, 3);
    let (mut bytes, ends) = written(&path, &past);
    bytes[ends[4] + 20] ^= 1;
    fs::write(&path, &bytes).unwrap();
    let last = past.entries[9].revision;
    for _ in 0..3 {
        let (mut journal, _) = Journal::open(&path).unwrap();
        assert_eq!(journal.history().entries(), &past.entries[..4]);
        assert_eq!(journal.history().last_revision(), last);
        let edits = vec![Edit { range: 0..0, text: "x".to_owned() }];
        let (author, time) = (Author::new("ann"), 0);
        let entry = Entry {
            revision: last,
            author,
            time,
            section: None,
            request: None,
            edits,
            file: InFile::default(),
        };
        assert!(matches!(journal.append(entry), Err(JournalError::OutOfOrder { .. })));
    }
    assert_eq!(fs::read(folder.path().join("journal.damaged-1")).unwrap(), bytes[ends[4]..]);
}

#[test]
fn a_journal_without_a_beginning_is_kept_and_a_new_one_goes_on() {
    let folder = memory::folder();
    let path = folder.path().join("journal");
    let past = Past::random(10, 3);
    let (mut bytes, _) = written(&path, &past);
    bytes[15] ^= 1;
    fs::write(&path, &bytes).unwrap();
    let (journal, recovered) = Journal::open_or_begin(&path, "now\n", &Author::new("file"), 5).unwrap();
    assert_eq!(journal.history().latest_text(), "now\n");
    assert!(journal.history().last_revision() > past.entries[9].revision);
    assert_eq!(recovered.torn_bytes, bytes.len() as u64);
    assert_eq!(fs::read(recovered.kept.unwrap()).unwrap(), bytes);
}

#[test]
fn a_journal_that_was_only_begun_is_as_good_as_none() {
    let folder = memory::folder();
    let path = folder.path().join("journal");
    fs::write(&path, "").unwrap();
    assert!(matches!(Journal::read(&path), Err(JournalError::Absent { .. })));
    let (journal, recovered) = Journal::open_or_begin(&path, "now\n", &Author::new("file"), 5).unwrap();
    assert_eq!((journal.history().latest_text(), recovered.kept), ("now\n", None));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}
