//! When the next frame may be drawn.
//!
//! Promises: pure; in the long run a frame in [`INTERVAL`] at most; after a rest two may follow each other at once, so
//! that what a key brings is not kept waiting by the frame that told that it was pressed. Leaves to others: whether
//! anything changed, and the clock.

use std::time::{Duration, Instant};

/// Time between two frames, in the mean of many.
const INTERVAL: Duration = Duration::from_millis(8);

/// The frames that were drawn, as far as they hold up the next.
#[derive(Debug, Default)]
pub struct Cadence {
    /// When the frames so far would have been drawn one [`INTERVAL`] after the other, and the next one's turn came.
    paid: Option<Instant>,
}

impl Cadence {
    /// Time that a frame may wait for what would save it.
    pub const PATIENCE: Duration = INTERVAL;

    /// When the next frame may be drawn; a moment that has passed: at once.
    pub fn due(&self, now: Instant) -> Instant {
        // One frame in advance.
        self.paid.and_then(|paid| paid.checked_sub(INTERVAL)).unwrap_or(now)
    }

    /// A frame was drawn.
    pub fn drawn(&mut self, now: Instant) {
        self.paid = Some(self.paid.map_or(now, |paid| paid.max(now)) + INTERVAL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Milliseconds from the beginning at which frames are drawn that are wanted at these.
    fn drawn(wanted: &[u64]) -> Vec<u64> {
        let start = Instant::now();
        let mut cadence = Cadence::default();
        let mut now = start;
        let draw = |at: &u64| {
            now = now.max(start + Duration::from_millis(*at));
            now = now.max(cadence.due(now));
            cadence.drawn(now);
            u64::try_from((now - start).as_millis()).unwrap_or(u64::MAX)
        };
        wanted.iter().map(draw).collect()
    }

    #[test]
    fn two_frames_may_follow_each_other_after_a_rest() {
        assert_eq!(drawn(&[0, 1]), [0, 1]);
        assert_eq!(drawn(&[0, 1, 2]), [0, 1, 8]);
        assert_eq!(drawn(&[0, 1, 100, 103, 104]), [0, 1, 100, 103, 108]);
    }

    #[test]
    fn frames_without_a_rest_come_one_interval_after_the_other() {
        assert_eq!(drawn(&[0; 6]), [0, 0, 8, 16, 24, 32]);
        let all: Vec<u64> = (0..1000).collect();
        assert_eq!(drawn(&all).last(), Some(&(998 * 8)));
    }

    #[test]
    fn a_short_rest_saves_up_no_more_than_one_frame() {
        assert_eq!(drawn(&[0, 0, 10, 10, 10]), [0, 0, 10, 16, 24]);
        assert_eq!(drawn(&[0, 0, 500, 500, 500]), [0, 0, 500, 500, 508]);
    }
}
