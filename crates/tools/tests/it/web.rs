//! Pages and searches, from servers of this test. Never leaves loopback.

use std::net::SocketAddr;
use std::sync::{Arc, Mutex};

use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;
use tools::tool::{WebFetch, WebSearch};
use tools::web::{Key, Provider, Web};

use crate::desk::Desk;

/// A server that gives each path its answer and notes what it was asked.
struct Server {
    address: SocketAddr,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Server {
    async fn start(answers: &'static [(&'static str, &'static str)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let noted = asked.clone();
        tokio::spawn(async move {
            while let Ok((mut socket, _)) = listener.accept().await {
                let mut request = vec![0; 16_384];
                let length = socket.read(&mut request).await.unwrap_or_default();
                let request = String::from_utf8_lossy(&request[..length]).into_owned();
                let path = request.split(' ').nth(1).unwrap_or_default().to_owned();
                let path = path.split('?').next().unwrap_or_default().to_owned();
                noted.lock().unwrap().push(request);
                let Some((_, answer)) = answers.iter().find(|(known, _)| *known == path) else {
                    std::future::pending::<()>().await;
                    return;
                };
                socket.write_all(answer.replace('\n', "\r\n").as_bytes()).await.ok();
            }
        });
        Self { address, asked }
    }

    fn url(&self, path: &str) -> String {
        format!("http://{}{path}", self.address)
    }
}

const PAGES: &[(&str, &str)] = &[
    (
        "/page",
        "HTTP/1.1 200 OK\nContent-Type: text/html; charset=utf-8\nConnection: close\n\n<h1>Hello</h1><script>no()</script><p>words</p>",
    ),
    (
        "/text",
        "HTTP/1.1 200 OK\nContent-Type: text/plain\nConnection: close\n\nplain\u{1b}[31m words\u{202e}",
    ),
    ("/image", "HTTP/1.1 200 OK\nContent-Type: image/png\nConnection: close\n\nxxxx"),
    ("/gone", "HTTP/1.1 404 Not Found\nContent-Type: text/plain\nConnection: close\n\nnothing here"),
    ("/here", "HTTP/1.1 302 Found\nLocation: /text\nConnection: close\n\n"),
    ("/round", "HTTP/1.1 302 Found\nLocation: /round\nConnection: close\n\n"),
    ("/away", "HTTP/1.1 302 Found\nLocation: http://169.254.169.254/latest\nConnection: close\n\n"),
    ("/file", "HTTP/1.1 302 Found\nLocation: file:///etc/passwd\nConnection: close\n\n"),
];

#[tokio::test]
async fn a_page_is_read_as_markdown() {
    let (desk, server) = (Desk::new(), Server::start(PAGES).await);
    let fetch = WebFetch::new(Web::new([server.address]));
    let page = |path: &str| json!({ "url": server.url(path) });
    let said = desk.run(&fetch, page("/page")).await.ok();
    assert_eq!(said, format!("[{} answered 200 with text/html]\n\n# Hello\n\nwords", server.url("/page")));
    let said = desk.run(&fetch, page("/text")).await.ok();
    assert!(said.ends_with("\n\nplain words<U+202E>"), "{said}");
    let said = desk.run(&fetch, page("/here")).await.ok();
    assert!(said.contains("/text answered 200"), "{said}");
    assert!(desk.run(&fetch, page("/gone")).await.failed().contains("answered 404"));
    assert!(desk.run(&fetch, page("/image")).await.failed().contains("is image/png and no text"));
    assert!(desk.run(&fetch, page("/round")).await.failed().contains("more than 5 redirections"));
    let away = desk.run(&fetch, page("/away")).await.failed();
    assert!(away.contains("leads to http://169.254.169.254/latest on another host"), "{away}");
    assert!(desk.run(&fetch, page("/file")).await.is_error);
}

#[tokio::test]
async fn what_is_not_public_is_not_reached() {
    let (desk, server) = (Desk::new(), Server::start(PAGES).await);
    let fetch = WebFetch::new(Web::default());
    let port = server.address.port();
    for host in [
        "127.0.0.1",
        "localhost",
        "2130706433",
        "0x7f.1",
        "[::ffff:127.0.0.1]",
        "[::1]",
        "0.0.0.0",
        "127.1",
        "169.254.169.254",
    ] {
        let said = desk.run(&fetch, json!({ "url": format!("http://{host}:{port}/page") })).await.failed();
        assert!(said.contains("not a public address") || said.contains("cannot be found"), "{host}: {said}");
    }
    assert_eq!(server.asked.lock().unwrap().len(), 0);
}

#[tokio::test]
async fn an_address_that_is_none_of_the_web_is_refused() {
    let desk = Desk::new();
    for (url, why) in [
        ("file:///etc/passwd", "file is not loaded"),
        ("ftp://example.com/", "ftp is not loaded"),
        ("javascript:alert(1)", "javascript is not loaded"),
        ("example.com", "relative URL without a base"),
        ("https://docs.rs@evil.example/", "holds a name or a password"),
        ("https://", "empty host"),
    ] {
        let said = desk.call("WebFetch", json!({ "url": url })).await.failed();
        assert!(said.starts_with("InputValidationError: `url`: ") && said.contains(why), "{url}: {said}");
    }
}

#[tokio::test]
async fn the_host_that_is_asked_about_is_the_host_that_is_reached() {
    let desk = Desk::new();
    let fetch = desk.tool("WebFetch");
    for (url, host) in [
        ("https://docs.rs.evil.example/x", "docs.rs.evil.example"),
        ("https://DOCS.RS/", "docs.rs"),
        ("https://раураl.example/", "xn--l-7sba6dbr.example"),
        ("http://0x7f000001/", "127.0.0.1"),
        ("https://evil.example\\@docs.rs/", "evil.example"),
    ] {
        let permit = desk.permit(&*fetch, &json!({ "url": url }).to_string()).await.unwrap();
        assert_eq!(permit.claim().domains, [host], "{url}");
    }
}

#[tokio::test]
async fn a_page_that_does_not_come_can_be_stopped() {
    let (desk, server) = (Desk::new(), Server::start(PAGES).await);
    let fetch = WebFetch::new(Web::new([server.address]));
    let abort = async {
        while server.asked.lock().unwrap().is_empty() {
            tokio::task::yield_now().await;
        }
        desk.controller.abort();
    };
    let (said, ()) = tokio::join!(desk.run(&fetch, json!({ "url": server.url("/never") })), abort);
    assert_eq!(said.failed(), "[Interrupted by user]");
}

const ANSWERS: &[(&str, &str)] = &[
    (
        "/search",
        "HTTP/1.1 200 OK\nContent-Type: application/json\nConnection: close\n\n{\"results\": [{\"title\": \"One\", \"url\": \"https://a.example/1\", \"content\": \"first\"}, {\"title\": \"Two\", \"url\": \"https://b.example/2\", \"content\": \"second\"}, {\"url\": 5}]}",
    ),
    (
        "/brave",
        "HTTP/1.1 200 OK\nConnection: close\n\n{\"web\": {\"results\": [{\"title\": \"Three\", \"url\": \"https://sub.c.example/\", \"description\": \"third\"}]}}",
    ),
    ("/html/search", "HTTP/1.1 200 OK\nConnection: close\n\n<html>"),
    ("/denied", "HTTP/1.1 401 Unauthorized\nConnection: close\n\n"),
];

#[tokio::test]
async fn a_search_goes_to_the_service_that_the_person_chose() {
    let (desk, server) = (Desk::new(), Server::start(ANSWERS).await);
    let url = |path: &str| server.url(path).parse().unwrap();
    let key = || Key::new("sk-canary".to_owned());
    let query = json!({ "query": "words & more" });
    let searx = WebSearch::new(Provider::SearXng { endpoint: url("/") });
    let said = desk.run(&searx, query.clone()).await.ok();
    assert_eq!(said, "One\nhttps://a.example/1\nfirst\n\nTwo\nhttps://b.example/2\nsecond\n\n");
    assert!(server.asked.lock().unwrap()[0].starts_with("GET /search?q=words+%26+more&format=json "));
    let said = desk.run(&searx, json!({ "query": "x", "blocked_domains": ["a.example"] })).await.ok();
    assert!(said.starts_with("Two"), "{said}");
    let brave = WebSearch::new(Provider::Brave { endpoint: url("/brave"), key: key() });
    assert!(
        desk.run(&brave, json!({ "query": "x", "allowed_domains": ["c.example"] }))
            .await
            .ok()
            .starts_with("Three")
    );
    assert!(
        desk.run(&brave, json!({ "query": "x", "allowed_domains": ["b.c.example"] }))
            .await
            .ok()
            .starts_with("nothing was found")
    );
    let tavily = WebSearch::new(Provider::Tavily { endpoint: url("/search"), key: key() });
    assert!(desk.run(&tavily, query.clone()).await.ok().starts_with("One"));
    let denied = WebSearch::new(Provider::Tavily { endpoint: url("/denied"), key: key() });
    let said = desk.run(&denied, query.clone()).await.failed();
    assert!(said.contains("401") && !said.contains("canary"), "{said}");
    let html = WebSearch::new(Provider::SearXng { endpoint: url("/html/") });
    assert!(desk.run(&html, query.clone()).await.is_error);
    assert!(!format!("{:?}", Provider::Brave { endpoint: url("/"), key: key() }).contains("canary"));
}

/// Looks a name up, or fetches a page under it, and says how often the file of names was opened for that.
fn lookups(what: &str, address: SocketAddr) -> usize {
    let folder = tempfile::tempdir().unwrap();
    let trace = folder.path().join("trace");
    let output = std::process::Command::new("strace")
        .args(["-f", "-qq", "-e", "trace=openat,open", "-o"])
        .arg(&trace)
        .arg(std::env::current_exe().unwrap())
        .args(["--exact", "web::child_asks_for_a_name"])
        .env("TOOLS_TEST_NAME", what)
        .env("TOOLS_TEST_ADDRESS", address.to_string())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    std::fs::read_to_string(trace).unwrap().matches("\"/etc/hosts\"").count()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_name_is_looked_up_once_so_what_was_checked_is_what_is_reached() {
    let server = Server::start(PAGES).await;
    let address = server.address;
    let count = |what: &'static str| tokio::task::spawn_blocking(move || lookups(what, address));
    let (bare, fetched) = (count("look up").await.unwrap(), count("fetch").await.unwrap());
    assert!(bare > 0);
    assert_eq!(fetched, bare);
    assert_eq!(server.asked.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn child_asks_for_a_name() {
    let Ok(what) = std::env::var("TOOLS_TEST_NAME") else { return };
    let address: SocketAddr = std::env::var("TOOLS_TEST_ADDRESS").unwrap().parse().unwrap();
    if what == "look up" {
        assert!(tokio::net::lookup_host(("localhost", address.port())).await.unwrap().count() > 0);
        return;
    }
    let both = [address, SocketAddr::new(std::net::Ipv6Addr::LOCALHOST.into(), address.port())];
    let url = format!("http://localhost:{}/text", address.port());
    Desk::new().run(&WebFetch::new(Web::new(both)), json!({ "url": url })).await.ok();
}
