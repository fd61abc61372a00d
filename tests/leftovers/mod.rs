//! A search for what verification left behind: processes, mounts, cgroups, temporary folders, containers.
#![allow(dead_code, clippy::unwrap_used)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What was there before, so that only news count.
pub struct Leftovers {
    token: String,
    before: BTreeSet<String>,
}

impl Leftovers {
    /// Looks around. `token` is in the command line of every process that belongs to the test.
    pub fn before(token: &str) -> Leftovers {
        Leftovers { token: token.to_owned(), before: things() }
    }

    /// Processes that belong to the test and still live.
    pub fn processes(&self) -> Option<String> {
        let own = std::process::id();
        let alive: Vec<String> = pids()
            .filter(|pid| *pid != own)
            .filter_map(|pid| {
                let line = std::fs::read(format!("/proc/{pid}/cmdline")).ok()?;
                let line = String::from_utf8_lossy(&line).replace('\0', " ");
                line.contains(&self.token).then(|| format!("{pid}: {line}"))
            })
            .collect();
        (!alive.is_empty()).then(|| alive.join("; "))
    }

    /// All of it.
    pub fn all(&self) -> Option<String> {
        let news: Vec<String> = things().difference(&self.before).cloned().collect();
        let found: Vec<String> = self.processes().into_iter().chain(news).collect();
        (!found.is_empty()).then(|| found.join("; "))
    }
}

fn pids() -> impl Iterator<Item = u32> {
    std::fs::read_dir("/proc").unwrap().flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

/// Whether a thing may still be somebody's: its owner is another process that lives. Others may use mendbench meanwhile.
fn is_others(owner: Option<u32>) -> bool {
    owner.is_some_and(|pid| pid != std::process::id() && Path::new(&format!("/proc/{pid}")).exists())
}

/// The owner in a name `[mendbench.]BOOT.NAMESPACE.PID.START.NUMBER`.
fn owner(path: &Path) -> Option<u32> {
    let name = path.file_name()?.to_str()?;
    name.strip_prefix("mendbench.").unwrap_or(name).split('.').nth(2)?.parse().ok()
}

/// Mounts, cgroups, folders and containers with our name.
fn things() -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mounts = std::fs::read_to_string("/proc/self/mountinfo").unwrap();
    found.extend(
        mounts.lines().filter(|line| line.contains("/mendbench")).map(|line| format!("mount {line}")),
    );
    cgroups(Path::new("/sys/fs/cgroup"), 5, &mut found);
    // One folder for each user holds the sandboxes; it may stay, what is in it may not.
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(|folder| PathBuf::from(folder).join("mendbench"));
    let temporary = folders(&std::env::temp_dir())
        .into_iter()
        .filter(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("mendbench-")));
    for state in temporary.chain(runtime) {
        let inside = std::fs::read_dir(&state).into_iter().flatten().flatten();
        let inside = inside.map(|entry| entry.path()).filter(|path| !is_others(owner(path)));
        found.extend(inside.map(|path| format!("folder {}", path.display())));
    }
    let label = "label=mendbench.owner.pid";
    let format = "{{.ID}} {{.Label \"mendbench.owner.pid\"}}";
    let listed = Command::new("docker").args(["ps", "-a", "--filter", label, "--format", format]).output();
    if let Ok(output) = listed {
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let ours = text
            .lines()
            .filter(|line| !is_others(line.split(' ').nth(1).and_then(|pid| pid.trim().parse().ok())));
        found.extend(ours.map(|line| format!("container {line}")));
    }
    found
}

fn folders(within: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(within).into_iter().flatten().flatten();
    entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| entry.path())
        .collect()
}

fn cgroups(within: &Path, depth: usize, found: &mut BTreeSet<String>) {
    for path in folders(within) {
        if path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("mendbench.")) {
            if is_others(owner(&path)) {
                continue;
            }
            found.insert(format!("cgroup {}", path.display()));
        } else if depth > 1 {
            cgroups(&path, depth - 1, found);
        }
    }
}
