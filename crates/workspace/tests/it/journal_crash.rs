use std::io::{BufRead as _, BufReader};
use std::path::Path;

use document::{Author, Edit};
use workspace::journal::{Journal, JournalError, Keep};
use workspace::keeper::{Entry, InFile};

use crate::past::Past;
use crate::{child, memory};

fn typed(revision: u64, text: String) -> Entry {
    let edits = vec![Edit { range: 0..0, text }];
    Entry {
        revision,
        author: Author::new("ann"),
        time: revision,
        section: None,
        request: None,
        edits,
        file: InFile::default(),
    }
}

#[test]
fn what_was_acknowledged_is_there_after_the_process_is_killed() {
    if child::is_child() {
        let (mut journal, _) = Journal::open(Path::new(&child::told())).unwrap();
        println!("\nready");
        loop {
            let revision = journal.history().last_revision() + 1;
            journal.append(typed(revision, format!("line {revision}\n"))).unwrap();
            println!("done {revision}");
            journal.prune(revision, &Keep { age: 0, operations: 50, bytes: 0 }).unwrap();
        }
    }
    let folder = memory::folder();
    let path = folder.path().join("journal");
    drop(Journal::begin(&path, Past::checkpoint()).unwrap());
    let test = "journal_crash::what_was_acknowledged_is_there_after_the_process_is_killed";
    let mut before = 0;
    for round in 0..20 {
        let mut other = child::start(test, path.to_str().unwrap());
        let mut lines = BufReader::new(other.stdout.take().unwrap()).lines();
        // A reader sees a whole text while the other one writes.
        for _ in 0..round * 5 {
            Journal::read(&path).unwrap();
        }
        let last = |line: &str| line.strip_prefix("done ").and_then(|number| number.parse::<u64>().ok());
        let mut acknowledged = lines.find_map(|line| last(&line.unwrap())).unwrap();
        other.kill().unwrap();
        other.wait().unwrap();
        // The last line may be cut off by the kill.
        for line in lines.map_while(Result::ok) {
            acknowledged = last(&line).filter(|number| *number == acknowledged + 1).unwrap_or(acknowledged);
        }
        let (journal, _) = Journal::open(&path).unwrap();
        let found = journal.history().last_revision();
        assert!(found >= acknowledged && found > before, "{before} {acknowledged} {found}");
        let written =
            journal.history().latest_text().lines().filter(|line| line.starts_with("line ")).count();
        assert_eq!(written as u64, found);
        before = found;
    }
}

#[test]
fn a_full_disk_loses_nothing_and_the_journal_goes_on_when_there_is_room() {
    let test = "journal_crash::a_full_disk_loses_nothing_and_the_journal_goes_on_when_there_is_room";
    if !child::is_child() {
        // The signal would end the process; ignored, it is an error of the write.
        return child::run_after("trap '' XFSZ; ulimit -f 20", test);
    }
    let folder = memory::folder();
    let path = folder.path().join("journal");
    let mut journal = Journal::begin(&path, Past::checkpoint()).unwrap();
    let mut revision = 0;
    let refused = loop {
        match journal.append(typed(revision + 1, "x".repeat(900))) {
            Ok(()) => revision += 1,
            Err(error) => break error,
        }
    };
    assert!(matches!(refused, JournalError::Io { .. }) && revision > 5, "{refused} at {revision}");
    assert_eq!(journal.history().last_revision(), revision);
    let (history, recovered) = Journal::read(&path).unwrap();
    assert_eq!((history.last_revision(), recovered.torn_bytes), (revision, 0));
    assert_eq!(history.latest_text(), journal.history().latest_text());
    // A shorter one fits.
    journal.append(typed(revision + 1, "y".to_owned())).unwrap();
    assert!(matches!(journal.append(typed(revision + 2, "x".repeat(20_000))), Err(JournalError::Io { .. })));
    drop(journal);
    let (journal, recovered) = Journal::open(&path).unwrap();
    assert_eq!((journal.history().last_revision(), recovered.torn_bytes), (revision + 1, 0));
}
