//! A real vim in a pane of tmux, set up as `agent-doc init --editor vim` does it, and typed into key by key.

use std::path::PathBuf;
use std::process::Command;

use super::scene::Scene;

/// How often a save may be refused because the file is being replaced in that moment.
const TRIES_MAX: usize = 50;

/// Vim with `notes.md` open. Ends, with its server of tmux, when it is dropped.
pub(super) struct Vim<'a> {
    scene: &'a Scene,
    socket: PathBuf,
    tries: usize,
}

impl<'a> Vim<'a> {
    pub(super) fn open(scene: &'a Scene) -> Vim<'a> {
        scene.well(&["init", "--editor", "vim"]);
        let settings = "set nocompatible nomore\nsource .agent-doc/agent-doc.vim\n";
        scene.scratch.write("home/vimrc", settings);
        scene.scratch.write("home/said", "");
        let vim = Vim { scene, socket: scene.scratch.path("home/tmux"), tries: 0 };
        let project = scene.path("").display().to_string();
        let settings = scene.scratch.path("home/vimrc").display().to_string();
        let command = format!("exec vim -u '{settings}' -i NONE -n notes.md");
        vim.tmux(&[
            "-f",
            "/dev/null",
            "new-session",
            "-d",
            "-x",
            "120",
            "-y",
            "40",
            "-c",
            &project,
            &command,
        ]);
        vim.tmux(&["set-option", "-s", "escape-time", "0"]);
        vim
    }

    /// How vim saves from now on: `yes` in place, `no` by moving the file aside.
    pub(super) fn saves_with(&mut self, backupcopy: &str) {
        self.command(&format!("set backupcopy={backupcopy}"));
    }

    /// Types a line at the end of the document and saves.
    pub(super) fn type_and_save(&mut self, line: &str) {
        let typed = ["send-keys", "-l", line, ";", "send-keys", "Escape"];
        let before = ["send-keys", "Escape", ":silent! checktime", "Enter", "G", "o", ";"];
        self.tmux(&[before.as_slice(), typed.as_slice()].concat());
        for _ in 0..TRIES_MAX {
            if self.command("silent! write") {
                return;
            }
        }
        panic!("vim never saved {line:?}; its pane shows\n{}", self.pane());
    }

    /// Has vim do something, and waits until it is done; whether the buffer is saved then.
    fn command(&mut self, command: &str) -> bool {
        self.tries += 1;
        let said = self.scene.scratch.path("home/said");
        let say = format!("call writefile(['{} ' . &modified], '{}', 'a')", self.tries, said.display());
        self.tmux(&["send-keys", "-l", &format!(":{command} | {say}"), ";", "send-keys", "Enter"]);
        let (saved, unsaved) = (format!("{} 0\n", self.tries), format!("{} 1\n", self.tries));
        let told = || std::fs::read_to_string(&said).unwrap();
        self.scene.until("vim answers", || {
            let is_told = told().ends_with(&saved) || told().ends_with(&unsaved);
            // The file has changed since vim read it. A person says that it is to be written all the same.
            if !is_told && self.pane().trim_end().ends_with("(y/n)?") {
                self.tmux(&["send-keys", "y"]);
            }
            is_told
        });
        told().ends_with(&saved)
    }

    fn pane(&self) -> String {
        self.tmux(&["capture-pane", "-p"])
    }

    fn tmux(&self, arguments: &[&str]) -> String {
        let mut command = Command::new("tmux");
        command.arg("-S").arg(&self.socket).args(arguments).env_remove("TMUX").env("TERM", "xterm-256color");
        let output = command.env("HOME", self.scene.scratch.path("home")).output().unwrap();
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "tmux {arguments:?}: {told}");
        String::from_utf8_lossy(&output.stdout).into_owned()
    }
}

impl Drop for Vim<'_> {
    fn drop(&mut self) {
        drop(Command::new("tmux").arg("-S").arg(&self.socket).arg("kill-server").output());
    }
}
