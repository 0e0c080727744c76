//! The real program behind a pseudo-terminal, with a server on this machine. Times are from a byte in to a byte out; never of a picture
//! that only would have been drawn.

use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result, bail};
use loopback::{Exchange, Server};

/// Longer than anything takes that works.
const PATIENCE: Duration = Duration::from_secs(15);

/// Rounds in one conversation.
const CONVERSATION: usize = 50;

/// What was waited for.
#[derive(Default)]
pub(super) struct Times {
    pub(super) dialogs: Vec<Duration>,
    pub(super) cancels: Vec<Duration>,
    pub(super) echoes: Vec<Duration>,
}

/// Asks, is asked, and stops, over and over.
pub(super) fn measured(rounds: usize) -> Result<Times> {
    let folder = tempfile::tempdir()?;
    std::fs::create_dir_all(folder.path().join("project/.git"))?;
    std::fs::create_dir_all(folder.path().join("home"))?;
    let runtime = tokio::runtime::Runtime::new()?;
    let server = runtime.block_on(Server::start())?;
    let mut terminal = Terminal::open(folder.path(), &server.url())?;
    terminal.until("/help")?;
    let mut times = Times::default();
    for round in 0..rounds {
        if round > 0 && round % CONVERSATION == 0 {
            // A full context would be made shorter first, which is another thing to wait for.
            terminal.write("/new\r")?;
            terminal.until("a new conversation begins")?;
        }
        terminal.write(&format!("round {round}\r"))?;
        let mut exchange = runtime.block_on(accepted(&server))?;
        runtime.block_on(send(&mut exchange, START))?;
        runtime.block_on(send(&mut exchange, WORDS))?;
        terminal.until("words before")?;
        let key = terminal.write("z")?;
        times.echoes.push(terminal.until("z")?.duration_since(key));
        terminal.write("\x15")?;
        let asked = Instant::now();
        runtime.block_on(send(&mut exchange, CALL))?;
        times.dialogs.push(terminal.until("wants to run")?.duration_since(asked));
        let cancelled = terminal.write("\x1b")?;
        times.cancels.push(terminal.until("waiting for user feedback")?.duration_since(cancelled));
    }
    terminal.write("\x03")?;
    terminal.until("again to leave")?;
    terminal.write("\x03")?;
    Ok(times)
}

const START: &str = r#"{"type":"message_start","message":{"id":"m","role":"assistant","usage":{"input_tokens":1,"output_tokens":1}}}"#;
const WORDS: &str = concat!(
    r#"{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}"#,
    "\n",
    r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"words before"}}"#,
    "\n",
    r#"{"type":"content_block_stop","index":0}"#
);
const CALL: &str = concat!(
    r#"{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"t","name":"Bash","input":{}}}"#,
    "\n",
    r#"{"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"command\":\"touch never\"}"}}"#,
    "\n",
    r#"{"type":"content_block_stop","index":1}"#,
    "\n",
    r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":5}}"#,
    "\n",
    r#"{"type":"message_stop"}"#
);

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
struct Terminal {
    child: Child,
    keys: ChildStdin,
    pictures: mpsc::Receiver<(Instant, Vec<u8>)>,
    seen: String,
}

impl Terminal {
    fn open(folder: &Path, url: &str) -> Result<Terminal> {
        let program = program()?;
        let command = format!("stty cols 120 rows 40; exec '{program}' chat --model anthropic/test");
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
    fn write(&mut self, keys: &str) -> Result<Instant> {
        self.seen.clear();
        let at = Instant::now();
        self.keys.write_all(keys.as_bytes())?;
        self.keys.flush()?;
        Ok(at)
    }

    /// Waits until words were written since the last key. When they came.
    fn until(&mut self, words: &str) -> Result<Instant> {
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
