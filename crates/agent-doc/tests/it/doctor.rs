//! `agent-doc doctor` on machines that lack one thing after the other. Never takes anything from this machine: each lack is that of
//! a namespace, or of one process.

use std::process::Command;

use crate::chat::{Person, text};
use crate::scratch::{PROGRAM, told};

/// A world without some part.
#[derive(Clone, Copy)]
enum Lack {
    /// The program is not installed.
    Bubblewrap,
    /// It is, and may not make namespaces.
    Namespaces,
    /// Nor does the kernel know rules for files.
    Everything,
}

impl Lack {
    /// What to put before a program so that it finds itself in that world.
    fn words(self) -> Vec<&'static str> {
        let all = ["bwrap", "--dev-bind", "/", "/"];
        let unshared = ["--unshare-user", "--disable-userns", "--"];
        match self {
            Lack::Bubblewrap => [&all[..], &["--ro-bind", "/dev/null", "/usr/bin/bwrap", "--"]].concat(),
            Lack::Namespaces => [&all[..], &unshared].concat(),
            Lack::Everything => {
                let strace = ["strace", "-f", "-o", "/dev/null", "-e", "trace=landlock_create_ruleset", "-e"];
                let inject = ["inject=landlock_create_ruleset:error=ENOSYS", "--"];
                [&all[..], &unshared, &strace, &inject].concat()
            }
        }
    }
}

fn run(person: &Person, lack: Lack, arguments: &[&str]) -> std::process::Output {
    let usual = person.command(arguments);
    let words = lack.words();
    let mut command = Command::new(words[0]);
    command.args(&words[1..]).arg(PROGRAM).args(arguments);
    command.current_dir(usual.get_current_dir().unwrap()).stdin(std::process::Stdio::null());
    for (name, value) in usual.get_envs() {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    command.output().unwrap()
}

fn sandbox_of(output: &std::process::Output) -> String {
    let said = text(output);
    said.lines()
        .find(|line| line.starts_with("sandbox "))
        .unwrap_or_else(|| panic!("{}", told(output)))
        .to_owned()
}

#[test]
fn the_strongest_lock_that_works_is_named() {
    let person = Person::new();
    let here = sandbox_of(&person.run(&["doctor"]));
    assert!(here.contains(" yes ") && here.ends_with("commands are locked in by /usr/bin/bwrap"), "{here}");
    for lack in [Lack::Bubblewrap, Lack::Namespaces] {
        let told = sandbox_of(&run(&person, lack, &["doctor"]));
        assert!(told.contains(" yes ") && told.contains("locked in by Landlock"), "{told}");
        assert!(told.contains("install bubblewrap"), "{told}");
    }
}

#[test]
fn without_any_lock_that_is_said_and_nothing_runs_unattended() {
    let person = Person::new();
    let told_by_doctor = sandbox_of(&run(&person, Lack::Everything, &["doctor"]));
    assert!(
        told_by_doctor.contains(" no ") && told_by_doctor.contains("cannot be locked in"),
        "{told_by_doctor}"
    );
    let output = run(&person, Lack::Everything, &["chat", "-p", "$ ls", "--output-format", "stream-json"]);
    let said = text(&output);
    assert!(
        said.contains("a person must allow this command") && !said.contains("README.md"),
        "{}",
        told(&output)
    );
    let locked = run(&person, Lack::Namespaces, &["chat", "-p", "$ ls", "--output-format", "stream-json"]);
    assert!(text(&locked).contains("README.md"), "{}", told(&locked));
}
