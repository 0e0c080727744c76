//! A terminal for tests: a view, a screen, and an emulator that obeys what the screen writes.

use std::num::NonZeroU16;
use std::time::Duration;

use tui::{Choice, Event, Facts, Input, Intent, Question, Screen, Theme, View};
use vt100::Parser;

/// The terminal and all that stands before it.
pub(crate) struct Stage {
    pub(crate) view: View,
    screen: Screen<Vec<u8>>,
    pub(crate) terminal: Parser,
    pub(crate) now: Duration,
}

fn number(size: u16) -> NonZeroU16 {
    NonZeroU16::new(size).unwrap()
}

impl Stage {
    pub(crate) fn new(columns: u16, rows: u16) -> Stage {
        Stage::with(columns, rows, Theme::coloured())
    }

    pub(crate) fn with(columns: u16, rows: u16, theme: Theme) -> Stage {
        let mut stage = Stage {
            view: View::new(Facts { theme, size: (columns, rows) }),
            screen: Screen::new(Vec::new(), columns),
            terminal: Parser::new(number(rows), number(columns), 10_000),
            now: Duration::from_secs(100),
        };
        stage.apply(Event::Model("test-model".to_owned()));
        stage
    }

    pub(crate) fn apply(&mut self, event: Event) {
        self.view.apply(event, self.now);
        self.draw();
    }

    pub(crate) fn press(&mut self, input: Input) -> Option<Intent> {
        let intent = self.view.press(input, self.now);
        self.draw();
        intent
    }

    pub(crate) fn letters(&mut self, letters: &str) {
        for letter in letters.chars() {
            self.press(Input::Letter(letter));
        }
    }

    pub(crate) fn wait(&mut self, milliseconds: u64) {
        self.now += Duration::from_millis(milliseconds);
        self.draw();
    }

    pub(crate) fn resize(&mut self, columns: u16, rows: u16) {
        self.terminal.screen_mut().set_size(number(rows), number(columns));
        if self.view.fits() {
            self.screen.resize(columns).unwrap();
        } else {
            self.screen.start_over(columns).unwrap();
        }
        self.press(Input::Resized(columns, rows));
    }

    pub(crate) fn draw(&mut self) {
        if !self.view.fits() {
            return;
        }
        let finished = self.view.take_finished();
        self.screen.draw(&finished, &self.view.live(self.now)).unwrap();
        let bytes = std::mem::take(self.screen.out());
        // A terminal of sixteen colours takes a longer colour for several shorter ones.
        let written = String::from_utf8_lossy(&bytes);
        assert!(!written.contains("38;") && !written.contains("48;"), "{written:?}");
        self.terminal.process(&bytes);
    }

    /// What stands on the screen.
    pub(crate) fn shown(&self) -> String {
        let rows: Vec<String> =
            self.terminal.screen().contents().lines().map(|row| row.trim_end().to_owned()).collect();
        rows.join("\n").trim_end().to_owned()
    }

    /// The cell where these words begin on the screen.
    fn cell_of(&self, words: &str) -> vt100::Cell {
        let screen = self.terminal.screen();
        let columns = screen.size().1.get();
        let rows: Vec<String> = screen.rows(0, columns).collect();
        let row =
            rows.iter().position(|row| row.contains(words)).unwrap_or_else(|| panic!("{words}: {rows:#?}"));
        let before = rows[row].split(words).next().unwrap().chars().count();
        screen.cell(u16::try_from(row).unwrap(), u16::try_from(before).unwrap()).unwrap().clone()
    }

    /// The colour of words on the screen.
    pub(crate) fn colour_of(&self, words: &str) -> vt100::Color {
        self.cell_of(words).fgcolor()
    }

    /// Whether words on the screen are dimmed.
    pub(crate) fn is_dim(&self, words: &str) -> bool {
        self.cell_of(words).dim()
    }

    /// All that was ever shown, scrolled away or not.
    pub(crate) fn all(&mut self) -> String {
        let rows = usize::from(self.terminal.screen().size().0.get());
        let count = self.terminal.screen().scrollback_len();
        let (mut whole, mut above) = (Vec::new(), count);
        while above > 0 {
            self.terminal.screen_mut().set_scrollback(above);
            let page: Vec<String> = self.terminal.screen().contents().lines().map(str::to_owned).collect();
            whole.extend((0..rows.min(above)).map(|row| page.get(row).cloned().unwrap_or_default()));
            above = above.saturating_sub(rows);
        }
        self.terminal.screen_mut().set_scrollback(0);
        whole.push(self.shown());
        let rows: Vec<&str> = whole.iter().map(|row| row.trim_end()).collect();
        rows.join("\n")
    }
}

/// A question about a command.
pub(crate) fn question(id: u64, command: &str) -> Question {
    let choice = |number, label: &str, note: &str| Choice {
        number,
        label: label.to_owned(),
        note: note.to_owned(),
        takes_words: number == 3,
        is_refusal: number == 3,
    };
    Question {
        id,
        agent: "agent".to_owned(),
        heading: "run a command".to_owned(),
        body: command.to_owned(),
        change: None,
        why: "no rule covers it".to_owned(),
        choices: vec![
            choice(1, "Allow this time", ""),
            choice(2, "Always allow", "saves 'allow Bash(cargo build *)' for this project"),
            choice(3, "Wait and tell agent what to do differently", ""),
            choice(4, "Never allow", "saves 'deny Bash(cargo build *)' for this project"),
        ],
    }
}

pub(crate) fn asked(id: u64, command: &str) -> Event {
    Event::Asked(Box::new(question(id, command)))
}
