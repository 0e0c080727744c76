//! Crashes, restarts and history: R02 to R10 of the acceptance list. R01 is in `kills`.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use conductor::RunError;
use conductor::plan::ItemState;
use conductor::record::Record;
use conductor::status::{Phase, Status};
use workspace::command::Actor;

use crate::checkpoints::diligent;
use crate::puppet::{Puppet, Said, append};
use crate::stage::{Cast, Stage, authors};

/// Workers of whom one hangs until it is let go.
fn hanging(is_free: Arc<AtomicBool>) -> Puppet {
    Puppet::new(move |asked| {
        let is_held =
            asked.worker == "Terminal" && asked.done("AppendSection") == 1 && !is_free.load(Ordering::SeqCst);
        if is_held { Said::Never } else { diligent(asked) }
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn r02_an_unfinished_run_is_listed_and_goes_on_without_doing_anything_twice() {
    let is_free = Arc::new(AtomicBool::new(false));
    let puppet = hanging(Arc::clone(&is_free));
    let cast = Cast::new(puppet.clone());
    let stage = Stage::with(&cast);
    let id = stage.start("compare").await;
    stage.until(&id, |view| view.record.plan.iter().any(|item| item.state == ItemState::Done)).await;
    stage.until_text(&id, |text| text.contains("Terminal find finding 1.")).await;
    let stage = stage.restarted(&cast).await;
    let listed = stage.runs.list(0, 10).await.unwrap();
    assert_eq!(
        (listed[0].id.as_str(), listed[0].objective.as_str(), listed[0].is_live),
        (id.as_str(), "compare", false)
    );
    assert!(!listed[0].status.is_final(), "{:?}", listed[0]);
    let before = puppet.asked_as("Researcher").len();
    is_free.store(true, Ordering::SeqCst);
    stage.runs.resume(&id).await.unwrap();
    let record = stage.ended(&id).await;
    assert_eq!(record.status, Status::Completed, "{record:#?}");
    let again: Vec<_> = puppet.asked_as("Researcher").split_off(before);
    assert!(again.iter().all(|asked| asked.attribute("aim") == "relate"), "what is done is not run again");
    let text = stage.file(&id);
    for line in ["Researcher find finding 1.", "Researcher find finding 2.", "Terminal find finding 2."] {
        assert_eq!(text.lines().filter(|own| *own == line).count(), 1, "{line}: {text}");
    }
    assert!(
        record.decisions.iter().any(|words| words.contains("after a restart")),
        "{:#?}",
        record.decisions
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn r03_a_merge_that_was_due_happens_once_after_a_restart() {
    let merges = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&merges);
    let is_up = Arc::new(AtomicBool::new(false));
    let up = Arc::clone(&is_up);
    let conductor = Puppet::new(move |asked| {
        if asked.is_plan() {
            return Said::Words("1. Researcher: look".to_owned());
        }
        if !up.load(Ordering::SeqCst) {
            return Said::Never;
        }
        let number = count.fetch_add(1, Ordering::SeqCst) + 1;
        Said::Words(format!("Canon {number} of Researcher."))
    });
    let cast = Cast { conductor: Some(conductor), ..Cast::new(Puppet::new(diligent)) };
    let stage = Stage::with(&cast);
    let id = stage.start("compare").await;
    stage.until(&id, |view| view.record.plan.iter().any(|item| item.state == ItemState::Done)).await;
    let stage = stage.restarted(&cast).await;
    is_up.store(true, Ordering::SeqCst);
    for _ in 0..2 {
        stage.runs.resume(&id).await.unwrap();
        let record = stage.ended(&id).await;
        assert_eq!((record.status, record.canon.count), (Status::Completed, 1), "{record:#?}");
    }
    assert_eq!(merges.load(Ordering::SeqCst), 1);
    assert_eq!(stage.section(&id, "Conductor").await, "Canon 1 of Researcher.");
}

#[tokio::test(flavor = "multi_thread")]
async fn r03_a_canon_that_was_written_but_not_noted_is_not_written_twice() {
    let cast = Cast::new(Puppet::new(diligent));
    let stage = Stage::with(&cast);
    let (id, _) = stage.run("compare").await;
    let before = stage.runs.draft(&id).await.unwrap();
    let stage = stage.restarted(&cast).await;
    // As if the process had died between the document and the record.
    let path = stage.record_path(&id);
    let mut record: Record = serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap();
    record.canon.count -= 1;
    (record.canon.is_due, record.status) = (true, Status::Running);
    record.canon.inputs.clear();
    record.canon.text = "an older one".to_owned();
    std::fs::write(&path, serde_json::to_vec(&record).unwrap()).unwrap();
    stage.runs.resume(&id).await.unwrap();
    let record = stage.ended(&id).await;
    assert_eq!(record.status, Status::Completed);
    assert_eq!(stage.runs.draft(&id).await.unwrap(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn r04_what_a_crash_leaves_beside_the_record_is_no_record() {
    let cast = Cast::new(Puppet::new(diligent));
    let stage = Stage::with(&cast);
    let (id, record) = stage.run("compare").await;
    let stage = stage.restarted(&cast).await;
    let path = stage.record_path(&id);
    let half = &std::fs::read(&path).unwrap()[..40];
    std::fs::write(path.with_file_name("run.json.1-2.new"), half).unwrap();
    assert_eq!(
        *stage.runs.show(&id).await.unwrap().record,
        *record,
        "the old one or the new one, never half of one"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn r05_a_lost_or_damaged_record_is_made_again_from_the_document() {
    for damage in [None, Some(&b"{ \"format\": 1, \"id\": "[..]), Some(b"\0\0\0"), Some(b"[]")] {
        let puppet = Puppet::new(diligent);
        let cast = Cast::new(puppet.clone());
        let stage = Stage::with(&cast);
        let (id, _) = stage.run("compare the two").await;
        let asked = puppet.asked().len();
        let before = stage.file(&id);
        let stage = stage.restarted(&cast).await;
        let path = stage.record_path(&id);
        match damage {
            None => std::fs::remove_file(&path).unwrap(),
            Some(bytes) => std::fs::write(&path, bytes).unwrap(),
        }
        let listed = stage.runs.list(0, 10).await.unwrap();
        assert!(
            listed[0].status == Status::Blocked && listed[0].why.as_ref().unwrap().contains("lost"),
            "{listed:?}"
        );
        assert_eq!(stage.file(&id), before, "looking changes nothing");
        stage.runs.resume(&id).await.unwrap();
        let record = stage.ended(&id).await;
        assert_eq!(
            (record.status, record.objective.as_str()),
            (Status::Completed, "compare the two"),
            "{record:#?}"
        );
        assert_eq!(puppet.asked().len(), asked, "what stands in the document is done");
        let text = stage.file(&id);
        assert!(
            text.contains("Researcher find finding 1.") && text.contains("Terminal relate finding 2."),
            "{text}"
        );
        let kept = path.with_file_name("run.json.damaged-1");
        assert_eq!(damage.map(<[u8]>::to_vec), std::fs::read(kept).ok(), "what was damaged is kept");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn r05_a_record_of_a_newer_program_is_not_touched() {
    let cast = Cast::new(Puppet::new(diligent));
    let stage = Stage::with(&cast);
    let (id, _) = stage.run("compare").await;
    let stage = stage.restarted(&cast).await;
    let newer = br#"{ "format": 99, "id": "x", "secret": true }"#;
    std::fs::write(stage.record_path(&id), newer).unwrap();
    let refused = stage.runs.resume(&id).await.unwrap_err();
    assert!(matches!(refused, RunError::Newer { format: 99, .. }), "{refused}");
    assert_eq!(std::fs::read(stage.record_path(&id)).unwrap(), newer);
}

#[tokio::test(flavor = "multi_thread")]
async fn r06_what_the_person_changed_while_nothing_ran_wins() {
    let is_free = Arc::new(AtomicBool::new(false));
    let cast = Cast::new(hanging(Arc::clone(&is_free)));
    let stage = Stage::with(&cast);
    let id = stage.start("compare").await;
    stage.until(&id, |view| view.record.worker("Researcher").unwrap().phase == Phase::Merged).await;
    stage.until_text(&id, |text| text.contains("Terminal find finding 1.")).await;
    let stage = stage.restarted(&cast).await;
    let text = stage.file(&id).replace("\nResearcher find finding 1.\n", "\nFinding 1, as I would say it.\n");
    stage.save(&id, &format!("{text}/also check wasm\n"));
    is_free.store(true, Ordering::SeqCst);
    stage.runs.resume(&id).await.unwrap();
    let record = stage.ended(&id).await;
    assert_eq!(record.status, Status::Completed, "{record:#?}");
    let section = stage.section(&id, "Researcher").await;
    assert!(
        section.starts_with("Finding 1, as I would say it.")
            && section.contains("Researcher follow finding 1."),
        "{section}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn r07_every_revision_has_its_author_and_section_and_an_old_text_comes_back_as_a_new_revision() {
    let cast = Cast::new(Puppet::new(diligent));
    let stage = Stage::with(&cast);
    let (id, _) = stage.run("compare").await;
    stage.append(&id, "User", "Mine.", Actor::User("user".to_owned())).await;
    let lines = authors(&stage.path(&id), &stage.root());
    let wrote =
        |words: &str| lines.iter().find(|(line, _)| line == words).map(|(_, author)| author.clone()).unwrap();
    assert_eq!(wrote("Researcher find finding 1."), "Researcher");
    assert_eq!(wrote("Terminal relate finding 2."), "Terminal");
    assert_eq!(wrote("**Terminal**"), "Conductor");
    assert_eq!(wrote("Mine."), "user");
    let sidecar = workspace::sidecar::Sidecar::open(&stage.root()).unwrap();
    let paths = sidecar.paths_for(conductor::document_of(&id).as_ref(), None).unwrap();
    let (history, _) = workspace::journal::Journal::read(&paths.journal).unwrap();
    let revisions: Vec<u64> = history.entries().iter().map(|entry| entry.revision).collect();
    assert!(revisions.windows(2).all(|pair| pair[0] < pair[1]), "{revisions:?}");
    let sections: BTreeSet<&str> =
        history.entries().iter().filter_map(|entry| entry.section.as_deref()).collect();
    assert_eq!(sections.into_iter().collect::<Vec<_>>(), ["Conductor", "Researcher", "Terminal", "User"]);
    let (old, now) = (history.text_at(revisions[0]).unwrap(), stage.runs.draft(&id).await.unwrap().revision);
    let write = workspace::command::FileCommand::Write {
        path: conductor::document_of(&id),
        content: old.clone().into(),
    };
    let reply = stage.documents.execute(write.by(Actor::User("user".to_owned())).on(now)).await.unwrap();
    assert_eq!((reply.revision, stage.file(&id)), (now + 1, old));
}

#[tokio::test(flavor = "multi_thread")]
async fn r08_five_hundred_runs_are_listed_quickly_and_by_pages() {
    let stage = Stage::new(Puppet::new(diligent));
    let names: Vec<String> = (0..500).map(|number| format!("run-{number:04}")).collect();
    for name in &names {
        let folder = stage.root().join("runs").join(name);
        std::fs::create_dir_all(&folder).unwrap();
        std::fs::write(folder.join("draft.md"), "# x\n").unwrap();
        let record = Record::new(name, &format!("objective {name}"), &[], "user", 0);
        std::fs::write(folder.join("run.json"), serde_json::to_vec(&record).unwrap()).unwrap();
    }
    // What stands beside them is no run.
    std::fs::create_dir_all(stage.root().join("runs/no run")).unwrap();
    std::fs::write(stage.root().join("runs/notes.md"), "x").unwrap();
    let begun = Instant::now();
    let all = stage.runs.list(0, 1000).await.unwrap();
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
    assert_eq!((all.len(), all[0].id.as_str()), (500, "run-0499"), "the latest first");
    let page = stage.runs.list(490, 20).await.unwrap();
    assert_eq!((page.len(), page[9].objective.as_str()), (10, "objective run-0000"));
}

#[tokio::test(flavor = "multi_thread")]
async fn r09_a_cancelled_run_stops_and_keeps_what_it_has_a_hundred_times_without_leaving_anything_open() {
    let puppet =
        Puppet::new(|asked| if asked.steps.is_empty() { append(asked, "First words.") } else { Said::Never });
    let cast = Cast::new(puppet);
    let stage = Stage::with(&cast);
    let open = || std::fs::read_dir("/proc/self/fd").unwrap().count();
    let mut before = 0;
    for cycle in 0..100 {
        let id = stage.start("compare").await;
        stage.until_text(&id, |text| text.matches("First words.").count() == 2).await;
        let begun = Instant::now();
        stage.runs.cancel(&id, "user").await.unwrap();
        assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
        let record = stage.ended(&id).await;
        assert_eq!((record.status, record.why.as_deref()), (Status::Cancelled, Some("cancelled by user")));
        assert!(record.workers.iter().all(|worker| worker.phase == Phase::Stopped), "{record:#?}");
        assert_eq!(stage.file(&id).matches("First words.").count(), 2);
        if cycle == 9 {
            before = open();
        }
        let over = stage.runs.cancel(&id, "user").await;
        assert!(matches!(over, Err(RunError::Over { .. })), "{over:?}");
    }
    assert!(open() <= before + 40, "{before} files were open, and now {}", open());
}

#[tokio::test(flavor = "multi_thread")]
async fn r09_a_run_that_nobody_works_on_can_be_cancelled() {
    let cast = Cast::new(Puppet::new(|_| Said::Never));
    let stage = Stage::with(&cast);
    let id = stage.start("compare").await;
    stage.until(&id, |view| view.record.status == Status::WaitingForWorker).await;
    let stage = stage.restarted(&cast).await;
    stage.runs.cancel(&id, "user").await.unwrap();
    let record = stage.runs.show(&id).await.unwrap().record;
    assert_eq!(record.status, Status::Cancelled, "{record:#?}");
    stage.runs.resume(&id).await.unwrap();
    assert_eq!(stage.ended(&id).await.status, Status::Cancelled, "it stays so");
}

#[tokio::test(flavor = "multi_thread")]
async fn r09_a_run_is_cancelled_while_a_model_thinks_about_the_canon() {
    let conductor = Puppet::new(|asked| {
        if asked.is_plan() { Said::Words("1. Researcher: look".to_owned()) } else { Said::Never }
    });
    let stage = Stage::with(&Cast { conductor: Some(conductor), ..Cast::new(Puppet::new(diligent)) });
    let id = stage.start("compare").await;
    stage.until(&id, |view| view.record.canon.is_due && view.record.status == Status::Running).await;
    stage.runs.cancel(&id, "user").await.unwrap();
    assert_eq!(stage.ended(&id).await.status, Status::Cancelled);
    assert!(stage.section(&id, "Researcher").await.contains("finding 2."));
}

/// A clock that runs backwards, in leaps.
fn mad_clock() -> u64 {
    static TIME: AtomicU64 = AtomicU64::new(u64::MAX / 2);
    TIME.fetch_sub(10_000_000, Ordering::Relaxed)
}

#[tokio::test(flavor = "multi_thread")]
async fn r10_a_clock_that_jumps_changes_nothing_but_what_is_shown() {
    let cast = Cast { clock: mad_clock, ..Cast::new(Puppet::new(diligent)) };
    let stage = Stage::with(&cast);
    let (id, record) = stage.run("compare").await;
    assert_eq!(record.status, Status::Completed, "{record:#?}");
    assert!(record.updated < record.begun, "the clock did run backwards");
    assert!(record.spent.milliseconds < 60_000, "time is measured by another clock");
    let section = stage.section(&id, "Researcher").await;
    assert!(section.starts_with("Researcher find finding 1.\n\nResearcher find finding 2."), "{section}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_said_twice_under_one_name_is_done_once() {
    let stage = Stage::new(Puppet::new(diligent));
    let (id, _) = stage.run("compare").await;
    for _ in 0..2 {
        stage.runs.direct(&id, "check wasm", "user", Some("click-1")).await.unwrap();
        stage.ended(&id).await;
    }
    let record = stage.runs.show(&id).await.unwrap().record;
    assert_eq!(record.directives.len(), 1, "{record:#?}");
    assert_eq!(record.plan.iter().filter(|item| item.objective == "check wasm").count(), 1);
    assert_eq!(stage.file(&id).matches("\n/also check wasm\n").count(), 1, "{}", stage.file(&id));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_directive_to_a_run_that_nobody_works_on_is_followed() {
    let cast = Cast::new(Puppet::new(diligent));
    let stage = Stage::with(&cast);
    let (id, _) = stage.run("compare").await;
    let stage = stage.restarted(&cast).await;
    let heard = stage.runs.tell(&id, "say more", "user", None).await.unwrap();
    assert_eq!(heard, conductor::Heard::Later, "it is said, and nobody is there");
    stage.runs.direct(&id, "check wasm", "user", None).await.unwrap();
    let record = stage.ended(&id).await;
    let done: Vec<&str> = record.plan.iter().skip(4).map(|item| item.objective.as_str()).collect();
    assert_eq!((record.status, done), (Status::Completed, vec!["say more", "check wasm"]), "{record:#?}");
    let text = stage.file(&id);
    assert!(text.contains("> Taken: `/also check wasm` → Researcher looks into it"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cancelled_run_takes_no_more_directives_and_says_so() {
    let stage = Stage::new(Puppet::new(|_| Said::Never));
    let id = stage.start("compare").await;
    stage.runs.cancel(&id, "user").await.unwrap();
    let told = stage.runs.direct(&id, "check wasm", "user", None).await.unwrap_err();
    assert!(matches!(told, RunError::Over { .. }), "{told}");
    assert!(!stage.file(&id).contains("check wasm"), "what nobody does is not written down as said");
}
