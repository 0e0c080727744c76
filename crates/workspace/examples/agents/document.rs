//! The same agent behind a document, through the program: a person writes, `run` or `stream` answers, twice.

use std::path::Path;
use std::time::Duration;

use tokio::process::Command;

use crate::case::Case;

/// Two starts of an agent program on a busy machine.
const ANSWER_MAX: Duration = Duration::from_secs(180);

/// The end of the row of the table, or the first thing that is wrong.
pub(crate) async fn check(case: &Case, program: &Path) -> Result<&'static str, String> {
    set_up(case);
    twice(case, program, "run", "append").await?;
    twice(case, program, "stream", "stream").await?;
    Ok("answers by run and stream")
}

/// Answers a new document twice with `verb`.
async fn twice(case: &Case, program: &Path, verb: &str, mode: &str) -> Result<(), String> {
    let name = format!("{verb}.md");
    let path = case.home.path().join("project").join(&name);
    run(case, program, &["init", &name, "--mode", mode]).await?;
    for round in 1..=2 {
        let mut text = std::fs::read_to_string(&path).unwrap();
        if case.cannot_resume.is_some() {
            text = forgotten(&text);
        }
        let question = format!("\nQuestion {round}?\n");
        // In a component the person writes before its end.
        let place = text.rfind("<!-- /agent:").unwrap_or(text.len());
        text.insert_str(place, &question);
        std::fs::write(&path, &text).unwrap();
        run(case, program, &[verb, &name, "--agent", &case.spec.name, "--no-git"]).await?;
        let text = std::fs::read_to_string(&path).unwrap();
        let answers = text.matches("as you wish").count();
        let is_kept = (1..=round).all(|round| text.contains(&format!("Question {round}?")));
        if answers != round || !is_kept {
            return Err(format!("{verb}: after {round} questions the document is {text:?}"));
        }
    }
    Ok(())
}

/// The document without the name of its conversation, as our own error tells people to do.
fn forgotten(text: &str) -> String {
    let lines = text.lines().map(|line| if line.starts_with("session:") { "session:" } else { line });
    lines.map(|line| format!("{line}\n")).collect()
}

/// The agent in the person's own settings, with the environment of this check.
fn set_up(case: &Case) {
    let quoted = |words: &[String]| {
        let words: Vec<String> = words.iter().map(|word| format!("{word:?}")).collect();
        words.join(", ")
    };
    let spec = &case.spec;
    let text =
        format!("[agents.{:?}]\ncommand = {:?}\nargs = [{}]\n", spec.name, spec.command, quoted(&spec.args));
    let folder = case.home.path().join(".config/agent-doc");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), text).unwrap();
}

async fn run(case: &Case, program: &Path, arguments: &[&str]) -> Result<(), String> {
    let mut command = Command::new(program);
    command.args(arguments).current_dir(case.home.path().join("project")).kill_on_drop(true);
    command.env("HOME", case.home.path()).env("XDG_CONFIG_HOME", case.home.path().join(".config"));
    let output = tokio::time::timeout(ANSWER_MAX, command.output()).await;
    let output = output.map_err(|_| format!("{arguments:?} did not end"))?.unwrap();
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{arguments:?} ended with {}: {}", output.status, String::from_utf8_lossy(&output.stderr)))
}
