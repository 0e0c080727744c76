//! What keys at the terminal mean to whoever asked at its desk.

use std::time::Duration;

use agent::message::ToolCall;
use agent::permission::{Access, Claim};
use tui::{Event, Facts, Input, Intent, Theme, View};
use workspace::outside::permission::Choice as Offered;

use super::*;
use crate::terminal::console::mailbox;

/// An agent of others that offers these, in this order.
fn foreign(meanings: &[Meaning]) -> PermissionRequest {
    let offered = |meaning: &Meaning| Offered {
        id: format!("{meaning:?}"),
        name: format!("{meaning:?}"),
        meaning: *meaning,
    };
    PermissionRequest {
        agent: "other".to_owned(),
        title: "rm build".to_owned(),
        kind: "execute".to_owned(),
        input: None,
        choices: meanings.iter().map(offered).collect(),
        question: None,
    }
}

/// Our own loop, which wants to write a file.
fn own() -> PermissionRequest {
    let input = serde_json::json!({ "file_path": "new.txt", "content": "words\n" }).to_string();
    let pattern = || Some(vec!["Edit(/new.txt)".parse().unwrap()]);
    let question = Asked {
        call: ToolCall { id: "1".to_owned(), name: "Write".to_owned(), input, verbatim: None },
        claim: Claim::of(Access::Edit),
        why: Why::Repeats,
        shown: "new.txt".to_owned(),
        always: pattern(),
        never: pattern(),
    };
    let all = [Meaning::AllowOnce, Meaning::AllowAlways, Meaning::RejectOnce, Meaning::RejectAlways];
    PermissionRequest { question: Some(Box::new(question)), ..foreign(&all) }
}

/// What is decided by these keys, when the question has stood there for a while.
async fn decided_by(request: PermissionRequest, keys: &[Input]) -> Decision {
    let (mailbox, mut messages) = mailbox();
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk { mailbox, root: folder.path().to_owned(), rules: "my.rules".to_owned() };
    let deciding = tokio::spawn(async move { desk.decide(request).await });
    let Some(Message::Ask(question, answer)) = messages.recv().await else { panic!("nothing is asked") };
    let mut view = View::new(Facts { theme: Theme::coloured(), size: (80, 24) });
    view.apply(Event::Asked(question), Duration::ZERO);
    let intent = keys.iter().find_map(|key| view.press(key.clone(), Duration::from_secs(1)));
    let Some(Intent::Answer { choice, words, .. }) = intent else { panic!("nothing is decided: {intent:?}") };
    answer.send(Reply { choice, words }).unwrap();
    deciding.await.unwrap()
}

#[tokio::test]
async fn escape_refuses_this_time_in_whatever_order_an_agent_lists_its_options() {
    use Meaning::{AllowAlways, AllowOnce, RejectAlways, RejectOnce};
    let no = || Decision::Chosen("RejectOnce".to_owned());
    for (meanings, expected) in [
        (&[RejectOnce, AllowOnce][..], no()),
        (&[AllowOnce, AllowAlways, RejectOnce, RejectAlways], no()),
        (&[RejectAlways, RejectOnce, AllowAlways, AllowOnce], no()),
        (&[RejectAlways, AllowOnce], Decision::Refused),
        (&[AllowOnce], Decision::Refused),
    ] {
        assert_eq!(decided_by(foreign(meanings), &[Input::Escape]).await, expected, "{meanings:?}");
    }
}

#[tokio::test]
async fn two_options_of_the_same_meaning_have_a_key_each() {
    let mut request = foreign(&[Meaning::AllowOnce, Meaning::AllowOnce, Meaning::RejectOnce]);
    request.choices[1].id = "second".to_owned();
    for (key, expected) in [('1', "AllowOnce"), ('5', "second"), ('3', "RejectOnce")] {
        let decided = decided_by(request.clone(), &[Input::Letter(key)]).await;
        assert_eq!(decided, Decision::Chosen(expected.to_owned()));
    }
}

#[tokio::test]
async fn our_own_loop_gets_the_very_answer_with_its_words() {
    use PermissionDecision::{AlwaysAllow, Never, Wait};
    let answered = |decision, words: &str| {
        let scope = agent::permission::Scope::Local;
        Decision::Answered(Answer { decision, words: words.to_owned(), scope })
    };
    assert_eq!(decided_by(own(), &[Input::Escape]).await, answered(Wait, ""));
    assert_eq!(decided_by(own(), &[Input::Letter('2')]).await, answered(AlwaysAllow, ""));
    assert_eq!(decided_by(own(), &[Input::Letter('4')]).await, answered(Never, ""));
    let keys = [Input::Letter('3'), Input::Pasted("use sed".to_owned()), Input::Enter];
    assert_eq!(decided_by(own(), &keys).await, answered(Wait, "use sed"));
}

#[tokio::test]
async fn an_edit_at_the_desk_is_a_diff_and_says_what_is_saved_and_where() {
    let (mailbox, mut messages) = mailbox();
    let folder = tempfile::tempdir().unwrap();
    let desk = Desk { mailbox, root: folder.path().to_owned(), rules: "my.rules".to_owned() };
    let deciding = tokio::spawn(async move { desk.decide(own()).await });
    let Some(Message::Ask(question, answer)) = messages.recv().await else { panic!("nothing is asked") };
    let change = question.change.unwrap();
    assert_eq!((change.path.as_str(), change.lines.len()), ("new.txt", 1));
    assert_eq!(question.choices[1].note, "saves 'allow Edit(/new.txt)' in my.rules");
    assert_eq!(question.choices[3].note, "saves 'deny Edit(/new.txt)' in my.rules");
    drop(answer);
    assert_eq!(deciding.await.unwrap(), Decision::Refused);
}

#[tokio::test]
async fn a_question_that_nobody_waits_with_any_more_is_taken_back() {
    let (mailbox, mut messages) = mailbox();
    let desk = Desk { mailbox, root: PathBuf::from("/"), rules: String::new() };
    let deciding = tokio::spawn(async move { desk.decide(foreign(&[Meaning::AllowOnce])).await });
    let Some(Message::Ask(_, answer)) = messages.recv().await else { panic!("nothing is asked") };
    let mut waiting = Waiting::default();
    assert!(waiting.put(7, answer));
    assert!(waiting.withdrawn().is_empty());
    deciding.abort();
    assert!(matches!(messages.recv().await, Some(Message::Withdrawn)));
    assert_eq!(waiting.withdrawn(), vec![7_u64]);
    let (answer, answered) = oneshot::channel();
    drop(answered);
    assert!(!waiting.put(8, answer), "it was taken back before it was heard");
}
