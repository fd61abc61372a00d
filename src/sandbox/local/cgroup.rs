//! Control groups: the kernel's own bounds on memory and processes of all programs of a sandbox together.
//!
//! Promises: version 1 and 2, wherever this process may make a group; where it may not, `None`, and a supervisor does
//! it; a group is removed with what is in it. Leaves to others: joining it (`init::launch`).

use crate::sandbox::Limits;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The groups of one sandbox.
#[derive(Debug, Default)]
pub struct Groups {
    /// Bounds memory.
    pub memory: Option<Group>,
    /// Bounds processes; the same as `memory` in version 2.
    pub processes: Option<Group>,
}

/// One group.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Its folder.
    pub path: PathBuf,
    /// Version 2, else 1.
    pub unified: bool,
}

/// Where groups can be made: folders, and whether they are of version 2.
#[derive(Debug, Default, PartialEq, Eq)]
struct Parents {
    memory: Vec<(PathBuf, bool)>,
    processes: Vec<(PathBuf, bool)>,
}

impl Groups {
    /// Where groups with this name may come to be; nothing is made yet.
    pub fn planned(name: &str) -> Plan {
        let mounts = fs::read_to_string("/proc/self/mounts").unwrap_or_default();
        let mine = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
        Plan { parents: parents(&mounts, &mine), name: format!("mendbench.{name}") }
    }

    /// Sets what all of them together may have, for an execution that begins now.
    pub fn set(&self, limits: &Limits) -> io::Result<()> {
        if let Some(group) = &self.memory {
            // Files of earlier executions are memory of the group; they were counted against the disk.
            let bound = limits.memory.saturating_add(group.files());
            group.bound_memory(bound)?;
        }
        if let Some(group) = &self.processes {
            fs::write(group.path.join("pids.max"), limits.processes.to_string())?;
        }
        Ok(())
    }

    /// The files that a process writes to in order to join.
    pub fn entrances(&self) -> io::Result<Vec<File>> {
        self.all()
            .iter()
            .map(|group| File::options().write(true).open(group.path.join("cgroup.procs")))
            .collect()
    }

    /// How often the kernel killed for memory.
    pub fn kills(&self) -> u64 {
        let Some(group) = &self.memory else { return 0 };
        let file = if group.unified { "memory.events" } else { "memory.oom_control" };
        value(&group.path.join(file), "oom_kill").unwrap_or(0)
    }

    /// Most memory at once since [`Groups::forget_peak`], bytes.
    pub fn peak(&self) -> Option<u64> {
        let group = self.memory.as_ref()?;
        let file = if group.unified { "memory.peak" } else { "memory.max_usage_in_bytes" };
        fs::read_to_string(group.path.join(file)).ok()?.trim().parse().ok()
    }

    /// Begins anew with the peak, where the kernel lets us.
    pub fn forget_peak(&self) {
        if let Some(group) = self.memory.as_ref().filter(|group| !group.unified) {
            let _ = fs::write(group.path.join("memory.max_usage_in_bytes"), "0");
        }
    }

    /// All groups, each once.
    fn all(&self) -> Vec<&Group> {
        let mut all: Vec<&Group> = self.memory.iter().chain(&self.processes).collect();
        all.dedup();
        all
    }

    /// Kills what is in them and removes them.
    pub fn remove(&self, at_most: Duration) -> io::Result<()> {
        self.all().iter().try_for_each(|group| remove(&group.path, at_most))
    }

    /// Which kernel interface bounds, as a report says it.
    pub fn words(group: &Group) -> String {
        format!("cgroup v{}", if group.unified { 2 } else { 1 })
    }
}

/// Groups that may be made.
#[derive(Debug)]
pub struct Plan {
    parents: Parents,
    name: String,
}

impl Plan {
    /// All folders that making may leave behind.
    pub fn folders(&self) -> Vec<PathBuf> {
        let all = self.parents.memory.iter().chain(&self.parents.processes);
        let mut all: Vec<PathBuf> = all.map(|(parent, _)| parent.join(&self.name)).collect();
        all.sort();
        all.dedup();
        all
    }

    /// Makes what may be made.
    pub fn make(&self, limits: &Limits) -> Groups {
        let memory = self.first(&self.parents.memory, |group| group.bound_memory(limits.memory));
        let processes = self.first(&self.parents.processes, |group| {
            fs::write(group.path.join("pids.max"), limits.processes.to_string())
        });
        Groups { memory, processes }
    }

    fn first(
        &self,
        parents: &[(PathBuf, bool)],
        try_out: impl Fn(&Group) -> io::Result<()>,
    ) -> Option<Group> {
        parents.iter().find_map(|(parent, unified)| {
            let group = Group { path: parent.join(&self.name), unified: *unified };
            let there = group.path.is_dir();
            if *unified && !there {
                // Refused where processes live in the parent; a group without the bound is then no use.
                let _ = fs::write(parent.join("cgroup.subtree_control"), "+memory +pids");
            }
            if !there && fs::create_dir(&group.path).is_err() {
                return None;
            }
            let usable = File::options().write(true).open(group.path.join("cgroup.procs")).is_ok();
            if usable && try_out(&group).is_ok() {
                return Some(group);
            }
            if !there {
                let _ = fs::remove_dir(&group.path);
            }
            None
        })
    }
}

impl Group {
    /// Bounds memory, and swap with it.
    fn bound_memory(&self, bytes: u64) -> io::Result<()> {
        if self.unified {
            fs::write(self.path.join("memory.max"), bytes.to_string())?;
            optional(fs::write(self.path.join("memory.swap.max"), "0"))?;
            // One death is everybody's.
            return optional(fs::write(self.path.join("memory.oom.group"), "1"));
        }
        let plain = self.path.join("memory.limit_in_bytes");
        let with_swap = self.path.join("memory.memsw.limit_in_bytes");
        // The one without swap may never be above the other: which goes first depends on the direction.
        let first = fs::write(&plain, bytes.to_string());
        optional(fs::write(&with_swap, bytes.to_string()))?;
        if first.is_err() { fs::write(&plain, bytes.to_string()) } else { Ok(()) }
    }

    /// Bytes of files in memory that are charged to the group.
    fn files(&self) -> u64 {
        value(&self.path.join("memory.stat"), "shmem").unwrap_or(0)
    }
}

/// A file that not every kernel has.
fn optional(done: io::Result<()>) -> io::Result<()> {
    match done {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        // Made with O_CREAT, a file that is not there is one that may not be made.
        Err(error) if error.kind() == io::ErrorKind::PermissionDenied => Ok(()),
        other => other,
    }
}

/// A number in a file of names and numbers.
fn value(path: &Path, name: &str) -> Option<u64> {
    let text = fs::read_to_string(path).ok()?;
    text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' ')?.trim().parse().ok())
}

/// Kills what is in a group and removes it; nothing there is no error.
pub fn remove(group: &Path, at_most: Duration) -> io::Result<()> {
    let until = Instant::now() + at_most;
    loop {
        match fs::remove_dir(group) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            Err(error) if Instant::now() > until => return Err(error),
            Err(_) => {}
            Ok(()) => return Ok(()),
        }
        if fs::write(group.join("cgroup.kill"), "1").is_err() {
            let members = fs::read_to_string(group.join("cgroup.procs")).unwrap_or_default();
            for pid in members.lines().filter_map(|line| rustix::process::Pid::from_raw(line.parse().ok()?)) {
                let _ = rustix::process::kill_process(pid, rustix::process::Signal::KILL);
            }
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Reads where groups can be made, from `/proc/self/mounts` and `/proc/self/cgroup`.
fn parents(mounts: &str, mine: &str) -> Parents {
    let mut parents = Parents::default();
    for line in mounts.lines() {
        let fields: Vec<&str> = line.split(' ').collect();
        let [_, point, kind, options, ..] = fields.as_slice() else { continue };
        let has = |name: &str| options.split(',').any(|option| option == name);
        match *kind {
            "cgroup" => {
                for (name, list) in [("memory", &mut parents.memory), ("pids", &mut parents.processes)] {
                    if has(name) {
                        let own = mine.lines().find_map(|line| {
                            let (_, rest) = line.split_once(':')?;
                            let (names, path) = rest.split_once(':')?;
                            names.split(',').any(|one| one == name).then_some(path)
                        });
                        list.extend(own.map(|path| (inside(point, path), false)));
                    }
                }
            }
            "cgroup2" => {
                let own = mine.lines().find_map(|line| line.strip_prefix("0::"));
                // Where processes live, no bounds may be given to groups below; some folder above may be free.
                let mut now = own.map(|path| inside(point, path));
                while let Some(folder) = now.filter(|folder| folder.starts_with(point)) {
                    let known = fs::read_to_string(folder.join("cgroup.controllers")).unwrap_or_default();
                    let has = |name: &str| known.split_ascii_whitespace().any(|one| one == name);
                    if has("memory") && has("pids") {
                        parents.memory.push((folder.clone(), true));
                        parents.processes.push((folder.clone(), true));
                    }
                    now = folder.parent().map(Path::to_owned);
                }
            }
            _ => {}
        }
    }
    parents
}

/// A group's folder below a mount point. In a container the path may be one of outside: then the mount is it.
fn inside(point: &str, path: &str) -> PathBuf {
    let whole = Path::new(point).join(path.trim_start_matches('/'));
    if whole.is_dir() { whole } else { point.into() }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// A folder that looks like a hierarchy of version 2, where only the top lets groups have bounds.
    #[test]
    fn groups_are_found_in_both_versions() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().to_str().unwrap();
        fs::create_dir_all(folder.path().join("user/session")).unwrap();
        for group in ["", "user"] {
            fs::write(folder.path().join(group).join("cgroup.controllers"), "cpu memory pids\n").unwrap();
        }
        let mounts = format!("x {top} cgroup2 rw 0 0\nx /nowhere cgroup rw,memory 0 0\n");
        let found = parents(&mounts, "4:memory:/a/b\n0::/user/session\n");
        let expected = [(folder.path().join("user"), true), (folder.path().to_owned(), true)];
        assert_eq!(found.processes, expected);
        assert_eq!(found.memory.last(), Some(&("/nowhere".into(), false)));
        assert_eq!(parents("", ""), Parents::default());
    }

    #[test]
    fn numbers_are_read_by_their_whole_name() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("memory.events");
        fs::write(&file, "oom 1\noom_kill_disable 3\noom_kill 2\n").unwrap();
        assert_eq!(value(&file, "oom_kill"), Some(2));
        assert_eq!(value(&file, "none"), None);
    }
}
