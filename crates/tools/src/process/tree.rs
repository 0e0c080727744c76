//! Which processes belong to a program, as the system tells. Never signals anything itself.

use std::fs;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use rustix::process::Pid;

/// The variable that marks each process of one call, so that one that left its parents and its group is still found.
pub const MARK: &str = "AGENT_DOC_CALL";

/// All that descend from `ancestor`, without it.
pub(super) fn descendants(ancestor: Pid) -> Vec<Pid> {
    let parents: Vec<(Pid, Pid)> = processes().filter_map(|pid| Some((pid, parent(pid)?))).collect();
    let mut family = vec![ancestor];
    let mut next = 0;
    while let Some(member) = family.get(next).copied() {
        let children = parents.iter().filter(|(child, parent)| *parent == member && !family.contains(child));
        let children: Vec<Pid> = children.map(|(child, _)| *child).collect();
        family.extend(children);
        next += 1;
    }
    family.split_off(1)
}

/// All whose environment bears the mark.
pub(super) fn marked(mark: &str) -> Vec<Pid> {
    let entry = format!("{MARK}={mark}");
    let is_marked = |pid: &Pid| {
        let environment = fs::read(file(*pid, "environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|variable| variable == entry.as_bytes())
    };
    processes().filter(is_marked).collect()
}

/// Whether the process does nothing but guard the program inside its sandbox.
pub(super) fn is_guard(pid: Pid) -> bool {
    let program = fs::read_link(file(pid, "exe")).unwrap_or_default();
    program.file_name().is_some_and(|name| name.as_bytes().starts_with(b"bwrap"))
}

fn processes() -> impl Iterator<Item = Pid> {
    let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| Pid::from_raw(entry.file_name().to_str()?.parse().ok()?))
}

fn parent(pid: Pid) -> Option<Pid> {
    let status = fs::read(file(pid, "stat")).ok()?;
    let status = String::from_utf8_lossy(&status);
    // The name stands in parentheses and may hold anything, parentheses too.
    let (_, fields) = status.rsplit_once(')')?;
    Pid::from_raw(fields.split_whitespace().nth(1)?.parse().ok()?)
}

fn file(pid: Pid, name: &str) -> std::path::PathBuf {
    Path::new("/proc").join(pid.as_raw_nonzero().to_string()).join(name)
}
