//! Servers over the network, played by this test. Never leaves loopback.

use loopback::{Exchange, Server};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tools::mcp::{ServerSettings, Servers, Way};
use tools::web::Key;

use crate::desk::Desk;

/// What the server says to a call.
#[derive(Clone, Copy)]
enum Manner {
    Answers,
    Denies,
    Breaks,
}

fn settings(url: &str) -> ServerSettings {
    let headers = vec![("Authorization".to_owned(), Key::new("Bearer sk-canary".to_owned()))];
    let way = Way::Http { url: format!("{url}/mcp"), headers };
    ServerSettings { name: "web".to_owned(), way, secrets: vec![Key::new("sk-canary".to_owned())] }
}

/// Serves until the test is over.
fn serve(server: Server, manner: Manner) -> JoinSet<()> {
    let mut serving = JoinSet::new();
    serving.spawn(async move {
        while let Ok(exchange) = server.accept().await {
            assert_eq!(exchange.request.header("authorization"), "Bearer sk-canary");
            // A client that went away needs no answer.
            reply(exchange, manner).await.ok();
        }
    });
    serving
}

async fn reply(mut exchange: Exchange, manner: Manner) -> std::io::Result<()> {
    let message: Value = serde_json::from_str(&exchange.request.body).unwrap_or_default();
    let kind = [("content-type", "application/json")];
    let result = match message["method"].as_str() {
        Some("initialize") => json!({
            "protocolVersion": "2025-11-25",
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "web", "version": "1" },
        }),
        Some("tools/list") => json!({ "tools": [{ "name": "ask", "inputSchema": { "type": "object" } }] }),
        Some("tools/call") => match manner {
            Manner::Answers => json!({ "content": [{ "type": "text", "text": "you are Bearer sk-canary" }] }),
            Manner::Denies => {
                return exchange.answer(401, &kind, b"{\"error\": \"sk-canary is not welcome\"}").await;
            }
            Manner::Breaks => {
                exchange.begin(200, &[("content-type", "text/event-stream")]).await?;
                return exchange.send(b": not yet\n\n").await;
            }
        },
        Some(_) => return exchange.answer(202, &[], b"").await,
        // It has nothing to say by itself.
        None => return exchange.answer(405, &[], b"").await,
    };
    let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": result });
    exchange.answer(200, &kind, answer.to_string().as_bytes()).await
}

async fn asked(manner: Manner) -> crate::desk::Said {
    let (desk, server) = (Desk::new(), Server::start().await.unwrap());
    let settings = settings(&server.url());
    assert!(!format!("{settings:?}").contains("canary"));
    let _serving = serve(server, manner);
    let servers = Servers::start(vec![settings], &super::surroundings(&desk)).await;
    assert_eq!(servers.warnings(), [""; 0]);
    desk.run(&*servers.tools()[0], json!({})).await
}

#[tokio::test]
async fn a_server_elsewhere_gets_its_headers_and_is_called() {
    assert_eq!(asked(Manner::Answers).await.ok(), "you are Bearer [secret]");
}

#[tokio::test]
async fn what_a_server_repeats_of_a_secret_is_in_no_error() {
    let said = asked(Manner::Denies).await.failed();
    assert!(said.contains("MCP server 'web'") && !said.contains("canary"), "{said}");
}

#[tokio::test]
async fn a_connection_that_breaks_in_a_call_is_an_error() {
    let said = asked(Manner::Breaks).await.failed();
    assert!(said.contains("MCP server 'web'"), "{said}");
}

#[tokio::test]
async fn a_server_that_nobody_serves_is_a_warning() {
    let desk = Desk::new();
    let address = Server::start().await.unwrap().url();
    let servers = Servers::start(vec![settings(&address)], &super::surroundings(&desk)).await;
    let [warning] = servers.warnings() else { panic!("{:?}", servers.warnings()) };
    assert!(
        warning.starts_with("the MCP server 'web' is not used: ") && warning.contains("refused"),
        "{warning}"
    );
}
