//! Comments on passages, and images beside documents, as pages get them.

use serde_json::{Value, json};

use crate::desk::{Answer, Desk, TEXT};
use crate::live::Page;

async fn say(desk: &Desk, request: &str, change: Value) -> Answer {
    let body = json!({ "path": "plan.md", "name": "Anna", "change": change }).to_string();
    let headers = [("idempotency-key", request)];
    desk.ask_as(&desk.token, &headers, ("POST", "/api/comments"), &body).await
}

fn add(start: usize, quote: &str) -> Value {
    json!({ "kind": "add", "start": start, "quote": quote, "text": "Why?" })
}

/// The first comment that a page hears of.
async fn first(page: &mut Page) -> Value {
    page.event("comments").await["comments"][0].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_comment_stands_beside_the_text_and_moves_with_its_words() {
    let desk = Desk::open().await;
    let mut page = Page::open(&desk, 5, "").await.unwrap();
    page.event("hello").await;
    // The page saw the words a little elsewhere than they are.
    assert_eq!(say(&desk, "a", add(2, "Ship it")).await.status, 200);
    let comment = first(&mut page).await;
    assert_eq!((comment["start"].as_u64(), comment["end"].as_u64()), (Some(8), Some(15)));
    assert_eq!(comment["remarks"][0]["author"], "Anna");
    assert_eq!(desk.text(), TEXT);
    let body = json!({ "path": "plan.md", "text": format!("😀 Above.\n\n{TEXT}") }).to_string();
    let headers = [("if-match", "\"0\"")];
    let answer = desk.ask_as(&desk.token, &headers, ("PUT", "/api/document"), &body).await;
    assert_eq!(answer.status, 200, "{}", answer.body);
    let mut later = Page::open(&desk, 6, "").await.unwrap();
    let comment = first(&mut later).await;
    // Counted as a page counts: the sign is two.
    assert_eq!((comment["start"].as_u64(), comment["gone"].as_bool()), (Some(19), Some(false)));
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_comment_is_answered_resolved_and_taken_away_and_each_request_is_done_once() {
    let desk = Desk::open().await;
    let mut page = Page::open(&desk, 5, "").await.unwrap();
    page.event("hello").await;
    for _ in 0..2 {
        assert_eq!(say(&desk, "a", add(8, "Ship it")).await.status, 200);
    }
    let id = first(&mut page).await["id"].clone();
    for _ in 0..2 {
        let reply = json!({ "kind": "reply", "id": id, "text": "Because." });
        assert_eq!(say(&desk, "b", reply).await.status, 200);
    }
    assert_eq!(say(&desk, "c", json!({ "kind": "resolve", "id": id, "resolved": true })).await.status, 200);
    let mut later = Page::open(&desk, 6, "").await.unwrap();
    let event = later.event("comments").await;
    assert_eq!(event["comments"].as_array().unwrap().len(), 1);
    let comment = &event["comments"][0];
    let said: Vec<&Value> = comment["remarks"].as_array().unwrap().iter().map(|one| &one["text"]).collect();
    assert_eq!((said, comment["resolved"].as_bool()), (vec![&json!("Why?"), &json!("Because.")], Some(true)));
    assert_eq!(say(&desk, "d", json!({ "kind": "remove", "id": id })).await.status, 200);
    assert_eq!(later.event("comments").await["comments"], json!([]));
    assert_eq!(desk.text(), TEXT);
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn comments_that_are_none_are_refused() {
    let desk = Desk::open().await;
    let long = "x".repeat(20_000);
    let cases = [
        (add(0, "not there"), 422),
        (add(0, "  "), 422),
        (add(usize::MAX >> 12, "Ship it"), 200),
        (json!({ "kind": "add", "start": 0, "quote": "Ship it", "text": " " }), 422),
        (json!({ "kind": "add", "start": 0, "quote": "Ship it", "text": long }), 422),
        (json!({ "kind": "add", "start": -1, "quote": "Ship it", "text": "x" }), 422),
        (json!({ "kind": "reply", "id": "none", "text": "x" }), 404),
        (json!({ "kind": "remove", "id": "none" }), 404),
    ];
    for (number, (change, status)) in cases.into_iter().enumerate() {
        let answer = say(&desk, &number.to_string(), change).await;
        assert_eq!(answer.status, status, "case {number}: {}", answer.body);
    }
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn pi_2_images_come_from_beside_the_document_and_nothing_else_does() {
    let desk = Desk::open().await;
    let root = desk.file().parent().unwrap().to_owned();
    let png = b"\x89PNG\r\n\x1a\nrest";
    let outside = tempfile::tempdir().unwrap();
    std::fs::write(outside.path().join("out.png"), png).unwrap();
    for folder in ["pictures", "notes", ".hidden"] {
        std::fs::create_dir_all(root.join(folder)).unwrap();
        std::fs::write(root.join(folder).join("a.png"), png).unwrap();
    }
    std::fs::write(root.join("notes/n.md"), "# N\n").unwrap();
    std::fs::write(root.join("fake.png"), "<script>").unwrap();
    std::fs::write(root.join("drawing.svg"), "<svg onload=a()>").unwrap();
    std::os::unix::fs::symlink(outside.path().join("out.png"), root.join("link.png")).unwrap();
    for (document, source, status) in [
        ("plan.md", "pictures/a.png", 200),
        ("plan.md", "./pictures/../pictures/a.png", 200),
        ("notes/n.md", "a.png", 200),
        ("notes/n.md", "../pictures/a.png", 404),
        ("notes/n.md", "../pictures/a.png&elsewhere=true", 200),
        ("notes/n.md", "../../out.png&elsewhere=true", 404),
        ("plan.md", "link.png", 404),
        ("plan.md", "link.png&elsewhere=true", 404),
        ("plan.md", ".hidden/a.png", 404),
        ("plan.md", "fake.png", 404),
        ("plan.md", "drawing.svg", 404),
        ("plan.md", "plan.md", 404),
        ("plan.md", "", 404),
        ("plan.md", "/etc/hostname", 404),
        ("plan.md", "%00", 404),
    ] {
        let path = format!("/api/image?path={document}&source={source}");
        let answer = desk.ask("GET", &path, "").await;
        assert_eq!(answer.status, status, "{path}");
        if status == 200 {
            assert!(answer.head.contains("content-type: image/png"), "{}", answer.head);
            assert!(answer.head.contains("content-disposition: attachment"), "{}", answer.head);
        }
    }
    desk.close().await;
}
