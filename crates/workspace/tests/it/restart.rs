//! What a restarted process knows: versions that editors hold, operations that were noted and not written, requests, authors.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::time::Duration;

use document::{Author, Edit};
use tempfile::TempDir;
use workspace::journal::{Checkpoint, Journal};
use workspace::keeper::{Entry, InFile};

use crate::dice::Dice;
use crate::site::{PLAN, Site, append, at, history, is_written, journal_path, log};

fn count(text: &str, line: &str) -> usize {
    text.lines().filter(|found| *found == line).count()
}

/// A file as a process leaves it that dies after an exchange: what stood in the document.
fn leave(folder: &Path, sums: &str, text: &str) {
    fs::write(folder.join(format!(".plan.md.agent-doc-4194305-1.{sums}.tmp")), text).unwrap();
}

const DISPLACED: &str = "0000000000000001.0000000000000002";
const IN_PLACE: &str = "0000000000000000.0000000000000000";

// DS-22
#[tokio::test]
async fn an_editor_that_loaded_an_old_version_saves_after_a_restart_and_nothing_is_reverted() {
    let mut dice = Dice::new(5);
    let (mut saves, mut reverted) = (0, 0);
    for round in 0..100 {
        let site = Site::with(&[("plan.md", PLAN)]);
        let mut versions = vec![site.text("plan.md")];
        for line in 0..6 {
            assert!(is_written(&site.append("plan.md", &format!("answer{line} of round {round}")).await));
            versions.push(site.text("plan.md"));
        }
        let loaded = &versions[dice.below(versions.len())];
        let saved = loaded.replacen("# Plan\n", "# Plan\n\nwhat the person thinks\n", 1);
        let site = if dice.below(2) == 0 {
            let folder = site.close().await;
            fs::write(folder.path().join("plan.md"), saved).unwrap();
            let site = Site::in_folder(folder);
            site.document("plan.md").await;
            site
        } else {
            let site = site.restarted().await;
            site.document("plan.md").await;
            site.save("plan.md", &saved).await;
            site
        };
        saves += 1;
        let text = site.text("plan.md");
        let is_whole = count(&text, "what the person thinks") == 1
            && (0..6).all(|line| count(&text, &format!("answer{line} of round {round}")) == 1);
        reverted += usize::from(!is_whole);
    }
    println!("{saves} saves of an old version around a restart: {reverted} reverted something");
    assert_eq!(reverted, 0);
}

#[tokio::test]
async fn a_save_that_was_merged_is_a_version_after_the_restart_too() {
    let site = Site::with(&[("plan.md", PLAN)]);
    site.append("plan.md", "first answer").await;
    // The editor never loads again: it saves the same buffer, a line longer each time.
    let mut buffer = PLAN.replacen("# Plan\n", "# Plan\n\none thought\n", 1);
    site.save("plan.md", &buffer).await;
    let site = site.restarted().await;
    site.append("plan.md", "second answer").await;
    buffer = buffer.replacen("one thought\n", "one thought\nanother thought\n", 1);
    site.save("plan.md", &buffer).await;
    let text = site.text("plan.md");
    for line in ["first answer", "second answer", "one thought", "another thought"] {
        assert_eq!(count(&text, line), 1, "{line}: {text}");
    }
}

#[tokio::test]
async fn what_a_person_deletes_while_nobody_runs_stays_deleted_once_editors_have_had_time_to_load() {
    let hour = 60 * 60 * 1000;
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("plan.md"), PLAN).unwrap();
    let site = Site::in_folder_with(folder, at(hour));
    for line in ["first answer", "second answer", "third answer"] {
        assert!(is_written(&site.append("plan.md", line).await));
    }
    let text = site.text("plan.md");
    let folder = site.close().await;
    let edited = text.replace("second answer\n", "").replace("# Plan\n", "# Plan\n\na thought\n");
    fs::write(folder.path().join("plan.md"), &edited).unwrap();
    let site = Site::in_folder_with(folder, at(2 * hour));
    site.document("plan.md").await;
    assert_eq!(site.text("plan.md"), edited);
    let folder = site.close().await;
    assert_eq!(fs::read_to_string(folder.path().join("plan.md")).unwrap(), edited);
}

#[tokio::test]
async fn what_was_deleted_before_the_restart_stays_deleted() {
    let site = Site::with(&[("plan.md", PLAN)]);
    site.append("plan.md", "drop this").await;
    site.append("plan.md", "keep this").await;
    let loaded = site.text("plan.md");
    site.append("plan.md", "a later answer").await;
    let folder = site.close().await;
    fs::write(folder.path().join("plan.md"), loaded.replace("drop this\n\n", "")).unwrap();
    let site = Site::in_folder(folder);
    let text = site.document("plan.md").await.read().text;
    assert_eq!(
        (count(&text, "keep this"), count(&text, "drop this"), count(&text, "a later answer")),
        (1, 0, 1)
    );
    assert_eq!(site.text("plan.md"), *text);
}

#[tokio::test]
async fn an_older_version_that_somebody_put_back_while_nobody_ran_stays() {
    let site = Site::with(&[("plan.md", PLAN)]);
    site.append("plan.md", "first answer").await;
    let older = site.text("plan.md");
    for line in 0..5 {
        site.append("plan.md", &format!("later answer {line}")).await;
    }
    let folder = site.close().await;
    fs::write(folder.path().join("plan.md"), &older).unwrap();
    let site = Site::in_folder(folder);
    let snapshot = site.document("plan.md").await.read();
    assert_eq!((&*snapshot.text, snapshot.revision), (older.as_str(), 7));
    site.append("plan.md", "and on").await;
    assert_eq!(count(&site.text("plan.md"), "later answer 4"), 0);
}

/// Notes an operation in the journal as a process does that dies before it writes the file.
fn note_only(folder: &TempDir, line: &str) {
    let (mut journal, _) = Journal::open(&journal_path(folder.path(), "plan.md")).unwrap();
    let (text, last) = (journal.history().latest_text().to_owned(), journal.history().last_revision());
    let at = text.find("## Last").unwrap();
    let edits = vec![Edit { range: at..at, text: format!("{line}\n\n") }];
    let file = InFile { written: Some(last), perhaps: Some(last), save: None };
    let request = Some(line.to_owned());
    let entry =
        Entry { revision: last + 1, author: log().author(), time: 1, section: None, request, edits, file };
    journal.append(entry).unwrap();
}

// F19, F20, F23
#[tokio::test]
async fn what_was_noted_and_not_written_is_written_at_the_next_start_and_not_done_twice() {
    let site = Site::with(&[("plan.md", PLAN)]);
    site.append("plan.md", "first answer").await;
    let folder = site.close().await;
    note_only(&folder, "second answer");
    assert_eq!(count(&fs::read_to_string(folder.path().join("plan.md")).unwrap(), "second answer"), 0);
    let site = Site::in_folder(folder);
    assert_eq!(site.document("plan.md").await.read().revision, 2);
    assert_eq!(count(&site.text("plan.md"), "second answer"), 1);
    let again = site.append("plan.md", "second answer").await;
    assert_eq!((again.duplicate, again.revision), (true, 2));
    let first = site.append("plan.md", "first answer").await;
    assert_eq!((first.duplicate, first.revision), (true, 1));
    assert_eq!(site.append("plan.md", "third answer").await.revision, 3);
    assert_eq!(count(&site.text("plan.md"), "second answer"), 1);
}

#[tokio::test]
async fn a_save_over_a_file_that_lacks_what_was_noted_keeps_both() {
    let site = Site::with(&[("plan.md", PLAN)]);
    site.append("plan.md", "first answer").await;
    let folder = site.close().await;
    note_only(&folder, "second answer");
    let path = folder.path().join("plan.md");
    let saved = fs::read_to_string(&path).unwrap().replacen("# Plan\n", "# Plan\n\na thought\n", 1);
    fs::write(&path, saved).unwrap();
    let site = Site::in_folder(folder);
    site.document("plan.md").await;
    let text = site.text("plan.md");
    for line in ["a thought", "first answer", "second answer"] {
        assert_eq!(count(&text, line), 1, "{line}: {text}");
    }
}

// DS-17
#[tokio::test]
async fn a_displaced_save_is_taken_in_at_the_next_start_once_a_thousand_times() {
    let (mut lost, mut doubled) = (0, 0);
    for project in 0..40 {
        let site = Site::with(&[("plan.md", PLAN)]);
        site.append("plan.md", "kept line").await;
        let mut folder = site.close().await;
        for round in 0..25 {
            // The person saved from the file as it is; our text came into its place unseen, and we died.
            let in_file = fs::read_to_string(folder.path().join("plan.md")).unwrap();
            let line = format!("thought{round} {:06x}", (project * 25 + round) * 7919);
            let save = in_file.replacen("# Plan\n", &format!("# Plan\n{line}\n"), 1);
            leave(folder.path(), DISPLACED, &save);
            if round % 3 == 0 {
                // The start after that dies, too, before it has removed anything.
                let site = Site::in_folder(folder);
                site.document("plan.md").await;
                folder = site.close().await;
                leave(folder.path(), DISPLACED, &save);
            }
            let site = Site::in_folder(folder);
            let text = site.document("plan.md").await.read().text;
            lost += usize::from(count(&text, &line) == 0 || count(&text, "kept line") == 0);
            doubled += usize::from(count(&text, &line) > 1);
            assert_eq!(site.text("plan.md"), *text);
            folder = site.close().await;
        }
        assert_eq!(crate::store::names(folder.path()), [".agent-doc", "plan.md"]);
    }
    println!("1000 displaced saves after a crash: {lost} lost, {doubled} doubled");
    assert_eq!((lost, doubled), (0, 0));
}

#[tokio::test]
async fn a_file_that_was_being_written_in_place_when_we_died_is_whole_again() {
    let site = Site::with(&[("plan.md", PLAN)]);
    site.append("plan.md", "first answer").await;
    let folder = site.close().await;
    let path = folder.path().join("plan.md");
    let whole = fs::read_to_string(&path).unwrap();
    for length in [0, 1, 9, whole.len() / 2, whole.len() - 1] {
        leave(folder.path(), IN_PLACE, &whole);
        fs::write(&path, &whole[..length]).unwrap();
        let hub = workspace::project::open(folder.path(), crate::site::options()).unwrap();
        hub.document("plan.md").await.unwrap();
        hub.shutdown().await;
        let text = fs::read_to_string(&path).unwrap();
        for line in whole.lines() {
            assert!(count(&text, line) >= 1, "{length}: {line:?} is missing in {text:?}");
        }
        fs::write(&path, &whole).unwrap();
    }
}

#[tokio::test]
async fn authors_and_revisions_go_on_after_a_restart() {
    let site = Site::with(&[("plan.md", PLAN)]);
    let mut last = 0;
    let mut site = site;
    for round in 0..20 {
        for line in 0..5 {
            let reply = site.append("plan.md", &format!("answer {round} {line}")).await;
            assert_eq!(reply.revision, last + 1);
            last = reply.revision;
        }
        site = site.restarted().await;
    }
    let folder = site.close().await;
    let history = history(folder.path(), "plan.md");
    let text = history.latest_text().to_owned();
    let lines: Vec<&str> = text.lines().collect();
    for blamed in history.blame() {
        let is_answer = lines[blamed.line - 1].starts_with("answer");
        assert!(!is_answer || blamed.author == log().author(), "{blamed:?}");
    }
    assert_eq!(last, 100);
}

// FT-16
#[tokio::test]
async fn twenty_starts_change_nothing_and_the_journal_does_not_grow() {
    let site = Site::with(&[("plan.md", PLAN)]);
    site.append("plan.md", "first answer").await;
    let mut folder = site.close().await;
    note_only(&folder, "second answer");
    let mut seen = Vec::new();
    for _ in 0..20 {
        let site = Site::in_folder(folder);
        site.document("plan.md").await;
        folder = site.close().await;
        let length = fs::metadata(journal_path(folder.path(), "plan.md")).unwrap().len();
        seen.push((fs::read_to_string(folder.path().join("plan.md")).unwrap(), length));
    }
    assert!(seen.windows(2).all(|pair| pair[0] == pair[1]));
    println!("20 starts: text and journal ({} bytes) the same each time", seen[0].1);
}

#[tokio::test]
async fn a_document_without_a_journal_or_with_a_broken_one_is_what_its_file_says() {
    let site = Site::with(&[("plan.md", PLAN)]);
    site.append("plan.md", "first answer").await;
    let mut folder = site.close().await;
    let path = journal_path(folder.path(), "plan.md");
    let file = fs::read_to_string(folder.path().join("plan.md")).unwrap();
    let whole = fs::read(&path).unwrap();
    for damage in 0..4 {
        match damage {
            0 => fs::remove_file(&path).unwrap(),
            1 => fs::write(&path, &whole[..whole.len() - 3]).unwrap(),
            2 => fs::write(&path, b"nonsense").unwrap(),
            _ => fs::write(&path, b"").unwrap(),
        }
        let site = Site::in_folder(folder);
        assert_eq!(*site.document("plan.md").await.read().text, *file, "damage {damage}");
        let line = format!("after damage {damage}");
        assert!(is_written(&site.append("plan.md", &line).await));
        assert_eq!(count(&site.text("plan.md"), &line), 1);
        folder = site.close().await;
        fs::write(folder.path().join("plan.md"), &file).unwrap();
    }
}

fn long_past(path: &Path, count: u64) {
    let author = Author::new("ann");
    let mut journal = Journal::begin(path, Checkpoint::new(0, PLAN, &author, 0)).unwrap();
    let entry = |revision| Entry {
        revision,
        author: author.clone(),
        time: revision,
        section: None,
        request: None,
        edits: vec![Edit { range: 0..0, text: format!("{revision}\n") }],
        file: InFile::default(),
    };
    journal.append_all((1..=count).map(entry).collect()).unwrap();
}

const DAY: u64 = 24 * 60 * 60 * 1000;

#[tokio::test]
async fn old_operations_are_folded_away_when_a_document_is_opened() {
    let folder = tempfile::tempdir().unwrap();
    long_past(&journal_path(folder.path(), "plan.md"), 1500);
    fs::write(folder.path().join("plan.md"), history(folder.path(), "plan.md").latest_text()).unwrap();
    for (now, kept) in [(29 * DAY, 1500), (31 * DAY, 1000)] {
        let hub = workspace::project::open(folder.path(), at(now)).unwrap();
        assert_eq!(hub.document("plan.md").await.unwrap().read().revision, 1500);
        hub.shutdown().await;
        assert_eq!(history(folder.path(), "plan.md").entries().len(), kept);
    }
}

#[tokio::test]
async fn a_request_is_known_after_a_thousand_operations_that_came_since() {
    let folder = tempfile::tempdir().unwrap();
    fs::write(folder.path().join("plan.md"), PLAN).unwrap();
    let hub = workspace::project::open(folder.path(), at(0)).unwrap();
    let asked = append("plan.md", "once").by(log()).named("the request");
    assert!(is_written(&hub.execute(asked.clone()).await));
    let handle = hub.document("plan.md").await.unwrap();
    for number in 0..1001 {
        let line = append("plan.md", &format!("line {number}")).by(log());
        assert!(is_written(&handle.execute(line).await));
    }
    hub.shutdown().await;
    let hub = workspace::project::open(folder.path(), at(31 * DAY)).unwrap();
    let reply = hub.execute(asked).await;
    assert!(reply.duplicate && reply.revision == 1, "{reply:?}");
    hub.shutdown().await;
    assert_eq!(history(folder.path(), "plan.md").entries().len(), 1000);
}

#[tokio::test]
async fn a_long_life_does_not_let_the_journal_grow_for_ever() {
    let folder = tempfile::tempdir().unwrap();
    long_past(&journal_path(folder.path(), "plan.md"), 1000);
    fs::write(folder.path().join("plan.md"), history(folder.path(), "plan.md").latest_text()).unwrap();
    let hub = workspace::project::open(folder.path(), at(31 * DAY)).unwrap();
    let handle = hub.document("plan.md").await.unwrap();
    for number in 0..300 {
        assert!(is_written(&handle.execute(append("plan.md", &format!("line {number}")).by(log())).await));
    }
    // The owner looks after its journal when everybody has been answered.
    wait_until(|| history(folder.path(), "plan.md").entries().len() <= 1044).await;
    assert_eq!(handle.read().revision, 1300);
    hub.shutdown().await;
}

/// Waits for something that another task does, for no longer than a test may.
async fn wait_until(is_so: impl Fn() -> bool) {
    let patience = std::time::Instant::now() + Duration::from_secs(30);
    while !is_so() {
        assert!(std::time::Instant::now() < patience, "it never came");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test]
async fn what_is_written_late_into_a_displaced_file_comes_in_without_being_asked_for() {
    let site = Site::with(&[("plan.md", PLAN)]);
    site.document("plan.md").await;
    // A program that had the file open before we wrote, and that is not seen to write, because it opened for reading first.
    let displaced = fs::File::open(site.path("plan.md")).unwrap();
    assert!(is_written(&site.append("plan.md", "an answer").await));
    let path = format!("/proc/self/fd/{}", std::os::fd::AsRawFd::as_raw_fd(&displaced));
    let mut late = fs::OpenOptions::new().append(true).open(path).unwrap();
    late.write_all(b"a late line\n").unwrap();
    drop(late);
    wait_until(|| count(&site.text("plan.md"), "a late line") == 1).await;
    assert_eq!(count(&site.text("plan.md"), "an answer"), 1);
    site.close().await;
}
