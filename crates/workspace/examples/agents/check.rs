//! What each agent must do: answer, in pieces if its program can; go on with a conversation; and be gone when it is stopped.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use agent::StreamController;
use workspace::outside::{RefuseAll, agent};
use workspace::session::agent::{Agent, AgentError, Ask, Said, Talk};

use crate::case::Case;
use crate::model::{Model, SLOWLY, WORD};

/// A start of one of these programs on a busy machine.
const ANSWER_MAX: Duration = Duration::from_secs(180);
const STOP_MAX: Duration = Duration::from_secs(1);

struct Heard {
    said: Vec<Said>,
    outcome: Result<(), AgentError>,
}

impl Heard {
    fn text(&self) -> String {
        let words = self.said.iter().map(|said| match said {
            Said::Text(text) => text.as_str(),
            Said::Break => "\n\n",
            Said::Talk(_) | Said::Void | Said::Thinking(_) | Said::Doing(_) | Said::Tokens(_) => "",
        });
        words.collect()
    }

    fn pieces(&self) -> usize {
        self.said.iter().filter(|said| matches!(said, Said::Text(_))).count()
    }

    fn talk(&self) -> Option<String> {
        self.said.iter().find_map(|said| match said {
            Said::Talk(name) => Some(name.clone()),
            Said::Text(_)
            | Said::Break
            | Said::Void
            | Said::Thinking(_)
            | Said::Doing(_)
            | Said::Tokens(_) => None,
        })
    }

    /// The answer, if it is a whole one that holds these words.
    fn answer(&self, words: &str) -> Result<String, String> {
        let text = self.text();
        match &self.outcome {
            Ok(()) if text.contains(words) => Ok(text),
            Ok(()) => Err(format!("said {text:?} and not {words:?}")),
            Err(error) => Err(format!("{error}; said {text:?}")),
        }
    }
}

/// The row of the table, or the first thing that is wrong.
pub(crate) async fn check(case: &Case, model: &Model) -> Result<String, String> {
    let agent = agent(case.spec.clone(), Arc::new(RefuseAll));
    let begun = Instant::now();
    let first = ask(&*agent, case, &format!("Keep in mind: {WORD}."), Talk::Fresh).await;
    first.answer("as you wish").map_err(|told| format!("answer: {told}"))?;
    let took = begun.elapsed();
    let talk = first.talk().ok_or("the conversation has no name")?;
    let second = ask(&*agent, case, "Which fruit was it?", Talk::Resume(talk.clone())).await;
    let resumed = match (second.answer(WORD), case.cannot_resume) {
        (Ok(_), None) => "resumed",
        (Err(told), Some(known)) if told.contains(known) => "its own session/load fails",
        (Ok(_), Some(_)) => return Err("it resumes now; take its exception away".to_owned()),
        (Err(told), _) => return Err(format!("resume: {told}")),
    };
    let forked = if case.spec.fork_args.is_empty() { "no fork" } else { fork(&*agent, case, &talk).await? };
    let stopped = stop(&*agent, case, model).await?;
    let streamed = match first.pieces() {
        1 => "in one piece".to_owned(),
        pieces => format!("streamed in {pieces} pieces"),
    };
    Ok(format!(
        "{streamed}, {:.1} s; {resumed}; {forked}; stopped in {:.2} s",
        took.as_secs_f64(),
        stopped.as_secs_f64()
    ))
}

/// Begins anew with all that was said, and leaves the old conversation alone.
async fn fork(agent: &dyn Agent, case: &Case, old: &str) -> Result<&'static str, String> {
    let heard = ask(agent, case, "Which fruit was it?", Talk::ForkLatest).await;
    heard.answer(WORD).map_err(|told| format!("fork: {told}"))?;
    match heard.talk() {
        Some(name) if name != old => Ok("forked"),
        other => Err(format!("fork: the conversation is {other:?}, as before")),
    }
}

async fn ask(agent: &dyn Agent, case: &Case, prompt: &str, talk: Talk) -> Heard {
    listen(agent, case, prompt, talk, &StreamController::new()).await
}

async fn listen(agent: &dyn Agent, case: &Case, prompt: &str, talk: Talk, stop: &StreamController) -> Heard {
    let said = Arc::new(Mutex::new(Vec::new()));
    let notes = said.clone();
    let mut hear = move |heard: Said| notes.lock().unwrap().push(heard);
    let ask = Ask { prompt: prompt.to_owned(), talk, model: None, folder: case.home.path().join("project") };
    let answering = agent.answer(ask, stop.clone(), &mut hear);
    let outcome = tokio::time::timeout(ANSWER_MAX, answering).await.unwrap_or_else(|_| {
        Err(AgentError::Failed {
            agent: "it".to_owned(),
            told: format!("has not answered after {ANSWER_MAX:?}"),
        })
    });
    let said = std::mem::take(&mut *said.lock().unwrap());
    Heard { said, outcome }
}

/// Stops it in the middle of an answer, and looks whether anything is left.
async fn stop(agent: &dyn Agent, case: &Case, model: &Model) -> Result<Duration, String> {
    let controller = StreamController::new();
    let mut begun_at = None;
    let heard = {
        let answering = listen(agent, case, SLOWLY, Talk::Fresh, &controller);
        tokio::pin!(answering);
        tokio::select! {
            heard = &mut answering => heard,
            () = model.speaks_slowly() => {
                begun_at = Some(Instant::now());
                controller.abort();
                answering.await
            }
        }
    };
    let took = begun_at
        .map(|at| at.elapsed())
        .ok_or_else(|| format!("stop: it ended first: {:?}", heard.outcome))?;
    if !matches!(heard.outcome, Err(AgentError::Stopped)) {
        return Err(format!("stop: {:?}", heard.outcome));
    }
    let left = alive(&case.mark);
    if !left.is_empty() {
        return Err(format!("stop: these are left: {}", left.join(", ")));
    }
    if took > STOP_MAX { Err(format!("stop: took {took:?}")) } else { Ok(took) }
}

/// The processes that have these words in their environment, by their command lines.
fn alive(mark: &str) -> Vec<String> {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let marked = processes.filter_map(|process| {
        let environment = std::fs::read(process.path().join("environ")).ok()?;
        environment.split(|byte| *byte == 0).any(|variable| variable == mark.as_bytes()).then_some(())?;
        let command = std::fs::read(process.path().join("cmdline")).ok()?;
        Some(String::from_utf8_lossy(&command).replace('\0', " ").chars().take(80).collect())
    });
    marked.collect()
}
