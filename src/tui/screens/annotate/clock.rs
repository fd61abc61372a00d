//! How long an item was looked at.
//!
//! Promises: seconds are counted by a timer that ticks once a second while somebody is there: after [`IDLE`] seconds
//! without a key it stops, and the next key starts it again. So of a longer pause the first minute counts and the rest
//! does not; on another screen nothing counts. Leaves to others: keeping the number.

use crate::tui::msg::Cmd;
use std::time::Duration;

/// Seconds without a key after which nobody is there.
pub const IDLE: u32 = 60;

const SECOND: Duration = Duration::from_secs(1);

/// The clock.
#[derive(Debug, Default)]
pub struct Clock {
    /// Number of the timer that runs; 0: none.
    ticking: u64,
    /// Seconds since the last key.
    idle: u32,
}

impl Clock {
    /// A key was pressed: somebody is there.
    pub fn touched(&mut self, number: impl FnOnce() -> u64) -> Option<Cmd> {
        self.idle = 0;
        if self.ticking != 0 {
            return None;
        }
        self.ticking = number();
        Some(Cmd::After(self.ticking, SECOND))
    }

    /// Another screen is shown.
    pub fn stop(&mut self) {
        self.ticking = 0;
    }

    /// A timer has run out; `None` if it is not this one, else a second has passed, and the next one begins.
    pub fn timer(&mut self, number: u64) -> Option<Option<Cmd>> {
        if number == 0 || number != self.ticking {
            return None;
        }
        self.idle += 1;
        if self.idle >= IDLE {
            self.ticking = 0;
            return Some(None);
        }
        Some(Some(Cmd::After(number, SECOND)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seconds(clock: &mut Clock, most: u32) -> u32 {
        (0..most).take_while(|_| clock.timer(7).is_some()).count() as u32
    }

    #[test]
    fn a_pause_counts_a_minute_at_most() {
        let mut clock = Clock::default();
        assert!(clock.touched(|| 7).is_some());
        assert_eq!(seconds(&mut clock, 40), 40);
        assert!(clock.touched(|| 8).is_none(), "it ticks already");
        assert_eq!(seconds(&mut clock, 500), 60, "a minute after the last key");
        assert!(clock.touched(|| 7).is_some());
        assert_eq!(seconds(&mut clock, 5), 5);
        clock.stop();
        assert_eq!(seconds(&mut clock, 5), 0);
    }
}
