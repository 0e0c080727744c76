//! Questions of agents as the view asks them. Never turns what was not chosen into a yes.

use std::path::Path;

use agent::permission::{PermissionDecision, Question as Asked, Why};
use tokio::sync::oneshot;
use tools::tool::{Asker, Inquiry};
use tui::{Choice, Question};
use workspace::outside::PermissionDesk;
use workspace::outside::permission::{Deciding, Decision, Meaning, PermissionRequest};

use super::changes;
use super::console::{Mailbox, Message};

/// What our own loop asks, as a question. `rules` is the file that a rule would go to.
pub(super) fn question(id: u64, asked: &Asked, agent: &str, root: &Path, rules: &str) -> Question {
    let change = changes::of(&asked.call, root);
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
        Choice { number: number(decision), label, note, takes_words: decision == PermissionDecision::Wait }
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
}

impl PermissionDesk for Desk {
    fn decide(&self, request: PermissionRequest) -> Deciding<'_> {
        Box::pin(async move {
            let choices = request.choices.iter().map(|choice| Choice {
                number: match choice.meaning {
                    Meaning::AllowOnce => 1,
                    Meaning::AllowAlways => 2,
                    Meaning::RejectOnce => 3,
                    Meaning::RejectAlways => 4,
                },
                label: choice.name.clone(),
                note: String::new(),
                takes_words: false,
            });
            let input = request.input.as_ref().map(ToString::to_string).unwrap_or_default();
            let body =
                if input.is_empty() { request.title.clone() } else { format!("{}\n{input}", request.title) };
            let question = Question {
                id: 0,
                agent: request.agent.clone(),
                heading: format!("do this ({})", request.kind),
                body: agent::permission::visible(&body),
                change: None,
                why: String::new(),
                choices: choices.collect(),
            };
            let chosen =
                asked(&self.mailbox, question).await.and_then(|(choice, _)| request.choices.get(choice));
            chosen.map_or(Decision::Refused, |choice| Decision::Chosen(choice.id.clone()))
        })
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
        let (choice, words) = asked(&self.mailbox, question).await?;
        match inquiry.options.get(choice) {
            Some(option) => Some(option.clone()),
            None => Some(words).filter(|words| !words.is_empty()),
        }
    }
}

/// The choice and the words, unless nobody decides any more.
async fn asked(mailbox: &Mailbox, question: Question) -> Option<(usize, String)> {
    let (answer, answered) = oneshot::channel();
    mailbox.send(Message::Ask(Box::new(question), answer)).await.ok()?;
    answered.await.ok()
}
