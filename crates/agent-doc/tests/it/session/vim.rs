//! A real vim in a pane of tmux, set up as `agent-doc init --editor vim` does it, and typed into key by key.

use crate::scratch::PROGRAM;

use super::scene::Scene;
use super::terminal::Terminal;

/// How often a save may be refused because the file is being replaced in that moment.
const TRIES_MAX: usize = 50;

/// Vim with `notes.md` open. Ends, with its terminal, when it is dropped.
pub(super) struct Vim<'a> {
    scene: &'a Scene,
    terminal: Terminal,
    tries: usize,
}

impl<'a> Vim<'a> {
    pub(super) fn open(scene: &'a Scene) -> Vim<'a> {
        scene.well(&["init", "--editor", "vim"]);
        let settings = "set nocompatible nomore\nsource .agent-doc/agent-doc.vim\n";
        scene.scratch.write("home/vimrc", settings);
        scene.scratch.write("home/said", "");
        let settings = scene.scratch.path("home/vimrc").display().to_string();
        // Its keys start the program by its name.
        let folder = scene.scratch.path("home/bin");
        std::fs::create_dir_all(&folder).unwrap();
        std::os::unix::fs::symlink(PROGRAM, folder.join("agent-doc")).unwrap();
        let path = format!("PATH='{}':\"$PATH\"", folder.display());
        let terminal =
            Terminal::open(scene, &format!("exec env {path} vim -u '{settings}' -i NONE -n notes.md"));
        Vim { scene, terminal, tries: 0 }
    }

    /// How vim saves from now on: `yes` in place, `no` by moving the file aside.
    pub(super) fn saves_with(&mut self, backupcopy: &str) {
        self.command(&format!("set backupcopy={backupcopy}"));
    }

    /// Types a line at the end of the document and saves.
    pub(super) fn type_and_save(&mut self, line: &str) {
        self.type_line(line);
        self.save();
    }

    /// Types a line at the end of the document, in the text as it is now.
    pub(super) fn type_line(&mut self, line: &str) {
        let typed = ["send-keys", "-l", line, ";", "send-keys", "Escape"];
        let before = ["send-keys", "Escape", ":silent! checktime", "Enter", "G", "o", ";"];
        self.terminal.tmux(&[before.as_slice(), typed.as_slice()].concat());
    }

    /// Presses keys, of which a line break is the one that ends a command.
    pub(super) fn press(&self, keys: &str) {
        for key in keys.chars().map(String::from) {
            let named =
                if key == "\n" { ["send-keys", "Enter"].as_slice() } else { &["send-keys", "-l", &key] };
            self.terminal.tmux(named);
        }
    }

    /// Whether the terminal shows this, which is what the buffer holds.
    pub(super) fn shows(&self, words: &str) -> bool {
        self.terminal.shown().lines().any(|line| line.trim_end() == words)
    }

    /// Saves what the buffer holds, whatever became of the file.
    pub(super) fn save(&mut self) {
        for _ in 0..TRIES_MAX {
            if self.command("silent! write") {
                return;
            }
        }
        panic!("vim never saved; its pane shows\n{}", self.terminal.shown());
    }

    /// Has vim do something, and waits until it is done; whether the buffer is saved then.
    fn command(&mut self, command: &str) -> bool {
        self.tries += 1;
        let said = self.scene.scratch.path("home/said");
        let say = format!("call writefile(['{} ' . &modified], '{}', 'a')", self.tries, said.display());
        self.terminal.tmux(&["send-keys", "-l", &format!(":{command} | {say}"), ";", "send-keys", "Enter"]);
        let (saved, unsaved) = (format!("{} 0\n", self.tries), format!("{} 1\n", self.tries));
        let told = || std::fs::read_to_string(&said).unwrap();
        self.scene.until("vim answers", || {
            let is_told = told().ends_with(&saved) || told().ends_with(&unsaved);
            // The file has changed since vim read it. A person says that it is to be written all the same.
            if !is_told && self.terminal.shown().trim_end().ends_with("(y/n)?") {
                self.terminal.tmux(&["send-keys", "y"]);
            }
            is_told
        });
        told().ends_with(&saved)
    }
}
