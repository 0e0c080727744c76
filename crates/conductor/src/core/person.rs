//! What the person says and decides: directives, an end, proposals taken or turned down. Never acts twice on one line.

use super::{Conductor, Effect, Sent, Stopping};
use crate::directive::{self, Command};
use crate::draft::Draft;
use crate::plan::ItemState;
use crate::record::{Settled, Taken};
use crate::status::Status;

impl Conductor {
    /// Takes the directives that nobody has taken.
    pub(super) fn listen(&mut self, sent: Sent, effects: &mut Vec<Effect>) {
        let lines = self.draft.person_lines();
        let mut news = directive::news(&self.record.directives, &lines);
        match sent {
            Sent::Nothing => return,
            Sent::Last => {
                let is_blank = |(line, _): &&(String, bool)| line.trim().is_empty();
                let block = lines.iter().rev().skip_while(is_blank).take_while(|line| !is_blank(line));
                let last: Vec<&str> = block.map(|(line, _)| line.trim()).collect();
                news.fresh.retain(|line| last.contains(&line.as_str()));
            }
            Sent::All => {}
        }
        for (id, line) in news.mended {
            if let Some(taken) = self.record.directives.iter_mut().find(|taken| taken.id == id) {
                taken.line = line;
            }
        }
        for line in news.fresh {
            let id = self.record.directives.iter().map(|taken| taken.id).max().unwrap_or_default() + 1;
            let answer = format!("> Taken: {} → {}", shown(&line), self.follow(&line, effects));
            let taken = Taken { id, line, answer: answer.clone(), is_answered: false };
            self.record.directives.push(taken);
            effects.push(Effect::Answer { directive: id, words: answer });
        }
    }

    /// Does what a line says; gives back what is said about it.
    fn follow(&mut self, line: &str, effects: &mut Vec<Effect>) -> String {
        let names = self.record.names();
        match directive::command(line, &names) {
            Command::Cancel => {
                self.cancel(self.record.person.clone(), effects);
                "the run ends".to_owned()
            }
            Command::Also(words) => {
                let lower = words.to_lowercase();
                let named = names.iter().find(|name| lower.contains(&name.to_lowercase()));
                match named.or(names.first()).cloned() {
                    Some(worker) => {
                        self.add(&worker, &words);
                        format!("{worker} looks into it")
                    }
                    None => "nobody works here".to_owned(),
                }
            }
            Command::To { worker, words } => self.steer(&worker, &words, effects),
            Command::Unknown(answer) => self.of_guest(line).unwrap_or(answer),
        }
    }

    /// What is said about a line that calls a guest: nobody can hand it over, for a guest looks when it likes.
    fn of_guest(&self, line: &str) -> Option<String> {
        let guests: Vec<String> = self.record.guests.iter().map(|guest| guest.name.clone()).collect();
        match directive::command(line, &guests) {
            Command::To { worker, .. } => Some(format!("{worker} finds it here when it reads the document")),
            Command::Cancel | Command::Also(_) | Command::Unknown(_) => None,
        }
    }

    fn steer(&mut self, worker: &str, words: &str, effects: &mut Vec<Effect>) -> String {
        let item = self.record.plan.iter_mut().find(|item| {
            item.worker == worker && matches!(item.state, ItemState::Running | ItemState::Asking)
        });
        match item {
            Some(item) => {
                item.words.push(words.to_owned());
                if item.state == ItemState::Asking {
                    item.state = ItemState::Waiting;
                    return format!("{worker} goes on with it");
                }
                effects.push(Effect::Steer { worker: worker.to_owned(), words: words.to_owned() });
                format!("{worker} hears it now")
            }
            None => {
                self.add(worker, words);
                format!("{worker} does it next")
            }
        }
    }

    pub(super) fn answered(&mut self, directive: u32) {
        if let Some(taken) = self.record.directives.iter_mut().find(|taken| taken.id == directive) {
            taken.is_answered = true;
        }
    }

    pub(super) fn cancel(&mut self, by: String, effects: &mut Vec<Effect>) {
        if self.record.status.is_final() || matches!(self.stopping, Some(Stopping::Cancelled(_))) {
            return;
        }
        self.record.decided(format!("cancelled by {by}"));
        let why = format!("cancelled by {by}");
        self.record.cancelled = Some(by.clone());
        self.stopping = Some(Stopping::Cancelled(by));
        self.merging = None;
        self.give_up(&why, ItemState::Cancelled);
        effects.extend(self.running.keys().map(|worker| Effect::Stop(worker.clone())));
    }

    pub(super) fn accept(&mut self, settled: Settled, draft: Draft) {
        self.see(draft);
        self.record.decided(format!("proposal {} of {} is accepted", settled.id, settled.author));
        if !self.record.accepted.iter().any(|known| known.id == settled.id) {
            self.record.accepted.push(settled);
        }
        self.is_due_again |= self.is_merging();
        self.record.canon.is_due = true;
        self.reopen();
    }

    pub(super) fn reject(&mut self, settled: Settled, draft: Draft) {
        self.see(draft);
        self.record.decided(format!("proposal {} of {} is rejected", settled.id, settled.author));
        if !self.record.rejected.iter().any(|known| known.id == settled.id) {
            self.record.rejected.push(settled);
        }
        // What was rejected must not stay in the canon either, nor come back with an older one.
        self.record.canon.said = None;
        self.is_due_again |= self.is_merging();
        self.record.canon.is_due |= self.record.canon.count > 0;
        self.reopen();
    }

    /// A run that was over has something to write again.
    pub(super) fn reopen(&mut self) {
        if self.record.status.is_final() && self.record.status != Status::Cancelled {
            self.record.status = Status::Running;
        }
    }
}

/// A line as a quotation on one line.
fn shown(line: &str) -> String {
    let words: String = line.chars().filter(|letter| *letter != '`').take(200).collect();
    format!("`{}`", words.trim())
}
