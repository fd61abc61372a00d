//! Who programs run as. Promises: root is never it; as root, a user that is nobody else's. Leaves to others: becoming it.

use super::wire::User;
use std::fs;

/// First of the users that neither distributions nor containers nor directories hand out.
const FIRST: u32 = 1_900_000_000;

/// Most processes of a machine: Linux has no higher numbers.
const PROCESSES: u32 = 1 << 22;

/// Whether we are root, and so are to become somebody else.
pub fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}

/// Who the programs of a sandbox with this first process run as. The number of a living process is nobody else's, so
/// neither is the user.
pub fn user(process: u32) -> Result<User, String> {
    if !is_root() {
        let (uid, gid) = (rustix::process::geteuid().as_raw(), rustix::process::getegid().as_raw());
        return Ok(User { uid, gid, dropped: false });
    }
    let ranges = |which: &str| fs::read_to_string(format!("/proc/self/{which}_map")).unwrap_or_default();
    let known = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let number = pick(process, &ranges("uid"), &ranges("gid"), &known)
        .ok_or("this is root of a container in which no user is unused; run as an ordinary user")?;
    Ok(User { uid: number, gid: number, dropped: true })
}

/// An unused number that is mapped in both tables.
fn pick(process: u32, uids: &str, gids: &str, known: &str) -> Option<u32> {
    let usual = FIRST + process % PROCESSES;
    if maps(uids, usual) && maps(gids, usual) {
        return Some(usual);
    }
    // The few users of a container: high ones, above those that people get and below `nobody`.
    (0..20_000u32).map(|step| 40_000 + (process.wrapping_add(step)) % 20_000).find(|&number| {
        let used = known.lines().any(|line| line.split(':').nth(2) == Some(&number.to_string()));
        !used && maps(uids, number) && maps(gids, number)
    })
}

/// Whether a table of `/proc/PID/uid_map` holds a number.
fn maps(table: &str, number: u32) -> bool {
    table.lines().any(|line| {
        let mut fields = line.split_ascii_whitespace().map(|field| field.parse::<u64>().unwrap_or(0));
        let (first, _, count) = (fields.next().unwrap_or(0), fields.next(), fields.next().unwrap_or(0));
        (first..first.saturating_add(count)).contains(&u64::from(number))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_user_is_mapped_and_unused() {
        let whole = "         0          0 4294967295\n";
        assert_eq!(pick(17, whole, whole, ""), Some(FIRST + 17));
        let few = "0 100000 65536\n";
        assert_eq!(pick(17, few, few, ""), Some(40_017));
        assert_eq!(pick(17, few, few, "x:x:40017:1::/:/bin/sh\n"), Some(40_018));
        assert_eq!(pick(17, "0 1000 1\n", few, ""), None);
    }
}
