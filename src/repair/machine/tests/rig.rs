//! A world for the machine: every effect is done by writing the event that answers it.
#![allow(clippy::unwrap_used)]

use super::super::*;
use crate::repair::cell::{Cell, Strategy};
use crate::repair::event::*;
use crate::repair::form::FinishReason;
use crate::repair::outcome::{ApplicationOutcome, ExtractionOutcome};
use crate::report::Verdict;
use crate::task::FeedbackKind;

pub(super) fn run() -> Uuid {
    Uuid::from_u128(1)
}

pub(super) fn id() -> Uuid {
    Uuid::from_u128(2)
}

pub(super) fn hash(text: &str) -> ContentHash {
    ContentHash::of(text)
}

pub(super) fn cell(strategy: &str) -> Cell {
    let mut cell = Cell::new("m", "t");
    cell.helper = Some("h".to_owned());
    cell.strategy = strategy.parse::<Strategy>().unwrap();
    cell
}

/// What a turn of the model comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Answer {
    /// Words only.
    NoCode,
    /// Code that fits nowhere.
    Rejected,
    /// Code of this name, applied so, with this verdict.
    Code(&'static str, ApplicationOutcome, Verdict),
}

pub(super) const FAILS: Answer = Answer::Code("a", ApplicationOutcome::Exact, Verdict::Failed);
pub(super) const OTHER: Answer = Answer::Code("b", ApplicationOutcome::Normalised, Verdict::Failed);
pub(super) const PASSES: Answer = Answer::Code("good", ApplicationOutcome::Exact, Verdict::Passed);
pub(super) const SYNTAX: Answer = Answer::Code("s", ApplicationOutcome::SyntaxError, Verdict::BuildError);

/// A machine and everything that it was fed.
pub(super) struct Rig {
    pub cell: Cell,
    pub rules: Rules,
    pub machine: Machine,
    pub events: Vec<RunEvent>,
    pub seq: u64,
    /// What the model answers, turn by turn.
    pub answers: Vec<Answer>,
    /// Exposure of every feedback.
    pub feedback_exposure: Exposures,
}

impl Rig {
    pub fn new(cell: Cell, rules: Rules, answers: &[Answer]) -> Rig {
        Rig {
            machine: Machine::new(&cell, rules.clone(), run(), id()),
            cell,
            rules,
            events: Vec::new(),
            seq: 0,
            answers: answers.to_vec(),
            feedback_exposure: Exposures::from([Exposure::TestOutput]),
        }
    }

    pub fn of(strategy: &str, answers: &[Answer]) -> Rig {
        Rig::new(cell(strategy), Rules::default(), answers)
    }

    /// An event at the machine's position.
    pub fn event(&mut self, what: What) -> RunEvent {
        self.seq += 1;
        let (attempt, turn) = self.machine.position();
        RunEvent {
            v: VERSION,
            run: run(),
            trajectory: id(),
            attempt,
            turn,
            seq: self.seq,
            at: "2026-05-01T10:00:00Z".parse().unwrap(),
            what,
            other: Unknown::new(),
        }
    }

    /// Feeds an event that must be taken.
    pub fn feed(&mut self, what: What) -> Vec<Effect> {
        let event = self.event(what);
        let effects = self.machine.on(&event).unwrap_or_else(|error| panic!("{error}"));
        self.events.push(event);
        effects
    }

    /// Feeds an event that must be refused, and gives the message.
    pub fn refuse(&mut self, what: What) -> String {
        let event = self.event(what);
        let before = self.machine.clone();
        let error = self.machine.on(&event).unwrap_err();
        assert_eq!(self.machine, before, "a refused event changes nothing");
        self.seq -= 1;
        error.to_string()
    }

    /// The one thing to do.
    pub fn effect(&self) -> Effect {
        let mut pending = self.machine.pending();
        assert_eq!(pending.len(), 1, "{pending:?}");
        pending.remove(0)
    }

    /// Does one effect; false when there is none.
    pub fn step(&mut self) -> bool {
        let Some(effect) = self.machine.pending().into_iter().next() else { return false };
        let expected = self.do_effect(&effect);
        if !self.machine.is_over() {
            assert_eq!(expected, self.machine.pending(), "what is returned is what is pending");
        }
        true
    }

    pub fn do_effect(&mut self, effect: &Effect) -> Vec<Effect> {
        match effect {
            Effect::BuildPrompt { attempt, turn, call, preliminary, .. } => {
                let text = format!("prompt {attempt}.{turn} {call} {}", preliminary.len());
                self.feed(prompt_built(*call, &text))
            }
            Effect::Ask { attempt, turn, call, model, .. } => {
                let request = format!("r{}", self.seq);
                assert_eq!(self.feed(started(*call, &request, model)), []);
                self.feed(answered(*call, &request, &format!("answer {attempt}.{turn} {call}")))
            }
            Effect::Extract { .. } => {
                let is_words = self.answers.first() == Some(&Answer::NoCode);
                if is_words {
                    self.answers.remove(0);
                }
                self.feed(extracted(!is_words))
            }
            Effect::Apply { .. } => match self.answers.first().copied().unwrap_or(FAILS) {
                Answer::Code(name, outcome, _) => self.feed(applied(outcome, Some(name))),
                _ => {
                    self.answers.remove(0);
                    self.feed(applied(ApplicationOutcome::Rejected, None))
                }
            },
            Effect::Verify { turn: 0, .. } => self.feed(verified(Verdict::Failed, Some("buggy"))),
            Effect::Verify { .. } => {
                // A person's code fails; the model's answers wait for their own turn.
                let verdict = match self.answers.first() {
                    Some(Answer::Code(_, _, verdict)) => *verdict,
                    _ => Verdict::Failed,
                };
                if matches!(self.answers.first(), Some(Answer::Code(..))) {
                    self.answers.remove(0);
                }
                self.feed(verified(verdict, None))
            }
            Effect::MakeFeedback { attempt, turn, kind, source, .. } => {
                let data = FeedbackMade {
                    kind: *kind,
                    source: *source,
                    text: hash(&format!("feedback {attempt}.{turn}")),
                    exposure: self.feedback_exposure.clone(),
                    other: Unknown::new(),
                };
                self.feed(What::FeedbackMade(data))
            }
            Effect::Stop { reason } => self.feed(stopped(*reason)),
        }
    }

    /// Steps until an effect of this kind is pending.
    pub fn until(&mut self, wanted: impl Fn(&Effect) -> bool) -> Effect {
        loop {
            let effect = self.effect();
            if wanted(&effect) {
                return effect;
            }
            assert!(self.step());
        }
    }

    /// Runs to the end and gives the reason.
    pub fn finish(&mut self) -> StopReason {
        for _ in 0..10_000 {
            if !self.step() {
                return self.machine.trajectory().stopped.unwrap();
            }
        }
        panic!("the machine does not stop");
    }

    /// Attempts and turns, without the buggy code.
    pub fn turns(&self) -> Vec<(u32, u32)> {
        let turns = self.machine.trajectory().turns.iter();
        turns.filter(|turn| turn.turn > 0).map(|turn| (turn.attempt, turn.turn)).collect()
    }

    /// A new machine that was fed the same events.
    pub fn resumed(&self) -> Machine {
        Machine::resume(&self.cell, self.rules.clone(), run(), id(), &self.events).unwrap()
    }

    /// The events, as one line each: what the reader of a log sees.
    pub fn log(&self) -> String {
        let line = |event: &RunEvent| {
            let detail = match &event.what {
                What::PromptBuilt(data) => data.call.to_string(),
                What::RequestStarted(data) => format!("{} {}", data.call, data.model),
                What::AnswerFinished(data) => {
                    data.fault.map_or_else(|| data.call.to_string(), |fault| fault.to_string())
                }
                What::Extracted(data) => data.outcome.to_string(),
                What::Applied(data) => data.outcome.to_string(),
                What::Verified(data) => data.verdict.to_string(),
                What::FeedbackMade(data) => data.kind.to_string(),
                What::Intervened(data) => data.action.to_string(),
                What::Stopped(data) => data.reason.to_string(),
                _ => String::new(),
            };
            format!("{}.{} {} {detail}", event.attempt, event.turn, event.kind())
        };
        self.events.iter().map(line).collect::<Vec<_>>().join("\n")
    }
}

pub(super) fn prompt_built(call: Call, text: &str) -> What {
    let (prompt, other) = (hash(text), Unknown::new());
    What::PromptBuilt(PromptBuilt { call, prompt, exposure: Exposures::new(), tokens: 10, other })
}

pub(super) fn started(call: Call, request: &str, model: &str) -> What {
    let (request, model, other) = (request.to_owned(), model.to_owned(), Unknown::new());
    What::RequestStarted(RequestStarted { call, request, model, other })
}

fn finished(call: Call, request: &str, answer: Option<&str>, fault: Option<RequestFault>) -> What {
    What::AnswerFinished(AnswerFinished {
        call,
        request: request.to_owned(),
        answer: answer.map(hash),
        reasoning: None,
        finish: FinishReason::Stop,
        fault,
        detail: String::new(),
        usage: Usage { usd: Some(0.5), ..Usage::default() },
        frames: None,
        other: Unknown::new(),
    })
}

pub(super) fn answered(call: Call, request: &str, answer: &str) -> What {
    finished(call, request, Some(answer), None)
}

pub(super) fn fault(call: Call, request: &str, fault: RequestFault) -> What {
    finished(call, request, None, Some(fault))
}

pub(super) fn neither(call: Call, request: &str) -> What {
    finished(call, request, None, None)
}

pub(super) fn extracted(usable: bool) -> What {
    let outcome = if usable { ExtractionOutcome::Found } else { ExtractionOutcome::NoCode };
    let (flags, extraction, other) = (Default::default(), Some(hash("extraction")), Unknown::new());
    What::Extracted(Extracted { outcome, usable, flags, extraction, other })
}

pub(super) fn applied(outcome: ApplicationOutcome, code: Option<&str>) -> What {
    let (code, flags, why, other) = (code.map(hash), Default::default(), String::new(), Unknown::new());
    What::Applied(Applied { outcome, code, flags, why, other })
}

pub(super) fn verified(verdict: Verdict, code: Option<&str>) -> What {
    What::Verified(Verified {
        verdict,
        code: code.map(hash),
        why: String::new(),
        passed: 4,
        executed: 6,
        scores: Default::default(),
        report: Some(hash("report")),
        remembered: false,
        total_ms: 1,
        frames: None,
        other: Unknown::new(),
    })
}

pub(super) fn feedback(kind: FeedbackKind, source: crate::repair::cell::FeedbackSource) -> What {
    let (text, exposure, other) = (hash("given"), Exposures::new(), Unknown::new());
    What::FeedbackMade(FeedbackMade { kind, source, text, exposure, other })
}

pub(super) fn stopped(reason: StopReason) -> What {
    What::Stopped(Stopped { reason, detail: String::new(), other: Unknown::new() })
}

pub(super) fn intervened(action: Intervention, content: Option<&str>) -> What {
    What::Intervened(Intervened {
        action,
        content: content.map(hash),
        model: Some("other".to_owned()),
        by: None,
        saw_reference: false,
        other: Unknown::new(),
    })
}
