//! A question: its kind, its answers, and when it is asked.
//!
//! Promises: distances between answers are those of [`crate::agreement::Weights`], so that what a screen calls
//! near is what kappa calls near.
//! Leaves to others: whether a value fits ([`super::check`]).

use super::Answer;
use crate::agreement::{AgreementError, Weights};
use crate::label::value::{Finite, Value};
use serde::{Deserialize, Serialize};

/// A question about each subject.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Question {
    /// Its name in labels, conditions and exports: letters, digits, `.`, `_`, `-`.
    pub id: String,
    /// What is asked.
    pub text: String,
    /// How it is answered.
    pub kind: Kind,
    /// The answers, in order; the order is the scale of an ordinal question. None for numbers and texts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub answers: Vec<Answer>,
    /// When it is asked; none: always.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<Condition>,
    /// Whether it counts for agreement. Never for texts.
    pub counts: bool,
    /// Whether a subject is complete only with an answer to it, where it applies.
    pub required: bool,
    /// Ids that it had in earlier versions; labels of those stay labels of this.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub renamed_from: Vec<String>,
}

/// How a question is answered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Kind {
    /// Exactly one answer.
    Single,
    /// Any number of answers.
    Multiple,
    /// Exactly one answer, and their order means something.
    Ordinal,
    /// Yes or no: one answer of two, `yes` and `no`.
    YesNo,
    /// A number.
    Number {
        /// The smallest that is allowed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        min: Option<Finite>,
        /// The largest that is allowed.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        max: Option<Finite>,
        /// What it counts: "lines".
        #[serde(default, skip_serializing_if = "Option::is_none")]
        unit: Option<String>,
    },
    /// Free text.
    Text,
}

impl Kind {
    /// The names of all kinds, as files write them.
    pub const NAMES: [&'static str; 6] = ["single", "multiple", "ordinal", "yes-no", "number", "text"];

    /// Its name in files.
    pub const fn name(&self) -> &'static str {
        match self {
            Kind::Single => "single",
            Kind::Multiple => "multiple",
            Kind::Ordinal => "ordinal",
            Kind::YesNo => "yes-no",
            Kind::Number { .. } => "number",
            Kind::Text => "text",
        }
    }

    /// Whether it is answered with one of its answers.
    pub const fn is_one(&self) -> bool {
        matches!(self, Kind::Single | Kind::Ordinal | Kind::YesNo)
    }

    /// Whether it has answers to choose from.
    pub const fn is_choice(&self) -> bool {
        matches!(self, Kind::Single | Kind::Ordinal | Kind::YesNo | Kind::Multiple)
    }
}

/// When a question is asked: an earlier question has one of these answers, or an answer under one of them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Condition {
    /// The earlier question.
    pub question: String,
    /// Its answers, at least one.
    pub answers: Vec<String>,
}

impl Condition {
    /// Whether this value of the earlier question fulfils it; of several answers, one is enough.
    pub fn holds(&self, earlier: &Question, value: &Value) -> bool {
        value.answers().into_iter().any(|given| {
            self.answers.iter().any(|wanted| wanted == given)
                || earlier.ancestors(given).iter().any(|above| self.answers.contains(&above.id))
        })
    }
}

/// Whether a question applies to a subject.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Applies {
    /// It is asked.
    Yes,
    /// An earlier answer rules it out: not applicable.
    No,
    /// The question that it depends on has no answer yet.
    NotYet,
}

impl Question {
    /// The answer with this id. Old names are not looked at: see [`Question::answer_called`].
    pub fn answer(&self, id: &str) -> Option<&Answer> {
        self.answers.iter().find(|answer| answer.id == id)
    }

    /// The answer that has this id or had it before it was renamed.
    pub fn answer_called(&self, id: &str) -> Option<&Answer> {
        self.answer(id)
            .or_else(|| self.answers.iter().find(|answer| answer.renamed_from.iter().any(|old| old == id)))
    }

    /// The answer that a key stands for.
    pub fn answer_of_key(&self, key: char) -> Option<&Answer> {
        self.answers.iter().find(|answer| answer.key == Some(key))
    }

    /// The answers that can be given, in order: the declared categories of agreement.
    pub fn categories(&self) -> impl Iterator<Item = &Answer> {
        self.answers.iter().filter(|answer| answer.can_be_given())
    }

    /// What stands above an answer, its parent first. Empty for an unknown answer.
    pub fn ancestors(&self, id: &str) -> Vec<&Answer> {
        let mut above: Vec<&Answer> = Vec::new();
        let mut parent = self.answer(id).and_then(|answer| answer.parent.as_deref());
        // In a codebook with a cycle the walk ends where everything was met once.
        while let Some(answer) = parent.and_then(|id| self.answer(id)) {
            if above.len() >= self.answers.len() {
                break;
            }
            above.push(answer);
            parent = answer.parent.as_deref();
        }
        above
    }

    /// The ids from the root down to an answer, itself included.
    pub fn path(&self, id: &str) -> Vec<&str> {
        let mut path: Vec<&str> = self.ancestors(id).iter().rev().map(|answer| answer.id.as_str()).collect();
        path.extend(self.answer(id).map(|answer| answer.id.as_str()));
        path
    }

    /// Whether some answer stands under another.
    pub fn is_hierarchical(&self) -> bool {
        self.answers.iter().any(|answer| answer.parent.is_some())
    }

    /// How much two answers disagree, 0 to 1: by the taxonomy where there is one (0.5 for two of one parent), by
    /// the steps between them where the answers are ordered (linear), else 1. An unknown answer disagrees fully.
    pub fn distance(&self, one: &str, other: &str) -> f64 {
        let place = |id: &str| self.categories().position(|answer| answer.id == id);
        match (place(one), place(other), self.weights()) {
            (Some(one), Some(other), Ok(weights)) => weights.disagreement(one, other),
            _ => f64::from(u8::from(one != other)),
        }
    }

    /// The weights behind [`Question::distance`], for the categories in order.
    ///
    /// # Errors
    /// Where a question has no categories, or more than tables can be kept for.
    pub fn weights(&self) -> Result<Weights, AgreementError> {
        let categories = self.categories().count();
        if self.is_hierarchical() {
            let paths: Vec<Vec<&str>> = self.categories().map(|answer| self.path(&answer.id)).collect();
            Weights::taxonomy(&paths)
        } else if self.kind == Kind::Ordinal {
            Weights::linear(categories)
        } else {
            Weights::nominal(categories)
        }
    }
}
