//! Whose a container is, written on it as labels, so that a later start can remove what a dead owner left.
//!
//! Promises: a container is taken for abandoned only if its owner was on this very host and start of the machine and
//! is gone, or if its deadline has passed. Leaves to others: removing it (`mod`).

use crate::sandbox::process::started;
use std::collections::HashMap;

/// Label that marks our containers: the owner's process number.
pub const MARK: &str = "mendbench.owner.pid";
const HOST: &str = "mendbench.owner.host";
const BOOT: &str = "mendbench.owner.boot";
const STARTED: &str = "mendbench.owner.started";
const DEADLINE: &str = "mendbench.deadline";

/// Seconds that a container may live.
pub const LIFETIME: u64 = 24 * 3600;

/// A process, told apart from all others.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owner {
    /// Name of the host.
    pub host: String,
    /// Which start of the machine.
    pub boot: String,
    /// Process number.
    pub pid: u32,
    /// When it started, in the kernel's ticks since the machine did.
    pub started: u64,
}

impl Owner {
    /// This process.
    pub fn this() -> Owner {
        let pid = std::process::id();
        Owner {
            host: read("/proc/sys/kernel/hostname"),
            boot: read("/proc/sys/kernel/random/boot_id"),
            pid,
            started: started(pid).unwrap_or(0),
        }
    }

    /// The labels of a container made at this time, seconds since 1970.
    pub fn labels(&self, now: u64) -> HashMap<String, String> {
        HashMap::from([
            (MARK.to_owned(), self.pid.to_string()),
            (HOST.to_owned(), self.host.clone()),
            (BOOT.to_owned(), self.boot.clone()),
            (STARTED.to_owned(), self.started.to_string()),
            (DEADLINE.to_owned(), (now + LIFETIME).to_string()),
        ])
    }

    /// Whether a container with these labels is nobody's any more. `started` tells when the process with a number
    /// started, if there is one.
    pub fn is_abandoned(
        &self,
        labels: &HashMap<String, String>,
        now: u64,
        started: &dyn Fn(u32) -> Option<u64>,
    ) -> bool {
        let number = |name: &str| labels.get(name).and_then(|value| value.parse::<u64>().ok());
        let Some(pid) = number(MARK).and_then(|pid| u32::try_from(pid).ok()) else { return false };
        if number(DEADLINE).is_none_or(|deadline| deadline < now) {
            return true;
        }
        if labels.get(HOST) != Some(&self.host) {
            return false;
        }
        labels.get(BOOT) != Some(&self.boot) || started(pid) != number(STARTED)
    }
}

fn read(path: &str) -> String {
    std::fs::read_to_string(path).unwrap_or_default().trim().to_owned()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_surely_nobodys_is_taken() {
        let owner = Owner { host: "a".into(), boot: "1".into(), pid: 7, started: 100 };
        let lives = |pid: u32| (pid == 7).then_some(100);
        let dead = |_: u32| None;
        let reused = |_: u32| Some(200);
        let labels = owner.labels(1000);
        assert!(!owner.is_abandoned(&labels, 1000, &lives));
        assert!(owner.is_abandoned(&labels, 1000, &dead), "its owner is gone");
        assert!(owner.is_abandoned(&labels, 1000, &reused), "its number is another's now");
        assert!(owner.is_abandoned(&labels, 1001 + LIFETIME, &lives), "its deadline has passed");
        let other = Owner { host: "b".into(), ..owner.clone() };
        assert!(!other.is_abandoned(&labels, 1000, &dead), "nobody here knows processes of another host");
        let later = Owner { boot: "2".into(), ..owner.clone() };
        assert!(later.is_abandoned(&labels, 1000, &lives), "the machine has started anew");
        assert!(!owner.is_abandoned(&HashMap::new(), 1000, &dead), "not ours");
    }

    #[test]
    fn this_process_lives() {
        let this = Owner::this();
        assert_eq!(started(this.pid), Some(this.started));
        assert!(!this.is_abandoned(&this.labels(5), 5, &started));
    }
}
