//! What a key allows, shared by all calls of the process that use it.
//!
//! Promises: never more requests under way, nor more requests or tokens begun within any minute, than was configured;
//! who comes first goes first; when a server says how long to wait, everybody with that key waits, and nobody else; the
//! time that is waited for is told beforehand. Leaves to others: who failed and why (`retry`).

use super::event::Why;
use super::surroundings::Surroundings;
use crate::config::RateLimits;
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// What limits are counted over.
const MINUTE: Duration = Duration::from_secs(60);

/// Called with why a call waits and until when, where that is known.
pub type OnWait<'a> = &'a mut (dyn FnMut(Why, Option<Duration>) + Send);

/// The limits of one key.
pub struct Limiter {
    surroundings: Arc<dyn Surroundings>,
    slots: Option<Arc<Semaphore>>,
    schedule: Mutex<Schedule>,
}

impl Limiter {
    /// One with these limits.
    pub fn new(limits: RateLimits, surroundings: Arc<dyn Surroundings>) -> Arc<Limiter> {
        let slots = limits.concurrent.map(|most| {
            let most = usize::try_from(most).unwrap_or(usize::MAX).min(Semaphore::MAX_PERMITS);
            Arc::new(Semaphore::new(most))
        });
        Arc::new(Limiter { surroundings, slots, schedule: Mutex::new(Schedule::new(limits)) })
    }

    /// Waits for the turn of a request of about this many tokens.
    pub async fn turn(self: &Arc<Limiter>, tokens: u64, wait: OnWait<'_>) -> Turn {
        let slot = match &self.slots {
            None => None,
            Some(slots) => match slots.clone().try_acquire_owned() {
                Ok(slot) => Some(slot),
                Err(_) => {
                    wait(Why::Concurrency, None);
                    // It fails only when the semaphore is closed, and nobody closes it.
                    slots.clone().acquire_owned().await.ok()
                }
            },
        };
        loop {
            let now = self.surroundings.now();
            let (number, at, why) = self.schedule().enter(now, tokens);
            let mut turn = Turn { limiter: self.clone(), number, begun: false, _slot: None };
            if at > now {
                wait(why, Some(at));
                self.surroundings.until(at).await;
                if self.schedule().is_paused(self.surroundings.now()) {
                    // Somebody was told to wait meanwhile. The place is given up, and another one taken.
                    continue;
                }
            }
            turn.begun = true;
            turn._slot = slot;
            return turn;
        }
    }

    /// Lets nobody begin before this time.
    pub fn pause(&self, until: Duration) {
        let mut schedule = self.schedule();
        schedule.paused = schedule.paused.max(until);
    }

    fn schedule(&self) -> MutexGuard<'_, Schedule> {
        self.schedule.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A request that may be made; while it lives it counts as under way.
pub struct Turn {
    limiter: Arc<Limiter>,
    number: u64,
    begun: bool,
    _slot: Option<OwnedSemaphorePermit>,
}

impl Turn {
    /// The request took this many tokens.
    pub fn settle(&self, tokens: u64) {
        if let Some(entry) = self.limiter.schedule().entry(self.number) {
            entry.tokens = tokens;
        }
    }
}

impl Drop for Turn {
    fn drop(&mut self) {
        if !self.begun {
            self.limiter.schedule().entries.retain(|entry| entry.number != self.number);
        }
    }
}

/// When requests began or will begin.
#[derive(Debug)]
struct Schedule {
    limits: RateLimits,
    /// By time.
    entries: VecDeque<Entry>,
    next: u64,
    paused: Duration,
}

#[derive(Debug)]
struct Entry {
    number: u64,
    at: Duration,
    tokens: u64,
}

impl Schedule {
    fn new(limits: RateLimits) -> Schedule {
        Schedule { limits, entries: VecDeque::new(), next: 0, paused: Duration::ZERO }
    }

    /// Takes the first place that is free: its number, its time, and what it waits for.
    fn enter(&mut self, now: Duration, tokens: u64) -> (u64, Duration, Why) {
        while self.entries.front().is_some_and(|entry| entry.at + MINUTE <= now) {
            self.entries.pop_front();
        }
        let start = now.max(self.paused);
        // Not before those who came earlier.
        let mut at = self.entries.back().map_or(start, |last| start.max(last.at));
        if let Some(most) = self.limits.requests_per_minute {
            let most = usize::try_from(most).unwrap_or(usize::MAX);
            if let Some(first) = self.entries.len().checked_sub(most).and_then(|n| self.entries.get(n)) {
                at = at.max(first.at + MINUTE);
            }
        }
        if let Some(most) = self.limits.tokens_per_minute {
            // A request that is larger than the limit by itself goes when it is alone.
            let mut sum = tokens.min(most);
            for entry in self.entries.iter().rev() {
                sum = sum.saturating_add(entry.tokens);
                if sum > most {
                    at = at.max(entry.at + MINUTE);
                    break;
                }
            }
        }
        let why = if self.paused > now && at == self.paused { Why::RetryAfter } else { Why::RateLimit };
        let number = self.next;
        self.next += 1;
        if self.limits.requests_per_minute.is_some() || self.limits.tokens_per_minute.is_some() {
            self.entries.push_back(Entry { number, at, tokens });
        }
        (number, at, why)
    }

    fn is_paused(&self, now: Duration) -> bool {
        self.paused > now
    }

    fn entry(&mut self, number: u64) -> Option<&mut Entry> {
        self.entries.iter_mut().rev().find(|entry| entry.number == number)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use crate::model::surroundings::ManualTime;
    use futures_util::FutureExt;
    use proptest::prelude::*;

    const fn limits(concurrent: Option<u64>, requests: Option<u64>, tokens: Option<u64>) -> RateLimits {
        RateLimits { concurrent, requests_per_minute: requests, tokens_per_minute: tokens }
    }

    fn seconds(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    fn limiter(limits: RateLimits) -> (Arc<Limiter>, Arc<ManualTime>) {
        let time = Arc::new(ManualTime::new());
        (Limiter::new(limits, time.clone()), time)
    }

    /// Takes a turn that must be free at once.
    fn at_once(limiter: &Arc<Limiter>, tokens: u64) -> Turn {
        limiter.turn(tokens, &mut |why, until| panic!("{why} {until:?}")).now_or_never().unwrap()
    }

    #[test]
    fn requests_within_any_minute_are_bounded_and_the_wait_is_told() {
        let (limiter, time) = limiter(limits(None, Some(2), None));
        at_once(&limiter, 1);
        time.advance(seconds(10));
        at_once(&limiter, 1);
        let mut told = Vec::new();
        let mut tell = |why, until| told.push((why, until));
        let mut third = Box::pin(limiter.turn(1, &mut tell));
        assert!(third.as_mut().now_or_never().is_none());
        time.advance_to(seconds(59));
        assert!(third.as_mut().now_or_never().is_none());
        time.advance_to(seconds(60));
        assert!(third.as_mut().now_or_never().is_some());
        drop(third);
        assert_eq!(told, [(Why::RateLimit, Some(seconds(60)))]);
    }

    #[test]
    fn tokens_are_settled_and_one_that_is_too_large_goes_alone() {
        let (limiter, time) = limiter(limits(None, None, Some(1000)));
        let turn = at_once(&limiter, 900);
        turn.settle(100);
        let _second = at_once(&limiter, 900);
        let mut until = None;
        let mut tell = |_, at| until = at;
        assert!(limiter.turn(1, &mut tell).now_or_never().is_none());
        assert_eq!(until, Some(seconds(60)));
        time.advance_to(seconds(60));
        at_once(&limiter, 5000);
        time.advance(seconds(60));
        at_once(&limiter, 1);
    }

    #[test]
    fn who_waits_and_leaves_gives_its_place_back() {
        let (limiter, time) = limiter(limits(Some(1), Some(1), None));
        let first = at_once(&limiter, 1);
        let mut told = Vec::new();
        let mut tell = |why, until| told.push((why, until));
        assert!(limiter.turn(1, &mut tell).now_or_never().is_none());
        assert_eq!(told, [(Why::Concurrency, None)]);
        drop(first);
        assert!(limiter.turn(1, &mut |_, _| {}).now_or_never().is_none());
        time.advance_to(seconds(60));
        at_once(&limiter, 1);
    }

    #[test]
    fn a_pause_is_for_everybody_also_for_those_who_wait_already() {
        let (limiter, time) = limiter(limits(None, Some(1), None));
        at_once(&limiter, 1);
        let mut told = Vec::new();
        let mut tell = |why, until| told.push((why, until));
        let mut waiting = Box::pin(limiter.turn(1, &mut tell));
        assert!(waiting.as_mut().now_or_never().is_none());
        limiter.pause(seconds(90));
        time.advance_to(seconds(60));
        assert!(waiting.as_mut().now_or_never().is_none());
        time.advance_to(seconds(90));
        assert!(waiting.as_mut().now_or_never().is_some());
        drop(waiting);
        assert_eq!(told, [(Why::RateLimit, Some(seconds(60))), (Why::RetryAfter, Some(seconds(90)))]);
        let (other, _) = self::limiter(limits(None, Some(1), None));
        at_once(&other, 1);
    }

    proptest! {
        #[test]
        fn no_minute_holds_more_than_is_allowed(
            arrivals in prop::collection::vec((0_u64..30, 1_u64..600), 1..60),
            requests in 1_u64..6,
            tokens in 600_u64..2000,
        ) {
            let mut schedule = Schedule::new(limits(None, Some(requests), Some(tokens)));
            let (mut now, mut begun) = (Duration::ZERO, Vec::new());
            for (gap, size) in arrivals {
                now += seconds(gap);
                begun.push((schedule.enter(now, size).1, size));
            }
            prop_assert!(begun.is_sorted_by_key(|(at, _)| *at), "who comes first goes first");
            for (at, _) in &begun {
                let within = || begun.iter().filter(|(other, _)| *other <= *at && *other + MINUTE > *at);
                prop_assert!(within().count() as u64 <= requests);
                prop_assert!(within().map(|(_, size)| size).sum::<u64>() <= tokens);
            }
        }
    }
}
