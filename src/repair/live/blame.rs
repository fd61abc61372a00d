//! "Model or harness?": what happened in a turn that did not repair, and whose it is, in one line.
//!
//! Promises: every failed turn has its line; failures of requests, sandboxes and machines are never put down to the model.

use super::facts::Facts;
use crate::repair::event::StopReason;
use crate::repair::form::FinishReason;
use crate::repair::outcome::{ApplicationOutcome, ExtractionOutcome};
use crate::report::Verdict;

/// Whose a failure is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// The model's.
    Model,
    /// The harness's: the sandbox, the machine.
    Harness,
    /// The infrastructure's: the model's server, the network.
    Infrastructure,
    /// The task's: its buggy version does not do what it should.
    Task,
    /// A person's.
    Person,
    /// Nobody's: it is as it should be, or nobody knows.
    Nobody,
}

impl Whose {
    /// Who, in a word or two.
    pub fn as_str(self) -> &'static str {
        match self {
            Whose::Model => "model",
            Whose::Harness => "harness",
            Whose::Infrastructure => "infrastructure",
            Whose::Task => "task",
            Whose::Person => "you",
            Whose::Nobody => "neither",
        }
    }

    /// Whether the model is out of it.
    pub fn is_not_the_models(self) -> bool {
        self != Whose::Model
    }
}

/// Whose a failure is, and what happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blame {
    /// Whose.
    pub whose: Whose,
    /// What happened; untrusted in parts.
    pub words: String,
}

pub(super) fn blame(facts: &Facts, under_way: bool, stopped: Option<(StopReason, &str)>) -> Option<Blame> {
    if let Some(blame) = facts.verdict.and_then(|verdict| of_verdict(facts, verdict)) {
        return Some(blame);
    }
    if facts.verdict.is_some() {
        return None;
    }
    let done = |whose, words: String| Some(Blame { whose, words });
    if facts.application == Some(ApplicationOutcome::Rejected) {
        let why = if facts.why_not.is_empty() { "it fits nowhere in the tree" } else { &facts.why_not };
        return done(Whose::Model, format!("its change could not be applied: {why}"));
    }
    if let Some(outcome) = facts.extraction.filter(|_| !facts.usable) {
        return done(Whose::Model, of_extraction(outcome, facts.finish).to_owned());
    }
    if let Some((reason, detail)) = stopped {
        let more =
            |words: &str| if detail.is_empty() { words.to_owned() } else { format!("{words}: {detail}") };
        match reason {
            StopReason::Cancelled => return done(Whose::Person, "you cancelled it".to_owned()),
            StopReason::Budget => return done(Whose::Nobody, more("the budget is spent")),
            StopReason::Infrastructure if facts.faults.is_empty() => {
                return done(Whose::Harness, more("it failed, and nothing is known about the code"));
            }
            _ => {}
        }
    }
    let fault = facts.faults.last().filter(|_| facts.answer.is_none() && !under_way)?;
    let detail = if fault.detail.is_empty() { String::new() } else { format!(": {}", fault.detail) };
    done(Whose::Infrastructure, format!("no answer came, {}{detail}", fault.fault))
}

fn of_verdict(facts: &Facts, verdict: Verdict) -> Option<Blame> {
    let is_buggy = facts.turn == 0;
    let because = |words: &str| {
        if facts.why.is_empty() { words.to_owned() } else { format!("{words}: {}", facts.why) }
    };
    let counts = format!("{} of {} tests passed", facts.passed, facts.executed);
    let (whose, words) = match verdict {
        Verdict::Passed if is_buggy => {
            (Whose::Task, format!("the buggy version passes, {counts}: there is nothing to repair"))
        }
        Verdict::Passed => return None,
        Verdict::InfraError => (Whose::Harness, because("it failed, and nothing is known about the code")),
        Verdict::NotRun => (Whose::Harness, because("it did not run, and nothing is known about the code")),
        Verdict::ReportMismatch => {
            (Whose::Nobody, because("in doubt, what was reported contradicts how it ended"))
        }
        _ if is_buggy => (Whose::Nobody, format!("the buggy version fails as it should, {counts}")),
        _ => {
            let what = match verdict {
                Verdict::Timeout => because("the code ran out of time"),
                Verdict::Crashed => because("the code crashed"),
                Verdict::OutOfMemory => because("the code ran out of memory"),
                Verdict::BuildError if facts.application == Some(ApplicationOutcome::SyntaxError) => {
                    because("the code has syntax errors and does not build")
                }
                Verdict::BuildError => because("the code does not build"),
                Verdict::NoTests => because("no test was executed on the code"),
                _ if facts.application == Some(ApplicationOutcome::NoOp) => {
                    format!("the code is as before, {counts}")
                }
                _ => format!("the code runs and is wrong, {counts}"),
            };
            (if facts.is_persons_code { Whose::Person } else { Whose::Model }, what)
        }
    };
    Some(Blame { whose, words })
}

fn of_extraction(outcome: ExtractionOutcome, finish: FinishReason) -> &'static str {
    match outcome {
        ExtractionOutcome::Found => "its code may not be used under the strict policy",
        ExtractionOutcome::NoCode => "it answered in words only, without code",
        ExtractionOutcome::Empty => "its answer is empty",
        ExtractionOutcome::Truncated if finish == FinishReason::Length => {
            "its answer ended at the limit of tokens, in the middle of the code"
        }
        ExtractionOutcome::Truncated => "its answer ends in the middle of the code",
        ExtractionOutcome::Lazy => "it left a part of the code out, with a remark in its place",
        ExtractionOutcome::Refusal => "it refused to answer",
        ExtractionOutcome::WrongTarget => "it wrote code about something else",
        ExtractionOutcome::Ambiguous => "it gave several alternatives",
    }
}
