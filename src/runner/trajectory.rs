//! Driving one trajectory: what the machine wants is done, one step after the other.
//!
//! Promises: between two steps wishes are granted and pauses are kept; a failure of the machine or the sandbox is
//! recorded as one. Leaves to others: asking models (`ask`), the order of steps (`repair::machine`).

use super::code::{Watching, lay, over_buggy, read};
use super::control::{Order, Wish};
use super::engine::{Drive, Engine, Left};
use super::error::RunnerError;
use super::feedback::{Facts, on_code};
use super::journal::Journal;
use super::prompts::{NoPrompt, Wanted, build};
use super::record::{INTERVENED, RunRecord};
use super::spec::TrajectoryHead;
use super::{Listener, ask};
use crate::harness::{Changes, VerifyReport, Version};
use crate::model::Budget;
use crate::repair::cell::{Cell, FeedbackSource};
use crate::repair::event::{
    Applied, Awaited, ContentHash, Exposures, Extracted, FeedbackMade, Intervened, Intervention, PromptBuilt,
    StopReason, Stopped, Unknown, Verified, Waiting, What,
};
use crate::repair::feedback::{Bounds, Feedback, stored, unusable};
use crate::repair::machine::{Code, Effect, Subject};
use crate::repair::prompt::Prompt;
use crate::report::Verdict;
use crate::task::{FeedbackKind, Task};

/// A trajectory under way.
pub(super) struct Driver<'a> {
    pub engine: &'a Engine,
    pub drive: &'a Drive,
    pub task: Task,
    pub cell: &'a Cell,
    pub budget: Budget,
    pub journal: Journal<'a>,
    /// Words that wait for the end of their turn.
    pub held: Vec<Wish>,
}

/// Drives a trajectory until it is over, or is left.
pub(super) fn drive(
    engine: &Engine,
    record: &RunRecord,
    head: &TrajectoryHead,
    how: &Drive,
    budget: &Budget,
    listener: &dyn Listener,
) -> Result<Left, RunnerError> {
    let Some(cell) = record.spec.cell(&head.cell) else {
        let why = format!("the run has no cell {}", head.cell.short());
        return Err(RunnerError::Record { trajectory: head.id, why });
    };
    let journal = Journal::open(record, head, engine.store.clone(), engine.clock.clone(), listener)?;
    if journal.machine.is_over() {
        return Ok(Left::Over);
    }
    let task = record.task(head)?;
    let budget = budget.clone();
    let mut driver = Driver { engine, drive: how, task, cell, budget, journal, held: Vec::new() };
    let left = driver.run();
    if !driver.held.is_empty() {
        driver.journal.refuse("it ended before the turn did, so your words went to nobody");
    }
    how.control.idle(head.id);
    left
}

impl Driver<'_> {
    fn run(&mut self) -> Result<Left, RunnerError> {
        ask::book_lost(self)?;
        self.journal.commit()?;
        let control = self.drive.control.clone();
        let id = self.journal.head.id;
        loop {
            if control.is_halted(id) {
                self.journal.commit()?;
            }
            let leave = {
                let journal = &mut self.journal;
                control.wait(id, &mut || {
                    // What fails here fails again at the next step, where it is told.
                    if journal.commit().is_ok() {
                        journal.transient(What::Waiting(Waiting::of(Awaited::Person)));
                    }
                })
            };
            match leave {
                Order::Leave => {
                    self.journal.commit()?;
                    return Ok(Left::Interrupted);
                }
                Order::Cancel => {
                    self.end(StopReason::Cancelled, "")?;
                    self.journal.commit()?;
                    return Ok(Left::Over);
                }
                Order::GoOn => {}
            }
            let wishes = control.wishes(id);
            self.held.extend(wishes);
            if self.grant()? {
                continue;
            }
            let Some(effect) = self.journal.machine.pending().pop() else {
                self.journal.commit()?;
                return Ok(Left::Over);
            };
            // What is over is not tried again.
            if self.journal.machine.failures() > 0 && !matches!(effect, Effect::Stop { .. }) {
                self.rest();
            }
            self.carry_out(effect)?;
            control.idle(id);
        }
    }

    /// Waits before something that failed is tried again; the longer the more often it failed.
    fn rest(&mut self) {
        let pause = self.drive.backoff * self.journal.machine.failures().min(5);
        if pause.is_zero() {
            return;
        }
        if self.journal.commit().is_err() {
            // The next step meets the same trouble, and tells it.
            return;
        }
        self.journal.transient(What::Waiting(Waiting::of(Awaited::AnotherTry)));
        self.drive.control.rest(self.journal.head.id, pause);
    }

    fn carry_out(&mut self, effect: Effect) -> Result<(), RunnerError> {
        match effect {
            Effect::BuildPrompt {
                call,
                code,
                report: _,
                feedback,
                preliminary,
                continues,
                restate_code,
                ..
            } => {
                let code = self.code(&code)?;
                let wanted = Wanted {
                    task: &self.task,
                    cell: self.cell,
                    call,
                    code: &code,
                    feedback: feedback.as_ref(),
                    preliminary: &preliminary,
                    continues: continues.as_ref(),
                    restate_code,
                };
                let engine = self.engine;
                match build(&engine.templates, &engine.examples, &self.journal.contents, &wanted) {
                    Ok(prompt) => self.prompt_built(call, &prompt),
                    Err(NoPrompt::Prompt(error)) => {
                        self.end(StopReason::Infrastructure, &format!("no prompt can be made: {error}"))
                    }
                    Err(NoPrompt::Runner(error)) => Err(error),
                }
            }
            Effect::Ask { call, model, prompt, .. } => ask::ask(self, call, &model, &prompt),
            Effect::Extract { answer, code, .. } => {
                let (code, text) = (self.code(&code)?, self.journal.contents.text(&answer)?);
                let finish = self
                    .journal
                    .machine
                    .trajectory()
                    .turns
                    .last()
                    .map(|turn| turn.finish)
                    .unwrap_or_default();
                let (extraction, usable) = read(&self.task, self.cell, &code, &text, finish);
                let kept = self.keep_json(&extraction)?;
                self.journal.durable(What::Extracted(Extracted {
                    outcome: extraction.outcome,
                    usable,
                    flags: extraction.flags,
                    extraction: Some(kept),
                    other: Unknown::new(),
                }))
            }
            Effect::Apply { answer, extraction, onto, .. } => {
                let code = self.code(&onto)?;
                let extraction = match extraction {
                    Some(hash) => self.journal.contents.extraction(&hash)?,
                    None => {
                        let text = self.journal.contents.text(&answer)?;
                        read(&self.task, self.cell, &code, &text, Default::default()).0
                    }
                };
                let (application, laid) = lay(&self.task, self.cell, &code, &extraction);
                let is_laid = application.outcome != crate::repair::ApplicationOutcome::Rejected;
                let kept = if is_laid { Some(self.keep_json(&laid)?) } else { None };
                self.journal.durable(What::Applied(Applied {
                    outcome: application.outcome,
                    code: kept,
                    flags: application.flags(),
                    why: application.why.unwrap_or_default(),
                    other: Unknown::new(),
                }))
            }
            Effect::Verify { code, .. } => self.verify(&code),
            Effect::MakeFeedback { kind, source, subject, helper, .. } => {
                self.make_feedback(kind, source, &subject, helper.as_ref())
            }
            Effect::Stop { reason } => self.end(reason, ""),
        }
    }

    /// Records a prompt.
    fn prompt_built(&mut self, call: crate::repair::event::Call, prompt: &Prompt) -> Result<(), RunnerError> {
        let kept = self.keep_json(prompt)?;
        self.journal.durable(What::PromptBuilt(PromptBuilt {
            call,
            prompt: kept,
            exposure: prompt.exposure.clone(),
            tokens: prompt.tokens(),
            other: Unknown::new(),
        }))
    }

    fn verify(&mut self, code: &Code) -> Result<(), RunnerError> {
        self.journal.commit()?;
        let changes = self.code(code)?;
        let cancel = self.drive.control.verification(self.journal.head.id);
        let began = self.engine.clock.now();
        let verified = {
            let wanted = crate::harness::Wanted {
                task: &self.task,
                version: Version::Buggy,
                changes: &changes,
                fresh: self.drive.fresh,
            };
            let journal = &mut self.journal;
            let mut watching = Watching::new(|what| journal.transient(what));
            self.engine.harness.verify(&wanted, &cancel, &mut watching)
        };
        let total_ms = milliseconds(self.engine.clock.now().duration_since(began));
        let frames = self.journal.take_frames();
        let (report, remembered) = match verified {
            Ok(verified) => (verified.report, verified.cached),
            Err(crate::harness::VerifyError::Plan(error)) => {
                return self.end(StopReason::Infrastructure, &format!("the task cannot be tested: {error}"));
            }
            Err(crate::harness::VerifyError::Sandbox(error)) => {
                return self.journal.durable(What::Verified(Verified {
                    verdict: Verdict::InfraError,
                    code: None,
                    why: error.to_string(),
                    passed: 0,
                    executed: 0,
                    scores: Default::default(),
                    report: None,
                    remembered: false,
                    total_ms,
                    frames: None,
                    other: Unknown::new(),
                }));
            }
        };
        if report.verdict == Verdict::NotRun && cancel.is_cancelled() {
            // It was broken off on purpose; nothing was learned, and it is wanted again.
            return Ok(());
        }
        let (passed, executed) = report.passed_of();
        let kept = Some(self.keep_json(&report)?);
        let frames = frames.map(|frames| self.journal.contents.add(frames));
        let code = match code {
            Code::Applied { code, .. } => Some(code.clone()),
            Code::Buggy => Some(ContentHash::of(self.json(&Changes::new())?)),
        };
        self.journal.durable(What::Verified(Verified {
            verdict: report.verdict,
            code,
            why: report.why,
            passed: passed as u64,
            executed: executed as u64,
            scores: Default::default(),
            report: kept,
            remembered,
            total_ms,
            frames,
            other: Unknown::new(),
        }))?;
        self.journal.commit()
    }

    fn make_feedback(
        &mut self,
        kind: FeedbackKind,
        source: FeedbackSource,
        subject: &Subject,
        helper: Option<&ContentHash>,
    ) -> Result<(), RunnerError> {
        let made = match subject {
            Subject::Unusable { extraction, application, earlier } => {
                let earlier = earlier.as_ref().map(|(hash, exposure)| {
                    let text = self.journal.contents.text(hash)?;
                    Ok::<_, RunnerError>(Feedback { text, exposure: exposure.clone() })
                });
                unusable(*extraction, *application, earlier.transpose()?.as_ref())
            }
            Subject::Verified { .. } if source == FeedbackSource::Stored => {
                let Some(text) = self.task.feedback.get(&kind) else {
                    return self.end(
                        StopReason::Infrastructure,
                        &format!("the task brings no stored feedback `{kind}`"),
                    );
                };
                stored(kind, text, Bounds::default())
            }
            Subject::Verified { .. } if kind == FeedbackKind::Human => return self.wait_for_words(),
            Subject::Verified { code, report } => {
                let changes = self.code(code)?;
                let Some(report) = report else {
                    return self
                        .end(StopReason::Infrastructure, "the code has no report to make feedback from");
                };
                let report: VerifyReport = self.journal.contents.report(report)?;
                let helper = helper.map(|hash| self.journal.contents.text(hash)).transpose()?;
                if matches!(kind, FeedbackKind::Compiler | FeedbackKind::Mixed) {
                    self.journal.commit()?;
                }
                let cancel = self.drive.control.verification(self.journal.head.id);
                let facts = Facts {
                    harness: &self.engine.harness,
                    task: &self.task,
                    code: &changes,
                    report: &report,
                    helper: helper.as_deref(),
                    cancel: &cancel,
                };
                match on_code(kind, &facts) {
                    Ok(feedback) => feedback,
                    Err(_) if cancel.is_cancelled() => return Ok(()),
                    Err(why) => return self.end(StopReason::Infrastructure, &why),
                }
            }
        };
        self.tell(kind, source, &made)
    }

    /// Records feedback.
    fn tell(
        &mut self,
        kind: FeedbackKind,
        source: FeedbackSource,
        made: &Feedback,
    ) -> Result<(), RunnerError> {
        let text = self.keep(made.text.as_bytes())?;
        let exposure: Exposures = made.exposure.clone();
        let other = Unknown::new();
        self.journal.durable(What::FeedbackMade(FeedbackMade { kind, source, text, exposure, other }))
    }

    /// Feedback `human` waits for a person; where there is none, that is said.
    fn wait_for_words(&mut self) -> Result<(), RunnerError> {
        if !self.drive.person {
            return self.end(
                StopReason::Infrastructure,
                "feedback `human` needs a person, and nobody is there: use the workbench",
            );
        }
        self.journal.commit()?;
        self.journal.transient(What::Waiting(Waiting::of(Awaited::PersonsFeedback)));
        self.drive.control.wait_for_wish(self.journal.head.id);
        Ok(())
    }

    /// Grants the wishes whose time has come; says whether there were any.
    fn grant(&mut self) -> Result<bool, RunnerError> {
        let under_way = self.is_turn_under_way();
        let waits = |wish: &Wish| under_way && matches!(wish, Wish::GiveFeedback { .. });
        let (held, due): (Vec<Wish>, Vec<Wish>) = std::mem::take(&mut self.held).into_iter().partition(waits);
        self.held = held;
        let some = !due.is_empty();
        for wish in due {
            self.grant_one(wish)?;
        }
        Ok(some)
    }

    /// Whether the model was asked in this turn and what it answers is not tested yet: feedback given now is about what
    /// comes of it.
    fn is_turn_under_way(&self) -> bool {
        let machine = &self.journal.machine;
        match machine.pending().pop() {
            _ if self.cell.told().is_none() => false,
            Some(Effect::Ask { call, .. }) => {
                let requests = machine.trajectory().turns.last().map(|turn| turn.requests.iter());
                let asked = requests.is_some_and(|mut requests| requests.any(|request| !request.unsent));
                call != crate::repair::event::Call::Helper && asked
            }
            Some(Effect::Extract { .. } | Effect::Apply { .. } | Effect::Verify { .. }) => true,
            _ => false,
        }
    }

    fn grant_one(&mut self, wish: Wish) -> Result<(), RunnerError> {
        let intervened = |action, content, model, saw_reference| {
            What::Intervened(Intervened {
                action,
                content,
                model,
                by: None,
                saw_reference,
                other: Unknown::new(),
            })
        };
        let what = match wish {
            Wish::GiveFeedback { text, saw_reference } => {
                let bounded = crate::repair::feedback::bounded(text.trim(), Bounds::default().words);
                if bounded.is_empty() {
                    self.journal.refuse("there are no words in it");
                    return Ok(());
                }
                let text = self.keep(bounded.as_bytes())?;
                intervened(Intervention::GaveFeedback, Some(text), None, saw_reference)
            }
            Wish::EditPrompt(messages) => {
                let prompt = Prompt { messages, exposure: Exposures::new(), sections: Vec::new() };
                let kept = self.keep_json(&prompt)?;
                intervened(Intervention::EditedPrompt, Some(kept), None, false)
            }
            Wish::EditCode { changes, saw_reference } => {
                let kept = self.keep_json(&over_buggy(&self.task, changes))?;
                intervened(Intervention::EditedCode, Some(kept), None, saw_reference)
            }
            Wish::SwitchModel(name) => intervened(Intervention::SwitchedModel, None, Some(name), false),
        };
        self.journal.wished(what)
    }

    /// Ends the trajectory.
    pub fn end(&mut self, reason: StopReason, detail: &str) -> Result<(), RunnerError> {
        // An end that the machine has found counts for more than one that comes from outside.
        let reason = match self.journal.machine.pending().pop() {
            Some(Effect::Stop { reason }) => reason,
            _ => reason,
        };
        let detail = detail.to_owned();
        // Told once more at the end, so that lists of runs need not read what was before it.
        let mut other = Unknown::new();
        if self.journal.machine.trajectory().intervened {
            other.insert(INTERVENED.to_owned(), serde_json::json!(true));
        }
        self.journal.durable(What::Stopped(Stopped { reason, detail, other }))
    }

    /// What a version of the code changes in the buggy tree.
    pub fn code(&self, code: &Code) -> Result<Changes, RunnerError> {
        match code {
            Code::Buggy => Ok(Changes::new()),
            Code::Applied { code, .. } => self.journal.contents.code(code),
        }
    }

    /// JSON of something of ours.
    pub fn json<T: serde::Serialize>(&self, value: &T) -> Result<Vec<u8>, RunnerError> {
        serde_json::to_vec(value)
            .map_err(|why| RunnerError::Record { trajectory: self.journal.head.id, why: why.to_string() })
    }

    /// Keeps bytes.
    pub fn keep(&self, bytes: &[u8]) -> Result<ContentHash, RunnerError> {
        Ok(self.journal.contents.add(bytes.to_vec()))
    }

    fn keep_json<T: serde::Serialize>(&self, value: &T) -> Result<ContentHash, RunnerError> {
        self.keep(&self.json(value)?)
    }
}

/// A span of time in milliseconds, never negative.
pub(super) fn milliseconds(span: jiff::SignedDuration) -> u64 {
    u64::try_from(span.as_millis()).unwrap_or(0)
}
