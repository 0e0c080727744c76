//! A project with one document, the home of its person, and an agent that is a shell script. Never lets a program see the real
//! home, nor ask the network for its newest version.

use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::{Context as _, Result, ensure};

use super::super::measure::{Cost, child};
use super::super::page::page;

/// How the answers get into the document.
#[derive(Clone, Copy)]
pub(super) enum Mode {
    Append,
    Stream,
}

/// One program and where it works.
pub(super) struct Stage {
    program: PathBuf,
    folder: PathBuf,
}

impl Stage {
    /// A repository for `program`, with an agent that does what `script` says after it has read its prompt.
    pub(super) fn new(program: &Path, folder: &Path, script: &str) -> Result<Stage> {
        if folder.exists() {
            fs::remove_dir_all(folder)?;
        }
        for name in ["project/.agent-doc", "home/.cache/agent-doc", "commands"] {
            fs::create_dir_all(folder.join(name))?;
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH)?.as_secs();
        // The older program asks for a newer one unless it has done so today.
        let asked = format!("{{ \"version\": \"0.17.6\", \"timestamp\": {now} }}");
        fs::write(folder.join("home/.cache/agent-doc/version-cache.json"), asked)?;
        let stage = Stage { program: program.to_owned(), folder: folder.to_owned() };
        let agent = stage.agent();
        fs::write(&agent, format!("#!/bin/sh\ncat > /dev/null\n{script}\n"))?;
        fs::set_permissions(&agent, fs::Permissions::from_mode(0o755))?;
        let mut git = Command::new("git");
        stage.placed(&mut git).args(["init", "--quiet", "--initial-branch=main"]);
        ensure!(git.status().context("cannot start git")?.success(), "git made no repository");
        Ok(stage)
    }

    /// Whether `program` works here.
    pub(super) fn is_of(&self, program: &Path) -> bool {
        self.program == program
    }

    /// The agent, which both programs know by this name without any settings.
    pub(super) fn agent(&self) -> PathBuf {
        self.folder.join("commands/claude")
    }

    /// A file beside the project.
    pub(super) fn beside(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    pub(super) fn text(&self) -> Result<String> {
        Ok(fs::read_to_string(self.document())?)
    }

    pub(super) fn save(&self, text: &str) -> Result<()> {
        Ok(fs::write(self.document(), text)?)
    }

    /// Forgets everything that the program knows of the document.
    pub(super) fn forget(&self) -> Result<()> {
        let state = self.folder.join("project/.agent-doc");
        fs::remove_dir_all(&state)?;
        Ok(fs::create_dir(&state)?)
    }

    /// The program at the document, quietly.
    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.program);
        self.placed(&mut command).args(arguments).stdin(Stdio::null()).stdout(Stdio::null());
        command.stderr(Stdio::null());
        command
    }

    /// Runs the program with `input`, and it must go well.
    pub(super) fn measured(&self, arguments: &[&str], input: &str) -> Result<Cost> {
        let path = self.beside("input");
        fs::write(&path, input)?;
        let log = self.beside("log");
        let mut command = self.command(arguments);
        command.stdin(File::open(&path)?).stderr(File::create(&log)?);
        child(&mut command).with_context(|| {
            let said = fs::read_to_string(&log).unwrap_or_default();
            format!("{} {arguments:?}: {said}", self.program.display())
        })
    }

    fn document(&self) -> PathBuf {
        self.folder.join("project/notes.md")
    }

    /// Where the person works, and who they are.
    fn placed<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let mut folders = self.folder.join("commands").into_os_string();
        folders.push(":");
        folders.push(path);
        command.current_dir(self.folder.join("project")).env("HOME", self.folder.join("home"));
        command.env("PATH", folders).env("GIT_CONFIG_NOSYSTEM", "1");
        for role in ["AUTHOR", "COMMITTER"] {
            command
                .env(format!("GIT_{role}_NAME"), "A Person")
                .env(format!("GIT_{role}_EMAIL"), "person@example.org");
        }
        let foreign = ["XDG_CONFIG_HOME", "XDG_CACHE_HOME", "AGENT_DOC_AGENT", "GIT_DIR", "GIT_WORK_TREE"];
        foreign.iter().fold(command, |command, name| command.env_remove(name))
    }
}

/// A session document of about `length` bytes. The first `history` bytes of its page are what was said so far.
pub(super) fn document(mode: Mode, length: usize, history: usize) -> String {
    let page = page(length);
    let middle = page.floor_char_boundary(history);
    let line = page.get(..middle).and_then(|head| head.rfind('\n')).map_or(0, |newline| newline + 1);
    let (said, notes) = page.split_at(line);
    match mode {
        Mode::Append => format!(
            "---\nagent_doc_session: bench\nagent_doc_mode: append\nagent: claude\n---\n\n# Talk\n\n{page}\n## User\n\nWhat is it?\n"
        ),
        Mode::Stream => format!(
            "---\nagent_doc_session: bench\nagent_doc_mode: stream\nagent: claude\n---\n\n# Talk\n\n<!-- agent:exchange -->\n{said}\nWhat is it?\n<!-- /agent:exchange -->\n\n# Notes\n\n{notes}"
        ),
    }
}
