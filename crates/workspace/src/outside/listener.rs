//! Hears a running program: its words, its silence, its end. Never understands them.

use std::pin::Pin;
use std::time::Duration;

use agent::StreamController;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::time::{Instant, sleep_until};

use super::last_words::LastWords;
use super::process::{Ended, Running, Streams};

const READ_MAX: usize = 65_536;

/// How long the rest is waited for when the program has ended but somebody else holds its output.
const DRAIN: Duration = Duration::from_millis(300);

/// What is heard.
pub(super) enum Heard {
    /// Words. Never none.
    Words(Vec<u8>),
    /// It has ended, and all that it said was heard.
    Over(Ended),
    /// Nothing for longer than anybody waits.
    Silent,
    /// The person wants no more.
    Stopped,
}

/// A program that is listened to.
pub(super) struct Listener {
    running: Running,
    stdout: Option<ChildStdout>,
    stderr: LastWords,
    feeding: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    stop: StreamController,
    patience: Duration,
    heard_at: Instant,
    ended: Option<(Ended, Instant)>,
}

impl Listener {
    /// Begins to listen, and says `prompt` to the program.
    pub(super) fn new(
        running: Running,
        streams: Streams,
        prompt: Vec<u8>,
        stop: StreamController,
        patience: Duration,
    ) -> Self {
        Self {
            running,
            stdout: Some(streams.stdout),
            stderr: LastWords::of(streams.stderr),
            feeding: Some(Box::pin(feed(streams.stdin, prompt))),
            stop,
            patience,
            heard_at: Instant::now(),
            ended: None,
        }
    }

    /// The next thing.
    pub(super) async fn next(&mut self) -> Heard {
        let mut stopped = self.stop.subscribe();
        loop {
            let limit = match self.ended {
                Some((ended, _)) if self.stdout.is_none() && self.stderr.is_over() => {
                    return Heard::Over(ended);
                }
                Some((_, at)) => at + DRAIN,
                None => self.heard_at + self.patience,
            };
            let is_over = self.ended.is_some();
            tokio::select! {
                biased;
                () = &mut stopped => return Heard::Stopped,
                words = read(&mut self.stdout) => match words {
                    Some(words) => {
                        self.heard_at = Instant::now();
                        return Heard::Words(words);
                    }
                    None => self.stdout = None,
                },
                () = self.stderr.hear() => self.heard_at = Instant::now(),
                () = fed(&mut self.feeding) => self.feeding = None,
                ended = self.running.wait(), if !is_over => self.ended = Some((ended, Instant::now())),
                () = sleep_until(limit) => match self.ended {
                    Some((ended, _)) => return Heard::Over(ended),
                    None => return Heard::Silent,
                },
            }
        }
    }

    /// Ends all of it.
    pub(super) async fn stop(&mut self) {
        self.running.stop().await;
    }

    /// What it said on its error stream.
    pub(super) fn last_words(&self) -> String {
        self.stderr.shown()
    }
}

/// Nothing, if there is no more; never ready once that was said.
async fn read(stdout: &mut Option<ChildStdout>) -> Option<Vec<u8>> {
    let Some(stream) = stdout else {
        return std::future::pending().await;
    };
    let mut words = vec![0; READ_MAX];
    let length = stream.read(&mut words).await.ok().filter(|length| *length > 0)?;
    words.truncate(length);
    Some(words)
}

async fn fed(feeding: &mut Option<Pin<Box<dyn Future<Output = ()> + Send>>>) {
    match feeding {
        Some(feeding) => feeding.await,
        None => std::future::pending().await,
    }
}

/// Says all of it, and that it was all. A program need not listen to the end.
async fn feed(mut stdin: ChildStdin, prompt: Vec<u8>) {
    if stdin.write_all(&prompt).await.is_ok() {
        stdin.shutdown().await.ok();
    }
}
