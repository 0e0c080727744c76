//! The terminal while it is ours: letters come at once, pastes come whole, and nothing but the screen writes. Never leaves it changed,
//! also after a panic.

use std::fs::OpenOptions;
use std::io::{Result, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use crossterm::terminal::{disable_raw_mode, enable_raw_mode};

/// Pastes come marked, so that a line break in one is no enter.
const ENTER: &str = "\x1b[?2004h";
/// Back to how it was, with a cursor that can be seen.
const LEAVE: &str = "\x1b[?2004l\x1b[0m\x1b[?25h\x1b[?2026l";

/// Gives the terminal back when it is dropped.
#[derive(Debug)]
pub struct Guard {
    stderr: Arc<Mutex<Option<OwnedFd>>>,
}

impl Guard {
    /// Takes the terminal. What others write to standard error goes to `log`.
    ///
    /// # Errors
    ///
    /// There is no terminal, or it cannot be used so.
    pub fn take(log: &Path) -> Result<Guard> {
        let stderr = Arc::new(Mutex::new(None));
        enter()?;
        if let Some(original) = silenced(log) {
            *stderr.lock().unwrap_or_else(PoisonError::into_inner) = Some(original);
        }
        restore_before_panicking(Arc::clone(&stderr));
        Ok(Guard { stderr })
    }

    /// Gives the terminal to somebody else for a while.
    ///
    /// # Errors
    ///
    /// The terminal did not come back.
    pub fn lend<T>(&self, borrower: impl FnOnce() -> T) -> Result<T> {
        leave();
        let given_back = borrower();
        enter()?;
        Ok(given_back)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        leave();
        restore(&self.stderr);
        // The hook cannot be changed in the middle of a panic, and then the program ends anyway.
        if !std::thread::panicking() {
            drop(std::panic::take_hook());
        }
    }
}

fn enter() -> Result<()> {
    enable_raw_mode()?;
    write(ENTER);
    Ok(())
}

fn leave() {
    write(LEAVE);
    if disable_raw_mode().is_err() {
        // The terminal is gone, and nobody sees how it is.
    }
}

fn write(bytes: &str) {
    let mut out = std::io::stdout().lock();
    if out.write_all(bytes.as_bytes()).and_then(|()| out.flush()).is_err() {
        // The terminal is gone; the next picture finds out.
    }
}

/// Puts a file in the place of standard error. What stood there is given back.
#[cfg(target_os = "linux")]
fn silenced(log: &Path) -> Option<OwnedFd> {
    let file = OpenOptions::new().create(true).append(true).open(log).ok()?;
    let original = std::io::stderr().as_fd().try_clone_to_owned().ok()?;
    rustix::stdio::dup2_stderr(&file).ok()?;
    Some(original)
}

#[cfg(not(target_os = "linux"))]
fn silenced(_: &Path) -> Option<OwnedFd> {
    None
}

fn restore(stderr: &Mutex<Option<OwnedFd>>) {
    let original = stderr.lock().unwrap_or_else(PoisonError::into_inner).take();
    #[cfg(target_os = "linux")]
    if let Some(original) = original
        && rustix::stdio::dup2_stderr(&original).is_err()
    {
        // Then words to standard error stay in the log.
    }
    #[cfg(not(target_os = "linux"))]
    drop(original);
}

/// A panic of the front end itself gives the terminal back before it is told. One of a tool's thread goes to the log.
fn restore_before_panicking(stderr: Arc<Mutex<Option<OwnedFd>>>) {
    let front = std::thread::current().id();
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if std::thread::current().id() == front {
            leave();
            restore(&stderr);
        }
        usual(panic);
    }));
}
