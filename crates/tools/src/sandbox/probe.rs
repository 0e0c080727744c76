//! What works on this machine, by trying it. Never concludes from a version or from a file that is there.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use super::{Bounds, Confinement, Network, Sandbox};
use crate::process::Launch;

/// Where distributions put it. A program of that name elsewhere on the path may be anybody's.
const PLACES: &[&str] =
    &["/usr/bin/bwrap", "/usr/local/bin/bwrap", "/bin/bwrap", "/run/current-system/sw/bin/bwrap"];

pub(super) fn strongest() -> Confinement {
    strongest_of(PLACES.iter().map(PathBuf::from))
}

fn strongest_of(places: impl IntoIterator<Item = PathBuf>) -> Confinement {
    let mut reasons = Vec::new();
    let present = places.into_iter().find(|place| place.is_file());
    let bubblewrap = present.map(Confinement::Bubblewrap);
    if bubblewrap.is_none() {
        reasons.push("bubblewrap is not installed".to_owned());
    }
    for confinement in bubblewrap.into_iter().chain([Confinement::Landlock]) {
        match tried(&confinement) {
            Ok(()) => return confinement,
            Err(reason) => reasons.push(reason),
        }
    }
    Confinement::None(reasons.join("; "))
}

/// Runs a program that does nothing, locked in as commands are.
fn tried(confinement: &Confinement) -> Result<(), String> {
    let folder = std::env::temp_dir();
    let bounds = Bounds {
        root: folder.clone(),
        temporary: folder,
        protected: Vec::new(),
        hidden: Vec::new(),
        environment: Vec::new(),
    };
    let sandbox = Sandbox::new(confinement.clone(), bounds);
    let launch = sandbox.launch(&["/bin/true".into()], Path::new("/"), Network::Off, "probe");
    let launch = launch.map_err(|error| error.to_string())?;
    // On a thread of its own, which keeps the rights that it gives up to itself.
    let outcome =
        std::thread::Builder::new().spawn(move || run(launch)).map_err(|error| error.to_string())?;
    outcome.join().unwrap_or_else(|_| Err("the attempt failed".to_owned()))
}

fn run(launch: Launch) -> Result<(), String> {
    let Launch { mut command, confine, .. } = launch;
    if let Some(confine) = confine {
        confine().map_err(|error| error.to_string())?;
    }
    let output = command.stdin(Stdio::null()).output().map_err(|error| error.to_string())?;
    if output.status.success() {
        return Ok(());
    }
    let complaint = String::from_utf8_lossy(&output.stderr);
    Err(complaint.lines().next().unwrap_or("it failed without a word").to_owned())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::{Confinement, strongest, strongest_of};

    #[test]
    fn what_works_is_taken_and_what_only_seems_to_be_there_is_not() {
        assert!(matches!(strongest(), Confinement::Bubblewrap(_)), "the tests need bubblewrap");
        assert_eq!(strongest_of([]), Confinement::Landlock);
        let folder = tempfile::tempdir().unwrap();
        let broken = folder.path().join("bwrap");
        std::fs::write(
            &broken,
            "#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n",
        )
        .unwrap();
        std::fs::set_permissions(&broken, std::fs::Permissions::from_mode(0o755)).unwrap();
        assert_eq!(strongest_of([broken]), Confinement::Landlock);
    }
}
