//! A person before a terminal: a pane of tmux with a server of its own, and a shell in it.

use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use loopback::{Exchange, Server};

use crate::chat::Person;

/// How long a test waits for something that must happen, in steps.
const STEPS_MAX: usize = 3000;
const STEP: Duration = Duration::from_millis(10);

pub(super) const PROGRAM: &str = env!("CARGO_BIN_EXE_agent-doc");

/// Ends, with its server, when it is dropped.
pub(super) struct Pane {
    socket: PathBuf,
    home: PathBuf,
}

impl Pane {
    /// A shell in the project, with the program's settings for a server.
    pub(super) fn shell(person: &Person, server: Option<&Server>, columns: u16, rows: u16) -> Pane {
        let home = person.scratch.path("home");
        let pane = Pane { socket: home.join("tmux"), home };
        let project = person.scratch.path("project").display().to_string();
        let home = pane.home.display().to_string();
        let mut variables = vec![
            format!("HOME={home}"),
            format!("XDG_CONFIG_HOME={home}"),
            "PS1=ready>".to_owned(),
            "TERM=screen-256color".to_owned(),
            "no_proxy=*".to_owned(),
        ];
        if let Some(server) = server {
            variables.push("ANTHROPIC_API_KEY=sk-ant-test".to_owned());
            variables.push(format!("ANTHROPIC_BASE_URL={}", server.url()));
            variables.push("AGENT_DOC_MODEL=anthropic/test".to_owned());
        }
        let variables: Vec<String> = variables.iter().map(|variable| format!("'{variable}'")).collect();
        let command = format!(
            "exec env -u ANTHROPIC_API_KEY -u OPENAI_API_KEY -u OPENAI_BASE_URL -u NO_COLOR {} bash --norc --noprofile -i",
            variables.join(" ")
        );
        let (columns, rows) = (columns.to_string(), rows.to_string());
        let size = ["new-session", "-d", "-x", &columns, "-y", &rows, "-c", &project, &command];
        pane.tmux(&[["-f", "/dev/null"].as_slice(), &size].concat());
        pane.tmux(&["set-option", "-s", "escape-time", "0"]);
        pane.until("ready>");
        pane
    }

    /// The program in a terminal of 100 columns and 40 rows, with its prompt.
    pub(super) fn chat(person: &Person, server: &Server, arguments: &str) -> Pane {
        let pane = Pane::shell(person, Some(server), 100, 40);
        pane.line(&format!("{PROGRAM} chat {arguments}"));
        pane.until("/help");
        pane
    }

    /// Types letters as they are.
    pub(super) fn letters(&self, letters: &str) {
        self.tmux(&["send-keys", "-l", letters]);
    }

    /// Types a line and enters it.
    pub(super) fn line(&self, letters: &str) {
        self.letters(letters);
        self.keys(&["Enter"]);
    }

    /// Starts a program on an empty screen, so that nothing on it is taken for what the program shows.
    pub(super) fn anew(&self, command: &str) {
        self.line(&format!("clear; {command}"));
        self.without("ready>");
    }

    pub(super) fn keys(&self, keys: &[&str]) {
        self.tmux(&[["send-keys"].as_slice(), keys].concat());
    }

    /// What stands on the screen.
    pub(super) fn shown(&self) -> String {
        self.tmux(&["capture-pane", "-p"])
    }

    /// The same with all that was scrolled away.
    pub(super) fn all(&self) -> String {
        self.tmux(&["capture-pane", "-p", "-S", "-"])
    }

    /// Waits until words stand on the screen.
    pub(super) fn until(&self, words: &str) -> String {
        self.wait(words, |shown| shown.contains(words))
    }

    /// Waits until words are gone.
    pub(super) fn without(&self, words: &str) -> String {
        self.wait(words, |shown| !shown.contains(words))
    }

    pub(super) fn wait(&self, what: &str, is_so: impl Fn(&str) -> bool) -> String {
        for _ in 0..STEPS_MAX {
            let shown = self.shown();
            if is_so(&shown) {
                return shown;
            }
            std::thread::sleep(STEP);
        }
        panic!("'{what}' does not come:\n{}", self.shown());
    }

    /// Waits for a question, and until its keys count.
    pub(super) fn question(&self) -> String {
        self.until("esc waits")
    }

    /// Leaves, and waits for the shell.
    pub(super) fn leave(&self) {
        self.keys(&["C-c"]);
        self.until("ctrl-c again to leave");
        self.keys(&["C-c"]);
        self.wait("the shell", |shown| shown.trim_end().ends_with("ready>"));
    }

    pub(super) fn tmux(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("tmux");
        command.arg("-S").arg(&self.socket).args(arguments).env_remove("TMUX").env("TERM", "xterm-256color");
        let output = command.env("HOME", &self.home).env("LC_ALL", "C.UTF-8").output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "tmux {arguments:?}: {told}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

impl Drop for Pane {
    fn drop(&mut self) {
        drop(Command::new("tmux").arg("-S").arg(&self.socket).arg("kill-server").output());
    }
}

/// A person, a server, and the program between them.
pub(super) async fn world(arguments: &str) -> (Person, Server, Pane) {
    let (person, server) = crate::chat_server::world().await;
    let pane = Pane::chat(&person, &server, arguments);
    (person, server, pane)
}

/// The next request. Fails if none comes.
pub(super) async fn asked(server: &Server) -> Exchange {
    crate::chat_server::accept(server).await
}

/// Nobody asks the server for a while.
pub(super) async fn silent(server: &Server) {
    let asked = tokio::time::timeout(Duration::from_millis(300), server.accept()).await;
    assert!(asked.is_err(), "the model was asked: {}", asked.unwrap().unwrap().request.body);
}
