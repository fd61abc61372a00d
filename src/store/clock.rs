//! Time and ids, injected.
//!
//! Promises: nobody else in this room asks the machine for the time or for random bytes.

use jiff::{SignedDuration, Timestamp};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};
use uuid::Uuid;

/// Says what time it is.
pub trait Clock: Send + Sync {
    /// The present time, UTC.
    fn now(&self) -> Timestamp;
}

/// Makes ids that were never given before.
pub trait Ids: Send + Sync {
    /// A new UUIDv7.
    fn next(&self) -> Uuid;
}

/// The machine's clock.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// UUIDv7 of the machine's time and random bytes.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemIds;

impl Ids for SystemIds {
    fn next(&self) -> Uuid {
        Uuid::now_v7()
    }
}

/// A clock that stands still until it is moved.
#[derive(Debug)]
pub struct FixedClock(Mutex<Timestamp>);

impl FixedClock {
    /// A clock that shows `start`.
    pub fn new(start: Timestamp) -> FixedClock {
        FixedClock(Mutex::new(start))
    }

    /// Moves it, forwards or backwards.
    pub fn advance(&self, by: SignedDuration) {
        let mut now = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *now = now.checked_add(by).unwrap_or(*now);
    }
}

impl Default for FixedClock {
    /// The first second of 2026.
    fn default() -> FixedClock {
        FixedClock::new(Timestamp::from_second(1_767_225_600).unwrap_or(Timestamp::UNIX_EPOCH))
    }
}

impl Clock for FixedClock {
    fn now(&self) -> Timestamp {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ids that count: valid UUIDv7, the same in every run.
#[derive(Debug, Default)]
pub struct FixedIds(AtomicU64);

impl FixedIds {
    /// Ids that begin behind `start`; two sources with distant starts do not meet.
    pub fn starting_at(start: u64) -> FixedIds {
        FixedIds(AtomicU64::new(start))
    }
}

impl Ids for FixedIds {
    fn next(&self) -> Uuid {
        let count = self.0.fetch_add(1, Ordering::Relaxed) + 1;
        let mut tail = [0_u8; 10];
        tail[2..].copy_from_slice(&count.to_be_bytes());
        uuid::Builder::from_unix_timestamp_millis(1_767_225_600_000, &tail).into_uuid()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_ids_are_valid_distinct_and_repeatable() {
        let (one, two) = (FixedIds::default(), FixedIds::default());
        let first: Vec<Uuid> = (0..300).map(|_| one.next()).collect();
        let second: Vec<Uuid> = (0..300).map(|_| two.next()).collect();
        assert_eq!(first, second);
        assert!(first.is_sorted());
        assert!(first.iter().all(|id| id.get_version_num() == 7));
        assert_ne!(FixedIds::starting_at(1 << 40).next(), first[0]);
    }

    #[test]
    fn a_fixed_clock_moves_only_when_told() {
        let clock = FixedClock::default();
        let before = clock.now();
        assert_eq!(before, clock.now());
        clock.advance(SignedDuration::from_secs(-5));
        assert_eq!(clock.now(), before - SignedDuration::from_secs(5));
        assert_eq!(before.to_string(), "2026-01-01T00:00:00Z");
    }
}
