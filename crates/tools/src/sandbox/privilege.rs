//! The powers of root, which rules of the kernel do not take away: reading the memory and environment of any process is one. Never
//! gives one back.

use std::io;

use rustix::io::Errno;
use rustix::thread::{
    CapabilitiesSecureBits, CapabilitySet, CapabilitySets, set_capabilities, set_capabilities_secure_bits,
};

/// Gives up all powers, for this thread and all that it starts.
pub(super) fn drop_all() -> io::Result<()> {
    // Otherwise the next program would get them back, because its user is root. Who is not root has none to lose.
    let bits = CapabilitiesSecureBits::NO_ROOT | CapabilitiesSecureBits::NO_ROOT_LOCKED;
    match set_capabilities_secure_bits(bits) {
        Ok(()) | Err(Errno::PERM) => {}
        Err(error) => return Err(error.into()),
    }
    let none = CapabilitySet::empty();
    Ok(set_capabilities(None, CapabilitySets { effective: none, permitted: none, inheritable: none })?)
}
