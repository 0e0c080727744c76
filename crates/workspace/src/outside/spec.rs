//! How an outside program is called and how its output is read. Never lets a document or a project choose what is run: names
//! that come from there are arguments, and none that looks like an option.

use std::path::Path;
use std::time::Duration;

use crate::session::agent::{AgentError, Ask, Talk};

/// How long a silent agent is waited for, if nobody says otherwise. Its tools may take their time.
const PATIENCE: Duration = Duration::from_secs(600);

/// The longest argument that every system takes.
const ARGUMENT_MAX: usize = 100_000;

/// The longest name of a conversation or a model.
const NAME_MAX: usize = 200;

/// An outside program. Its command line is `command`, `args`, `model_args` if a model is wanted, `resume_args` or `fork_args` if
/// it shall go on, and `prompt_args`, in this order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spec {
    /// The name that a document gives it.
    pub name: String,
    /// The program: a name in PATH or a whole path.
    pub command: String,
    /// What it is always given.
    pub args: Vec<String>,
    /// How it is told the model; `{model}` stands for it.
    pub model_args: Vec<String>,
    /// How it is told to go on with a conversation; `{session}` stands for its name. Without it, it cannot.
    pub resume_args: Vec<String>,
    /// How it is told to begin with all that was said in the latest conversation. Without it, it begins anew.
    pub fork_args: Vec<String>,
    /// How it is given the prompt; `{prompt}` stands for it. If it stands nowhere, the prompt comes through the standard input.
    pub prompt_args: Vec<String>,
    /// Variables of the environment that it does not inherit.
    pub without: Vec<String>,
    /// What its output means.
    pub format: Format,
    /// How long it may be silent.
    pub patience: Duration,
}

/// What the output of a program means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Format {
    /// The answer.
    Text,
    /// One JSON value; names with dots between them lead to what is in it.
    Json {
        /// To the answer.
        text: String,
        /// To the name of the conversation.
        session: Option<String>,
    },
    /// Lines of Claude Code.
    Claude,
    /// Lines of Codex.
    Codex,
    /// Lines of Gemini CLI.
    Gemini,
    /// Lines of opencode.
    Opencode,
    /// The Agent Client Protocol, spoken over both streams.
    Acp,
}

/// The names of the agents that are known without any settings.
pub const BUILT_IN: [&str; 8] =
    ["claude", "codex", "gemini", "opencode", "acp:claude", "acp:codex", "acp:gemini", "acp:opencode"];

impl Spec {
    /// A program of which only the name is known: it reads the prompt and prints the answer.
    pub fn new(name: &str, command: &str) -> Self {
        Self {
            name: name.to_owned(),
            command: command.to_owned(),
            args: Vec::new(),
            model_args: Vec::new(),
            resume_args: Vec::new(),
            fork_args: Vec::new(),
            prompt_args: Vec::new(),
            without: Vec::new(),
            format: Format::Text,
            patience: PATIENCE,
        }
    }

    /// An agent that is known without any settings.
    pub fn built_in(name: &str) -> Option<Self> {
        let acp = |command: &str, args: &[&str]| Self {
            args: owned(args),
            format: Format::Acp,
            ..Self::new(name, command)
        };
        Some(match name {
            "claude" => claude(name),
            "codex" => codex(name),
            "gemini" => gemini(name),
            "opencode" => opencode(name),
            "acp:claude" => Self { without: nested_claude(), ..acp("claude-agent-acp", &[]) },
            "acp:codex" => acp("codex-acp", &[]),
            "acp:gemini" => acp("gemini", &["--acp"]),
            "acp:opencode" => acp("opencode", &["acp"]),
            _ => return None,
        })
    }

    /// The arguments for what is asked.
    ///
    /// # Errors
    ///
    /// [`AgentError::Failed`] if a name in it is none, or the prompt is too long for an argument.
    pub(super) fn arguments(&self, ask: &Ask) -> Result<Vec<String>, AgentError> {
        let mut arguments = self.args.clone();
        if let Some(model) = &ask.model {
            self.must_be_plain("model", model)?;
            if self.model_args.is_empty() {
                return Err(self.failure(&format!(
                    "it is not known how to ask it for the model '{model}'; take 'model' away, or set 'model_args'"
                )));
            }
            arguments.extend(self.model_args.iter().map(|argument| argument.replace("{model}", model)));
        }
        match &ask.talk {
            Talk::Fresh => {}
            Talk::ForkLatest => arguments.extend(self.fork_args.iter().cloned()),
            Talk::Resume(session) => {
                self.must_be_plain("session", session)?;
                let filled = self.resume_args.iter().map(|argument| argument.replace("{session}", session));
                arguments.extend(filled);
            }
        }
        if self.takes_argument() && ask.prompt.len() > ARGUMENT_MAX {
            return Err(self.failure(&format!(
                "the prompt has {} bytes, which is too long for an argument; leave '{{prompt}}' out, and it is given through \
                 the standard input",
                ask.prompt.len()
            )));
        }
        // A zero byte ends an argument, and no prompt needs one.
        let prompt = ask.prompt.replace('\0', "");
        arguments.extend(self.prompt_args.iter().map(|argument| argument.replace("{prompt}", &prompt)));
        Ok(arguments)
    }

    /// Whether the prompt is an argument.
    pub(super) fn takes_argument(&self) -> bool {
        self.prompt_args.iter().any(|argument| argument.contains("{prompt}"))
    }

    /// What the person should know about the conversation that is wanted, if the program cannot do it.
    pub(super) fn cannot(&self, talk: &Talk) -> Option<String> {
        match talk {
            Talk::Resume(_) if self.resume_args.is_empty() => {
                Some(format!("{} cannot go on with a conversation; a new one begins", self.name))
            }
            Talk::ForkLatest if self.fork_args.is_empty() => {
                Some(format!("{} cannot begin with an older conversation; a new one begins", self.name))
            }
            Talk::Fresh | Talk::ForkLatest | Talk::Resume(_) => None,
        }
    }

    /// A failure of this agent.
    pub(super) fn failure(&self, told: &str) -> AgentError {
        AgentError::Failed { agent: self.name.clone(), told: told.to_owned() }
    }

    /// Why it could not be started.
    pub(super) fn not_started(&self, error: &std::io::Error, folder: &Path) -> AgentError {
        if !folder.is_dir() {
            return self.failure(&format!("its folder {} is not there", folder.display()));
        }
        match error.kind() {
            std::io::ErrorKind::NotFound => AgentError::Absent { program: self.command.clone() },
            _ => self.failure(&format!("{} cannot be started: {error}", self.command)),
        }
    }

    /// A document comes from anywhere; what it names must not become an option of a program.
    pub(super) fn must_be_plain(&self, key: &str, name: &str) -> Result<(), AgentError> {
        if is_plain_name(name) {
            return Ok(());
        }
        let shown: String = name.chars().take(40).collect();
        Err(self.failure(&format!("'{}' is no {key}; mend '{key}:' in the document", shown.escape_debug())))
    }
}

/// Whether it can be the name of a conversation or a model, and nothing else.
pub(super) fn is_plain_name(name: &str) -> bool {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "._:/@+-[]".contains(letter);
    !name.is_empty() && name.len() <= NAME_MAX && !name.starts_with('-') && name.chars().all(is_plain)
}

/// Claude Code refuses to run in a shell that Claude Code started; ours is another conversation.
fn nested_claude() -> Vec<String> {
    owned(&["CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID"])
}

fn claude(name: &str) -> Spec {
    Spec {
        args: owned(&["-p", "--output-format", "stream-json", "--verbose", "--include-partial-messages"]),
        model_args: owned(&["--model", "{model}"]),
        resume_args: owned(&["--resume", "{session}"]),
        fork_args: owned(&["--continue", "--fork-session"]),
        without: nested_claude(),
        format: Format::Claude,
        ..Spec::new(name, "claude")
    }
}

fn codex(name: &str) -> Spec {
    Spec {
        args: owned(&["exec", "--json", "--skip-git-repo-check"]),
        model_args: owned(&["--model", "{model}"]),
        resume_args: owned(&["resume", "{session}"]),
        // It would wait for a question otherwise.
        prompt_args: owned(&["-"]),
        format: Format::Codex,
        ..Spec::new(name, "codex")
    }
}

fn gemini(name: &str) -> Spec {
    Spec {
        args: owned(&["--output-format", "stream-json"]),
        model_args: owned(&["--model", "{model}"]),
        resume_args: owned(&["--resume", "{session}"]),
        format: Format::Gemini,
        ..Spec::new(name, "gemini")
    }
}

fn opencode(name: &str) -> Spec {
    Spec {
        args: owned(&["run", "--format", "json"]),
        model_args: owned(&["--model", "{model}"]),
        resume_args: owned(&["--session", "{session}"]),
        fork_args: owned(&["--continue", "--fork"]),
        format: Format::Opencode,
        ..Spec::new(name, "opencode")
    }
}

fn owned(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}
