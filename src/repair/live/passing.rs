//! What comes beside the durable events: the answer as it streams, tests as they finish, output.
//!
//! Promises: bounded, and what was left out is counted. May also be filled from what was stored.

use crate::repair::event::{Call, Channel, RunEvent, What};
use crate::report::Status;
use jiff::Timestamp;
use std::collections::HashMap;

/// Longest text of an answer, a reasoning or an output that is kept, bytes.
pub const MOST_TEXT: usize = 512 << 10;
/// Most tests of a turn that are kept.
const MOST_TESTS: usize = 100_000;
/// Characters that make a token, about: only for the speed of an answer that still streams.
const PER_TOKEN: f64 = 3.8;
/// A speed is not told before so many milliseconds.
const LEAST: i128 = 400;

/// A text of which the beginning is kept.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bounded {
    text: String,
    left_out: usize,
}

impl Bounded {
    /// A text, cut where it is too long.
    pub fn new(text: &str) -> Bounded {
        let mut bounded = Bounded::default();
        bounded.push(text);
        bounded
    }

    fn push(&mut self, piece: &str) {
        let room = MOST_TEXT.saturating_sub(self.text.len());
        // What was once cut has no continuation.
        let end = if self.left_out > 0 { 0 } else { piece.floor_char_boundary(room.min(piece.len())) };
        let (kept, gone) = piece.split_at(end);
        self.text.push_str(kept);
        self.left_out = self.left_out.saturating_add(gone.len());
    }

    /// What is kept.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Bytes that are not.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// Whether nothing came.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty() && self.left_out == 0
    }
}

/// A test that has ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Seen {
    /// Its name, untrusted.
    pub id: String,
    /// What became of it.
    pub status: Status,
}

impl Seen {
    /// Whether it passed, or failed as it says it must.
    pub fn passes(&self) -> bool {
        matches!(self.status, Status::Passed | Status::ExpectedFailure)
    }
}

/// Tests whose result differs from that on the code before.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Flips {
    /// They failed before and pass now.
    pub repaired: Vec<String>,
    /// They passed before and do not now.
    pub broken: Vec<String>,
}

impl Flips {
    /// Between two lists of tests; a test that only one of them holds has not flipped.
    pub fn between(before: &[Seen], now: &[Seen]) -> Flips {
        let known: HashMap<&str, bool> =
            before.iter().map(|test| (test.id.as_str(), test.passes())).collect();
        let mut flips = Flips::default();
        for test in now {
            match (known.get(test.id.as_str()), test.passes()) {
                (Some(false), true) => flips.repaired.push(test.id.clone()),
                (Some(true), false) => flips.broken.push(test.id.clone()),
                _ => {}
            }
        }
        flips
    }

    /// Whether nothing has flipped.
    pub fn is_empty(&self) -> bool {
        self.repaired.is_empty() && self.broken.is_empty()
    }
}

/// What came of a turn beside its facts.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Passing {
    /// The answer so far.
    pub answer: Bounded,
    /// The reasoning so far.
    pub reasoning: Bounded,
    /// Tests that have ended, in their order.
    pub tests: Vec<Seen>,
    /// How many tests there are, where that is known.
    pub planned: Option<u64>,
    /// What builds and tests printed.
    pub output: Bounded,
    by_id: HashMap<String, usize>,
    asked: Option<Timestamp>,
    first: Option<Timestamp>,
    newest: Option<Timestamp>,
    characters: u64,
}

impl Passing {
    /// An event of this turn.
    pub(super) fn hear(&mut self, event: &RunEvent) {
        match &event.what {
            // Every try begins anew: no text of one that failed stays.
            What::RequestStarted(data) if data.call == Call::Repair => {
                (self.answer, self.reasoning) = (Bounded::default(), Bounded::default());
                (self.asked, self.first, self.newest, self.characters) = (Some(event.at), None, None, 0);
            }
            What::AnswerDelta(data) if data.call == Call::Repair => {
                match data.channel {
                    Channel::Reasoning => self.reasoning.push(&data.text),
                    _ => self.answer.push(&data.text),
                }
                self.first = self.first.or(Some(event.at));
                self.newest = Some(event.at);
                self.characters = self.characters.saturating_add(data.text.chars().count() as u64);
            }
            // What is tested next has results of its own.
            What::Applied(_) | What::Intervened(_) => self.forget_tests(),
            What::BuildOutput(data) => self.output.push(&data.text),
            What::TestFinished(data) => {
                self.planned = data.planned.or(self.planned);
                self.test(&data.id, data.status);
            }
            _ => {}
        }
    }

    fn forget_tests(&mut self) {
        self.tests.clear();
        self.by_id.clear();
        self.planned = None;
        self.output = Bounded::default();
    }

    fn test(&mut self, id: &str, status: Status) {
        if let Some(at) = self.by_id.get(id)
            && let Some(test) = self.tests.get_mut(*at)
        {
            test.status = test.status.max(status);
            return;
        }
        if self.tests.len() < MOST_TESTS {
            self.by_id.insert(id.to_owned(), self.tests.len());
            self.tests.push(Seen { id: id.to_owned(), status });
        }
    }

    /// Tests as a report has them, in the place of those that were heard of.
    pub fn set_tests<'a>(&mut self, tests: impl IntoIterator<Item = (&'a str, Status)>) {
        self.tests.clear();
        self.by_id.clear();
        for (id, status) in tests {
            self.test(id, status);
        }
    }

    /// Time to the first token, milliseconds, as it was seen.
    pub(super) fn first_token_ms(&self) -> Option<u64> {
        let spent = self.first?.duration_since(self.asked?);
        u64::try_from(spent.as_millis()).ok()
    }

    /// Tokens a second, estimated.
    pub(super) fn rate(&self) -> Option<f64> {
        let spent = self.newest?.duration_since(self.first?).as_millis();
        // Counts are far below 2^53.
        #[allow(clippy::cast_precision_loss)]
        (spent >= LEAST).then(|| self.characters as f64 / PER_TOKEN * 1000.0 / spent as f64)
    }
}
