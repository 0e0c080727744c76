//! Failures that pass, and those that do not.

use std::time::{Duration, SystemTime};

use agent::model::{ModelError, RetryReason};
use agent::retry::{Advice, Refusal, advise};
use agent::turn::EndReason;

use crate::kit::Stage;

fn overloaded(after: Option<Duration>) -> ModelError {
    ModelError::Retry { after, reason: RetryReason::Provider("529".to_owned()) }
}

fn seconds(stage: &Stage) -> Vec<f64> {
    stage.timers.iter().map(|(_, after)| after.as_secs_f64()).collect()
}

// R1
#[test]
fn the_waits_grow_and_the_third_attempt_answers() {
    let mut stage = Stage::new().prompted("Hi.");
    for jitter in [0.25, 1.0] {
        stage.fail(overloaded(None), jitter);
        stage.ring();
    }
    assert_eq!(seconds(&stage), [1.25, 4.0]);
    stage.done("Hello.");
    assert_eq!(stage.requests[0], stage.requests[2]);
    assert_eq!(stage.turn.history().messages().len(), 2);
}

// R4
#[test]
fn a_provider_that_never_recovers_is_given_up_and_other_trouble_counts_apart() {
    let mut stage = Stage::new().prompted("Hi.");
    for _ in 0..8 {
        stage
            .fail(ModelError::Retry { after: None, reason: RetryReason::Network("refused".to_owned()) }, 0.0);
        stage.ring();
        stage.fail(overloaded(None), f64::NAN);
        stage.ring();
    }
    assert!(seconds(&stage).iter().all(|wait| (1.0..=64.0).contains(wait)));
    stage.fail(overloaded(None), 0.0);
    assert_eq!(stage.end(), &EndReason::Failed("the provider cannot answer now: 529".to_owned()));
}

// R2
#[test]
fn a_provider_is_obeyed_unless_it_asks_for_an_hour() {
    let mut stage = Stage::new().prompted("Hi.");
    stage.fail(overloaded(Some(Duration::from_millis(250))), 1.0);
    assert_eq!(seconds(&stage), [0.25]);
    stage.ring();
    stage.fail(overloaded(Some(Duration::from_secs(3600))), 1.0);
    assert!(matches!(stage.end(), EndReason::Failed(_)));
}

// R6
#[test]
fn a_tool_is_not_run_again_by_another_attempt() {
    let mut stage = Stage::new().prompted("Hi.");
    stage.calls(&[("t1", "Grep", "{}")]);
    stage.finish("t1", "x");
    stage.fail(overloaded(None), 0.0);
    stage.ring();
    assert_eq!(stage.started, ["t1"]);
    assert_eq!(stage.requests[1], stage.requests[2]);
}

// R8
#[test]
fn a_refused_key_names_the_variable_and_is_not_tried_again() {
    let mut stage = Stage::new().prompted("Hi.");
    stage.fail(
        ModelError::RefusedKey { provider: "Anthropic".to_owned(), variable: "ANTHROPIC_API_KEY".to_owned() },
        0.0,
    );
    let words = "Anthropic refused the key; set a valid one in ANTHROPIC_API_KEY";
    assert_eq!(stage.end(), &EndReason::Failed(words.to_owned()));
}

fn advice(status: u16, headers: [Option<&str>; 3]) -> Advice {
    let [should_retry, retry_after_ms, retry_after] = headers;
    // Sun, 06 Nov 1994 08:49:37 GMT, the date of the standard.
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
    advise(Refusal { status, should_retry, retry_after_ms, retry_after }, now)
}

// R2
#[test]
fn the_headers_say_how_long_to_wait() {
    let wait = |after| Advice::Again(Some(Duration::from_millis(after)));
    assert_eq!(advice(429, [None, None, Some("7")]), wait(7000));
    assert_eq!(advice(429, [None, None, Some(" 1.5 ")]), wait(1500));
    assert_eq!(advice(429, [None, Some("250"), Some("7")]), wait(250));
    assert_eq!(advice(429, [None, None, Some("Sun, 06 Nov 1994 08:49:47 GMT")]), wait(10_000));
    for nonsense in ["Sun, 06 Nov 1994 08:49:27 GMT", "-1", "soon", "", "NaN", "1e999"] {
        assert_eq!(advice(429, [None, None, Some(nonsense)]), Advice::Again(None), "{nonsense}");
    }
    assert_eq!(advice(429, [None, None, Some("3600")]), Advice::TooLong(Duration::from_secs(3600)));
}

// R3
#[test]
fn the_providers_word_outranks_the_status() {
    assert_eq!(advice(500, [Some("false"), None, None]), Advice::GiveUp);
    assert_eq!(advice(400, [Some("true"), None, None]), Advice::Again(None));
    for status in [400, 401, 403, 404, 413] {
        assert_eq!(advice(status, [None; 3]), Advice::GiveUp, "{status}");
    }
    for status in [408, 409, 429, 500, 503, 529] {
        assert_eq!(advice(status, [None; 3]), Advice::Again(None), "{status}");
    }
}
