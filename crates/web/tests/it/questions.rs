//! Questions of agents, as pages see and answer them.

use std::sync::Arc;

use agent::message::ToolCall;
use agent::permission::{Access, Claim, PermissionDecision, Question, Scope, Why};
use expect_test::{Expect, expect};
use serde_json::json;
use tokio::task::JoinHandle;
use workspace::outside::permission::{Choice, Decision, Meaning, PermissionRequest};

use crate::desk::{Answer, Desk};
use crate::live::Page;

const COMMAND: &str = "git push\u{202e} --force";

/// Asks what our own loop asks about a command.
fn ask(desk: &Desk, document: &str) -> JoinHandle<Decision> {
    let input = json!({ "command": COMMAND }).to_string();
    let call = ToolCall { id: "1".to_owned(), name: "Bash".to_owned(), input, verbatim: None };
    let question = Question {
        call,
        claim: Claim::of(Access::Execute),
        why: Why::Uncovered(COMMAND.to_owned()),
        shown: agent::permission::visible(COMMAND),
        always: Some(vec!["Bash(git push *)".parse().unwrap()]),
        never: Some(vec!["Bash(git push *)".parse().unwrap()]),
    };
    let meanings =
        [Meaning::AllowOnce, Meaning::AllowAlways, Meaning::RejectOnce, Meaning::RejectAlways].into_iter();
    let options = question.options("Terminal").into_iter().zip(meanings);
    let choices = options.map(|((name, id), meaning)| Choice { id: format!("{id:?}"), name, meaning });
    let request = PermissionRequest {
        agent: "Terminal".to_owned(),
        title: question.shown.clone(),
        kind: "execute".to_owned(),
        input: None,
        choices: choices.collect(),
        question: Some(Box::new(question)),
    };
    let seat = desk.questions.at(document);
    tokio::spawn(async move { Arc::clone(&seat).decide(request).await })
}

async fn answer(desk: &Desk, id: &str, name: &str, body: serde_json::Value) -> Answer {
    let path = format!("/api/questions/{id}");
    desk.ask_as(&desk.token, &[("idempotency-key", name)], ("POST", &path), &body.to_string()).await
}

async fn first(page: &mut Page) -> String {
    let event = page.event("questions").await;
    event["questions"][0]["id"].as_str().unwrap().to_owned()
}

fn check(question: &serde_json::Value, expected: &Expect) {
    let mut question = question.clone();
    question["id"] = json!("…");
    expected.assert_eq(&serde_json::to_string_pretty(&question).unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_shows_the_very_bytes_and_what_each_answer_would_keep() {
    let desk = Desk::open().await;
    let mut page = Page::open(&desk, 5, "").await.unwrap();
    page.event("hello").await;
    let asked = ask(&desk, "plan.md");
    let event = page.event("questions").await;
    check(
        &event["questions"][0],
        &expect![[r#"
        {
          "id": "…",
          "agent": "Terminal",
          "deed": "execute",
          "title": "git push\\u{202e} --force",
          "call": "Bash {\"command\":\"git push\\u{202e} --force\"}",
          "why": "no rule covers git push\\u{202e} --force",
          "place": "the rules of the test",
          "options": [
            {
              "id": "Allow",
              "label": "Allow this time",
              "meaning": "allowOnce",
              "rules": [],
              "words": false
            },
            {
              "id": "AlwaysAllow",
              "label": "Always allow",
              "meaning": "allowAlways",
              "rules": [
                "allow Bash(git push *)"
              ],
              "words": false
            },
            {
              "id": "Wait",
              "label": "Wait and tell Terminal what to do differently",
              "meaning": "rejectOnce",
              "rules": [],
              "words": true
            },
            {
              "id": "Never",
              "label": "Never allow",
              "meaning": "rejectAlways",
              "rules": [
                "deny Bash(git push *)"
              ],
              "words": false
            }
          ]
        }"#]],
    );
    asked.abort();
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_of_one_page_is_taken_once_and_the_question_goes_from_all_pages() {
    let desk = Desk::open().await;
    let asked = ask(&desk, "plan.md");
    // Both come later than the question.
    let mut one = Page::open(&desk, 5, "").await.unwrap();
    let mut two = Page::open(&desk, 6, "").await.unwrap();
    let id = first(&mut one).await;
    assert_eq!(first(&mut two).await, id);
    let body = json!({ "option": "Wait", "words": "push nothing" });
    assert_eq!(answer(&desk, &id, "a", body.clone()).await.status, 200);
    assert_eq!(two.event("questions").await["questions"], json!([]));
    let Decision::Answered(taken) = asked.await.unwrap() else { panic!("it was answered") };
    assert_eq!((taken.decision, taken.words.as_str()), (PermissionDecision::Wait, "push nothing"));
    assert_eq!(taken.scope, Scope::Local);
    // The same request again is done; another one comes too late.
    assert_eq!(answer(&desk, &id, "a", body.clone()).await.status, 200);
    assert_eq!(answer(&desk, &id, "b", body).await.status, 409);
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_question_of_a_turn_that_was_stopped_is_taken_back() {
    let desk = Desk::open().await;
    let mut page = Page::open(&desk, 5, "").await.unwrap();
    page.event("hello").await;
    let asked = ask(&desk, "plan.md");
    let id = first(&mut page).await;
    asked.abort();
    assert_eq!(page.event("questions").await["questions"], json!([]));
    assert_eq!(answer(&desk, &id, "a", json!({ "option": "Allow" })).await.status, 409);
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_who_may_only_read_neither_sees_a_question_nor_answers_it() {
    let desk = Desk::open().await;
    let key = json!({ "role": { "kind": "reader" } }).to_string();
    let reader = desk.ask("POST", "/api/keys", &key).await.json()["token"].as_str().unwrap().to_owned();
    let asked = ask(&desk, "plan.md");
    let mut page = Page::open(&desk, 5, "").await.unwrap();
    let id = first(&mut page).await;
    let mut guest = Page::open_with(&desk, &reader, 6, "").await.unwrap();
    guest.event("hello").await;
    let path = format!("/api/questions/{id}");
    let body = json!({ "option": "Allow" }).to_string();
    assert_eq!(desk.ask_as(&reader, &[], ("POST", &path), &body).await.status, 403);
    // What comes next for the reader is about the text, and no question was before it.
    let call = json!({ "path": "plan.md", "section": "Researcher",
        "change": { "kind": "append", "content": "Found." } });
    assert_eq!(desk.ask("POST", "/api/section", &call.to_string()).await.status, 200);
    assert!(!guest.kinds_until("changed").await.contains(&"questions".to_owned()));
    assert!(!asked.is_finished());
    asked.abort();
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn answers_that_are_none_are_refused_and_the_question_stays() {
    let desk = Desk::open().await;
    let asked = ask(&desk, "plan.md");
    let mut page = Page::open(&desk, 5, "").await.unwrap();
    let id = first(&mut page).await;
    for body in [
        json!({ "option": "allow" }),
        json!({ "option": "" }),
        // Words are for one who waits.
        json!({ "option": "Allow", "words": "and more" }),
        json!({ "option": "Wait", "words": "x".repeat(9000) }),
    ] {
        assert_eq!(answer(&desk, &id, "a", body.clone()).await.status, 422, "{body}");
    }
    assert_eq!(answer(&desk, "no-such-question", "a", json!({ "option": "Allow" })).await.status, 409);
    assert!(!asked.is_finished());
    assert_eq!(answer(&desk, &id, "a", json!({ "option": "AlwaysAllow" })).await.status, 200);
    let Decision::Answered(taken) = asked.await.unwrap() else { panic!("it was answered") };
    assert_eq!(taken.decision, PermissionDecision::AlwaysAllow);
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn questions_about_another_document_are_not_told() {
    let desk = Desk::open().await;
    let other = ask(&desk, "other.md");
    let mut page = Page::open(&desk, 5, "").await.unwrap();
    page.event("hello").await;
    let asked = ask(&desk, "plan.md");
    let event = page.event("questions").await;
    assert_eq!(event["questions"].as_array().unwrap().len(), 1);
    other.abort();
    asked.abort();
    desk.close().await;
}
