//! The process of an outside agent from its start to its end, with everything that it started itself. Never signals a number that
//! the system may have given to another.

use std::io;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::watch;

use super::tree;

/// From the gentle signal to the other one.
const GRACE: Duration = Duration::from_millis(400);

/// How often left-over processes are looked for; each look finds what the ones before it had just started.
const SWEEPS_MAX: usize = 50;

/// What is started.
pub(super) struct Launch<'a> {
    pub(super) program: &'a str,
    pub(super) arguments: Vec<String>,
    /// Variables that it does not inherit.
    pub(super) without: &'a [String],
    pub(super) folder: &'a Path,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// By itself, with this code.
    Exited(i32),
    /// By a signal.
    Killed(i32),
}

impl From<ExitStatus> for Ended {
    fn from(status: ExitStatus) -> Self {
        status.code().map_or_else(|| Self::Killed(status.signal().unwrap_or_default()), Self::Exited)
    }
}

/// A process that was started. Dropping it before its end kills all of it.
pub(super) struct Running {
    process: Arc<Process>,
    ended: watch::Receiver<Option<Ended>>,
}

/// The three streams of a process.
pub(super) struct Streams {
    pub(super) stdin: ChildStdin,
    pub(super) stdout: ChildStdout,
    pub(super) stderr: ChildStderr,
}

impl Running {
    /// Starts a program in a process group of its own.
    pub(super) fn start(launch: &Launch<'_>) -> io::Result<(Self, Streams)> {
        let mark = uuid::Uuid::now_v7().to_string();
        let mut command = Command::new(launch.program);
        command.args(&launch.arguments).current_dir(launch.folder).env(tree::MARK, &mark).process_group(0);
        launch.without.iter().for_each(|variable| {
            command.env_remove(variable);
        });
        let mut child =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let process = Arc::new(Process { pid: Mutex::new(Some(Pid::from_child(&child))), mark });
        let streams = streams_of(&mut child);
        let (tell_end, ended) = watch::channel(None);
        // From here on a failure drops it, and so kills it.
        let running = Self { process: process.clone(), ended };
        thread::Builder::new().name("outside agent".to_owned()).spawn(move || {
            let outcome = process.attend(child);
            tell_end.send_replace(Some(outcome));
        })?;
        Ok((running, streams?))
    }

    /// Waits for the end.
    pub(super) async fn wait(&mut self) -> Ended {
        match self.ended.wait_for(Option::is_some).await {
            Ok(ended) => ended.unwrap_or(Ended::Killed(0)),
            Err(_) => Ended::Killed(0),
        }
    }

    /// Tells all that belongs to it to end, and kills what does not.
    pub(super) async fn stop(&mut self) {
        self.process.signal_tree(Signal::TERM);
        // Whoever is still there afterwards had its time.
        tokio::time::timeout(GRACE, self.wait()).await.ok();
        self.process.kill();
        self.wait().await;
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.ended.borrow().is_none() {
            self.process.kill();
        }
    }
}

fn streams_of(child: &mut Child) -> io::Result<Streams> {
    let gone = || io::Error::other("a stream of the agent is missing");
    Ok(Streams {
        stdin: ChildStdin::from_std(child.stdin.take().ok_or_else(gone)?)?,
        stdout: ChildStdout::from_std(child.stdout.take().ok_or_else(gone)?)?,
        stderr: ChildStderr::from_std(child.stderr.take().ok_or_else(gone)?)?,
    })
}

/// What can be signalled. Without a number once the system may give it away.
struct Process {
    pid: Mutex<Option<Pid>>,
    mark: String,
}

impl Process {
    /// Waits for the end. What is left in its group then goes with it; what left the group was meant to stay.
    fn attend(&self, mut child: Child) -> Ended {
        let pid = Pid::from_child(&child);
        // Not reaped yet: as long as it lies there, nobody else gets its number.
        while let Err(rustix::io::Errno::INTR) =
            waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT)
        {}
        let mut known = self.pid();
        kill_process_group(pid, Signal::KILL).ok();
        *known = None;
        drop(known);
        child.wait().map_or(Ended::Killed(0), Ended::from)
    }

    /// Kills all of it, wherever it hid.
    fn kill(&self) {
        self.signal_tree(Signal::KILL);
        for _ in 0..SWEEPS_MAX {
            let left = tree::marked(&self.mark);
            if left.is_empty() {
                return;
            }
            for member in left {
                // Whoever is gone already needs no signal.
                kill_process(member, Signal::KILL).ok();
            }
            thread::yield_now();
        }
    }

    fn signal_tree(&self, signal: Signal) {
        let pid = self.pid();
        if let Some(pid) = *pid {
            for member in tree::descendants(pid) {
                kill_process(member, signal).ok();
            }
            kill_process_group(pid, signal).ok();
        }
        drop(pid);
        for member in tree::marked(&self.mark) {
            kill_process(member, signal).ok();
        }
    }

    /// A panic elsewhere leaves a number whole, so a poisoned lock is as good as any.
    fn pid(&self) -> MutexGuard<'_, Option<Pid>> {
        self.pid.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
