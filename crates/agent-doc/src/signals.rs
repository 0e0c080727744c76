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
