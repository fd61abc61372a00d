//! A cell: everything that can change an answer.
//!
//! Promises: two cells with the same canonical JSON have the same id, on every machine and in every order of
//! their keys; what cannot change an answer is not kept ([`Cell::settled`]); keys of a newer version stay and count.
//! Leaves to others: what is done with a cell (`repair::machine`, `repair::prompt`), which models there are (`config`).

mod context;
mod decimal;
mod strategy;
mod technique;
pub(super) mod word;

#[cfg(test)]
mod tests;

pub use context::{Context, Hint, MOST_TOKENS};
pub use decimal::{Decimal, DecimalError};
pub use strategy::{MOST_TURNS, Strategy};
pub use technique::{Section, Technique};
pub use word::UnknownWord;

use super::form::{Form, Policy};
use crate::task::{FeedbackKind, hex};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use word::words;

words! {
    /// Where the feedback on the buggy code comes from. Later turns are always told about themselves.
    pub enum FeedbackSource as "feedback source" {
        /// Made from this run's own verification.
        Fresh = "fresh",
        /// The text that the dataset brings.
        Stored = "stored",
    }
}

/// Everything that can change an answer (DESIGN §1).
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Cell {
    /// Name of the model, as the user's configuration has it.
    pub model: String,
    /// Temperature; `None`: the server's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<Decimal>,
    /// Share of probability that is drawn from; `None`: the server's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub top_p: Option<Decimal>,
    /// Seed that is sent; `None`: none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// Most tokens of an answer; `None`: the server's own limit.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// What the model is told about its newest code.
    pub feedback: FeedbackKind,
    /// Where the feedback on the buggy code comes from.
    pub feedback_source: FeedbackSource,
    /// Name of the model that writes feedback, for the kinds that need one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub helper: Option<String>,
    /// The way of asking.
    pub technique: Technique,
    /// Parts that are left out of the prompt.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub without: BTreeSet<Section>,
    /// The shape of the answer.
    pub form: Form,
    /// What is shown beside the code.
    pub context: Context,
    /// Help that is given beside the request.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub hints: BTreeSet<Hint>,
    /// How often the model may try.
    pub strategy: Strategy,
    /// How much is forgiven when an answer is read.
    pub extraction: Policy,
    /// Hash of the prompt templates ([`crate::repair::prompt::Templates::hash`]).
    pub templates: String,
    /// Keys of a newer version; they are part of the id.
    #[serde(flatten)]
    pub other: BTreeMap<String, Value>,
}

/// Why a cell cannot be run.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CellError {
    /// No model.
    #[error("a cell needs a model: name one with --model, or `model` in the experiment")]
    NoModel,
    /// Feedback that another model writes, and no model for it.
    #[error(
        "feedback `{0}` is written by a helper model: name one with --helper, or `helper` in the experiment"
    )]
    NoHelper(FeedbackKind),
    /// A number that no model takes.
    #[error("`{key}` is {found}, and may be {allowed}")]
    OutOfRange {
        /// The key.
        key: &'static str,
        /// Its value.
        found: String,
        /// What it may be.
        allowed: &'static str,
    },
}

impl Cell {
    /// A cell for a model: test feedback made fresh, baseline technique, whole functions, one turn, lenient
    /// reading, nothing sent that the server decides by itself.
    pub fn new(model: impl Into<String>, templates: impl Into<String>) -> Cell {
        Cell {
            model: model.into(),
            temperature: None,
            top_p: None,
            seed: None,
            max_tokens: None,
            feedback: FeedbackKind::Test,
            feedback_source: FeedbackSource::Fresh,
            helper: None,
            technique: Technique::Baseline,
            without: BTreeSet::new(),
            form: Form::Function,
            context: Context::Task,
            hints: BTreeSet::new(),
            strategy: Strategy::Single,
            extraction: Policy::Lenient,
            templates: templates.into(),
            other: BTreeMap::new(),
        }
    }

    /// The kind of feedback that prompts hold; `None` where that section is left out.
    pub fn told(&self) -> Option<FeedbackKind> {
        (!self.without.contains(&Section::Feedback)).then_some(self.feedback)
    }

    /// Whether a helper model is asked at some turn.
    pub fn needs_helper(&self) -> bool {
        let stored_only = self.feedback_source == FeedbackSource::Stored && self.strategy.turns() == 1;
        self.told().is_some_and(needs_helper) && !stored_only
    }

    /// The cell without what cannot change an answer: the helper where none is asked; feedback, its source
    /// where prompts hold none. Two settled cells with different ids can give different answers.
    #[must_use]
    pub fn settled(mut self) -> Cell {
        if !self.needs_helper() {
            self.helper = None;
        }
        if self.told().is_none() {
            self.feedback = FeedbackKind::Minimal;
            self.feedback_source = FeedbackSource::Fresh;
        }
        self
    }

    /// Checks that the cell can be run.
    ///
    /// # Errors
    ///
    /// The first [`CellError`] found.
    pub fn check(&self) -> Result<(), CellError> {
        if self.model.trim().is_empty() {
            return Err(CellError::NoModel);
        }
        if self.needs_helper() && self.helper.as_ref().is_none_or(|helper| helper.trim().is_empty()) {
            return Err(CellError::NoHelper(self.feedback));
        }
        let range = |key, value: Option<Decimal>, most: u32, allowed| match value {
            Some(value) if value.thousandths() > most => {
                Err(CellError::OutOfRange { key, found: value.to_string(), allowed })
            }
            _ => Ok(()),
        };
        range("temperature", self.temperature, 5_000, "0 to 5")?;
        range("top_p", self.top_p, 1_000, "0 to 1")?;
        if self.max_tokens == Some(0) {
            let (found, allowed) = ("0".to_owned(), "1 or more");
            return Err(CellError::OutOfRange { key: "max_tokens", found, allowed });
        }
        Ok(())
    }

    /// Canonical JSON: keys sorted, no white space, without keys that say nothing.
    pub fn canonical_json(&self) -> String {
        canonical(serde_json::to_value(self).unwrap_or(Value::Null)).to_string()
    }

    /// sha256 of [`Cell::canonical_json`].
    pub fn id(&self) -> CellId {
        CellId(hex(&Sha256::digest(self.canonical_json().as_bytes())))
    }
}

/// Whether another model writes feedback of this kind, or a part of it.
pub fn needs_helper(kind: FeedbackKind) -> bool {
    matches!(kind, FeedbackKind::LlmSkilled | FeedbackKind::LlmExpert | FeedbackKind::Mixed)
}

/// Objects by their sorted keys, all the way down.
fn canonical(value: Value) -> Value {
    match value {
        Value::Object(map) => {
            let sorted: BTreeMap<String, Value> =
                map.into_iter().map(|(key, value)| (key, canonical(value))).collect();
            Value::Object(sorted.into_iter().collect())
        }
        Value::Array(list) => Value::Array(list.into_iter().map(canonical).collect()),
        other => other,
    }
}

/// The id of a cell: 64 lower-case hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct CellId(String);

impl CellId {
    /// An id from its digits; `None` unless there are 64 of them.
    pub fn from_hex(digits: &str) -> Option<CellId> {
        (digits.len() == 64 && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')))
            .then(|| CellId(digits.to_owned()))
    }

    /// All digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The first twelve digits, for people.
    pub fn short(&self) -> &str {
        self.0.get(..12).unwrap_or(&self.0)
    }
}

impl fmt::Display for CellId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl<'de> Deserialize<'de> for CellId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<CellId, D::Error> {
        let text = String::deserialize(deserializer)?;
        CellId::from_hex(&text)
            .ok_or_else(|| serde::de::Error::custom("the id of a cell has 64 hexadecimal digits"))
    }
}

/// The form with this name.
///
/// # Errors
///
/// There is none; the nearest is named.
pub fn parse_form(text: &str) -> Result<Form, UnknownWord> {
    word::find("form", text, Form::ALL.map(|form| (form.as_str(), form)))
}

/// The extraction policy with this name.
///
/// # Errors
///
/// There is none; the nearest is named.
pub fn parse_policy(text: &str) -> Result<Policy, UnknownWord> {
    word::find(
        "extraction policy",
        text,
        [Policy::Lenient, Policy::Strict].map(|policy| (policy.as_str(), policy)),
    )
}

/// The kind of feedback with this name.
///
/// # Errors
///
/// There is none; the nearest is named.
pub fn parse_feedback(text: &str) -> Result<FeedbackKind, UnknownWord> {
    word::find("kind of feedback", text, FeedbackKind::ALL.map(|kind| (kind.as_str(), kind)))
}

/// Sections, separated by commas; an empty text is no section.
///
/// # Errors
///
/// One of the words is no section.
pub fn parse_without(text: &str) -> Result<BTreeSet<Section>, UnknownWord> {
    text.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::parse).collect()
}
