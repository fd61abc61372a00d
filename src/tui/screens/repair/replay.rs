//! Playing a trajectory that was recorded, with its timing.
//!
//! Promises: no clock: time goes on by what each timer stands for, times the speed. Leaves to others: drawing.

use crate::repair::RunEvent;
use crate::repair::live::Live;
use jiff::{SignedDuration, Timestamp};
use std::time::Duration;

/// Time between two steps.
pub const STEP: Duration = Duration::from_millis(40);
/// Speeds that can be chosen, in quarters.
const SPEEDS: [u32; 8] = [1, 2, 4, 8, 16, 32, 64, 128];

/// The events, and how far they were played.
#[derive(Debug)]
pub struct Replay {
    events: Vec<RunEvent>,
    next: usize,
    now: Timestamp,
    speed: usize,
    /// Number of the timer that is awaited; 0: none.
    pub timer: u64,
    playing: bool,
}

impl Replay {
    /// Events, all of them played.
    pub fn new(events: Vec<RunEvent>) -> Replay {
        let now = events.last().map_or(Timestamp::UNIX_EPOCH, |event| event.at);
        let next = events.len();
        Replay { events, next, now, speed: 2, timer: 0, playing: false }
    }

    /// Whether there is something to play.
    pub fn can_play(&self) -> bool {
        !self.events.is_empty()
    }

    /// Whether time goes on, or is held in the middle.
    pub fn is_playing(&self) -> bool {
        self.playing || self.next < self.events.len()
    }

    /// Whether time goes on.
    pub fn is_moving(&self) -> bool {
        self.playing
    }

    /// The time that is played.
    pub fn now(&self) -> Timestamp {
        self.now
    }

    /// The speed: `1×`, `0.5×`.
    pub fn speed(&self) -> String {
        let quarters = SPEEDS.get(self.speed).copied().unwrap_or(4);
        if quarters.is_multiple_of(4) {
            format!("{}×", quarters / 4)
        } else {
            format!("{}×", f64::from(quarters) / 4.0)
        }
    }

    /// Faster or slower.
    pub fn change_speed(&mut self, faster: bool) {
        self.speed =
            if faster { (self.speed + 1).min(SPEEDS.len() - 1) } else { self.speed.saturating_sub(1) };
    }

    /// From the beginning.
    pub fn play(&mut self) {
        self.next = 0;
        self.now = self.events.first().map_or(Timestamp::UNIX_EPOCH, |event| event.at);
        self.playing = true;
    }

    /// Holds time, or lets it go on.
    pub fn hold(&mut self, hold: bool) {
        self.playing = !hold && self.next < self.events.len();
    }

    /// To the end at once.
    pub fn finish(&mut self, live: &mut Live) {
        for event in self.events.get(self.next..).unwrap_or_default() {
            live.hear(event);
        }
        self.next = self.events.len();
        self.now = self.events.last().map_or(self.now, |event| event.at);
        self.playing = false;
    }

    /// The next moment; says whether more follows.
    pub fn step(&mut self, live: &mut Live) -> bool {
        let quarters = i32::try_from(SPEEDS.get(self.speed).copied().unwrap_or(4)).unwrap_or(4);
        let step = SignedDuration::try_from(STEP).unwrap_or(SignedDuration::ZERO) * quarters / 4;
        self.now = self.now.checked_add(step).unwrap_or(self.now);
        while let Some(event) = self.events.get(self.next).filter(|event| event.at <= self.now) {
            live.hear(event);
            self.next += 1;
        }
        self.playing = self.next < self.events.len();
        self.playing
    }
}
