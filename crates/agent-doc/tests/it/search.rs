//! Searching the web by the person's settings, with services on this machine.

use loopback::Server;
use serde_json::json;

use crate::anthropic::{answer, body, call, words};
use crate::chat::{Person, ended, text};
use crate::documents::{accept, got};
use crate::scratch::told;

fn person_with(settings: &str) -> Person {
    let person = Person::new();
    std::fs::create_dir_all(person.scratch.path("home/agent-doc")).unwrap();
    person.scratch.write("home/agent-doc/config.toml", settings);
    person
}

/// An agent searches with the service; gives back what the service was asked and what the agent got.
async fn search(provider: &str, found: &str) -> (String, String) {
    let (models, service) = (Server::start().await.unwrap(), Server::start().await.unwrap());
    let person = person_with(&format!("[search]\nprovider = \"{provider}\"\nurl = \"{}\"\n", service.url()));
    let mut command = person.command(&["chat", "-p", "look", "--allow", "WebSearch"]);
    command.args(["--model", "anthropic/test"]).env("ANTHROPIC_API_KEY", "sk-test");
    command.env("ANTHROPIC_BASE_URL", models.url()).env("no_proxy", "*");
    command.env("BRAVE_API_KEY", "brave-canary").env("TAVILY_API_KEY", "tavily-canary");
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let child = command.spawn().unwrap();
    let first = accept(&models).await;
    assert!(body(&first)["tools"].to_string().contains("\"WebSearch\""));
    let input = json!({ "query": "tally marks" }).to_string();
    answer(first, call(0, "t1", "WebSearch", &input), "tool_use").await;
    let asked = accept(&service).await;
    let request = format!("{:?}", asked.request);
    asked.answer(200, &[("content-type", "application/json")], found.as_bytes()).await.unwrap();
    let exchange = accept(&models).await;
    let (result, is_error) = got(&exchange);
    assert!(!is_error && !result.contains("canary"), "{result}");
    answer(exchange, words(0, "Found."), "end_turn").await;
    let output = ended(child).await;
    assert_eq!(text(&output), "Found.\n", "{}", told(&output));
    (request, result)
}

const HIT: &str = r#"{"title":"Tally","url":"https://example.org/tally","content":"four and one across","description":"four and one across"}"#;

#[tokio::test(flavor = "multi_thread")]
async fn each_service_is_asked_in_its_own_way_with_the_key_of_the_environment() {
    for (provider, body, said) in [
        ("searxng", format!(r#"{{"results":[{HIT}]}}"#), "/search?q=tally"),
        ("brave", format!(r#"{{"web":{{"results":[{HIT}]}}}}"#), "brave-canary"),
        ("tavily", format!(r#"{{"results":[{HIT}]}}"#), "tavily-canary"),
    ] {
        let (request, result) = search(provider, &body).await;
        assert!(request.contains(said), "{provider}: {request}");
        assert!(result.contains("https://example.org/tally"), "{provider}: {result}");
    }
}

#[test]
fn a_service_without_what_it_needs_is_said_before_anything_is_asked() {
    for (settings, wanted) in [
        ("search.provider = \"brave\"\n", "BRAVE_API_KEY"),
        ("search.provider = \"tavily\"\n", "TAVILY_API_KEY"),
        ("search.provider = \"searxng\"\n", "search.url"),
    ] {
        let person = person_with(settings);
        let mut command = person.command(&["chat", "-p", "hello"]);
        let output = command.env_remove("BRAVE_API_KEY").env_remove("TAVILY_API_KEY").output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{}", told(&output));
        assert!(told(&output).contains(wanted), "{}", told(&output));
        assert!(!person.scratch.path("project/.agent-doc").exists(), "no conversation was begun");
    }
}
