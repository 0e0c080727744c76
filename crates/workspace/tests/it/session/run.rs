//! Turns whose answer comes in one piece.

use workspace::session::agent::{AgentError, Said, Talk};
use workspace::session::turn::{Taken, TurnError};

use super::desk::{Desk, Step, added, removed, save, say};

const APPEND: &str = "---\nsession:\nagent_doc_mode: append\n---\n\n# Talk\n\n## User\n\nWhat is it?\n";

fn answered(taken: Result<Taken, TurnError>) -> workspace::session::delivery::Outcome {
    match taken.unwrap() {
        Taken::Answered(outcome) => outcome,
        Taken::Nothing => panic!("nothing was answered"),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_becomes_a_block_and_the_next_turn_has_nothing_to_do() {
    let desk = Desk::new(APPEND, vec![vec![Step::Tell(Said::Talk("talk-1".into())), say("It is a test.")]]);
    let outcome = answered(desk.run().await);
    assert!(!outcome.is_merged && outcome.conflicts == 0);
    let expected =
        APPEND.replace("session:", "session: talk-1") + "\n## Assistant\n\nIt is a test.\n\n## User\n\n";
    assert_eq!(desk.text(), expected);
    assert_eq!(desk.run().await.unwrap(), Taken::Nothing);
    assert_eq!(desk.asked().len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_typed_meanwhile_stays_and_is_the_next_change() {
    let desk = Desk::new(
        APPEND,
        vec![vec![save(|text| text + "\nAnd why?\n"), say("It is a test.")], vec![say("Because.")]],
    );
    let outcome = answered(desk.run().await);
    assert!(outcome.is_merged);
    assert_eq!(outcome.conflicts, 0);
    assert_eq!(added(&desk.change()), ["And why?"]);
    assert!(removed(&desk.change()).is_empty());
    answered(desk.run().await);
    let text = desk.text();
    assert_eq!(text.matches("And why?").count(), 1);
    assert!(text.contains("It is a test.") && text.contains("Because."));
    assert!(desk.change().is_empty);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_that_is_corrected_meanwhile_makes_no_conflict() {
    let base = APPEND.replace("What is it?", "What is teh plan?");
    let desk = Desk::new(
        &base,
        vec![vec![save(|text| text.replace("teh plan?", "the plan for Q3?")), say("We ship.")]],
    );
    assert_eq!(answered(desk.run().await).conflicts, 0);
    let text = desk.text();
    assert!(text.contains("What is the plan for Q3?\n\n## Assistant\n\nWe ship."), "{text}");
    assert!(!text.contains("<<<<<<<"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_last_line_that_is_deleted_meanwhile_stays_deleted() {
    let base = APPEND.to_owned() + "And this?\n";
    let desk = Desk::new(&base, vec![vec![save(|text| text.replace("And this?\n", "")), say("Yes.")]]);
    assert_eq!(answered(desk.run().await).conflicts, 0);
    assert!(!desk.text().contains("And this?") && desk.text().contains("Yes."));
    assert_eq!(removed(&desk.change()), ["And this?"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn many_turns_add_no_blank_lines_and_keep_the_frontmatter_byte_for_byte() {
    let head = "---\n# my own note\ntitle: \"A: talk\"\ntags: [a, b]\nsession: talk\nagent_doc_mode: append\nother:   x\n---\n";
    let scripts = (0..5).map(|_| vec![say("Answer.")]).collect();
    let desk = Desk::new(&format!("{head}# T\n\n## User\n\nq\n"), scripts);
    for number in 0..5 {
        answered(desk.run().await);
        desk.append(&format!("question {number}.\n"));
    }
    let text = desk.text();
    assert!(
        text.starts_with(&format!(
            "{head}# T\n\n## User\n\nq\n\n## Assistant\n\nAnswer.\n\n## User\n\nquestion 0.\n"
        )),
        "{text}"
    );
    assert!(!text.contains("\n\n\n"), "{text}");
}

#[tokio::test(flavor = "multi_thread")]
async fn line_endings_and_a_missing_last_one_are_kept() {
    let crlf = APPEND.replace('\n', "\r\n");
    let desk = Desk::new(&crlf, vec![vec![say("One.\nTwo.")]]);
    answered(desk.run().await);
    assert!(desk.text().replace("\r\n", "").find('\n').is_none());
    assert!(desk.text().contains("## Assistant\r\n\r\nOne.\r\nTwo.\r\n"));

    let desk = Desk::new(APPEND.trim_end(), vec![vec![save(|text| text + " And more"), say("A.")]]);
    answered(desk.run().await);
    assert!(desk.text().contains("What is it? And more\n\n## Assistant\n\nA.\n"), "{}", desk.text());
}

#[tokio::test(flavor = "multi_thread")]
async fn text_of_every_script_goes_through() {
    for line in [
        "日本語の未完の行は六十バイトより長いけれども途中で切れてはいけないのであ",
        "👍🏽 and é",
        "\u{202e}abc",
    ] {
        let desk = Desk::new(&format!("{APPEND}{line}\n"), vec![vec![say("é agent 👍🏻\n")]]);
        answered(desk.run().await);
        assert!(desk.text().contains(line) && desk.text().contains("é agent 👍🏻"));
        assert!(desk.asked()[0].prompt.contains(line));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn headings_that_an_agent_echoes_are_taken_off_and_its_markers_have_no_force() {
    let desk = Desk::new(APPEND, vec![vec![say("## Assistant\n\nYes.\n\n```\n## User\n```\n\n## User\n\n")]]);
    answered(desk.run().await);
    let text = desk.text();
    assert_eq!(text.matches("## Assistant").count(), 1);
    assert!(text.ends_with("Yes.\n\n```\n## User\n```\n\n## User\n\n"), "{text}");

    let template = "---\nsession: a\nagent_doc_mode: template\n---\n<!-- agent:exchange -->\nq?\n<!-- /agent:exchange -->\nafter\n";
    let evil =
        "Use <!-- /agent:exchange --> and <!-- agent:x --> here.\n\n```\n<!-- /agent:exchange -->\n```\n";
    let desk = Desk::new(template, vec![vec![say(evil)]]);
    answered(desk.run().await);
    let names: Vec<_> =
        document::component::components(&desk.text()).unwrap().into_iter().map(|one| one.name).collect();
    assert_eq!(names, ["exchange"]);
    assert!(desk.text().contains("```\n<!-- /agent:exchange -->\n```"));
    assert!(desk.text().ends_with("<!-- /agent:exchange -->\nafter\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn patches_go_to_their_components_and_the_rest_to_the_exchange() {
    let template = "---\nsession: a\nagent_doc_mode: template\n---\n<!-- agent:status -->\nold\n<!-- /agent:status -->\n\n<!-- agent:exchange -->\nq?\n<!-- /agent:exchange -->\n";
    let desk =
        Desk::new(template, vec![vec![say("Done.\n<!-- patch:status -->\nnew\n<!-- /patch:status -->\n")]]);
    answered(desk.run().await);
    let text = desk.text();
    assert!(text.contains("<!-- agent:status -->\nnew\n<!-- /agent:status -->"), "{text}");
    assert!(text.contains("q?\n\nDone.\n<!-- /agent:exchange -->"), "{text}");
    assert!(desk.change().is_empty);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_fails_in_the_middle_leaves_the_document_and_keeps_its_words() {
    let failed = || AgentError::Failed { agent: "scripted".into(), told: "exit 3".into() };
    let desk = Desk::new(APPEND, vec![vec![say("Half an ans"), Step::Fail(failed())], vec![say("Whole.")]]);
    match desk.run().await {
        Err(TurnError::Agent { waiting, .. }) => assert_eq!(waiting, "Half an ans".len()),
        other => panic!("{other:?}"),
    }
    assert_eq!(desk.text(), APPEND);
    // The next turn brings home what waited, and the question is still open.
    answered(desk.run().await);
    assert!(desk.text().contains("Half an ans") && desk.text().contains("Whole."));
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_that_says_nothing_leaves_nothing_behind() {
    let desk = Desk::new(APPEND, vec![vec![say("  \n")]]);
    assert!(matches!(
        desk.run().await,
        Err(TurnError::Agent { source: AgentError::Nothing { .. }, waiting: 0 })
    ));
    assert_eq!(desk.text(), APPEND);
    assert!(!desk.change().is_empty);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_conversation_is_forked_resumed_and_begun_anew_as_the_document_says() {
    let talk = |name: &str| Step::Tell(Said::Talk(name.to_owned()));
    let desk = Desk::new(
        APPEND,
        vec![vec![talk("one"), say("A.")], vec![talk("one"), say("B.")], vec![talk("two"), say("C.")]],
    );
    answered(desk.run().await);
    desk.append("More?\n");
    answered(desk.run().await);
    desk.write(&desk.text().replace("session: one", "session:"));
    desk.append("Anew?\n");
    answered(desk.run().await);
    let talks: Vec<Talk> = desk.asked().into_iter().map(|ask| ask.talk).collect();
    assert_eq!(talks, [Talk::ForkLatest, Talk::Resume("one".into()), Talk::Fresh]);
    assert!(desk.text().contains("session: two\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_of_the_older_program_keeps_its_session_apart_from_the_conversation() {
    let old = "---\nagent_doc_session: 3f1c\nagent_doc_format: template\nagent_doc_write: crdt\n---\n<!-- agent:exchange -->\nq?\n<!-- /agent:exchange -->\n";
    let desk = Desk::new(old, vec![vec![Step::Tell(Said::Talk("conv".into())), say("A.")], vec![say("B.")]]);
    answered(desk.run().await);
    assert!(
        desk.text().contains("agent_doc_session: 3f1c\n") && desk.text().contains("resume: conv\n"),
        "{}",
        desk.text()
    );
    desk.write(&desk.text().replace("A.\n", "A.\n\nMore?\n"));
    answered(desk.run().await);
    assert_eq!(desk.asked()[1].talk, Talk::Resume("conv".into()));
}

#[tokio::test(flavor = "multi_thread")]
async fn documents_that_are_none_or_cannot_be_read_are_refused_with_the_line() {
    for (text, words) in [
        ("# Plain\n", "has no frontmatter"),
        ("---\nsession: a\n# never ends\n", "never closed"),
        ("---\nsession: a\nagent_doc_mode: wild\n---\nq\n", "must be one of append, template, stream"),
        ("---\nsession: [a\n---\nq\n", "notes.md:"),
        ("---\nsession: a\n---\n<!-- agent:exchange -->\nq\n", "exchange"),
    ] {
        let desk = Desk::new(text, vec![vec![say("A.")]]);
        let error = desk.run().await.unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
        assert_eq!(desk.text(), text);
        assert!(desk.asked().is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn two_turns_at_once_ask_once() {
    let desk = Desk::new(APPEND, vec![vec![Step::Await("## Never"), say("A.")], vec![say("B.")]]);
    let first = desk.run();
    tokio::pin!(first);
    let second = async {
        while desk.asked().is_empty() {
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        let second = desk.run().await;
        desk.append("\n## Never\n");
        second
    };
    let (first, second) = tokio::join!(first, second);
    answered(first);
    let error = second.unwrap_err().to_string();
    assert!(error.contains("a test") && error.contains("is working on this document"), "{error}");
    assert_eq!(desk.asked().len(), 1);
}
