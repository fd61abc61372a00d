//! What a sandbox may use. Promises: units in names or docs, [`Limits::min`] never raises anything. Leaves to others:
//! enforcing (the rungs).

use serde::{Deserialize, Serialize};

/// What one sandbox, and each program in it, may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Limits {
    /// Wall-clock time of one execution, milliseconds.
    pub time_ms: u64,
    /// Memory of all processes together, bytes; swap counts.
    pub memory: u64,
    /// Processes and threads at once.
    pub processes: u64,
    /// Bytes that the work tree and the temporary folder together may hold.
    pub disk: u64,
    /// Largest single file, bytes.
    pub file: u64,
    /// Output kept of each stream of one execution, bytes: its head and its tail.
    pub output: u64,
    /// Output after which an execution is ended, bytes of both streams together.
    pub output_total: u64,
}

const MIB: u64 = 1 << 20;

impl Default for Limits {
    /// One minute, 1 GiB, 64 processes, 256 MiB of disk, 4 MiB of output kept and 4 GiB of it borne.
    fn default() -> Limits {
        Limits {
            time_ms: 60_000,
            memory: 1024 * MIB,
            processes: 64,
            disk: 256 * MIB,
            file: 256 * MIB,
            output: 4 * MIB,
            output_total: 4096 * MIB,
        }
    }
}

impl Limits {
    /// The smaller of each.
    #[must_use]
    pub fn min(self, other: Limits) -> Limits {
        Limits {
            time_ms: self.time_ms.min(other.time_ms),
            memory: self.memory.min(other.memory),
            processes: self.processes.min(other.processes),
            disk: self.disk.min(other.disk),
            file: self.file.min(other.file),
            output: self.output.min(other.output),
            output_total: self.output_total.min(other.output_total),
        }
    }

    /// These, with what the user's configuration says in their place.
    #[must_use]
    pub fn with(self, said: &crate::task::Limits) -> Limits {
        let mib = |value: Option<u64>, now: u64| value.map_or(now, |value| value.saturating_mul(MIB));
        let disk = mib(said.disk_mb, self.disk);
        Limits {
            time_ms: said.timeout_s.map_or(self.time_ms, |s| s.saturating_mul(1000)),
            memory: mib(said.memory_mb, self.memory),
            processes: said.processes.unwrap_or(self.processes),
            disk,
            file: disk,
            output: said.output_kb.map_or(self.output, |kib| kib.saturating_mul(1024)),
            output_total: self.output_total,
        }
    }

    /// These, lowered by what a task or a language asks for.
    #[must_use]
    pub fn lowered(self, by: &crate::task::Limits) -> Limits {
        let mib =
            |value: Option<u64>, now: u64| value.map_or(now, |value| value.saturating_mul(MIB).min(now));
        let disk = mib(by.disk_mb, self.disk);
        Limits {
            time_ms: by.timeout_s.map_or(self.time_ms, |s| s.saturating_mul(1000).min(self.time_ms)),
            memory: mib(by.memory_mb, self.memory),
            processes: by.processes.map_or(self.processes, |value| value.min(self.processes)),
            disk,
            file: self.file.min(disk),
            output: by.output_kb.map_or(self.output, |kib| kib.saturating_mul(1024).min(self.output)),
            output_total: self.output_total,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_lowers_and_never_raises() {
        let wish = crate::task::Limits {
            timeout_s: Some(7),
            memory_mb: Some(1 << 40),
            processes: Some(3),
            disk_mb: Some(1),
            output_kb: Some(u64::MAX),
        };
        let limits = Limits::default().lowered(&wish);
        let expected = Limits { time_ms: 7000, processes: 3, disk: MIB, file: MIB, ..Limits::default() };
        assert_eq!(limits, expected);
        assert_eq!(limits.min(Limits::default()), limits);
    }
}
