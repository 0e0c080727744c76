//! Signals that end a command, as the exit codes that a shell gives them. Never ends the process itself.

use agent::StreamController;

/// Ctrl-C.
pub(crate) const INTERRUPTED: u8 = 130;
/// The system, or another program, wants us to end.
pub(crate) const TERMINATED: u8 = 143;
/// The terminal is gone.
pub(crate) const HUNG_UP: u8 = 129;

/// Stops what is under way when the shell or the system wants the program to end. Gives back the exit code for it.
pub(crate) fn listen(stop: StreamController) -> tokio::task::JoinHandle<u8> {
    // From here on, not from when the task gets its turn: a signal in between would end the program.
    let signalled = signalled();
    tokio::spawn(async move {
        let code = signalled.await;
        stop.abort();
        code
    })
}

/// The same without ctrl-c, for one to whom that is a key. Gives back the exit code.
pub(crate) fn listen_for_ends() -> tokio::task::JoinHandle<u8> {
    tokio::spawn(ended())
}

#[cfg(unix)]
fn ended() -> impl Future<Output = u8> + Send {
    use tokio::signal::unix::{SignalKind, signal};
    let (terminate, hangup) = (signal(SignalKind::terminate()), signal(SignalKind::hangup()));
    async move {
        let (Ok(mut terminate), Ok(mut hangup)) = (terminate, hangup) else {
            return std::future::pending().await;
        };
        tokio::select! {
            _ = terminate.recv() => TERMINATED,
            _ = hangup.recv() => HUNG_UP,
        }
    }
}

#[cfg(not(unix))]
async fn ended() -> u8 {
    std::future::pending().await
}

/// Ctrl-C, as often as it comes.
#[cfg(unix)]
pub(crate) struct Interrupts(Option<tokio::signal::unix::Signal>);

#[cfg(unix)]
impl Interrupts {
    /// From here on it no longer ends the program.
    pub(crate) fn listen() -> Interrupts {
        use tokio::signal::unix::{SignalKind, signal};
        Interrupts(signal(SignalKind::interrupt()).ok())
    }

    /// The next one. Can be dropped while it waits.
    pub(crate) async fn next(&mut self) {
        let received = match &mut self.0 {
            Some(signal) => signal.recv().await,
            None => None,
        };
        if received.is_none() {
            std::future::pending::<()>().await;
        }
    }
}

/// Ctrl-C, as often as it comes.
#[cfg(not(unix))]
pub(crate) struct Interrupts;

#[cfg(not(unix))]
impl Interrupts {
    /// From here on it no longer ends the program.
    pub(crate) fn listen() -> Interrupts {
        Interrupts
    }

    /// The next one. Can be dropped while it waits.
    pub(crate) async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(unix)]
fn signalled() -> impl Future<Output = u8> + Send {
    use tokio::signal::unix::{SignalKind, signal};
    let (interrupt, terminate) = (signal(SignalKind::interrupt()), signal(SignalKind::terminate()));
    let hangup = signal(SignalKind::hangup());
    async move {
        let (Ok(mut interrupt), Ok(mut terminate), Ok(mut hangup)) = (interrupt, terminate, hangup) else {
            return std::future::pending().await;
        };
        tokio::select! {
            _ = interrupt.recv() => INTERRUPTED,
            _ = terminate.recv() => TERMINATED,
            _ = hangup.recv() => HUNG_UP,
        }
    }
}

#[cfg(not(unix))]
async fn signalled() -> u8 {
    if tokio::signal::ctrl_c().await.is_err() {
        return std::future::pending().await;
    }
    INTERRUPTED
}
