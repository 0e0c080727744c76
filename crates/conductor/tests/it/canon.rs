//! The merge and the canon: M01 to M15 of the acceptance list.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use conductor::canon::{LABEL, LATER};
use conductor::limits::Limits;
use conductor::status::{Phase, Status};
use conductor::{RunError, document_of};
use serde_json::{Value, json};
use tokio::sync::{Barrier, Notify};
use workspace::command::{Actor, FileCommand};

use crate::checkpoints::diligent;
use crate::puppet::{Asked, Puppet, Said, append, finished};
use crate::stage::{Cast, Stage};

/// A conductor that has one plan, and says this when it merges.
fn merging(says: impl Fn(&Asked) -> Said + Send + Sync + 'static) -> Option<Puppet> {
    let play = move |asked: &Asked| {
        if asked.is_plan() {
            Said::Words("1. Researcher: look\n2. Terminal: measure".to_owned())
        } else {
            says(asked)
        }
    };
    Some(Puppet::new(play))
}

#[tokio::test(flavor = "multi_thread")]
async fn m01_a_worker_that_writes_elsewhere_is_refused_and_that_is_seen() {
    let stray = Puppet::new(|asked| {
        let document = asked.attribute("document");
        let other = if asked.worker == "Researcher" { "Terminal" } else { "Researcher" };
        let into = |section: &str| json!({ "file_path": document, "section": section, "content": "stray" });
        let with = |section: &str, more: Value| {
            let mut given = json!({ "file_path": document, "section": section, "revision": 0 });
            given.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            given
        };
        let write = |section: &str| with(section, json!({ "content": "stray" }));
        let edit = |section: &str| with(section, json!({ "old_string": "The", "new_string": "stray" }));
        match asked.steps.len() {
            0 => Said::Calls(vec![("AppendSection", into("Conductor"))]),
            1 => Said::Calls(vec![("WriteSection", write("Conductor"))]),
            2 => Said::Calls(vec![("EditSection", edit("Conductor"))]),
            3 => Said::Calls(vec![("AppendSection", into("User"))]),
            4 => Said::Calls(vec![("AppendSection", into(other))]),
            5 => Said::Calls(vec![("WriteSection", write(other))]),
            6 => Said::Calls(vec![("EditSection", edit(other))]),
            7 => append(asked, "own"),
            8 => finished("done"),
            _ => Said::Words("Done.".to_owned()),
        }
    });
    let stage = Stage::new(stray.clone());
    let (id, record) = stage.run("compare").await;
    assert_eq!(record.status, Status::Completed, "{record:#?}");
    assert!(!stage.file(&id).contains("stray"));
    for asked in stray.asked().iter().filter(|asked| asked.steps.len() > 7) {
        assert!(
            asked.steps[..7].iter().all(|(_, told, failed)| *failed && told.starts_with("Forbidden:")),
            "{:?}",
            asked.steps
        );
    }
    let seen = record
        .decisions
        .iter()
        .filter(|words| words.contains("was refused") && words.contains("belongs to"))
        .count();
    assert!(seen >= 7, "{:#?}", record.decisions);
}

#[tokio::test(flavor = "multi_thread")]
async fn m02_a_finished_worker_is_merged_and_its_text_stays() {
    let stage = Stage::with(&Cast {
        conductor: merging(|_| Said::Words("Both agree.".to_owned())),
        ..Cast::new(Puppet::new(diligent))
    });
    let (id, record) = stage.run("compare").await;
    let canon = stage.section(&id, "Conductor").await;
    assert!(
        canon.starts_with("Both agree.") && canon.contains("_Sources: Researcher, Terminal._"),
        "{canon}"
    );
    assert!(stage.section(&id, "Researcher").await.contains("Researcher find finding 2."));
    assert!(record.workers.iter().all(|worker| worker.phase == Phase::Merged));
}

#[tokio::test(flavor = "multi_thread")]
async fn m03_two_that_finish_in_the_same_moment_are_both_in_the_canon() {
    let together = Arc::new(Barrier::new(2));
    let waits = Arc::new(AtomicUsize::new(0));
    let puppet = Puppet::new(move |asked| {
        // The last word of both is held back until both have it.
        if asked.attribute("aim") == "find"
            && asked.done("Finished") == 1
            && waits.fetch_add(1, Ordering::SeqCst) < 2
        {
            let (barrier, notify) = (Arc::clone(&together), Arc::new(Notify::new()));
            let ready = Arc::clone(&notify);
            tokio::spawn(async move {
                barrier.wait().await;
                ready.notify_one();
            });
            return Said::After(notify, Box::new(Said::Words("Done.".to_owned())));
        }
        diligent(asked)
    });
    let stage = Stage::new(puppet);
    let (id, record) = stage.run("compare").await;
    assert_eq!(record.status, Status::Completed);
    let canon = stage.section(&id, "Conductor").await;
    for worker in ["Researcher", "Terminal"] {
        assert!(
            canon.contains(&format!("**{worker}**")) && canon.contains(&format!("{worker} find finding 1.")),
            "{canon}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn m04_one_that_finishes_during_a_merge_causes_exactly_one_more() {
    let (merges, go, slow) =
        (Arc::new(AtomicUsize::new(0)), Arc::new(Notify::new()), Arc::new(Notify::new()));
    let (count, gate) = (Arc::clone(&merges), Arc::clone(&go));
    let conductor = merging(move |asked| {
        let number = count.fetch_add(1, Ordering::SeqCst) + 1;
        let has_both = asked.prompt.contains("Terminal find finding 2.");
        let said = Said::Words(format!("Canon {number} of {}.", if has_both { "both" } else { "one" }));
        if number == 1 { Said::After(Arc::clone(&gate), Box::new(said)) } else { said }
    });
    let held = Arc::clone(&slow);
    let workers = Puppet::new(move |asked| {
        if asked.worker == "Terminal" && asked.steps.is_empty() {
            return Said::After(Arc::clone(&held), Box::new(append(asked, "Terminal find finding 1.")));
        }
        diligent(asked)
    });
    let stage = Stage::with(&Cast { conductor, ..Cast::new(workers) });
    let id = stage.start("compare").await;
    while merges.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    slow.notify_one();
    stage.until(&id, |view| view.record.worker("Terminal").unwrap().phase == Phase::Done).await;
    go.notify_one();
    let record = stage.ended(&id).await;
    assert_eq!((record.status, merges.load(Ordering::SeqCst)), (Status::Completed, 2), "{record:#?}");
    assert!(stage.section(&id, "Conductor").await.contains("Canon 2 of both."));
}

#[tokio::test(flavor = "multi_thread")]
async fn m05_a_canon_that_somebody_changed_meanwhile_is_read_again_and_not_overwritten() {
    let go = Arc::new(Notify::new());
    let gate = Arc::clone(&go);
    let conductor = merging(move |_| {
        Said::After(Arc::clone(&gate), Box::new(Said::Words("Researcher and Terminal agree.".to_owned())))
    });
    let stage = Stage::with(&Cast { conductor, ..Cast::new(Puppet::new(diligent)) });
    let id = stage.start("compare").await;
    stage.until(&id, |view| view.record.canon.is_due && view.record.status == Status::Running).await;
    // Not through the run: its conductor has an old reading when it writes.
    for number in 0..3 {
        stage.append(&id, "Conductor", &format!("Mine {number}."), Actor::User("user".to_owned())).await;
        go.notify_one();
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    go.notify_one();
    let record = stage.ended_with(&id, &go).await;
    assert_eq!(record.status, Status::Completed);
    let canon = stage.section(&id, "Conductor").await;
    assert!((0..3).all(|number| canon.contains(&format!("Mine {number}."))), "{canon}");
    assert_eq!(canon.matches("Researcher and Terminal agree.").count(), 1, "{canon}");
}

#[tokio::test(flavor = "multi_thread")]
async fn m06_a_model_that_says_nothing_fit_does_not_become_the_canon() {
    let echo = "Compare the two.".to_owned();
    let unfit = [
        String::new(),
        "# A\n\n## B\n".to_owned(),
        echo,
        "```markdown\nAll is well.\n```".to_owned(),
        "Here is the canon:\n\n```markdown\nAll is well.\n```".to_owned(),
        "All is well.\n\n## Terminal\n\nforged".to_owned(),
        "word ".repeat(20_000),
    ];
    for text in unfit {
        let said = text.clone();
        let asks = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asks);
        let conductor = merging(move |asked| {
            if count.fetch_add(1, Ordering::SeqCst) == 1 {
                assert!(asked.prompt.contains("was not taken"), "it is told why: {}", asked.prompt);
            }
            Said::Words(said.clone())
        });
        let stage = Stage::with(&Cast { conductor, ..Cast::new(Puppet::new(diligent)) });
        let (id, record) = stage.run("compare the two").await;
        let canon = stage.section(&id, "Conductor").await;
        assert!(
            canon.starts_with(LABEL) && canon.contains("Researcher find finding 1."),
            "{text:?} became {canon:?}"
        );
        assert!(
            !record.canon.is_synthesis && record.decisions.iter().any(|words| words.contains("is not taken")),
            "{record:#?}"
        );
        assert_eq!(
            stage.runs.draft(&id).await.unwrap().titles(),
            ["Conductor", "Researcher", "Terminal", "User"]
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn m06_a_later_text_that_is_not_fit_does_not_take_away_an_earlier_one_that_was() {
    let gate = Arc::new(Notify::new());
    let conductor = merging(|asked| {
        let is_second = asked.prompt.contains("Terminal at last.");
        Said::Words(if is_second { "```\nfenced\n```" } else { "Researcher is sure of it." }.to_owned())
    });
    let held = Arc::clone(&gate);
    let workers = Puppet::new(move |asked| match (asked.worker.as_str(), asked.steps.len()) {
        ("Terminal", 0) => Said::After(Arc::clone(&held), Box::new(append(asked, "Terminal at last."))),
        _ => diligent(asked),
    });
    let stage = Stage::with(&Cast { conductor, ..Cast::new(workers) });
    let id = stage.start("compare").await;
    stage.until_text(&id, |text| text.contains("Researcher is sure of it.")).await;
    gate.notify_one();
    let record = stage.ended(&id).await;
    assert_eq!((record.status, record.canon.count), (Status::Completed, 2), "{record:#?}");
    let canon = stage.section(&id, "Conductor").await;
    let (kept, later) = canon.split_once(LATER).unwrap();
    assert_eq!(kept.trim(), "Researcher is sure of it.");
    assert!(later.contains("**Terminal**") && later.contains("- Terminal at last."), "{canon}");
    assert!(!later.contains("**Researcher**"), "only what is new: {canon}");
}

#[tokio::test(flavor = "multi_thread")]
async fn m07_a_worker_that_the_person_stops_leaves_the_run_partial_and_the_others_finish() {
    let puppet = Puppet::new(|asked| if asked.worker == "Terminal" { Said::Never } else { diligent(asked) });
    let stage = Stage::new(puppet.clone());
    let id = stage.start("compare").await;
    let is_asked = || !puppet.asked_as("Terminal").is_empty();
    stage.until(&id, |_| is_asked()).await;
    let nobody = stage.runs.stop(&id, "Nobody", "user").await.unwrap_err();
    assert!(matches!(nobody, RunError::NoWorker(..)), "{nobody}");
    stage.runs.stop(&id, "terminal", "user").await.unwrap();
    let record = stage.ended(&id).await;
    assert_eq!(record.status, Status::Partial, "{record:#?}");
    assert_eq!(record.worker("Terminal").unwrap().phase, Phase::Stopped);
    let canon = stage.section(&id, "Conductor").await;
    assert!(canon.contains("Researcher relate finding 2.") || canon.contains("Researcher find"), "{canon}");
    assert!(canon.contains("Terminal did not finish: stopped by user"), "{canon}");
    let over = stage.runs.stop(&id, "Terminal", "user").await.unwrap_err();
    assert!(matches!(over, RunError::Over { .. }), "{over}");
}

#[tokio::test(flavor = "multi_thread")]
async fn m07_one_that_fails_leaves_the_run_partial_and_the_canon_says_so() {
    let puppet = Puppet::new(|asked| {
        if asked.worker == "Terminal" { Said::Fails("no such model".to_owned()) } else { diligent(asked) }
    });
    let stage = Stage::new(puppet);
    let (id, record) = stage.run("compare").await;
    assert_eq!(record.status, Status::Partial, "{record:#?}");
    let canon = stage.section(&id, "Conductor").await;
    assert!(
        canon.contains("Researcher find finding 1.") && canon.contains("Terminal did not finish:"),
        "{canon}"
    );
    assert_eq!(record.worker("Terminal").unwrap().phase, Phase::Failed);
}

#[tokio::test(flavor = "multi_thread")]
async fn m07_a_run_whose_time_is_up_keeps_what_it_has() {
    let puppet = Puppet::new(|asked| if asked.worker == "Terminal" { Said::Never } else { diligent(asked) });
    let limits = Limits { milliseconds_max: 3000, ..Limits::default() };
    let stage = Stage::with(&Cast { limits, ..Cast::new(puppet) });
    let (id, record) = stage.run("compare").await;
    assert_eq!(record.status, Status::Partial, "{record:#?}");
    assert!(record.why.as_ref().unwrap().contains("time"), "{record:#?}");
    assert!(stage.section(&id, "Conductor").await.contains("Researcher find finding 1."));
}

#[tokio::test(flavor = "multi_thread")]
async fn m08_when_all_fail_the_run_has_failed_and_the_canon_explains_it() {
    let puppet = Puppet::new(|_| Said::Fails("no such model".to_owned()));
    let stage = Stage::new(puppet.clone());
    let (id, record) = stage.run("compare").await;
    assert_eq!(record.status, Status::Failed, "{record:#?}");
    let canon = stage.section(&id, "Conductor").await;
    assert!(canon.contains("no answer") && canon.contains("no such model"), "{canon}");
    assert!(puppet.asked().len() <= 12, "nobody is begun without end: {}", puppet.asked().len());
}

#[tokio::test(flavor = "multi_thread")]
async fn m09_the_same_worker_with_the_same_objective_and_no_new_text_is_stopped_after_three_attempts() {
    let puppet = Puppet::new(|asked| {
        if asked.worker == "Terminal" { Said::Words("I am on it.".to_owned()) } else { diligent(asked) }
    });
    let stage = Stage::new(puppet);
    let (_, record) = stage.run("compare").await;
    assert_eq!(record.status, Status::Partial);
    let tries: Vec<(u32, u32)> = record
        .plan
        .iter()
        .filter(|item| item.worker == "Terminal")
        .map(|item| (item.attempts, item.idle))
        .collect();
    assert_eq!(tries, [(3, 3), (3, 3)], "{record:#?}");
    let told = record.plan.iter().find(|item| item.worker == "Terminal").unwrap().told.clone().unwrap();
    assert!(told.contains("3 times without a new word"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn m09_a_model_is_asked_what_to_do_instead_of_what_does_not_go_forward() {
    let conductor = Puppet::new(|asked| {
        let said = if asked.prompt.starts_with("Plan a part of this run anew") {
            assert!(asked.prompt.contains("Terminal was given this") && asked.prompt.contains("measure"));
            assert!(asked.prompt.contains("Researcher find finding 1."), "it sees the document");
            "1. Researcher: look it up instead"
        } else if asked.is_plan() {
            "1. Researcher: look\n2. Terminal: measure (after 1)"
        } else {
            "Researcher knows all of it."
        };
        Said::Words(said.to_owned())
    });
    let workers = Puppet::new(|asked| {
        if asked.worker == "Terminal" { Said::Words("I am on it.".to_owned()) } else { diligent(asked) }
    });
    let stage = Stage::with(&Cast { conductor: Some(conductor.clone()), ..Cast::new(workers) });
    let (id, record) = stage.run("compare").await;
    assert_eq!((record.status, record.replans), (Status::Completed, 1), "{record:#?}");
    let last = record.plan.last().unwrap();
    assert_eq!((last.worker.as_str(), last.objective.as_str()), ("Researcher", "look it up instead"));
    assert_eq!(record.item(2).unwrap().instead, [last.id]);
    let canon = stage.section(&id, "Conductor").await;
    assert!(!canon.contains("did not finish"), "{canon}");
}

#[tokio::test(flavor = "multi_thread")]
async fn m10_everybody_decides_from_the_text_and_its_revision() {
    let (workers, conductor) =
        (Puppet::new(diligent), merging(|_| Said::Words("Both agree on it.".to_owned())).unwrap());
    let stage = Stage::with(&Cast { conductor: Some(conductor.clone()), ..Cast::new(workers.clone()) });
    let (_, record) = stage.run("compare").await;
    assert_eq!(record.status, Status::Completed);
    for asked in workers.asked() {
        let revision: u64 = asked.attribute("revision").parse().unwrap();
        assert!(asked.document().starts_with("# compare\n\n## Conductor"), "{}", asked.prompt);
        assert!(asked.prompt.contains(&format!("at revision {revision}")));
    }
    let asked = conductor.asked();
    assert!(
        asked[0].prompt.contains("## Researcher") && asked[0].prompt.contains("at revision"),
        "{}",
        asked[0].prompt
    );
    assert!(
        asked[1..]
            .iter()
            .all(|asked| asked.prompt.contains("finding 1.") && asked.prompt.contains("at revision"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn m10_a_worker_sees_what_others_wrote_while_it_works() {
    let go = Arc::new(Notify::new());
    let gate = Arc::clone(&go);
    let workers = Puppet::new(move |asked| {
        match (asked.worker.as_str(), asked.attribute("aim").as_str(), asked.steps.len()) {
            ("Terminal", "find", 1) => {
                Said::After(Arc::clone(&gate), Box::new(append(asked, "Terminal more.")))
            }
            _ => diligent(asked),
        }
    });
    let stage = Stage::new(workers.clone());
    let id = stage.start("compare").await;
    stage.until_text(&id, |text| text.contains("Researcher find finding 2.")).await;
    go.notify_one();
    stage.ended(&id).await;
    let told = |asked: &Asked| {
        asked.told.iter().any(|told| {
            told.contains("Others wrote meanwhile") && told.contains("Researcher find finding 2.")
        })
    };
    assert!(workers.asked_as("Terminal").iter().any(told));
}

#[tokio::test(flavor = "multi_thread")]
async fn m11_a_directive_is_acknowledged_and_acted_on_once_and_mending_it_does_not_fire() {
    let go = Arc::new(Notify::new());
    let gate = Arc::clone(&go);
    let workers = Puppet::new(move |asked| {
        match (asked.worker.as_str(), asked.attribute("aim").as_str(), asked.steps.len()) {
            ("Terminal", "find", 0) => {
                Said::After(Arc::clone(&gate), Box::new(append(asked, "Terminal at last.")))
            }
            _ => diligent(asked),
        }
    });
    let stage = Stage::new(workers.clone());
    let id = stage.start("compare").await;
    let text = stage.until_text(&id, |text| text.contains("Researcher find finding 2.")).await;
    stage.save(&id, &format!("{text}/also check wasm\n@Terminal be quick\n"));
    let text = stage.until_text(&id, |text| text.matches("> Taken:").count() == 2).await;
    assert!(text.contains("> Taken: `/also check wasm` → Researcher looks into it"), "{text}");
    assert!(text.contains("> Taken: `@Terminal be quick` → Terminal hears it now"), "{text}");
    stage.save(&id, &text.replace("\n/also check wasm\n", "\n/also check wasm supp\n"));
    stage
        .until(&id, |view| view.record.directives.iter().any(|taken| taken.line == "/also check wasm supp"))
        .await;
    go.notify_one();
    let record = stage.ended(&id).await;
    assert_eq!((record.status, record.directives.len()), (Status::Completed, 2), "{record:#?}");
    let also: Vec<&str> = record
        .plan
        .iter()
        .filter(|item| item.objective == "check wasm")
        .map(|item| item.worker.as_str())
        .collect();
    assert_eq!(also, ["Researcher"], "once");
    assert!(stage.section(&id, "Researcher").await.contains("Researcher follow finding 1."));
    let heard = workers
        .asked_as("Terminal")
        .iter()
        .any(|asked| asked.told.iter().chain([&asked.prompt]).any(|told| told.contains("be quick")));
    assert!(heard, "the words reach the worker");
}

#[tokio::test(flavor = "multi_thread")]
async fn m11_what_is_typed_letter_by_letter_is_no_directive_until_it_is_sent() {
    let go = Arc::new(Notify::new());
    let gate = Arc::clone(&go);
    let workers = Puppet::new(move |asked| match (asked.worker.as_str(), asked.steps.len()) {
        ("Terminal", 0) => Said::After(Arc::clone(&gate), Box::new(append(asked, "Terminal at last."))),
        _ => diligent(asked),
    });
    let stage = Stage::new(workers);
    let id = stage.start("compare").await;
    let (path, section) = (document_of(&id), "User".to_owned());
    stage.append(&id, "User", "notes", Actor::User("user".to_owned())).await;
    let base = stage.runs.draft(&id).await.unwrap().revision;
    let typed =
        FileCommand::EditSection { path, section, old: "notes".to_owned(), new: "/also che".to_owned() };
    stage.documents.execute(typed.by(Actor::User("user".to_owned())).on(base)).await.unwrap();
    stage.until_text(&id, |text| text.contains("Researcher find finding 2.")).await;
    assert_eq!(stage.runs.show(&id).await.unwrap().record.directives, []);
    stage.runs.direct(&id, "check wasm", "user", None).await.unwrap();
    stage
        .until(&id, |view| view.record.directives.iter().any(|taken| taken.line == "/also check wasm"))
        .await;
    stage.runs.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn m12_what_the_person_writes_into_the_canon_is_kept_by_the_next_merge() {
    let go = Arc::new(Notify::new());
    let gate = Arc::clone(&go);
    let workers = Puppet::new(move |asked| {
        match (asked.worker.as_str(), asked.attribute("aim").as_str(), asked.steps.len()) {
            ("Terminal", "find", 0) => {
                Said::After(Arc::clone(&gate), Box::new(append(asked, "Terminal at last.")))
            }
            _ => diligent(asked),
        }
    });
    let stage = Stage::new(workers);
    let id = stage.start("compare").await;
    let text = stage.until_text(&id, |text| text.contains("- Researcher find finding 1.")).await;
    stage.save(
        &id,
        &text.replace("- Researcher find finding 1.", "- Researcher find finding 1.\n- And I say so too."),
    );
    stage.until_text(&id, |text| text.contains("And I say so too.")).await;
    go.notify_one();
    let record = stage.ended(&id).await;
    let canon = stage.section(&id, "Conductor").await;
    assert!(record.canon.count >= 2 && canon.contains("**Terminal**"), "it was merged again: {canon}");
    assert_eq!(canon.matches("And I say so too.").count(), 1, "{canon}");
    let authors = crate::stage::authors(&stage.path(&id), &stage.root());
    let (line, author) = authors.iter().find(|(line, _)| line.contains("And I say so too.")).unwrap();
    assert_eq!(author, "user", "{line}");
}

#[tokio::test(flavor = "multi_thread")]
async fn m13_an_accepted_proposal_moves_to_the_canon_with_its_author() {
    let stage = Stage::new(Puppet::new(diligent));
    let (id, _) = stage.run("compare").await;
    let proposals = stage.runs.proposals(&id).await.unwrap();
    let chosen = proposals.iter().find(|proposal| proposal.text == "Terminal find finding 2.").unwrap();
    stage.runs.accept(&id, &chosen.id, "user").await.unwrap();
    let record = stage.ended(&id).await;
    assert_eq!((record.status, record.accepted.len()), (Status::Completed, 1), "{record:#?}");
    let canon = stage.section(&id, "Conductor").await;
    assert!(canon.contains("Accepted from Terminal:\n\nTerminal find finding 2."), "{canon}");
    assert!(!stage.section(&id, "Terminal").await.contains("Terminal find finding 2."), "it moved");
    let gone = stage.runs.accept(&id, &chosen.id, "user").await.unwrap_err();
    assert!(gone.to_string().contains("no proposal"), "{gone}");
}

#[tokio::test(flavor = "multi_thread")]
async fn m13_a_rejected_proposal_is_kept_and_not_proposed_again() {
    let workers = Puppet::new(|asked| {
        match (asked.attribute("aim").as_str(), asked.steps.len(), asked.done("Finished")) {
            // It tries the same words again when it is asked for more.
            ("follow", 0, _) => append(asked, "Researcher find finding 1."),
            ("follow", 1, _) => append(asked, "Something else."),
            ("follow", 2, 0) => finished("done"),
            _ => diligent(asked),
        }
    });
    let stage = Stage::new(workers.clone());
    let (id, _) = stage.run("compare").await;
    let proposals = stage.runs.proposals(&id).await.unwrap();
    let chosen = proposals.iter().find(|proposal| proposal.text == "Researcher find finding 1.").unwrap();
    stage.runs.reject(&id, &chosen.id, "user").await.unwrap();
    let record = stage.ended(&id).await;
    assert_eq!(record.rejected[0].text, "Researcher find finding 1.", "it can be found again");
    assert!(!stage.file(&id).contains("Researcher find finding 1."), "{}", stage.file(&id));
    stage.runs.direct(&id, "@Researcher more", "user", None).await.unwrap();
    stage.runs.resume(&id).await.unwrap();
    let record = stage.ended(&id).await;
    assert_eq!(record.status, Status::Completed, "{record:#?}");
    let section = stage.section(&id, "Researcher").await;
    assert!(
        section.contains("Something else.") && !section.contains("Researcher find finding 1."),
        "{section}"
    );
    let told = workers.asked().iter().any(|asked| {
        asked.steps.iter().any(|(_, told, failed)| *failed && told.contains("turned this down"))
    });
    assert!(told && workers.asked().iter().any(|asked| asked.prompt.contains("do not propose it again")));
}

#[tokio::test(flavor = "multi_thread")]
async fn m14_the_same_sections_are_not_merged_twice() {
    let cast = Cast::new(Puppet::new(diligent));
    let stage = Stage::with(&cast);
    let (id, record) = stage.run("compare").await;
    let before = stage.runs.draft(&id).await.unwrap();
    let stage = stage.restarted(&cast).await;
    stage.runs.resume(&id).await.unwrap();
    let again = stage.ended(&id).await;
    assert_eq!((again.status, again.canon.count), (Status::Completed, record.canon.count));
    assert_eq!(stage.runs.draft(&id).await.unwrap(), before, "no new revision");
}

#[tokio::test(flavor = "multi_thread")]
async fn m15_without_a_model_the_sections_are_put_together_and_that_is_said() {
    let stage = Stage::new(Puppet::new(diligent));
    let (id, record) = stage.run("compare").await;
    let canon = stage.section(&id, "Conductor").await;
    assert!(
        canon.starts_with(LABEL) && canon.contains("**Researcher**") && canon.contains("**Terminal**"),
        "{canon}"
    );
    assert!(!record.canon.is_synthesis && record.canon.sources == ["Researcher", "Terminal"]);
}
