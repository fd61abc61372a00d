//! The codebook: the questions of a study, their answers, keys, definitions and examples.
//!
//! Promises: a codebook that was read ([`Codebook::read`]) keeps every rule that [`Codebook::flaws`] knows; one
//! that came from elsewhere (an event, a bundle) is asked for its flaws before it is used. Its [`Stamp`] changes
//! with every character of it, so that a silent edit is noticed.
//! Leaves to others: which labels exist, who gave them, and where files lie.
//!
//! An answer with a key can be given; one without is a heading, under which others stand. A question with a
//! condition is asked where an earlier question has one of the named answers, or an answer under one of them.
//! A question that is not asked is *not applicable*: its label, should there be one from before, does not count.

mod answer;
mod changes;
mod check;
mod fields;
mod flaw;
mod question;
mod read;
mod reserved;
mod rules;
mod shipped;
mod stamp;

pub use answer::Answer;
pub use changes::{Carried, Change, Changes, QuestionChange, changes};
pub use check::ValueError;
pub use flaw::{CodebookError, CodebookErrors, Flaw, Place, Problem};
pub use question::{Applies, Condition, Kind, Question};
pub use reserved::ReservedKeys;
pub use shipped::{SHIPPED, Shipped, shipped};
pub use stamp::Stamp;

use super::value::Labels;
use serde::{Deserialize, Serialize};

/// The questions of a study.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Codebook {
    /// Its name in commands and files: letters, digits, `.`, `_`, `-`.
    pub id: String,
    /// Its name for people.
    pub title: String,
    /// The version that is written in the file, from 1; the [`Stamp`] has the hash beside it.
    pub version: u32,
    /// What is labelled.
    pub subject: Subject,
    /// What every annotator reads before the first item; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub guide: String,
    /// The questions, in the order in which they are asked.
    pub questions: Vec<Question>,
}

/// What labels are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Subject {
    /// A task: `dataset/id@revision`.
    Task,
    /// A turn of a repair: what a model's patch is like.
    Turn,
}

impl Subject {
    /// All of them.
    pub const ALL: [Subject; 2] = [Subject::Task, Subject::Turn];

    /// Its name in files.
    pub const fn name(self) -> &'static str {
        match self {
            Subject::Task => "task",
            Subject::Turn => "turn",
        }
    }

    /// The subject with a name.
    pub fn by_name(name: &str) -> Option<Subject> {
        Subject::ALL.into_iter().find(|subject| subject.name() == name)
    }
}

impl Codebook {
    /// The question with this id. Old names are not looked at: see [`Codebook::question_called`].
    pub fn question(&self, id: &str) -> Option<&Question> {
        self.questions.iter().find(|question| question.id == id)
    }

    /// The question that has this id or had it before it was renamed.
    pub fn question_called(&self, id: &str) -> Option<&Question> {
        self.question(id).or_else(|| {
            self.questions.iter().find(|question| question.renamed_from.iter().any(|old| old == id))
        })
    }

    /// The questions that apply with these labels, in order. A question whose condition waits for an answer that
    /// is not there yet does not apply yet.
    pub fn asked(&self, labels: &Labels) -> Vec<&Question> {
        self.questions.iter().filter(|question| self.applies(question, labels) == Applies::Yes).collect()
    }

    /// Whether a question of this codebook applies with these labels.
    pub fn applies(&self, question: &Question, labels: &Labels) -> Applies {
        // Conditions name earlier questions only; in a codebook with flaws the walk ends all the same.
        self.applies_within(question, labels, self.questions.len())
    }

    fn applies_within(&self, question: &Question, labels: &Labels, steps: usize) -> Applies {
        let Some(condition) = &question.when else { return Applies::Yes };
        let Some(earlier) = self.question(&condition.question) else { return Applies::No };
        if steps == 0 {
            return Applies::No;
        }
        match self.applies_within(earlier, labels, steps - 1) {
            Applies::Yes => {}
            other => return other,
        }
        match labels.get(&earlier.id) {
            None => Applies::NotYet,
            Some(value) if condition.holds(earlier, value) => Applies::Yes,
            Some(_) => Applies::No,
        }
    }

    /// The labels that count: those of questions that apply. What was answered before an earlier answer changed
    /// stays stored, and is left out here.
    pub fn effective(&self, labels: &Labels) -> Labels {
        self.asked(labels)
            .into_iter()
            .filter_map(|question| Some((question.id.clone(), labels.get(&question.id)?.clone())))
            .collect()
    }

    /// The required questions that still want an answer, in order; those that wait for another one are not among
    /// them, so that a subject is complete exactly when this is empty.
    pub fn missing(&self, labels: &Labels) -> Vec<&Question> {
        self.asked(labels)
            .into_iter()
            .filter(|question| question.required && !labels.contains_key(&question.id))
            .collect()
    }

    /// Version and hash, with which labels are stamped.
    pub fn stamp(&self) -> Stamp {
        Stamp::of(self)
    }
}
