//! This test binary, run again as another process.

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};

const MARK: &str = "AGENT_DOC_TEST_CHILD";

/// Whether this process was started by a test.
pub(crate) fn is_child() -> bool {
    std::env::var_os(MARK).is_some()
}

/// What the test that started this process has to say.
pub(crate) fn told() -> String {
    std::env::var(MARK).unwrap()
}

/// Runs `test` in another process, after the shell has done `first`.
pub(crate) fn run_after(first: &str, test: &str) {
    run_in(Command::new("sh"), first, test);
}

/// As [`run_after`], for a user of its own, whose limits are nobody else's.
pub(crate) fn run_apart(first: &str, test: &str) {
    let mut apart = Command::new("unshare");
    apart.args(["--user", "--map-root-user", "--", "sh"]);
    run_in(apart, first, test);
}

fn run_in(mut shell: Command, first: &str, test: &str) {
    shell.args(["-c", &format!("{first}; exec \"$0\" \"$@\"")]).arg(std::env::current_exe().unwrap());
    let output = shell.args(["--exact", test]).env(MARK, "1").output().unwrap();
    let told = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(output.status.success() && told.contains("1 passed"), "{first}: {told}");
}

/// Starts `test` in another process, and waits until it says `ready`.
pub(crate) fn start(test: &str, tell: &str) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", test, "--nocapture"]).env(MARK, tell);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.as_mut().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("ready")), "the child died early");
    child
}
