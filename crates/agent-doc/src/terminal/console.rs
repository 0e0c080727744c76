//! The loop between keys, events and pictures. Never draws more often than a person sees, and never lets a picture wait for more
//! than that.

use std::io::Stdout;
use std::time::{Duration, Instant};

use agent::StreamController;
use anyhow::{Context as _, Result};
use crossterm::event::EventStream;
use futures_util::StreamExt as _;
use tokio::sync::{mpsc, oneshot};
use tui::{Event, Facts, Guard, Input, Intent, Question, Screen, Theme, View, read_input};
use workspace::conversation::{Conversation, TurnEvent};

use crate::refusal::Refusal;
use crate::signals;

/// Between two pictures.
const FRAME: Duration = Duration::from_millis(16);
/// Messages that wait, at most. Who says more waits too.
const MESSAGES_MAX: usize = 1024;
/// Messages that are taken in before a key is looked at again.
const BATCH_MAX: usize = 256;

/// What tasks have to say to the front end.
pub(super) enum Message {
    /// It happened in a turn.
    Turn(TurnEvent),
    /// It happened elsewhere.
    Event(Event),
    /// Somebody must decide; the answer is a choice and words.
    Ask(Box<Question>, oneshot::Sender<(usize, String)>),
    /// A turn is over, and the conversation is back. An error says that it could not be kept.
    Returned(Box<Conversation>, Option<String>),
    /// The task of a turn died. What was said until then is in the transcript of this name.
    Lost(String),
    /// Work beside the conversation is over.
    Worked(tui::Ending),
}

/// Where tasks say it.
pub(super) type Mailbox = mpsc::Sender<Message>;

/// Both ends of it.
pub(super) fn mailbox() -> (Mailbox, mpsc::Receiver<Message>) {
    mpsc::channel(MESSAGES_MAX)
}

/// Who stands behind the keys.
pub(super) trait Host {
    /// Does what the person wants.
    async fn act(&mut self, intent: Intent, console: &mut Console) -> Flow;

    /// Takes in what a task says.
    fn hear(&mut self, message: Message, console: &mut Console);

    /// Ends all that is under way.
    async fn close(&mut self, console: &mut Console);
}

/// Whether to go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Flow {
    On,
    Leave,
}

/// The terminal, and what stands on it.
pub(super) struct Console {
    view: View,
    screen: Screen<Stdout>,
    guard: Guard,
    began: Instant,
    drawn: Instant,
    is_stale: bool,
    keys: Option<EventStream>,
    messages: mpsc::Receiver<Message>,
}

impl Console {
    /// Takes the terminal.
    pub(super) fn open(log: &std::path::Path, messages: mpsc::Receiver<Message>) -> Result<Console> {
        let guard = Guard::take(log).with_context(|| {
            let remedy = "try 'agent-doc chat --plain', or ask with -p 'TEXT'";
            Refusal::new("the terminal cannot be used", remedy)
        })?;
        let size = crossterm::terminal::size().unwrap_or((80, 24));
        Ok(Console {
            view: View::new(Facts { theme: theme(), size }),
            screen: Screen::new(std::io::stdout(), size.0),
            guard,
            began: Instant::now(),
            drawn: Instant::now(),
            is_stale: true,
            keys: Some(EventStream::new()),
            messages,
        })
    }

    pub(super) fn apply(&mut self, event: Event) {
        self.view.apply(event, self.began.elapsed());
        self.is_stale = true;
    }

    pub(super) fn is_busy(&self) -> bool {
        self.view.is_busy()
    }

    /// Draws everything anew, on a terminal that may have changed.
    pub(super) fn redraw(&mut self) -> Result<()> {
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

    /// Goes on until the person leaves or the system wants us to end. The exit code.
    pub(super) async fn run(&mut self, host: &mut impl Host) -> u8 {
        // A terminal that cannot be written to is gone, and what is under way ends as if it had been closed.
        let code = self.turn_by_turn(host).await.unwrap_or(signals::HUNG_UP);
        host.close(self).await;
        // What the end said is still seen.
        while let Ok(message) = self.messages.try_recv() {
            host.hear(message, self);
        }
        let finished = self.view.take_finished();
        if self.screen.draw(&finished, &tui::Picture::default()).and_then(|()| self.screen.forget()).is_err()
        {
            // The terminal is gone.
        }
        code
    }

    async fn turn_by_turn(&mut self, host: &mut impl Host) -> Result<u8> {
        let mut signal = signals::listen(StreamController::new());
        let mut batch = Vec::with_capacity(BATCH_MAX);
        self.draw()?;
        loop {
            let now = self.began.elapsed();
            let wake = if self.is_stale {
                Some(self.frame_in())
            } else {
                self.view.wakes_at(now).map(|at| at.saturating_sub(now))
            };
            let keys = self.keys.as_mut();
            tokio::select! {
                biased;
                code = &mut signal => return Ok(code.unwrap_or(signals::TERMINATED)),
                key = async { match keys { Some(keys) => keys.next().await, None => std::future::pending().await } } => {
                    // The terminal is gone, with whoever sat there.
                    let Some(Ok(key)) = key else { return Ok(signals::HUNG_UP) };
                    if self.take_key(key, host).await? == Flow::Leave {
                        return Ok(0);
                    }
                    self.draw()?;
                }
                count = self.messages.recv_many(&mut batch, BATCH_MAX) => {
                    if count == 0 {
                        return Ok(0);
                    }
                    for message in batch.drain(..) {
                        host.hear(message, self);
                    }
                    for intent in self.view.take_intents() {
                        // Nothing that follows by itself ends the program.
                        host.act(intent, self).await;
                    }
                    self.is_stale = true;
                    if self.frame_in().is_zero() {
                        self.draw()?;
                    }
                }
                () = async { match wake { Some(wake) => tokio::time::sleep(wake).await, None => std::future::pending().await } } => {
                    self.draw()?;
                }
            }
        }
    }

    async fn take_key(&mut self, key: crossterm::event::Event, host: &mut impl Host) -> Result<Flow> {
        let Some(input) = read_input(key) else { return Ok(Flow::On) };
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
            Some(intent) => return Ok(host.act(intent, self).await),
            None => {}
        }
        Ok(Flow::On)
    }

    fn frame_in(&self) -> Duration {
        FRAME.saturating_sub(self.drawn.elapsed())
    }

    fn draw(&mut self) -> Result<()> {
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
