//! A language model of a few words, which speaks as Anthropic, OpenAI and Google do. It knows whether a fruit was named to it.

use std::sync::Arc;
use std::time::Duration;

use loopback::{Exchange, Server};
use serde_json::{Value, json};
use tokio::sync::Notify;
use tokio::task::{JoinHandle, JoinSet};

/// What an agent is told to keep in mind.
pub(crate) const WORD: &str = "kiwi";
/// What makes the model speak without end.
pub(crate) const SLOWLY: &str = "Speak slowly, please.";

/// The server. Ends with its process.
pub(crate) struct Model {
    url: String,
    slow: Arc<Notify>,
    serving: JoinHandle<()>,
}

impl Model {
    pub(crate) async fn start() -> Self {
        let server = Server::start().await.unwrap();
        let (url, slow) = (server.url(), Arc::new(Notify::new()));
        let told = slow.clone();
        let serving = tokio::spawn(async move {
            let mut exchanges = JoinSet::new();
            loop {
                let Ok(exchange) = server.accept().await else { continue };
                exchanges.spawn(serve(exchange, told.clone()));
            }
        });
        Self { url, slow, serving }
    }

    pub(crate) fn url(&self) -> String {
        self.url.clone()
    }

    /// Waits until somebody hears it speak slowly.
    pub(crate) async fn speaks_slowly(&self) {
        self.slow.notified().await;
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        self.serving.abort();
    }
}

/// How a provider writes one answer.
#[derive(Clone, Copy)]
enum Tongue {
    Messages,
    Responses,
    Chat,
    Gemini,
}

async fn serve(exchange: Exchange, slow: Arc<Notify>) {
    let path = exchange.request.path.split('?').next().unwrap_or_default().to_owned();
    let body: Value = serde_json::from_str(&exchange.request.body).unwrap_or_default();
    let is_streamed = body.get("stream").and_then(Value::as_bool).unwrap_or_default();
    let done = match path.as_str() {
        "/v1/messages" => answer(exchange, Tongue::Messages, is_streamed, &slow).await,
        "/v1/responses" => answer(exchange, Tongue::Responses, is_streamed, &slow).await,
        "/v1/chat/completions" => answer(exchange, Tongue::Chat, is_streamed, &slow).await,
        path if path.ends_with(":streamGenerateContent") => {
            answer(exchange, Tongue::Gemini, true, &slow).await
        }
        path if path.ends_with(":generateContent") => answer(exchange, Tongue::Gemini, false, &slow).await,
        path if path.ends_with("/count_tokens") => whole(exchange, 200, &json!({ "input_tokens": 10 })).await,
        path if path.ends_with(":countTokens") => whole(exchange, 200, &json!({ "totalTokens": 10 })).await,
        "/v1/models" => whole(exchange, 200, &json!({ "object": "list", "data": [], "models": [] })).await,
        _ => whole(exchange, 404, &json!({ "error": { "message": "there is nothing here" } })).await,
    };
    // An agent that was stopped hangs up.
    done.ok();
}

async fn whole(exchange: Exchange, status: u16, body: &Value) -> std::io::Result<()> {
    exchange.answer(status, &[("content-type", "application/json")], body.to_string().as_bytes()).await
}

async fn answer(
    mut exchange: Exchange,
    tongue: Tongue,
    is_streamed: bool,
    slow: &Notify,
) -> std::io::Result<()> {
    let asked = exchange.request.body.clone();
    // Not for a mere title of the conversation, for which no tools are offered.
    let is_slow = asked.contains(SLOWLY) && asked.contains("\"tools\"");
    let mut words =
        vec!["I ".to_owned(), "answer ".to_owned(), "as ".to_owned(), "you ".to_owned(), "wish".to_owned()];
    words.push(if asked.contains(WORD) { format!(", {WORD}.") } else { ".".to_owned() });
    if !is_streamed {
        return whole(exchange, 200, &tongue.whole(&words.concat())).await;
    }
    exchange.begin(200, &[("content-type", "text/event-stream")]).await?;
    exchange.send(tongue.beginning().as_bytes()).await?;
    for word in &words {
        exchange.send(tongue.piece(word).as_bytes()).await?;
        tokio::time::sleep(Duration::from_millis(30)).await;
    }
    if is_slow {
        slow.notify_one();
        // Ends when the agent hangs up.
        loop {
            tokio::time::sleep(Duration::from_millis(100)).await;
            exchange.send(tongue.piece(" and on").as_bytes()).await?;
        }
    }
    exchange.send(tongue.end(&words.concat()).as_bytes()).await?;
    exchange.end().await
}

/// An event of a stream, named by its type as some providers do.
fn event(value: &Value) -> String {
    match value.get("type").and_then(Value::as_str) {
        Some(name) => format!("event: {name}\ndata: {value}\n\n"),
        None => format!("data: {value}\n\n"),
    }
}

impl Tongue {
    fn beginning(self) -> String {
        match self {
            Tongue::Messages => {
                let message = json!({ "id": "msg_1", "type": "message", "role": "assistant", "model": "loop",
                    "content": [], "stop_reason": null, "stop_sequence": null,
                    "usage": { "input_tokens": 10, "output_tokens": 1 } });
                event(&json!({ "type": "message_start", "message": message }))
                    + &event(
                        &json!({ "type": "content_block_start", "index": 0, "content_block": { "type": "text", "text": "" } }),
                    )
            }
            Tongue::Responses => {
                let response =
                    json!({ "id": "resp_1", "object": "response", "status": "in_progress", "output": [] });
                let item = json!({ "id": "msg_1", "type": "message", "role": "assistant", "status": "in_progress", "content": [] });
                event(&json!({ "type": "response.created", "response": response }))
                    + &event(
                        &json!({ "type": "response.output_item.added", "output_index": 0, "item": item }),
                    )
            }
            Tongue::Chat => event(&chat(&json!({ "role": "assistant", "content": "" }), None)),
            Tongue::Gemini => String::new(),
        }
    }

    fn piece(self, text: &str) -> String {
        event(&match self {
            Tongue::Messages => {
                json!({ "type": "content_block_delta", "index": 0, "delta": { "type": "text_delta", "text": text } })
            }
            Tongue::Responses => {
                json!({ "type": "response.output_text.delta", "item_id": "msg_1", "output_index": 0,
                "content_index": 0, "delta": text })
            }
            Tongue::Chat => chat(&json!({ "content": text }), None),
            Tongue::Gemini => gemini(text, None),
        })
    }

    fn end(self, text: &str) -> String {
        match self {
            Tongue::Messages => {
                event(&json!({ "type": "content_block_stop", "index": 0 }))
                    + &event(
                        &json!({ "type": "message_delta", "delta": { "stop_reason": "end_turn", "stop_sequence": null },
                        "usage": { "output_tokens": 6 } }),
                    )
                    + &event(&json!({ "type": "message_stop" }))
            }
            Tongue::Responses => {
                let response = self.whole(text);
                event(
                    &json!({ "type": "response.output_item.done", "output_index": 0, "item": response["output"][0] }),
                ) + &event(&json!({ "type": "response.completed", "response": response }))
            }
            Tongue::Chat => event(&chat(&json!({}), Some("stop"))) + "data: [DONE]\n\n",
            Tongue::Gemini => event(&gemini("", Some("STOP"))),
        }
    }

    fn whole(self, text: &str) -> Value {
        match self {
            Tongue::Messages => {
                json!({ "id": "msg_1", "type": "message", "role": "assistant", "model": "loop",
                "content": [{ "type": "text", "text": text }], "stop_reason": "end_turn", "stop_sequence": null,
                "usage": { "input_tokens": 10, "output_tokens": 6 } })
            }
            Tongue::Responses => {
                json!({ "id": "resp_1", "object": "response", "status": "completed", "output": [{
                "id": "msg_1", "type": "message", "role": "assistant", "status": "completed",
                "content": [{ "type": "output_text", "text": text, "annotations": [] }] }],
                "usage": { "input_tokens": 10, "input_tokens_details": { "cached_tokens": 0 }, "output_tokens": 6,
                    "output_tokens_details": { "reasoning_tokens": 0 }, "total_tokens": 16 } })
            }
            Tongue::Chat => {
                json!({ "id": "chat_1", "object": "chat.completion", "created": 1, "model": "loop", "choices": [{
                "index": 0, "finish_reason": "stop", "message": { "role": "assistant", "content": text } }],
                "usage": { "prompt_tokens": 10, "completion_tokens": 6, "total_tokens": 16 } })
            }
            Tongue::Gemini => gemini(text, Some("STOP")),
        }
    }
}

fn chat(delta: &Value, finish: Option<&str>) -> Value {
    json!({ "id": "chat_1", "object": "chat.completion.chunk", "created": 1, "model": "loop",
        "choices": [{ "index": 0, "delta": delta, "finish_reason": finish }] })
}

fn gemini(text: &str, finish: Option<&str>) -> Value {
    let mut candidate = json!({ "index": 0, "content": { "role": "model", "parts": [{ "text": text }] } });
    if let Some(finish) = finish {
        candidate["finishReason"] = json!(finish);
    }
    json!({ "candidates": [candidate], "modelVersion": "loop",
        "usageMetadata": { "promptTokenCount": 10, "candidatesTokenCount": 6, "totalTokenCount": 16 } })
}
