//! Commands of the model in one workspace: the folder they work in, those in the background, and the way from a command to
//! what the model reads. Never runs a command outside of its sandbox unless a person allowed that very command.

mod background;
mod folder;

use std::ffi::OsString;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime};

use agent::StreamController;

use background::Background;
pub use background::Listed;

use crate::checkpoint::Checkpoints;
use crate::output::Capture;
use crate::process::{Ended, Running, locked};
use crate::sandbox::{Network, Sandbox};

/// Between two reports of progress.
const REPORT_EVERY: Duration = Duration::from_millis(500);

/// The commands of one session.
#[derive(Clone)]
pub struct Shell {
    session: Arc<Session>,
}

struct Session {
    sandbox: Sandbox,
    artifacts: PathBuf,
    /// Where the next command begins.
    folder: Mutex<PathBuf>,
    background: Mutex<Background>,
    checkpoints: Option<Checkpoints>,
    calls: AtomicU64,
    /// Tells the calls of this session from those of any other on this machine.
    name: String,
}

/// A command that is to run.
#[derive(Clone, Debug)]
pub(crate) struct Order<'a> {
    /// The very text that was weighed.
    pub(crate) command: &'a str,
    pub(crate) timeout: Duration,
    pub(crate) network: Network,
}

/// What came of a command.
#[derive(Debug)]
pub(crate) struct Finished {
    /// Output, and below it what must be known about the end.
    pub(crate) text: String,
    pub(crate) is_error: bool,
}

impl Shell {
    /// Commands begin in the root of the sandbox. Long outputs are kept in `artifacts`, and what commands change in
    /// `checkpoints`.
    pub fn new(sandbox: Sandbox, artifacts: PathBuf, checkpoints: Option<Checkpoints>) -> Self {
        let since_epoch = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
        let session = Session {
            folder: Mutex::new(sandbox.bounds().root.clone()),
            sandbox,
            artifacts,
            background: Mutex::default(),
            checkpoints,
            calls: AtomicU64::new(0),
            name: format!("{}-{:x}", std::process::id(), since_epoch.as_nanos()),
        };
        Self { session: Arc::new(session) }
    }

    /// How commands are locked in.
    pub fn sandbox(&self) -> &Sandbox {
        &self.session.sandbox
    }

    /// Where the next command begins.
    pub fn folder(&self) -> PathBuf {
        locked(&self.session.folder).clone()
    }

    /// Where what commands change is kept.
    pub(crate) fn checkpoints(&self) -> Option<&Checkpoints> {
        self.session.checkpoints.as_ref()
    }

    /// What runs in the background, and what has ended there.
    pub fn listed(&self) -> Vec<Listed> {
        locked(&self.session.background).listed()
    }

    /// Runs a command to its end, its timeout, or until it is aborted.
    pub(crate) async fn run(
        &self,
        order: &Order<'_>,
        controller: &StreamController,
        report: &(dyn Fn(&str) + Sync),
    ) -> Finished {
        let begun = Instant::now();
        let (mut running, note) = match self.start(order) {
            Ok(started) => started,
            Err(error) => return Finished::failed(format!("the command could not be started: {error}")),
        };
        let mut reports = tokio::time::interval(REPORT_EVERY);
        let timeout = tokio::time::sleep(order.timeout);
        let aborted = controller.subscribe();
        tokio::pin!(timeout, aborted);
        let end = loop {
            tokio::select! {
                ended = running.wait() => break End::of(ended),
                () = &mut aborted => break End::Interrupted,
                () = &mut timeout => break End::TimedOut(order.timeout),
                _ = reports.tick() => report(&running.capture().last_line()),
            }
        };
        if !matches!(end, End::Exited(_) | End::Killed(_)) {
            running.stop().await;
        }
        let mut text = running.capture().view().text;
        end.tell(&mut text, begun.elapsed());
        if let Some(words) = self.follow(&note) {
            add_line(&mut text, &words);
        }
        Finished { text, is_error: end != End::Exited(0) }
    }

    /// Starts a command and leaves it running. Gives its name.
    pub(crate) fn run_in_background(&self, order: &Order<'_>) -> Result<String, String> {
        locked(&self.session.background).check_room()?;
        let (running, _) =
            self.start(order).map_err(|error| format!("the command could not be started: {error}"))?;
        Ok(locked(&self.session.background).add(order.command, running))
    }

    /// What a command in the background said since this was asked last, and whether it still runs.
    pub(crate) fn background_output(&self, name: &str) -> Result<Finished, String> {
        locked(&self.session.background).output(name)
    }

    /// Ends a command in the background.
    pub(crate) async fn kill_background(&self, name: &str) -> Result<String, String> {
        // Taken out first: no lock is held while the command gets its grace.
        let mut task = locked(&self.session.background).remove(name)?;
        let ended = task.running.stop().await;
        let mut text = task.rest().text;
        add_line(&mut text, &format!("{name} was ended ({})", told(ended)));
        Ok(text)
    }

    fn start(&self, order: &Order<'_>) -> io::Result<(Running, PathBuf)> {
        let session = &self.session;
        let call = format!("{}-{}", session.name, session.calls.fetch_add(1, Ordering::Relaxed));
        let note = format!(".folder-{call}");
        let script = folder::script(&session.sandbox.temporary_inside().join(&note));
        let program =
            ["/bin/bash", "--noprofile", "--norc", "-c", &script, "bash", order.command].map(OsString::from);
        let begin = self.begin_folder();
        let launch = session.sandbox.launch(&program, &begin, order.network, &call)?;
        // Outputs may hold what nobody else should read.
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(&session.artifacts)?;
        let capture = Capture::new(session.artifacts.join(format!("{call}.txt")));
        Ok((Running::start(launch, capture)?, session.sandbox.bounds().temporary.join(note)))
    }

    /// The carried folder, or the root if it is gone.
    fn begin_folder(&self) -> PathBuf {
        let folder = self.folder();
        if folder.is_dir() { folder } else { self.session.sandbox.bounds().root.clone() }
    }

    /// Carries on where the command left off. Says so if that is not allowed.
    fn follow(&self, note: &Path) -> Option<String> {
        let root = &self.session.sandbox.bounds().root;
        let left = folder::taken(note)?;
        let inside = left.canonicalize().ok().filter(|real| real.starts_with(root) && real.is_dir());
        let mut folder = locked(&self.session.folder);
        match inside {
            Some(real) => {
                *folder = real;
                None
            }
            None => {
                root.clone_into(&mut folder);
                Some(format!(
                    "[the next command begins in {} again: {} is outside of the workspace]",
                    root.display(),
                    left.display()
                ))
            }
        }
    }
}

impl Finished {
    fn failed(text: String) -> Self {
        Self { text, is_error: true }
    }
}

/// Why a command is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    Exited(i32),
    Killed(i32),
    TimedOut(Duration),
    Interrupted,
}

impl End {
    fn of(ended: Ended) -> Self {
        match ended {
            Ended::Exited(code) => Self::Exited(code),
            Ended::Killed(signal) => Self::Killed(signal),
        }
    }

    fn tell(self, text: &mut String, took: Duration) {
        match self {
            Self::Exited(0) => {}
            Self::Exited(code) => add_line(text, &format!("Exit code {code}")),
            Self::Killed(signal) => add_line(text, &format!("Killed by signal {signal}")),
            Self::TimedOut(after) => {
                add_line(text, &format!("Command timed out after {} ms", after.as_millis()));
            }
            Self::Interrupted => {
                add_line(text, &format!("[Interrupted by user after {:.1}s]", took.as_secs_f64()));
            }
        }
    }
}

fn told(ended: Ended) -> String {
    match ended {
        Ended::Exited(code) => format!("exit code {code}"),
        Ended::Killed(signal) => format!("signal {signal}"),
    }
}

fn add_line(text: &mut String, line: &str) {
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    text.push_str(line);
}
