//! Asks the person at the terminal whether an agent may do something. Never takes what was typed before the question stood
//! there for an answer, nor silence for a yes.

use std::io::{BufRead as _, IsTerminal as _};
use std::sync::Arc;

use rustix::termios::{QueueSelector, tcflush};
use tokio::sync::{Mutex, oneshot};
use workspace::outside::PermissionDesk;
use workspace::outside::permission::{Choice, Deciding, Decision, Meaning, PermissionRequest};

use crate::output;

/// How often an answer may be none of those offered.
const TRIES_MAX: usize = 3;
/// How much of what the agent would do is shown.
const INPUT_MAX: usize = 20_000;

/// The terminal, if there is one with a person before it.
pub(crate) fn desk(is_quiet: bool) -> Option<Arc<dyn PermissionDesk>> {
    let is_terminal = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    (is_terminal && !is_quiet).then(|| Arc::new(Terminal::default()) as Arc<dyn PermissionDesk>)
}

/// The person at the terminal, who is asked one question at a time.
#[derive(Default)]
struct Terminal {
    turn: Mutex<()>,
}

impl PermissionDesk for Terminal {
    fn decide(&self, request: PermissionRequest) -> Deciding<'_> {
        Box::pin(async move {
            let _turn = self.turn.lock().await;
            let (answer, answered) = oneshot::channel();
            // A thread that waits for a key cannot be stopped; it ends with the program.
            std::thread::spawn(move || drop(answer.send(asked(&request))));
            answered.await.unwrap_or(Decision::Refused)
        })
    }
}

fn asked(request: &PermissionRequest) -> Decision {
    let _alone = output::alone();
    let question = question(request);
    let stdin = std::io::stdin();
    if tcflush(&stdin, QueueSelector::IFlush).is_err() {
        return Decision::Refused;
    }
    let mut lines = stdin.lock().lines();
    output::ask(&question);
    for _ in 0..TRIES_MAX {
        let Some(Ok(line)) = lines.next() else { break };
        match chosen(&request.choices, line.trim()) {
            Ok(decision) => return decision,
            Err(remedy) => output::ask(&remedy),
        }
    }
    Decision::Refused
}

/// What an answer means, or what to say to one that means nothing.
fn chosen(choices: &[Choice], line: &str) -> Result<Decision, String> {
    if line.is_empty() {
        return Ok(Decision::Refused);
    }
    let number = line.parse::<usize>().ok().and_then(|number| number.checked_sub(1));
    let choice = number.and_then(|number| choices.get(number));
    choice
        .map(|choice| Decision::Chosen(choice.id.clone()))
        .ok_or_else(|| format!("a number from 1 to {}, or nothing to refuse: ", choices.len()))
}

/// The question: who asks, what exactly would be done, and what can be answered.
fn question(request: &PermissionRequest) -> String {
    let agent = plain(&request.agent);
    let mut question =
        format!("\r\x1b[K{agent} asks ({}):\n  {}\n", plain(&request.kind), plain(&request.title));
    let input = request.input.as_ref().map(|input| plain(&input.to_string())).unwrap_or_default();
    if input.len() > INPUT_MAX {
        let start: String = input.chars().take(INPUT_MAX).collect();
        question.push_str(&format!(
            "  {start}\n  and {} bytes more, which are not shown\n",
            input.len() - start.len()
        ));
    } else if !input.is_empty() {
        question.push_str(&format!("  {input}\n"));
    }
    for (number, choice) in (1..).zip(&request.choices) {
        let scope = match choice.meaning {
            Meaning::AllowOnce | Meaning::RejectOnce => "this time",
            Meaning::AllowAlways | Meaning::RejectAlways => "from now on",
        };
        question.push_str(&format!("  {number}  {} ({scope})\n", plain(&choice.name)));
    }
    question.push_str("number, or nothing to refuse: ");
    question
}

/// Text of others on a terminal: what would move its cursor, change the direction of reading or not be seen is shown by its number.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            ' '..='~' => plain.push(character),
            _ => plain.extend(character.escape_debug()),
        }
    }
    plain
}

#[cfg(test)]
mod tests {
    use expect_test::expect;

    use super::*;

    fn choices() -> Vec<Choice> {
        let choice = |id: &str, name: &str, meaning| Choice { id: id.into(), name: name.into(), meaning };
        vec![
            choice("y", "Allow", Meaning::AllowOnce),
            choice("a", "Always allow", Meaning::AllowAlways),
            choice("n", "Reject", Meaning::RejectOnce),
        ]
    }

    #[test]
    fn only_a_number_that_is_offered_chooses_and_nothing_refuses() {
        let chosen = |line| chosen(&choices(), line);
        assert_eq!(chosen("1"), Ok(Decision::Chosen("y".into())));
        assert_eq!(chosen("3"), Ok(Decision::Chosen("n".into())));
        assert_eq!(chosen(""), Ok(Decision::Refused));
        for line in ["0", "4", "y", "yes", "1 2", "-1", "99999999999999999999"] {
            assert!(chosen(line).is_err(), "{line}");
        }
    }

    #[test]
    fn a_question_shows_the_very_bytes_and_nothing_moves_the_cursor() {
        let request = PermissionRequest {
            agent: "acp:x".into(),
            title: "ls\r\x1b[2Krm\u{202e}".into(),
            kind: "execute".into(),
            input: Some(serde_json::json!({ "command": "ls\u{200b}" })),
            choices: choices(),
            question: None,
        };
        expect![[r"
            acp:x asks (execute):
              ls\r\u{1b}[2Krm\u{202e}
              {'command':'ls\u{200b}'}
              1  Allow (this time)
              2  Always allow (from now on)
              3  Reject (this time)
            number, or nothing to refuse: "]]
        .assert_eq(&question(&request).replace('"', "'").replace("\r\x1b[K", ""));
    }
}
