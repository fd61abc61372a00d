//! Namespaces made by ourselves. Promises: after [`enter`] the caller is the first process of new namespaces of every
//! kind that a sandbox needs, and its life hangs on the process it came from. Leaves to others: mounts (`mounts`).

use super::Step;
use rustix::process::{Signal, WaitOptions};
use rustix::thread::UnshareFlags;
use std::fs;

/// Enters new namespaces. Returns only in their first process; the caller waits for that one and ends.
///
/// An ordinary user needs a user namespace for the others; root does without, so that the user it drops to is a
/// stranger to the whole machine.
pub fn enter(ordinary: bool) -> Result<(), String> {
    let uid = rustix::process::geteuid().as_raw();
    let gid = rustix::process::getegid().as_raw();
    let mut flags = UnshareFlags::NEWNS
        | UnshareFlags::NEWPID
        | UnshareFlags::NEWNET
        | UnshareFlags::NEWIPC
        | UnshareFlags::NEWUTS
        | UnshareFlags::NEWCGROUP;
    if ordinary {
        flags |= UnshareFlags::NEWUSER;
    }
    // SAFETY: descriptors stay shared with nobody: this process has one thread, and file tables are not unshared.
    unsafe { rustix::thread::unshare_unsafe(flags) }.step("making namespaces")?;
    if ordinary {
        fs::write("/proc/self/setgroups", "deny").step("mapping the user")?;
        fs::write("/proc/self/uid_map", format!("{uid} {uid} 1")).step("mapping the user")?;
        fs::write("/proc/self/gid_map", format!("{gid} {gid} 1")).step("mapping the group")?;
    }
    // SAFETY: this process has one thread, so the child may do everything that the parent may.
    match unsafe { libc::fork() } {
        -1 => Err(format!("starting the first process: {}", std::io::Error::last_os_error())),
        0 => Ok(()),
        child => wait_for(child),
    }
}

/// Waits for the first process and ends like it: nothing else is left to do out here.
fn wait_for(child: i32) -> ! {
    // The end of the stream that the host sees is to be that of the first process.
    let _ = rustix::stdio::dup2_stdin(super::null());
    let pid = rustix::process::Pid::from_raw(child);
    loop {
        match rustix::process::waitpid(pid, WaitOptions::empty()) {
            Ok(Some((_, status))) => std::process::exit(status.exit_status().unwrap_or(1)),
            Ok(None) | Err(rustix::io::Errno::INTR) => {}
            Err(_) => std::process::exit(1),
        }
    }
}

/// The caller is killed when the process that it came from ends. For processes with one thread only: it is the
/// thread that counts.
pub fn die_with_parent() {
    let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
}
