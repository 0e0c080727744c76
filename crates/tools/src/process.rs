//! A program of a model from its start to its end, with everything that it started itself. Never leaves a process behind, and
//! never sends a signal to a number that the system may have given to another.

mod tree;

use std::io::{self, PipeReader, Read as _};
use std::os::fd::AsFd as _;
use std::os::unix::process::{CommandExt as _, ExitStatusExt as _};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use rustix::event::{PollFd, PollFlags, poll};
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process, kill_process_group, waitid};
use tokio::sync::watch;

pub use tree::MARK;

use crate::limits::{DRAIN, GRACE};
use crate::output::Capture;

/// Looks for left-over processes so many times; each look finds what the ones before it had just started.
const SWEEPS_MAX: usize = 50;
const SWEEP_PAUSE: std::time::Duration = std::time::Duration::from_millis(1);
const READ_MAX: usize = 65_536;

/// A program ready to be started. Its streams are set when it starts.
pub struct Launch {
    /// The program, its arguments, folder and environment.
    pub command: Command,
    /// Locks the thread in which the program is started, and so the program.
    pub confine: Option<Confine>,
    /// The value of [`MARK`] in the environment of the program; no other program has it.
    pub mark: String,
    /// Held until the program has ended.
    pub held: Option<Box<dyn Send>>,
}

/// Gives up rights of the thread that calls it, for good.
pub type Confine = Box<dyn FnOnce() -> io::Result<()> + Send>;

/// How a program ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
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

/// A program that was started. Dropping it kills all of it.
pub struct Running {
    process: Arc<Process>,
    capture: Arc<Mutex<Capture>>,
    ended: watch::Receiver<Option<Ended>>,
}

impl Running {
    /// Starts a program in a process group of its own, with nothing to read and both outputs in one, in the order in which
    /// they were written.
    pub fn start(launch: Launch, capture: Capture) -> io::Result<Self> {
        let capture = Arc::new(Mutex::new(capture));
        let process = Arc::new(Process { pid: Mutex::new(None), mark: launch.mark.clone() });
        let (tell_start, started) = mpsc::channel();
        let (tell_end, ended) = watch::channel(None);
        let keeper = Keeper { process: process.clone(), capture: capture.clone(), tell_start };
        // One thread for each program: the rights that it gives up are its own, and a program that must die with the
        // thread that started it lives as long as it should.
        thread::Builder::new().name("command".to_owned()).spawn(move || {
            let outcome = keeper.keep(launch);
            tell_end.send_replace(Some(outcome));
        })?;
        started.recv().map_err(|_| io::Error::other("the thread of the command ended early"))??;
        Ok(Self { process, capture, ended })
    }

    /// Waits for the end.
    pub async fn wait(&mut self) -> Ended {
        match self.ended.wait_for(Option::is_some).await {
            Ok(ended) => ended.unwrap_or(Ended::Killed(0)),
            Err(_) => Ended::Killed(0),
        }
    }

    /// How it ended, if it has.
    pub fn ended(&self) -> Option<Ended> {
        *self.ended.borrow()
    }

    /// Tells the program to end, and kills it if it does not.
    pub async fn stop(&mut self) -> Ended {
        self.process.signal_tree(Signal::TERM);
        if let Ok(ended) = tokio::time::timeout(GRACE, self.wait()).await {
            return ended;
        }
        self.process.kill();
        self.wait().await
    }

    /// The output so far.
    pub fn capture(&self) -> MutexGuard<'_, Capture> {
        locked(&self.capture)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.process.kill();
    }
}

/// What can be signalled. Without a number once the system may give it away.
struct Process {
    pid: Mutex<Option<Pid>>,
    mark: String,
}

impl Process {
    fn kill(&self) {
        self.signal_tree(Signal::KILL);
        let pid = locked(&self.pid);
        if let Some(pid) = *pid {
            // Whoever is gone already needs no signal.
            kill_process_group(pid, Signal::KILL).ok();
        }
    }

    /// Signals all that descend from the program, wherever they hid. The program itself is spared a gentle signal if it only
    /// guards others, which would die with it at once.
    fn signal_tree(&self, signal: Signal) {
        let pid = locked(&self.pid);
        let Some(pid) = *pid else { return };
        let mut family = tree::descendants(pid);
        family.extend(tree::marked(&self.mark));
        let is_guard = signal == Signal::TERM && !family.is_empty() && tree::is_guard(pid);
        if !is_guard {
            family.push(pid);
        }
        for member in family {
            kill_process(member, signal).ok();
        }
    }

    /// Kills what outlived the program. Only while its number is still its own.
    fn sweep(&self) {
        let pid = locked(&self.pid);
        if let Some(pid) = *pid {
            kill_process_group(pid, Signal::KILL).ok();
        }
        kill_marked(&self.mark);
    }
}

/// Kills all that bear the mark, also those that left their parents and their group.
pub(crate) fn kill_marked(mark: &str) {
    for _ in 0..SWEEPS_MAX {
        let left = tree::marked(mark);
        if left.is_empty() {
            return;
        }
        for member in left {
            kill_process(member, Signal::KILL).ok();
        }
        // On a busy machine one that was killed takes a moment to be gone.
        thread::sleep(SWEEP_PAUSE);
    }
}

/// Lives as long as the program.
struct Keeper {
    process: Arc<Process>,
    capture: Arc<Mutex<Capture>>,
    tell_start: Sender<io::Result<()>>,
}

impl Keeper {
    fn keep(self, launch: Launch) -> Ended {
        let held = launch.held;
        let outcome = match begin(launch.command, launch.confine) {
            Ok((child, output)) => self.attend(child, output),
            Err(error) => {
                // Nobody waits for the answer only if the program is no longer wanted.
                self.tell_start.send(Err(error)).ok();
                Ended::Killed(0)
            }
        };
        drop(held);
        outcome
    }

    fn attend(self, mut child: Child, output: PipeReader) -> Ended {
        let pid = Pid::from_child(&child);
        *locked(&self.process.pid) = Some(pid);
        let reading = Reading::start(output, self.capture.clone());
        if reading.is_err() {
            // Nobody would hear it.
            self.process.kill();
        }
        let (reading, started) = match reading {
            Ok(reading) => (Some(reading), Ok(())),
            Err(error) => (None, Err(error)),
        };
        self.tell_start.send(started).ok();
        // Not reaped yet: as long as it lies there, nobody else gets its number.
        while let Err(rustix::io::Errno::INTR) =
            waitid(WaitId::Pid(pid), WaitIdOptions::EXITED | WaitIdOptions::NOWAIT)
        {}
        self.process.sweep();
        *locked(&self.process.pid) = None;
        let ended = child.wait().map_or(Ended::Killed(0), Ended::from);
        if let Some(reading) = reading {
            reading.finish();
        }
        ended
    }
}

fn begin(mut command: Command, confine: Option<Confine>) -> io::Result<(Child, PipeReader)> {
    let (output, written) = io::pipe()?;
    command.stdin(Stdio::null()).stdout(written.try_clone()?).stderr(written).process_group(0);
    if let Some(confine) = confine {
        confine()?;
    }
    Ok((command.spawn()?, output))
}

/// A thread that reads until nobody writes any more, or until it is told to let go.
struct Reading {
    /// Dropped to let go.
    wake: io::PipeWriter,
    done: Receiver<()>,
}

impl Reading {
    fn start(output: PipeReader, capture: Arc<Mutex<Capture>>) -> io::Result<Self> {
        let (woken, wake) = io::pipe()?;
        let (tell_done, done) = mpsc::channel();
        let read = move || {
            read_all(output, &woken, &capture);
            tell_done.send(()).ok();
        };
        thread::Builder::new().name("command output".to_owned()).spawn(read)?;
        Ok(Self { wake, done })
    }

    /// Waits a little for the rest. A process that escaped everything may hold the other end for ever.
    fn finish(self) {
        let Self { wake, done } = self;
        if done.recv_timeout(DRAIN).is_err() {
            drop(wake);
            done.recv().ok();
        }
    }
}

fn read_all(mut output: PipeReader, woken: &PipeReader, capture: &Mutex<Capture>) {
    let mut buffer = vec![0; READ_MAX];
    loop {
        let mut watched = [
            PollFd::from_borrowed_fd(output.as_fd(), PollFlags::IN),
            PollFd::from_borrowed_fd(woken.as_fd(), PollFlags::IN),
        ];
        match poll(&mut watched, None) {
            Ok(_) => {}
            Err(rustix::io::Errno::INTR) => continue,
            Err(_) => return,
        }
        let [readable, told_to_let_go] = watched.map(|watched| !watched.revents().is_empty());
        if !readable && told_to_let_go {
            return;
        }
        match output.read(&mut buffer) {
            Ok(0) => return,
            Ok(length) => locked(capture).take(buffer.get(..length).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(_) => return,
        }
        if told_to_let_go {
            return;
        }
    }
}

/// A panic elsewhere leaves what we guard whole, so a poisoned lock is as good as any.
pub(crate) fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
