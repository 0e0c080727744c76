//! What only the kernel can say or do: read leases, the one exact way to know that nobody has a file open for writing, and memory in
//! large pages. All code of the project that the compiler cannot check is here. Never keeps a lease longer than one read takes,
//! because an editor that opens the file waits for it, and never changes what stands in memory.
#![expect(unsafe_code, reason = "no library offers either without it; these are a few plain system calls")]

use std::fs::File;
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::AsRawFd as _;
use std::sync::Once;

/// What a large page has in bytes, where a kernel has pages of that kind.
pub(crate) const LARGE_PAGE: usize = 2 << 20;

/// Proof that nobody has the file open for writing, until it is dropped.
pub(crate) struct Lease<'a> {
    file: &'a File,
}

impl<'a> Lease<'a> {
    /// Takes a lease. `WouldBlock` if somebody has the file open for writing; any other error if leases do not work here.
    pub(crate) fn take(file: &'a File) -> io::Result<Lease<'a>> {
        ignore_signal();
        // SAFETY: the descriptor is open as long as `file` is borrowed, and the call reads no memory of ours.
        let result = unsafe { libc::fcntl(file.as_raw_fd(), libc::F_SETLEASE, libc::F_RDLCK) };
        if result == -1 { Err(io::Error::last_os_error()) } else { Ok(Lease { file }) }
    }

    /// Nobody has asked for the file since the lease was taken.
    pub(crate) fn is_kept(&self) -> bool {
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

/// Asks for large pages where `room` is touched from now on, and says where in it the first of them would begin. Only a wish: a kernel
/// without them does nothing.
pub(crate) fn prefer_large_pages(room: &mut [MaybeUninit<u8>]) -> usize {
    let start = room.as_mut_ptr();
    let skipped = start.addr().next_multiple_of(LARGE_PAGE) - start.addr();
    let length = room.len().saturating_sub(skipped) / LARGE_PAGE * LARGE_PAGE;
    if length > 0 {
        // SAFETY: all of the range lies in `room`, which is ours alone, and the call changes no byte of it.
        unsafe {
            libc::madvise(start.wrapping_add(skipped).cast(), length, libc::MADV_HUGEPAGE);
        }
    }
    skipped
}
