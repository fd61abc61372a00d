//! Which files a program in a sandbox may touch, by Landlock.
//!
//! Promises: reading and running what the layout shows, writing below the work tree and the temporary folders, nothing
//! else; no TCP port, no signal and no abstract socket out of the sandbox where the kernel is new enough; a kernel
//! without Landlock is told apart from one that refuses. Leaves to others: marks on files, which Landlock does not see
//! (`filters`).

use super::super::layout::{DEVICES, OWN, Piece};
use super::super::wire::Setup;
use crate::sandbox::Rung;
use landlock::{
    ABI, Access, AccessFs, AccessNet, Ruleset, RulesetAttr, RulesetCreated, RulesetCreatedAttr, Scope,
    path_beneath_rules,
};
use std::path::{Path, PathBuf};

/// First generation that scopes signals and abstract sockets.
pub const SCOPED: u32 = 6;

/// What of `/proc` may be read where it is the machine's own: how much of it there is, and nothing about others.
const MACHINE: [&str; 9] = [
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/uptime",
    "/proc/loadavg",
    "/proc/version",
    "/proc/filesystems",
    "/proc/sys/kernel",
    "/proc/sys/vm",
];

/// What of `/etc` may be read where it is the machine's own, beside the layout.
const PUBLIC: [&str; 4] = ["/etc/passwd", "/etc/group", "/etc/hosts", "/etc/nsswitch.conf"];

/// The generation of Landlock of this kernel; 0 where there is none.
pub fn generation() -> u32 {
    const VERSION: libc::c_ulong = 1;
    // SAFETY: asks for the version; no structure is passed.
    let answer = unsafe {
        libc::syscall(libc::SYS_landlock_create_ruleset, std::ptr::null::<libc::c_void>(), 0usize, VERSION)
    };
    u32::try_from(answer).unwrap_or(0)
}

/// What may be written to, beside devices.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Writable {
    /// Whole folders, and single files.
    pub paths: Vec<PathBuf>,
    /// Folders that may be read and nothing more.
    pub readable: Vec<PathBuf>,
}

/// The rules for one execution; `None` where the kernel has no Landlock.
pub fn ruleset(setup: &Setup, writable: &Writable) -> Result<Option<RulesetCreated>, String> {
    if generation() == 0 {
        return Ok(None);
    }
    let abi = ABI::V6;
    let all = AccessFs::from_all(abi);
    let read = AccessFs::from_read(abi);
    let device = AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::Truncate | AccessFs::IoctlDev;
    let rules = Ruleset::default()
        .handle_access(all)
        .and_then(|rules| rules.handle_access(AccessNet::from_all(abi)))
        .and_then(|rules| rules.scope(Scope::from_all(abi)))
        .and_then(Ruleset::create)
        .and_then(|rules| rules.add_rules(path_beneath_rules(readable(setup), read)))
        .and_then(|rules| rules.add_rules(path_beneath_rules(&writable.readable, read)))
        .and_then(|rules| rules.add_rules(path_beneath_rules(DEVICES, device)))
        .and_then(|rules| rules.add_rules(path_beneath_rules(&writable.paths, all)));
    rules.map(Some).map_err(|error| format!("making rules for files: {error}"))
}

fn readable(setup: &Setup) -> Vec<PathBuf> {
    if setup.rung != Rung::Landlock {
        return vec!["/".into()];
    }
    let mut paths: Vec<PathBuf> = MACHINE.iter().chain(&PUBLIC).map(PathBuf::from).collect();
    for piece in &setup.layout.pieces {
        match piece {
            Piece::ReadOnly { from, to } if to == Path::new(OWN) => paths.push(from.clone()),
            Piece::ReadOnly { to, .. } => paths.push(to.clone()),
            Piece::Link { at, .. } => paths.push(at.clone()),
        }
    }
    paths.extend(setup.layout.later.iter().map(|(_, to)| to.clone()));
    paths
}
