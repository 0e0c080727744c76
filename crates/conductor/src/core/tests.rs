//! Decisions by themselves: a conductor at a table where the test plays everybody else. Never touches a disk or a model.

use super::{Conductor, Effect, Event, Outcome, Sent};
use crate::draft::Draft;
use crate::limits::REWRITES_MAX;
use crate::plan::ItemState;
use crate::record::{Record, Settled};
use crate::status::{Phase, Status};

/// A conductor with its document, which does what the conductor wants done with it.
#[derive(Clone)]
struct Table {
    conductor: Conductor,
    text: String,
    revision: u64,
    /// All that happened.
    events: Vec<Event>,
    /// All that was wanted.
    effects: Vec<Effect>,
}

impl Table {
    fn new(has_model: bool) -> Table {
        let workers = ["Researcher".to_owned(), "Terminal".to_owned()];
        Table::with(
            Record::new("run", "compare", &workers, "user", 0),
            has_model,
            &document(["", "", "", ""]),
            1,
        )
    }

    fn with(record: Record, has_model: bool, text: &str, revision: u64) -> Table {
        let conductor = Conductor::new(record, has_model);
        let mut table =
            Table { conductor, text: text.to_owned(), revision, events: Vec::new(), effects: Vec::new() };
        table.step(Event::Opened(table.draft()));
        table
    }

    fn draft(&self) -> Draft {
        Draft::new(&self.text, self.revision)
    }

    fn step(&mut self, event: Event) -> Vec<Effect> {
        self.events.push(event.clone());
        let effects = self.conductor.step(event);
        self.effects.extend(effects.clone());
        effects
    }

    fn write(&mut self, section: &str, content: &str) {
        self.text = document::section::append(&self.text, section, content).unwrap();
        self.revision += 1;
    }

    /// A worker adds a line and is done.
    fn finish(&mut self, worker: &str, item: u32) -> Vec<Effect> {
        self.write(worker, &format!("{worker} found {item}."));
        self.end(worker, item, Outcome::Done("done".to_owned()))
    }

    fn end(&mut self, worker: &str, item: u32, outcome: Outcome) -> Vec<Effect> {
        let draft = self.draft();
        self.step(Event::Ended { worker: worker.to_owned(), item, outcome, heard: usize::MAX, draft })
    }

    /// Writes the canon that is wanted.
    fn commit(&mut self, effects: &[Effect]) -> Vec<Effect> {
        let Some(Effect::WriteCanon { count, content, .. }) =
            effects.iter().find(|effect| matches!(effect, Effect::WriteCanon { .. }))
        else {
            panic!("no canon is wanted: {effects:?}")
        };
        self.text = document::section::replace(&self.text, "Conductor", content).unwrap();
        self.revision += 1;
        let (count, revision, draft) = (*count, self.revision, self.draft());
        self.step(Event::CanonWritten { count, revision, is_duplicate: false, draft })
    }

    fn status(&self) -> Status {
        self.conductor.record().status
    }

    fn canons(&self) -> usize {
        self.effects.iter().filter(|effect| matches!(effect, Effect::WriteCanon { .. })).count()
    }
}

fn document(sections: [&str; 4]) -> String {
    let [canon, researcher, terminal, user] = sections;
    format!(
        "# compare\n\n## Conductor\n{canon}\n## Researcher\n<!-- proposal -->\n{researcher}\n## Terminal\n<!-- proposal -->\n{terminal}\n## User\n<!-- proposal -->\n{user}"
    )
}

fn starts(effects: &[Effect]) -> Vec<(String, u32)> {
    let start = |effect: &Effect| match effect {
        Effect::Start { worker, item } => Some((worker.clone(), *item)),
        _ => None,
    };
    effects.iter().filter_map(start).collect()
}

#[test]
fn everybody_looks_at_once_and_relates_when_all_have_looked() {
    let mut table = Table::new(false);
    let both = [("Researcher".to_owned(), 1), ("Terminal".to_owned(), 2)];
    assert_eq!(starts(&table.effects), both);
    assert_eq!(table.status(), Status::WaitingForWorker);
    let effects = table.finish("Researcher", 1);
    assert_eq!(starts(&effects), [], "the others are not done");
    table.commit(&effects);
    let effects = table.finish("Terminal", 2);
    assert_eq!(starts(&effects), [("Researcher".to_owned(), 3), ("Terminal".to_owned(), 4)]);
    table.commit(&effects);
    let effects = table.finish("Researcher", 3);
    table.commit(&effects);
    let effects = table.finish("Terminal", 4);
    assert_eq!(table.status(), Status::Running, "the canon is not written");
    assert_eq!(table.commit(&effects), [Effect::End(Status::Completed)]);
    assert_eq!(table.conductor.record().canon.count, 4);
    assert!(table.conductor.record().workers.iter().all(|worker| worker.phase == Phase::Merged));
}

#[test]
fn two_that_finish_before_a_canon_is_written_are_merged_by_one_more() {
    let mut table = Table::new(false);
    let first = table.finish("Researcher", 1);
    let second = table.finish("Terminal", 2);
    assert!(
        !second.iter().any(|effect| matches!(effect, Effect::WriteCanon { .. })),
        "one at a time: {second:?}"
    );
    let again = table.commit(&first);
    let canon = again.iter().find_map(|effect| match effect {
        Effect::WriteCanon { content, .. } => Some(content.clone()),
        _ => None,
    });
    let canon = canon.expect("the second is merged, too");
    assert!(canon.contains("Researcher found 1.") && canon.contains("Terminal found 2."), "{canon}");
    assert!(!table.commit(&again).iter().any(|effect| matches!(effect, Effect::WriteCanon { .. })));
}

#[test]
fn one_whose_words_are_in_the_canon_before_it_says_that_it_is_done_is_merged() {
    let mut table = Table::new(false);
    table.write("Terminal", "Terminal found it.");
    let effects = table.finish("Researcher", 1);
    table.commit(&effects);
    table.end("Terminal", 2, Outcome::Done("done".to_owned()));
    assert_eq!(table.canons(), 1, "there is nothing new to merge");
    assert_eq!(table.conductor.record().worker("Terminal").unwrap().phase, Phase::Working, "it relates now");
    assert_eq!(
        table.conductor.record().worker("Terminal").unwrap().merged,
        table.conductor.record().canon.revision
    );
}

#[test]
fn words_of_an_attempt_whose_process_ended_are_merged_when_the_next_attempt_adds_none() {
    let mut table = Table::new(false);
    table.write("Researcher", "Researcher found it.");
    // Nobody heard of it: a new process begins with the record and the document.
    let record = table.conductor.record().clone();
    let mut table = Table::with(record, false, &table.text.clone(), table.revision);
    let effects = table.end("Researcher", 1, Outcome::Done("done".to_owned()));
    table.commit(&effects);
    assert!(table.text.contains("Researcher found it.\n"), "{}", table.text);
    assert_eq!(table.conductor.record().canon.sources, ["Researcher"]);
}

#[test]
fn a_canon_that_keeps_changing_is_tried_a_few_times_and_then_when_the_document_changes() {
    let mut table = Table::new(false);
    let mut effects = table.finish("Researcher", 1);
    let mut tries = 0;
    while let Some(Effect::WriteCanon { count, base, content }) =
        effects.iter().find(|effect| matches!(effect, Effect::WriteCanon { .. })).cloned()
    {
        assert_eq!(base, table.revision, "on what was read last");
        assert!(content.contains("Researcher found 1."));
        tries += 1;
        table.write("Conductor", &format!("Mine {tries}."));
        effects = table.step(Event::CanonConflict { count, draft: table.draft() });
    }
    assert_eq!(tries, REWRITES_MAX + 1);
    assert_eq!(table.status(), Status::Blocked, "and that is told");
    table.write("Conductor", "I am done.");
    let effects = table.step(Event::Changed { draft: table.draft(), sent: Sent::All });
    table.commit(&effects);
    assert!(
        table.text.contains("I am done.")
            && table.text.contains("Mine 1.")
            && table.text.contains("- Researcher found 1.")
    );
}

#[test]
fn a_plan_of_a_model_is_followed_and_one_that_is_none_is_replaced() {
    let mut table = Table::new(true);
    assert_eq!((table.effects.clone(), table.status()), (vec![Effect::Plan], Status::Running));
    let effects =
        table.step(Event::Planned(Ok("1. Terminal: measure\n2. Researcher: read (after 1)".to_owned())));
    assert_eq!(starts(&effects), [("Terminal".to_owned(), 1)]);
    for said in [Ok("no idea".to_owned()), Err("no network".to_owned())] {
        let mut table = Table::new(true);
        assert_eq!(starts(&table.step(Event::Planned(said))).len(), 2, "everybody looks");
    }
}

#[test]
fn a_worker_that_brings_nothing_three_times_is_given_up() {
    let mut table = Table::new(false);
    for attempt in 1..=3 {
        let effects = table.end("Terminal", 2, Outcome::Failed("no word".to_owned()));
        assert_eq!(starts(&effects).contains(&("Terminal".to_owned(), 2)), attempt < 3, "{effects:?}");
    }
    let item = &table.conductor.record().plan[1];
    assert_eq!((item.state, item.idle), (ItemState::Failed, 3));
    let mut table = Table::new(false);
    for _ in 0..4 {
        table.write("Terminal", "a new word");
        let effects = table.end("Terminal", 2, Outcome::Failed("broke off".to_owned()));
        assert_eq!(starts(&effects), [("Terminal".to_owned(), 2)], "one that goes forward is not stuck");
    }
    table.write("Terminal", "another");
    let effects = table.end("Terminal", 2, Outcome::Failed("broke off".to_owned()));
    assert_eq!(starts(&effects), [], "but not for ever");
}

/// One item does not go forward until it is given up.
fn stuck(table: &mut Table, worker: &str, item: u32) -> Vec<Effect> {
    let mut last = Vec::new();
    for _ in 0..3 {
        last = table.end(worker, item, Outcome::Failed("no word".to_owned()));
    }
    last
}

#[test]
fn a_model_is_asked_what_to_do_instead_of_what_is_stuck_and_who_waited_waits_for_that() {
    let mut table = Table::new(true);
    table.step(Event::Planned(Ok("1. Terminal: measure\n2. Researcher: read (after 1)".to_owned())));
    let effects = stuck(&mut table, "Terminal", 1);
    assert_eq!(starts(&effects), [], "nobody begins what the answer may change");
    assert!(effects.contains(&Effect::Replan(1)), "{effects:?}");
    let crashed = Table::with(table.conductor.record().clone(), true, &table.text, table.revision);
    assert!(crashed.effects.contains(&Effect::Replan(1)), "asked again after a crash: {:?}", crashed.effects);
    let said = "1. Researcher: look\n2. Terminal: count (after 1)".to_owned();
    let effects = table.step(Event::Replanned { item: 1, said: Ok(said) });
    assert_eq!(starts(&effects), [("Researcher".to_owned(), 3)]);
    let record = table.conductor.record();
    let after: Vec<&[u32]> = record.plan.iter().map(|item| item.after.as_slice()).collect();
    assert_eq!(after, [&[][..], &[1, 3, 4], &[], &[3]]);
    assert_eq!(record.plan[0].instead, [3, 4]);
}

#[test]
fn a_run_is_planned_anew_a_few_times_at_most_and_never_for_what_came_instead() {
    let mut table = Table::new(true);
    let plan = "1. Terminal: a\n2. Researcher: b\n3. Terminal: c (after 1)\n4. Terminal: d (after 3)";
    table.step(Event::Planned(Ok(plan.to_owned())));
    stuck(&mut table, "Terminal", 1);
    table.step(Event::Replanned { item: 1, said: Ok("1. Terminal: e".to_owned()) });
    let effects = stuck(&mut table, "Terminal", 5);
    assert!(!effects.iter().any(|effect| matches!(effect, Effect::Replan(_))), "{effects:?}");
    for (item, is_asked) in [(3, true), (4, false)] {
        let effects = stuck(&mut table, "Terminal", item);
        assert_eq!(effects.contains(&Effect::Replan(item)), is_asked, "{item}: {effects:?}");
        table.step(Event::Replanned { item, said: Ok("NOTHING".to_owned()) });
    }
    assert_eq!(table.conductor.record().replans, 2);
}

#[test]
fn without_a_model_what_is_stuck_is_handed_to_another_once() {
    let mut table = Table::new(false);
    for (worker, item) in [("Researcher", 1), ("Terminal", 2), ("Researcher", 3), ("Terminal", 4)] {
        let effects = table.finish(worker, item);
        table.commit(&effects);
    }
    table.write("User", "/also count the lines");
    let effects = table.step(Event::Changed { draft: table.draft(), sent: Sent::All });
    assert_eq!(starts(&effects), [("Researcher".to_owned(), 5)]);
    let effects = stuck(&mut table, "Researcher", 5);
    assert_eq!(starts(&effects), [("Terminal".to_owned(), 6)], "{effects:?}");
    let effects = table.finish("Terminal", 6);
    assert_eq!(table.commit(&effects), [Effect::End(Status::Completed)]);
}

#[test]
fn a_guest_is_known_by_its_marked_section_and_that_of_the_person_is_not_taken_for_one() {
    let mut table = Table::new(false);
    table.text = table.text.replace(
        "## User\n",
        "## Claude\n<!-- proposal -->\nClaude says so.\n## Codex\n<!-- proposal -->\n## Notes\nMine.\n## User\n",
    );
    table.revision += 1;
    table.step(Event::Changed { draft: table.draft(), sent: Sent::Nothing });
    let guests: Vec<&str> = table.conductor.record().guests.iter().map(|guest| guest.name.as_str()).collect();
    assert_eq!(guests, ["Claude"], "one without a word has not come yet");
    assert_eq!(table.canons(), 0, "it may go on writing");
    let done = |table: &Table, mark: &str| Event::GuestFinished {
        guest: "Claude".to_owned(),
        mark: mark.to_owned(),
        summary: "so".to_owned(),
        draft: table.draft(),
    };
    let effects = table.step(done(&table, "1"));
    assert_eq!(table.step(done(&table, "1")), [], "what it said is taken once");
    table.commit(&effects);
    assert!(table.text.contains("**Claude**\n\n- Claude says so."), "{}", table.text);
    assert!(!table.text.contains("- Mine."), "{}", table.text);
    table.write("User", "@Claude look again");
    table.step(Event::Changed { draft: table.draft(), sent: Sent::All });
    let answer = &table.conductor.record().directives[0].answer;
    assert!(answer.ends_with("Claude finds it here when it reads the document"), "{answer}");
}

#[test]
fn after_a_restart_what_is_done_stays_done_and_the_rest_goes_on_once() {
    let mut table = Table::new(false);
    let effects = table.finish("Researcher", 1);
    let crashed = table.conductor.record().clone();
    let mut again = Table::with(crashed, false, &table.text, table.revision);
    assert_eq!(starts(&again.effects), [("Terminal".to_owned(), 2)]);
    assert_eq!(again.canons(), 1, "the merge that was due");
    let wanted = again.effects.clone();
    assert_eq!(
        wanted.iter().find(|effect| matches!(effect, Effect::WriteCanon { .. })),
        effects.iter().find(|effect| matches!(effect, Effect::WriteCanon { .. })),
        "under the same name"
    );
    again.commit(&wanted);
    let mut third = Table::with(again.conductor.record().clone(), false, &again.text, again.revision);
    assert_eq!((third.canons(), starts(&third.effects).len()), (0, 1), "and not again");
    assert_eq!(third.conductor.record().plan[1].attempts, 1, "a restart is no attempt");
    third.finish("Terminal", 2);
}

#[test]
fn a_cancelled_run_stops_everybody_and_stays_cancelled_over_a_crash() {
    let mut table = Table::new(false);
    let effects = table.step(Event::Cancelled("user".to_owned()));
    assert_eq!(effects, [Effect::Stop("Researcher".to_owned()), Effect::Stop("Terminal".to_owned())]);
    let crashed = Table::with(table.conductor.record().clone(), false, &table.text, table.revision);
    assert_eq!(crashed.effects, [Effect::End(Status::Cancelled)], "nobody is begun again");
    table.end("Researcher", 1, Outcome::Stopped);
    assert_eq!(table.end("Terminal", 2, Outcome::Stopped), [Effect::End(Status::Cancelled)]);
    assert_eq!(table.canons(), 0);
    assert!(table.conductor.record().plan.iter().all(|item| item.state == ItemState::Cancelled));
}

#[test]
fn a_directive_is_followed_once_also_over_a_crash() {
    let mut table = Table::new(false);
    table.text.push_str("/also check wasm\n");
    table.revision += 1;
    let unsent = table.step(Event::Changed { draft: table.draft(), sent: Sent::Nothing });
    assert_eq!(unsent, [], "somebody may be typing");
    let effects = table.step(Event::Changed { draft: table.draft(), sent: Sent::All });
    let words = "> Taken: `/also check wasm` → Researcher looks into it".to_owned();
    assert_eq!(effects, [Effect::Answer { directive: 1, words: words.clone() }]);
    let crashed = Table::with(table.conductor.record().clone(), false, &table.text, table.revision);
    let answers: Vec<&Effect> =
        crashed.effects.iter().filter(|effect| matches!(effect, Effect::Answer { .. })).collect();
    assert_eq!(answers, [&Effect::Answer { directive: 1, words }], "said again under the same name");
    assert_eq!(
        crashed.conductor.record().plan.iter().filter(|item| item.objective == "check wasm").count(),
        1
    );
    table.step(Event::Answered(1));
    assert_eq!(table.step(Event::Changed { draft: table.draft(), sent: Sent::All }), []);
}

#[test]
fn one_who_adds_a_line_does_not_send_what_another_is_typing() {
    let mut table = Table::new(false);
    table.text.push_str("/also che\n\n/also check wasm\n");
    table.revision += 1;
    table.step(Event::Changed { draft: table.draft(), sent: Sent::Last });
    let lines: Vec<&str> =
        table.conductor.record().directives.iter().map(|taken| taken.line.as_str()).collect();
    assert_eq!(lines, ["/also check wasm"]);
}

#[test]
fn words_that_a_worker_did_not_hear_before_its_end_are_its_next_item() {
    let mut table = Table::new(false);
    table.text.push_str("@Terminal be quick\n");
    table.revision += 1;
    let effects = table.step(Event::Changed { draft: table.draft(), sent: Sent::All });
    assert!(
        effects.contains(&Effect::Steer { worker: "Terminal".to_owned(), words: "be quick".to_owned() }),
        "{effects:?}"
    );
    table.write("Terminal", "found");
    let draft = table.draft();
    let ended = Event::Ended {
        worker: "Terminal".to_owned(),
        item: 2,
        outcome: Outcome::Done("done".to_owned()),
        heard: 0,
        draft,
    };
    let effects = table.step(ended);
    assert_eq!(starts(&effects), [("Terminal".to_owned(), 5)]);
    assert_eq!(table.conductor.record().plan[4].objective, "be quick");
}

#[test]
fn a_budget_that_is_used_up_stops_everybody_and_what_is_there_is_merged() {
    let mut table = Table::new(false);
    let effects = table.finish("Researcher", 1);
    table.commit(&effects);
    let worked = Event::Worked { worker: None, turns: u32::MAX, usage: agent::message::Usage::default() };
    let effects = table.step(worked);
    assert_eq!(effects, [Effect::Stop("Terminal".to_owned())]);
    table.write("Terminal", "half");
    let effects = table.end("Terminal", 2, Outcome::Stopped);
    assert_eq!(table.commit(&effects), [Effect::End(Status::Partial)]);
    assert!(table.text.contains("- half"), "{}", table.text);
}

#[test]
fn a_worker_that_is_stopped_ends_and_the_others_go_on() {
    let mut table = Table::new(false);
    table.write("Researcher", "half");
    let stop = Event::Dismissed { worker: "Researcher".to_owned(), by: "user".to_owned() };
    assert_eq!(table.step(stop.clone()), [Effect::Stop("Researcher".to_owned())]);
    // A second word about it changes nothing.
    assert_eq!(table.step(stop), []);
    let effects = table.end("Researcher", 1, Outcome::Stopped);
    let phase = table.conductor.record().worker("Researcher").unwrap().phase;
    assert_eq!(phase, Phase::Stopped);
    table.commit(&effects);
    assert_eq!(table.conductor.record().status, Status::WaitingForWorker);
    let effects = table.finish("Terminal", 2);
    table.commit(&effects);
    // What Researcher was to do later is not begun.
    assert_eq!(table.conductor.record().plan[2].state, ItemState::Cancelled);
    let effects = table.finish("Terminal", 4);
    assert_eq!(table.commit(&effects), [Effect::End(Status::Partial)]);
    assert!(table.text.contains("half"), "{}", table.text);
}

#[test]
fn a_worker_that_was_stopped_works_again_when_the_person_speaks_to_it() {
    let mut table = Table::new(false);
    table.step(Event::Dismissed { worker: "Researcher".to_owned(), by: "user".to_owned() });
    table.end("Researcher", 1, Outcome::Done("too late".to_owned()));
    table.write("User", "@Researcher look again");
    let effects = table.step(Event::Changed { draft: table.draft(), sent: Sent::All });
    assert_eq!(starts(&effects), [("Researcher".to_owned(), 5)]);
}

#[test]
fn tokens_are_counted_for_the_worker_that_took_them() {
    let mut table = Table::new(false);
    let usage = agent::message::Usage { input: 10, output: 3, cache_read: 0, cache_write: 0 };
    for worker in [Some("Researcher".to_owned()), Some("Researcher".to_owned()), None] {
        table.step(Event::Worked { worker, turns: 1, usage });
    }
    let record = table.conductor.record();
    assert_eq!(record.worker("Researcher").unwrap().usage, usage.plus(usage));
    assert_eq!(record.worker("Terminal").unwrap().usage, agent::message::Usage::default());
    assert_eq!((record.spent.turns, record.spent.tokens), (3, 9));
}

#[test]
fn a_decision_about_a_proposal_opens_a_run_that_was_over_for_one_more_canon() {
    let mut table = Table::new(false);
    for (worker, item) in [("Researcher", 1), ("Terminal", 2), ("Researcher", 3), ("Terminal", 4)] {
        let effects = table.finish(worker, item);
        table.commit(&effects);
    }
    assert_eq!(table.status(), Status::Completed);
    let settled = Settled { id: "x".to_owned(), author: "Terminal".to_owned(), text: "It is so.".to_owned() };
    let effects = table.step(Event::Accepted(settled, table.draft()));
    assert_eq!(table.status(), Status::Running);
    assert_eq!(table.commit(&effects), [Effect::End(Status::Completed)]);
    assert!(table.text.contains("Accepted from Terminal:\n\nIt is so."), "{}", table.text);
}

#[test]
fn the_same_events_lead_to_the_same_decisions() {
    let mut table = Table::new(false);
    let effects = table.finish("Researcher", 1);
    table.end("Terminal", 2, Outcome::Failed("broke off".to_owned()));
    table.commit(&effects);
    table.text.push_str("/also check wasm\n@Terminal go\n/frobnicate\n");
    table.revision += 1;
    table.step(Event::Changed { draft: table.draft(), sent: Sent::All });
    table.step(Event::Cancelled("user".to_owned()));
    let workers = ["Researcher".to_owned(), "Terminal".to_owned()];
    let mut again = Conductor::new(Record::new("run", "compare", &workers, "user", 0), false);
    let effects: Vec<Effect> = table.events.iter().flat_map(|event| again.step(event.clone())).collect();
    assert_eq!(effects, table.effects);
    assert_eq!(again.record(), table.conductor.record());
}

#[test]
fn any_events_in_any_order_are_taken() {
    use proptest::prelude::*;
    let event = prop_oneof![
        (0_u64..9, any::<bool>(), 0_usize..5).prop_map(|(revision, is_sent, text)| {
            let texts = [
                document(["", "a", "b", "/also x\n"]),
                String::new(),
                "## Terminal\n## Terminal\n".to_owned(),
                document(["c", "", "", "/cancel\n"]),
                "# x".to_owned(),
            ];
            Event::Changed {
                draft: Draft::new(&texts[text], revision),
                sent: if is_sent { Sent::All } else { Sent::Last },
            }
        }),
        (0_u32..6, 0_usize..5, any::<bool>()).prop_map(|(item, outcome, first)| {
            let outcome = [
                Outcome::Done("d".to_owned()),
                Outcome::Asked("?".to_owned()),
                Outcome::Failed("f".to_owned()),
                Outcome::Hopeless("h".to_owned()),
                Outcome::Stopped,
            ][outcome]
                .clone();
            let worker = if first { "Researcher" } else { "Terminal" }.to_owned();
            Event::Ended {
                worker,
                item,
                outcome,
                heard: 0,
                draft: Draft::new(&document(["", "x", "y", ""]), 5),
            }
        }),
        (0_u32..4).prop_map(|count| Event::Synthesized { count, said: Ok("Both agree on it.".to_owned()) }),
        (0_u32..4).prop_map(|count| Event::CanonConflict {
            count,
            draft: Draft::new(&document(["m", "x", "", ""]), 6)
        }),
        (0_u32..4, any::<bool>()).prop_map(|(count, is_duplicate)| Event::CanonWritten {
            count,
            revision: 7,
            is_duplicate,
            draft: Draft::new(&document(["z", "x", "", ""]), 7)
        }),
        (0_u32..4).prop_map(|count| Event::CanonRefused { count, why: "no".to_owned() }),
        Just(Event::TimeUp),
        Just(Event::Planned(Err("no".to_owned()))),
        Just(Event::Cancelled("user".to_owned())),
    ];
    proptest!(ProptestConfig::with_cases(300), |(events in prop::collection::vec(event, 0..30), has_model: bool)| {
        let mut table = Table::new(has_model);
        for event in events {
            let was_final = table.status().is_final();
            let effects = table.step(event);
            // Who is over stays over unless a person says otherwise, and nobody works twice at once.
            let started = starts(&effects);
            prop_assert!(!(was_final && table.status() == Status::Cancelled && !started.is_empty()));
            let mut workers: Vec<&String> = started.iter().map(|(worker, _)| worker).collect();
            workers.dedup();
            prop_assert_eq!(workers.len(), started.len());
        }
    });
}
