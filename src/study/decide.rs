//! The arbitrator: what waits, what is decided, what goes back.
//!
//! Promises: the arbitrator is shown answers as A, B, … without names and in an order that the seed decides for
//! each item; order and answers are recorded with the decision; a decision on what is not contested is refused.

use super::keep::decision_stream;
use super::{Desk, StudyError};
use crate::label::adjudicate::{Case, ReasonCode, shown};
use crate::label::entry;
use crate::label::event::{Decision, Shown, What};
use crate::label::phase::Phase;
use crate::label::value::{Labels, Value};
use crate::label::visible::decisions;
use serde_json::Value as Json;

/// A question that waits for the arbitrator.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// Number of the item.
    pub number: usize,
    /// The item.
    pub item: String,
    /// The question.
    pub question: String,
    /// What A, B, … said; none: not asked, or no answer. Whose it is does not come along.
    pub said: Vec<Option<Value>>,
    /// Notes of A, B, … on the item.
    pub notes: Vec<String>,
    /// What holds already for the item.
    pub settled: Labels,
}

/// What the arbitrator decides.
#[derive(Debug, Clone, PartialEq)]
pub struct Choice {
    /// The item.
    pub item: String,
    /// The question.
    pub question: String,
    /// The answer, as it was typed.
    pub answer: Json,
    /// Why the annotators differed.
    pub reason: ReasonCode,
    /// In words.
    pub comment: String,
}

impl Desk {
    fn arbitrator(&self) -> Result<(), StudyError> {
        if !self.role.arbitrates() {
            return Err(self.not_your_part("only its arbitrator decides"));
        }
        if self.round.phase != Phase::Adjudication || !decisions(self.role, self.round.phase) {
            let why = "decisions are made in adjudication".to_owned();
            return Err(StudyError::NotNow { round: self.round.name.clone(), phase: self.round.phase, why });
        }
        Ok(())
    }

    /// What waits for a decision, in the order of the items.
    pub fn open_questions(&self) -> Result<Vec<Question>, StudyError> {
        self.arbitrator()?;
        let sheets = self.unguarded_all()?;
        let mut open = Vec::new();
        for case in self.cases()? {
            let Some(item) = self.round.items.get(case.number) else { continue };
            if !case.waits_for.is_empty() {
                continue;
            }
            for contested in &case.settled.open {
                let shown = shown(&self.round, &item.name, contested);
                let note = |shown: &Shown| {
                    let number =
                        self.round.annotators.iter().position(|person| person.key == shown.annotator);
                    let marks = number.and_then(|number| sheets.get(number)?.marks.get(&item.name));
                    marks.map_or_else(String::new, |marks| marks.note.clone())
                };
                open.push(Question {
                    number: case.number,
                    item: item.name.clone(),
                    question: contested.question.clone(),
                    notes: shown.iter().map(note).collect(),
                    said: shown.into_iter().map(|shown| shown.value).collect(),
                    settled: case.settled.labels.clone(),
                });
            }
        }
        Ok(open)
    }

    /// Writes a decision down; answers with what was decided.
    pub fn decide(&self, choice: &Choice) -> Result<Value, StudyError> {
        self.arbitrator()?;
        if choice.reason == ReasonCode::Other && choice.comment.trim().is_empty() {
            return Err(StudyError::WantsComment(choice.reason));
        }
        let item = self.round.items.find(&choice.item)?;
        let name = self.round.items.get(item).map_or_else(String::new, |item| item.name.clone());
        let codebook = self.round.codebook();
        let question = entry::question(codebook, &choice.question)?;
        let value = entry::of_json(question, &choice.answer)?;
        let stream = decision_stream(self.round.id);
        loop {
            let seq = self.studies.read(&stream)?.seq;
            let decisions = self.unguarded_decisions()?;
            let cases = self.cases()?;
            let not_contested =
                || StudyError::NotContested { item: name.clone(), question: question.id.clone() };
            let case: &Case = cases.iter().find(|case| case.number == item).ok_or_else(not_contested)?;
            let earlier = decisions.get(&name, &question.id);
            let contested = case.settled.open.iter().find(|open| open.question == question.id);
            let shown = match (contested, earlier) {
                (Some(contested), _) => shown(&self.round, &name, contested),
                (None, Some(earlier)) => earlier.decision.shown.clone(),
                (None, None) => return Err(not_contested()),
            };
            codebook.check(&question.id, &value, &case.settled.labels)?;
            let decision = Decision {
                item: name.clone(),
                question: question.id.clone(),
                value: value.clone(),
                reason: choice.reason,
                comment: choice.comment.trim().to_owned(),
                shown,
                codebook: codebook.stamp(),
                replaces: earlier.map(|earlier| earlier.event),
            };
            let what = What::Decided(Box::new(decision));
            let event = self.studies.event(self.round.id, decisions.order + 1, &self.actor(), &what);
            if self.studies.append(&stream, seq, &[event])? {
                return Ok(value);
            }
        }
    }

    /// Sends an item back to its annotators; answers with its name.
    pub fn send_back(&self, item: &str, why: &str) -> Result<String, StudyError> {
        self.arbitrator()?;
        let number = self.round.items.find(item)?;
        let name = self.round.items.get(number).map_or_else(String::new, |item| item.name.clone());
        self.write_decision(&What::SentBack { item: name.clone(), why: why.to_owned() })?;
        Ok(name)
    }

    /// Takes the last decision, or sending back, back.
    pub fn undo_decision(&self) -> Result<(), StudyError> {
        self.arbitrator()?;
        let target = self.unguarded_decisions()?.last.ok_or(StudyError::NothingToUndo)?;
        self.write_decision(&What::Undone { target })
    }

    fn write_decision(&self, what: &What) -> Result<(), StudyError> {
        let stream = decision_stream(self.round.id);
        loop {
            let seq = self.studies.read(&stream)?.seq;
            let order = self.unguarded_decisions()?.order + 1;
            let event = self.studies.event(self.round.id, order, &self.actor(), what);
            if self.studies.append(&stream, seq, &[event])? {
                return Ok(());
            }
        }
    }
}
