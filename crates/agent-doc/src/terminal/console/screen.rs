//! What is shown as pictures, from keys and events. Never draws more often than a person sees, and never lets a picture wait for more
//! than that.

use std::io::Stdout;
use std::time::{Duration, Instant};

use anyhow::{Context as _, Result};
use crossterm::event::EventStream;
use futures_util::StreamExt as _;
use tui::{Event, Facts, Guard, Input, Intent, Screen, Theme, View, read_input};

use super::Next;
use crate::refusal::Refusal;
use crate::signals;

/// Between two pictures.
const FRAME: Duration = Duration::from_millis(16);

/// The terminal, and what stands on it.
pub(super) struct Pictures {
    view: View,
    screen: Screen<Stdout>,
    guard: Guard,
    began: Instant,
    drawn: Instant,
    is_stale: bool,
    keys: Option<EventStream>,
}

impl Pictures {
    /// Takes the terminal.
    pub(super) fn open(log: &std::path::Path) -> Result<Pictures> {
        let guard = Guard::take(log).with_context(|| {
            let remedy = "try 'agent-doc chat --plain', or ask with -p 'TEXT'";
            Refusal::new("the terminal cannot be used", remedy)
        })?;
        let size = crossterm::terminal::size().unwrap_or((80, 24));
        Ok(Pictures {
            view: View::new(Facts { theme: theme(), size }),
            screen: Screen::new(std::io::stdout(), size.0),
            guard,
            began: Instant::now(),
            drawn: Instant::now(),
            is_stale: true,
            keys: Some(EventStream::new()),
        })
    }

    pub(super) fn apply(&mut self, event: Event) {
        self.view.apply(event, self.began.elapsed());
        self.is_stale = true;
    }

    pub(super) fn is_busy(&self) -> bool {
        self.view.is_busy()
    }

    pub(super) fn intents(&mut self) -> Vec<Intent> {
        self.view.take_intents()
    }

    /// Draws everything anew, on a terminal that may have changed.
    fn redraw(&mut self) -> Result<()> {
        let size = crossterm::terminal::size().unwrap_or((80, 24));
        self.screen.resize(size.0)?;
        self.view.press(Input::Resized(size.0, size.1), self.began.elapsed());
        self.is_stale = true;
        Ok(())
    }

    /// Gives the terminal to somebody else for a while.
    pub(super) fn lend<T>(&mut self, borrower: impl FnOnce() -> T) -> Result<T> {
        // Whoever reads the keys must not be us.
        self.keys = None;
        self.screen.forget()?;
        let given_back = self.guard.lend(borrower)?;
        self.keys = Some(EventStream::new());
        self.redraw()?;
        Ok(given_back)
    }

    /// The next key, or the moment when the picture changes by itself. Can be dropped while it waits.
    pub(super) async fn next(&mut self) -> Result<Next> {
        let now = self.began.elapsed();
        let wake = if self.is_stale {
            Some(self.frame_in())
        } else {
            self.view.wakes_at(now).map(|at| at.saturating_sub(now))
        };
        let keys = self.keys.as_mut();
        let key = tokio::select! {
            biased;
            key = async { match keys { Some(keys) => keys.next().await, None => std::future::pending().await } } => key,
            () = async { match wake { Some(wake) => tokio::time::sleep(wake).await, None => std::future::pending().await } } => {
                return Ok(Next::Nothing);
            }
        };
        // The terminal is gone, with whoever sat there.
        let Some(Ok(key)) = key else { return Ok(Next::Gone(signals::HUNG_UP)) };
        self.take_key(key)
    }

    fn take_key(&mut self, key: crossterm::event::Event) -> Result<Next> {
        let Some(input) = read_input(key) else { return Ok(Next::Nothing) };
        if let Input::Resized(columns, _) = input {
            if self.view.fits() {
                self.screen.resize(columns)?;
            } else {
                self.screen.start_over(columns)?;
            }
        }
        let intent = self.view.press(input, self.began.elapsed());
        self.is_stale = true;
        match intent {
            Some(Intent::Redraw) => self.redraw()?,
            Some(Intent::Suspend) => self.lend(suspend)?,
            Some(intent) => return Ok(Next::Wanted(intent)),
            None => {}
        }
        Ok(Next::Nothing)
    }

    fn frame_in(&self) -> Duration {
        FRAME.saturating_sub(self.drawn.elapsed())
    }

    pub(super) fn draw_soon(&mut self) -> Result<()> {
        self.is_stale = true;
        if self.frame_in().is_zero() { self.draw() } else { Ok(()) }
    }

    pub(super) fn draw(&mut self) -> Result<()> {
        self.drawn = Instant::now();
        self.is_stale = false;
        if !self.view.fits() {
            return Ok(());
        }
        let finished = self.view.take_finished();
        let live = self.view.live(self.began.elapsed());
        self.screen.draw(&finished, &live)?;
        Ok(())
    }

    /// The last picture, without what only made sense while we were there.
    pub(super) fn end(&mut self) {
        let finished = self.view.take_finished();
        if self.screen.draw(&finished, &tui::Picture::default()).and_then(|()| self.screen.forget()).is_err()
        {
            // The terminal is gone.
        }
    }
}

/// Colours, unless the person wants none.
fn theme() -> Theme {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let is_dumb = std::env::var_os("TERM").is_none_or(|term| term == "dumb");
    if is_set("NO_COLOR") || is_dumb { Theme::colourless() } else { Theme::coloured() }
}

/// Stops the program until the shell lets it go on.
fn suspend() {
    #[cfg(target_os = "linux")]
    if rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::TSTP).is_err() {
        // Then the person sees that nothing happened.
    }
}
