//! Where the daemon of a project listens: in `.agent-doc`, or, where that path is too long for a socket, in a folder of the user
//! alone, noted in `.agent-doc`. Never uses a folder that others can write.

use std::fs;
use std::io::{self, ErrorKind, Read as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};

use crate::checksum::hex128;
use crate::private;
use crate::sidecar::FOLDER;

/// The longest path of a socket that every system takes.
const SOCKET_PATH_MAX: usize = 100;
/// A note of a path is no longer than this.
const NOTE_MAX: u64 = 4096;
const SOCKET: &str = "daemon.sock";
const NOTE: &str = "daemon.path";

/// Where a daemon listens.
#[derive(Debug)]
pub(super) struct Address {
    socket: PathBuf,
    note: Option<PathBuf>,
}

impl Address {
    pub(super) fn socket(&self) -> &Path {
        &self.socket
    }

    /// Takes the socket away. One that stays is found to be stale.
    pub(super) fn remove(&self) {
        for path in [Some(&self.socket), self.note.as_ref()].into_iter().flatten() {
            if private::remove(path).is_err() {
                // Nobody listens any more, which is all that the others need.
            }
        }
    }
}

/// Where the daemon of the project listens, if there may be one.
pub(super) fn find(root: &Path) -> io::Result<Option<PathBuf>> {
    let usual = root.join(FOLDER).join(SOCKET);
    if fits(&usual) {
        return Ok(usual.symlink_metadata().is_ok().then_some(usual));
    }
    let mut noted = String::new();
    match fs::File::open(root.join(FOLDER).join(NOTE)) {
        Ok(note) => note.take(NOTE_MAX).read_to_string(&mut noted)?,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error),
    };
    Ok(Some(PathBuf::from(noted)).filter(|socket| fits(socket)))
}

/// Makes the socket, for its owner alone from the first moment on; a stale one gives way. The caller holds the daemon's lock.
pub(super) fn bind(root: &Path) -> io::Result<(UnixListener, Address)> {
    let usual = root.join(FOLDER).join(SOCKET);
    let (socket, note) = if fits(&usual) {
        (usual, None)
    } else {
        let name = hex128(root.as_os_str().as_encoded_bytes());
        (runtime_folder()?.join(format!("{name}.sock")), Some(root.join(FOLDER).join(NOTE)))
    };
    let beside = socket.with_extension("new");
    private::remove(&beside)?;
    let listener = UnixListener::bind(&beside)?;
    fs::set_permissions(&beside, fs::Permissions::from_mode(0o600))?;
    fs::rename(&beside, &socket)?;
    if let Some(note) = &note {
        private::replace(note, socket.as_os_str().as_encoded_bytes())?;
    }
    Ok((listener, Address { socket, note }))
}

/// Whether a path can be that of a socket.
fn fits(path: &Path) -> bool {
    path.as_os_str().len() <= SOCKET_PATH_MAX
}

/// A folder with a short path that only this user can enter.
fn runtime_folder() -> io::Result<PathBuf> {
    let user = rustix::process::geteuid().as_raw();
    let own = PathBuf::from(format!("/run/user/{user}"));
    let folder =
        if own.is_dir() { own.join("agent-doc") } else { PathBuf::from(format!("/tmp/agent-doc-{user}")) };
    private::create_folder(&folder)?;
    let found = folder.symlink_metadata()?;
    if found.uid() == user && found.mode() & 0o077 == 0 {
        return Ok(folder);
    }
    let message = format!("{} is open to others; remove it", folder.display());
    Err(io::Error::new(ErrorKind::PermissionDenied, message))
}
