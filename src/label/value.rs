//! One answer to one question, and the answers to all questions of one subject.
//!
//! Promises: the JSON of a value never changes (`{"one":"yes"}`, `{"many":["a","b"]}`, `{"number":3.0}`,
//! `{"text":"…"}`), because stored labels hold it; a number is finite; equal values are equal bytes.
//! Leaves to others: whether a value fits its question ([`super::codebook::Codebook::check`]).

use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

/// What is told apart from "no label yet" in tables in which every item has a cell: the question was not asked,
/// because an earlier answer ruled it out. No answer may have this id.
pub const NOT_APPLICABLE: &str = "not-applicable";

/// What an annotator answered to one question.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Value {
    /// One answer, by its id: questions of kind single, ordinal and yes-no.
    One(String),
    /// Any number of answers, by their ids; none is an answer too ("nothing of this").
    Many(BTreeSet<String>),
    /// A finite number, in the unit of the question.
    Number(Finite),
    /// Free text.
    Text(String),
}

/// The answers to the questions about one subject by one annotator, by the id of the question.
pub type Labels = BTreeMap<String, Value>;

impl Value {
    /// One answer.
    pub fn one(answer: impl Into<String>) -> Value {
        Value::One(answer.into())
    }

    /// Several answers.
    pub fn many<Id: Into<String>>(answers: impl IntoIterator<Item = Id>) -> Value {
        Value::Many(answers.into_iter().map(Into::into).collect())
    }

    /// A number; none where it is not finite.
    pub fn number(number: f64) -> Option<Value> {
        Finite::new(number).map(Value::Number)
    }

    /// The ids of the answers in it, in order; none for a number and a text.
    pub fn answers(&self) -> Vec<&str> {
        match self {
            Value::One(answer) => vec![answer],
            Value::Many(answers) => answers.iter().map(String::as_str).collect(),
            Value::Number(_) | Value::Text(_) => Vec::new(),
        }
    }

    /// What it is, in words, for messages: "one answer".
    pub const fn form(&self) -> &'static str {
        match self {
            Value::One(_) => "one answer",
            Value::Many(_) => "a set of answers",
            Value::Number(_) => "a number",
            Value::Text(_) => "a text",
        }
    }
}

/// As people write it: the id, the ids with commas between, the number, the text.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::One(answer) => f.write_str(answer),
            Value::Many(answers) => {
                for (place, answer) in answers.iter().enumerate() {
                    if place > 0 {
                        f.write_str(",")?;
                    }
                    f.write_str(answer)?;
                }
                Ok(())
            }
            Value::Number(number) => number.fmt(f),
            Value::Text(text) => f.write_str(text),
        }
    }
}

/// A number that is neither infinite nor NaN, so that it can be compared, ordered and kept as JSON.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Finite(f64);

/// A number that is infinite or not a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a label must be a finite number")]
pub struct NotFinite;

impl Finite {
    /// The number, if it is finite; minus zero is zero.
    pub fn new(number: f64) -> Option<Finite> {
        number.is_finite().then_some(Finite(if number == 0.0 { 0.0 } else { number }))
    }

    /// The number.
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl TryFrom<f64> for Finite {
    type Error = NotFinite;

    fn try_from(number: f64) -> Result<Finite, NotFinite> {
        Finite::new(number).ok_or(NotFinite)
    }
}

impl From<Finite> for f64 {
    fn from(number: Finite) -> f64 {
        number.0
    }
}

impl PartialEq for Finite {
    fn eq(&self, other: &Finite) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Finite {}

impl PartialOrd for Finite {
    fn partial_cmp(&self, other: &Finite) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Finite {
    fn cmp(&self, other: &Finite) -> Ordering {
        self.0.total_cmp(&other.0)
    }
}

impl std::hash::Hash for Finite {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.0.to_bits().hash(state);
    }
}

impl fmt::Display for Finite {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_json_of_values_is_what_is_stored() {
        for (value, json) in [
            (Value::one("yes"), r#"{"one":"yes"}"#),
            (Value::many(["b", "a", "b"]), r#"{"many":["a","b"]}"#),
            (Value::many::<&str>([]), r#"{"many":[]}"#),
            (Value::Number(Finite(3.5)), r#"{"number":3.5}"#),
            (Value::Text("a \"b\"".to_owned()), r#"{"text":"a \"b\""}"#),
        ] {
            assert_eq!(serde_json::to_string(&value).ok().as_deref(), Some(json));
            assert_eq!(serde_json::from_str::<Value>(json).ok(), Some(value));
        }
        assert!(serde_json::from_str::<Value>(r#"{"number":1e999}"#).is_err());
        assert!(serde_json::from_str::<Value>(r#"{"number":null}"#).is_err());
    }

    #[test]
    fn numbers_are_finite_and_have_one_zero() {
        assert_eq!(Value::number(f64::NAN), None);
        assert_eq!(Value::number(f64::INFINITY), None);
        assert_eq!(Value::number(-0.0), Value::number(0.0));
        assert_eq!(Value::number(-0.0).map(|value| value.to_string()).as_deref(), Some("0"));
    }
}
