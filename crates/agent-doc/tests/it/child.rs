//! The owner of a project in a process of its own: this test binary, run again.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use workspace::daemon::Daemon;
use workspace::owner::Options;
use workspace::project;

const MARK: &str = "AGENT_DOC_TEST_DAEMON";

/// Ended when it is dropped.
pub(crate) struct Owner(Child);

impl Drop for Owner {
    fn drop(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

/// The daemon of the folder.
pub(crate) fn own(folder: &Path) -> Owner {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "child::the_daemon_that_other_tests_start", "--nocapture"]).env(MARK, folder);
    let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.as_mut().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("ready")), "the daemon died early");
    Owner(child)
}

#[test]
fn the_daemon_that_other_tests_start() {
    let Some(folder) = std::env::var_os(MARK) else { return };
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let hub = project::open(Path::new(&folder), Options::default()).unwrap();
        let daemon = Daemon::listen(hub).unwrap();
        println!("ready");
        daemon.run(std::future::pending()).await;
    });
}
