//! Many writers and one document: C01 to C15 of the acceptance list.

use std::collections::HashMap;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use conductor::document_of;
use conductor::draft::Draft;
use conductor::limits::Limits;
use conductor::status::Status;
use document::section::find_sections;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use workspace::command::{Actor, FileCommand, FileErrorKind, FileResult};
use workspace::event::{ChangeKind, Event};
use workspace::owner::{DocumentHandle, Snapshot};

use crate::checkpoints::diligent;
use crate::puppet::{Puppet, Said, append, finished};
use crate::stage::{Cast, PATIENCE, Stage};

fn worker(name: &str) -> Actor {
    Actor::Worker(name.to_owned())
}

fn person() -> Actor {
    Actor::User("user".to_owned())
}

/// A stage with a run in which nobody does anything by themselves.
async fn quiet() -> (Stage, String) {
    let stage = Stage::new(Puppet::new(|_| Said::Never));
    let id = stage.start("compare").await;
    stage.until(&id, |view| view.record.status == Status::WaitingForWorker).await;
    (stage, id)
}

/// Many at once, each adding its lines in order to one of two sections.
async fn flood(stage: &Stage, id: &str, writers: usize, lines: usize) {
    let mut tasks = JoinSet::new();
    for writer in 0..writers {
        let (documents, path) = (stage.documents.clone(), document_of(id));
        tasks.spawn(async move {
            let section = if writer % 2 == 0 { "Researcher" } else { "Terminal" };
            for line in 0..lines {
                let content = format!("w{writer} l{line}.");
                let command =
                    FileCommand::AppendSection { path: path.clone(), section: section.to_owned(), content };
                let reply = documents.execute(command.by(worker(section))).await.unwrap();
                assert!(matches!(reply.result, FileResult::Written { .. }), "{reply:?}");
            }
        });
    }
    while let Some(done) = tasks.join_next().await {
        done.unwrap();
    }
}

/// Each line once, those of one writer in order.
fn check_flood(text: &str, writers: usize, lines: usize) {
    let mut next: HashMap<&str, usize> = HashMap::new();
    let mut count = 0;
    for line in text.lines() {
        let is_flood = line.starts_with('w') && line.as_bytes().get(1).is_some_and(u8::is_ascii_digit);
        let Some((writer, number)) =
            line.strip_suffix('.').and_then(|line| line.split_once(" l")).filter(|_| is_flood)
        else {
            continue;
        };
        let expected = next.entry(writer).or_default();
        assert_eq!(number, expected.to_string(), "{line}");
        *expected += 1;
        count += 1;
    }
    assert_eq!(count, writers * lines);
}

#[tokio::test(flavor = "multi_thread")]
async fn c01_a_hundred_writers_at_once_lose_and_double_nothing() {
    let (stage, id) = quiet().await;
    flood(&stage, &id, 100, 10).await;
    check_flood(&stage.file(&id), 100, 10);
    stage.runs.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c02_eight_listeners_end_with_the_same_text_and_a_slow_one_is_told_to_read_anew() {
    let (stage, id) = quiet().await;
    let handle = stage.documents.hub().await.unwrap().unwrap().document(&document_of(&id)).await.unwrap();
    let mut slow = handle.subscribe();
    let mut listeners = JoinSet::new();
    for _ in 0..8 {
        let (handle, mut changes) = (handle.clone(), handle.subscribe());
        listeners.spawn(async move {
            loop {
                changes.next().await.unwrap();
                let text = handle.read().text;
                if text.lines().filter(|line| line.starts_with('w')).count() == 2000 {
                    return text;
                }
            }
        });
    }
    flood(&stage, &id, 100, 20).await;
    let mut texts = Vec::new();
    while let Some(text) = tokio::time::timeout(PATIENCE, listeners.join_next()).await.unwrap() {
        texts.push(text.unwrap());
    }
    assert!(texts.len() == 8 && texts.iter().all(|text| *text == texts[0]));
    assert_eq!(slow.next().await, Some(Event::Resync), "nobody keeps events for it without end");
    stage.runs.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c03_what_the_person_types_stays_while_workers_add_elsewhere() {
    let (stage, id) = quiet().await;
    let typing = async {
        let mut typed = String::new();
        for letter in "I am typing this, letter by letter.".chars() {
            let before = if typed.is_empty() { None } else { Some(typed.clone()) };
            typed.push(letter);
            let (path, section) = (document_of(&id), "User".to_owned());
            let command = match before {
                None => FileCommand::AppendSection { path, section, content: typed.clone() },
                Some(old) => FileCommand::EditSection { path, section, old, new: typed.clone() },
            };
            let base = stage.runs.draft(&id).await.unwrap().revision;
            let reply = stage.documents.execute(command.by(person()).on(base)).await.unwrap();
            assert!(matches!(reply.result, FileResult::Written { .. }), "{typed:?}: {reply:?}");
        }
    };
    tokio::join!(typing, flood(&stage, &id, 20, 10));
    let text = stage.file(&id);
    assert!(text.ends_with("I am typing this, letter by letter.\n"), "{text}");
    check_flood(&text, 20, 10);
    stage.runs.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c04_an_edit_inside_of_a_workers_section_and_its_next_append_both_stay() {
    let (stage, id) = quiet().await;
    stage.append(&id, "Researcher", "First.", worker("Researcher")).await;
    let loaded = stage.file(&id);
    stage.append(&id, "Researcher", "Second.", worker("Researcher")).await;
    stage.save(&id, &loaded.replace("First.", "First, says the person."));
    stage.append(&id, "Researcher", "Third.", worker("Researcher")).await;
    let section = stage.section(&id, "Researcher").await;
    assert_eq!(section, "First, says the person.\n\nSecond.\n\nThird.");
    stage.runs.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c05_a_whole_save_of_an_old_text_is_merged_and_a_whole_write_on_an_old_base_is_a_conflict() {
    let (stage, id) = quiet().await;
    let (loaded, base) = (stage.file(&id), stage.runs.draft(&id).await.unwrap().revision);
    for number in 0..7 {
        stage.append(&id, "Terminal", &format!("Line {number}."), worker("Terminal")).await;
    }
    let write = FileCommand::Write {
        path: document_of(&id),
        content: loaded.replace("# compare", "# contrast").into(),
    };
    let reply = stage.documents.execute(write.by(person()).on(base)).await.unwrap();
    let FileResult::Error { kind: FileErrorKind::Conflict { current, current_revision }, .. } = reply.result
    else {
        panic!("never the last write wins: {reply:?}")
    };
    assert!(current_revision == base + 7 && current.contains("Line 6."), "{current}");
    stage.save(&id, &loaded.replace("# compare", "# contrast"));
    let text = stage.until_text(&id, |text| text.starts_with("# contrast")).await;
    assert!((0..7).all(|number| text.contains(&format!("Line {number}."))), "{text}");
    stage.runs.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c05_two_who_change_the_same_line_both_keep_their_words() {
    let (stage, id) = quiet().await;
    stage.append(&id, "Researcher", "The limit is ten.", worker("Researcher")).await;
    let (loaded, base) = (stage.file(&id), stage.runs.draft(&id).await.unwrap().revision);
    let (path, section) = (document_of(&id), "Researcher".to_owned());
    let (old, new) = ("The limit is ten.".to_owned(), "The limit is eleven.".to_owned());
    let edit = FileCommand::EditSection { path, section, old, new };
    let reply = stage.documents.execute(edit.by(worker("Researcher")).on(base)).await.unwrap();
    assert!(matches!(reply.result, FileResult::Written { .. }), "{reply:?}");
    stage.save(&id, &loaded.replace("The limit is ten.", "The limit is twelve."));
    let text = stage.until_text(&id, |text| text.contains("twelve")).await;
    let section = Draft::new(&text, 0).section("Researcher").unwrap();
    assert!(
        section.contains("The limit is eleven.") && section.contains("The limit is twelve."),
        "{section}"
    );
    assert!(!section.contains("ten."), "both changed it: {section}");
    stage.runs.close().await;
}

/// Workers of whom Terminal waits before its second line, and goes on when its section was gone.
fn interrupted(gate: &Arc<Notify>) -> Puppet {
    let gate = Arc::clone(gate);
    Puppet::new(move |asked| {
        let line = |number: usize| append(asked, &format!("{} line {number}.", asked.worker));
        match (
            asked.worker.as_str(),
            asked.attribute("aim").as_str(),
            asked.done("AppendSection"),
            asked.done("Finished"),
        ) {
            ("Terminal", "find", 0, _) if asked.steps.is_empty() => line(0),
            ("Terminal", "find", 1, 0) if asked.steps.len() == 1 => {
                Said::After(Arc::clone(&gate), Box::new(line(1)))
            }
            // It was told that its section is gone; the next attempt finds it.
            (_, _, 0..=2, 0) if asked.steps.len() < 3 => line(asked.steps.len()),
            (_, _, _, 0) => finished("done"),
            _ => Said::Words("Done.".to_owned()),
        }
    })
}

fn is_without_words(text: &str) -> bool {
    Draft::new(text, 0).section("Terminal").is_ok_and(|section| section.is_empty())
}

#[tokio::test(flavor = "multi_thread")]
async fn c06_a_section_that_the_person_takes_away_is_made_again_and_nothing_is_lost() {
    let go = Arc::new(Notify::new());
    let puppet = interrupted(&go);
    let stage = Stage::new(puppet.clone());
    let id = stage.start("compare").await;
    let text = stage.until_text(&id, |text| text.contains("Terminal line 0.")).await;
    let (before, rest) = text.split_once("## Terminal").unwrap();
    let (_, after) = rest.split_once("## User").unwrap();
    stage.save(&id, &format!("{before}## User{after}"));
    let text = stage.until_text(&id, is_without_words).await;
    let titles: Vec<String> = find_sections(&text)
        .into_iter()
        .filter(|section| section.level == 2)
        .map(|section| section.title)
        .collect();
    assert_eq!(titles, ["Conductor", "Researcher", "Terminal", "User"], "at its place");
    go.notify_one();
    let record = stage.ended(&id).await;
    assert_eq!(record.status, Status::Completed, "{record:#?}");
    assert!(stage.section(&id, "Terminal").await.contains("Terminal line 1."));
    for asked in puppet.asked().iter().filter(|asked| asked.worker == "Terminal") {
        let told = asked.steps.iter().filter(|(_, _, failed)| *failed).count();
        assert!(told <= 1, "it is told once at most: {:?}", asked.steps);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn c06_a_section_that_the_person_renames_keeps_its_words_and_the_worker_gets_another() {
    let go = Arc::new(Notify::new());
    let stage = Stage::new(interrupted(&go));
    let id = stage.start("compare").await;
    let text = stage.until_text(&id, |text| text.contains("Terminal line 0.")).await;
    stage.save(&id, &text.replace("## Terminal\n", "## Measured\n"));
    stage.until_text(&id, is_without_words).await;
    go.notify_one();
    let record = stage.ended(&id).await;
    assert_eq!(record.status, Status::Completed, "{record:#?}");
    assert_eq!(stage.section(&id, "Measured").await, "Terminal line 0.");
    assert!(stage.section(&id, "Terminal").await.contains("Terminal line 1."));
    let canon = stage.section(&id, "Conductor").await;
    assert!(canon.contains("- Terminal line 0."), "what stands under another name counts, too: {canon}");
}

#[tokio::test(flavor = "multi_thread")]
async fn c07_a_heading_that_stands_twice_blocks_the_run_until_the_person_mends_it() {
    let go = Arc::new(Notify::new());
    let gate = Arc::clone(&go);
    let puppet = Puppet::new(move |asked| match asked.worker.as_str() {
        "Terminal" if asked.steps.is_empty() && asked.attribute("aim") == "find" => {
            Said::After(Arc::clone(&gate), Box::new(append(asked, "Terminal late.")))
        }
        _ if asked.steps.last().is_some_and(|(_, _, failed)| *failed) => {
            Said::Words("I cannot write.".to_owned())
        }
        _ => diligent(asked),
    });
    let stage = Stage::new(puppet.clone());
    let id = stage.start("compare").await;
    let text = stage.until_text(&id, |text| text.contains("Researcher find finding 2.")).await;
    stage.save(&id, &format!("{text}\n## Terminal\n\nAnother one.\n"));
    let view = stage.until(&id, |view| view.record.status == Status::Blocked).await;
    let why = view.record.why.clone().unwrap();
    assert!(why.contains("2 sections \"Terminal\""), "{why}");
    go.notify_one();
    let refused = || {
        puppet
            .asked_as("Terminal")
            .iter()
            .any(|asked| asked.steps.iter().any(|(_, told, _)| told.contains("MultipleMatches")))
    };
    while !refused() {
        tokio::task::yield_now().await;
    }
    let text = stage.file(&id);
    stage.save(&id, &text.replace("\n## Terminal\n\nAnother one.\n", ""));
    // Whoever asks again after that is let in.
    for _ in 0..8 {
        go.notify_one();
        tokio::task::yield_now().await;
    }
    let record = stage.ended_with(&id, &go).await;
    assert_eq!(record.status, Status::Completed, "{record:#?}");
    assert!(stage.section(&id, "Terminal").await.contains("Terminal late."));
}

/// Puts the first line that is new into the file with the program of that name.
fn sed_in_place(stage: &Stage, id: &str, text: &str) {
    let old = stage.file(id);
    let new = text.lines().find(|line| !old.contains(line)).unwrap();
    let script = format!("s/^## Conductor$/&\\n\\n{new}/");
    let status = Command::new("sed").args(["-i", &script]).arg(stage.path(id)).status().unwrap();
    assert!(status.success());
}

/// Takes the text out of a repository beside the file.
fn git_checkout(stage: &Stage, id: &str, text: &str) {
    let path = stage.path(id);
    let (folder, name) = (path.parent().unwrap(), path.file_name().unwrap());
    let store = tempfile::tempdir().unwrap();
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        for (key, value) in [("GIT_CONFIG_GLOBAL", "/dev/null"), ("GIT_CONFIG_NOSYSTEM", "1")] {
            command.env(key, value);
        }
        command.env("GIT_DIR", store.path()).env("GIT_WORK_TREE", folder).current_dir(folder);
        let output = command.args(arguments).output().unwrap();
        assert!(output.status.success(), "{output:?}");
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    };
    git(&["init", "--quiet"]);
    let other = store.path().join("text");
    std::fs::write(&other, text).unwrap();
    let blob = git(&["hash-object", "-w", other.to_str().unwrap()]);
    git(&["update-index", "--add", "--cacheinfo", &format!("100644,{blob},{}", name.to_str().unwrap())]);
    git(&["checkout", "--", name.to_str().unwrap()]);
}

#[tokio::test(flavor = "multi_thread")]
async fn c08_a_save_by_any_editor_is_taken_in_as_the_persons() {
    let (stage, id) = quiet().await;
    let handle = stage.documents.hub().await.unwrap().unwrap().document(&document_of(&id)).await.unwrap();
    let saves: [fn(&Stage, &str, &str); 4] = [
        |stage, id, text| stage.save(id, text),
        |stage, id, text| std::fs::write(stage.path(id), text).unwrap(),
        sed_in_place,
        git_checkout,
    ];
    for (number, save) in saves.into_iter().enumerate() {
        let mut changes = handle.subscribe();
        let before = handle.read();
        let words = format!("Saved {number}.");
        save(&stage, &id, &before.text.replace("## Conductor\n", &format!("## Conductor\n\n{words}\n")));
        let event = tokio::time::timeout(PATIENCE, changes.next()).await.unwrap().unwrap();
        let Event::Changed(changed) = event else { panic!("{event:?}") };
        assert_eq!(
            (changed.kind, changed.author.name(), changed.base),
            (ChangeKind::Saved, "user", before.revision)
        );
        assert!(handle.read().text.contains(&words));
        stage.append(&id, "Researcher", &format!("After {number}."), worker("Researcher")).await;
        assert!(stage.file(&id).contains(&words), "memory that is old does not win");
    }
    stage.runs.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c09_a_touched_file_with_the_same_bytes_is_no_change() {
    let (stage, id) = quiet().await;
    let handle = stage.documents.hub().await.unwrap().unwrap().document(&document_of(&id)).await.unwrap();
    let (before, text) = (handle.read().revision, stage.file(&id));
    std::fs::set_permissions(stage.path(&id), std::fs::Permissions::from_mode(0o600)).unwrap();
    std::fs::write(stage.path(&id), &text).unwrap();
    stage.save(&id, &text);
    handle.file_changed();
    handle.settled().await;
    assert_eq!(handle.read().revision, before);
    stage.runs.close().await;
}

/// Looks for a while, during which the owner is told again and again that the file changed.
async fn stays(handle: &DocumentHandle, before: &Snapshot) {
    for _ in 0..40 {
        handle.file_changed();
        tokio::time::sleep(Duration::from_millis(5)).await;
        assert_eq!(handle.read(), *before, "somebody is in the middle of a save");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn c10_half_a_save_is_never_shown() {
    let (stage, id) = quiet().await;
    let handle = stage.documents.hub().await.unwrap().unwrap().document(&document_of(&id)).await.unwrap();
    let before = handle.read();
    let whole = stage.file(&id).replace("# compare", "# contrast");
    let mut file = OpenOptions::new().write(true).truncate(true).open(stage.path(&id)).unwrap();
    stays(&handle, &before).await;
    let (one, two) = whole.split_at(20);
    file.write_all(one.as_bytes()).unwrap();
    stays(&handle, &before).await;
    file.write_all(two.as_bytes()).unwrap();
    drop(file);
    let text = stage.until_text(&id, |text| text.starts_with("# contrast")).await;
    assert_eq!(text, whole);
    assert_eq!(handle.read().revision, before.revision + 1, "one save, whatever its pieces");
    stage.runs.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c11_two_runs_at_once_do_not_meet_and_a_stuck_one_does_not_hold_the_other_up() {
    let puppet =
        Puppet::new(
            |asked| if asked.prompt.contains("the stuck one") { Said::Never } else { diligent(asked) },
        );
    let stage = Stage::new(puppet);
    let stuck = stage.start("the stuck one").await;
    let (id, record) = stage.run("the quick one").await;
    assert_eq!(record.status, Status::Completed);
    assert!(!stage.file(&stuck).contains("finding") && stage.file(&id).contains("finding"));
    let listed = stage.runs.list(0, 10).await.unwrap();
    let statuses: HashMap<String, Status> = listed.into_iter().map(|run| (run.id, run.status)).collect();
    assert_eq!((statuses[&id], statuses[&stuck]), (Status::Completed, Status::WaitingForWorker));
    stage.runs.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c12_a_slow_merge_holds_nobody_up_and_keeps_what_was_written_meanwhile() {
    let go = Arc::new(Notify::new());
    let gate = Arc::clone(&go);
    let conductor = Puppet::new(move |asked| {
        if asked.is_plan() {
            return Said::Words("1. Researcher: look".to_owned());
        }
        Said::After(Arc::clone(&gate), Box::new(Said::Words("Researcher found it.".to_owned())))
    });
    let stage = Stage::with(&Cast { conductor: Some(conductor), ..Cast::new(Puppet::new(diligent)) });
    let id = stage.start("compare").await;
    stage
        .until(&id, |view| {
            view.record.status == Status::Running
                && view.record.plan.iter().all(|item| item.state.is_over())
                && !view.record.plan.is_empty()
        })
        .await;
    for number in 0..20 {
        let written = stage.append(&id, "Terminal", &format!("Line {number}."), worker("Terminal")).await;
        assert!(matches!(written, FileResult::Written { .. }), "{written:?}");
    }
    stage.append(&id, "Conductor", "The person's own canon.", person()).await;
    let record = stage.ended_with(&id, &go).await;
    assert_eq!(record.status, Status::Completed);
    let canon = stage.section(&id, "Conductor").await;
    assert!(canon.contains("Researcher found it.") && canon.contains("The person's own canon."), "{canon}");
    assert!(stage.section(&id, "Terminal").await.ends_with("Line 19."));
}

#[tokio::test(flavor = "multi_thread")]
async fn c13_a_flood_of_ten_thousand_appends_does_not_keep_the_person_waiting() {
    let (stage, id) = quiet().await;
    let left = Arc::new(AtomicUsize::new(10_000));
    let mut tasks = JoinSet::new();
    for _ in 0..100 {
        let (documents, path, left) = (stage.documents.clone(), document_of(&id), Arc::clone(&left));
        tasks.spawn(async move {
            for _ in 0..100 {
                let (path, section) = (path.clone(), "Researcher".to_owned());
                let command = FileCommand::AppendSection { path, section, content: "flood".to_owned() };
                documents.execute(command.by(worker("Researcher"))).await.unwrap();
                left.fetch_sub(1, Ordering::SeqCst);
            }
        });
    }
    while left.load(Ordering::SeqCst) > 9900 {
        tokio::task::yield_now().await;
    }
    stage.append(&id, "User", "Me too.", person()).await;
    let waiting = left.load(Ordering::SeqCst);
    assert!(waiting > 1000, "the person waited for all but {waiting}");
    while let Some(done) = tasks.join_next().await {
        done.unwrap();
    }
    let text = stage.file(&id);
    assert_eq!(text.lines().filter(|line| *line == "flood").count(), 10_000);
    assert!(text.contains("Me too."));
    stage.runs.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c13_a_worker_that_floods_is_told_to_stop() {
    let flooding = Puppet::new(|asked| {
        if asked.worker == "Researcher" && asked.done("Finished") == 0 {
            return match asked.steps.last() {
                Some((_, told, true)) if told.contains("which is the limit") => finished("too much"),
                _ => append(asked, &format!("flood {}", asked.steps.len())),
            };
        }
        diligent(asked)
    });
    let limits = Limits { appends_max: 15, ..Limits::default() };
    let stage = Stage::with(&Cast { limits, ..Cast::new(flooding) });
    let (id, record) = stage.run("compare").await;
    assert_eq!(record.status, Status::Completed, "{record:#?}");
    let flood = stage.section(&id, "Researcher").await.matches("flood").count();
    assert!(flood <= 30, "two assignments of fifteen, not {flood}");
}

#[tokio::test(flavor = "multi_thread")]
async fn c14_whoever_reads_the_file_during_a_thousand_writes_reads_a_whole_revision() {
    let (stage, id) = quiet().await;
    let (path, is_over) = (stage.path(&id), Arc::new(AtomicBool::new(false)));
    let over = Arc::clone(&is_over);
    let reader = std::thread::spawn(move || {
        let mut reads = 0;
        while !over.load(Ordering::SeqCst) {
            let text = std::fs::read_to_string(&path).unwrap();
            let titles: Vec<String> = find_sections(&text).into_iter().map(|section| section.title).collect();
            assert_eq!(titles, ["compare", "Conductor", "Researcher", "Terminal", "User"], "{text}");
            assert!(text.ends_with("<!-- proposal -->\n"), "it is whole");
            reads += 1;
        }
        reads
    });
    flood(&stage, &id, 50, 20).await;
    is_over.store(true, Ordering::SeqCst);
    assert!(reader.join().unwrap() > 0);
    stage.runs.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn c15_workers_the_conductor_and_the_person_call_each_other_and_nobody_waits_for_ever() {
    let stage = Stage::new(Puppet::new(diligent));
    let id = stage.start("compare").await;
    let (runs, other) = (stage.runs.clone(), id.clone());
    let person = tokio::spawn(async move {
        for number in 0..10 {
            runs.direct(&other, &format!("@Researcher look at {number}"), "user", None).await.unwrap();
            let proposals = runs.proposals(&other).await.unwrap();
            if let Some(proposal) = proposals.first() {
                // It may be gone by now, or the run over.
                drop(runs.accept(&other, &proposal.id, "user").await);
            }
        }
    });
    tokio::time::timeout(PATIENCE, person).await.expect("nobody hangs").unwrap();
    let record = stage.ended(&id).await;
    assert!(record.status.is_final(), "{record:#?}");
}
