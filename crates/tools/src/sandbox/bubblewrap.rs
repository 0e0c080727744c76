//! The arguments of bubblewrap, which makes namespaces for one command. Never starts it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::{Bounds, Network};

/// Of the folder of running programs only what names of machines are looked up with; the rest is sockets of services that
/// would do things for a command outside of its bounds.
const NEEDED_OF_RUN: &[&str] =
    &["/run/systemd/resolve", "/run/resolvconf", "/run/NetworkManager/resolv.conf"];

/// `masked` are protected paths that are not really there.
pub(super) fn arguments(
    bounds: &Bounds,
    masked: &[PathBuf],
    folder: &Path,
    network: Network,
) -> Vec<OsString> {
    let mut words = Words(isolation(network));
    words.mount("--ro-bind", Path::new("/"), Path::new("/"));
    words.one("--dev", "/dev").one("--proc", "/proc").one("--tmpfs", "/run");
    for needed in NEEDED_OF_RUN {
        words.mount("--ro-bind-try", Path::new(needed), Path::new(needed));
    }
    words.mount("--bind", &bounds.temporary, Path::new("/tmp"));
    let (around, others): (Vec<&PathBuf>, Vec<&PathBuf>) =
        bounds.hidden.iter().partition(|hidden| bounds.root.starts_with(hidden));
    around.into_iter().for_each(|hidden| words.hide(hidden));
    words.mount("--bind", &bounds.root, &bounds.root);
    others.into_iter().for_each(|hidden| words.hide(hidden));
    for path in &bounds.protected {
        if masked.contains(path) {
            words.one("--tmpfs", path).one("--remount-ro", path);
        } else {
            words.mount("--ro-bind-try", path, path);
        }
    }
    words.one("--chdir", folder);
    words.0
}

/// No view of other processes, no messages to them, no way to become more, and no life after ours.
fn isolation(network: Network) -> Vec<OsString> {
    let mut words: Vec<OsString> = [
        "--unshare-user",
        "--unshare-pid",
        "--unshare-ipc",
        "--unshare-uts",
        "--unshare-cgroup-try",
        "--disable-userns",
        "--new-session",
        "--die-with-parent",
        "--cap-drop",
        "ALL",
    ]
    .map(OsString::from)
    .into();
    if network == Network::Off {
        words.push("--unshare-net".into());
    }
    words
}

struct Words(Vec<OsString>);

impl Words {
    fn one(&mut self, option: &str, path: impl AsRef<Path>) -> &mut Self {
        self.0.extend([option.into(), path.as_ref().into()]);
        self
    }

    fn mount(&mut self, option: &str, from: &Path, to: &Path) {
        self.0.extend([option.into(), from.into(), to.into()]);
    }

    /// A folder becomes an empty one, a file becomes nothing.
    fn hide(&mut self, path: &Path) {
        // A link is hidden by hiding what it leads to; bubblewrap cannot mount on a link.
        let Ok(real) = path.canonicalize() else { return };
        if real.is_dir() {
            self.one("--tmpfs", real);
        } else {
            self.mount("--ro-bind", Path::new("/dev/null"), &real);
        }
    }
}
