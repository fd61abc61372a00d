//! Time and chance, injected.
//!
//! Promises: nobody else in this room asks the machine for the time, sleeps or draws random numbers.

use futures_util::future::BoxFuture;
use jiff::Timestamp;
use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::time::{Duration, Instant};
use tokio::sync::watch;

/// What the machine gives: time that never goes back, the date, waiting, chance.
pub trait Surroundings: Send + Sync {
    /// Time since some fixed moment; never goes back.
    fn now(&self) -> Duration;
    /// The date, UTC.
    fn date(&self) -> Timestamp;
    /// Waits until [`Surroundings::now`] is at least this.
    fn until(&self, at: Duration) -> BoxFuture<'static, ()>;
    /// A random number, at least 0 and below 1.
    fn random(&self) -> f64;
}

/// The machine itself. Waiting needs tokio's timer.
#[derive(Debug)]
pub struct Machine(Instant);

impl Machine {
    /// The machine, from now on.
    pub fn new() -> Machine {
        Machine(Instant::now())
    }
}

impl Default for Machine {
    fn default() -> Machine {
        Machine::new()
    }
}

impl Surroundings for Machine {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }

    fn date(&self) -> Timestamp {
        Timestamp::now()
    }

    fn until(&self, at: Duration) -> BoxFuture<'static, ()> {
        match self.0.checked_add(at) {
            Some(at) => Box::pin(tokio::time::sleep_until(at.into())),
            None => Box::pin(std::future::pending()),
        }
    }

    fn random(&self) -> f64 {
        // Every `RandomState` has keys of its own.
        let drawn = RandomState::new().build_hasher().finish() >> 11;
        drawn as f64 / (1_u64 << 53) as f64
    }
}

/// Time that stands still until it is moved, for tests; chance is always one half.
#[derive(Debug)]
pub struct ManualTime(watch::Sender<Duration>);

impl ManualTime {
    /// Time at zero, the first second of 2026.
    pub fn new() -> ManualTime {
        ManualTime(watch::Sender::new(Duration::ZERO))
    }

    /// Moves it, and wakes who waited for that.
    pub fn advance(&self, by: Duration) {
        self.0.send_modify(|now| *now += by);
    }

    /// Moves it to this time, unless it is past that.
    pub fn advance_to(&self, at: Duration) {
        self.0.send_modify(|now| *now = at.max(*now));
    }
}

impl Default for ManualTime {
    fn default() -> ManualTime {
        ManualTime::new()
    }
}

impl Surroundings for ManualTime {
    fn now(&self) -> Duration {
        *self.0.borrow()
    }

    fn date(&self) -> Timestamp {
        let start = Timestamp::from_second(1_767_225_600).unwrap_or(Timestamp::UNIX_EPOCH);
        start.checked_add(self.now()).unwrap_or(start)
    }

    fn until(&self, at: Duration) -> BoxFuture<'static, ()> {
        let mut time = self.0.subscribe();
        Box::pin(async move {
            if time.wait_for(|now| *now >= at).await.is_err() {
                // Time is gone: nothing is waited for any more.
                std::future::pending::<()>().await;
            }
        })
    }

    fn random(&self) -> f64 {
        0.5
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use futures_util::FutureExt;

    #[test]
    fn manual_time_wakes_who_waited_for_it() {
        let time = ManualTime::new();
        let mut waiting = time.until(Duration::from_secs(5));
        assert!((&mut waiting).now_or_never().is_none());
        time.advance(Duration::from_secs(4));
        assert!((&mut waiting).now_or_never().is_none());
        time.advance(Duration::from_secs(1));
        assert!((&mut waiting).now_or_never().is_some());
        assert!(
            time.until(Duration::from_secs(5)).now_or_never().is_some(),
            "what is past is not waited for"
        );
        time.advance_to(Duration::from_secs(2));
        assert_eq!(time.now(), Duration::from_secs(5));
        assert_eq!(time.date().to_string(), "2026-01-01T00:00:05Z");
    }

    #[test]
    fn chance_lies_in_its_range_and_differs() {
        let machine = Machine::new();
        let drawn: Vec<f64> = (0..20).map(|_| machine.random()).collect();
        assert!(drawn.iter().all(|number| (0.0..1.0).contains(number)), "{drawn:?}");
        assert!(drawn.iter().any(|number| (number - drawn[0]).abs() > 1e-9), "{drawn:?}");
    }
}
