//! The fold and the screen under a flood, in this process. Never draws more than the program would.

use std::io;
use std::time::{Duration, Instant};

use ::tui::{Ending, Event, Facts, Input, Screen, Theme, View};
use anyhow::{Context as _, Result};

use crate::Size;

/// A terminal as people have it.
const SIZE: (u16, u16) = (120, 40);
/// Tokens in a second, and how many lines of output come with each.
const TOKENS: u32 = 200;
const TOKEN: Duration = Duration::from_millis(5);
/// Between two frames.
const FRAME: Duration = Duration::from_millis(16);

struct Terminal {
    view: View,
    screen: Screen<io::Sink>,
    now: Duration,
}

impl Terminal {
    fn new() -> Terminal {
        let view = View::new(Facts { theme: Theme::coloured(), size: SIZE });
        Terminal { view, screen: Screen::new(io::sink(), SIZE.0), now: Duration::ZERO }
    }

    fn apply(&mut self, event: Event) {
        self.view.apply(event, self.now);
    }

    fn draw(&mut self) -> Result<Duration> {
        let began = Instant::now();
        let finished = self.view.take_finished();
        self.screen.draw(&finished, &self.view.live(self.now))?;
        Ok(began.elapsed())
    }
}

/// The time of each frame, with all that came since the last one, while output and words arrive.
pub(super) fn frames(size: Size) -> Result<Vec<Duration>> {
    let (seconds, output) = match size {
        Size::Full => (20, 10 << 20),
        Size::Smoke => (1, 1 << 20),
    };
    let mut terminal = Terminal::new();
    let (mut times, mut drawn) = (Vec::new(), Duration::ZERO);
    let line = format!("{}\r{}", "x".repeat(500), "building 17 of 40 ".repeat(25));
    let whole: String = std::iter::repeat_n(format!("{line}\n"), output / (line.len() + 1)).collect();
    terminal.apply(Event::TurnBegan);
    let mut began = Instant::now();
    for token in 0..TOKENS * seconds {
        terminal.now += TOKEN;
        if token % TOKENS == 0 {
            // The last call ends with all of its output, and the next one begins.
            let id = u64::from(token / TOKENS);
            terminal.apply(Event::ToolEnded { id, output: whole.clone(), is_error: false });
            let (tool, title) = ("Bash".to_owned(), "make all".to_owned());
            terminal.apply(Event::ToolBegan { id: id + 1, tool, title, change: None });
        }
        terminal.apply(Event::ToolReported { id: u64::from(token / TOKENS) + 1, line: line.clone() });
        terminal.apply(Event::Text(word(token)));
        if terminal.now.saturating_sub(drawn) >= FRAME {
            terminal.draw()?;
            times.push(began.elapsed());
            (began, drawn) = (Instant::now(), terminal.now);
        }
    }
    Ok(times)
}

fn word(token: u32) -> String {
    match token % 40 {
        0 => "\n\n## A heading\n\n".to_owned(),
        10 => "\n\n```rust\nfn main() { println!(\"{}\", 1); }\n```\n\n".to_owned(),
        20 => "\n- an item with `code` and **weight**\n".to_owned(),
        30 => "\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n".to_owned(),
        _ => "word ".to_owned(),
    }
}

pub(super) struct Long {
    pub(super) echoes: Vec<Duration>,
    /// Kilobytes after the first tenth, and at the end.
    pub(super) early: u64,
    pub(super) late: u64,
}

/// A long conversation: its memory, and how long a key takes.
pub(super) fn turns(count: usize) -> Result<Long> {
    let mut terminal = Terminal::new();
    let (mut echoes, mut early) = (Vec::new(), 0);
    for turn in 0..count {
        terminal.apply(Event::Said(format!("prompt {turn}")));
        terminal.apply(Event::TurnBegan);
        let (tool, title) = ("Bash".to_owned(), "make".to_owned());
        terminal.apply(Event::ToolBegan { id: 1, tool, title, change: None });
        terminal.apply(Event::ToolEnded {
            id: 1,
            output: format!("line {turn}\n").repeat(1000),
            is_error: false,
        });
        for token in 0..100 {
            terminal.apply(Event::Text(word(token)));
        }
        terminal.draw()?;
        let began = Instant::now();
        terminal.view.press(Input::Letter('x'), terminal.now);
        terminal.draw()?;
        echoes.push(began.elapsed());
        terminal.view.press(Input::CutBefore, terminal.now);
        terminal.apply(Event::Break);
        terminal.apply(Event::TurnEnded(Ending::Done));
        terminal.draw()?;
        if turn == count / 10 {
            early = resident()?;
        }
    }
    Ok(Long { echoes, early, late: resident()? })
}

/// The memory of this process, in kilobytes.
fn resident() -> Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status")
        .context("this system does not tell the memory of a process")?;
    let line =
        status.lines().find_map(|line| line.strip_prefix("VmRSS:")).context("the memory is not told")?;
    line.trim().trim_end_matches("kB").trim().parse().context("the memory is no number")
}
