//! The real program behind a pseudo-terminal, with a server on this machine. Times are from a byte in to a byte out; never of a picture
//! that only would have been drawn.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use loopback::{Exchange, Server};
use tokio::runtime::Runtime;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// Longer than anything takes that works.
const PATIENCE: Duration = Duration::from_secs(15);
/// Between two tokens, at 200 of them in a second.
const TOKEN: Duration = Duration::from_millis(5);

pub(super) const START: &str = r#"{"type":"message_start","message":{"id":"m","role":"assistant","usage":{"input_tokens":1,"output_tokens":1}}}"#;
pub(super) const OPEN: &str =
    r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#;
const TOKEN_DELTA: &str =
    r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"word "}}"#;
pub(super) const CLOSE: &str = r#"{"type":"content_block_stop","index":0}"#;
pub(super) const END: &str = concat!(
    r#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":5}}"#,
    "\n",
    r#"{"type":"message_stop"}"#
);

/// Words of an answer.
pub(super) fn delta(words: &str) -> String {
    let delta = serde_json::json!({ "type": "text_delta", "text": words });
    serde_json::json!({ "type": "content_block_delta", "index": 0, "delta": delta }).to_string()
}

/// A call of the shell that ends an answer.
pub(super) fn call(command: &str) -> String {
    let input = serde_json::json!({ "command": command }).to_string();
    let block = serde_json::json!({ "type": "tool_use", "id": "t", "name": "Bash", "input": {} });
    let delta = serde_json::json!({ "type": "input_json_delta", "partial_json": input });
    let lines = [
        serde_json::json!({ "type": "content_block_start", "index": 1, "content_block": block }),
        serde_json::json!({ "type": "content_block_delta", "index": 1, "delta": delta }),
        serde_json::json!({ "type": "content_block_stop", "index": 1 }),
        serde_json::json!({ "type": "message_delta", "delta": { "stop_reason": "tool_use" }, "usage": { "output_tokens": 5 } }),
        serde_json::json!({ "type": "message_stop" }),
    ];
    lines.map(|line| line.to_string()).join("\n")
}

/// A person, a server, and the program between them.
pub(super) struct Stage {
    pub(super) runtime: Runtime,
    pub(super) server: Server,
    pub(super) terminal: Terminal,
    _folder: tempfile::TempDir,
}

impl Stage {
    /// The program, started with these arguments.
    pub(super) fn open(arguments: &str) -> Result<Stage> {
        let folder = tempfile::tempdir()?;
        std::fs::create_dir_all(folder.path().join("project/.git"))?;
        std::fs::create_dir_all(folder.path().join("home"))?;
        let runtime = Runtime::new()?;
        let server = runtime.block_on(Server::start())?;
        let mut terminal = Terminal::open(folder.path(), &server.url(), arguments)?;
        terminal.until("/help")?;
        Ok(Stage { runtime, server, terminal, _folder: folder })
    }

    /// The next request.
    pub(super) fn asked(&mut self) -> Result<Exchange> {
        self.runtime.block_on(accepted(&self.server))
    }

    pub(super) fn send(&self, exchange: &mut Exchange, lines: &str) -> Result<()> {
        self.runtime.block_on(send(exchange, lines))
    }

    /// Lets tokens come, 200 in a second, until they are stopped.
    pub(super) fn stream(&self, exchange: Exchange) -> Stream {
        let (stop, mut stopped) = oneshot::channel();
        let task = self.runtime.spawn(async move {
            let (mut exchange, mut tokens) = (exchange, tokio::time::interval(TOKEN));
            loop {
                tokio::select! {
                    biased;
                    _ = &mut stopped => return Ok(exchange),
                    _ = tokens.tick() => {}
                }
                if send(&mut exchange, TOKEN_DELTA).await.is_err() {
                    // The person has stopped it.
                    return Ok(exchange);
                }
            }
        });
        Stream { stop, task }
    }

    /// Ends a stream. The exchange goes on without it.
    pub(super) fn stop(&self, stream: Stream) -> Result<Exchange> {
        drop(stream.stop);
        self.runtime.block_on(stream.task)?
    }

    /// From a key to its letter on the screen. The letter goes again.
    pub(super) fn echo(&mut self) -> Result<Duration> {
        let key = self.terminal.write("z")?;
        let took = self.terminal.until("z")?.duration_since(key);
        self.terminal.write("\x15")?;
        Ok(took)
    }

    /// From escape to the end of the turn on the screen.
    pub(super) fn cancel(&mut self, words: &str) -> Result<Duration> {
        let cancelled = self.terminal.write("\x1b")?;
        Ok(self.terminal.until(words)?.duration_since(cancelled))
    }

    pub(super) fn leave(&mut self) -> Result<()> {
        self.terminal.write("\x03")?;
        self.terminal.until("again to leave")?;
        self.terminal.write("\x03")?;
        Ok(())
    }
}

/// Tokens on their way.
pub(super) struct Stream {
    stop: oneshot::Sender<()>,
    task: JoinHandle<Result<Exchange>>,
}

async fn accepted(server: &Server) -> Result<Exchange> {
    let mut exchange = tokio::time::timeout(PATIENCE, server.accept()).await.context("nobody asks")??;
    exchange.begin(200, &[("content-type", "text/event-stream")]).await?;
    Ok(exchange)
}

/// Sends lines of JSON as events.
async fn send(exchange: &mut Exchange, lines: &str) -> Result<()> {
    for line in lines.lines() {
        let kind: serde_json::Value = serde_json::from_str(line)?;
        let kind = kind["type"].as_str().context("an event without a type")?.to_owned();
        exchange.send(format!("event: {kind}\ndata: {line}\n\n").as_bytes()).await?;
    }
    Ok(())
}

/// A pseudo-terminal with the program in it. Ends with us.
pub(super) struct Terminal {
    child: Child,
    keys: ChildStdin,
    pictures: mpsc::Receiver<(Instant, Vec<u8>)>,
    seen: String,
}

impl Terminal {
    fn open(folder: &Path, url: &str, arguments: &str) -> Result<Terminal> {
        let program = program()?;
        let command =
            format!("stty cols 120 rows 40; exec '{program}' chat --model anthropic/test {arguments}");
        let home = folder.join("home");
        let mut script = Command::new("script");
        script.args(["-qfec", &command, "/dev/null"]).current_dir(folder.join("project"));
        script
            .env("HOME", &home)
            .env("XDG_CONFIG_HOME", &home)
            .env("TERM", "xterm-256color")
            .env("no_proxy", "*");
        script.env("ANTHROPIC_API_KEY", "sk-test").env("ANTHROPIC_BASE_URL", url);
        let mut child = script
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .context("'script' is needed for a pseudo-terminal")?;
        let keys = child.stdin.take().context("no keys")?;
        let mut out = child.stdout.take().context("no screen")?;
        let (sender, pictures) = mpsc::channel();
        std::thread::spawn(move || {
            let mut bytes = vec![0; 64 << 10];
            while let Ok(count @ 1..) = out.read(&mut bytes) {
                if sender.send((Instant::now(), bytes.get(..count).unwrap_or_default().to_vec())).is_err() {
                    return;
                }
            }
        });
        Ok(Terminal { child, keys, pictures, seen: String::new() })
    }

    /// Presses keys. When that was.
    pub(super) fn write(&mut self, keys: &str) -> Result<Instant> {
        self.seen.clear();
        let at = Instant::now();
        self.keys.write_all(keys.as_bytes())?;
        self.keys.flush()?;
        Ok(at)
    }

    /// Waits until words were written since the last key. When they came.
    pub(super) fn until(&mut self, words: &str) -> Result<Instant> {
        // A moving sign writes on and on, so the wait as a whole has a bound.
        let until = Instant::now() + PATIENCE;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let Ok((at, bytes)) = self.pictures.recv_timeout(left) else {
                let seen: String =
                    self.seen.chars().rev().take(3000).collect::<Vec<_>>().into_iter().rev().collect();
                bail!("'{words}' does not come: {seen:?}");
            };
            self.seen.push_str(&String::from_utf8_lossy(&bytes));
            if self.seen.contains(words) {
                self.seen.clear();
                return Ok(at);
            }
        }
    }
}

impl Terminal {
    /// The memory of the program, in kilobytes.
    pub(super) fn resident(&self) -> Result<u64> {
        let script = self.child.id();
        let children = std::fs::read_to_string(format!("/proc/{script}/task/{script}/children"))
            .context("this system does not tell the children of a process")?;
        let program = children.split_whitespace().next().context("the program is gone")?;
        let status = std::fs::read_to_string(format!("/proc/{program}/status"))
            .context("this system does not tell the memory of a process")?;
        let line =
            status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("the memory is not told")?;
        line.trim().trim_end_matches("kB").trim().parse().context("the memory is no number")
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// Our program, built like this one.
fn program() -> Result<String> {
    let ours = std::env::current_exe()?;
    let program = ours.with_file_name("agent-doc");
    if !program.is_file() {
        bail!("{} is needed; run it as 'cargo xtask bench tui'", program.display());
    }
    Ok(program.display().to_string())
}
