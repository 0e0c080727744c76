//! Who is let in: nobody without the secret, and no other site even with it.

use expect_test::expect;

use crate::desk::Desk;

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

#[tokio::test(flavor = "multi_thread")]
async fn only_the_own_names_of_the_server_are_answered() {
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
        for target in [home, ("GET", "/"), ("GET", "/ws")] {
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
async fn no_other_site_may_ask_even_with_the_secret() {
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
        for target in web::API.into_iter().chain([("GET", "/ws")]) {
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
async fn every_route_wants_the_secret() {
    let desk = Desk::open().await;
    let (host, token) = (desk.host(), desk.token.clone());
    let cut = &token[..token.len() - 1];
    let wrong = "0".repeat(token.len());
    for target in
        web::API.into_iter().chain([("GET", "/ws"), ("POST", "/"), ("POST", "/write"), ("GET", "/api/none")])
    {
        for given in [None, Some(""), Some(cut), Some(wrong.as_str()), Some("Bearer")] {
            assert_eq!(status(&desk, target, &host, None, given).await, 401, "{target:?} {given:?}");
        }
    }
    desk.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_page_may_do_nothing_that_it_does_not_need() {
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
        content-security-policy: default-src 'none'; script-src 'self'; style-src 'self' 'nonce-NONCE'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types dompurify
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
