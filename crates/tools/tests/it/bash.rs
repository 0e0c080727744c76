//! What comes of commands. Never depends on the clock: slow machines get the same answers.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use tools::limits::SHOWN_MAX;
use tools::sandbox::Confinement;
use tools::tool::{BashOutput, KillBash};

use crate::desk::{Desk, appeared, is_alive};

/// A number of seconds that no other test sleeps, to find the sleeper among all processes.
fn long_sleep() -> String {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    format!("sleep 3{}.{:03}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed))
}

#[tokio::test]
async fn output_exit_code_and_both_streams_come_back() {
    let desk = Desk::new();
    assert_eq!(desk.bash("echo out; echo err >&2").await.ok(), "out\nerr\n");
    assert_eq!(desk.bash("echo half; exit 3").await.failed(), "half\nExit code 3");
    assert_eq!(desk.bash("true").await.ok(), "(no output)");
    assert!(desk.bash("no-such-program").await.failed().ends_with("Exit code 127"));
    assert!(desk.bash("if then").await.failed().contains("syntax error"));
}

#[tokio::test]
async fn nothing_can_be_typed_in() {
    let desk = Desk::new();
    assert_eq!(desk.bash("cat; echo done").await.ok(), "done\n");
}

#[tokio::test]
async fn the_folder_is_carried_and_the_environment_is_not() {
    let desk = Desk::new();
    let root = desk.root.display().to_string();
    desk.bash("mkdir -p 'sub dir'; cd 'sub dir'; export A=1; exit 0").await.ok();
    assert_eq!(desk.bash("pwd; echo \"[$A]\"").await.ok(), format!("{root}/sub dir\n[]\n"));
    let left = desk.bash("cd /usr").await.ok();
    assert_eq!(left, format!("[the next command begins in {root} again: /usr is outside of the workspace]"));
    assert_eq!(desk.bash("pwd").await.ok(), format!("{root}\n"));
    desk.bash("cd 'sub dir'").await.ok();
    std::fs::remove_dir(desk.root.join("sub dir")).unwrap();
    assert_eq!(desk.bash("pwd").await.ok(), format!("{root}\n"));
}

#[tokio::test]
async fn what_a_command_writes_in_place_of_its_folder_is_not_believed() {
    let desk = Desk::new();
    let plant = "trap - EXIT; for f in link pipe; do :; done; n=$(ls -a $TMPDIR | head -1); cd /; mkfifo $TMPDIR/x; exec true";
    desk.bash(plant).await.ok();
    assert_eq!(desk.bash("pwd").await.ok(), format!("{}\n", desk.root.display()));
}

#[tokio::test]
async fn a_command_that_takes_too_long_is_ended_with_what_it_said() {
    let desk = Desk::new();
    let bash = desk.bash_tool();
    let sleep = long_sleep();
    let said = desk.run(&bash, json!({ "command": format!("echo begun; {sleep}"), "timeout": 300 })).await;
    assert_eq!(said.failed(), "begun\nCommand timed out after 300 ms");
    assert!(!is_alive(&sleep.replace(' ', "\0")));
    let said = desk.run(&bash, json!({ "command": "echo quick", "timeout": 9_000_000 })).await;
    assert_eq!(said.ok(), "quick\n\n[the timeout was limited to 600000 ms]");
}

/// An abort must be over within this time.
const ABORT_MAX: Duration = Duration::from_secs(1);

/// A machine that is busy may be late now and then; one that is late each time waits for something.
const ATTEMPTS: usize = 5;

async fn check_abort(confinement: Confinement, command: &str) {
    for _ in 0..ATTEMPTS {
        if aborted(confinement.clone(), command).await < ABORT_MAX {
            return;
        }
    }
    panic!("{confinement:?}: {command}: an abort takes longer than {ABORT_MAX:?}");
}

/// Starts a command that makes a file when it is set up, aborts it then, and sees that nothing of it is left. Says how long
/// that took.
async fn aborted(confinement: Confinement, command: &str) -> Duration {
    let desk = Desk::with(confinement.clone());
    let (sleep, ready) = (long_sleep(), desk.root.join("ready"));
    std::fs::create_dir(desk.root.join("sub")).unwrap();
    let ready_inside = desk.root.join("sub/ready");
    let command =
        command.replace("SLEEP", &sleep).replace("READY", &format!("echo yes > {}", ready_inside.display()));
    let abort = async {
        appeared(&ready_inside).await;
        while !is_alive(&sleep.replace(' ', "\0")) {
            tokio::task::yield_now().await;
        }
        let begun = Instant::now();
        desk.controller.abort();
        begun
    };
    let call = async { (desk.bash(&command).await, Instant::now()) };
    let ((said, ended), begun) = tokio::join!(call, abort);
    let text = said.failed();
    assert!(text.contains("[Interrupted by user after ") && text.starts_with("hi\n"), "{text}");
    assert!(!is_alive(&sleep.replace(' ', "\0")), "{confinement:?}: {command}");
    assert!(!ready.exists());
    ended - begun
}

const STUBBORN: &[&str] = &[
    // Two processes in one group.
    "echo hi; SLEEP & READY; SLEEP",
    // They ignore a gentle end.
    "trap '' TERM; echo hi; READY; SLEEP; SLEEP",
    // They leave the group and the session.
    "echo hi; setsid SLEEP & while ! pgrep -f 'SLEEP' >/dev/null; do :; done; READY; SLEEP",
    // They have no parent any more.
    "echo hi; (setsid SLEEP >/dev/null 2>&1 &); READY; SLEEP",
    // They hold the output, ignore a gentle end, and have neither parent nor session.
    "echo hi; (trap '' TERM HUP INT; setsid SLEEP &); READY; SLEEP",
];

#[tokio::test]
async fn an_abort_ends_the_whole_tree_however_it_hides() {
    for command in STUBBORN {
        check_abort(Confinement::probe(), command).await;
    }
}

#[tokio::test]
async fn an_abort_ends_the_whole_tree_also_without_namespaces() {
    for command in STUBBORN {
        check_abort(Confinement::Landlock, command).await;
    }
}

#[tokio::test]
async fn a_grandchild_that_holds_the_output_delays_nothing_and_ends_with_the_call() {
    for confinement in [Confinement::probe(), Confinement::Landlock] {
        let desk = Desk::with(confinement);
        let sleep = long_sleep();
        assert_eq!(desk.bash(&format!("({sleep} &); setsid {sleep} & disown; echo hi")).await.ok(), "hi\n");
        assert!(!is_alive(&sleep.replace(' ', "\0")));
    }
}

#[tokio::test]
async fn long_output_is_cut_in_the_middle_and_kept_whole() {
    let desk = Desk::new();
    let text = desk.bash("yes 'a line of text' | head -c 5000000").await.ok();
    assert!(text.len() < SHOWN_MAX + 400);
    let (_, after) = text.split_once("the whole output is in ").unwrap();
    let (path, _) = after.split_once(" …").unwrap();
    assert_eq!(std::fs::metadata(path).unwrap().len(), 5_000_000);
}

#[tokio::test]
async fn binary_output_and_invalid_text_do_no_harm() {
    let desk = Desk::new();
    let text = desk.bash("head -c 2000 /dev/zero").await.ok();
    assert!(text.starts_with("[binary output of 2000 bytes is not shown"), "{text}");
    let text = desk.bash("printf 'caf\\351\\n\\033[31mred\\033[0m\\n'").await.ok();
    assert!(text.starts_with("caf\u{fffd}\nred\n"), "{text}");
}

#[tokio::test]
async fn a_command_in_the_background_is_read_later_and_ended() {
    let desk = Desk::new();
    let (bash, output, kill) =
        (desk.bash_tool(), BashOutput::new(desk.shell.clone()), KillBash::new(desk.shell.clone()));
    let sleep = long_sleep();
    let command = format!(
        "echo one; echo go > begun; until [ -e more ]; do :; done; echo two; echo go > told; {sleep}"
    );
    let said = desk.run(&bash, json!({ "command": command, "run_in_background": true })).await.ok();
    assert_eq!(said, "runs in the background as bash_1; read its output with BashOutput");
    appeared(&desk.root.join("begun")).await;
    assert_eq!(desk.shell.listed().len(), 1);
    let mut heard = String::new();
    desk.write("more", "");
    appeared(&desk.root.join("told")).await;
    while !heard.contains("two") {
        heard.push_str(&desk.run(&output, json!({ "bash_id": "bash_1" })).await.ok());
    }
    assert_eq!(heard.replace("[still running]", ""), "one\ntwo\n");
    let ended = desk.run(&kill, json!({ "bash_id": "bash_1" })).await.ok();
    assert!(ended.starts_with("bash_1 was ended ("), "{ended}");
    assert!(!is_alive(&sleep.replace(' ', "\0")));
    let unknown = desk.run(&output, json!({ "bash_id": "bash_1" })).await.failed();
    assert_eq!(unknown, "there is no command \"bash_1\" in the background; there are: none");
}

#[tokio::test]
async fn what_runs_in_the_background_ends_with_the_session() {
    let desk = Desk::new();
    let sleep = long_sleep();
    let bash = desk.bash_tool();
    desk.run(&bash, json!({ "command": format!("echo go > begun; {sleep}"), "run_in_background": true }))
        .await
        .ok();
    appeared(&desk.root.join("begun")).await;
    drop(bash);
    let Desk { shell, folder, .. } = desk;
    drop(shell);
    while is_alive(&sleep.replace(' ', "\0")) {
        tokio::task::yield_now().await;
    }
    drop(folder);
}

#[tokio::test]
async fn arguments_that_do_not_fit_are_said_with_their_field() {
    let desk = Desk::new();
    let bash = desk.bash_tool();
    let failed = async |input: &str| desk.permit(&bash, input).await.unwrap_err();
    assert_eq!(
        failed(r#"{"command": 5}"#).await,
        "InputValidationError: `command`: invalid type: integer `5`, expected a string"
    );
    assert_eq!(failed("{}").await, "InputValidationError: missing field `command`");
    assert!(failed(r#"{"command": "ls", "colour": 1}"#).await.contains("`colour`"));
    assert!(failed(r#"{"command": "ls"#).await.contains("not a valid JSON object"));
    assert!(failed(r#"{"command": " "}"#).await.contains("`command`: it is empty"));
    assert!(failed(r#"{"command": "a\u0000b"}"#).await.contains("NUL"));
}

#[tokio::test]
async fn a_command_that_cannot_be_locked_in_waits_for_a_person() {
    let desk = Desk::with(Confinement::None("nothing works".to_owned()));
    let text = desk.bash("echo hi > made").await.failed();
    assert!(text.contains("nothing works") && text.ends_with("a person must allow this command"), "{text}");
    assert!(!desk.root.join("made").exists());
}
