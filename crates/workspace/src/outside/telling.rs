//! What an agent said, on its way to whoever hears it: in order, with breaks between messages, without control characters. Never
//! tells a name of a conversation that could be taken for an option.

use crate::session::agent::{AgentError, Said, Tell};

use super::last_words::shown;
use super::plain::without_controls;
use super::process::Ended;
use super::spec::is_plain_name;

/// The longest answer. Nobody reads more than this in a document.
const SAID_MAX: usize = 64 << 20;
/// How much of what cannot be understood is shown.
const GARBAGE_MAX: usize = 200;
/// The longest line about what an agent is doing.
const DOING_MAX: usize = 200;

/// Tells, and remembers what for the end.
pub(super) struct Telling<'a> {
    tell: &'a mut Tell,
    talk: Option<String>,
    /// The message that is being said, if the agent names them.
    message: Option<String>,
    /// Bytes told.
    said: usize,
    /// Whether anything but blanks was told before the last break.
    had_words: bool,
    /// Whether anything but blanks was told since.
    has_words: bool,
    /// Whether anything was told since.
    is_open: bool,
    /// Whether a message ended after them.
    is_ended: bool,
    /// Output tokens of messages that are complete.
    tokens: u64,
    /// The whole answer, as the agent sums it up.
    summary: Option<String>,
    failure: Option<String>,
    complaint: String,
    garbage: Option<String>,
    /// Whether there is more to the answer than was said.
    is_cut_off: bool,
}

impl<'a> Telling<'a> {
    pub(super) fn new(tell: &'a mut Tell) -> Self {
        Self {
            tell,
            talk: None,
            message: None,
            said: 0,
            had_words: false,
            has_words: false,
            is_open: false,
            is_ended: false,
            tokens: 0,
            summary: None,
            failure: None,
            complaint: String::new(),
            garbage: None,
            is_cut_off: false,
        }
    }

    /// The name of the conversation, as often as the agent likes.
    pub(super) fn talk(&mut self, name: &str) {
        if is_plain_name(name) && self.talk.as_deref() != Some(name) {
            self.talk = Some(name.to_owned());
            (self.tell)(Said::Talk(name.to_owned()));
        }
    }

    /// Words of the answer.
    pub(super) fn text(&mut self, text: &str) {
        let text = without_controls(text);
        if text.is_empty() || self.is_full() {
            return;
        }
        if std::mem::take(&mut self.is_ended) && self.is_open {
            self.had_words |= std::mem::take(&mut self.has_words);
            (self.tell)(Said::Break);
        }
        self.is_open = true;
        self.said += text.len();
        self.has_words |= !text.trim().is_empty();
        (self.tell)(Said::Text(text.into_owned()));
    }

    /// Words of the message of this name; without a name, of the one before.
    pub(super) fn text_of(&mut self, message: Option<&str>, text: &str) {
        if message.is_some() && self.message.as_deref() != message {
            self.message = message.map(str::to_owned);
            self.part();
        }
        self.text(text);
    }

    /// A message has ended; words that follow belong to another.
    pub(super) fn part(&mut self) {
        self.is_ended = true;
    }

    /// What was said of the message that has not ended comes again.
    pub(super) fn void(&mut self) {
        if self.is_open && !self.is_ended {
            (self.is_open, self.has_words) = (false, false);
            (self.tell)(Said::Void);
        }
    }

    pub(super) fn thinking(&mut self, text: &str) {
        let text = without_controls(text);
        if !text.is_empty() {
            (self.tell)(Said::Thinking(text.into_owned()));
        }
    }

    /// What it is doing. The words after it are another message.
    pub(super) fn doing(&mut self, what: &str) {
        self.part();
        self.note(what);
    }

    /// Something for the status line.
    pub(super) fn note(&mut self, what: &str) {
        let line = what.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
        let line: String = without_controls(line).chars().take(DOING_MAX).collect();
        if !line.is_empty() {
            (self.tell)(Said::Doing(line));
        }
    }

    /// Output tokens of the message that is being said.
    pub(super) fn tokens(&mut self, of_message: u64) {
        (self.tell)(Said::Tokens(self.tokens.saturating_add(of_message)));
    }

    /// Output tokens of a message that is complete.
    pub(super) fn tokens_spent(&mut self, of_message: u64) {
        self.tokens = self.tokens.saturating_add(of_message);
        (self.tell)(Said::Tokens(self.tokens));
    }

    /// The whole answer once more. It is told only if nothing else was.
    pub(super) fn summary(&mut self, text: &str) {
        self.summary = Some(text.to_owned());
    }

    /// The agent itself says that it failed.
    pub(super) fn failed(&mut self, told: &str) {
        let told = shown(told);
        self.failure = Some(if told.is_empty() { "it did not say why".to_owned() } else { told });
    }

    /// A complaint of the agent, which may still go on. It is why it failed if it does not.
    pub(super) fn complaint(&mut self, told: &str) {
        self.note(told);
        self.complaint = shown(told);
    }

    /// Something that cannot be understood. Programs print warnings among their words, so this alone is no failure.
    pub(super) fn garbage(&mut self, line: &str) {
        if self.garbage.is_none() {
            self.garbage = Some(without_controls(line).chars().take(GARBAGE_MAX).collect());
        }
    }

    /// It ended without saying that this was all.
    pub(super) fn cut_off(&mut self) {
        self.is_cut_off = true;
    }

    fn is_answer(&self) -> bool {
        self.had_words || self.has_words
    }

    /// Whether there was something that cannot be understood.
    pub(super) fn is_garbled(&self) -> bool {
        self.garbage.is_some()
    }

    /// Whether more was said than anybody reads.
    pub(super) fn is_full(&self) -> bool {
        self.said > SAID_MAX
    }

    /// What comes of it when the agent has ended.
    pub(super) fn outcome(mut self, agent: &str, ended: Ended, last_words: &str) -> Result<(), AgentError> {
        let agent = agent.to_owned();
        let is_well = ended == Ended::Exited(0) && self.failure.is_none();
        if is_well && !self.is_answer() {
            let summary = self.summary.take().unwrap_or_default();
            self.text(&summary);
        }
        if is_well {
            return match self.garbage {
                _ if self.is_answer() && self.is_cut_off => {
                    Err(AgentError::Failed { agent, told: cut_off(&self.complaint) })
                }
                _ if self.is_answer() => Ok(()),
                Some(told) => Err(AgentError::Garbled { agent, told }),
                None => Err(AgentError::Nothing { agent }),
            };
        }
        let own = self.failure.unwrap_or_default();
        let words = [own.as_str(), &self.complaint, last_words, self.garbage.as_deref().unwrap_or_default()];
        let words = words.into_iter().find(|words| !words.is_empty()).unwrap_or("it said nothing about it");
        let told = match ended {
            Ended::Exited(0) => words.to_owned(),
            Ended::Exited(code) => format!("exit code {code}: {words}"),
            Ended::Killed(signal) => format!("ended by signal {signal}: {words}"),
        };
        Err(AgentError::Failed { agent, told })
    }
}

/// That an answer ended too early, and what was complained about before.
fn cut_off(complaint: &str) -> String {
    let gap = if complaint.is_empty() { "" } else { ": " };
    format!("it ended before its answer was whole{gap}{complaint}")
}
