//! Commands for the owner of a document: on which revision, and done once.

use serde_json::{Value, json};

use crate::desk::{Answer, Desk, TEXT};
use crate::live::Page;

const SECTION: (&str, &str) = ("POST", "/api/section");

fn change(section: &str, change: &Value) -> String {
    json!({ "path": "plan.md", "section": section, "change": change }).to_string()
}

async fn with(desk: &Desk, headers: &[(&str, &str)], target: (&str, &str), body: &str) -> Answer {
    desk.ask_as(&desk.token, headers, target, body).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_is_made_on_the_revision_that_was_read_or_not_at_all() {
    let desk = Desk::open().await;
    let read = desk.ask("GET", "/api/section?path=plan.md&section=Plan", "").await;
    assert!(read.status == 200 && read.head.contains("etag: \"0\""), "{}", read.head);
    assert!(read.json()["text"].as_str().unwrap().contains("Ship it."));
    let write = change("Researcher", &json!({ "kind": "write", "content": "Found in May.\n" }));
    let without = with(&desk, &[], SECTION, &write).await;
    assert_eq!(without.status, 412, "{}", without.body);
    for wrong in ["7", "\"x\"", "*", "\"\"", "W/\"0\""] {
        assert_eq!(with(&desk, &[("if-match", wrong)], SECTION, &write).await.status, 400, "{wrong}");
    }
    assert_eq!(desk.text(), TEXT);
    let done = with(&desk, &[("if-match", "\"0\"")], SECTION, &write).await;
    assert_eq!(done.status, 200, "{}", done.body);
    let revision = done.json()["revision"].clone();
    let other = change("Researcher", &json!({ "kind": "write", "content": "Found in June.\n" }));
    let late = with(&desk, &[("if-match", "\"0\"")], SECTION, &other).await;
    assert_eq!(late.status, 412);
    assert_eq!(late.json()["current"]["revision"], revision);
    assert!(late.json()["current"]["text"].as_str().unwrap().contains("in May"), "{}", late.body);
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_request_that_is_sent_twice_is_done_once() {
    let desk = Desk::open().await;
    let append = change("Researcher", &json!({ "kind": "append", "content": "Once." }));
    let name = [("idempotency-key", "one")];
    let first = with(&desk, &name, SECTION, &append).await.json();
    let again = with(&desk, &name, SECTION, &append).await.json();
    assert_eq!((&first["repeated"], &again["repeated"]), (&json!(false), &json!(true)));
    assert_eq!(first["revision"], again["revision"]);
    assert_eq!(desk.text().matches("Once.").count(), 1);
    for wrong in ["", &"x".repeat(201)] {
        let answer = with(&desk, &[("idempotency-key", wrong)], SECTION, &append).await;
        assert_eq!(answer.status, 400, "{wrong}");
    }
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_is_made_and_never_made_over() {
    let desk = Desk::open().await;
    let target = ("PUT", "/api/document");
    let new = json!({ "path": "notes/new.md", "text": "# New\n" }).to_string();
    assert_eq!(with(&desk, &[], target, &new).await.status, 200);
    let blind = json!({ "path": "notes/new.md", "text": "# Blind\n" }).to_string();
    assert_eq!(with(&desk, &[], target, &blind).await.status, 412);
    let read = desk.ask("GET", "/api/document?path=notes/new.md", "").await;
    assert_eq!(read.json()["text"], "# New\n");
    let over = json!({ "path": "notes/new.md", "text": "# Newer\n" }).to_string();
    let tag = format!("\"{}\"", read.json()["revision"]);
    assert_eq!(with(&desk, &[("if-match", &tag)], target, &over).await.status, 200);
    for path in ["../out.md", "/etc/out.md", ".agent-doc/out.md", "a/.GIT/hooks/out.md", ".git/out.md", ""] {
        let out = json!({ "path": path, "text": "x" }).to_string();
        let answer = with(&desk, &[], target, &out).await;
        assert!(matches!(answer.status, 400 | 403 | 404), "{path}: {} {}", answer.status, answer.body);
    }
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn bad_bodies_are_refused_with_their_place() {
    let desk = Desk::open().await;
    for body in [
        "",
        "{",
        "[]",
        "{\"path\":1}",
        "{\"path\":\"plan.md\",\"section\":\"Plan\",\"change\":{\"kind\":\"burn\"}}",
    ] {
        let answer = with(&desk, &[], SECTION, body).await;
        assert!(matches!(answer.status, 400 | 422), "{body}: {}", answer.status);
    }
    let missing = change("Nobody", &json!({ "kind": "append", "content": "x" }));
    assert_eq!(with(&desk, &[], SECTION, &missing).await.status, 404);
    let large = json!({ "path": "plan.md", "text": "x".repeat(17 << 20) }).to_string();
    assert_eq!(with(&desk, &[], ("PUT", "/api/document"), &large).await.status, 413);
    assert_eq!(desk.text(), TEXT);
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_document_whose_file_was_deleted_is_written_back_and_its_owner_goes_on() {
    let desk = Desk::open().await;
    let mut page = Page::open(&desk, 5, "").await.unwrap();
    assert_eq!(page.event("hello").await["gone"], false);
    std::fs::remove_file(desk.file()).unwrap();
    assert_eq!(page.event("unsaved").await["gone"], true);
    let text = TEXT.replace("Ship it.", "Ship it again.");
    let back = json!({ "path": "plan.md", "text": text }).to_string();
    let answer = with(&desk, &[], ("PUT", "/api/document"), &back).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    page.event("saved").await;
    assert_eq!(desk.text(), text);
    let append = change("Researcher", &json!({ "kind": "append", "content": "And on." }));
    assert_eq!(with(&desk, &[], SECTION, &append).await.status, 200);
    assert!(desk.text().contains("Ship it again.") && desk.text().contains("And on."), "{}", desk.text());
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_hear_that_two_changed_the_same_words_and_in_which_section() {
    let desk = Desk::open().await;
    let mut page = Page::open(&desk, 5, "").await.unwrap();
    page.event("hello").await;
    let write =
        json!({ "path": "plan.md", "text": TEXT.replace("Ship it.", "Ship it on Monday.") }).to_string();
    assert_eq!(with(&desk, &[("if-match", "\"0\"")], ("PUT", "/api/document"), &write).await.status, 200);
    let away = TEXT.replace("Ship it.", "Ship it on Sunday.");
    let rebase = json!({ "path": "plan.md", "name": "anna", "base": TEXT, "text": away }).to_string();
    assert_eq!(with(&desk, &[], ("POST", "/api/rebase"), &rebase).await.status, 200);
    let clashed = page.event("clashed").await;
    assert_eq!((&clashed["section"], &clashed["both"]), (&json!("Plan"), &json!(true)));
    assert!(clashed["ours"].as_str().unwrap().contains("Monday"), "{clashed}");
    assert!(clashed["theirs"].as_str().unwrap().contains("Sunday"), "{clashed}");
    desk.close().await;
}
