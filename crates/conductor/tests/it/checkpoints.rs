//! The checkpoints of the design, as far as they are not the page itself.

use std::sync::Arc;
use std::time::Instant;

use conductor::status::{Phase, Status};
use conductor::{Happening, Wanted};
use expect_test::expect;
use tokio::sync::Notify;
use workspace::event::Event;

use crate::puppet::{Asked, Puppet, Said, append, finished};
use crate::stage::{Cast, Stage};

/// A worker that adds two findings, one after the other, and is done.
pub(crate) fn diligent(asked: &Asked) -> Said {
    let (worker, aim) = (&asked.worker, asked.attribute("aim"));
    match (asked.done("AppendSection"), asked.done("Finished")) {
        (done @ 0..=1, _) => append(asked, &format!("{worker} {aim} finding {}.", done + 1)),
        (_, 0) => finished("two findings"),
        _ => Said::Words("Done.".to_owned()),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn checkpoint_0_a_run_returns_its_document_at_once_and_is_running() {
    let never = Puppet::new(|_| Said::Never);
    let stage = Stage::new(never);
    let begun = Instant::now();
    let wanted = Wanted { objective: "hello world".to_owned(), ..Wanted::default() };
    let started = stage.runs.start(wanted).await.unwrap();
    assert!(begun.elapsed().as_secs() < 2, "{:?}", begun.elapsed());
    assert_eq!(started.path, format!("runs/{}/draft.md", started.id));
    let draft = stage.runs.draft(&started.id).await.unwrap();
    assert!(draft.revision >= started.revision);
    assert!(draft.text.starts_with("# hello world\n"), "the first text is not blank: {}", draft.text);
    let view = stage.until(&started.id, |view| view.record.status == Status::WaitingForWorker).await;
    assert!(!view.record.status.is_final());
    assert_eq!(stage.runs.list(0, 10).await.unwrap()[0].id, started.id);
    stage.runs.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn checkpoint_1_the_document_has_its_sections_before_anybody_begins() {
    let stage = Stage::new(Puppet::new(|_| Said::Never));
    let id = stage.start("compare rari and dioxus").await;
    expect![[r#"
        # compare rari and dioxus

        ## Conductor

        ## Researcher
        <!-- proposal -->

        ## Terminal
        <!-- proposal -->

        ## User
        <!-- proposal -->
    "#]]
    .assert_eq(&stage.file(&id));
    assert!(stage.record_path(&id).is_file(), "the run is kept before it is told");
    stage.runs.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn checkpoint_2_a_worker_adds_to_its_section_bit_by_bit() {
    let stage = Stage::new(Puppet::new(diligent));
    let hub = stage.documents.hub().await.unwrap().unwrap();
    let mut changes = hub.subscribe();
    let (id, record) = stage.run("research rust async runtimes").await;
    assert_eq!(record.status, Status::Completed, "{record:#?}");
    let section = stage.section(&id, "Researcher").await;
    assert!(section.contains("Researcher find finding 1.\n\nResearcher find finding 2."), "{section}");
    let mut writes = 0;
    while writes < 4 {
        match changes.next().await.unwrap() {
            Event::Changed(changed) if changed.section.as_deref() == Some("Researcher") => {
                assert_eq!(changed.author.name(), "Researcher");
                writes += 1;
            }
            _ => {}
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn checkpoint_3_every_change_is_told_with_revision_and_base_and_a_snapshot_begins_the_stream() {
    let go = Arc::new(Notify::new());
    let gate = Arc::clone(&go);
    let puppet = Puppet::new(move |asked| match asked.steps.len() {
        0 if asked.worker == "Researcher" => Said::After(Arc::clone(&gate), Box::new(append(asked, "late"))),
        0 => append(asked, "early"),
        1 => finished("done"),
        _ => Said::Words("Done.".to_owned()),
    });
    let stage = Stage::new(puppet);
    let id = stage.start("watch me").await;
    stage.until_text(&id, |text| text.contains("early")).await;
    let hub = stage.documents.hub().await.unwrap().unwrap();
    let mut changes = hub.document(&conductor::document_of(&id)).await.unwrap().subscribe();
    let first = stage.runs.draft(&id).await.unwrap();
    go.notify_waiters();
    go.notify_one();
    let mut revision = first.revision;
    loop {
        let Event::Changed(changed) = changes.next().await.unwrap() else { panic!("nobody lags here") };
        assert_eq!(changed.base, revision, "no gap");
        revision = changed.revision;
        if changed.section.as_deref() == Some("Researcher") {
            break;
        }
    }
    let now = stage.runs.draft(&id).await.unwrap();
    assert!(now.revision >= revision && now.section("Researcher").unwrap().contains("late"));
    go.notify_one();
    stage.runs.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn checkpoint_4_sections_of_workers_are_proposals_and_the_canon_is_none() {
    let stage = Stage::new(Puppet::new(diligent));
    let (id, _) = stage.run("compare").await;
    let text = stage.file(&id);
    let is_proposal =
        |title: &str| document::section::is_proposal(&document::section::locate(&text, title).unwrap());
    let marked = ["Conductor", "Researcher", "Terminal", "User"].map(is_proposal);
    assert_eq!(marked, [false, true, true, true], "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn checkpoint_5_the_conductor_brings_the_sections_together_when_workers_finish() {
    let conductor = Puppet::new(|asked| {
        if asked.is_plan() {
            return Said::Words("1. Researcher: look\n2. Terminal: measure (after 1)".to_owned());
        }
        assert!(asked.prompt.contains("finding 1."), "it decides from the text: {}", asked.prompt);
        Said::Words("Researcher and Terminal agree: it works.".to_owned())
    });
    let cast = Cast { conductor: Some(conductor), ..Cast::new(Puppet::new(diligent)) };
    let stage = Stage::with(&cast);
    let mut events = stage.runs.subscribe(None);
    let (id, record) = stage.run("compare the two").await;
    assert_eq!((record.status, record.canon.is_synthesis), (Status::Completed, true), "{record:#?}");
    assert_eq!(stage.section(&id, "Conductor").await, "Researcher and Terminal agree: it works.");
    assert!(stage.section(&id, "Researcher").await.contains("finding 2."), "what was found stays");
    assert_eq!(record.canon.sources, ["Researcher", "Terminal"]);
    assert!(
        record.workers.iter().all(|worker| worker.phase == Phase::Merged && worker.merged.is_some()),
        "{record:#?}"
    );
    let mut merged = Vec::new();
    while let Some(event) = events.next().await {
        match event.happening {
            Happening::Merged { sources, .. } => merged.push(sources),
            Happening::Status { status, .. } if status.is_final() => break,
            _ => {}
        }
    }
    assert_eq!(merged.last().unwrap(), &["Researcher", "Terminal"]);
}
