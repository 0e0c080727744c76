//! Turns among bugs, late stops and torn files: each ends, and the conversation goes on.

use std::fs;

use agent::history::Record;
use agent::message::{Block, StopReason};
use agent::model::ModelEvent;
use agent::permission::Access;
use agent::turn::{EndReason, Event};
use workspace::conversation::{Closing, Entry, TranscriptError, Transcripts, TurnEvent};

use crate::conversation::{Does, Hand, Stage, call, short};
use crate::dice::Dice;

#[tokio::test]
async fn a_tool_that_dies_while_it_looks_at_a_call_is_an_error_and_the_turn_goes_on() {
    let dies = Hand::new("Dies", Access::ReadOnly, Does::DieLooking);
    let mut stage = Stage::new(vec![dies.clone()]);
    stage.model.says(vec![call("a", "Dies")], StopReason::ToolUse);
    stage.model.says(vec![Block::text("It broke.")], StopReason::EndTurn);
    let running = stage.prompt("try");
    assert_eq!(stage.end(running).await.reason, EndReason::Completed);
    assert!(format!("{:?}", stage.messages()[2]).contains("internal error"));
    assert_eq!(dies.runs(), 0);
}

#[tokio::test]
async fn a_model_that_dies_ends_the_turn_and_the_next_prompt_works() {
    let mut stage = Stage::new(Vec::new());
    stage.model.dies();
    let running = stage.prompt("try");
    let ended = stage.end(running).await;
    assert!(
        matches!(&ended.reason, EndReason::Failed(words) if words.contains("internal error")),
        "{ended:?}"
    );
    stage.model.says(vec![Block::text("Here.")], StopReason::EndTurn);
    let running = stage.prompt("again");
    assert_eq!(stage.end(running).await.reason, EndReason::Completed);
    assert_eq!(short(&stage.messages()), ["U 'try'", "U 'again'", "A 'Here.'"]);
}

/// One turn with a call, stopped after so many events and so many steps of the other tasks.
async fn check_stop(stage: &mut Stage, hand: &Hand, events: usize, steps: usize) {
    stage.model.forget();
    stage.model.says(vec![Block::text("Now."), call("a", "Touch")], StopReason::ToolUse);
    stage.model.says(vec![Block::text("Done.")], StopReason::EndTurn);
    let mut running = stage.prompt("touch it");
    for _ in 0..events {
        if running.told.recv().await.is_none() {
            break;
        }
    }
    for _ in 0..steps {
        tokio::task::yield_now().await;
    }
    running.stop.abort();
    let before = hand.runs();
    let ended = stage.end(running).await;
    assert!(matches!(ended.reason, EndReason::Interrupted | EndReason::Completed), "{ended:?}");
    assert_eq!(hand.runs(), before, "stopped after {events} events and {steps} steps");
}

#[tokio::test]
async fn nothing_begins_after_the_stop_whenever_it_comes() {
    // A task among the others: the test itself would get its turn only when all of them rest.
    let stopping = tokio::spawn(async {
        let mut dice = Dice::new(11);
        for _ in 0..40 {
            let hand = Hand::new("Touch", Access::ReadOnly, Does::Answer);
            let mut stage = Stage::new(vec![hand.clone()]);
            for _ in 0..25 {
                check_stop(&mut stage, &hand, dice.below(11), dice.below(4)).await;
            }
        }
    });
    stopping.await.unwrap();
}

#[tokio::test]
async fn a_stopped_summary_leaves_the_transcript_as_it_was() {
    let mut stage = Stage::new(Vec::new());
    stage.model.says(vec![Block::text("Hello.")], StopReason::EndTurn);
    let running = stage.prompt("greet");
    stage.end(running).await;
    let say = stage.model.answer();
    let mut running = stage.start(Event::CompactAsked(String::new()));
    say.send(Ok(ModelEvent::TextDelta { index: 0, text: "They".into() })).unwrap();
    running.until(|event| matches!(event, TurnEvent::Note(agent::turn::Note::Compacting))).await;
    running.stop.abort();
    assert_eq!(stage.end(running).await.reason, EndReason::Interrupted);
    say.closed().await;
    assert_eq!(short(&stage.messages()), ["U 'greet'", "A 'Hello.'"]);
}

/// A conversation with a call, and the bytes of its file.
async fn conversation() -> (Stage, String, Vec<u8>) {
    let mut stage = Stage::new(vec![Hand::new("Read", Access::ReadOnly, Does::Answer)]);
    let thoughts = Block::Thinking { text: "hm é".to_owned(), signature: "S/+=".to_owned() };
    stage.model.says(vec![thoughts, call("a", "Read")], StopReason::ToolUse);
    stage.model.says(vec![Block::text("Found\u{2028}it.")], StopReason::EndTurn);
    let running = stage.prompt("find it");
    stage.end(running).await;
    let id = stage.conversation.as_ref().unwrap().id().to_owned();
    let bytes = fs::read(stage.folder.path().join("sessions").join(format!("{id}.jsonl"))).unwrap();
    (stage, id, bytes)
}

#[tokio::test]
async fn a_transcript_that_ends_at_any_byte_loses_only_its_torn_line() {
    let (stage, id, bytes) = conversation().await;
    let entries = stage.transcripts().entries(&id).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let transcripts = Transcripts::at(folder.path());
    let path = folder.path().join(format!("{id}.jsonl"));
    for place in 0..=bytes.len() {
        let (head, _) = bytes.split_at(place);
        fs::write(&path, head).unwrap();
        let whole = head.iter().filter(|byte| **byte == b'\n').count();
        let expected: Vec<Record> = entries[..whole]
            .iter()
            .filter_map(|(_, entry)| match entry {
                Entry::Record(record) => Some(record.clone()),
                Entry::Begun(_) | Entry::Ended(_) => None,
            })
            .collect();
        let (mut transcript, records) = transcripts.resume(&id).unwrap();
        assert_eq!(records, expected, "cut at {place}");
        if place % 101 == 0 {
            // What is added next stands on a line of its own.
            transcript.append(&Entry::Record(Record::Withdrawn), 9).unwrap();
            drop(transcript);
            assert_eq!(transcripts.resume(&id).unwrap().1.len(), expected.len() + 1, "cut at {place}");
        }
    }
}

#[tokio::test]
async fn a_conversation_has_one_writer_and_others_may_fork_it() {
    let (mut stage, id, bytes) = conversation().await;
    let transcripts = stage.transcripts();
    assert!(matches!(transcripts.resume(&id), Err(TranscriptError::Held(held)) if held == id));
    let (mut fork, records) = transcripts.fork(&id, 9).unwrap();
    assert_ne!(fork.id(), id);
    fork.append(&Entry::Record(Record::Withdrawn), 9).unwrap();
    assert_eq!(fs::read(stage.folder.path().join("sessions").join(format!("{id}.jsonl"))).unwrap(), bytes);
    drop(stage.conversation.take());
    assert_eq!(transcripts.resume(&id).unwrap().1, records);
}

#[tokio::test]
async fn what_was_said_is_on_the_disk_before_anybody_is_told() {
    let mut stage = Stage::new(Vec::new());
    let id = stage.conversation.as_ref().unwrap().id().to_owned();
    stage.model.says(vec![Block::text("Hello.")], StopReason::EndTurn);
    let mut running = stage.prompt("greet");
    let mut told = 0;
    while let Some(event) = running.told.recv().await {
        let entries = stage.transcripts().entries(&id).unwrap();
        match event {
            TurnEvent::Committed(record) => {
                told += 1;
                assert!(
                    entries.iter().any(|(_, entry)| matches!(entry, Entry::Record(kept) if *kept == record))
                );
            }
            TurnEvent::Ended(ended) => {
                let is_it =
                    |entry: &Entry| matches!(entry, Entry::Ended(Closing { how, .. }) if *how == ended);
                assert!(entries.iter().any(|(_, entry)| is_it(entry)));
            }
            _ => {}
        }
    }
    assert_eq!(told, 2);
    stage.end(running).await;
}
