//! Agents that fail, lie, hang or shout.

use std::time::Duration;

use workspace::outside::{Format, Program, Spec};
use workspace::session::agent::{AgentError, Talk};

use super::{Answer, Bench, ask};

async fn run(script: &str, format: Format) -> Answer {
    let bench = Bench::new();
    ask(&Program::new(bench.shell(script, format)), bench.ask("What?")).await
}

fn error(answer: &Answer) -> String {
    answer.outcome.as_ref().unwrap_err().to_string()
}

#[tokio::test]
async fn an_exit_code_is_a_failure_and_what_was_said_is_kept() {
    let answer = run(
        "echo partial words; printf 'old\\n\\033[31mno credit left\\033[0m\\n' >&2; exit 3",
        Format::Text,
    )
    .await;
    assert_eq!(answer.text(), "partial words\n");
    assert_eq!(error(&answer), "fake failed: exit code 3: old | no credit left");
    let died = run("echo partial; kill -9 $$", Format::Text).await;
    assert_eq!(error(&died), "fake failed: ended by signal 9: it said nothing about it");
}

#[tokio::test]
async fn what_an_agent_complained_about_last_is_why_it_failed() {
    let script =
        "echo '{\"type\":\"error\",\"message\":\"stream disconnected\"}'; echo 'Reading input' >&2; exit 1";
    let answer = run(script, Format::Codex).await;
    assert_eq!(error(&answer), "fake failed: exit code 1: stream disconnected");
}

#[tokio::test]
async fn a_message_that_is_void_and_never_comes_again_is_no_answer() {
    let start = r#"{"type":"stream_event","event":{"type":"message_start","message":{"id":"ID"}}}"#;
    let words = r#"{"type":"stream_event","event":{"type":"content_block_delta","delta":{"type":"text_delta","text":"Half"}}}"#;
    let block = r#"{"type":"stream_event","event":{"type":"content_block_start","content_block":{"type":"text","text":""}}}"#;
    let (first, second) = (start.replace("ID", "m1"), start.replace("ID", "m2"));
    let answer =
        run(&format!("echo '{first}'; echo '{block}'; echo '{words}'; echo '{second}'"), Format::Claude)
            .await;
    assert_eq!(answer.text(), "");
    assert!(matches!(answer.outcome, Err(AgentError::Nothing { .. })), "{}", answer.shown());
}

#[tokio::test]
async fn only_the_end_of_a_long_complaint_is_kept() {
    let answer =
        run("i=0; while [ $i -lt 20000 ]; do echo complaint $i >&2; i=$((i+1)); done; exit 1", Format::Text)
            .await;
    assert_eq!(
        error(&answer),
        "fake failed: exit code 1: complaint 19996 | complaint 19997 | complaint 19998 | complaint 19999"
    );
}

#[tokio::test]
async fn garbage_is_named_and_nothing_is_nothing() {
    let garbled = run("echo 'Segmentation violation at 0x0'; echo '[1,2]'", Format::Claude).await;
    assert!(
        matches!(&garbled.outcome, Err(AgentError::Garbled { told, .. }) if told.contains("0x0")),
        "{}",
        garbled.shown()
    );
    let nothing = run("exit 0", Format::Claude).await;
    assert!(matches!(nothing.outcome, Err(AgentError::Nothing { .. })), "{}", nothing.shown());
    let blank = run("echo; echo '  '", Format::Text).await;
    assert!(matches!(blank.outcome, Err(AgentError::Nothing { .. })), "{}", blank.shown());
    // Unknown events of a newer version are no garbage.
    let newer = run("echo '{\"type\":\"from the future\"}'", Format::Codex).await;
    assert!(matches!(newer.outcome, Err(AgentError::Nothing { .. })), "{}", newer.shown());
}

#[tokio::test]
async fn a_silent_agent_is_ended() {
    let bench = Bench::new();
    let spec = bench.shell("echo $$ >pid; echo first; sleep 600", Format::Text);
    let spec = Spec { patience: Duration::from_millis(300), ..spec };
    let answer = ask(&Program::new(spec), bench.ask("What?")).await;
    assert_eq!(answer.text(), "first\n");
    assert!(matches!(answer.outcome, Err(AgentError::Silent { .. })), "{}", answer.shown());
    assert!(!super::stop::is_alive(&bench.left("pid")));
}

#[tokio::test]
async fn a_line_without_end_is_refused_and_what_was_said_is_kept() {
    let said = r#"{"type":"message","role":"assistant","content":"said","delta":true}"#;
    let script = format!("echo '{said}'; head -c 40000000 /dev/zero | tr '\\0' x");
    let answer = run(&script, Format::Gemini).await;
    assert_eq!(answer.text(), "said");
    assert_eq!(
        error(&answer),
        "fake said what cannot be understood: a line of more than 16 MB; look whether its version fits"
    );
    let endless = run("yes 'and so on and on and on'", Format::Text).await;
    assert!(matches!(endless.outcome, Err(AgentError::Garbled { .. })), "{:?}", endless.outcome);
}

#[tokio::test]
async fn bytes_that_are_no_text_are_replaced() {
    let answer = run("printf 'gr\\374n \\342\\202'; sleep 0.1; printf '\\254\\n'", Format::Text).await;
    assert_eq!(answer.text(), "gr\u{fffd}n €\n");
    let line = run(
        "printf '{\"type\":\"message\",\"role\":\"assistant\",\"content\":\"gr\\374n\\\\u001b[31m\"}\\n'",
        Format::Gemini,
    )
    .await;
    assert_eq!(line.text(), "gr\u{fffd}n[31m");
}

#[tokio::test]
async fn a_program_that_is_not_there_is_named() {
    let bench = Bench::new();
    let spec = Spec::new("lost", "no-such-program-anywhere");
    let answer = ask(&Program::new(spec.clone()), bench.ask("What?")).await;
    assert!(error(&answer).starts_with("no-such-program-anywhere is not installed"), "{}", answer.shown());
    let mut elsewhere = bench.ask("What?");
    elsewhere.folder = bench.path("gone");
    let answer = ask(&Program::new(spec), elsewhere).await;
    assert!(error(&answer).contains("is not there"), "{}", answer.shown());
}

#[tokio::test]
async fn a_document_cannot_give_options_to_a_program() {
    let bench = Bench::new();
    let spec = Spec {
        resume_args: vec!["--resume".into(), "{session}".into()],
        model_args: vec!["{model}".into()],
        ..bench.shell("touch ran; echo x", Format::Text)
    };
    for (session, model) in [("--dangerous", "m"), ("a b", "m"), ("", "m"), ("ok", "-c"), ("ok", "a\nb")] {
        let mut asked = bench.ask("What?");
        (asked.talk, asked.model) = (Talk::Resume(session.into()), Some(model.into()));
        let answer = ask(&Program::new(spec.clone()), asked).await;
        assert!(error(&answer).contains("in the document"), "{}", answer.shown());
    }
    assert!(!bench.path("ran").exists());
}

#[tokio::test]
async fn a_long_prompt_goes_through_the_standard_input_and_never_blocks() {
    let bench = Bench::new();
    let prompt = "All of it. ".repeat(200_000);
    // It speaks more than a pipe holds before it listens.
    let script = "head -c 300000 /dev/zero | tr '\\0' x; echo; wc -c";
    let answer = ask(&Program::new(bench.shell(script, Format::Text)), bench.ask(&prompt)).await;
    assert!(answer.text().trim_end().ends_with(&prompt.len().to_string()), "{:?}", answer.outcome);
    answer.outcome.unwrap();
    // One that does not listen at all answers too.
    let deaf = ask(&Program::new(bench.shell("exec <&-; echo here", Format::Text)), bench.ask(&prompt)).await;
    assert_eq!(deaf.text(), "here\n");
    let spec = Spec { prompt_args: vec!["{prompt}".into()], ..bench.shell("echo \"$1\"", Format::Text) };
    let refused = ask(&Program::new(spec.clone()), bench.ask(&prompt)).await;
    assert!(error(&refused).contains("too long for an argument"), "{}", refused.shown());
    let given = ask(&Program::new(spec), bench.ask("two\nlines $HOME 'x'")).await;
    assert_eq!(given.text(), "two\nlines $HOME 'x'\n");
}

#[tokio::test]
async fn who_holds_the_output_after_the_end_is_not_waited_for() {
    let bench = Bench::new();
    let script =
        "setsid sh -c 'echo $$ >pid; exec sleep 30' & while [ ! -s pid ]; do sleep 0.01; done; echo done";
    let answer = ask(&Program::new(bench.shell(script, Format::Text)), bench.ask("What?")).await;
    answer.outcome.as_ref().unwrap();
    assert_eq!(answer.text(), "done\n");
    assert!(answer.took < Duration::from_secs(20), "{:?}", answer.took);
    // What left the group on purpose was meant to stay; the test ends it.
    let pid = bench.left("pid");
    assert!(super::stop::is_alive(&pid));
    super::stop::end(&pid);
}

/// Events of an answer without the last of them, which only a whole answer has.
#[tokio::test]
async fn an_answer_that_ends_without_its_last_event_is_not_whole_though_the_exit_code_is_0() {
    let claude = r#"{"type":"assistant","message":{"id":"m1","content":[{"type":"text","text":"Half."}]}}"#;
    let codex = r#"{"type":"turn.started"}
{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"Half."}}"#;
    let again = format!(
        "{codex}\n{{\"type\":\"turn.completed\",\"usage\":{{}}}}\n{}",
        codex.replace("\"id\":\"i\"", "\"id\":\"j\"")
    );
    let gemini = r#"{"type":"message","role":"assistant","content":"Half.","delta":true}"#;
    let called = r#"{"type":"step_start","part":{"id":"p0"}}
{"type":"text","part":{"id":"p1","text":"Half."}}
{"type":"tool_use","part":{"id":"p2","tool":"bash","state":{}}}"#;
    let finished = format!(
        "{called}\n{}",
        r#"{"type":"step_finish","part":{"id":"p3","reason":"tool-calls","tokens":{"output":5}}}"#
    );
    let begun = format!("{finished}\n{}", r#"{"type":"step_start","part":{"id":"p4"}}"#);
    for (format, lines) in [
        (Format::Claude, claude),
        (Format::Codex, codex),
        (Format::Codex, &again),
        (Format::Gemini, gemini),
        (Format::Opencode, called),
        (Format::Opencode, &finished),
        (Format::Opencode, &begun),
    ] {
        let answer = run(&format!("cat <<'END'\n{lines}\nEND"), format.clone()).await;
        assert!(answer.text().contains("Half."), "{format:?}: {}", answer.shown());
        assert_eq!(
            error(&answer),
            "fake failed: it ended before its answer was whole",
            "{format:?}: {lines}"
        );
    }
}

#[tokio::test]
async fn what_was_complained_about_is_said_of_an_answer_that_is_cut_off() {
    let script = r#"cat <<'END'
{"type":"item.completed","item":{"id":"i","type":"agent_message","text":"Half."}}
{"type":"error","message":"stream disconnected"}
END"#;
    let answer = run(script, Format::Codex).await;
    assert_eq!(error(&answer), "fake failed: it ended before its answer was whole: stream disconnected");
}

/// Versions of opencode end without the end of their last step; a text that they tell is complete.
#[tokio::test]
async fn a_text_of_opencode_is_an_answer_without_the_end_of_its_step() {
    let script = r#"cat <<'END'
{"type":"step_start","part":{"id":"p0"}}
{"type":"text","part":{"id":"p1","text":"All of it."}}
END"#;
    run(script, Format::Opencode).await.outcome.unwrap();
}
