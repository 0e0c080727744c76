//! System calls that a command does without. Never a list of what is allowed: the files and the network are guarded elsewhere,
//! and a program that does its work must not die of a new call.

use std::io;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch,
};

use super::Network;

/// Keys that the kernel keeps, and ways around a filter of calls.
const REFUSED: &[i64] = &[
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
];

/// For a command in namespaces of its own. They do not hide sockets of the file system: connecting to one needs no right to
/// write where it lies, and the service behind it, an agent for keys or ours, would act outside of the bounds.
pub(super) fn lenient() -> io::Result<BpfProgram> {
    compiled(vec![(libc::SYS_socket, vec![family(libc::AF_UNIX)?, family(libc::AF_VSOCK)?])])
}

/// For a command that shares our namespaces: no socket that Landlock does not watch, no tracing, no further namespaces.
pub(super) fn strict(network: Network) -> io::Result<BpfProgram> {
    let mut more: Vec<(i64, Vec<SeccompRule>)> = vec![
        (libc::SYS_ptrace, Vec::new()),
        (libc::SYS_process_vm_readv, Vec::new()),
        (libc::SYS_process_vm_writev, Vec::new()),
        (libc::SYS_unshare, Vec::new()),
        (libc::SYS_setns, Vec::new()),
        (libc::SYS_mount, Vec::new()),
    ];
    let sockets = match network {
        Network::Off => Vec::new(),
        // Services on this machine listen on sockets of the file system; they would act outside of the bounds.
        Network::On => vec![family(libc::AF_UNIX)?, family(libc::AF_VSOCK)?, family(libc::AF_PACKET)?],
    };
    more.push((libc::SYS_socket, sockets));
    compiled(more)
}

/// Gives up the calls, for this thread and all that it starts.
pub(super) fn apply(program: &BpfProgram) -> io::Result<()> {
    seccompiler::apply_filter(program).map_err(io::Error::other)
}

fn compiled(more: Vec<(i64, Vec<SeccompRule>)>) -> io::Result<BpfProgram> {
    let refused = REFUSED.iter().map(|call| (*call, Vec::new()));
    // Typing for the person at the terminal that we both have.
    let typing = (libc::SYS_ioctl, vec![argument(1, libc::TIOCSTI)?, argument(1, libc::TIOCLINUX)?]);
    let rules = refused.chain(more).chain([typing]).collect();
    let refuse = SeccompAction::Errno(u32::try_from(libc::EPERM).unwrap_or(1));
    let architecture = TargetArch::try_from(std::env::consts::ARCH).map_err(io::Error::other)?;
    let filter =
        SeccompFilter::new(rules, SeccompAction::Allow, refuse, architecture).map_err(io::Error::other)?;
    filter.try_into().map_err(io::Error::other)
}

fn family(family: i32) -> io::Result<SeccompRule> {
    argument(0, u64::from(family.unsigned_abs()))
}

fn argument(index: u8, value: impl Into<u64>) -> io::Result<SeccompRule> {
    let is_value = SeccompCondition::new(index, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value.into());
    SeccompRule::new(vec![is_value.map_err(io::Error::other)?]).map_err(io::Error::other)
}
