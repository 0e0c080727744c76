//! How far a run is, on standard error: one moving line for each worker on a terminal, plain lines elsewhere. Never a byte into the
//! document or on standard output.

use std::io::{IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

use conductor::Happening;
use conductor::status::{Phase, Status};

use crate::command::visible;
use crate::output;

/// The moving sign, one for each step.
const SIGNS: [char; 10] = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
/// How often the lines move.
pub(super) const STEP: Duration = Duration::from_millis(100);
/// Characters of a line.
const LINE_CHARS: usize = 78;

/// Shows how far a run is.
pub(super) struct Progress {
    workers: Vec<(String, Phase, String)>,
    status: Status,
    begun: Instant,
    is_terminal: bool,
    /// Lines that stand on the terminal and are drawn again.
    drawn: usize,
    steps: usize,
}

impl Progress {
    pub(super) fn begin(id: &str, path: &str) -> Progress {
        output::notice(&format!("run {id} in {path}"));
        Progress {
            workers: Vec::new(),
            status: Status::Queued,
            begun: Instant::now(),
            is_terminal: std::io::stderr().is_terminal(),
            drawn: 0,
            steps: 0,
        }
    }

    pub(super) fn tell(&mut self, happening: Happening) {
        match happening {
            Happening::Status { status, why } => {
                self.status = status;
                if let Some(why) = why.filter(|_| !status.is_final()) {
                    self.say(&format!("{}: {why}", status.words()));
                }
            }
            Happening::Worker { name, phase, line } => self.worker(name, phase, line),
            Happening::Merged { revision, sources } => {
                self.say(&format!("merged {} at revision {revision}", sources.join(" and ")));
            }
            Happening::Taken { answer, .. } => self.say(answer.trim_start_matches("> ")),
            Happening::Resync => {}
        }
    }

    fn worker(&mut self, name: String, phase: Phase, line: String) {
        let known = self.workers.iter().find(|(known, ..)| *known == name);
        let is_new =
            known.is_none_or(|(_, was, before)| *was != phase || (*before != line && !line.is_empty()));
        if is_new && !self.is_terminal {
            let doing = if phase == Phase::Working && !line.is_empty() { &line } else { phase.words() };
            self.say(&format!("{name}: {doing}"));
        }
        match self.workers.iter_mut().find(|(known, ..)| *known == name) {
            Some(known) => (known.1, known.2) = (phase, line),
            None => self.workers.push((name, phase, line)),
        }
    }

    /// Draws the moving lines, on a terminal.
    pub(super) fn draw(&mut self) {
        if !self.is_terminal {
            return;
        }
        self.steps += 1;
        let sign = SIGNS.get(self.steps % SIGNS.len()).copied().unwrap_or('·');
        let mut lines = vec![format!(
            "{sign} {} · {} s · ctrl-c stops",
            self.status.words(),
            self.begun.elapsed().as_secs()
        )];
        for (name, phase, line) in &self.workers {
            let mark = match phase {
                Phase::Working => sign,
                Phase::Done | Phase::Merged => '✓',
                Phase::Failed | Phase::Stopped => '✗',
                Phase::Asking => '?',
                Phase::Idle => '·',
            };
            let doing = if line.is_empty() { phase.words() } else { line };
            lines.push(format!("{mark} {name} · {doing}"));
        }
        let mut text = self.back();
        for line in &lines {
            let line: String = visible(line).chars().take(LINE_CHARS).collect();
            text.push_str(&format!("{line}\x1b[K\n"));
        }
        self.drawn = lines.len();
        shown(&text);
    }

    /// Takes the moving lines away.
    pub(super) fn end(&mut self) {
        let text = self.back();
        self.drawn = 0;
        shown(&text);
    }

    fn say(&mut self, line: &str) {
        self.end();
        output::notice(&visible(line));
    }

    /// What goes back to the first of the moving lines and clears all after it.
    fn back(&self) -> String {
        if self.drawn == 0 { String::new() } else { format!("\x1b[{}A\x1b[J", self.drawn) }
    }
}

fn shown(text: &str) {
    let mut to = std::io::stderr().lock();
    if to.write_all(text.as_bytes()).and_then(|()| to.flush()).is_err() {
        // The terminal is gone; the run goes on.
    }
}
