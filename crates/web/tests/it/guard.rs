//! Who is let in: nobody without a secret, no other site even with one, and nobody further than the secret goes.

use std::time::Duration;

use expect_test::expect;
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::timeout;

use crate::desk::{Desk, TEXT};
use crate::live::Page;

/// A request with a host, an origin and a secret.
async fn status(
    desk: &Desk,
    (method, path): (&str, &str),
    host: &str,
    origin: Option<&str>,
    token: Option<&str>,
) -> u16 {
    let origin = origin.map(|origin| format!("origin: {origin}\r\n")).unwrap_or_default();
    let token = token.map(|token| format!("authorization: Bearer {token}\r\n")).unwrap_or_default();
    let kind = "content-type: application/json\r\n";
    let head = format!("{method} {path} HTTP/1.1\r\nhost: {host}\r\n{origin}{token}{kind}");
    desk.send(&head, "").await.status
}

/// Every route of the table, with a name where one is needed.
fn routes() -> Vec<(String, String)> {
    let routes = web::api();
    assert!(routes.len() > 20, "the table of routes is {routes:?}");
    routes.into_iter().map(|(method, path)| (method, path.replace("{id}", "some"))).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn sv_1_only_the_own_names_of_the_server_are_answered() {
    let desk = Desk::open().await;
    let (port, token) = (desk.port, desk.token.clone());
    let home = ("GET", "/api/home");
    for host in [format!("127.0.0.1:{port}"), format!("localhost:{port}"), format!("[::1]:{port}")] {
        assert_eq!(status(&desk, home, &host, None, Some(&token)).await, 200, "{host}");
    }
    let strange = [
        "evil.example",
        "127.0.0.1",
        "localhost",
        "127.0.0.1:1",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "0.0.0.0",
        "[::]",
        "LOCALHOST",
        "localhost.",
        "2130706433",
        "127.1",
        "0x7f.1",
        "rebind.example:80",
        "a@127.0.0.1",
        "xn--localhost",
        "",
    ];
    for host in strange {
        for target in [home, ("GET", "/"), ("GET", "/ws"), ("GET", "/ws/runs")] {
            assert_eq!(status(&desk, target, host, None, Some(&token)).await, 403, "{host} {target:?}");
        }
        assert_eq!(
            status(&desk, home, &format!("{host}x:{port}"), None, Some(&token)).await,
            403,
            "{host}x:{port}"
        );
    }
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sv_1_a_server_that_is_called_by_two_names_is_called_by_none() {
    let desk = Desk::open().await;
    let (host, token) = (desk.host(), desk.token.clone());
    let heads = [
        format!("GET /api/home HTTP/1.1\r\nhost: {host}\r\nhost: evil.example\r\n"),
        format!("GET http://evil.example/api/home HTTP/1.1\r\nhost: {host}\r\n"),
        format!("GET http://{host}/api/home HTTP/1.1\r\nhost: evil.example\r\n"),
        "GET /api/home HTTP/1.1\r\n".to_owned(),
    ];
    for head in heads {
        let answer = desk.send(&format!("{head}authorization: Bearer {token}\r\n"), "").await;
        assert!(matches!(answer.status, 400 | 403), "{head}: {}", answer.status);
    }
    let own =
        format!("GET http://{host}/api/home HTTP/1.1\r\nhost: {host}\r\nauthorization: Bearer {token}\r\n");
    assert_eq!(desk.send(&own, "").await.status, 200);
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sv_2_no_other_site_may_ask_even_with_the_secret() {
    let desk = Desk::open().await;
    let (port, host, token) = (desk.port, desk.host(), desk.token.clone());
    let own = format!("http://{host}");
    assert_eq!(status(&desk, ("GET", "/api/home"), &host, Some(&own), Some(&token)).await, 200);
    let foreign = [
        "null".to_owned(),
        "http://evil.example".to_owned(),
        format!("http://localhost:{}", port.wrapping_add(1)),
        format!("https://{host}"),
        "http://127.0.0.1.evil.example".to_owned(),
        format!("http://{host}.evil.example"),
        "http://127.0.0.1".to_owned(),
    ];
    for origin in &foreign {
        for (method, path) in routes() {
            let target = (method.as_str(), path.as_str());
            assert_eq!(
                status(&desk, target, &host, Some(origin), Some(&token)).await,
                403,
                "{origin} {target:?}"
            );
        }
    }
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sv_3_every_route_wants_a_secret() {
    let desk = Desk::open().await;
    let (host, token) = (desk.host(), desk.token.clone());
    let cut = &token[..token.len() - 1];
    let long = format!("{token}0");
    let wrong = "0".repeat(token.len());
    let more =
        [("POST", "/"), ("POST", "/write"), ("GET", "/api/none"), ("GET", "/api"), ("GET", "/ws/none")];
    let more = more.map(|(method, path)| (method.to_owned(), path.to_owned()));
    for (method, path) in routes().into_iter().chain(more) {
        let target = (method.as_str(), path.as_str());
        for given in [None, Some(""), Some(cut), Some(long.as_str()), Some(wrong.as_str()), Some("Bearer")] {
            assert_eq!(status(&desk, target, &host, None, given).await, 401, "{target:?} {given:?}");
        }
    }
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sv_4_what_a_form_of_another_site_can_send_changes_nothing() {
    let desk = Desk::open().await;
    let (host, token) = (desk.host(), desk.token.clone());
    let call = json!({ "path": "plan.md", "section": "Researcher", "change": { "kind": "append", "content": "Harm." } });
    let kinds = ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""];
    for kind in kinds {
        let head = format!("POST /api/section HTTP/1.1\r\nhost: {host}\r\ncontent-type: {kind}\r\n");
        // As a browser sends it for another site: without the secret, which it does not know.
        let foreign = format!("{head}origin: http://evil.example\r\n");
        assert_eq!(desk.send(&foreign, &call.to_string()).await.status, 403, "{kind}");
        // Even one who knows the secret has to say that it is JSON.
        let known = format!("{head}authorization: Bearer {token}\r\n");
        assert_eq!(desk.send(&known, &call.to_string()).await.status, 415, "{kind}");
    }
    assert_eq!(desk.text(), TEXT);
    let preflight = format!(
        "OPTIONS /api/section HTTP/1.1\r\nhost: {host}\r\norigin: http://evil.example\r\naccess-control-request-method: POST\r\n"
    );
    let answer = desk.send(&preflight, "").await;
    assert!(answer.status == 403 && !answer.head.contains("access-control"), "{}", answer.head);
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sv_5_the_page_may_do_nothing_that_it_does_not_need() {
    let desk = Desk::open().await;
    let answer = desk.send(&format!("GET / HTTP/1.1\r\nhost: {}\r\n", desk.host()), "").await;
    let nonce = answer.head.split("'nonce-").nth(1).unwrap().split('\'').next().unwrap().to_owned();
    assert!(answer.body.contains(&nonce), "the page does not know its nonce");
    assert!(!answer.head.contains("access-control"));
    let mut lines: Vec<String> =
        answer.head.replace(&nonce, "NONCE").lines().skip(1).map(str::to_owned).collect();
    lines.retain(|line| !line.starts_with("date:") && !line.starts_with("content-length:"));
    lines.sort();
    expect![[r#"
        cache-control: no-store
        connection: close
        content-security-policy: default-src 'none'; script-src 'self'; style-src 'self' 'nonce-NONCE'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types dompurify
        content-type: text/html; charset=utf-8
        cross-origin-opener-policy: same-origin
        cross-origin-resource-policy: same-origin
        permissions-policy: camera=(), microphone=(), geolocation=()
        referrer-policy: no-referrer
        x-content-type-options: nosniff
        x-frame-options: deny"#]]
    .assert_eq(&lines.join("\n"));
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sv_6_one_who_may_read_changes_nothing() {
    let desk = Desk::open().await;
    let reader = key(&desk, json!({ "kind": "reader" })).await;
    for path in ["/api/home", "/api/document?path=plan.md", "/api/history?path=plan.md"] {
        assert_eq!(desk.ask_as(&reader, &[], ("GET", path), "").await.status, 200, "{path}");
    }
    for (method, path) in routes().into_iter().filter(|(method, _)| method != "GET") {
        let answer = desk.ask_as(&reader, &[], (&method, &path), "{}").await;
        assert_eq!(answer.status, 403, "{method} {path}");
    }
    let mut page = Page::open_with(&desk, &reader, 6, "").await.unwrap();
    let hello = page.event("hello").await;
    assert_eq!(hello["writes"], false);
    page.send(crate::live::typing(6, "Harm. ")).await;
    assert_eq!(page.closed().await, 4403);
    assert_eq!(desk.text(), TEXT);
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sv_6_a_worker_writes_in_its_own_section_whatever_it_says_it_is() {
    let desk = Desk::open().await;
    std::fs::write(desk.file(), format!("{TEXT}\n## Terminal\n<!-- proposal -->\n")).unwrap();
    let worker = key(&desk, json!({ "kind": "worker", "name": "Researcher" })).await;
    let append = |section: &str| json!({ "path": "plan.md", "section": section, "change": { "kind": "append", "content": "Found." } });
    let post = ("POST", "/api/section");
    let claimed = |section: &str, writer: &str| {
        let mut call = append(section);
        call["writer"] = writer.into();
        call.to_string()
    };
    assert_eq!(desk.ask_as(&worker, &[], post, &claimed("Terminal", "Terminal")).await.status, 422);
    assert_eq!(desk.ask_as(&worker, &[], post, &claimed("Plan", "conductor")).await.status, 422);
    assert_eq!(desk.ask_as(&worker, &[], post, &append("Terminal").to_string()).await.status, 403);
    assert_eq!(desk.ask_as(&worker, &[], post, &append("Researcher").to_string()).await.status, 200);
    let text = desk.text();
    assert!(text.contains("<!-- proposal -->\nFound.\n\n## Terminal"), "{text}");
    for (method, path) in
        [("GET", "/api/home"), ("POST", "/api/keys"), ("POST", "/api/restore"), ("GET", "/ws")]
    {
        let answer = desk.ask_as(&worker, &[], (method, path), "{}").await;
        assert!(matches!(answer.status, 401 | 403), "{method} {path}: {}", answer.status);
    }
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sv_7_when_the_secrets_are_made_anew_the_old_ones_end_at_once() {
    let desk = Desk::open().await;
    let reader = key(&desk, json!({ "kind": "reader" })).await;
    assert_eq!(desk.kept.lock().unwrap().len(), 2);
    let mut page = Page::open(&desk, 5, "").await.unwrap();
    let mut guest = Page::open_with(&desk, &reader, 6, "").await.unwrap();
    page.event("hello").await;
    guest.event("hello").await;
    let renewed = desk.ask("POST", "/api/keys/renew", "{}").await.json();
    let ended = async { (page.closed().await, guest.closed().await) };
    assert_eq!(timeout(Duration::from_secs(1), ended).await.unwrap(), (4401, 4401));
    for old in [&desk.token, &reader] {
        assert_eq!(desk.ask_as(old, &[], ("GET", "/api/home"), "").await.status, 401);
    }
    let new = renewed["token"].as_str().unwrap();
    assert_eq!(desk.ask_as(new, &[], ("GET", "/api/home"), "").await.status, 200);
    let kept = desk.kept.lock().unwrap().clone();
    assert_eq!(kept.iter().map(|key| key.token.secret()).collect::<Vec<_>>(), [new]);
    desk.close().await;
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn sv_8_nothing_is_listened_on_but_the_loopback_address() {
    let desk = Desk::open().await;
    let port = format!(":{:04X} ", desk.port);
    let table = |name: &str| std::fs::read_to_string(format!("/proc/self/net/{name}")).unwrap_or_default();
    let both = table("tcp") + &table("tcp6");
    // The second column is the own address, the fourth the state; 0A is one who listens.
    let listening: Vec<&str> = both
        .lines()
        .filter(|line| line.split_whitespace().nth(3) == Some("0A"))
        .filter(|line| line.split_whitespace().nth(1).is_some_and(|own| format!("{own} ").ends_with(&port)))
        .collect();
    assert_eq!(listening.len(), 1, "{listening:?}");
    assert!(listening[0].contains(&format!("0100007F{port}")), "{listening:?}");
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sv_10_many_who_say_nothing_keep_nobody_out() {
    let desk = Desk::open().await;
    let mut page = Page::open(&desk, 5, "").await.unwrap();
    page.event("hello").await;
    let mut silent = Vec::new();
    for _ in 0..320 {
        silent.push(desk.connect().await);
    }
    assert_eq!(desk.ask("GET", "/api/document?path=plan.md", "").await.status, 200);
    page.send(crate::live::typing(5, "Still here. ")).await;
    page.event("saved").await;
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn sv_10_ten_thousand_requests_leave_the_others_served() {
    let desk = Desk::open().await;
    let mut page = Page::open(&desk, 5, "").await.unwrap();
    page.event("hello").await;
    let request = format!("GET /api/home HTTP/1.1\r\nhost: {}\r\n\r\n", desk.host());
    let mut flood = tokio::task::JoinSet::new();
    for _ in 0..20 {
        let (mut stream, bytes) = (desk.connect().await, request.repeat(500));
        flood.spawn(async move {
            let (mut answers, mut asking) = stream.split();
            let mut sink = tokio::io::sink();
            // Without the secret each is refused; the connection stays, so all of them are read.
            let read = tokio::io::copy(&mut answers, &mut sink);
            let write = async {
                asking.write_all(bytes.as_bytes()).await.unwrap();
                asking.shutdown().await.unwrap();
            };
            tokio::join!(read, write).0.unwrap()
        });
    }
    page.send(crate::live::typing(5, "Still here. ")).await;
    page.event("saved").await;
    assert_eq!(desk.ask("GET", "/api/document?path=plan.md", "").await.status, 200);
    while let Some(read) = flood.join_next().await {
        assert!(read.unwrap() > 500 * 100);
    }
    desk.close().await;
}

#[tokio::test(start_paused = true)]
async fn sv_10_one_who_never_ends_its_headers_is_let_go() {
    let desk = Desk::open().await;
    let mut stream = desk.connect().await;
    stream
        .write_all(format!("GET / HTTP/1.1\r\nhost: {}\r\nx-slow: ", desk.host()).as_bytes())
        .await
        .unwrap();
    let mut answer = String::new();
    // The clock stands still until nobody has anything to do, and then goes on to the next wait that ends.
    stream.read_to_string(&mut answer).await.unwrap();
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 408"), "{answer}");
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_path_leads_nowhere_but_to_documents() {
    let desk = Desk::open().await;
    for path in ["../secret.md", "/etc/passwd", "%2e%2e/secret.md", "", "."] {
        let answer = desk.ask("GET", &format!("/api/document?path={path}"), "").await;
        assert!(matches!(answer.status, 400 | 404), "{path}: {}", answer.status);
    }
    let answer = desk.ask("GET", "/api/document?path=.agent-doc/server.json", "").await;
    assert_ne!(answer.status, 200, "{}", answer.body);
    desk.close().await;
}

/// A secret for somebody else.
async fn key(desk: &Desk, role: serde_json::Value) -> String {
    let given = desk.ask("POST", "/api/keys", &json!({ "role": role }).to_string()).await;
    assert_eq!(given.status, 200, "{}", given.body);
    given.json()["token"].as_str().unwrap().to_owned()
}
