//! A conversation of several turns with real tools in a folder of its own, without a key and without a network: a question,
//! commands, a refusal, a permission, and the same conversation opened again from its transcript. Never touches a file of yours.
//!
//! `cargo run --example complex_conversation`

#![expect(clippy::print_stdout, reason = "an example shows what happens")]

use std::path::Path;
use std::sync::Arc;

use agent::StreamController;
use agent::history::History;
use agent::message::Block;
use agent::model::{Effort, Model as _};
use agent::permission::{Answer, Mode, PermissionDecision, Places, Policy, Rule};
use agent::request::Frame;
use agent::turn::{Caps, Ended, Event, Setup};
use anyhow::{Context as _, Result, ensure};
use models::Offline;
use tools::files::{DirectWriter, Files};
use tools::gate::Gate;
use tools::sandbox::{Bounds, Confinement, Sandbox};
use tools::shell::Shell;
use tools::tool::Outfit;
use tools::web::Web;
use workspace::conversation::{
    Conversation, KeepRule, Ports, Toolbox, Transcript, Transcripts, TurnEvent, remote,
};

fn main() -> Result<()> {
    let folder = tempfile::tempdir()?;
    let root = folder.path().canonicalize()?;
    for name in ["project", "tmp", "artifacts", "home"] {
        std::fs::create_dir(root.join(name))?;
    }
    std::fs::write(root.join("project/README.md"), "# Tally\n\nTally counts the words of log files.\n")?;
    std::fs::write(root.join("project/old.log"), "one two two\n")?;
    let runtime = tokio::runtime::Runtime::new()?;
    runtime.block_on(converse(&root))?;
    runtime.shutdown_background();
    Ok(())
}

async fn converse(root: &Path) -> Result<()> {
    let transcripts = Transcripts::at(&root.join("sessions"));
    let mut conversation = open(root, transcripts.begin(0)?, History::new())?;

    // The model lists, reads and quotes; nothing of it needs a permission.
    let ended = turn(&mut conversation, "what does this project do?", None).await?;
    ensure!(ended.denials.is_empty(), "reading was refused");

    // A command that only reads runs unasked. One that deletes asks, and here the person says no, then yes.
    turn(&mut conversation, "$ wc -w old.log", None).await?;
    turn(&mut conversation, "$ rm old.log", Some(PermissionDecision::Wait)).await?;
    ensure!(root.join("project/old.log").exists(), "a refused command ran");
    turn(&mut conversation, "$ rm old.log", Some(PermissionDecision::Allow)).await?;
    ensure!(!root.join("project/old.log").exists(), "an allowed command did not run");

    // What is on the disk is the conversation: it goes on from there.
    let (id, before) = (conversation.id().to_owned(), conversation.history().cloned());
    drop(conversation);
    let (transcript, records) = transcripts.resume(&id)?;
    let history = History::replay(records);
    ensure!(Some(&history) == before.as_ref(), "the transcript holds another conversation");
    let mut conversation = open(root, transcript, history)?;
    turn(&mut conversation, "where is `log` mentioned?", None).await?;
    println!(
        "the conversation {id} has {} messages",
        conversation.history().map_or(0, |all| all.messages().len())
    );
    Ok(())
}

/// One turn. `decision` is what the person says to each question.
async fn turn(
    conversation: &mut Conversation,
    words: &str,
    decision: Option<PermissionDecision>,
) -> Result<Ended> {
    println!("> {words}");
    let (far, mut near) = remote();
    let mut tell = |event: TurnEvent| match event {
        TurnEvent::ToolStarted { call, .. } => println!("  {} {}", call.name, call.input),
        TurnEvent::Asked { id, question } => {
            println!("  ? {}", question.shown);
            let decision = decision.unwrap_or(PermissionDecision::Wait);
            if far.answer(id, Answer::from(decision)).is_err() {
                println!("  (the turn was over before the answer)");
            }
        }
        TurnEvent::Model(agent::model::ModelEvent::Block { block: Block::Text(text), .. }) => {
            let lines = text.text.lines().filter(|line| !line.is_empty() && !line.starts_with("_This"));
            lines.for_each(|line| println!("  {line}"));
        }
        _ => {}
    };
    let first = Event::Prompted(vec![Block::text(words)]);
    let ended = conversation.turn(first, &mut near, &StreamController::new(), &mut tell).await?;
    println!("  = {}\n", ended.reason.words());
    Ok(ended)
}

fn open(root: &Path, transcript: Transcript, history: History) -> Result<Conversation> {
    let project = root.join("project");
    let policy = Policy::new(Mode::Default, Places::default(), Vec::new());
    let bounds = Bounds::of_workspace(
        project.clone(),
        root.join("tmp"),
        Some(&root.join("home")),
        std::env::vars_os(),
    );
    let outfit = Outfit {
        gate: Arc::new(Gate::new().context("the table of harmless commands is damaged")?),
        shell: Shell::new(Sandbox::new(Confinement::probe(), bounds), root.join("artifacts"), None),
        files: Files::new(project, Arc::new(DirectWriter::default()), None),
        veil: Arc::new(|_| false),
        tasks: Arc::default(),
        asker: None,
        web: Web::default(),
        provider: None,
    };
    let toolbox = Toolbox::new(outfit.tools());
    let frame = Frame {
        model: Offline::ID.to_owned(),
        system: "You work in a small project.".into(),
        tools: toolbox.specs(&policy),
        thinking: Effort::Off,
    };
    let setup = Setup { frame, limits: Offline.limits(), policy, caps: Caps::conversation() };
    let ports = Ports { model: Arc::new(Offline), tools: toolbox, rules: Arc::new(Forgetful), clock: || 0 };
    Ok(Conversation::new(ports, setup, history, transcript))
}

/// Keeps no rule: the folder is gone after the example.
struct Forgetful;

impl KeepRule for Forgetful {
    fn keep(&self, _rule: &Rule) -> Result<(), String> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_example_runs_to_its_end() {
        super::main().unwrap_or_else(|error| unreachable!("{error:#}"));
    }
}
