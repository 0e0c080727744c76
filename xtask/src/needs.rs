//! The programs that the tests start, and the packages that bring them. Never asks for a password, and never touches
//! what is already installed.

use std::process::Command;

use anyhow::{Context as _, Result, bail};

use crate::process;

/// A program that must be found, and the Debian package that holds it.
struct Need {
    program: &'static str,
    package: &'static str,
}

const NEEDS: &[Need] = &[
    // Tests of repositories run the real program, and tidy asks it which files are tracked.
    Need { program: "git", package: "git" },
    // libFuzzer is C++.
    Need { program: "g++", package: "g++" },
    // A real editor saves while an agent writes.
    Need { program: "vim", package: "vim" },
    // Editors and agents that need a terminal are typed into through it.
    Need { program: "tmux", package: "tmux" },
    // Makes single system calls fail.
    Need { program: "strace", package: "strace" },
    // Locks commands in, in the tests and for users.
    Need { program: "bwrap", package: "bubblewrap" },
    // The searches of the tools are measured beside it.
    Need { program: "rg", package: "ripgrep" },
    // Commands of the tests look for processes and play other programs.
    Need { program: "pgrep", package: "procps" },
    Need { program: "perl", package: "perl" },
    // Build the Writer's page, and look at it.
    Need { program: "node", package: "nodejs" },
    Need { program: "npm", package: "npm" },
    Need { program: "chromium", package: "chromium" },
    // Give a document attributes and an access list, to see that they stay.
    Need { program: "setfattr", package: "attr" },
    Need { program: "setfacl", package: "acl" },
];

/// Installs what is missing; fails if that is not possible, because a test that cannot run has not passed.
pub(crate) fn install() -> Result<()> {
    install_missing(&missing(|program| process::find(program).is_some()))
}

/// Installs one of the programs if it is missing.
pub(crate) fn install_one(program: &str) -> Result<()> {
    install_missing(&missing(|other| other != program || process::find(program).is_some()))
}

fn install_missing(packages: &[&str]) -> Result<()> {
    if packages.is_empty() {
        println!("nothing is missing");
        return Ok(());
    }
    bring(packages)
}

/// Installs packages.
pub(crate) fn bring(packages: &[&str]) -> Result<()> {
    let named = packages.join(" ");
    if process::find("apt-get").is_none() {
        bail!("please install these and try again: {named}");
    }
    process::stream(apt_get()?.arg("update"))
        .and_then(|()| {
            process::stream(apt_get()?.args(["install", "--yes", "--no-install-recommends"]).args(packages))
        })
        .with_context(|| format!("cannot install {named}"))
}

fn missing(is_there: impl Fn(&str) -> bool) -> Vec<&'static str> {
    NEEDS.iter().filter(|need| !is_there(need.program)).map(|need| need.package).collect()
}

fn apt_get() -> Result<Command> {
    if nix::unistd::geteuid().is_root() {
        let mut command = Command::new("apt-get");
        command.env("DEBIAN_FRONTEND", "noninteractive");
        return Ok(command);
    }
    if process::find("sudo").is_none() {
        bail!("apt-get needs root, and there is no sudo");
    }
    let mut command = Command::new("sudo");
    command.args(["--non-interactive", "apt-get"]);
    Ok(command)
}

#[cfg(test)]
mod tests {
    use super::missing;

    #[test]
    fn only_what_is_not_there_is_installed() {
        assert_eq!(missing(|program| program != "g++" && program != "setfacl"), ["g++", "acl"]);
        assert_eq!(missing(|_| true), [""; 0]);
    }
}
