//! Guests who come over HTTP, and some who should not.

use join::{Listening, serve_http};
use reqwest::{Client, RequestBuilder, Response, StatusCode};
use serde_json::{Value, json};
use workspace::token::Token;

use crate::study::{PLAN, Study};

const VERSION: &str = "2026-07-28";

struct House {
    study: Study,
    url: String,
    token: Token,
    client: Client,
}

impl House {
    async fn open() -> House {
        // Somebody else in this process may have been first.
        drop(rustls::crypto::ring::default_provider().install_default());
        let study = Study::new();
        let listening = Listening::on(0).await.unwrap();
        let (url, token) = (listening.url(), Token::random().unwrap());
        let serving = serve_http(listening, study.door(None), token.clone(), std::future::pending());
        tokio::spawn(serving);
        House { study, url, token, client: Client::builder().no_proxy().build().unwrap() }
    }

    /// One call without a handshake, which appends a line.
    fn call(&self, line: &str) -> RequestBuilder {
        let meta = json!({
            "io.modelcontextprotocol/protocolVersion": VERSION,
            "io.modelcontextprotocol/clientInfo": { "name": "Visitor", "version": "1" },
            "io.modelcontextprotocol/clientCapabilities": {},
        });
        let params = json!({ "name": "append_section", "arguments": { "content": line }, "_meta": meta });
        let body = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        let post = self.client.post(&self.url).header("accept", "application/json, text/event-stream");
        let post = post.header("mcp-protocol-version", VERSION).header("mcp-method", "tools/call");
        post.header("mcp-name", "append_section")
            .header("content-type", "application/json")
            .body(body.to_string())
    }

    async fn refused(&self, request: RequestBuilder) -> StatusCode {
        let status = request.send().await.unwrap().status();
        assert_eq!(self.study.text(), PLAN);
        status
    }
}

/// The message in an answer, plain or as an event.
async fn message(response: Response) -> Value {
    let text = response.text().await.unwrap();
    let data =
        text.lines().filter_map(|line| line.strip_prefix("data:")).map(str::trim).find(|data| data.len() > 2);
    serde_json::from_str(data.unwrap_or(&text)).unwrap_or_else(|_| panic!("{text}"))
}

#[tokio::test]
async fn one_who_knows_the_token_writes_without_a_handshake() {
    let house = House::open().await;
    let answer = house.call("Over the wire.").bearer_auth(house.token.secret()).send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    let answer = message(answer).await;
    assert_eq!(answer["result"]["isError"], false, "{answer}");
    let text = house.study.text();
    assert!(text.contains("## Visitor\n<!-- proposal -->\nOver the wire.\n"), "{text}");
}

#[tokio::test]
async fn one_who_shakes_hands_gets_a_session_and_writes_in_it() {
    let house = House::open().await;
    let post = |body: Value| {
        let post = house.client.post(&house.url).header("accept", "application/json, text/event-stream");
        post.header("content-type", "application/json")
            .bearer_auth(house.token.secret())
            .body(body.to_string())
    };
    let hello = json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": { "name": "old", "version": "1" } });
    let answer = post(json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello }))
        .send()
        .await
        .unwrap();
    let session = answer.headers()["mcp-session-id"].to_str().unwrap().to_owned();
    assert_eq!(message(answer).await["result"]["protocolVersion"], "2025-06-18");
    let within = |body: Value| {
        post(body).header("mcp-session-id", &session).header("mcp-protocol-version", "2025-06-18")
    };
    within(json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).send().await.unwrap();
    let call = json!({ "name": "append_section", "arguments": { "content": "By the old way." } });
    let answer = within(json!({ "jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call }))
        .send()
        .await
        .unwrap();
    assert_eq!(message(answer).await["result"]["isError"], false);
    assert!(house.study.text().contains("## old\n<!-- proposal -->\nBy the old way.\n"));
}

#[tokio::test]
async fn nobody_is_answered_who_does_not_know_the_token() {
    let house = House::open().await;
    let wrong = "0".repeat(house.token.secret().len());
    assert_eq!(house.refused(house.call("x")).await, StatusCode::UNAUTHORIZED);
    assert_eq!(house.refused(house.call("x").bearer_auth(wrong)).await, StatusCode::UNAUTHORIZED);
    assert_eq!(house.refused(house.call("x").bearer_auth("")).await, StatusCode::UNAUTHORIZED);
    let basic = house.call("x").basic_auth(house.token.secret(), None::<&str>);
    assert_eq!(house.refused(basic).await, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn pages_of_others_and_names_that_lead_here_are_refused() {
    let house = House::open().await;
    let known = || house.call("x").bearer_auth(house.token.secret());
    for origin in ["https://evil.example", "http://localhost", "null", &house.url] {
        assert_eq!(house.refused(known().header("origin", origin)).await, StatusCode::FORBIDDEN, "{origin}");
    }
    for host in ["evil.example", "127.0.0.1.evil.example", "localhost:1"] {
        assert_eq!(house.refused(known().header("host", host)).await, StatusCode::FORBIDDEN, "{host}");
    }
}

#[tokio::test]
async fn a_request_without_an_end_is_cut() {
    let house = House::open().await;
    let long = house.call(&"x".repeat(17 << 20)).bearer_auth(house.token.secret());
    assert_eq!(house.refused(long).await, StatusCode::PAYLOAD_TOO_LARGE);
}
