//! What a refusal means: tried again, shortened, told to the person.

use std::time::{Duration, SystemTime};

use super::{Asked, Complaint, MESSAGE_MAX, Refused};

fn asked() -> Asked {
    Asked { provider: "Anthropic".to_owned(), variable: "ANTHROPIC_API_KEY".to_owned() }
}

fn told(refused: &Refused) -> String {
    format!("{:?}", refused.error(&asked(), SystemTime::UNIX_EPOCH))
}

fn check(status: u16, body: &str, expected: &str) {
    let refused = Refused { status, body: body.as_bytes().to_vec(), ..Refused::default() };
    assert_eq!(told(&refused), expected, "{status} {body}");
}

// R1, R3, R7, R8
#[test]
fn each_status_says_what_to_do() {
    let overloaded = r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#;
    check(
        529,
        overloaded,
        r#"Retry { after: None, reason: Provider("HTTP 529: Overloaded (overloaded_error)") }"#,
    );
    check(500, "", r#"Retry { after: None, reason: Provider("HTTP 500: no reason given") }"#);
    check(
        503,
        r#"{"error":{"message":"Loading model","type":"unavailable_error","code":503}}"#,
        r#"Retry { after: None, reason: Provider("HTTP 503: Loading model (unavailable_error)") }"#,
    );
    check(
        429,
        "slow\n down\u{1b}[2J",
        r#"Retry { after: None, reason: Provider("HTTP 429: slow down[2J") }"#,
    );
    for status in [401, 403] {
        let refused = r#"RefusedKey { provider: "Anthropic", variable: "ANTHROPIC_API_KEY" }"#;
        check(status, r#"{"error":{"message":"invalid x-api-key sk-secret"}}"#, refused);
    }
    check(
        400,
        r#"{"error":{"type":"invalid_request_error","message":"max_tokens: required"}}"#,
        r#"Rejected { message: "HTTP 400: max_tokens: required (invalid_request_error)" }"#,
    );
    check(404, r#"{"error":"model not found"}"#, r#"Rejected { message: "HTTP 404: model not found" }"#);
    check(404, r#"{"detail":"Not Found"}"#, r#"Rejected { message: "HTTP 404: Not Found" }"#);
    check(
        429,
        r#"{"error":{"code":"insufficient_quota","message":"pay"}}"#,
        r#"Rejected { message: "HTTP 429: pay (insufficient_quota)" }"#,
    );
    check(
        307,
        "",
        r#"Rejected { message: "HTTP 307: the address leads elsewhere; set the base URL that it leads to" }"#,
    );
}

// R7
#[test]
fn a_conversation_that_is_too_long_is_known_by_all_its_names() {
    for body in [
        r#"{"error":{"type":"invalid_request_error","message":"prompt is too long: 210000 tokens > 200000 maximum"}}"#,
        r#"{"error":{"code":"context_length_exceeded","message":"x"}}"#,
        r#"{"error":{"code":400,"type":"exceed_context_size_error","message":"x"}}"#,
        r#"{"message":"This model's maximum context length is 4096 tokens."}"#,
    ] {
        check(400, body, "TooLong");
    }
    check(413, "", "TooLong");
}

// R2
#[test]
fn the_provider_says_how_long_to_wait() {
    let refused = |ms: Option<&str>, after: Option<&str>, should: Option<&str>| Refused {
        status: 429,
        retry_after_ms: ms.map(str::to_owned),
        retry_after: after.map(str::to_owned),
        should_retry: should.map(str::to_owned),
        body: Vec::new(),
    };
    let wait =
        |after: &str| format!("Retry {{ after: {after}, reason: Provider(\"HTTP 429: no reason given\") }}");
    assert_eq!(told(&refused(None, Some("7"), None)), wait("Some(7s)"));
    assert_eq!(told(&refused(Some("250"), Some("7"), None)), wait("Some(250ms)"));
    assert_eq!(told(&refused(None, Some("Thu, 01 Jan 1970 00:00:09 GMT"), None)), wait("Some(9s)"));
    assert_eq!(told(&refused(None, Some("Thu, 01 Jan 1960 00:00:09 GMT"), None)), wait("None"));
    assert_eq!(told(&refused(None, Some("soon"), None)), wait("None"));
    assert_eq!(
        told(&refused(None, Some("3600"), None)),
        r#"Rejected { message: "HTTP 429: no reason given; it asks to wait 3600 s, so try again later" }"#
    );
    assert_eq!(
        told(&refused(None, Some("7"), Some("false"))),
        r#"Rejected { message: "HTTP 429: no reason given" }"#
    );
    let again = Refused { status: 400, should_retry: Some("true".to_owned()), ..Refused::default() };
    assert!(told(&again).starts_with("Retry"));
}

// S10, S11
#[test]
fn errors_in_a_stream_are_sorted_the_same_way() {
    let told =
        |json: &str| format!("{:?}", Complaint::of_value(&serde_json::from_str(json).unwrap()).in_stream());
    assert_eq!(
        told(r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#),
        r#"Retry { after: None, reason: Provider("Overloaded (overloaded_error)") }"#
    );
    assert_eq!(
        told(r#"{"type":"error","error":{"type":"invalid_request_error","message":"bad"}}"#),
        r#"Rejected { message: "bad (invalid_request_error)" }"#
    );
    assert_eq!(
        told(r#"{"code":502,"message":"up"}"#),
        r#"Retry { after: None, reason: Provider("up (502)") }"#
    );
    assert_eq!(told(r#"{"code":"context_length_exceeded","message":"x"}"#), "TooLong");
    assert_eq!(told("null"), r#"Rejected { message: "no reason given" }"#);
}

#[test]
fn a_long_message_is_cut_and_a_hostile_one_is_harmless() {
    let long = Refused { status: 400, body: "é ".repeat(100_000).into_bytes(), ..Refused::default() };
    let told = long.error(&asked(), SystemTime::UNIX_EPOCH + Duration::from_secs(1)).to_string();
    assert!(told.chars().count() < MESSAGE_MAX + 100, "{}", told.len());
    assert!(told.ends_with('…'));
    check(400, "\u{7}\u{1b}]0;x\u{7}", r#"Rejected { message: "HTTP 400: ]0;x" }"#);
}
