//! Held keys and pasted text never answer by accident.
//!
//! Promises, with timers and without a clock:
//! 1. A key that comes within [`AT_ONCE`] of the one before is no press of a finger but part of a burst (text that was
//!    pasted without the terminal saying so): it answers nothing. Of a burst only the first key can answer.
//! 2. The same key again within [`HELD`] of its last press is a repeat: it answers nothing.
//! 3. A terminal repeats a held key after a quarter to three quarters of a second for the first time, and that one
//!    looks like a press. When the next repeat shows that it was none, and it had given an answer with the key of the
//!    answer before, that answer is taken back. So a held key answers one question at most.
//!
//! Leaves to others: what a key would answer, taking back.

use crate::keymap::Key;
use std::time::Duration;

/// Keys closer than this are no presses of a finger.
pub const AT_ONCE: Duration = Duration::from_millis(25);

/// The same key within this time is held.
pub const HELD: Duration = Duration::from_millis(120);

/// What a press is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Press {
    /// Of a finger.
    Fresh,
    /// Of a key that is held.
    Repeat,
    /// Of text that was pasted.
    Burst,
}

/// What came before.
#[derive(Debug, Default)]
pub struct Guard {
    last: Option<Key>,
    /// Number of the timer of [`AT_ONCE`]; 0: it has run out.
    at_once: u64,
    /// Number of the timer of [`HELD`]; 0: it has run out.
    held: u64,
    /// Key of the last answer.
    answered: Option<Key>,
    /// The last press gave an answer with the key of the answer before it.
    twice: bool,
}

impl Guard {
    /// A key is pressed, and two timers are started with these numbers. Says what the press is, and whether the answer
    /// of the press before is to be taken back.
    pub fn press(&mut self, key: Key, at_once: u64, held: u64) -> (Press, bool) {
        let same = self.last == Some(key) && self.held != 0;
        let press = match (self.at_once != 0, same) {
            (true, _) => Press::Burst,
            (false, true) => Press::Repeat,
            (false, false) => Press::Fresh,
        };
        let take_back = same && std::mem::take(&mut self.twice);
        self.twice = false;
        self.last = Some(key);
        (self.at_once, self.held) = (at_once, held);
        (press, take_back)
    }

    /// The press gave an answer.
    pub fn gave_answer(&mut self) {
        self.twice = self.answered.is_some() && self.answered == self.last;
        self.answered = self.last;
    }

    /// An answer was taken back: what comes next is no repetition of it.
    pub fn forget(&mut self) {
        self.answered = None;
        self.twice = false;
    }

    /// A timer has run out; says whether it was one of these.
    pub fn timer(&mut self, number: u64) -> bool {
        if number == self.at_once {
            self.at_once = 0;
        } else if number == self.held {
            self.held = 0;
        } else {
            return false;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use super::Press::{Burst, Fresh, Repeat};
    use super::*;

    /// Presses with the milliseconds between them, each of which answers if it is fresh: what they are, and how many
    /// answers are left.
    fn told(keys: &[(char, u64)]) -> (Vec<Press>, usize) {
        let mut guard = Guard::default();
        let mut answers = 0;
        let mut presses = Vec::new();
        for ((key, wait), number) in keys.iter().zip(1..) {
            for (timer, after) in [(guard.at_once, AT_ONCE), (guard.held, HELD)] {
                if timer != 0 && u128::from(*wait) >= after.as_millis() {
                    assert!(guard.timer(timer));
                }
            }
            let (press, take_back) = guard.press(Key::char(*key), 2 * number, 2 * number + 1);
            answers -= usize::from(take_back);
            if take_back {
                guard.forget();
            }
            if press == Fresh {
                guard.gave_answer();
                answers += 1;
            }
            presses.push(press);
        }
        (presses, answers)
    }

    #[test]
    fn a_held_key_answers_once() {
        let mut held = vec![('y', 900), ('y', 500)];
        held.extend([('y', 30); 20]);
        let (presses, answers) = told(&held);
        assert_eq!(presses[..4], [Fresh, Fresh, Repeat, Repeat]);
        assert_eq!(answers, 1);
        // Also behind an answer with another key, and one with the same.
        assert_eq!(told(&[&[('n', 900)], &held[..]].concat()).1, 2);
        assert_eq!(told(&[&[('y', 900)], &held[..]].concat()).1, 2);
    }

    #[test]
    fn of_a_burst_only_the_first_key_answers() {
        let (presses, answers) = told(&[('y', 900), ('1', 0), ('n', 1), ('y', 0), ('y', 24)]);
        assert_eq!(presses, [Fresh, Burst, Burst, Burst, Burst]);
        assert_eq!(answers, 1);
    }

    #[test]
    fn fingers_are_not_slowed_down() {
        let (presses, answers) = told(&[('y', 900), ('y', 200), ('n', 40), ('1', 40), ('y', 40), ('y', 121)]);
        assert_eq!(presses, [Fresh; 6]);
        assert_eq!(answers, 6);
    }

    #[test]
    fn timers_of_earlier_presses_mean_nothing() {
        let mut guard = Guard::default();
        guard.press(Key::char('y'), 2, 3);
        guard.press(Key::char('n'), 4, 5);
        assert!(!guard.timer(2) && !guard.timer(3));
        assert!(guard.timer(4));
        assert_eq!(guard.press(Key::char('n'), 6, 7).0, Repeat);
    }
}
