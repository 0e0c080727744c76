//! A terminal of a person: a pane of tmux with a server of its own.

use std::path::PathBuf;
use std::process::Command;

use super::scene::Scene;

/// Ends, with its server, when it is dropped.
pub(super) struct Terminal {
    socket: PathBuf,
    home: PathBuf,
}

impl Terminal {
    /// Runs a command of the shell in the project, in a terminal of 120 columns and 40 lines.
    pub(super) fn open(scene: &Scene, command: &str) -> Terminal {
        let home = scene.scratch.path("home");
        let terminal = Terminal { socket: home.join("tmux"), home };
        let project = scene.path("").display().to_string();
        let size = ["new-session", "-d", "-x", "120", "-y", "40", "-c", &project, command];
        terminal.tmux(&[["-f", "/dev/null"].as_slice(), &size].concat());
        terminal.tmux(&["set-option", "-s", "escape-time", "0"]);
        terminal
    }

    /// What it shows.
    pub(super) fn shown(&self) -> String {
        self.tmux(&["capture-pane", "-p"])
    }

    pub(super) fn tmux(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("tmux");
        command.arg("-S").arg(&self.socket).args(arguments).env_remove("TMUX").env("TERM", "xterm-256color");
        let output = command.env("HOME", &self.home).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "tmux {arguments:?}: {told}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        drop(Command::new("tmux").arg("-S").arg(&self.socket).arg("kill-server").output());
    }
}
