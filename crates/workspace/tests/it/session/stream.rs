//! Turns whose answer is shown as it comes.

use workspace::session::agent::{AgentError, Said};
use workspace::session::turn::{Taken, Told, TurnError};

use super::desk::{Desk, Step, added, removed, save, say};

const HEAD: &str = "---\nsession: a\nagent_doc_mode: stream\nagent_doc_stream:\n  interval: 10\n  target: exchange\n---\n# Doc\n\n";

fn document(exchange: &str, after: &str) -> String {
    format!("{HEAD}<!-- agent:exchange -->\n{exchange}<!-- /agent:exchange -->\n{after}")
}

async fn streamed(desk: &Desk) -> workspace::session::delivery::Outcome {
    match desk.stream().await.unwrap() {
        Taken::Answered(outcome) => outcome,
        Taken::Nothing => panic!("nothing was answered"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn words_are_shown_as_they_come_and_stand_there_once() {
    let desk = Desk::new(
        &document("User prompt here.\n", ""),
        vec![vec![
            say("Hello"),
            Step::Await("Hello\n"),
            say(" world"),
            Step::Await("Hello world\n"),
            say("!\n"),
        ]],
    );
    streamed(&desk).await;
    assert_eq!(desk.text(), document("User prompt here.\n\nHello world!\n", ""));
    assert!(desk.change().is_empty);
}

#[tokio::test(flavor = "multi_thread")]
async fn typing_inside_and_outside_of_the_target_survives_and_is_the_next_change() {
    let desk = Desk::new(
        &document("User prompt here.\n", "\nmy note\n"),
        vec![vec![
            say("One.\n"),
            Step::Await("One."),
            say("Two.\n"),
            Step::Await("Two."),
            save(|text| {
                text.replace("<!-- /agent", "USER TYPED INSIDE\n<!-- /agent")
                    .replace("my note", "my own note")
            }),
            say("Three.\n"),
            Step::Await("Three."),
            say("Four.\n"),
        ]],
    );
    let outcome = streamed(&desk).await;
    assert!(outcome.is_merged);
    let text = desk.text();
    for words in ["User prompt here.", "One.", "Two.", "Three.", "Four.", "USER TYPED INSIDE", "my own note"]
    {
        assert_eq!(text.matches(words).count(), 1, "{words}: {text}");
    }
    let change = desk.change();
    assert_eq!(added(&change), ["USER TYPED INSIDE", "my own note"]);
    assert_eq!(removed(&change), ["my note"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_word_that_is_corrected_in_the_answer_stays_corrected() {
    let desk = Desk::new(
        &document("q?\n", ""),
        vec![vec![
            say("The anwser is simple.\n\n"),
            Step::Await("simple."),
            save(|text| text.replace("anwser", "answer")),
            say("It is 42.\n"),
            Step::Await("42"),
            say("Surely.\n"),
        ]],
    );
    streamed(&desk).await;
    assert_eq!(desk.text(), document("q?\n\nThe answer is simple.\n\nIt is 42.\nSurely.\n", ""));
    assert_eq!(added(&desk.change()), ["The answer is simple."]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_paragraph_that_is_deleted_stays_deleted_and_a_note_between_stays() {
    let desk = Desk::new(
        &document("q?\n", ""),
        vec![vec![
            say("First.\n\nSecond.\n\n"),
            Step::Await("Second."),
            save(|text| text.replace("First.\n\n", "")),
            say("Third.\n\n"),
            Step::Await("Third."),
            save(|text| text.replace("Second.\n", "Second.\n\n> why?\n")),
            say("Fourth.\n"),
        ]],
    );
    streamed(&desk).await;
    assert_eq!(desk.text(), document("q?\n\nSecond.\n\n> why?\n\nThird.\n\nFourth.\n", ""));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_word_that_is_cut_by_a_flush_is_completed_above_what_the_person_adds() {
    let desk = Desk::new(
        &document("q?\n", ""),
        vec![vec![
            say("The ans"),
            Step::Await("The ans"),
            save(|text| text.replace("The ans\n", "The ans\nuser line\n")),
            Step::Await("user line"),
            say("wer is"),
            Step::Await("The answer is"),
            say(" here.\n"),
        ]],
    );
    streamed(&desk).await;
    assert_eq!(desk.text(), document("q?\n\nThe answer is here.\nuser line\n", ""));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_editor_that_saves_its_old_buffer_takes_nothing_of_the_answer_away() {
    let before = document("q?\n", "\nnote\n");
    let stale = before.clone() + "user extra\n";
    let desk = Desk::new(
        &before,
        vec![vec![
            say("One.\n"),
            Step::Await("One."),
            say("Two.\n"),
            Step::Await("Two."),
            save(move |_| stale),
            say("Three.\n"),
            Step::Await("Three."),
        ]],
    );
    streamed(&desk).await;
    assert_eq!(desk.text(), document("q?\n\nOne.\nTwo.\nThree.\n", "\nnote\nuser extra\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn no_flush_ever_shows_half_a_marker_and_patches_give_the_same_text() {
    let plain = document("q?\n", "");
    let pieces = |text: &str| -> Vec<Step> {
        let chars: Vec<char> = text.chars().collect();
        chars.chunks(3).map(|chunk| say(&chunk.iter().collect::<String>())).collect()
    };
    let mut texts = Vec::new();
    for answer in [
        "An é answer 👍🏽.\n\n```\ncode <!-- x\n```\n",
        "<!-- patch:exchange -->\nAn é answer 👍🏽.\n\n```\ncode <!-- x\n```\n<!-- /patch:exchange -->\n",
    ] {
        let desk = Desk::new(&plain, vec![pieces(answer)]);
        streamed(&desk).await;
        texts.push(desk.text());
    }
    assert_eq!(texts[0], document("q?\n\nAn é answer 👍🏽.\n\n```\ncode <!-- x\n```\n", ""));
    assert_eq!(texts[0], texts[1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_between_tools_stand_one_after_the_other_and_void_ones_go() {
    let desk = Desk::new(
        &document("q?\n", ""),
        vec![vec![
            say("I look."),
            Step::Await("I look."),
            Step::Tell(Said::Break),
            say("Wrong"),
            Step::Await("Wrong"),
            Step::Tell(Said::Void),
            say("Found it."),
            Step::Tell(Said::Break),
        ]],
    );
    streamed(&desk).await;
    assert_eq!(desk.text(), document("q?\n\nI look.\n\nFound it.\n", ""));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_fails_leaves_its_half_answer_and_the_question_open() {
    let failed = AgentError::Failed { agent: "scripted".into(), told: "exit 3".into() };
    let start = document("Answered before.\n", "");
    let desk = Desk::new(
        &start,
        vec![vec![say("Ok.\n")], vec![say("Half an ans"), Step::Fail(failed)], vec![say("Whole.\n")]],
    );
    streamed(&desk).await;
    desk.write(&desk.text().replace("Ok.\n", "Ok.\n\nAnd now?\n"));
    assert!(matches!(desk.stream().await, Err(TurnError::Agent { .. })));
    assert!(desk.text().contains("And now?\n\nHalf an ans\n"), "{}", desk.text());
    assert_eq!(added(&desk.change()), ["And now?"]);
    streamed(&desk).await;
    assert!(desk.text().contains("Half an ans") && desk.text().contains("Whole."));
    assert!(desk.change().is_empty);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_target_that_is_taken_away_is_not_made_again_and_the_answer_waits() {
    let desk = Desk::new(
        &document("q?\n", "\nmore\n"),
        vec![vec![
            say("One.\n"),
            Step::Await("One."),
            save(|_| format!("{HEAD}just notes\n")),
            say("Two.\n"),
            Step::Hear(Told::NoPlace),
        ]],
    );
    assert!(matches!(desk.stream().await, Err(TurnError::Displaced)));
    let text = desk.text();
    assert!(
        text.contains("just notes\n") && !text.contains("agent:exchange") && !text.contains("q?"),
        "{text}"
    );
    assert!(!text.contains("Two."), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closing_marker_that_comes_back_lets_the_answer_go_on() {
    let desk = Desk::new(
        &document("q?\n", "\nmore\n"),
        vec![vec![
            say("One.\n"),
            Step::Await("One."),
            save(|text| text.replace("<!-- /agent:exchange -->\n", "")),
            say("Two.\n"),
            Step::Hear(Told::NoPlace),
            save(|text| {
                assert!(text.contains("One.\n") && !text.contains("Two."), "{text}");
                text.replace("One.\n", "One.\n<!-- /agent:exchange -->\n")
            }),
            say("Three.\n"),
            Step::Await("Three."),
        ]],
    );
    streamed(&desk).await;
    assert_eq!(desk.told(&Told::NoPlace), 1, "it is said once");
    assert_eq!(desk.text(), document("q?\n\nOne.\nTwo.\nThree.\n", "\nmore\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn thinking_goes_where_the_document_wants_it() {
    let head = HEAD
        .replace("  target: exchange\n", "  target: exchange\n  thinking: true\n  thinking_target: log\n");
    let start = format!(
        "{head}<!-- agent:exchange -->\nq?\n<!-- /agent:exchange -->\n<!-- agent:log -->\n<!-- /agent:log -->\n"
    );
    let desk =
        Desk::new(&start, vec![vec![Step::Tell(Said::Thinking("Hm, let me see.\n".into())), say("So.\n")]]);
    streamed(&desk).await;
    let text = desk.text();
    assert!(text.contains("<!-- agent:exchange -->\nq?\n\nSo.\n<!-- /agent:exchange -->"), "{text}");
    assert!(text.contains("<!-- agent:log -->\nHm, let me see.\n<!-- /agent:log -->"), "{text}");
    let desk = Desk::new(
        &document("q?\n", ""),
        vec![vec![Step::Tell(Said::Thinking("secret".into())), say("So.\n")]],
    );
    streamed(&desk).await;
    assert!(!desk.text().contains("secret"));
}

#[tokio::test(flavor = "multi_thread")]
async fn sections_take_answers_too_and_append_documents_stream() {
    let head = HEAD.replace("target: exchange", "target: Findings");
    let desk = Desk::new(
        &format!("{head}q?\n\n## Findings\n\nold\n\n## Later\n\nx\n"),
        vec![vec![say("# Big\n\n"), say("new\n")]],
    );
    streamed(&desk).await;
    let text = desk.text();
    assert!(text.contains("## Findings\n\nold\n\n### Big\n\nnew\n\n## Later\n\nx\n"), "{text}");

    let append = "---\nsession: a\nagent_doc_mode: append\n---\n## User\n\nq?\n";
    let desk = Desk::new(append, vec![vec![say("One"), Step::Await("One"), say(" two.\n")]]);
    streamed(&desk).await;
    assert_eq!(desk.text(), format!("{append}\n## Assistant\n\nOne two.\n\n## User\n\n"));
    assert!(desk.change().is_empty);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_missing_target_is_refused_before_anybody_is_asked() {
    let desk = Desk::new(&format!("{HEAD}q?\n"), vec![vec![say("A.")]]);
    let error = desk.stream().await.unwrap_err().to_string();
    assert!(error.contains("neither a component nor a section 'exchange'"), "{error}");
    assert!(desk.asked().is_empty());
}
