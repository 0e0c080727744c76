//! Questions of agents as the view asks them. Never turns what was not chosen into a yes.

use std::collections::HashMap;
use std::path::PathBuf;

use agent::permission::{Answer, PermissionDecision, Question as Asked, Why};
use tokio::sync::oneshot;
use tools::tool::{Asker, Inquiry};
use tui::{Change, Choice, Question};
use workspace::outside::PermissionDesk;
use workspace::outside::permission::{Deciding, Decision, Meaning, PermissionRequest};

use super::changes;
use super::console::{Mailbox, Message};

/// What our own loop asks, as a question. `rules` is the file that a rule would go to.
pub(super) fn question(id: u64, asked: &Asked, agent: &str, change: Option<Change>, rules: &str) -> Question {
    let patterns = |patterns: &Option<Vec<agent::permission::Pattern>>| {
        let patterns = patterns.as_deref().unwrap_or_default().iter().map(ToString::to_string);
        patterns.collect::<Vec<_>>().join("', '")
    };
    let choices = asked.options(agent).into_iter().map(|(label, decision)| {
        let (always, never) = (patterns(&asked.always), patterns(&asked.never));
        let note = match decision {
            PermissionDecision::AlwaysAllow => format!("saves 'allow {always}' in {rules}"),
            PermissionDecision::Never if !never.is_empty() => format!("saves 'deny {never}' in {rules}"),
            PermissionDecision::Allow | PermissionDecision::Wait | PermissionDecision::Never => String::new(),
        };
        let is_refusal = decision == PermissionDecision::Wait;
        Choice { number: number(decision), label, note, takes_words: is_refusal, is_refusal }
    });
    let body = if change.is_some() { String::new() } else { asked.shown.clone() };
    let agent = agent.to_owned();
    Question {
        id,
        agent,
        heading: heading(&asked.call.name),
        body,
        change,
        why: why(asked),
        choices: choices.collect(),
    }
}

/// The same key for the same meaning, also where one is not offered.
fn number(decision: PermissionDecision) -> u8 {
    match decision {
        PermissionDecision::Allow => 1,
        PermissionDecision::AlwaysAllow => 2,
        PermissionDecision::Wait => 3,
        PermissionDecision::Never => 4,
    }
}

fn heading(tool: &str) -> String {
    match tool {
        "Bash" => "run a command".to_owned(),
        "Edit" | "MultiEdit" => "edit a file".to_owned(),
        "Write" => "write a file".to_owned(),
        "WebFetch" => "fetch a page".to_owned(),
        "WebSearch" => "search the web".to_owned(),
        other => format!("use {other}"),
    }
}

fn why(asked: &Asked) -> String {
    match &asked.why {
        // The whole stands below.
        Why::Uncovered(part) if *part == asked.shown => String::new(),
        Why::Rule(pattern) => format!("the rule 'ask {pattern}' says so"),
        Why::Uncovered(part) => format!("no rule allows: {}", part.chars().take(200).collect::<String>()),
        Why::Protected(path) => format!("{path} belongs to git or to agent-doc"),
        Why::Repeats => "the same call was made again and again".to_owned(),
    }
}

/// A desk that asks on the screen.
pub(super) struct Desk {
    pub(super) mailbox: Mailbox,
    /// The project, to show what an edit would change.
    pub(super) root: PathBuf,
    /// The file that rules go to, as it is shown.
    pub(super) rules: String,
}

impl PermissionDesk for Desk {
    fn decide(&self, request: PermissionRequest) -> Deciding<'_> {
        Box::pin(async move {
            let question = match &request.question {
                Some(asked) => {
                    let change = changes::of(&asked.call, &self.root);
                    question(0, asked, &request.agent, change, &self.rules)
                }
                None => foreign(&request),
            };
            let reply = asked(&self.mailbox, question).await;
            reply.map_or(Decision::Refused, |reply| decided(&request, reply))
        })
    }
}

/// What an agent of others asks, in its own words and order.
fn foreign(request: &PermissionRequest) -> Question {
    let mut choices: Vec<Choice> = Vec::new();
    for choice in &request.choices {
        let is_for_long = matches!(choice.meaning, Meaning::AllowAlways | Meaning::RejectAlways);
        let note = format!("{} keeps this by itself; no rule is saved here", request.agent);
        choices.push(Choice {
            number: free(meant(choice.meaning), &choices),
            label: choice.name.clone(),
            note: if is_for_long { note } else { String::new() },
            takes_words: false,
            is_refusal: choice.meaning == Meaning::RejectOnce,
        });
    }
    let input = request.input.as_ref().map(ToString::to_string).unwrap_or_default();
    let body = if input.is_empty() { request.title.clone() } else { format!("{}\n{input}", request.title) };
    Question {
        id: 0,
        agent: request.agent.clone(),
        heading: format!("do this ({})", request.kind),
        body: agent::permission::visible(&body),
        change: None,
        why: String::new(),
        choices,
    }
}

/// The key for a meaning, or one that no meaning has if an agent offers two of the same.
fn free(wanted: u8, taken: &[Choice]) -> u8 {
    let is_free = |number: &u8| taken.iter().all(|choice| choice.number != *number);
    std::iter::once(wanted).chain(5..=9).find(is_free).unwrap_or(0)
}

fn meant(meaning: Meaning) -> u8 {
    match meaning {
        Meaning::AllowOnce => 1,
        Meaning::AllowAlways => 2,
        Meaning::RejectOnce => 3,
        Meaning::RejectAlways => 4,
    }
}

/// What a reply means to whoever asked. What is none of the choices is a refusal.
fn decided(request: &PermissionRequest, reply: Reply) -> Decision {
    let Some(choice) = reply.choice else { return Decision::Refused };
    let Some(question) = &request.question else {
        let chosen = request.choices.get(choice);
        return chosen.map_or(Decision::Refused, |chosen| Decision::Chosen(chosen.id.clone()));
    };
    match question.options(&request.agent).get(choice) {
        Some((_, decision)) => Decision::Answered(Answer {
            decision: *decision,
            words: reply.words,
            scope: agent::permission::Scope::Local,
        }),
        None => Decision::Refused,
    }
}

/// Puts questions of the model to the person.
pub(super) struct Person {
    pub(super) mailbox: Mailbox,
}

impl Asker for Person {
    fn ask(&self, questions: Vec<Inquiry>) -> agent::tool::ToolFuture<'_, Option<Vec<String>>> {
        Box::pin(async move {
            let mut answers = Vec::new();
            for inquiry in questions {
                answers.push(self.one(inquiry).await?);
            }
            Some(answers)
        })
    }
}

impl Person {
    async fn one(&self, inquiry: Inquiry) -> Option<String> {
        let choice = |number: usize, label: &str, takes_words| Choice {
            number: u8::try_from(number).unwrap_or(9),
            label: label.to_owned(),
            note: String::new(),
            takes_words,
            is_refusal: false,
        };
        let mut choices: Vec<Choice> =
            (1..).zip(&inquiry.options).map(|(number, option)| choice(number, option, false)).collect();
        choices.push(choice(choices.len() + 1, "Something else", true));
        let question = Question {
            id: 0,
            agent: "agent".to_owned(),
            heading: "know".to_owned(),
            body: agent::permission::visible(&inquiry.question),
            change: None,
            why: String::new(),
            choices,
        };
        let reply = asked(&self.mailbox, question).await?;
        match inquiry.options.get(reply.choice?) {
            Some(option) => Some(option.clone()),
            None => Some(reply.words).filter(|words| !words.is_empty()),
        }
    }
}

/// What a person decided: one of the choices or none of them, and what they said with it.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Reply {
    pub(super) choice: Option<usize>,
    pub(super) words: String,
}

/// The reply, unless nobody decides any more. Dropped, it takes the question back.
async fn asked(mailbox: &Mailbox, question: Question) -> Option<Reply> {
    let (answer, answered) = oneshot::channel();
    let ticket = Ticket { answered, mailbox: mailbox.clone() };
    mailbox.send(Message::Ask(Box::new(question), answer)).await.ok()?;
    ticket.reply().await
}

/// One who waits for a reply, and says when they do so no longer.
struct Ticket {
    answered: oneshot::Receiver<Reply>,
    mailbox: Mailbox,
}

impl Ticket {
    async fn reply(mut self) -> Option<Reply> {
        (&mut self.answered).await.ok()
    }
}

impl Drop for Ticket {
    fn drop(&mut self) {
        self.answered.close();
        if self.mailbox.try_send(Message::Withdrawn).is_err() {
            // The mailbox is full, and whoever hears the next message looks who still waits; or the person has left.
        }
    }
}

/// Questions of others than a turn of ours, and who waits for each.
#[derive(Default)]
pub(super) struct Waiting {
    asked: HashMap<u64, oneshot::Sender<Reply>>,
}

impl Waiting {
    /// Takes a question in, unless it was taken back already.
    pub(super) fn put(&mut self, id: u64, answer: oneshot::Sender<Reply>) -> bool {
        let is_open = !answer.is_closed();
        if is_open {
            self.asked.insert(id, answer);
        }
        is_open
    }

    /// Hands a reply over. Gives it back if the question is none of these.
    pub(super) fn answer(&mut self, id: u64, reply: Reply) -> Result<(), Reply> {
        let Some(waiting) = self.asked.remove(&id) else { return Err(reply) };
        if waiting.send(reply).is_err() {
            // Nobody waits for it any more.
        }
        Ok(())
    }

    /// The questions that nobody waits with any more.
    pub(super) fn withdrawn(&mut self) -> Vec<u64> {
        let gone: Vec<u64> =
            self.asked.iter().filter(|(_, answer)| answer.is_closed()).map(|(id, _)| *id).collect();
        for id in &gone {
            self.asked.remove(id);
        }
        gone
    }

    /// Whoever waits gets no answer.
    pub(super) fn clear(&mut self) {
        self.asked.clear();
    }
}

#[cfg(test)]
mod tests;
