//! A folder of its own for each test, and the program run in it.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use expect_test::Expect;
use tempfile::TempDir;

pub(crate) const PROGRAM: &str = env!("CARGO_BIN_EXE_agent-doc");

pub(crate) struct Scratch {
    folder: TempDir,
}

impl Scratch {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        Self { folder }
    }

    /// A folder that holds these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        let scratch = Self::new();
        for (name, text) in files {
            scratch.write(name, text);
        }
        scratch
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), bytes).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// The names of all files in the folder.
    pub(crate) fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    /// The program in this folder, with no terminal and no habits of the person in reach.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(PROGRAM);
        command
            .args(arguments)
            .current_dir(self.folder.path())
            .env_remove("COLUMNS")
            .env_remove("CLICOLOR_FORCE")
            .env("RUST_BACKTRACE", "1")
            .stdin(Stdio::null());
        command
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    pub(crate) fn run_with_input(&self, arguments: &[&str], input: &[u8]) -> Output {
        let mut command = self.command(arguments);
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = piped.spawn().unwrap();
        child.stdin.take().unwrap().write_all(input).unwrap();
        child.wait_with_output().unwrap()
    }

    /// Runs the program and compares all that it says.
    pub(crate) fn check(&self, arguments: &[&str], expect: Expect) {
        expect.assert_eq(&told(&self.run(arguments)));
    }
}

/// The exit code and both outputs in one text.
pub(crate) fn told(output: &Output) -> String {
    let mut told = format!("exit {}\n", output.status.code().unwrap());
    told.push_str(std::str::from_utf8(&output.stdout).unwrap());
    for line in std::str::from_utf8(&output.stderr).unwrap().lines() {
        writeln!(told, "{}", format!("! {line}").trim_end()).unwrap();
    }
    told
}
