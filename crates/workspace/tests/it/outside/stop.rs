//! Whoever stops an agent stops all of it, at once, whatever it does against it.

use std::time::Duration;

use workspace::outside::{Format, Program};
use workspace::session::agent::{AgentError, Said};

use super::{Bench, ask_until};

/// Whether a process is there and no mere corpse.
pub(super) fn is_alive(pid: &str) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{}/stat", pid.trim())).unwrap_or_default();
    status.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
}

/// Ends a process of a test.
pub(super) fn end(pid: &str) {
    let pid = pid.trim().parse().ok().and_then(rustix::process::Pid::from_raw).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
}

/// Waits until a process is gone that was killed: when that happens is up to the system.
async fn gone(pid: &str) {
    for _ in 0..500 {
        if !is_alive(pid) {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("{pid} is alive");
}

async fn check(script: &str, pids: &[&str]) {
    let bench = Bench::new();
    let spec = bench.shell(script, Format::Text);
    let is_ready = |said: &Said| matches!(said, Said::Text(text) if text.contains("ready"));
    let answer = ask_until(&Program::new(spec), bench.ask("What?"), is_ready).await;
    assert!(matches!(answer.outcome, Err(AgentError::Stopped)), "{}", answer.shown());
    assert!(answer.text().contains("ready"), "what was said is kept");
    for pid in pids {
        let number = bench.left(pid);
        assert!(!number.is_empty(), "{pid} never ran");
        gone(&number).await;
    }
    // The limit is a second; a machine that does ten things at once gets more.
    assert!(answer.took < Duration::from_secs(5), "{:?}", answer.took);
}

#[tokio::test]
async fn an_agent_that_ignores_the_signal_is_stopped() {
    check("trap '' TERM; echo $$ >pid; echo ready; while :; do sleep 0.05; done", &["pid"]).await;
}

#[tokio::test]
async fn a_grandchild_that_holds_the_output_is_stopped() {
    let script = "trap '' TERM; echo $$ >pid
        sh -c 'trap \"\" TERM; echo $$ >child; sh -c \"trap \\\"\\\" TERM; echo \\$\\$ >grandchild; while :; do sleep 0.05; done\"' &
        while [ ! -s grandchild ]; do sleep 0.01; done
        echo ready; while :; do sleep 0.05; done";
    check(script, &["pid", "child", "grandchild"]).await;
}

#[tokio::test]
async fn one_that_left_its_group_and_its_parents_is_stopped() {
    let script = "setsid sh -c 'trap \"\" TERM HUP; (echo $$ >left; while :; do sleep 0.05; done) & wait' &
        while [ ! -s left ]; do sleep 0.01; done
        echo $$ >pid; echo ready; sleep 600";
    check(script, &["pid", "left"]).await;
}

#[tokio::test]
async fn an_agent_that_is_dropped_is_stopped() {
    let bench = Bench::new();
    let spec = bench.shell("echo $$ >pid; echo ready; sleep 600", Format::Text);
    let program = Program::new(spec);
    let (told, mut heard) = tokio::sync::mpsc::unbounded_channel();
    let mut tell = move |said: Said| told.send(said).unwrap();
    {
        use workspace::session::agent::Agent as _;
        let answering = program.answer(bench.ask("What?"), agent::StreamController::new(), &mut tell);
        tokio::select! {
            outcome = answering => panic!("{outcome:?}"),
            said = heard.recv() => assert!(matches!(said, Some(Said::Text(_)))),
        }
    }
    gone(&bench.left("pid")).await;
}
