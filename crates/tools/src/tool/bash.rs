//! The tool that runs commands. Never runs anything but the text that was weighed.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use agent::message::ToolCall;
use agent::model::ToolSpec;
use agent::permission::{Access, Basis, Claim, Permit};
use agent::tool::{Output, RunScope, Tool, ToolFuture, parsed, spec};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::checkpoint::Checkpoints;
use crate::gate::{Gate, Place, Repository};
use crate::limits::{COMMAND_MAX, TIMEOUT_DEFAULT, TIMEOUT_MAX};
use crate::sandbox::{Confinement, Network};
use crate::shell::{Order, Shell};

/// Runs a command in bash and gives back what it printed, both streams in one, and its exit code if that is not 0.
///
/// Each command gets a new shell: variables are forgotten, the working folder is kept if it is inside the workspace. Nothing can
/// be typed in, so give options instead of waiting for questions. The command is locked in: it can write in the
/// workspace (but not in .git and .agent-doc) and in /tmp, and has no network unless you ask for it. Everything that a
/// command starts ends with it; use `run_in_background` for servers. Long output is cut in the middle and kept whole in a file.
/// To read, search or change files, use Read, Grep, Glob and Edit.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct BashInput {
    /// The command, as typed into bash.
    command: String,
    /// What the command does, in a few words, for the person who is asked.
    #[expect(dead_code, reason = "front ends read it from the call")]
    description: Option<String>,
    /// The longest it may run, in milliseconds. 120000 if not given, 600000 at most.
    timeout: Option<u64>,
    /// Leaves the command running and gives back its name for `BashOutput` and `KillBash`.
    #[serde(default)]
    run_in_background: bool,
    /// The command needs the network. The person is asked.
    #[serde(default)]
    network: bool,
}

/// `Bash`.
pub struct Bash {
    spec: ToolSpec,
    shell: Shell,
    gate: Arc<Gate>,
}

impl Bash {
    /// Runs its commands in `shell`, as `gate` takes them apart.
    pub fn new(shell: Shell, gate: Arc<Gate>) -> Self {
        Self { spec: spec::<BashInput>("Bash"), shell, gate }
    }

    fn claimed(&self, call: &ToolCall) -> Result<Claim, String> {
        let input: BashInput = parsed(call)?;
        check(&input)?;
        let mut claim = self.gate.claim(&self.gate.weigh(&input.command, &self.place()));
        if input.network {
            claim.domains.push("*".to_owned());
        }
        Ok(claim)
    }

    /// Where the command would begin.
    fn place(&self) -> Place {
        let bounds = self.shell.sandbox().bounds();
        let folder = self.shell.folder();
        let home = bounds.environment.iter().find(|(name, _)| name == "HOME");
        Place {
            home: home.map(|(_, home)| home.to_string_lossy().into_owned()),
            repository: Repository::look(&folder),
            folder: folder.to_string_lossy().into_owned(),
            ..Place::of_workspace(&bounds.root.to_string_lossy())
        }
    }

    async fn perform(&self, permit: &Permit, scope: &RunScope) -> Output {
        let input: BashInput = match parsed(permit.call()) {
            Ok(input) => input,
            Err(words) => return Output::error(words),
        };
        // The same words mean something else in another folder, or in a repository with other settings.
        if self.claimed(permit.call()).as_ref() != Ok(permit.claim()) {
            return Output::error(
                "the folder or its repository changed since this command was weighed; call it again",
            );
        }
        if matches!(self.shell.sandbox().confinement(), Confinement::None(_))
            && permit.basis() == Basis::Policy
        {
            let words = self.shell.sandbox().confinement().told();
            return Output::error(format!("{words}; a person must allow this command"));
        }
        let (timeout, clamped) = timeout_of(input.timeout);
        let network = if input.network { Network::On } else { Network::Off };
        let order = Order { command: &input.command, timeout, network };
        if input.run_in_background {
            return match self.shell.run_in_background(&order) {
                Ok(name) => Output::success(format!(
                    "runs in the background as {name}; read its output with BashOutput"
                )),
                Err(words) => Output::error(words),
            };
        }
        // What a person approved and what only reads leaves no trace; the rest can be taken back.
        let checkpoints =
            self.shell.checkpoints().filter(|_| permit.claim().access != Access::ReadOnly).cloned();
        let kept = taken_in(checkpoints.clone()).await;
        let finished = self.shell.run(&order, &scope.controller, &*scope.report).await;
        let kept = kept.and(recorded(checkpoints, input.command).await);
        let mut text = finished.text + clamped;
        if let Err(error) = kept {
            text.push_str(&format!("\n[what this command changed cannot be taken back: {error}]"));
        }
        if finished.is_error { Output::error(text) } else { Output::success(text) }
    }
}

impl Tool for Bash {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn inspect<'a>(&'a self, call: &'a ToolCall) -> ToolFuture<'a, Result<Claim, String>> {
        Box::pin(async move { self.claimed(call) })
    }

    fn run(&self, permit: Permit, scope: RunScope) -> ToolFuture<'_, Output> {
        Box::pin(async move { self.perform(&permit, &scope).await })
    }
}

fn check(input: &BashInput) -> Result<(), String> {
    if input.command.trim().is_empty() {
        return Err("InputValidationError: `command`: it is empty; give a command".to_owned());
    }
    if input.command.contains('\0') {
        return Err(
            "InputValidationError: `command`: it holds a NUL character, which no program can be given"
                .to_owned(),
        );
    }
    if input.command.len() > COMMAND_MAX {
        return Err(format!(
            "InputValidationError: `command`: it has more than {COMMAND_MAX} bytes; write a script with Write and run that"
        ));
    }
    Ok(())
}

/// The time that a command gets, and what to say if that is less than was asked for.
fn timeout_of(asked: Option<u64>) -> (Duration, &'static str) {
    match asked.map(Duration::from_millis) {
        None => (TIMEOUT_DEFAULT, ""),
        Some(asked) if asked > TIMEOUT_MAX => (TIMEOUT_MAX, "\n[the timeout was limited to 600000 ms]"),
        Some(asked) => (asked, ""),
    }
}

/// Before the command.
async fn taken_in(checkpoints: Option<Checkpoints>) -> Result<(), String> {
    let Some(checkpoints) = checkpoints else { return Ok(()) };
    on_disk(move || checkpoints.before_command()).await
}

/// After it.
async fn recorded(checkpoints: Option<Checkpoints>, command: String) -> Result<(), String> {
    let Some(checkpoints) = checkpoints else { return Ok(()) };
    on_disk(move || checkpoints.after_command(&command)).await
}

async fn on_disk(work: impl FnOnce() -> io::Result<()> + Send + 'static) -> Result<(), String> {
    let outcome = tokio::task::spawn_blocking(work).await;
    outcome.map_err(|error| error.to_string())?.map_err(|error| error.to_string())
}
