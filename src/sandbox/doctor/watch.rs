//! Watching attacks from outside, while they run and after.
//!
//! Promises: counts what the kernel shows of processes that carry a marker in their arguments, whatever they say
//! themselves. Leaves to others: what it means (`judge`).

use super::attacks::ATTACK;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// What was seen of the processes with a marker.
#[derive(Debug, Clone, Default)]
pub struct Seen {
    /// Most of them at once.
    pub processes: u64,
    /// Most memory of their own at once, bytes.
    pub memory: u64,
    /// Different user namespaces that they were in.
    pub namespaces: BTreeSet<PathBuf>,
}

/// A running watch.
pub struct Watch {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<Seen>,
}

impl Watch {
    /// Begins to watch for this marker.
    pub fn begin(marker: &str) -> Watch {
        let stop = Arc::new(AtomicBool::new(false));
        let (marker, flag) = (marker.to_owned(), Arc::clone(&stop));
        let thread = std::thread::spawn(move || {
            let mut seen = Seen::default();
            while !flag.load(Ordering::Relaxed) {
                let now = look(&marker);
                seen.processes = seen.processes.max(now.processes);
                seen.memory = seen.memory.max(now.memory);
                seen.namespaces.extend(now.namespaces);
                std::thread::sleep(Duration::from_millis(15));
            }
            seen
        });
        Watch { stop, thread }
    }

    /// Ends it; what was seen.
    pub fn end(self) -> Seen {
        self.stop.store(true, Ordering::Relaxed);
        // A watch that panicked has seen nothing.
        self.thread.join().unwrap_or_default()
    }
}

/// What is to be seen now.
pub fn look(marker: &str) -> Seen {
    let mut seen = Seen::default();
    for entry in std::fs::read_dir("/proc").into_iter().flatten().flatten() {
        let folder = entry.path();
        let Ok(words) = std::fs::read(folder.join("cmdline")) else { continue };
        let mut words = words.split(|byte| *byte == 0).skip(1);
        let carries = |word: &[u8]| word.strip_prefix(b"marker=").is_some_and(|own| own == marker.as_bytes());
        if words.next() != Some(ATTACK.as_bytes()) || !words.any(carries) {
            continue;
        }
        seen.processes += 1;
        let status = std::fs::read_to_string(folder.join("status")).unwrap_or_default();
        let kib = status.lines().find_map(|line| line.strip_prefix("RssAnon:"));
        let kib = kib.and_then(|text| text.trim().trim_end_matches(" kB").parse::<u64>().ok());
        seen.memory += kib.unwrap_or(0) * 1024;
        seen.namespaces.extend(std::fs::read_link(folder.join("ns/user")));
    }
    seen
}
