//! Agents of others in a run: what they write is merged, listed, accepted and turned down as what workers write.

use std::sync::Arc;

use conductor::draft::Draft;
use conductor::status::{Phase, Status};
use conductor::{Heard, RunError, document_of};
use tokio::sync::Notify;
use workspace::command::{Actor, FileCommand, FileResult};

use crate::checkpoints::diligent;
use crate::puppet::{Puppet, Said, append};
use crate::stage::{Cast, Stage};

/// A guest writes in its section, which is made for it as the way in for guests does.
async fn write(stage: &Stage, id: &str, guest: &str, content: &str) {
    let draft: Draft = stage.runs.draft(id).await.unwrap();
    if let Some(wider) = draft.with_sections(&[guest.to_owned()]) {
        let made = FileCommand::Write { path: document_of(id), content: wider.into() };
        let reply = stage.documents.execute(made.by(Actor::System).on(draft.revision)).await.unwrap();
        assert!(!matches!(reply.result, FileResult::Error { .. }), "{reply:?}");
    }
    let result = stage.append(id, guest, content, Actor::Worker(guest.to_owned())).await;
    assert!(matches!(result, FileResult::Written { .. }), "{result:?}");
}

/// Workers of whom one waits until it is let go.
fn held(gate: &Arc<Notify>) -> Puppet {
    let gate = Arc::clone(gate);
    Puppet::new(move |asked| match (asked.worker.as_str(), asked.steps.len()) {
        ("Terminal", 0) if asked.attribute("aim") == "find" => {
            Said::After(Arc::clone(&gate), Box::new(append(asked, "Terminal at last.")))
        }
        _ => diligent(asked),
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guest_who_says_that_it_is_done_is_merged_while_workers_still_work() {
    let gate = Arc::new(Notify::new());
    let stage = Stage::new(held(&gate));
    let id = stage.start("compare").await;
    stage.until(&id, |view| view.record.worker("Researcher").unwrap().phase == Phase::Merged).await;
    write(&stage, &id, "Claude", "Claude found it.").await;
    stage.until(&id, |view| view.record.guest("Claude").is_some()).await;
    let canon = stage.section(&id, "Conductor").await;
    assert!(!canon.contains("Claude found it."), "it may go on writing: {canon}");
    let heard = stage.runs.finished(&id, "Claude", "It is found.").await.unwrap();
    assert_eq!(heard, Heard::Now);
    let text = stage.until_text(&id, |text| text.contains("- Claude found it.")).await;
    assert!(text.contains("**Claude**"), "{text}");
    let is_merged =
        |view: &conductor::View| view.record.guest("Claude").is_some_and(|one| one.phase == Phase::Merged);
    let record = stage.until(&id, is_merged).await.record;
    assert_eq!(record.status, Status::WaitingForWorker, "nobody waits for a guest, nor ends for one");
    gate.notify_one();
    let record = stage.ended(&id).await;
    assert_eq!(record.status, Status::Completed, "{record:#?}");
    assert_eq!(record.canon.sources, ["Researcher", "Terminal", "Claude"]);
    assert_eq!(record.names(), ["Researcher", "Terminal"], "it is given no work");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_guest_proposes_is_accepted_and_turned_down_like_anything_else() {
    let stage = Stage::new(Puppet::new(diligent));
    let (id, _) = stage.run("compare").await;
    write(&stage, &id, "Claude", "Claude is right.").await;
    write(&stage, &id, "Claude", "Claude is wrong.").await;
    let proposals = stage.runs.proposals(&id).await.unwrap();
    let named = |text: &str| proposals.iter().find(|one| one.text == text).unwrap().id.clone();
    stage.runs.accept(&id, &named("Claude is right."), "user").await.unwrap();
    stage.ended(&id).await;
    stage.runs.reject(&id, &named("Claude is wrong."), "user").await.unwrap();
    let record = stage.ended(&id).await;
    let canon = stage.section(&id, "Conductor").await;
    assert!(canon.contains("Accepted from Claude:\n\nClaude is right."), "{canon}");
    assert!(!stage.file(&id).contains("Claude is wrong."), "{}", stage.file(&id));
    assert_eq!(record.rejected[0].author, "Claude", "it can be found again");
    let draft = stage.runs.draft(&id).await.unwrap();
    let told = conductor::bounds::objection(&record, &draft, "claude", 0, "Claude is  wrong.").unwrap();
    assert!(told.contains("do not propose it again"), "{told}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guest_who_is_done_after_the_run_is_merged_into_it_once() {
    let stage = Stage::new(Puppet::new(diligent));
    let (id, before) = stage.run("compare").await;
    write(&stage, &id, "Claude", "Claude came late.").await;
    assert_eq!(stage.runs.finished(&id, "Claude", "late").await.unwrap(), Heard::Now);
    let record = stage.ended(&id).await;
    assert_eq!((record.status, record.canon.count), (Status::Completed, before.canon.count + 1));
    assert!(stage.section(&id, "Conductor").await.contains("- Claude came late."));
    let again = stage.runs.finished(&id, "Claude", "late").await.unwrap_err();
    assert!(matches!(again, RunError::Unreported(_)), "{again}");
    let silent = stage.runs.finished(&id, "Codex", "nothing").await.unwrap_err();
    assert!(matches!(silent, RunError::Unreported(_)), "{silent}");
    let worker = stage.runs.finished(&id, "researcher", "not you").await.unwrap_err();
    assert!(matches!(worker, RunError::Taken(_)), "{worker}");
    stage.runs.resume(&id).await.unwrap();
    assert_eq!(stage.ended(&id).await.canon.count, record.canon.count, "what it said is taken once");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guest_wakes_no_workers_and_is_heard_when_the_person_goes_on() {
    let cast = Cast::new(Puppet::new(|_| Said::Never));
    let stage = Stage::with(&cast);
    let id = stage.start("compare").await;
    stage.until(&id, |view| view.record.status == Status::WaitingForWorker).await;
    let idle = Puppet::new(diligent);
    let stage = stage.restarted(&Cast::new(idle.clone())).await;
    write(&stage, &id, "Claude", "Claude was here.").await;
    assert_eq!(stage.runs.finished(&id, "Claude", "here").await.unwrap(), Heard::Later);
    assert_eq!(idle.asked().len(), 0, "nobody works because of a guest");
    stage.runs.resume(&id).await.unwrap();
    let record = stage.ended(&id).await;
    assert_eq!((record.status, record.guests[0].phase), (Status::Completed, Phase::Merged));
    assert!(stage.section(&id, "Conductor").await.contains("- Claude was here."));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_guest_is_a_guest_also_in_a_record_that_was_lost() {
    let puppet = Puppet::new(diligent);
    let cast = Cast::new(puppet.clone());
    let stage = Stage::with(&cast);
    let (id, _) = stage.run("compare").await;
    write(&stage, &id, "Claude", "Claude was here.").await;
    let text = format!("{}\n## My notes\n\nNot for the canon.\n", stage.file(&id));
    stage.save(&id, &text);
    let stage = stage.restarted(&cast).await;
    std::fs::remove_file(stage.record_path(&id)).unwrap();
    let asked = puppet.asked().len();
    stage.runs.resume(&id).await.unwrap();
    let record = stage.ended(&id).await;
    assert_eq!(record.status, Status::Completed, "{record:#?}");
    assert_eq!(record.names(), ["Researcher", "Terminal"], "{record:#?}");
    assert_eq!(record.canon.sources, ["Researcher", "Terminal", "Claude"]);
    assert_eq!(puppet.asked().len(), asked, "nobody is asked again");
    assert!(!stage.section(&id, "Conductor").await.contains("Not for the canon."));
}
