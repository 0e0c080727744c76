//! Which processes belong to an agent, as the system tells. Never signals anything itself.

use std::fs;
use std::path::{Path, PathBuf};

use rustix::process::Pid;

/// The variable that marks each process of one answer, so that one that left its parents and its group is still found.
pub(super) const MARK: &str = "AGENT_DOC_ANSWER";

/// All that descend from `ancestor`, without it.
pub(super) fn descendants(ancestor: Pid) -> Vec<Pid> {
    let parents: Vec<(Pid, Pid)> = processes().filter_map(|pid| Some((pid, parent(pid)?))).collect();
    let mut family = vec![ancestor];
    let mut next = 0;
    while let Some(member) = family.get(next).copied() {
        let born = parents.iter().filter(|(child, parent)| *parent == member && !family.contains(child));
        let born: Vec<Pid> = born.map(|(child, _)| *child).collect();
        family.extend(born);
        next += 1;
    }
    family.split_off(1)
}

/// All that bear the mark.
pub(super) fn marked(mark: &str) -> Vec<Pid> {
    let wanted = format!("{MARK}={mark}");
    let bears_it = |pid: &Pid| {
        let variables = fs::read(file(*pid, "environ")).unwrap_or_default();
        variables.split(|byte| *byte == 0).any(|variable| variable == wanted.as_bytes())
    };
    processes().filter(bears_it).collect()
}

/// Nobody, where the system has no such folder.
fn processes() -> impl Iterator<Item = Pid> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?))
}

fn parent(pid: Pid) -> Option<Pid> {
    let status = fs::read(file(pid, "stat")).ok()?;
    let status = String::from_utf8_lossy(&status);
    // A name may hold a parenthesis, so the last one ends it.
    let (_, fields) = status.rsplit_once(')')?;
    Pid::from_raw(fields.split_whitespace().nth(1)?.parse().ok()?)
}

fn file(pid: Pid, name: &str) -> PathBuf {
    Path::new("/proc").join(pid.as_raw_nonzero().to_string()).join(name)
}
