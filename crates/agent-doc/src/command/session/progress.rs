//! How far an answer is, on standard error: one moving line on a terminal, plain lines elsewhere. Never a byte into the document or
//! on standard output.

use std::io::IsTerminal as _;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use workspace::session::agent::Said;

use crate::command::visible;
use crate::output;

/// The moving sign, one for each step.
const SIGNS: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
/// How often the line moves.
const STEP: Duration = Duration::from_millis(100);
/// How many characters of what the agent is doing are shown.
const DOING_MAX: usize = 60;

/// Tells how far an answer is.
pub(super) struct Progress {
    agent: String,
    shared: Arc<Mutex<State>>,
    /// Moves the line; nothing where there is no terminal.
    mover: Option<JoinHandle<()>>,
    /// Whether a program reads what is told.
    is_quiet: bool,
}

struct State {
    agent: String,
    begun: Instant,
    bytes: usize,
    tokens: u64,
    doing: String,
    is_over: bool,
}

impl Progress {
    pub(super) fn begin(agent: &str, is_quiet: bool) -> Progress {
        let state = State {
            agent: agent.to_owned(),
            begun: Instant::now(),
            bytes: 0,
            tokens: 0,
            doing: String::new(),
            is_over: false,
        };
        let shared = Arc::new(Mutex::new(state));
        let is_terminal =
            std::io::stderr().is_terminal() && std::env::var_os("TERM").is_some_and(|term| term != "dumb");
        let mover = (is_terminal && !is_quiet).then(|| {
            let shared = Arc::clone(&shared);
            std::thread::spawn(move || moved(&shared))
        });
        if mover.is_none() && !is_quiet {
            output::notice(&format!("asking {agent}"));
        }
        Progress { agent: agent.to_owned(), shared, mover, is_quiet }
    }

    pub(super) fn said(&self, said: &Said) {
        let mut state = self.shared.lock().unwrap_or_else(PoisonError::into_inner);
        match said {
            Said::Text(text) => {
                state.bytes += text.len();
                state.doing = "writing".to_owned();
            }
            Said::Thinking(_) => state.doing = "thinking".to_owned(),
            Said::Tokens(tokens) => state.tokens = *tokens,
            Said::Doing(what) => {
                state.doing = visible(what).chars().take(DOING_MAX).collect();
                if self.mover.is_none() && !self.is_quiet {
                    output::notice(&format!("{}: {}", self.agent, state.doing));
                }
            }
            Said::Talk(_) | Said::Break | Said::Void => {}
        }
    }

    /// How long it took, when the line is gone.
    pub(super) fn end(mut self) -> Duration {
        self.stop();
        self.shared.lock().unwrap_or_else(PoisonError::into_inner).begun.elapsed()
    }

    fn stop(&mut self) {
        self.shared.lock().unwrap_or_else(PoisonError::into_inner).is_over = true;
        if let Some(mover) = self.mover.take()
            && mover.join().is_err()
        {
            // A line that does not move is all that is lost.
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.stop();
    }
}

fn moved(shared: &Mutex<State>) {
    for sign in SIGNS.iter().cycle() {
        let line = {
            let state = shared.lock().unwrap_or_else(PoisonError::into_inner);
            if state.is_over {
                break;
            }
            line(&state, *sign)
        };
        output::draw(&format!("\r{line}\x1b[K"));
        std::thread::sleep(STEP);
    }
    output::draw("\r\x1b[K");
}

fn line(state: &State, sign: char) -> String {
    let mut line = format!("{sign} {} · {} s", state.agent, state.begun.elapsed().as_secs());
    if state.tokens > 0 {
        line.push_str(&format!(" · {} tokens", state.tokens));
    } else if state.bytes > 0 {
        line.push_str(&format!(" · {} bytes", state.bytes));
    }
    if !state.doing.is_empty() {
        line.push_str(&format!(" · {}", state.doing));
    }
    line.push_str(" · ctrl-c stops");
    line
}
