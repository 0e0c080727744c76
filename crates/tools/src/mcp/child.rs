//! A server that is a program of this machine. Never outlives us, however we end, and never leaves a process of its own behind.

use std::collections::VecDeque;
use std::io;
use std::process::{Child as Guard, Command as GuardCommand, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};

use rustix::process::{Pid, Signal, kill_process_group};
use tokio::io::AsyncReadExt as _;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::task::JoinSet;

use std::os::unix::process::CommandExt as _;

use super::Surroundings;
use super::words::{short, without_secrets};
use crate::limits::{DRAIN, GRACE, SERVER_WORDS_MAX};
use crate::process::{Ended, MARK, kill_marked, locked};
use crate::web::Key;

/// Waits until nobody holds the other end of its input, which is us alone, and takes its whole group along.
const WATCH: &str = "read -r nothing; kill -KILL 0";

/// A program, its arguments, and what it finds in its environment beside the usual.
pub(super) struct Program<'a> {
    pub(super) command: &'a str,
    pub(super) arguments: &'a [String],
    pub(super) environment: &'a [(String, Key)],
    /// Marks all of its processes.
    pub(super) mark: String,
}

/// A running server. Dropping it kills all of it.
pub(super) struct Process {
    child: Child,
    words: Arc<Mutex<VecDeque<u8>>>,
    reading: JoinSet<()>,
    /// Last, so that it is dropped when nothing else needs the program.
    _group: Group,
}

impl Process {
    /// Starts a program in a group of its own.
    pub(super) fn start(
        program: &Program<'_>,
        surroundings: &Surroundings,
    ) -> io::Result<(Self, ChildStdout, ChildStdin)> {
        let group = Group::start(&program.mark)?;
        let mut command = Command::new(program.command);
        command.args(program.arguments).current_dir(&surroundings.folder);
        command.env_clear().envs(surroundings.environment.iter().map(|(name, value)| (name, value)));
        command.envs(program.environment.iter().map(|(name, value)| (name, value.reveal())));
        command.env(MARK, &program.mark);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.process_group(group.pid().as_raw_nonzero().get()).kill_on_drop(true);
        let mut child = command.spawn()?;
        let (Some(output), Some(input)) = (child.stdout.take(), child.stdin.take()) else {
            return Err(io::Error::other("its streams are missing"));
        };
        let words = Arc::default();
        let mut reading = JoinSet::new();
        if let Some(stderr) = child.stderr.take() {
            reading.spawn(listen(stderr, Arc::clone(&words)));
        }
        Ok((Self { child, words, reading, _group: group }, output, input))
    }

    /// Waits a little for its end, and gives it as much to end by itself.
    pub(super) async fn stop(&mut self) {
        tokio::time::timeout(GRACE, self.child.wait()).await.ok();
    }

    /// How it ended, if it has, and what it said last.
    pub(super) async fn obituary(&mut self, secrets: &[Key]) -> String {
        let ended = tokio::time::timeout(DRAIN, self.child.wait()).await;
        if ended.is_ok() {
            // The rest of its words is on the way, unless a process that it started holds the other end.
            tokio::time::timeout(DRAIN, self.reading.join_next()).await.ok();
        }
        let ended = match ended {
            Ok(Ok(status)) => told(status),
            Ok(Err(_)) | Err(_) => "it still runs".to_owned(),
        };
        let words: Vec<u8> = locked(&self.words).iter().copied().collect();
        let words = without_secrets(String::from_utf8_lossy(&words).into_owned(), secrets);
        let words = short(words.trim());
        if words.is_empty() {
            format!("{ended}, without a word")
        } else {
            format!("{ended}; it last said: {words}")
        }
    }
}

fn told(status: ExitStatus) -> String {
    match Ended::from(status) {
        Ended::Exited(code) => format!("exit code {code}"),
        Ended::Killed(signal) => format!("signal {signal}"),
    }
}

/// Keeps the end of what a server says to nobody. It must be read: a program whose pipe is full stands still.
async fn listen(mut stderr: ChildStderr, words: Arc<Mutex<VecDeque<u8>>>) {
    let mut buffer = [0; 4096];
    while let Ok(length @ 1..) = stderr.read(&mut buffer).await {
        let mut words = locked(&words);
        words.extend(buffer.get(..length).unwrap_or_default());
        let excess = words.len().saturating_sub(SERVER_WORDS_MAX);
        words.drain(..excess);
    }
}

/// A group of processes that ends when we do. Its first member only watches, so the number of the group is ours as long
/// as this lives, and even if we are killed without warning, somebody is left to end the others.
struct Group {
    guard: Guard,
    mark: String,
}

impl Group {
    fn start(mark: &str) -> io::Result<Self> {
        let mut command = GuardCommand::new("/bin/sh");
        command.args(["-c", WATCH]).env_clear().process_group(0);
        command.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        Ok(Self { guard: command.spawn()?, mark: mark.to_owned() })
    }

    fn pid(&self) -> Pid {
        Pid::from_child(&self.guard)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        // Whoever is gone already needs no signal.
        kill_process_group(self.pid(), Signal::KILL).ok();
        kill_marked(&self.mark);
        self.guard.wait().ok();
    }
}
