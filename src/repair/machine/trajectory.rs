//! What is known of a trajectory: its turns, and what became of each.
//!
//! Promises: a fold over durable events, complete enough for lists, metrics and the live screen.
//! Leaves to others: the texts behind the hashes (`store`), rates over many trajectories (`repair::metrics`).

use super::effect::Code;
use crate::repair::event::{Call, ContentHash, Exposures, StopReason, Usage};
use crate::repair::form::FinishReason;
use crate::repair::outcome::{ApplicationOutcome, ExtractionOutcome, Flag};
use crate::report::Verdict;
use std::collections::BTreeSet;

/// A request that has ended.
#[derive(Debug, Clone, PartialEq)]
pub struct Request {
    /// Which call.
    pub call: Call,
    /// Name of the model; empty for an answer whose start was not stored.
    pub model: String,
    /// Whether it gave an answer.
    pub answered: bool,
    /// What it took.
    pub usage: Usage,
    /// Whether its cost is an estimate: no usage was told.
    pub estimated: bool,
    /// Whether a process that is gone had it under way.
    pub lost: bool,
    /// Whether it failed before anything of it was sent.
    pub unsent: bool,
}

/// One turn.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Turn {
    /// Its attempt; 0 for the buggy code.
    pub attempt: u32,
    /// Its number in the attempt; 0 for the buggy code.
    pub turn: u32,
    /// The feedback that its prompt was told, and what that gives away.
    pub told: Option<(ContentHash, Exposures)>,
    /// The prompt of the call that answers.
    pub prompt: Option<ContentHash>,
    /// The answer.
    pub answer: Option<ContentHash>,
    /// How the answer ended.
    pub finish: FinishReason,
    /// All requests that have ended, faults included.
    pub requests: Vec<Request>,
    /// What was got out of the answer.
    pub extraction: Option<ExtractionOutcome>,
    /// How it went into the tree.
    pub application: Option<ApplicationOutcome>,
    /// What a reader should know beside the two.
    pub flags: BTreeSet<Flag>,
    /// The code that this turn applied; `None`: the code is as before.
    pub code: Option<ContentHash>,
    /// Whether a person wrote that code.
    pub is_persons_code: bool,
    /// The verdict on that code; `None`: there was no new code, or it is not there yet.
    pub verdict: Option<Verdict>,
    /// Tests that passed, and tests that were executed.
    pub counts: Option<(u64, u64)>,
    /// The report on it.
    pub report: Option<ContentHash>,
    /// The feedback on it.
    pub feedback: Option<ContentHash>,
    /// What the feedback gives away.
    pub feedback_exposure: Exposures,
    /// What the prompt of this turn, and all before it in the attempt, gave away.
    pub exposure: Exposures,
    /// Whether a person stepped in.
    pub intervened: bool,
}

/// A trajectory as far as it has come.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Trajectory {
    /// All turns in their order; the first is the buggy code.
    pub turns: Vec<Turn>,
    /// Whether a person stepped in: such trajectories are counted apart.
    pub intervened: bool,
    /// Why it is over.
    pub stopped: Option<StopReason>,
}

impl Trajectory {
    /// The turn that passed, as attempt and turn.
    pub fn repaired_at(&self) -> Option<(u32, u32)> {
        let passed = |turn: &&Turn| turn.turn > 0 && turn.verdict == Some(Verdict::Passed);
        self.turns.iter().find(passed).map(|turn| (turn.attempt, turn.turn))
    }

    /// How many turns of the model were taken, whatever came of them: those whose answer is there, or whose code
    /// a person wrote.
    pub fn turns_taken(&self) -> u32 {
        let taken =
            self.turns.iter().filter(|turn| turn.turn > 0 && (turn.answer.is_some() || turn.code.is_some()));
        u32::try_from(taken.count()).unwrap_or(u32::MAX)
    }

    /// Whether metrics leave it out by default: the infrastructure failed, there was nothing to repair, or a
    /// person stepped in.
    pub fn is_excluded(&self) -> bool {
        self.intervened || self.stopped.is_some_and(StopReason::is_excluded)
    }

    /// The newest code that an attempt has applied.
    pub fn newest_code(&self, attempt: u32) -> Code {
        let turns = self.turns.iter().rev().filter(|turn| turn.attempt == attempt && turn.turn > 0);
        turns
            .filter_map(|turn| Some((turn, turn.code.clone()?)))
            .map(|(turn, code)| Code::Applied { attempt, turn: turn.turn, code })
            .next()
            .unwrap_or(Code::Buggy)
    }

    /// Sum of what all requests cost, US dollars; `None` where one of them has no price.
    pub fn usd(&self) -> Option<f64> {
        self.turns.iter().flat_map(|turn| &turn.requests).map(|request| request.usage.usd).sum()
    }
}
