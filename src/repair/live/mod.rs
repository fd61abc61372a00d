//! One trajectory as a screen shows it: a fold over its events, durable and transient.
//!
//! Promises: pure, bounded and without a clock: times come from the events alone. Any order of events is taken; what was
//! seen already is dropped. What durable events say ([`Facts`]) does not depend on the transient ones between them, so a
//! trajectory that was read later has the same turns as one that was watched. Texts are untrusted and as they came.
//! Leaves to others: the texts behind hashes (`runner`), laying anything out (`tui`).

mod blame;
mod facts;
mod passing;
mod state;

#[cfg(test)]
mod tests;

pub use blame::{Blame, Whose};
pub use facts::{Facts, Fault, Spent};
pub use passing::{Bounded, Flips, MOST_TEXT, Passing, Seen};
pub use state::{State, Wait};

use super::event::{Awaited, Call, Channel, RequestFault, RunEvent, StopReason, What};
use crate::report::Verdict;
use jiff::Timestamp;
use serde_json::Value;

/// Most turns that are kept apart: what a strategy can ask for at most, and more than a screen can show.
const MOST_TURNS: usize = 10_000;

/// A turn.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Turn {
    /// What durable events say of it.
    pub facts: Facts,
    /// What came beside them: the answer as it streams, tests as they finish, output.
    pub passing: Passing,
}

/// A trajectory as far as it was heard.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Live {
    turns: Vec<Turn>,
    state: State,
    wait: Option<Wait>,
    /// The call under way, where one is.
    call: Option<Call>,
    seen: u64,
    began: Option<Timestamp>,
    last: Option<Timestamp>,
    stopped: Option<(StopReason, String)>,
    intervened: bool,
}

impl Live {
    /// One that has heard nothing.
    pub fn new() -> Live {
        Live::default()
    }

    /// One that has heard these events.
    pub fn of<'a>(events: impl IntoIterator<Item = &'a RunEvent>) -> Live {
        let mut live = Live::new();
        events.into_iter().for_each(|event| live.hear(event));
        live
    }

    /// Takes an event in; one that was heard before, or comes too late, changes nothing.
    pub fn hear(&mut self, event: &RunEvent) {
        if event.seq <= self.seen {
            return;
        }
        self.seen = event.seq;
        self.began = self.began.or(Some(event.at));
        self.last = self.last.max(Some(event.at));
        if self.stopped.is_some() {
            return;
        }
        let Some(at) = self.slot(event.attempt, event.turn) else { return };
        if !matches!(event.what, What::Waiting(_) | What::Unknown { .. }) {
            self.wait = None;
        }
        self.follow(event);
        if let Some(turn) = self.turns.get_mut(at) {
            turn.facts.hear(event);
            turn.passing.hear(event);
        }
        match &event.what {
            What::Intervened(_) => self.intervened = true,
            What::Stopped(data) => self.stopped = Some((data.reason, data.detail.clone())),
            _ => {}
        }
    }

    /// What it does after this event.
    fn follow(&mut self, event: &RunEvent) {
        let state = match &event.what {
            What::PromptBuilt(data) => {
                self.call = Some(data.call);
                State::Connecting
            }
            What::RequestStarted(data) => {
                self.call = Some(data.call);
                State::Connecting
            }
            What::AnswerDelta(data) => match data.channel {
                Channel::Reasoning => State::Thinking,
                _ => State::Streaming,
            },
            What::AnswerFinished(data) => {
                if data.fault.is_some_and(|fault| fault != RequestFault::Aborted) {
                    self.wait = Some(Wait { what: Awaited::AnotherTry.to_string(), until: None });
                    State::Connecting
                } else if data.fault.is_some() {
                    State::Connecting
                } else {
                    match self.call.take() {
                        Some(Call::Preliminary(_)) => State::Prompting,
                        Some(Call::Helper) => State::Feedback,
                        _ => State::Extracting,
                    }
                }
            }
            What::Extracted(data) if data.usable => State::Applying,
            What::Applied(data) if data.code.is_some() => State::Preparing,
            What::Extracted(_) | What::Applied(_) => State::Feedback,
            What::BuildOutput(data) => match self.state {
                State::Testing { .. } => return,
                _ if data.other.get("stage").and_then(Value::as_str) == Some("test") => {
                    State::Testing { done: 0, planned: None }
                }
                _ => State::Building,
            },
            What::TestFinished(data) => State::Testing { done: data.done, planned: data.planned },
            What::Verified(data) => match data.verdict {
                Verdict::Passed => State::Cleaning,
                Verdict::InfraError => State::Preparing,
                _ => State::Feedback,
            },
            What::FeedbackMade(_) => State::Prompting,
            What::Intervened(data) => match data.action {
                super::event::Intervention::EditedCode => State::Preparing,
                super::event::Intervention::EditedPrompt => State::Connecting,
                super::event::Intervention::GaveFeedback => State::Prompting,
                super::event::Intervention::SwitchedModel => return,
            },
            What::Stopped(data) => State::Done(data.reason),
            What::Waiting(data) => {
                // What a sandbox or a model says of itself is a state, not something that is waited for.
                if let Some(state) = Awaited::of(&data.what).and_then(State::of) {
                    self.wait = None;
                    self.state = state;
                    return;
                }
                self.wait = Some(Wait { what: data.what.clone(), until: data.until });
                return;
            }
            What::Unknown { .. } => return,
        };
        self.state = state;
    }

    /// Where a turn lies; it is made where it is new.
    fn slot(&mut self, attempt: u32, turn: u32) -> Option<usize> {
        let found = self.turns.binary_search_by_key(&(attempt, turn), |known| known.position());
        match found {
            Ok(at) => Some(at),
            Err(_) if self.turns.len() >= MOST_TURNS => None,
            Err(at) => {
                let facts = Facts { attempt, turn, ..Facts::default() };
                self.turns.insert(at, Turn { facts, passing: Passing::default() });
                Some(at)
            }
        }
    }

    /// All turns in their order; the first is the buggy code.
    pub fn turns(&self) -> &[Turn] {
        &self.turns
    }

    /// A turn, to lay what was looked up into it.
    pub fn turn_mut(&mut self, at: usize) -> Option<&mut Turn> {
        self.turns.get_mut(at)
    }

    /// What it does, waiting apart.
    pub fn state(&self) -> State {
        self.state
    }

    /// What it waits for at this time; a wait whose end has come is over.
    pub fn waits(&self, now: Timestamp) -> Option<&Wait> {
        self.wait.as_ref().filter(|wait| wait.until.is_none_or(|until| until > now))
    }

    /// Whether it waits for a person.
    pub fn is_paused(&self) -> bool {
        self.wait.as_ref().is_some_and(Wait::is_pause)
    }

    /// A pause was ended; what comes next says what it does.
    pub fn went_on(&mut self) {
        if self.is_paused() {
            self.wait = None;
        }
    }

    /// The state in the words of the screens.
    pub fn words(&self, now: Timestamp) -> String {
        if let Some(wait) = self.waits(now) {
            return wait.words(now);
        }
        match self.call {
            Some(call) if self.state.is_of_a_call() && call != Call::Repair => {
                let who = if call == Call::Helper { "the helper".to_owned() } else { call.to_string() };
                format!("{} ({who})", self.state)
            }
            _ => self.state.to_string(),
        }
    }

    /// Whether the model was asked and what it answers is not tested yet: words of a person wait for that.
    pub fn is_turn_under_way(&self) -> bool {
        let answers = matches!(self.state, State::Extracting | State::Applying) || self.state.is_of_a_test();
        answers || (self.state.is_of_a_call() && self.call != Some(Call::Helper))
    }

    /// The call under way.
    pub fn call(&self) -> Option<Call> {
        self.call
    }

    /// Why it is over, and more about it.
    pub fn stopped(&self) -> Option<(StopReason, &str)> {
        self.stopped.as_ref().map(|(reason, detail)| (*reason, detail.as_str()))
    }

    /// Whether a person stepped in.
    pub fn intervened(&self) -> bool {
        self.intervened
    }

    /// Number of the newest event.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// When the first event happened.
    pub fn began(&self) -> Option<Timestamp> {
        self.began
    }

    /// When the newest event happened.
    pub fn last(&self) -> Option<Timestamp> {
        self.last
    }

    /// What all requests took together.
    pub fn spent(&self) -> Spent {
        self.turns.iter().fold(Spent::default(), |sum, turn| sum.and(&turn.facts.spent))
    }

    /// Whether the turn at this place is under way.
    pub fn is_under_way(&self, at: usize) -> bool {
        self.stopped.is_none() && at + 1 == self.turns.len()
    }

    /// The turn whose code stood before this one's: the newest of the attempt that was tested, else the buggy code.
    pub fn before(&self, at: usize) -> Option<usize> {
        let here = self.turns.get(at)?;
        let tested = |turn: &Turn| !turn.passing.tests.is_empty() || turn.facts.verdict.is_some();
        let same = |turn: &Turn| turn.facts.attempt == here.facts.attempt || turn.facts.turn == 0;
        (0..at).rev().find(|index| self.turns.get(*index).is_some_and(|turn| same(turn) && tested(turn)))
    }

    /// Tests that this turn has repaired, and those that it has broken, against the code before.
    pub fn flips(&self, at: usize) -> Flips {
        match (self.turns.get(at), self.before(at).and_then(|before| self.turns.get(before))) {
            (Some(now), Some(before)) => Flips::between(&before.passing.tests, &now.passing.tests),
            _ => Flips::default(),
        }
    }

    /// Whose a failure is, in one line; `None` for a turn that passed or is under way.
    pub fn blame(&self, at: usize) -> Option<Blame> {
        let turn = self.turns.get(at)?;
        let over = self.stopped.as_ref().filter(|_| at + 1 == self.turns.len());
        blame::blame(
            &turn.facts,
            self.is_under_way(at),
            over.map(|(reason, detail)| (*reason, detail.as_str())),
        )
    }

    /// Tokens a second of the turn's answer: counted where the server said so, estimated while it streams.
    pub fn rate(&self, at: usize) -> Option<f64> {
        let turn = self.turns.get(at)?;
        turn.facts.rate().or_else(|| turn.passing.rate())
    }

    /// Time to the first token of the turn's answer, milliseconds.
    pub fn first_token_ms(&self, at: usize) -> Option<u64> {
        let turn = self.turns.get(at)?;
        turn.facts.first_token_ms.or_else(|| turn.passing.first_token_ms())
    }
}

impl Turn {
    /// Attempt and turn.
    pub fn position(&self) -> (u32, u32) {
        (self.facts.attempt, self.facts.turn)
    }

    /// Tests that passed and tests that were executed: as the verdict counts them, else as they came.
    pub fn counts(&self) -> Option<(u64, u64)> {
        if self.facts.verdict.is_some() {
            return Some((self.facts.passed, self.facts.executed));
        }
        let executed = self.passing.tests.iter().filter(|test| test.status.is_executed()).count() as u64;
        let passed = self.passing.tests.iter().filter(|test| test.passes()).count() as u64;
        (executed > 0).then_some((passed, executed))
    }
}
