//! Read leases: the one exact way to know that nobody has a file open for writing. All code of the project that the compiler
//! cannot check is here. Never keeps a lease longer than one read takes, because an editor that opens the file waits for it.
#![expect(unsafe_code, reason = "no library offers file leases; these are three plain system calls")]

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd as _;
use std::sync::Once;

/// Proof that nobody has the file open for writing, until it is dropped.
pub(super) struct Lease<'a> {
    file: &'a File,
}

impl<'a> Lease<'a> {
    /// Takes a lease. `WouldBlock` if somebody has the file open for writing; any other error if leases do not work here.
    pub(super) fn take(file: &'a File) -> io::Result<Lease<'a>> {
        ignore_signal();
        // SAFETY: the descriptor is open as long as `file` is borrowed, and the call reads no memory of ours.
        let result = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETLEASE, libc::F_RDLCK) };
        if result == -1 { Err(io::Error::last_os_error()) } else { Ok(Lease { file }) }
    }

    /// Nobody has asked for the file since the lease was taken.
    pub(super) fn is_kept(&self) -> bool {
        // SAFETY: as in `take`; this call only asks.
        let kind = unsafe { libc::fcntl(self.file.as_raw_fd(), libc::F_GETLEASE) };
        kind == libc::F_RDLCK
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        // SAFETY: as in `take`. If it fails, the lease ends when the file is closed.
        unsafe { libc::fcntl(self.file.as_raw_fd(), libc::F_SETLEASE, libc::F_UNLCK) };
    }
}

/// The kernel tells of a waiting editor by a signal that ends the process if nobody handles it. A lease is so short that
/// there is nothing to do about it.
fn ignore_signal() {
    static ONCE: Once = Once::new();
    // SAFETY: ignoring a signal installs no handler, so no code of ours can run at a bad moment.
    ONCE.call_once(|| unsafe {
        libc::signal(libc::SIGIO, libc::SIG_IGN);
    });
}
