//! Rules of the kernel for one command, where namespaces are not to be had. Never grants a folder that holds something hidden or
//! protected: rights hold for all that lies beneath, so such a folder is granted piece by piece.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use landlock::{
    ABI, Access as _, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible as _, Ruleset, RulesetAttr as _,
    RulesetCreatedAttr as _, RulesetStatus, Scope, path_beneath_rules,
};

use super::{Bounds, Network};

/// The rules are written for this version. An older kernel enforces what it knows.
const VERSION: ABI = ABI::V6;
/// A folder that must be granted piece by piece may have so many pieces.
const PIECES_MAX: usize = 20_000;
/// What a program needs of the devices. No terminals: those are the person's, and a new one cannot be told from them.
const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom", "/dev/shm"];
/// Places of sockets and of other programs' temporary files.
const UNSEEN: &[&str] = &["/dev", "/run", "/tmp", "/var/tmp", "/var/run"];

/// What a command may read and write.
pub(super) struct Rules {
    readable: Vec<PathBuf>,
    writable: Vec<PathBuf>,
    network: Network,
}

impl Rules {
    pub(super) fn of(bounds: &Bounds, network: Network) -> Self {
        let hidden: Vec<PathBuf> =
            bounds.hidden.iter().filter_map(|hidden| hidden.canonicalize().ok()).collect();
        let unseen: Vec<PathBuf> = UNSEEN.iter().map(PathBuf::from).chain(hidden.iter().cloned()).collect();
        let mut readable = pieces(Path::new("/"), &unseen);
        // The workspace may lie in a place that is not seen otherwise.
        readable.extend(pieces(&bounds.root, &hidden));
        let guarded: Vec<PathBuf> = hidden.into_iter().chain(bounds.protected.iter().cloned()).collect();
        let mut writable = pieces(&bounds.root, &guarded);
        if writable.contains(&bounds.root) {
            // A protected folder that does not exist yet could be made.
            writable = children(&bounds.root);
        }
        writable.push(bounds.temporary.clone());
        writable.extend(DEVICES.iter().map(PathBuf::from));
        Self { readable, writable, network }
    }

    /// For this thread and all that it starts.
    pub(super) fn enforce(&self) -> io::Result<()> {
        let (read, all) = (AccessFs::from_read(VERSION), AccessFs::from_all(VERSION));
        let mut rules = Ruleset::default()
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(all)
            .and_then(|rules| rules.scope(Scope::from_all(VERSION)))
            .map_err(io::Error::other)?;
        if self.network == Network::Off {
            rules = rules
                .handle_access(BitFlags::from(AccessNet::ConnectTcp) | AccessNet::BindTcp)
                .map_err(io::Error::other)?;
        }
        let status = rules
            .create()
            .and_then(|rules| rules.add_rules(path_beneath_rules(&self.readable, read)))
            .and_then(|rules| rules.add_rules(path_beneath_rules(&self.writable, all)))
            .and_then(|rules| rules.restrict_self())
            .map_err(io::Error::other)?;
        match status.ruleset {
            RulesetStatus::NotEnforced => Err(io::Error::other("this kernel has no Landlock")),
            RulesetStatus::FullyEnforced | RulesetStatus::PartiallyEnforced => Ok(()),
        }
    }
}

/// `folder`, or what in it holds nothing of `without`.
fn pieces(folder: &Path, without: &[PathBuf]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        if without.iter().any(|path| folder.starts_with(path)) || found.len() > PIECES_MAX {
            continue;
        }
        if without.iter().any(|path| path.starts_with(&folder)) {
            folders.extend(children(&folder));
        } else {
            found.push(folder);
        }
    }
    found
}

/// What lies in a folder, without links: a right to a link is a right to what it leads to.
fn children(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let is_real = |entry: &fs::DirEntry| entry.file_type().is_ok_and(|kind| !kind.is_symlink());
    entries.filter(is_real).map(|entry| entry.path()).collect()
}
