//! A folder in which commands really run, with everything that an attack could use. Never lets a command run for long, and gives
//! it nothing of the environment of the tests.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;

use tools::gate::{Gate, Place, Repository, Weighed};

use crate::furnish::{copy_folder, furnish, gather};

/// A command that takes longer than this is ended; none of ours does.
const DEADLINE: Duration = Duration::from_secs(10);

/// A folder that disappears with its value.
pub(crate) struct Scratch {
    folder: tempfile::TempDir,
}

impl Scratch {
    pub(crate) fn new() -> Self {
        let scratch = Self { folder: tempfile::tempdir().unwrap() };
        std::fs::create_dir_all(scratch.folder.path().join("home")).unwrap();
        furnish(&scratch.root());
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
        gather(self.folder.path())
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
