//! What a trajectory is doing, in the words of the screens.
//!
//! Promises: one word for one state; a wait says for what and how long.

use crate::repair::event::{Awaited, StopReason};
use jiff::Timestamp;
use std::fmt;

/// What it does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum State {
    /// Nothing yet.
    #[default]
    Queued,
    /// The next prompt is laid out.
    Prompting,
    /// A request is on its way.
    Connecting,
    /// The model reasons.
    Thinking,
    /// The answer comes.
    Streaming,
    /// The answer is read.
    Extracting,
    /// What was read is laid into the tree.
    Applying,
    /// A sandbox is made.
    Preparing,
    /// The code is built, or its tests have begun and none has ended.
    Building,
    /// Tests run.
    Testing {
        /// How many have ended.
        done: u64,
        /// How many there are, where that is known.
        planned: Option<u64>,
    },
    /// The feedback is made.
    Feedback,
    /// The end is written down.
    Cleaning,
    /// It is over.
    Done(StopReason),
}

impl State {
    /// The state that a sandbox or a model is in when it says this; `None`: it waits for something.
    pub(super) fn of(word: Awaited) -> Option<State> {
        match word {
            Awaited::Connecting => Some(State::Connecting),
            Awaited::Thinking => Some(State::Thinking),
            Awaited::Preparing => Some(State::Preparing),
            Awaited::Applying => Some(State::Applying),
            Awaited::Building => Some(State::Building),
            Awaited::Testing => Some(State::Testing { done: 0, planned: None }),
            Awaited::Cleaning => Some(State::Cleaning),
            Awaited::Sandbox | Awaited::AnotherTry | Awaited::Person | Awaited::PersonsFeedback => None,
        }
    }

    /// Whether a model is asked.
    pub fn is_of_a_call(self) -> bool {
        matches!(self, State::Connecting | State::Thinking | State::Streaming)
    }

    /// Whether code is tested.
    pub fn is_of_a_test(self) -> bool {
        matches!(self, State::Preparing | State::Building | State::Testing { .. })
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let word = match self {
            State::Queued => "queued",
            State::Prompting => "prompting",
            State::Connecting => "connecting",
            State::Thinking => "thinking",
            State::Streaming => "streaming",
            State::Extracting => "extracting",
            State::Applying => "applying",
            State::Preparing => "preparing",
            State::Building => "building",
            State::Testing { done, planned: Some(of) } if done <= of => {
                return write!(f, "testing {done}/{of}");
            }
            State::Testing { done: 0, .. } => "testing",
            State::Testing { done, .. } => return write!(f, "testing {done}"),
            State::Feedback => "feedback",
            State::Cleaning => "cleaning",
            State::Done(_) => "done",
        };
        f.pad(word)
    }
}

/// What is waited for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wait {
    /// For what, untrusted in parts.
    pub what: String,
    /// Until when, where that is known.
    pub until: Option<Timestamp>,
}

impl Wait {
    /// Whether it waits for a person.
    pub fn is_pause(&self) -> bool {
        self.what == Awaited::Person.as_str()
    }

    /// In words: `paused`, `waiting for the key's rate limit (38 s)`.
    pub fn words(&self, now: Timestamp) -> String {
        if self.is_pause() {
            return "paused".to_owned();
        }
        let what = self.what.trim_start_matches("waiting for ").trim();
        // Some reasons are no things that one waits for.
        let mut words = match what.strip_prefix("waiting") {
            Some(_) => what.to_owned(),
            None => format!("waiting for {what}"),
        };
        if let Some(until) = self.until.filter(|until| *until > now) {
            let left = until.duration_since(now);
            let seconds = left.as_secs() + i64::from(left.subsec_nanos() > 0);
            words.push_str(&format!(" ({seconds} s)"));
        }
        words
    }
}
