//! An interactive agent in a real pane: a small program with a box to type in, as the real ones draw it.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use workspace::outside::Tmux;
use workspace::session::agent::{AgentError, Said};

use super::{Bench, ask, ask_until};

/// Draws a box at the bottom, takes a paste as one piece, and answers above the box, word by word, with a sign that turns.
const AGENT: &str = r#"
import os, re, select, sys, termios, time, tty
tty.setraw(0)
out = lambda text: (sys.stdout.write(text.replace("\n", "\r\n")), sys.stdout.flush())
frame = 0
def erase():
    global frame
    if frame: out("\x1b[%dA\r\x1b[J" % frame)
    frame = 0
def draw(typed="", status=None):
    global frame
    erase()
    head = ["\x1b[35m✻ %s… (1s · esc to interrupt)\x1b[0m" % status, ""] if status else []
    shown = "[Pasted text #1 +%d lines]" % typed.count("\n") if typed.count("\n") > 4 else typed.replace("\n", "\n  ")
    lines = head + ["─" * 40] + ("\x1b[1m❯\x1b[0m " + shown).split("\n") + ["─" * 40, "  ? for shortcuts"]
    out("\n".join(lines) + "\n"); frame = len(lines)
def show(text): erase(); out(text + "\n")
def key(wait):
    return os.read(0, 65536).decode() if select.select([0], [], [], wait)[0] else ""
out("\x1b[?2004h╭──────────────╮\n│ ✻ Welcome!   │\n╰──────────────╯\n\n⏺ An old answer.\n\n")
draw(); typed = ""; pasting = False
def answer(prompt):
    show("❯ " + ("[Pasted text #1 +%d lines]" % prompt.count("\n") if prompt.count("\n") > 4 else prompt.replace("\n", "\n  ")) + "\n")
    lines = ["⏺ \x1b[32mYou asked\x1b[0m %d letters." % len(prompt), "", "⏺ Bash(ls)", "  ⎿  a.txt", "", "⏺ Second\n  line.", "", "  • one", "  • two"]
    if "for ever" in prompt: lines = ["⏺ Line %d" % n for n in range(100000)]
    for line in lines:
        for turn in ("Thinking", "Pondering"):
            draw(status=turn)
            if "\x1b" in key(0.06):
                show("  Interrupted"); draw(); open(os.environ["NOTE"], "w").write("interrupted"); return
        show(line)
    draw()
while True:
    got = key(600)
    if not got: sys.exit(0)
    for piece in re.split("(\x1b\\[200~|\x1b\\[201~|\r)", got):
        if piece == "\x1b[200~": pasting = True
        elif piece == "\x1b[201~": pasting = False
        elif piece == "\r" and not pasting and typed: prompt, typed = typed, ""; answer(prompt)
        else: typed += piece.replace("\r", "\n")
    draw(typed)
"#;

/// A server of tmux of the test's own, with one pane. Ends when it is dropped.
struct Server {
    bench: Bench,
    socket: PathBuf,
}

impl Server {
    fn start(command: &str) -> Self {
        let bench = Bench::new();
        std::fs::write(bench.path("agent.py"), AGENT).unwrap();
        let socket = bench.path("socket");
        let server = Self { bench, socket };
        let note = format!("NOTE={}", server.bench.path("note").display());
        let command = command.replace("AGENT", &server.bench.path("agent.py").display().to_string());
        server.tmux(&[
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-x",
            "100",
            "-y",
            "30",
            "-s",
            "work",
            "-e",
            &note,
            &command,
        ]);
        server
    }

    fn tmux(&self, arguments: &[&str]) -> String {
        let output = Command::new("tmux")
            .arg("-S")
            .arg(&self.socket)
            .args(arguments)
            .env_remove("TMUX")
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Waits until the pane shows this.
    fn shows(&self, words: &str) {
        for _ in 0..600 {
            if self.tmux(&["capture-pane", "-p", "-t", "work"]).contains(words) {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        panic!("the pane never shows {words:?}: {}", self.tmux(&["capture-pane", "-p", "-t", "work"]));
    }

    fn agent(&self) -> Tmux {
        Tmux::new("tmux:work", "work").at(self.socket.clone()).quiet(Duration::from_millis(1500))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.tmux(&["kill-server"]);
    }
}

#[tokio::test]
async fn the_words_of_a_pane_are_told_without_its_frame() {
    let server = Server::start("python3 AGENT");
    server.shows("? for shortcuts");
    let answer = ask(&server.agent(), server.bench.ask("What is\nthe plan?")).await;
    assert_eq!(
        answer.text(),
        "You asked 17 letters.\n\n\nSecond\nline.\n\n• one\n• two",
        "{}",
        answer.shown()
    );
    let pieces = answer.said.iter().filter(|said| matches!(said, Said::Text(_))).count();
    assert!(pieces > 1, "it is told as it comes: {}", answer.shown());
    // A long one, which the program shows shortened, and only the new words are told.
    let long = "One more line.\n".repeat(2000);
    let answer = ask(&server.agent(), server.bench.ask(&long)).await;
    let expected = format!("You asked {} letters.\n\n\nSecond\nline.\n\n• one\n• two", long.trim_end().len());
    assert_eq!(answer.text(), expected, "{}", answer.shown());
}

#[tokio::test]
async fn a_stop_interrupts_the_agent_and_leaves_it_in_its_pane() {
    let server = Server::start("python3 AGENT");
    server.shows("? for shortcuts");
    let has_spoken = |said: &Said| matches!(said, Said::Text(text) if text.contains("Line"));
    let answer = ask_until(&server.agent(), server.bench.ask("Go on for ever"), has_spoken).await;
    assert!(matches!(answer.outcome, Err(AgentError::Stopped)), "{}", answer.shown());
    server.shows("Interrupted");
    assert_eq!(server.bench.left("note"), "interrupted");
}

#[tokio::test]
async fn nothing_is_typed_into_a_shell_or_into_nothing() {
    let server = Server::start("sh");
    let answer = ask(&server.agent(), server.bench.ask("touch typed")).await;
    assert!(answer.outcome.unwrap_err().to_string().contains("sh runs in the pane, and no agent"));
    let lost = Tmux::new("tmux:lost", "lost").at(server.socket.clone());
    let told = ask(&lost, server.bench.ask("What?")).await.outcome.unwrap_err().to_string();
    assert!(told.contains("lost"), "{told}");
    assert!(!server.bench.path("typed").exists());
}
