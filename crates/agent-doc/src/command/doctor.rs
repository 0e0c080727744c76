//! `agent-doc doctor`: what can be relied on here, and what cannot. Never promises what was not tried out.

use std::ffi::OsStr;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde::Serialize;
use workspace::store::capabilities;

use crate::arguments::Doctor;
use crate::refusal::Refusal;
use crate::{input, output};

/// File systems whose files other machines write, too.
const REMOTE: [&str; 6] = ["nfs", "cifs", "smb", "9p", "fuse.sshfs", "afs"];

/// What `--json` prints. The fields are a promise: some are added, none is renamed or taken away.
#[derive(Debug, Serialize)]
struct Report {
    folder: String,
    checks: Vec<Check>,
}

#[derive(Debug, Serialize)]
struct Check {
    name: &'static str,
    holds: bool,
    /// What it means for the person.
    meaning: String,
}

impl Check {
    fn new(name: &'static str, holds: bool, yes: &str, no: &str) -> Check {
        Check { name, holds, meaning: if holds { yes.to_owned() } else { no.to_owned() } }
    }
}

pub(crate) fn run(given: &Doctor) -> Result<()> {
    let mut checks = folder_checks(&given.folder)?;
    checks.extend(filesystem_check(&given.folder));
    checks.extend(watch_checks());
    checks.extend(program_checks());
    checks.extend(key_checks());
    let report = Report { folder: input::shown(&given.folder), checks };
    if given.json {
        return output::print_json(&report);
    }
    output::print(table(&report.checks).as_bytes())
}

fn folder_checks(folder: &Path) -> Result<Vec<Check>> {
    let found = capabilities(folder).with_context(|| {
        Refusal::new(
            format!("{} cannot be tried out", input::shown(folder)),
            "name a folder that you may write in",
        )
    })?;
    Ok(vec![
        Check::new(
            "exchange",
            found.exchange,
            "no save is ever overwritten unseen",
            "a save in the very moment of a write may be missed; keep the project on a local disk",
        ),
        Check::new(
            "lease",
            found.lease,
            "an editor in the middle of a save is waited for",
            "a save is waited for by looking twice, which is slower",
        ),
        Check::new(
            "no-replace",
            found.no_replace,
            "a file that comes back is never replaced by a new one",
            "a file that is made anew in the same moment may be replaced",
        ),
        Check::new(
            "sync",
            found.sync_folder,
            "what is acknowledged survives a power cut",
            "after a power cut the last seconds may be missing",
        ),
    ])
}

/// What kind of file system the folder is on, where the system tells.
fn filesystem_check(folder: &Path) -> Option<Check> {
    let folder = folder.canonicalize().ok()?;
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").ok()?;
    let around = mounts.lines().filter_map(mount).filter(|(place, _)| folder.starts_with(place));
    let (_, kind) = around.max_by_key(|(place, _)| place.len())?;
    let is_remote = REMOTE.iter().any(|remote| kind.starts_with(remote));
    let mut check = Check::new(
        "filesystem",
        !is_remote,
        "the disk is local",
        "the disk is not local: saves of other machines may be missed",
    );
    check.meaning.push_str(&format!(" ({kind})"));
    Some(check)
}

/// The place and the kind of a mount, from one line of the system's list.
fn mount(line: &str) -> Option<(&str, &str)> {
    let (place, kind) = line.split_once(" - ")?;
    Some((place.split(' ').nth(4)?, kind.split(' ').next()?))
}

/// How many folders can be watched.
fn watch_checks() -> Vec<Check> {
    let limit = std::fs::read_to_string("/proc/sys/fs/inotify/max_user_watches")
        .ok()
        .and_then(|text| text.trim().parse::<u64>().ok());
    let Some(limit) = limit else { return Vec::new() };
    let mut check = Check::new(
        "watch",
        limit >= 8192,
        "saves are noticed at once",
        "few folders can be watched; raise fs.inotify.max_user_watches",
    );
    check.meaning.push_str(&format!(" (up to {limit} folders)"));
    vec![check]
}

fn program_checks() -> Vec<Check> {
    vec![
        Check::new(
            "git",
            is_on_path("git"),
            "changes can be committed before an answer",
            "install git, or work without it",
        ),
        Check::new(
            "sandbox",
            is_on_path("bwrap"),
            "commands can be locked in",
            "install bubblewrap to have commands of agents locked in",
        ),
    ]
}

/// Whether a key is there. The key itself is never read further than that.
fn key_checks() -> Vec<Check> {
    let is_set = |name: &str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    let check = |name, variable: &str| {
        let no = format!("no key is set; set {variable} to use its models");
        Check::new(name, is_set(variable), "a key is set", &no)
    };
    vec![check("anthropic", "ANTHROPIC_API_KEY"), check("openai", "OPENAI_API_KEY")]
}

fn is_on_path(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(AsRef::<OsStr>::as_ref(&path)).any(|folder| folder.join(program).is_file())
}

fn table(checks: &[Check]) -> String {
    let width = checks.iter().map(|check| check.name.len()).max().unwrap_or_default();
    let mut table = format!("{:width$}  HOLDS  WHAT IT MEANS\n", "CHECK");
    for check in checks {
        let holds = if check.holds { "yes" } else { "no" };
        table.push_str(&format!("{:width$}  {holds:5}  {}\n", check.name, check.meaning));
    }
    table
}
