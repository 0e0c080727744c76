//! Real connections to a server on this machine whose every byte waits for the test.

use agent::model::{Limits, Model as _, ModelError, ModelEvent};
use futures_util::StreamExt as _;
use loopback::Server;
use models::{Endpoint, Http, Key, Protocol, Remote, Timeouts};

use crate::samples::{START, TEXT, anthropic, hello, question, text_delta};
use crate::told::{decoded, error_line, line, told};

pub(crate) const LIMITS: Limits = Limits { context_window: 200_000, output_max: 8192 };
const SECRET: &str = "sk-test-0123456789";
const STREAM: &[(&str, &str)] = &[("content-type", "text/event-stream; charset=utf-8")];

fn variable(protocol: Protocol) -> &'static str {
    match protocol {
        Protocol::Anthropic => "ANTHROPIC_API_KEY",
        Protocol::Chat | Protocol::Responses => "OPENAI_API_KEY",
    }
}

pub(crate) fn model(protocol: Protocol, url: &str) -> Remote {
    let key = Key::new(SECRET, variable(protocol));
    let endpoint = Endpoint::new(protocol, url, Some(key), variable(protocol));
    Remote::new("a-model", endpoint, LIMITS, Http::new(Timeouts::default()).unwrap())
}

/// All that the model says, until its end.
pub(crate) async fn all(remote: &Remote) -> String {
    let mut events = remote.stream(question());
    let mut lines = Vec::new();
    while let Some(item) = events.next().await {
        lines.push(item.as_ref().map_or_else(error_line, line));
    }
    lines.join("\n") + "\n"
}

/// What the model says if the server answers like this.
async fn answered(protocol: Protocol, status: u16, headers: &[(&str, &str)], body: &str) -> String {
    let server = Server::start().await.unwrap();
    let remote = model(protocol, &server.url());
    let serving =
        async { server.accept().await.unwrap().answer(status, headers, body.as_bytes()).await.unwrap() };
    tokio::join!(all(&remote), serving).0
}

#[tokio::test]
async fn a_turn_goes_to_the_right_place_with_the_right_headers() {
    for protocol in Protocol::ALL {
        let server = Server::start().await.unwrap();
        let remote = model(protocol, &server.url());
        let serving = async {
            let mut exchange = server.accept().await.unwrap();
            let (path, header, value) = match protocol {
                Protocol::Anthropic => ("/v1/messages", "x-api-key", SECRET.to_owned()),
                Protocol::Chat => ("/v1/chat/completions", "authorization", format!("Bearer {SECRET}")),
                Protocol::Responses => ("/v1/responses", "authorization", format!("Bearer {SECRET}")),
            };
            assert_eq!(exchange.request.method, "POST");
            assert_eq!(exchange.request.path, path);
            assert_eq!(exchange.request.header(header), value);
            assert_eq!(exchange.request.header("content-type"), "application/json");
            assert_eq!(
                exchange.request.header("anthropic-version").is_empty(),
                protocol != Protocol::Anthropic
            );
            exchange.begin(200, STREAM).await.unwrap();
            // S3: each byte is a write of its own.
            for byte in hello(protocol).bytes() {
                exchange.send(&[byte]).await.unwrap();
            }
            exchange.end().await.unwrap();
        };
        let (said, ()) = tokio::join!(all(&remote), serving);
        assert_eq!(said, told(&decoded(protocol, [hello(protocol).as_bytes()])));
    }
}

// I1: dropping the stream closes the connection, and the server sees it.
#[tokio::test]
async fn an_abort_closes_the_connection() {
    let server = Server::start().await.unwrap();
    let remote = model(Protocol::Anthropic, &server.url());
    let mut events = remote.stream(question());
    let (first, mut exchange) = tokio::join!(events.next(), async {
        let mut exchange = server.accept().await.unwrap();
        exchange.begin(200, STREAM).await.unwrap();
        exchange.send(anthropic(&[START, TEXT, &text_delta("Hel")]).as_bytes()).await.unwrap();
        exchange
    });
    assert!(matches!(first, Some(Ok(ModelEvent::Started { .. }))));
    drop(events);
    exchange.closed().await.unwrap();
}

// S8, R4: a connection that breaks in the middle keeps the text, and may be tried again.
#[tokio::test]
async fn a_connection_that_breaks_is_a_cut() {
    let server = Server::start().await.unwrap();
    let remote = model(Protocol::Anthropic, &server.url());
    let serving = async {
        let mut exchange = server.accept().await.unwrap();
        exchange.begin(200, STREAM).await.unwrap();
        exchange.send(anthropic(&[START, TEXT, &text_delta("Hel")]).as_bytes()).await.unwrap();
        exchange.raw(b"5\r\nda").await.unwrap();
    };
    let (said, ()) = tokio::join!(all(&remote), serving);
    assert!(said.contains("0 + \"Hel\"\n"), "{said}");
    assert!(said.contains("error Retry { after: None, reason: Cut(\"the connection broke: "), "{said}");
}

// R4: nobody listens there.
#[tokio::test]
async fn no_network_is_waited_for() {
    let url = Server::start().await.unwrap().url();
    let said = all(&model(Protocol::Chat, &url)).await;
    assert!(
        said.starts_with("error Retry { after: None, reason: Network(\"cannot reach 127.0.0.1: "),
        "{said}"
    );
    let said = all(&model(Protocol::Chat, "not a url")).await;
    assert_eq!(said, "error Broken(\"the base URL is no web address; write it as https://HOST/PATH\")\n");
}

#[tokio::test]
async fn a_server_that_hangs_up_without_a_word_is_tried_again() {
    let server = Server::start().await.unwrap();
    let remote = model(Protocol::Chat, &server.url());
    let (said, ()) = tokio::join!(all(&remote), async { drop(server.accept().await.unwrap()) });
    assert!(said.starts_with("error Retry { after: None, reason: Network("), "{said}");
}

// R8: the message names the variable and never the key.
#[tokio::test]
async fn a_wrong_key_names_its_variable_and_never_itself() {
    for protocol in Protocol::ALL {
        let body = format!(r#"{{"error":{{"message":"Incorrect API key provided: {SECRET}"}}}}"#);
        let said = answered(protocol, 401, &[], &body).await;
        assert!(said.contains(variable(protocol)) && said.contains("RefusedKey"), "{said}");
        assert!(!said.contains(SECRET));
        // Other errors that repeat the key do not show it either.
        for status in [400, 500] {
            let said = answered(protocol, status, &[], &body).await;
            assert!(!said.contains(SECRET) && said.contains("provided: …"), "{said}");
        }
    }
    let remote = model(Protocol::Anthropic, "http://127.0.0.1:1");
    assert!(!format!("{remote:?}").contains(SECRET));
    let bad = Key::new("two\nlines", "OPENAI_API_KEY");
    let endpoint = Endpoint::new(Protocol::Chat, "http://127.0.0.1:1", Some(bad), "OPENAI_API_KEY");
    let remote = Remote::new("a-model", endpoint, LIMITS, Http::new(Timeouts::default()).unwrap());
    assert_eq!(
        all(&remote).await,
        "error Broken(\"the key in OPENAI_API_KEY holds a character that no key has; set it again\")\n"
    );
}

// R1, R2, R3, R7
#[tokio::test]
async fn statuses_and_headers_decide() {
    let overloaded = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    for (status, headers, expected) in [
        (
            529,
            &[][..],
            "Retry { after: None, reason: Provider(\"HTTP 529: Overloaded (overloaded_error)\") }",
        ),
        (429, &[("retry-after", "7")], "Retry { after: Some(7s), "),
        (429, &[("retry-after-ms", "250"), ("retry-after", "7")], "Retry { after: Some(250ms), "),
        (500, &[], "Retry { after: None, "),
        (500, &[("x-should-retry", "false")], "Rejected { "),
        (404, &[], "Rejected { "),
        (
            302,
            &[("location", "http://127.0.0.1:1/")],
            "Rejected { message: \"HTTP 302: the address leads elsewhere",
        ),
        (413, &[], "TooLong"),
    ] {
        let said = answered(Protocol::Anthropic, status, headers, overloaded).await;
        assert!(said.starts_with(&format!("error {expected}")), "{status}: {said}");
    }
}

#[tokio::test]
async fn an_endless_refusal_is_read_only_so_far() {
    let server = Server::start().await.unwrap();
    let remote = model(Protocol::Anthropic, &server.url());
    let serving = async {
        let mut exchange = server.accept().await.unwrap();
        exchange.begin(400, &[]).await.unwrap();
        let mut sent = 0;
        // The client hangs up long before.
        while sent < 100_000_000 && exchange.send(&[b'x'; 16 * 1024]).await.is_ok() {
            sent += 16 * 1024;
        }
        sent
    };
    let (said, sent) = tokio::join!(all(&remote), serving);
    assert!(said.len() < 2000 && said.starts_with("error Rejected"), "{}", said.len());
    assert!(sent < 100_000_000);
}

#[tokio::test]
async fn a_page_instead_of_a_stream_is_told() {
    let said = answered(Protocol::Chat, 200, &[("content-type", "text/html")], "<html>Log in</html>").await;
    assert_eq!(
        said,
        "error Broken(\"the server answered with a page and not with a stream; look at the base URL\")\n"
    );
    let error = r#"{"error":{"message":"busy","code":503}}"#;
    let said = answered(Protocol::Chat, 200, &[("content-type", "application/json")], error).await;
    assert_eq!(said, "error Retry { after: None, reason: Provider(\"busy (503)\") }\n");
}

#[tokio::test]
async fn base_urls_are_taken_as_people_write_them() {
    for (protocol, given, expected) in [
        (Protocol::Anthropic, "https://api.anthropic.com", "https://api.anthropic.com/v1/messages"),
        (Protocol::Anthropic, "https://api.anthropic.com/v1/", "https://api.anthropic.com/v1/messages"),
        (Protocol::Chat, "http://localhost:11434", "http://localhost:11434/v1/chat/completions"),
        (Protocol::Chat, "http://localhost:11434/v1/", "http://localhost:11434/v1/chat/completions"),
        (Protocol::Chat, "https://openrouter.ai/api/v1", "https://openrouter.ai/api/v1/chat/completions"),
        (Protocol::Responses, "https://api.openai.com/v1", "https://api.openai.com/v1/responses"),
    ] {
        assert_eq!(Endpoint::new(protocol, given, None, "").url(), expected);
    }
}

#[tokio::test]
async fn a_missing_key_is_not_sent_and_the_refusal_says_where_it_belongs() {
    let server = Server::start().await.unwrap();
    let endpoint = Endpoint::new(Protocol::Chat, &server.url(), None, "OPENAI_API_KEY");
    let remote = Remote::new("a-model", endpoint, LIMITS, Http::new(Timeouts::default()).unwrap());
    let serving = async {
        let exchange = server.accept().await.unwrap();
        assert_eq!(exchange.request.header("authorization"), "");
        exchange.answer(401, &[], b"").await.unwrap();
    };
    let mut events = remote.stream(question());
    let (said, ()) = tokio::join!(events.next(), serving);
    let error = said.unwrap().unwrap_err();
    assert!(
        matches!(&error, ModelError::RefusedKey { variable, .. } if variable == "OPENAI_API_KEY"),
        "{error:?}"
    );
}

#[test]
fn nothing_that_holds_a_key_shows_it_to_a_debugger_or_in_a_panic() {
    for protocol in [Protocol::Anthropic, Protocol::Chat, Protocol::Responses] {
        let key = Key::new(SECRET, variable(protocol));
        let endpoint = Endpoint::new(protocol, "http://127.0.0.1:1", Some(key.clone()), variable(protocol));
        let remote = model(protocol, "http://127.0.0.1:1");
        let shown = format!("{key:?} {endpoint:?} {remote:?} {remote:#?}");
        assert!(!shown.contains(SECRET) && shown.contains("Key(from "), "{shown}");
        let panic = std::panic::catch_unwind(|| panic!("{endpoint:?}")).unwrap_err();
        let words = panic.downcast_ref::<String>().unwrap();
        assert!(!words.contains(SECRET) && words.contains("Key(from "), "{words}");
    }
}
