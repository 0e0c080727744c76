//! The same in whole lines: the person types one and enters it, and hears what happens in words. Never moves the cursor, and never takes
//! a line that was typed before a question for its answer.

use std::collections::VecDeque;
use std::io::{BufRead as _, IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

use anyhow::Result;
use rustix::termios::{QueueSelector, tcflush};
use tokio::sync::mpsc;
use tui::{Event, Intent, Plain, Question, command, shown};

use super::Next;
use crate::signals::Interrupts;

/// Lines that wait to be read.
const LINES_MAX: usize = 64;
/// Questions that wait, at most. More are refused: no person hears so many.
const QUESTIONS_MAX: usize = 64;
/// How long a second ctrl-c counts as the second.
const TWICE: Duration = Duration::from_secs(2);

/// A person who hears and types lines.
pub(super) struct Lines {
    plain: Plain,
    typed: mpsc::Receiver<Typed>,
    /// Nobody types any more, but somebody may still read.
    is_deaf: bool,
    interrupts: Interrupts,
    interrupted: Option<Instant>,
    is_busy: bool,
    /// Questions that were not read out yet.
    asked: VecDeque<Box<Question>>,
    /// The one that was, and since when it is.
    current: Option<(Box<Question>, Instant)>,
    /// How many prompts are offered to go back to.
    offered: Option<usize>,
    /// What the person said last, which they need not hear.
    said: String,
    is_prompted: bool,
    refused: Vec<Intent>,
    /// The output is gone.
    gone: Option<std::io::Error>,
}

/// A line, and when it was entered.
struct Typed {
    line: String,
    at: Instant,
}

impl Lines {
    pub(super) fn open() -> Lines {
        Lines {
            plain: Plain::default(),
            typed: typed(),
            is_deaf: false,
            interrupts: Interrupts::listen(),
            interrupted: None,
            is_busy: false,
            asked: VecDeque::new(),
            current: None,
            offered: None,
            said: String::new(),
            is_prompted: false,
            refused: Vec::new(),
            gone: None,
        }
    }

    pub(super) fn is_busy(&self) -> bool {
        self.is_busy
    }

    pub(super) fn intents(&mut self) -> Vec<Intent> {
        std::mem::take(&mut self.refused)
    }

    pub(super) fn apply(&mut self, event: &Event) {
        match event {
            Event::Asked(question) if self.asked.len() >= QUESTIONS_MAX => {
                self.refused.push(answer(question, question.refusing(), String::new()));
                return;
            }
            Event::Asked(question) => {
                self.asked.push_back(question.clone());
                return self.ask();
            }
            Event::Settled(id) => return self.settle(*id),
            Event::Said(words) if *words == self.said => return,
            Event::Said(words) => return self.say(&format!("You said: {}\n", shown(words))),
            Event::Prompts(prompts) => return self.offer(prompts),
            Event::TurnBegan => self.is_busy = true,
            Event::TurnEnded(_) => {
                self.is_busy = false;
                self.asked.clear();
                self.current = None;
            }
            _ => {}
        }
        let words = self.plain.apply(event);
        self.say(&words);
    }

    /// Reads out the next question, if none waits for its answer. What was typed until then is no answer.
    fn ask(&mut self) {
        if self.current.is_some() {
            return;
        }
        let Some(question) = self.asked.pop_front() else { return };
        let stdin = std::io::stdin();
        if stdin.is_terminal() && tcflush(&stdin, QueueSelector::IFlush).is_err() {
            // Then what stands in the line is seen before it is entered.
        }
        let words = self.plain.apply(&Event::Asked(question.clone()));
        self.say(&words);
        self.current = Some((question, Instant::now()));
    }

    fn settle(&mut self, id: u64) {
        self.asked.retain(|question| question.id != id);
        if self.current.as_ref().is_some_and(|(question, _)| question.id == id) {
            self.current = None;
            self.say("The question is settled.\n");
        }
        self.ask();
    }

    fn offer(&mut self, prompts: &[String]) {
        if prompts.is_empty() {
            return self.say("There is nothing to go back to.\n");
        }
        let mut words = "Go back to before which prompt?\n".to_owned();
        for (number, prompt) in (1..).zip(prompts) {
            words.push_str(&format!("{number}. {}\n", shown(prompt).replace('\n', " ")));
        }
        words.push_str("Your number, or nothing to stay:\n");
        self.say(&words);
        self.offered = Some(prompts.len());
    }

    /// What the person does next. Can be dropped while it waits.
    pub(super) async fn next(&mut self) -> Next {
        let listens = !self.is_deaf && (self.current.is_some() || !self.is_busy);
        tokio::select! {
            biased;
            () = self.interrupts.next() => self.interrupt(),
            typed = self.typed.recv(), if listens => match typed {
                Some(typed) => self.take(&typed),
                None if std::io::stdin().is_terminal() => Next::Gone(0),
                None => {
                    self.is_deaf = true;
                    self.refuse()
                }
            },
        }
    }

    /// Ctrl-C: what is under way stops, and twice leaves.
    fn interrupt(&mut self) -> Next {
        if self.interrupted.replace(Instant::now()).is_some_and(|before| before.elapsed() < TWICE) {
            return Next::Gone(0);
        }
        (self.is_prompted, self.offered) = (false, None);
        self.say("\nCtrl-C again to leave.\n");
        if self.is_busy { Next::Wanted(Intent::Interrupt) } else { self.refuse() }
    }

    /// The question that waits gets a no.
    fn refuse(&mut self) -> Next {
        let Some((question, _)) = self.current.take() else { return Next::Nothing };
        let refused = answer(&question, question.refusing(), String::new());
        self.ask();
        Next::Wanted(refused)
    }

    fn take(&mut self, typed: &Typed) -> Next {
        self.is_prompted = false;
        let line = typed.line.trim();
        if let Some((question, since)) = self.current.take() {
            return self.reply(question, since, typed);
        }
        if let Some(count) = self.offered.take() {
            let number = line.parse::<usize>().ok().filter(|number| (1..=count).contains(number));
            return match number {
                Some(number) => Next::Wanted(Intent::Rewind(number - 1)),
                None => Next::Nothing,
            };
        }
        if line.is_empty() {
            return Next::Nothing;
        }
        line.clone_into(&mut self.said);
        Next::Wanted(command(line).unwrap_or_else(|| Intent::Say(line.to_owned())))
    }

    /// A number chooses; words go with the choice that takes some; nothing refuses.
    fn reply(&mut self, question: Box<Question>, since: Instant, typed: &Typed) -> Next {
        let line = typed.line.trim();
        if typed.at < since {
            self.current = Some((question, since));
            self.say(&format!(
                "This was typed before the question and is no answer to it: {}\n",
                shown(line)
            ));
            return Next::Nothing;
        }
        let position = |is_it: &dyn Fn(&tui::Choice) -> bool| question.choices.iter().position(is_it);
        let number = line.parse::<u8>().ok();
        let chosen = number.and_then(|number| position(&|choice: &tui::Choice| choice.number == number));
        let with_words = position(&|choice: &tui::Choice| choice.takes_words);
        let decided = match (chosen, with_words) {
            (Some(chosen), _) => answer(&question, Some(chosen), String::new()),
            (None, _) if line.is_empty() => answer(&question, question.refusing(), String::new()),
            (None, Some(with_words)) => answer(&question, Some(with_words), line.to_owned()),
            (None, None) => {
                self.current = Some((question, since));
                self.say("That is none of the numbers. Your number, or nothing to refuse:\n");
                return Next::Nothing;
            }
        };
        self.ask();
        Next::Wanted(decided)
    }

    /// Says that it is the person's turn, if it is.
    pub(super) fn prompt(&mut self) -> Result<()> {
        let is_free = !self.is_busy && !self.is_deaf && self.current.is_none() && self.offered.is_none();
        if is_free && !self.is_prompted {
            self.say("You: ");
            self.is_prompted = true;
        }
        self.gone.take().map_or(Ok(()), |gone| Err(gone.into()))
    }

    fn say(&mut self, words: &str) {
        if words.is_empty() {
            return;
        }
        let before = if std::mem::take(&mut self.is_prompted) { "\n" } else { "" };
        let mut out = std::io::stdout().lock();
        let written = write!(out, "{before}{words}").and_then(|()| out.flush());
        self.gone = written.err().or(self.gone.take());
    }
}

fn answer(question: &Question, choice: Option<usize>, words: String) -> Intent {
    Intent::Answer { question: question.id, choice, words }
}

/// Lines of the person, from a thread that waits for them and ends with the program.
fn typed() -> mpsc::Receiver<Typed> {
    let (sender, lines) = mpsc::channel(LINES_MAX);
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            let Ok(line) = line else { return };
            if sender.blocking_send(Typed { line, at: Instant::now() }).is_err() {
                return;
            }
        }
    });
    lines
}
