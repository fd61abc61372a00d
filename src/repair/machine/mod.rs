//! The repair loop as a state machine: durable events in, effects out.
//!
//! Promises: no I/O and no clock. The state is a fold over the durable events of one trajectory, so resuming is feeding
//! them to a new machine: [`Machine::pending`] is then what it was before the crash, and no call whose answer is
//! stored is wanted again. An event that cannot follow is an error and changes nothing; nothing panics.
//! Leaves to others: doing the effects, waiting before a try is repeated, money and queues (`runner`).
//!
//! # How it goes
//!
//! - Turn 0 of attempt 0 is the buggy code's own verification and the feedback on it; when it passes there is nothing
//!   to repair, and the trajectory stops as `not-faulty`.
//! - A turn is prompt, answer, extraction, application, verification. A turn without usable code counts, the
//!   newest applied code stays, and its feedback says why nothing could be used. Code with syntax errors is tested: the
//!   verdict decides.
//! - `iterative` builds every prompt anew from the newest applied code. `conversation` goes on from the last exchange
//!   of the attempt; each attempt begins at the buggy code, with the feedback on it.
//! - Feedback is made only where a prompt will hold it: not after the last turn of an attempt, not where the section is
//!   left out.
//! - A request without answer and a verdict `infra-error` are never the model's: the same effect is wanted again, until
//!   [`Rules::tries`] failures in a row stop the trajectory as `infrastructure`. A fault that trying again cannot mend
//!   stops it at once; one that was asked for (`aborted`) does not count.
//! - `budget` and `cancelled` come from outside, as `stopped` at any time but after the machine has itself found an end.
//! - Exposure is inherited within an attempt: what one prompt gave away, later code and answers may show.

mod effect;
mod error;
mod flow;
mod person;
mod plan;
mod step;
mod trajectory;

#[cfg(test)]
mod tests;

pub use effect::{Code, Effect, Exchange, Subject};
pub use error::MachineError;
pub use plan::{Rules, StopRule};
pub use trajectory::{Request, Trajectory, Turn};

use super::cell::Cell;
use super::event::{AnswerFinished, Call, ContentHash, RequestFault, RunEvent, StopReason, Stopped, What};
use plan::Plan;
use step::Step;
use uuid::Uuid;

/// The state of one trajectory.
#[derive(Debug, Clone, PartialEq)]
pub struct Machine {
    plan: Plan,
    run: Uuid,
    id: Uuid,
    /// Number of the newest event.
    seen: u64,
    /// Name of the model that is asked, which a person may have switched.
    model: String,
    step: Step,
    /// Requests that were started and have not ended, with their models.
    open: Vec<(String, String)>,
    /// Failures of the infrastructure in a row at this step.
    failures: u32,
    trajectory: Trajectory,
}

impl Machine {
    /// A machine before its first event.
    pub fn new(cell: &Cell, rules: Rules, run: Uuid, trajectory: Uuid) -> Machine {
        Machine {
            plan: Plan::new(cell, rules),
            run,
            id: trajectory,
            seen: 0,
            model: cell.model.clone(),
            step: Step::Verify,
            open: Vec::new(),
            failures: 0,
            trajectory: Trajectory { turns: vec![Turn::default()], ..Trajectory::default() },
        }
    }

    /// A machine that has seen these events.
    ///
    /// # Errors
    ///
    /// One of them cannot follow those before it.
    pub fn resume<'a>(
        cell: &Cell,
        rules: Rules,
        run: Uuid,
        trajectory: Uuid,
        events: impl IntoIterator<Item = &'a RunEvent>,
    ) -> Result<Machine, MachineError> {
        let mut machine = Machine::new(cell, rules, run, trajectory);
        for event in events {
            machine.on(event)?;
        }
        Ok(machine)
    }

    /// Takes an event and says what follows from it. Transient events and unknown kinds change nothing.
    ///
    /// # Errors
    ///
    /// The event cannot follow; the machine is as it was.
    pub fn on(&mut self, event: &RunEvent) -> Result<Vec<Effect>, MachineError> {
        self.check(event)?;
        let follows = match &event.what {
            What::PromptBuilt(data) => self.prompt_built(event, data)?,
            What::RequestStarted(data) => self.request_started(event, data)?,
            What::AnswerFinished(data) => self.answer_finished(event, data)?,
            What::Extracted(data) => self.extracted(event, data)?,
            What::Applied(data) => self.applied(event, data)?,
            What::Verified(data) => self.verified(event, data)?,
            What::FeedbackMade(data) => self.feedback_made(event, data)?,
            What::Intervened(data) => self.intervened(event, data)?,
            What::Stopped(data) => self.stopped(event, data)?,
            What::AnswerDelta(_)
            | What::BuildOutput(_)
            | What::TestFinished(_)
            | What::Waiting(_)
            | What::Unknown { .. } => Follows::Nothing,
        };
        self.seen = event.seq;
        Ok(match follows {
            Follows::Nothing => Vec::new(),
            Follows::Effects => self.pending(),
        })
    }

    /// What is to be done now; empty when the trajectory is over. After a crash this is where to go on.
    pub fn pending(&self) -> Vec<Effect> {
        let (attempt, turn) = self.position();
        let effect = match &self.step {
            Step::Verify => Effect::Verify { attempt, turn, code: self.code() },
            Step::Prompt { call, preliminary } => self.build_prompt(*call, preliminary),
            Step::Ask { call, prompt, .. } => Effect::Ask {
                attempt,
                turn,
                call: *call,
                model: if *call == Call::Helper { self.plan.helper.clone() } else { self.model.clone() },
                prompt: prompt.clone(),
            },
            Step::Extract { answer } => {
                Effect::Extract { attempt, turn, answer: answer.clone(), code: self.code() }
            }
            Step::Apply { answer, extraction } => Effect::Apply {
                attempt,
                turn,
                answer: answer.clone(),
                extraction: extraction.clone(),
                onto: self.code(),
            },
            Step::Feedback { helper } => match self.plan.feedback {
                Some(kind) => Effect::MakeFeedback {
                    attempt,
                    turn,
                    kind,
                    source: self.plan.source_at(turn),
                    subject: self.subject(),
                    helper: helper.clone(),
                },
                // Not reached: without feedback there is no such step.
                None => return Vec::new(),
            },
            Step::Stop(reason) => Effect::Stop { reason: *reason },
            Step::Over(_) => return Vec::new(),
        };
        vec![effect]
    }

    /// Attempt and turn under way: those that the next event must carry.
    pub fn position(&self) -> (u32, u32) {
        self.trajectory.turns.last().map_or((0, 0), |turn| (turn.attempt, turn.turn))
    }

    /// The trajectory as far as it has come.
    pub fn trajectory(&self) -> &Trajectory {
        &self.trajectory
    }

    /// Number of the newest event; the next one's is greater.
    pub fn seen(&self) -> u64 {
        self.seen
    }

    /// How often the step under way has failed for reasons that are not the model's.
    pub fn failures(&self) -> u32 {
        self.failures
    }

    /// Name of the model that is asked.
    pub fn model(&self) -> &str {
        &self.model
    }

    /// Requests that were started and have not ended, each with the name of its model.
    pub fn open_requests(&self) -> &[(String, String)] {
        &self.open
    }

    /// The call that an answer is waited for, and its prompt.
    pub fn asked(&self) -> Option<(Call, &ContentHash)> {
        match &self.step {
            Step::Ask { call, prompt, .. } => Some((*call, prompt)),
            _ => None,
        }
    }

    /// The event that is waited for, in words for people.
    pub fn waits_for(&self) -> String {
        self.step.waits_for()
    }

    /// Whether nothing follows.
    pub fn is_over(&self) -> bool {
        matches!(self.step, Step::Over(_))
    }

    /// Checks what holds for every event.
    fn check(&self, event: &RunEvent) -> Result<(), MachineError> {
        if (event.run, event.trajectory) != (self.run, self.id) {
            let (found, own) = (event.trajectory, self.id);
            return Err(MachineError::OtherTrajectory { event: event.to_string(), found, own });
        }
        if event.seq <= self.seen {
            return Err(MachineError::OutOfOrder { event: event.to_string(), last: self.seen });
        }
        if matches!(event.what, What::Unknown { .. }) || !event.is_durable() {
            return Ok(());
        }
        if let Step::Over(reason) = self.step {
            return Err(MachineError::Over { event: event.to_string(), reason });
        }
        let (attempt, turn) = self.position();
        if (event.attempt, event.turn) != (attempt, turn) {
            return Err(MachineError::OtherTurn { event: event.to_string(), attempt, turn });
        }
        Ok(())
    }

    fn not_expected(&self, event: &RunEvent) -> MachineError {
        MachineError::NotExpected { event: event.to_string(), waits_for: self.step.waits_for() }
    }

    /// The newest code of the attempt under way.
    fn code(&self) -> Code {
        self.trajectory.newest_code(self.position().0)
    }

    /// The turn under way. There always is one.
    fn turn(&mut self) -> &mut Turn {
        if self.trajectory.turns.is_empty() {
            self.trajectory.turns.push(Turn::default());
        }
        let last = self.trajectory.turns.len() - 1;
        &mut self.trajectory.turns[last]
    }

    /// A failure of the infrastructure at this step.
    fn failed(&mut self, is_final: bool) -> Follows {
        self.failures += 1;
        if is_final || self.failures >= self.plan.rules.tries {
            self.step = Step::Stop(StopReason::Infrastructure);
        }
        Follows::Effects
    }

    /// The next step.
    fn go(&mut self, step: Step) -> Follows {
        self.step = step;
        self.failures = 0;
        Follows::Effects
    }

    fn answer_finished(&mut self, event: &RunEvent, data: &AnswerFinished) -> Result<Follows, MachineError> {
        let malformed = |why| MachineError::Malformed { event: event.to_string(), why };
        if data.answer.is_some() == data.fault.is_some() {
            return Err(malformed("either an answer or a fault, and not both"));
        }
        let waits_for = self.step.waits_for();
        let Some(at) = self.open.iter().position(|(request, _)| *request == data.request) else {
            let found = data.request.clone();
            return Err(MachineError::OtherRequest { event: event.to_string(), found, waits_for });
        };
        let is_under_way = matches!(&self.step, Step::Ask { call, request: Some(request), .. }
            if *call == data.call && *request == data.request);
        if !is_under_way && data.fault.is_none() {
            return Err(MachineError::NotExpected { event: event.to_string(), waits_for });
        }
        let (_, model) = self.open.swap_remove(at);
        let request = Request {
            call: data.call,
            model,
            answered: data.answer.is_some(),
            usage: data.usage,
            estimated: data.is_marked("cost_estimated"),
            lost: data.is_marked("lost"),
            unsent: data.is_marked("unsent"),
        };
        self.turn().requests.push(request);
        if !is_under_way {
            // A request that a person or a crash made void has ended; it was billed, and that is all.
            return Ok(Follows::Nothing);
        }
        match (&data.answer, data.fault) {
            (Some(answer), _) => Ok(self.answered(data.call, answer.clone(), data.finish)),
            (None, Some(RequestFault::Aborted)) => {
                self.forget_request();
                Ok(Follows::Effects)
            }
            (None, fault) => {
                self.forget_request();
                Ok(self.failed(fault.is_some_and(RequestFault::is_final)))
            }
        }
    }

    fn forget_request(&mut self) {
        if let Step::Ask { request, .. } = &mut self.step {
            *request = None;
        }
    }

    fn stopped(&mut self, event: &RunEvent, data: &Stopped) -> Result<Follows, MachineError> {
        let due = match self.step {
            Step::Stop(reason) => Some(reason),
            _ => None,
        };
        let fits = match due {
            Some(due) => due == data.reason,
            None => data.reason.is_cut_short(),
        };
        if !fits {
            return Err(MachineError::OtherReason { event: event.to_string(), found: data.reason, due });
        }
        self.trajectory.stopped = Some(data.reason);
        self.step = Step::Over(data.reason);
        Ok(Follows::Nothing)
    }
}

/// What an event brought about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Follows {
    /// What was wanted before is under way, or nothing is wanted.
    Nothing,
    /// Something new is wanted, or the same once more.
    Effects,
}
