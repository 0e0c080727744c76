//! A person with a project, a git repository, and an agent that is a shell script.

use std::os::unix::fs::PermissionsExt as _;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::Duration;

use crate::scratch::{Scratch, told};

/// How long a test waits for something that must happen, in steps.
const STEPS_MAX: usize = 4000;
const STEP: Duration = Duration::from_millis(5);

pub(super) const APPEND: &str =
    "---\nsession:\nagent_doc_mode: append\nagent: fake\n---\n\n# Talk\n\n## User\n\nWhat is it?\n";
pub(super) const STREAM: &str = "---\nsession:\nagent_doc_mode: stream\nagent: fake\nagent_doc_stream:\n  interval: 20\n---\n# Doc\n\n<!-- agent:exchange -->\nWhat is it?\n<!-- /agent:exchange -->\n\nmy note\n";

pub(super) struct Scene {
    pub(super) scratch: Scratch,
}

impl Scene {
    /// A project with the document `notes.md`, and an agent `fake` that runs this script. In it, `$DOC` is the document.
    pub(super) fn new(document: &str, script: &str) -> Scene {
        let scratch = Scratch::new();
        for folder in ["home/.config/agent-doc", "project/.agent-doc"] {
            std::fs::create_dir_all(scratch.path(folder)).unwrap();
        }
        let scene = Scene { scratch };
        scene.write("notes.md", document);
        scene.agent(script);
        scene
    }

    /// The same in a git repository with one commit.
    pub(super) fn in_git(document: &str, script: &str) -> Scene {
        let scene = Scene::new(document, script);
        scene.git(&["init", "--quiet", "--initial-branch=main"]);
        scene.write("README.md", "# Project\n");
        scene.git(&["add", "README.md"]);
        scene.git(&["commit", "--quiet", "-m", "begin"]);
        scene
    }

    /// What the agent does from now on.
    pub(super) fn agent(&self, script: &str) {
        self.agent_with(script, "patience = 20\n");
    }

    /// The same, with settings of its own.
    pub(super) fn agent_with(&self, script: &str, settings: &str) {
        let path = self.scratch.path("home/fake");
        let document = self.path("notes.md");
        // The prompt is read, so that nobody writes into a closed pipe.
        let whole = format!(
            "#!/bin/sh\nDOC='{}'\ncat > '{}'\n{script}\n",
            document.display(),
            self.scratch.path("home/prompt").display()
        );
        std::fs::write(&path, whole).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        let settings = format!("[agents.fake]\ncommand = \"{}\"\n{settings}", path.display());
        self.scratch.write("home/.config/agent-doc/config.toml", settings);
    }

    /// What the agent was asked last.
    pub(super) fn prompt(&self) -> String {
        self.scratch.read("home/prompt")
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.scratch.path("project").join(name)
    }

    pub(super) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    pub(super) fn write(&self, name: &str, text: &str) {
        std::fs::write(self.path(name), text).unwrap();
    }

    pub(super) fn append(&self, name: &str, text: &str) {
        self.write(name, &(self.read(name) + text));
    }

    pub(super) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = self.scratch.command(arguments);
        command
            .current_dir(self.path(""))
            .env("HOME", self.scratch.path("home"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_NAME", "A Person")
            .env("GIT_AUTHOR_EMAIL", "person@example.org")
            .env("GIT_COMMITTER_NAME", "A Person")
            .env("GIT_COMMITTER_EMAIL", "person@example.org");
        for name in [
            "XDG_CONFIG_HOME",
            "ANTHROPIC_API_KEY",
            "OPENAI_API_KEY",
            "AGENT_DOC_MODEL",
            "AGENT_DOC_AGENT",
            "GIT_DIR",
            "GIT_WORK_TREE",
            "GIT_INDEX_FILE",
        ] {
            command.env_remove(name);
        }
        command
    }

    pub(super) fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// The exit code and all that was said.
    pub(super) fn told(&self, arguments: &[&str]) -> String {
        told(&self.run(arguments))
    }

    /// Runs it, and it must go well.
    pub(super) fn well(&self, arguments: &[&str]) -> String {
        let told = self.told(arguments);
        assert!(told.starts_with("exit 0\n"), "{arguments:?}: {told}");
        told
    }

    pub(super) fn with_input(&self, arguments: &[&str], input: &str) -> Output {
        use std::io::Write as _;
        let mut child = self.spawn_piped(arguments);
        child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
        child.wait_with_output().unwrap()
    }

    pub(super) fn spawn_piped(&self, arguments: &[&str]) -> Child {
        let mut command = self.command(arguments);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    }

    pub(super) fn git(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("git");
        command
            .args(arguments)
            .current_dir(self.path(""))
            .env("HOME", self.scratch.path("home"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("LC_ALL", "C");
        for role in ["AUTHOR", "COMMITTER"] {
            command
                .env(format!("GIT_{role}_NAME"), "A Person")
                .env(format!("GIT_{role}_EMAIL"), "person@example.org");
        }
        for name in ["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"] {
            command.env_remove(name);
        }
        let output = command.output().unwrap();
        assert!(output.status.success(), "git {arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Waits until something is so.
    pub(super) fn until(&self, what: &str, is_so: impl Fn() -> bool) {
        for _ in 0..STEPS_MAX {
            if is_so() {
                return;
            }
            std::thread::sleep(STEP);
        }
        panic!("{what}: never; the document reads\n{}", self.read("notes.md"));
    }
}
