//! Processes of this machine, as their owners are told apart. Promises: the name of a process may hold anything, also what
//! is no text. Leaves to others: what follows from it (the reapers).

/// When a process was started, in the kernel's ticks since the machine was; `None` for one that is gone, or dead and
/// only waits to be buried.
pub(super) fn started(pid: u32) -> Option<u64> {
    let line = std::fs::read(format!("/proc/{pid}/stat")).ok()?;
    let line = String::from_utf8_lossy(&line);
    // The fields behind the last bracket are numbers but the state.
    let (_, rest) = line.rsplit_once(')')?;
    let mut fields = rest.split_ascii_whitespace();
    if matches!(fields.next()?, "Z" | "X") {
        return None;
    }
    fields.nth(18)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_was_started_and_no_other_has_its_number() {
        assert!(started(std::process::id()).is_some());
        assert_eq!(started(u32::MAX), None);
    }
}
