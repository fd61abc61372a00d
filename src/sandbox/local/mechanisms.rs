//! What holds each bound of a sandbox, in words for a report. Promises: only what holds is named. Leaves to others:
//! proving it (`doctor`).

use super::cgroup::Groups;
use super::wire::{Ready, Setup};
use crate::sandbox::{Mechanism, Rung};

/// The mechanisms of a standing sandbox.
pub fn of(setup: &Setup, ready: &Ready, groups: &Groups) -> Vec<Mechanism> {
    let namespaces = matches!(setup.rung, Rung::Bubblewrap | Rung::Namespaces);
    let held = setup.rung != Rung::Unsafe;
    let mut all = Vec::new();
    let mut say = |bound: &str, by: &str| all.push(Mechanism { bound: bound.to_owned(), by: by.to_owned() });
    if namespaces {
        say("network", "network namespace");
        say("files", "mount namespace");
        say("files", "read-only mounts for protected paths");
        say("other processes", "process namespace");
        say("disk", "tmpfs");
    } else {
        say("disk", "supervisor");
        let protected = match (setup.user.dropped, held) {
            (true, _) => "owner, mode and sticky bit for protected paths",
            (false, true) => "no Landlock right for protected paths, nor to make names beside them",
            (false, false) => "mode for protected paths",
        };
        say("files", protected);
    }
    if held {
        say("network", "seccomp");
        say("system calls", "seccomp");
    }
    if ready.landlock > 0 {
        say("files", &format!("Landlock {}", ready.landlock));
    }
    if ready.scoped {
        say("other processes", "Landlock");
    }
    match &groups.memory {
        Some(group) => say("memory", &Groups::words(group)),
        None => say("memory", "supervisor and RLIMIT_DATA"),
    }
    match &groups.processes {
        Some(group) => say("processes", &Groups::words(group)),
        None if setup.user.dropped || namespaces => say("processes", "RLIMIT_NPROC"),
        None => say("processes", "supervisor and RLIMIT_NPROC"),
    }
    say("file size", "RLIMIT_FSIZE");
    say("output", "pipes read within a bound");
    say("time", "SIGKILL by the first process");
    say(
        "user",
        match (setup.user.dropped, namespaces) {
            (true, _) => "unused user",
            (false, true) => "user namespace",
            (false, false) => "the user that started it",
        },
    );
    all.sort();
    all
}
