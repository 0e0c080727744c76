//! A folder in which commands really run, with everything that an attack could use. Never lets a command run for long, and gives
//! it nothing of the environment of the tests.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use tools::gate::{Gate, Place, Repository, Weighed};

/// A command that takes longer than this is ended; none of ours does.
const DEADLINE: Duration = Duration::from_secs(10);

/// A folder that disappears with its value.
pub(crate) struct Scratch {
    folder: tempfile::TempDir,
}

impl Scratch {
    pub(crate) fn new() -> Self {
        let scratch = Self { folder: tempfile::tempdir().unwrap() };
        let root = scratch.root();
        fs::create_dir_all(root.join("src")).unwrap();
        fs::create_dir_all(scratch.folder.path().join("home")).unwrap();
        scratch.file("a.txt", "hello world\nkeep this\ntouch PWNED\nhello again\n");
        scratch.file("b.txt", "2 two\n1 one\n");
        scratch.file("victim", "keep\n");
        scratch.file("notes.md", "# Notes\n\nTODO: write\n");
        scratch.file("data.json", "{\"name\": \"x\", \"list\": [1, 2]}\n");
        scratch.file("src/main.rs", "fn main() {} // TODO\n");
        scratch.file("evil.sh", "touch PWNED\n");
        scratch.file("awk.txt", "BEGIN { system(\"touch PWNED\") }\n");
        scratch.file("names", "a.txt\0b.txt\0");
        scratch.file("evilbin/ls", "#!/bin/sh\n/usr/bin/touch PWNED\n");
        fs::set_permissions(root.join("evilbin/ls"), fs::Permissions::from_mode(0o755)).unwrap();
        scratch.make_repositories();
        scratch
    }

    /// The same again, in a folder of its own.
    pub(crate) fn copied(&self) -> Self {
        let copy = Self { folder: tempfile::tempdir().unwrap() };
        copy_folder(self.folder.path(), copy.folder.path());
        copy
    }

    /// The workspace.
    pub(crate) fn root(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    pub(crate) fn place(&self) -> Place {
        let mut place = Place::of_workspace(self.root().to_str().unwrap());
        place.home = self.folder.path().join("home").to_str().map(str::to_owned);
        place.repository = Repository::look(&self.root());
        place
    }

    pub(crate) fn weigh(&self, gate: &Gate, line: &str) -> Weighed {
        gate.weigh(line, &self.place())
    }

    fn file(&self, path: &str, text: &str) {
        let path = self.root().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    fn make_repositories(&self) {
        let commands = "git init -q --template= . && git config user.name n && git config user.email e && git add a.txt && \
            git commit -qm one && git add b.txt && git commit -qm two && mkdir evilrepo && cd evilrepo && git init -q --template= . && \
            git config core.fsmonitor 'touch PWNED ../PWNED; false' && cd .. && touch -- -exec";
        self.run(commands);
        fs::remove_file(self.root().join("PWNED")).unwrap_or_default();
        assert!(self.root().join("evilrepo/.git/config").exists(), "git is needed for this test");
    }

    /// Runs a line as the tool for commands would: no start files, no input, a clean environment.
    pub(crate) fn run(&self, line: &str) {
        let mut command = Command::new("bash");
        command.args(["--noprofile", "--norc", "-c", line]).current_dir(self.root());
        command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", self.folder.path().join("home"));
        command.env("LANG", "C.UTF-8").env("GIT_OPTIONAL_LOCKS", "0").env("GIT_CONFIG_NOSYSTEM", "1");
        // Else git writes down anew when it last looked at each file.
        command
            .env("GIT_CONFIG_COUNT", "1")
            .env("GIT_CONFIG_KEY_0", "diff.autoRefreshIndex")
            .env("GIT_CONFIG_VALUE_0", "false");
        // Somebody else's value, for lines that name a variable.
        command.env("EVIL", "touch PWNED; false");
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        wait(command.spawn().unwrap());
    }

    /// Every file with its content, without what git keeps for itself.
    pub(crate) fn state(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut state = BTreeMap::new();
        gather(self.folder.path(), &mut state);
        state
    }
}

/// Ends a command that does not end by itself.
fn wait(mut child: Child) {
    let pid = child.id().to_string();
    let (ended, is_over) = mpsc::channel::<()>();
    let guard = std::thread::spawn(move || {
        if is_over.recv_timeout(DEADLINE).is_err() {
            Command::new("kill").args(["-KILL", &pid]).status().unwrap();
        }
    });
    child.wait().unwrap();
    ended.send(()).unwrap_or_default();
    guard.join().unwrap();
}

fn gather(folder: &Path, state: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in fs::read_dir(folder).unwrap() {
        let entry = entry.unwrap();
        if entry.file_type().unwrap().is_dir() {
            state.insert(entry.path(), Vec::new());
            gather(&entry.path(), state);
        } else {
            state.insert(entry.path(), fs::read(entry.path()).unwrap_or_default());
        }
    }
}

fn copy_folder(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            fs::create_dir(&target).unwrap();
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), &target).unwrap();
        }
    }
}
