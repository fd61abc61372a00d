//! Watching what the kernel does not bound by itself.
//!
//! Promises: where no control group holds them, memory of all processes together and their number are looked at often,
//! and what is over is killed; where the work tree is no sized file system, its size is looked at too; looking costs a
//! small share of the time. Between two looks a bound can be overshot; `sandbox doctor` measures by how much. Leaves to
//! others: bounds of one process (`launch`).

use super::super::wire::{Setup, User};
use super::launch::Launcher;
use super::read_only::has_mounts;
use crate::sandbox::Limits;
use rustix::process::{Pid, Signal};
use std::collections::{BTreeMap, BTreeSet};
use std::os::unix::fs::MetadataExt;
use std::time::{Duration, Instant};

/// How often processes are looked at when they are far from their bounds.
const OFTEN: Duration = Duration::from_millis(20);

/// How often the disk is.
const SELDOM: Duration = Duration::from_millis(100);

/// How fast memory is thought to be filled at most, bytes for each millisecond: two processors do about that.
const FILLED: u64 = 4 << 20;

/// How fast a disk is.
const WRITTEN: u64 = 1 << 20;

/// Bytes left of a disk that count as none.
const SCRAPS: u64 = 16 << 10;

/// Looks at one execution.
pub struct Supervisor {
    memory: Option<u64>,
    processes: Option<u64>,
    disk: Option<u64>,
    next_processes: Option<Instant>,
    next_disk: Instant,
    /// Memory in use when it was looked at last.
    used: u64,
    /// Disk in use when it was looked at last.
    written: u64,
    peak: u64,
    out_of_memory: bool,
    disk_full: bool,
    thinned: bool,
}

impl Supervisor {
    /// For an execution within these limits.
    pub fn new(setup: &Setup, limits: &Limits) -> Supervisor {
        let now = Instant::now();
        let memory = (!setup.memory_bounded).then_some(limits.memory);
        // A user that nobody else is has a bound of his own; so has one in a user namespace.
        let counted = setup.processes_bounded || setup.user.dropped || has_mounts(setup.rung);
        let processes = (!counted).then_some(limits.processes);
        Supervisor {
            memory,
            processes,
            disk: (!has_mounts(setup.rung)).then_some(setup.limits.disk),
            next_processes: (memory.is_some() || processes.is_some()).then_some(now + OFTEN / 4),
            next_disk: now + if has_mounts(setup.rung) { SELDOM } else { OFTEN / 4 },
            used: 0,
            written: 0,
            peak: 0,
            out_of_memory: false,
            disk_full: false,
            thinned: false,
        }
    }

    /// When it wants to look again.
    pub fn next_look(&self) -> Option<Instant> {
        Some(self.next_processes.map_or(self.next_disk, |next| next.min(self.next_disk)))
    }

    /// Most memory seen at once, bytes.
    pub fn peak(&self) -> u64 {
        self.peak
    }

    /// Whether it had everything killed for its memory.
    pub fn out_of_memory(&self) -> bool {
        self.out_of_memory
    }

    /// Whether it saw the disk full.
    pub fn disk_full(&self) -> bool {
        self.disk_full
    }

    /// Whether it killed processes for their number.
    pub fn thinned(&self) -> bool {
        self.thinned
    }

    /// Looks at what is due; whether everything is to be killed.
    pub fn look(&mut self, launcher: &Launcher) -> bool {
        let now = Instant::now();
        let mut kill = false;
        if self.next_processes.is_some_and(|next| now >= next) {
            kill |= self.look_at_processes();
            let room = self.memory.map_or(u64::MAX, |most| most.saturating_sub(self.used));
            self.next_processes = Some(after(now, OFTEN.min(Duration::from_millis(room / FILLED))));
        }
        if now >= self.next_disk {
            kill |= self.look_at_disk(launcher);
            let room = self.disk.map_or(u64::MAX, |most| most.saturating_sub(self.written));
            self.next_disk = after(now, SELDOM.min(Duration::from_millis(room / WRITTEN)));
        }
        kill
    }

    fn look_at_processes(&mut self) -> bool {
        let all = descendants();
        if let Some(most) = self.processes {
            let threads: u64 = all.values().map(|process| process.threads).sum();
            if threads > most {
                self.thinned = true;
                thin(&all, threads - most);
            }
        }
        let Some(most) = self.memory else { return false };
        let mut used: u64 = all.keys().map(|&pid| resident(pid)).sum();
        if used > most {
            // Shared pages were counted once for each; the exact way is slower.
            used = all.keys().map(|&pid| proportional(pid).unwrap_or_else(|| resident(pid))).sum();
        }
        self.used = used;
        self.peak = self.peak.max(used);
        if used > most {
            self.out_of_memory = true;
        }
        used > most
    }

    /// Looks at the disk; whether everything is to be killed.
    pub fn look_at_disk(&mut self, launcher: &Launcher) -> bool {
        let Some(most) = self.disk else {
            if let Ok(state) = rustix::fs::fstatvfs(&launcher.tree) {
                let left = state.f_bavail.saturating_mul(state.f_frsize);
                self.disk_full |= left < SCRAPS || state.f_favail == 0;
            }
            // It is the file system that bounds.
            return false;
        };
        let mut used = size_of_tree(&launcher.tree);
        if let Ok(temporary) = super::super::tree::root(&launcher.setup.temporary) {
            used += size_of_tree(&temporary);
        }
        if let Ok(state) = rustix::fs::fstat(&launcher.tree) {
            used += size_of_nameless(state.st_dev);
        }
        self.written = used;
        if used > most {
            self.disk_full = true;
        }
        used > most
    }
}

/// The next time. Looking takes at most a tenth of the time when there is room, and half of it when there is little.
fn after(began: Instant, wish: Duration) -> Instant {
    let now = Instant::now();
    let took = now - began;
    now + if wish < OFTEN { wish.max(took).max(Duration::from_millis(1)) } else { wish.max(took * 9) }
}

/// Bytes that a tree takes.
fn size_of_tree(root: &std::os::fd::OwnedFd) -> u64 {
    let mut used = 0u64;
    let mut seen = BTreeSet::new();
    let _ = super::super::tree::walk(root, |met| {
        if met.found.st_nlink < 2 || seen.insert(met.found.st_ino) {
            // A page for the name: names cost too.
            used += u64::try_from(met.found.st_blocks).unwrap_or(0) * 512 + 256;
        }
        Ok(true)
    });
    used
}

/// Bytes of files on a device that processes hold open and that have no name any more.
fn size_of_nameless(device: u64) -> u64 {
    let mut used = 0;
    let mut seen = BTreeSet::new();
    for pid in descendants().keys() {
        for entry in std::fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten() {
            let Ok(found) = std::fs::metadata(entry.path()) else { continue };
            if found.nlink() == 0 && found.dev() == device && found.is_file() && seen.insert(found.ino()) {
                used += found.blocks() * 512;
            }
        }
    }
    used
}

/// A process below the init.
#[derive(Debug, Clone, Copy)]
struct Process {
    parent: i32,
    threads: u64,
    began: u64,
}

/// All processes below this one that live.
fn descendants() -> BTreeMap<i32, Process> {
    let mut all = BTreeMap::new();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(pid) = name.to_str().and_then(|name| name.parse::<i32>().ok()) else { continue };
        let Ok(line) = std::fs::read(format!("/proc/{pid}/stat")) else { continue };
        if let Some(process) = parse(&String::from_utf8_lossy(&line)) {
            all.insert(pid, process);
        }
    }
    let mine = i32::try_from(std::process::id()).unwrap_or(0);
    let below = |mut pid: i32| {
        for _ in 0..all.len() {
            match all.get(&pid) {
                Some(process) if process.parent == mine => return true,
                Some(process) => pid = process.parent,
                None => return false,
            }
        }
        false
    };
    all.iter().filter(|(pid, _)| below(**pid)).map(|(&pid, &process)| (pid, process)).collect()
}

/// A line of `/proc/PID/stat`; `None` for the dead. The name, in brackets, may hold anything, brackets too.
fn parse(line: &str) -> Option<Process> {
    let (_, rest) = line.rsplit_once(')')?;
    let fields: Vec<&str> = rest.split_ascii_whitespace().collect();
    if matches!(*fields.first()?, "Z" | "X") {
        return None;
    }
    let number = |index: usize| fields.get(index)?.parse::<u64>().ok();
    Some(Process { parent: fields.get(1)?.parse().ok()?, threads: number(17)?, began: number(19)? })
}

/// Kills the youngest until so many threads are gone.
fn thin(all: &BTreeMap<i32, Process>, mut over: u64) {
    let mut youngest: Vec<(&i32, &Process)> = all.iter().collect();
    youngest.sort_by_key(|(pid, process)| std::cmp::Reverse((process.began, **pid)));
    for (&pid, process) in youngest {
        if over == 0 {
            return;
        }
        signal(pid, Signal::KILL);
        over = over.saturating_sub(process.threads);
    }
}

/// Memory of a process that is in use, bytes; shared pages whole.
fn resident(pid: i32) -> u64 {
    let line = std::fs::read_to_string(format!("/proc/{pid}/statm")).unwrap_or_default();
    let pages = line.split_ascii_whitespace().nth(1).and_then(|pages| pages.parse::<u64>().ok());
    pages.unwrap_or(0).saturating_mul(page())
}

/// Bytes of a page.
fn page() -> u64 {
    // SAFETY: asks for a number.
    u64::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096)
}

/// Memory of a process that is in use, bytes; shared pages in part.
fn proportional(pid: i32) -> Option<u64> {
    let text = std::fs::read_to_string(format!("/proc/{pid}/smaps_rollup")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("Pss:"))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()?.saturating_mul(1024))
}

fn signal(pid: i32, signal: Signal) {
    if let Some(pid) = Pid::from_raw(pid) {
        let _ = rustix::process::kill_process(pid, signal);
    }
}

/// Processes of the user that we are.
pub fn of_this_user() -> u64 {
    let mine = rustix::process::getuid().as_raw();
    let all = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    let mut threads = 0;
    for entry in all.filter(|entry| entry.metadata().is_ok_and(|found| found.uid() == mine)) {
        if let Ok(line) = std::fs::read_to_string(entry.path().join("stat")) {
            threads += parse(&line).map_or(0, |process| process.threads);
        }
    }
    threads
}

/// Kills everything below the init where no process namespace does that at one stroke.
pub fn kill_descendants(user: User) {
    if user.dropped {
        kill_as(user);
    }
    // Whoever is stopped starts nobody: once a look finds nobody new, all are stopped.
    let mut stopped = BTreeSet::new();
    for _ in 0..1000 {
        let all = descendants();
        let new: Vec<i32> = all.keys().copied().filter(|pid| !stopped.contains(pid)).collect();
        if new.is_empty() {
            break;
        }
        for pid in new {
            signal(pid, Signal::STOP);
            stopped.insert(pid);
        }
    }
    for pid in descendants().keys() {
        signal(*pid, Signal::KILL);
    }
}

/// Kills all processes of the sandbox's own user, at one moment.
fn kill_as(user: User) {
    // SAFETY: the init has one thread, so its child may do what it may; the child makes three calls and ends.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let uid = rustix::fs::Uid::from_raw(user.uid);
        let none = rustix::thread::CapabilitySet::empty();
        let sets = rustix::thread::CapabilitySets { effective: none, permitted: none, inheritable: none };
        // With a capability left, or as anybody else, the signal would reach the whole machine.
        let powerless = user.uid != 0
            && rustix::thread::set_thread_res_uid(uid, uid, uid).is_ok()
            && rustix::thread::set_capabilities(None, sets).is_ok()
            && rustix::thread::capabilities(None).is_ok_and(|sets| sets.effective.is_empty())
            && rustix::process::getuid() == uid
            && rustix::process::geteuid() == uid;
        if powerless {
            // SAFETY: signals are sent; no memory is touched.
            unsafe { libc::kill(-1, libc::SIGKILL) };
        }
        // SAFETY: ends without running what was registered for the end of the init.
        unsafe { libc::_exit(0) };
    }
    if let Some(child) = Pid::from_raw(child) {
        let _ = rustix::process::waitpid(Some(child), rustix::process::WaitOptions::empty());
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_brackets_does_not_shift_the_fields_and_the_dead_are_left_out() {
        let rest = "S 17 1 1 0 -1 4194560 1 0 0 0 0 0 0 0 20 0 3 0 4711 0 0";
        let found = parse(&format!("42 (a) Z 1 (b)) {rest}")).unwrap();
        assert_eq!((found.parent, found.threads, found.began), (17, 3, 4711));
        assert!(parse("42 (a) Z 17 1").is_none());
        assert!(parse("nonsense").is_none());
    }
}
