//! Lines of the protocol over the standard streams of a child. Never passes on what is no message, nor a line without end.

use std::collections::VecDeque;
use std::io;

use futures_util::{Sink, Stream, sink, stream};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{ChildStdin, ChildStdout};
use tokio::sync::mpsc::UnboundedSender;

use super::super::lines::Lines;
use super::update::Update;

const READ_MAX: usize = 65_536;

/// What we say.
pub(super) fn outgoing(stdin: ChildStdin) -> impl Sink<String, Error = io::Error> + Send + 'static {
    sink::unfold(stdin, |mut stdin, mut line: String| async move {
        line.push('\n');
        stdin.write_all(line.as_bytes()).await?;
        stdin.flush().await?;
        Ok(stdin)
    })
}

/// What the agent says. Whatever is no message goes to `garbage`.
pub(super) fn incoming(
    stdout: ChildStdout,
    garbage: UnboundedSender<Update>,
) -> impl Stream<Item = io::Result<String>> + Send + 'static {
    let reading =
        Reading { stdout, lines: Lines::default(), whole: VecDeque::new(), garbage, is_over: false };
    Box::pin(stream::unfold(reading, |mut reading| async move {
        let line = reading.next().await?;
        Some((line, reading))
    }))
}

struct Reading {
    stdout: ChildStdout,
    lines: Lines,
    whole: VecDeque<String>,
    garbage: UnboundedSender<Update>,
    is_over: bool,
}

impl Reading {
    async fn next(&mut self) -> Option<io::Result<String>> {
        loop {
            while let Some(line) = self.whole.pop_front() {
                if serde_json::from_str::<serde_json::Value>(&line).is_ok_and(|message| message.is_object()) {
                    return Some(Ok(line));
                }
                // Nobody listens any more when the answer is over.
                self.garbage.send(Update::Garbage(line)).ok();
            }
            if self.is_over {
                return None;
            }
            let mut bytes = vec![0; READ_MAX];
            let length = match self.stdout.read(&mut bytes).await {
                Ok(length) => length,
                Err(error) => return Some(Err(error)),
            };
            if length == 0 {
                self.is_over = true;
                self.whole.extend(self.lines.finish());
                continue;
            }
            match self.lines.take(bytes.get(..length).unwrap_or_default()) {
                Ok(lines) => self.whole.extend(lines),
                Err(_) => {
                    self.is_over = true;
                    self.garbage.send(Update::Garbage("a line without end".to_owned())).ok();
                }
            }
        }
    }
}
