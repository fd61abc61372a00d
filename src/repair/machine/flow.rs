//! From one step to the next, as long as nobody steps in.
//!
//! Promises: what an event needs is checked before anything changes.

use super::effect::{Code, Effect, Exchange, Subject};
use super::step::Step;
use super::trajectory::Turn;
use super::{Follows, Machine, MachineError, StopRule};
use crate::repair::cell::{FeedbackSource, needs_helper};
use crate::repair::event::{
    Applied, Call, ContentHash, Exposures, Extracted, FeedbackMade, PromptBuilt, RequestStarted, RunEvent,
    StopReason, Verified,
};
use crate::repair::form::FinishReason;
use crate::repair::outcome::ApplicationOutcome;
use crate::report::Verdict;

impl Machine {
    pub(super) fn build_prompt(&self, call: Call, preliminary: &[ContentHash]) -> Effect {
        let (attempt, turn) = self.position();
        let now = self.trajectory.turns.last();
        let is_helper = call == Call::Helper;
        let continues = if is_helper { None } else { self.exchange() };
        let restate_code = continues.as_ref().is_some_and(|(from, _)| {
            let later = |known: &&Turn| known.attempt == attempt && known.turn >= *from;
            self.trajectory.turns.iter().filter(later).any(|known| known.is_persons_code)
        });
        Effect::BuildPrompt {
            attempt,
            turn,
            call,
            code: self.code(),
            report: now.filter(|_| is_helper).and_then(|now| now.report.clone()),
            feedback: now.filter(|_| !is_helper).and_then(|now| now.told.clone()),
            preliminary: preliminary.to_vec(),
            continues: continues.map(|(_, exchange)| exchange),
            restate_code,
        }
    }

    /// The last exchange of the attempt, with its turn, where the strategy keeps messages.
    fn exchange(&self) -> Option<(u32, Exchange)> {
        let (attempt, turn) = self.position();
        if !self.plan.strategy.keeps_messages() {
            return None;
        }
        let before = |known: &&Turn| known.attempt == attempt && known.turn < turn;
        self.trajectory.turns.iter().rev().filter(before).find_map(|known| {
            let exchange = Exchange { prompt: known.prompt.clone()?, answer: known.answer.clone()? };
            Some((known.turn, exchange))
        })
    }

    /// What feedback on the turn under way is about.
    pub(super) fn subject(&self) -> Subject {
        match self.trajectory.turns.last() {
            Some(now) if now.turn > 0 && now.code.is_none() => Subject::Unusable {
                extraction: now.extraction.unwrap_or(crate::repair::outcome::ExtractionOutcome::Empty),
                application: now.application,
                earlier: self.earlier_feedback(),
            },
            now => Subject::Verified { code: self.code(), report: now.and_then(|now| now.report.clone()) },
        }
    }

    /// The feedback on the code that still stands.
    fn earlier_feedback(&self) -> Option<(ContentHash, Exposures)> {
        let at = match self.code() {
            Code::Buggy => (0, 0),
            Code::Applied { attempt, turn, .. } => (attempt, turn),
        };
        let of = |known: &&Turn| (known.attempt, known.turn) == at;
        let known = self.trajectory.turns.iter().find(of)?;
        Some((known.feedback.clone()?, known.feedback_exposure.clone()))
    }

    pub(super) fn prompt_built(
        &mut self,
        event: &RunEvent,
        data: &PromptBuilt,
    ) -> Result<Follows, MachineError> {
        let preliminary = match &self.step {
            Step::Prompt { call, preliminary } if *call == data.call => preliminary.clone(),
            _ => return Err(self.not_expected(event)),
        };
        if data.call != Call::Helper {
            let turn = self.turn();
            // What the helper sees reaches the model through the feedback alone, which says so itself.
            turn.exposure.extend(&data.exposure);
            let told: Vec<_> = turn.told.iter().flat_map(|(_, exposure)| exposure).copied().collect();
            turn.exposure.extend(told);
            if data.call == Call::Repair {
                turn.prompt = Some(data.prompt.clone());
            }
        }
        let prompt = data.prompt.clone();
        Ok(self.go(Step::Ask { call: data.call, prompt, preliminary, request: None }))
    }

    pub(super) fn request_started(
        &mut self,
        event: &RunEvent,
        data: &RequestStarted,
    ) -> Result<Follows, MachineError> {
        if self.open.iter().any(|(request, _)| *request == data.request) {
            let why = "a request with this id is under way: every try needs an id of its own";
            return Err(MachineError::Malformed { event: event.to_string(), why });
        }
        match &mut self.step {
            // A second start: the first was lost in a crash.
            Step::Ask { call, request, .. } if *call == data.call => {
                *request = Some(data.request.clone());
                self.open.push((data.request.clone(), data.model.clone()));
                Ok(Follows::Nothing)
            }
            _ => Err(self.not_expected(event)),
        }
    }

    /// A call was answered.
    pub(super) fn answered(&mut self, call: Call, answer: ContentHash, finish: FinishReason) -> Follows {
        let mut preliminary = match &mut self.step {
            Step::Ask { preliminary, .. } => std::mem::take(preliminary),
            _ => Vec::new(),
        };
        match call {
            Call::Helper => self.go(Step::Feedback { helper: Some(answer) }),
            Call::Preliminary(number) => {
                preliminary.push(answer);
                let more = number < self.plan.preliminary;
                let call = if more { Call::Preliminary(number + 1) } else { Call::Repair };
                self.go(Step::Prompt { call, preliminary })
            }
            Call::Repair => {
                let turn = self.turn();
                (turn.answer, turn.finish) = (Some(answer.clone()), finish);
                self.go(Step::Extract { answer })
            }
        }
    }

    pub(super) fn extracted(&mut self, event: &RunEvent, data: &Extracted) -> Result<Follows, MachineError> {
        let Step::Extract { answer } = &self.step else { return Err(self.not_expected(event)) };
        let answer = answer.clone();
        let turn = self.turn();
        turn.extraction = Some(data.outcome);
        turn.flags.extend(&data.flags);
        Ok(if data.usable {
            self.go(Step::Apply { answer, extraction: data.extraction.clone() })
        } else {
            self.unusable()
        })
    }

    pub(super) fn applied(&mut self, event: &RunEvent, data: &Applied) -> Result<Follows, MachineError> {
        if !matches!(self.step, Step::Apply { .. }) {
            return Err(self.not_expected(event));
        }
        let is_rejected = data.outcome == ApplicationOutcome::Rejected;
        if is_rejected == data.code.is_some() {
            let why = "there is code unless the outcome is `rejected`";
            return Err(MachineError::Malformed { event: event.to_string(), why });
        }
        let turn = self.turn();
        turn.application = Some(data.outcome);
        turn.flags.extend(&data.flags);
        turn.code.clone_from(&data.code);
        Ok(if is_rejected { self.unusable() } else { self.go(Step::Verify) })
    }

    pub(super) fn verified(&mut self, event: &RunEvent, data: &Verified) -> Result<Follows, MachineError> {
        if self.step != Step::Verify {
            return Err(self.not_expected(event));
        }
        let is_buggy = self.position().1 == 0;
        if let (Some(tested), Code::Applied { code, .. }) = (&data.code, self.code())
            && *tested != code
        {
            let why = "the code that was tested is not the code of the turn";
            return Err(MachineError::Malformed { event: event.to_string(), why });
        }
        if data.verdict == Verdict::InfraError {
            return Ok(self.failed(false));
        }
        let turn = self.turn();
        turn.verdict = Some(data.verdict);
        turn.counts = Some((data.passed, data.executed));
        turn.report.clone_from(&data.report);
        if is_buggy {
            turn.code.clone_from(&data.code);
        }
        Ok(match (data.verdict, is_buggy) {
            (Verdict::Passed, true) => self.go(Step::Stop(StopReason::NotFaulty)),
            (Verdict::Passed, false) => self.go(Step::Stop(StopReason::Passed)),
            (_, true) => self.after_turn(),
            (_, false) if self.stops_on(StopRule::Repeat) && self.is_repeat() => {
                self.end_attempt(StopReason::Repeat)
            }
            (_, false) => self.after_turn(),
        })
    }

    pub(super) fn feedback_made(
        &mut self,
        event: &RunEvent,
        data: &FeedbackMade,
    ) -> Result<Follows, MachineError> {
        if !matches!(self.step, Step::Feedback { .. }) {
            return Err(self.not_expected(event));
        }
        let source = self.plan.source_at(self.position().1);
        if Some(data.kind) != self.plan.feedback || data.source != source {
            let why =
                "its kind or source is not the one that was wanted; a person's words come as `intervened`";
            return Err(MachineError::Malformed { event: event.to_string(), why });
        }
        Ok(self.tell(data.text.clone(), data.exposure.clone()))
    }

    /// Feedback on the turn under way is there.
    pub(super) fn tell(&mut self, text: ContentHash, exposure: Exposures) -> Follows {
        let turn = self.turn();
        turn.feedback = Some(text);
        turn.feedback_exposure = exposure;
        self.next_turn()
    }

    fn stops_on(&self, rule: StopRule) -> bool {
        self.plan.rules.stop_on.contains(&rule)
    }

    /// Whether the turn's code was there before in the attempt, or is the buggy code.
    fn is_repeat(&self) -> bool {
        let Some((now, before)) = self.trajectory.turns.split_last() else { return false };
        let same = |known: &Turn| {
            (known.attempt == now.attempt || known.turn == 0)
                && known.code.is_some()
                && known.code == now.code
        };
        now.application == Some(ApplicationOutcome::NoOp) || before.iter().any(same)
    }

    /// Nothing of the answer could be used; the turn counts.
    fn unusable(&mut self) -> Follows {
        if self.stops_on(StopRule::NoCode) { self.end_attempt(StopReason::NoCode) } else { self.after_turn() }
    }

    /// The turn did not repair: feedback on it and the next turn, or the next attempt, or the end.
    fn after_turn(&mut self) -> Follows {
        let (_, turn) = self.position();
        if turn >= self.plan.strategy.turns() {
            return self.end_attempt(StopReason::Exhausted);
        }
        let Some(kind) = self.plan.feedback else { return self.next_turn() };
        let is_written = needs_helper(kind) && self.plan.source_at(turn) == FeedbackSource::Fresh;
        if is_written && matches!(self.subject(), Subject::Verified { .. }) {
            return self.go(Step::Prompt { call: Call::Helper, preliminary: Vec::new() });
        }
        self.go(Step::Feedback { helper: None })
    }

    fn next_turn(&mut self) -> Follows {
        let (attempt, turn) = self.position();
        self.begin(attempt.max(1), turn + 1)
    }

    fn end_attempt(&mut self, reason: StopReason) -> Follows {
        let (attempt, _) = self.position();
        if attempt < self.plan.strategy.attempts() {
            return self.begin(attempt + 1, 1);
        }
        self.go(Step::Stop(reason))
    }

    /// Begins a turn; the first of an attempt is told about the buggy code, every other about the one before.
    fn begin(&mut self, attempt: u32, turn: u32) -> Follows {
        let turns = &self.trajectory.turns;
        let before = if turn == 1 { turns.first() } else { turns.last() };
        let told =
            before.and_then(|before| Some((before.feedback.clone()?, before.feedback_exposure.clone())));
        let exposure = before.filter(|_| turn > 1).map(|before| before.exposure.clone()).unwrap_or_default();
        self.trajectory.turns.push(Turn { attempt, turn, told, exposure, ..Turn::default() });
        self.ask()
    }

    /// The first call of the turn under way.
    pub(super) fn ask(&mut self) -> Follows {
        let is_anew = self.exchange().is_none();
        let call = if is_anew && self.plan.preliminary > 0 { Call::Preliminary(1) } else { Call::Repair };
        self.go(Step::Prompt { call, preliminary: Vec::new() })
    }
}
