//! The conversation in whole lines: the person types one and enters it, and hears what happens in words. Never moves the cursor, and
//! never takes a line that was typed before a question for its answer.

use std::io::{BufRead as _, Write as _};

use agent::StreamController;
use agent::message::Block;
use agent::permission::{Answer, Scope};
use agent::turn::Event as TurnInput;
use anyhow::Result;
use tokio::sync::{mpsc, oneshot};
use tui::{Event, Plain, Question};
use workspace::conversation::{Remote, TurnEvent, remote};

use super::console::Message;
use super::told::Teller;
use crate::wiring::talk::Talk;
use crate::{Outcome, signals};

/// Lines that wait to be read.
const LINES_MAX: usize = 64;

/// Goes on until the input ends.
pub(super) async fn run(mut talk: Talk, mut messages: mpsc::Receiver<Message>) -> Result<Outcome> {
    let mut lines = lines();
    let rules = talk.files.kept_in().map(|path| super::chat::shown(&path)).unwrap_or_default();
    let mut voice = Voice { plain: Plain::default(), teller: Teller::new(talk.root.clone(), rules) };
    let mut signal = signals::listen(StreamController::new());
    voice.say(&format!("agent-doc with {}. Type what you want, and /quit to leave.\n", talk.model));
    let code = loop {
        voice.say("You: ");
        let line = tokio::select! {
            code = &mut signal => break code.unwrap_or(signals::TERMINATED),
            line = lines.recv() => line,
        };
        let Some(line) = line else { break 0 };
        match line.trim() {
            "" => {}
            "/quit" | "/exit" => break 0,
            command if command.starts_with('/') && !command.contains(' ') => {
                voice.say("In plain mode there is /quit; other commands need the full screen.\n");
            }
            words => {
                let first = TurnInput::Prompted(vec![Block::text(words)]);
                let ended =
                    turn(&mut talk, first, &mut voice, &mut lines, &mut messages, &mut signal).await?;
                if let Some(code) = ended {
                    break code;
                }
            }
        }
    };
    talk.opened.documents.close().await;
    talk.opened.servers.stop().await;
    Ok(Outcome::Code(code))
}

/// One turn. The exit code, if the system wants us to end.
async fn turn(
    talk: &mut Talk,
    first: TurnInput,
    voice: &mut Voice,
    lines: &mut mpsc::Receiver<String>,
    messages: &mut mpsc::Receiver<Message>,
    signal: &mut tokio::task::JoinHandle<u8>,
) -> Result<Option<u8>> {
    let (far, mut near) = remote();
    let stop = StreamController::new();
    let (sender, mut events) = mpsc::unbounded_channel();
    let mut tell = move |event: TurnEvent| drop(sender.send(event));
    let mut turning = std::pin::pin!(talk.conversation.turn(first, &mut near, &stop, &mut tell));
    let mut open: Vec<Open> = Vec::new();
    let mut code = None;
    loop {
        tokio::select! {
            biased;
            ended = signal_of(signal), if code.is_none() => {
                code = Some(ended);
                stop.abort();
            }
            Some(event) = events.recv() => voice.hear(event, &mut open),
            Some(Message::Ask(question, answer)) = messages.recv() => {
                voice.tell(&Event::Asked(question.clone()));
                open.push(Open::Other(question, answer));
            }
            line = lines.recv(), if !open.is_empty() => {
                let question = open.remove(0);
                voice.answer(question, line.unwrap_or_default().trim(), &far);
            }
            ended = &mut turning => {
                ended?;
                break;
            }
        }
    }
    while let Ok(event) = events.try_recv() {
        voice.hear(event, &mut open);
    }
    Ok(code)
}

async fn signal_of(signal: &mut tokio::task::JoinHandle<u8>) -> u8 {
    signal.await.unwrap_or(signals::TERMINATED)
}

/// A question that waits for a line.
enum Open {
    Turn(Box<Question>),
    Other(Box<Question>, oneshot::Sender<(usize, String)>),
}

struct Voice {
    plain: Plain,
    teller: Teller,
}

impl Voice {
    fn hear(&mut self, event: TurnEvent, open: &mut Vec<Open>) {
        for event in self.teller.tell(event) {
            self.tell(&event);
            if let Event::Asked(question) = event {
                open.push(Open::Turn(question));
            }
        }
    }

    fn tell(&mut self, event: &Event) {
        let words = self.plain.apply(event);
        self.say(&words);
    }

    /// A number chooses; words go with the choice that takes some; nothing waits.
    fn answer(&mut self, open: Open, line: &str, far: &Remote) {
        let (Open::Turn(question) | Open::Other(question, _)) = &open;
        let number = line.parse::<u8>().ok();
        let chosen =
            number.and_then(|number| question.choices.iter().position(|choice| choice.number == number));
        let waiting = question.choices.iter().position(|choice| choice.takes_words).unwrap_or_default();
        let (choice, words) = match chosen {
            Some(chosen) => (chosen, String::new()),
            None => (waiting, line.to_owned()),
        };
        match open {
            Open::Other(_, answer) => {
                if answer.send((choice, words)).is_err() {
                    // Nobody waits for it any more.
                }
            }
            Open::Turn(question) => {
                let Some((id, decision)) = self.teller.decision(question.id, choice) else { return };
                if far.answer(id, Answer { decision, words, scope: Scope::Local }).is_err() {
                    self.say("The turn is over; nothing was decided.\n");
                }
            }
        }
    }

    fn say(&mut self, words: &str) {
        let mut out = std::io::stdout().lock();
        if out.write_all(words.as_bytes()).and_then(|()| out.flush()).is_err() {
            // Nobody reads any more; the input ends too.
        }
    }
}

/// Lines of the person, from a thread that waits for them and ends with the program.
fn lines() -> mpsc::Receiver<String> {
    let (sender, lines) = mpsc::channel(LINES_MAX);
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines() {
            let Ok(line) = line else { return };
            if sender.blocking_send(line).is_err() {
                return;
            }
        }
    });
    lines
}
