//! A pane of tmux, by tmux's own commands. Never reads or types anywhere else.

use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use tokio::process::Command;
use tokio::time::timeout;

use super::super::last_words::shown;
use crate::session::agent::AgentError;

/// How long tmux may take for a command.
const COMMAND_MAX: Duration = Duration::from_secs(10);

/// Whatever is typed into one of these is run.
const SHELLS: [&str; 14] = [
    "sh", "ash", "bash", "csh", "dash", "elvish", "fish", "ksh", "mksh", "nu", "pwsh", "tcsh", "xonsh", "zsh",
];

/// A pane.
#[derive(Debug)]
pub(super) struct Pane {
    agent: String,
    target: String,
    pub(super) socket: Option<PathBuf>,
}

impl Pane {
    pub(super) fn new(agent: &str, target: &str) -> Self {
        Self { agent: agent.to_owned(), target: target.to_owned(), socket: None }
    }

    /// A prompt in a shell would be a list of commands.
    pub(super) async fn must_not_be_shell(&self) -> Result<(), AgentError> {
        let format = "#{pane_dead} #{pane_current_command}";
        let told = self.tmux(&["display-message", "-p", "-t", &self.target, format], None).await?;
        match told.trim().split_once(' ') {
            Some(("0", command)) if !SHELLS.contains(&command.trim_start_matches('-')) => Ok(()),
            Some(("0", command)) => {
                Err(self.failure(&format!("{command} runs in the pane, and no agent; start one there")))
            }
            Some(_) | None => Err(self.failure("nothing runs in the pane; start an agent there")),
        }
    }

    /// All that the pane shows and showed, one line for each, wrapped ones joined.
    pub(super) async fn capture(&self) -> Result<String, AgentError> {
        self.tmux(&["capture-pane", "-p", "-J", "-S", "-", "-t", &self.target], None).await
    }

    /// Puts a text where the program expects one, as one piece if the program can tell.
    pub(super) async fn paste(&self, text: &str) -> Result<(), AgentError> {
        let buffer = format!("agent-doc-{}", uuid::Uuid::now_v7());
        // An escape in it could end the paste, and what follows would be keys.
        let text: String = text.chars().filter(|c| !c.is_control() || matches!(c, '\n' | '\t')).collect();
        self.tmux(&["load-buffer", "-b", &buffer, "-"], Some(text.trim_end())).await?;
        self.tmux(&["paste-buffer", "-p", "-r", "-d", "-b", &buffer, "-t", &self.target], None).await?;
        Ok(())
    }

    pub(super) async fn enter(&self) -> Result<(), AgentError> {
        self.tmux(&["send-keys", "-t", &self.target, "Enter"], None).await.map(drop)
    }

    /// Tells the program to stop, with the key that it says it listens to.
    pub(super) async fn interrupt(&self, by_escape: bool) -> Result<(), AgentError> {
        let key = if by_escape { "Escape" } else { "C-c" };
        self.tmux(&["send-keys", "-t", &self.target, key], None).await.map(drop)
    }

    async fn tmux(&self, arguments: &[&str], input: Option<&str>) -> Result<String, AgentError> {
        let mut command = Command::new("tmux");
        if let Some(socket) = &self.socket {
            command.arg("-S").arg(socket);
        }
        command.args(arguments).kill_on_drop(true).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() });
        let mut child = command.spawn().map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => AgentError::Absent { program: "tmux".to_owned() },
            _ => self.failure(&format!("tmux cannot be started: {error}")),
        })?;
        if let (Some(mut stdin), Some(input)) = (child.stdin.take(), input) {
            // A tmux that does not listen says why on its error stream.
            stdin.write_all(input.as_bytes()).await.ok();
        }
        let output = timeout(COMMAND_MAX, child.wait_with_output()).await;
        match output {
            Ok(Ok(output)) if output.status.success() => {
                Ok(String::from_utf8_lossy(&output.stdout).into_owned())
            }
            Ok(Ok(output)) => Err(self.failure(&shown(&String::from_utf8_lossy(&output.stderr)))),
            Ok(Err(error)) => Err(self.failure(&format!("tmux failed: {error}"))),
            Err(_) => Err(self.failure("tmux does not answer")),
        }
    }

    fn failure(&self, told: &str) -> AgentError {
        AgentError::Failed { agent: self.agent.clone(), told: told.to_owned() }
    }
}
