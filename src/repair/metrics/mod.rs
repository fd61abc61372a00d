//! What trajectories came to, counted.
//!
//! Promises: pure; every rate has its n; the order in which trajectories are added changes nothing. What the
//! infrastructure failed at is never counted as a failure of the model, and what a person stepped into is never counted
//! as its success. Leaves to others: reading trajectories (`runner`), showing counts (`cli`, `tui`), pass@k and
//! comparisons of runs.
//!
//! # The two denominators
//!
//! | name | which trajectories |
//! |---|---|
//! | `all` | every one, whatever became of it: a lower bound |
//! | `counted` | those in which the model had all its turns: without failures of the infrastructure, without what was not faulty, without those a person stepped into, without those that are not finished (running, cancelled, budget spent) |
//!
//! The hits are the same for both: trajectories that were repaired without a person.
//! `repair@k` is the share repaired within the first k turns, counted over all attempts of a trajectory.

mod rate;
mod spending;

#[cfg(test)]
mod tests;

pub use rate::Rate;
pub use spending::Spending;

use super::event::{StopReason, saw_reference};
use super::machine::{Trajectory, Turn};
use super::outcome::{ExtractionOutcome, Flag};
use crate::report::Verdict;
use std::collections::BTreeMap;

/// Counts by word.
pub type Counts = BTreeMap<&'static str, u64>;

/// A rate over each of the two denominators.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
pub struct Rates {
    /// Over every trajectory.
    pub all: Rate,
    /// Over those in which the model had all its turns.
    pub counted: Rate,
}

/// What trajectories came to.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tally {
    all: u64,
    counted: u64,
    ends: BTreeMap<StopReason, u64>,
    unfinished: u64,
    intervened: u64,
    intervened_repaired: u64,
    intervened_unfinished: u64,
    saw_reference: u64,
    /// By the number of the turn that repaired, from 1, over all attempts.
    repaired_at: BTreeMap<u32, u64>,
    turns: u64,
    extractions: Counts,
    applications: Counts,
    verdicts: Counts,
    flags: Counts,
    spending: Spending,
}

impl Tally {
    /// Nothing yet.
    pub fn new() -> Tally {
        Tally::default()
    }

    /// Adds a trajectory, finished or not.
    pub fn add(&mut self, trajectory: &Trajectory) {
        self.all += 1;
        self.saw_reference += u64::from(trajectory.turns.iter().any(|turn| saw_reference(&turn.exposure)));
        for turn in trajectory.turns.iter().filter(|turn| is_taken(turn)) {
            self.add_turn(turn);
        }
        for request in trajectory.turns.iter().flat_map(|turn| &turn.requests) {
            self.spending.add(request);
        }
        if trajectory.intervened {
            self.intervened += 1;
            self.intervened_repaired += u64::from(trajectory.stopped == Some(StopReason::Passed));
            self.intervened_unfinished += u64::from(trajectory.stopped.is_none());
            return;
        }
        let Some(reason) = trajectory.stopped else {
            self.unfinished += 1;
            return;
        };
        *self.ends.entry(reason).or_default() += 1;
        if !reason.is_excluded() && !reason.is_cut_short() {
            self.counted += 1;
        }
        if reason == StopReason::Passed {
            *self.repaired_at.entry(place_of_repair(trajectory)).or_default() += 1;
        }
    }

    fn add_turn(&mut self, turn: &Turn) {
        self.turns += 1;
        let count = |counts: &mut Counts, word: &'static str| *counts.entry(word).or_default() += 1;
        if let Some(outcome) = turn.extraction {
            count(&mut self.extractions, outcome.as_str());
        }
        if let Some(outcome) = turn.application {
            count(&mut self.applications, outcome.as_str());
        }
        if let Some(verdict) = turn.verdict {
            count(&mut self.verdicts, verdict.as_str());
        }
        for flag in &turn.flags {
            count(&mut self.flags, flag.as_str());
        }
    }

    /// Every trajectory that was added.
    pub fn all(&self) -> u64 {
        self.all
    }

    /// Those in which the model had all its turns.
    pub fn counted(&self) -> u64 {
        self.counted
    }

    /// Those that ended so, without a person.
    pub fn ended(&self, reason: StopReason) -> u64 {
        self.ends.get(&reason).copied().unwrap_or(0)
    }

    /// Those that were repaired.
    pub fn repaired(&self) -> Rates {
        self.rates(self.ended(StopReason::Passed))
    }

    /// Those in which the model took all its turns, or stopped by a rule of the run, without a repair.
    pub fn failed(&self) -> Rates {
        let reasons = [StopReason::Exhausted, StopReason::Repeat, StopReason::NoCode];
        self.rates(reasons.into_iter().map(|reason| self.ended(reason)).sum())
    }

    /// Those that were repaired within the first `k` turns.
    pub fn repaired_within(&self, k: u32) -> Rates {
        self.rates(self.repaired_at.range(..=k).map(|(_, count)| count).sum())
    }

    fn rates(&self, hits: u64) -> Rates {
        Rates { all: Rate { hits, n: self.all }, counted: Rate { hits, n: self.counted } }
    }

    /// Those that have no end yet, without a person.
    pub fn unfinished(&self) -> u64 {
        self.unfinished
    }

    /// Those that a person stepped into; they count in no other number of trajectories but `all`.
    pub fn intervened(&self) -> u64 {
        self.intervened
    }

    /// Of these, those whose last code passed.
    pub fn intervened_repaired(&self) -> u64 {
        self.intervened_repaired
    }

    /// Of these, those that have no end yet.
    pub fn intervened_unfinished(&self) -> u64 {
        self.intervened_unfinished
    }

    /// Those of which a prompt held text of the reference: never to be averaged with the others.
    pub fn saw_reference(&self) -> u64 {
        self.saw_reference
    }

    /// Turns that were taken: the n of the counts below.
    pub fn turns(&self) -> u64 {
        self.turns
    }

    /// What was got out of the answers, by word.
    pub fn extractions(&self) -> &Counts {
        &self.extractions
    }

    /// How it went into the tree, by word.
    pub fn applications(&self) -> &Counts {
        &self.applications
    }

    /// The verdicts on what was applied, by word.
    pub fn verdicts(&self) -> &Counts {
        &self.verdicts
    }

    /// What a reader should know beside these, by word.
    pub fn flags(&self) -> &Counts {
        &self.flags
    }

    /// Calls, tokens and money.
    pub fn spending(&self) -> &Spending {
        &self.spending
    }
}

impl<'a> FromIterator<&'a Trajectory> for Tally {
    fn from_iter<I: IntoIterator<Item = &'a Trajectory>>(trajectories: I) -> Tally {
        let mut tally = Tally::new();
        trajectories.into_iter().for_each(|trajectory| tally.add(trajectory));
        tally
    }
}

/// Whether the turn is one of the model's and was taken, as [`Trajectory::turns_taken`] means it.
fn is_taken(turn: &Turn) -> bool {
    turn.turn > 0 && (turn.answer.is_some() || turn.code.is_some())
}

/// Which turn repaired, from 1, over all attempts.
fn place_of_repair(trajectory: &Trajectory) -> u32 {
    let passed = |turn: &Turn| turn.turn > 0 && turn.verdict == Some(Verdict::Passed);
    let taken = trajectory.turns.iter().filter(|turn| is_taken(turn));
    let before = taken.take_while(|turn| !passed(turn)).count();
    u32::try_from(before).unwrap_or(u32::MAX).saturating_add(1)
}

/// The words of extraction in the order in which they are shown.
pub fn extraction_words() -> impl Iterator<Item = &'static str> {
    ExtractionOutcome::ALL.into_iter().map(ExtractionOutcome::as_str)
}

/// The words of flags in the order in which they are shown.
pub fn flag_words() -> [&'static str; 2] {
    [Flag::FromReasoning.as_str(), Flag::TouchedProtected.as_str()]
}
