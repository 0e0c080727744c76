//! Answers of the Messages API, event by event, for servers of tests. Never sends anything by itself.

use loopback::Exchange;
use serde_json::{Value, json};

const STREAM: &[(&str, &str)] = &[("content-type", "text/event-stream")];

pub(crate) async fn event(exchange: &mut Exchange, object: Value) {
    exchange.send(framed(&object).as_bytes()).await.unwrap();
}

/// An event as it goes over the wire.
pub(crate) fn framed(object: &Value) -> String {
    format!("event: {}\ndata: {object}\n\n", object["type"].as_str().unwrap())
}

/// The status, the headers and the first event.
pub(crate) async fn begin(exchange: &mut Exchange) {
    exchange.begin(200, STREAM).await.unwrap();
    event(exchange, start()).await;
}

pub(crate) fn start() -> Value {
    let usage = json!({ "input_tokens": 10, "output_tokens": 1 });
    let message = json!({ "id": "msg_1", "role": "assistant", "usage": usage });
    json!({ "type": "message_start", "message": message })
}

/// A block that is not ended yet.
pub(crate) fn opened(index: usize, block: Value, deltas: &[Value]) -> Vec<Value> {
    let mut events = vec![json!({ "type": "content_block_start", "index": index, "content_block": block })];
    let delta = |delta: &Value| json!({ "type": "content_block_delta", "index": index, "delta": delta });
    events.extend(deltas.iter().map(delta));
    events
}

pub(crate) fn whole(index: usize, block: Value, deltas: &[Value]) -> Vec<Value> {
    let mut events = opened(index, block, deltas);
    events.push(json!({ "type": "content_block_stop", "index": index }));
    events
}

pub(crate) fn words(index: usize, words: &str) -> Vec<Value> {
    let delta = json!({ "type": "text_delta", "text": words });
    whole(index, json!({ "type": "text", "text": "" }), &[delta])
}

/// A call whose arguments come in two pieces.
pub(crate) fn call(index: usize, id: &str, tool: &str, input: &str) -> Vec<Value> {
    whole(index, call_block(id, tool), &call_deltas(input))
}

pub(crate) fn call_block(id: &str, tool: &str) -> Value {
    json!({ "type": "tool_use", "id": id, "name": tool, "input": {} })
}

pub(crate) fn call_deltas(input: &str) -> [Value; 2] {
    let (head, tail) = input.split_at(input.len() / 2);
    [head, tail].map(|piece| json!({ "type": "input_json_delta", "partial_json": piece }))
}

pub(crate) fn stop(reason: &str) -> [Value; 2] {
    let (delta, usage) = (json!({ "stop_reason": reason }), json!({ "output_tokens": 5 }));
    [json!({ "type": "message_delta", "delta": delta, "usage": usage }), json!({ "type": "message_stop" })]
}

/// A whole answer.
pub(crate) async fn answer(mut exchange: Exchange, events: Vec<Value>, reason: &str) {
    begin(&mut exchange).await;
    for object in events.into_iter().chain(stop(reason)) {
        event(&mut exchange, object).await;
    }
    exchange.end().await.unwrap();
}

/// The messages of a request, without the marks that tell the provider what to keep.
pub(crate) fn messages(exchange: &Exchange) -> Vec<Value> {
    let mut body = body(exchange);
    for message in body["messages"].as_array_mut().unwrap() {
        for block in message["content"].as_array_mut().unwrap() {
            block.as_object_mut().unwrap().remove("cache_control");
        }
    }
    body["messages"].as_array().unwrap().clone()
}

pub(crate) fn body(exchange: &Exchange) -> Value {
    serde_json::from_str(&exchange.request.body).unwrap()
}
