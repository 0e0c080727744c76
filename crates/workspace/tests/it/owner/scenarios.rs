//! What people do to a document while agents write in it, a thousand times each, with counts.

use std::time::Duration;

use document::component::components;
use workspace::command::FileResult;
use workspace::owner::Target;

use super::*;
use crate::dice::Dice;

const SESSION: &str =
    "---\nagent_doc_session: 6f2c\n---\n# Talk\n\n<!-- agent:reply -->\n<!-- /agent:reply -->\n\nmy notes\n";

/// Streams an answer in pieces and lets the person save a changed text at one of them; the file at the end.
async fn streamed(
    start: &str,
    target: Target,
    words: &[&str],
    at: usize,
    change: impl Fn(&str) -> String,
) -> String {
    let desk = open(start);
    let stream = desk.handle.stream(target, Actor::Conductor).await.unwrap();
    for (number, word) in words.iter().enumerate() {
        stream.say(*word).await.unwrap();
        if number == at {
            // What the person's editor loaded may be older than what the file holds by now.
            desk.keeper.save(&change(&desk.keeper.file()));
        }
        desk.handle.settled().await;
    }
    stream.finish().await.unwrap();
    desk.keeper.file()
}

const WORDS: [&str; 6] = ["The first ", "words. ", "Then\n", "more lines\n", "and ", "the end."];

// DS-20
#[tokio::test]
async fn what_a_person_adds_to_a_marker_during_an_answer_stays() {
    let mut lost = 0;
    for round in 0..1000 {
        let marker = format!("<!-- agent:reply mode=append note{round} -->");
        let change = |text: &str| text.replacen("<!-- agent:reply -->", &marker, 1);
        let target = Target::Component("reply".into());
        let text = streamed(SESSION, target, &WORDS, round % WORDS.len(), change).await;
        let is_whole = text.contains(&marker) && text.contains("and the end.") && text.contains("my notes\n");
        lost += usize::from(!is_whole || components(&text).map_or(0, |found| found.len()) != 1);
    }
    println!("1000 markers changed during an answer: {lost} lost");
    assert_eq!(lost, 0);
}

// DS-21
#[tokio::test]
async fn frontmatter_that_is_typed_while_an_answer_ends_stays() {
    let mut lost = 0;
    for round in 0..1000 {
        let line = format!("agent_doc_model: model-{round}\n");
        let change = |text: &str| text.replacen("---\n# Talk", &format!("{line}---\n# Talk"), 1);
        let at = WORDS.len() - 1 - round % 2;
        let text = streamed(SESSION, Target::Component("reply".into()), &WORDS, at, change).await;
        let begins = format!("---\nagent_doc_session: 6f2c\n{line}---\n# Talk\n");
        lost += usize::from(!text.starts_with(&begins) || !text.contains("and the end."));
    }
    println!("1000 lines of frontmatter typed while an answer ended: {lost} lost");
    assert_eq!(lost, 0);
}

// DS-22
#[tokio::test]
async fn an_editor_with_an_old_version_cannot_revert_what_came_since() {
    let (mut dice, mut reverted) = (Dice::new(3), 0);
    for round in 0..1000 {
        let desk = open(RUN);
        let mut versions = vec![desk.keeper.file()];
        for line in 0..8 {
            desk.ask(append("Terminal", &format!("ran {line} {round}")).by(worker("Terminal"))).await;
            versions.push(desk.keeper.file());
        }
        let loaded = &versions[dice.below(versions.len())];
        desk.keeper.save(&loaded.replacen("# Compare\n", "# Compare\n\nmy remark\n", 1));
        desk.handle.file_changed();
        desk.handle.settled().await;
        let text = desk.keeper.file();
        let is_whole = text.matches("my remark\n").count() == 1
            && (0..8).all(|line| text.matches(&format!("ran {line} {round}\n")).count() == 1);
        reverted += usize::from(!is_whole);
    }
    println!("1000 saves of an old version: {reverted} reverted something");
    assert_eq!(reverted, 0);
}

// DS-19
#[tokio::test]
async fn bytes_that_nobody_changed_are_the_same_in_ten_thousand_documents() {
    const PARTS: [&str; 12] = [
        "plain words",
        "  indented",
        "trailing  ",
        "\ttab\t",
        "",
        "é 漢 \u{1f600}",
        "- list",
        "> quote",
        "`code`",
        "\u{200b}zero",
        "a\u{301}",
        "| a | b |",
    ];
    const ENDINGS: [&str; 4] = ["\n", "\r\n", "\n\n", "\r\n\r\n"];
    let (mut dice, mut changed) = (Dice::new(17), 0);
    for _ in 0..10_000 {
        let mut part = || format!("{}{}", dice.pick(&PARTS), dice.pick(&ENDINGS));
        let before: String = (0..4).map(|_| part()).collect();
        let mut after: String = (0..4).map(|_| part()).collect();
        if dice.below(3) == 0 {
            after.push_str("no line break at the end");
        }
        let mark = if dice.below(4) == 0 { "\u{feff}" } else { "" };
        let text = format!("{mark}# Title\n{before}## Log\n\n## Last\n{after}");
        let desk = open(&text);
        let reply = desk.ask(append("Log", "one line").by(worker("Log"))).await;
        assert!(matches!(reply.result, FileResult::Written { .. }), "{text:?}: {reply:?}");
        let now = desk.keeper.file();
        let is_same = now.starts_with(&format!("{mark}# Title\n{before}## Log"))
            && now.ends_with(&format!("## Last\n{after}"))
            && now.matches("one line").count() == 1;
        changed += usize::from(!is_same);
    }
    println!("10000 documents with one line added: {changed} with other bytes changed");
    assert_eq!(changed, 0);
}

// C12
#[tokio::test(start_paused = true)]
async fn a_merge_that_takes_three_minutes_holds_nobody_up() {
    let desk = open(RUN);
    let base = desk.handle.read().revision;
    let handle = desk.handle.clone();
    let merge = tokio::spawn(async move {
        tokio::time::sleep(Duration::from_secs(180)).await;
        handle.execute(rewrite("Conductor", "the merged canon").by(Actor::Conductor).on(base)).await
    });
    let mut slowest = Duration::ZERO;
    for number in 0..500 {
        let begun = tokio::time::Instant::now();
        let request = append("Terminal", &format!("ran {number}")).by(worker("Terminal"));
        assert!(bytes(&desk.ask(request).await) > 0);
        slowest = slowest.max(begun.elapsed());
        tokio::time::sleep(Duration::from_millis(300)).await;
    }
    println!("500 appends during a merge: the slowest took {slowest:?}");
    assert!(slowest < Duration::from_millis(50));
    assert!(matches!(merge.await.unwrap().result, FileResult::Written { .. }));
    let text = desk.keeper.file();
    assert!(
        text.contains("the merged canon\n")
            && (0..500).all(|number| text.contains(&format!("ran {number}\n")))
    );
}
