//! `agent-doc doctor`: what can be relied on here, and what cannot. Never promises what was not tried out.

use std::ffi::OsStr;
use std::path::Path;

use anyhow::{Context as _, Result};
use serde::Serialize;
use tools::mcp;
use tools::sandbox::Confinement;
use workspace::store::capabilities;

use crate::arguments::Doctor;
use crate::configuration::Configuration;
use crate::refusal::Refusal;
use crate::wiring::servers;
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
    name: String,
    holds: bool,
    /// What it means for the person.
    meaning: String,
}

impl Check {
    fn new(name: &str, holds: bool, yes: &str, no: &str) -> Check {
        Check { name: name.to_owned(), holds, meaning: if holds { yes.to_owned() } else { no.to_owned() } }
    }
}

pub(crate) fn run(given: &Doctor) -> Result<()> {
    let mut checks = folder_checks(&given.folder)?;
    checks.extend(filesystem_check(&given.folder));
    checks.extend(watch_checks());
    checks.extend(program_checks());
    checks.extend(key_checks());
    checks.extend(settings_checks(&given.folder)?);
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
    let git = Check::new(
        "git",
        is_on_path("git"),
        "changes can be committed before an answer",
        "install git, or work without it",
    );
    // Tried out, not looked up: a program that is there may not be allowed to do its work.
    let confinement = Confinement::probe();
    let holds = !matches!(confinement, Confinement::None(_));
    vec![git, Check { name: "sandbox".to_owned(), holds, meaning: confinement.told() }]
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

/// Whether the settings are understood, and whether the MCP servers in them answer. Tried out side by side: each may take its time.
fn settings_checks(folder: &Path) -> Result<Vec<Check>> {
    let settings = match Configuration::of(folder) {
        Ok(settings) => settings,
        // What is wrong with them must not hide the rest.
        Err(error) => {
            let meaning = format!("{error:#}; 'agent-doc config' says what to do");
            return Ok(vec![Check { name: "settings".to_owned(), holds: false, meaning }]);
        }
    };
    let mut checks = vec![Check::new("settings", true, "every line is understood", "")];
    if settings.servers().is_empty() {
        return Ok(checks);
    }
    let runtime = tokio::runtime::Runtime::new().context("no thread can be started")?;
    let surroundings = servers::surroundings(std::env::temp_dir());
    let tries = settings.servers().iter().map(|entry| {
        let surroundings = surroundings.clone();
        let resolved = servers::resolved(entry);
        (entry, runtime.spawn(async move { mcp::try_out(resolved?, &surroundings).await }))
    });
    let tries: Vec<_> = tries.collect();
    checks.extend(tries.into_iter().map(|(entry, tried)| {
        let tried = runtime.block_on(tried).unwrap_or_else(|error| Err(error.to_string()));
        let name = format!("mcp.{}", entry.name);
        match tried {
            Ok(tools) => {
                Check { name, holds: true, meaning: format!("{} offers {tools} tools", entry.target()) }
            }
            Err(why) => Check { name, holds: false, meaning: why },
        }
    }));
    Ok(checks)
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
