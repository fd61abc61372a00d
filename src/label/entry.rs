//! What scripts and people type as an answer, as a value.
//!
//! Promises: a word is read as its question wants it: an id (also an earlier one), several ids with commas
//! between, a number, a text; what does not fit is refused with what would. Leaves to others: whether the question
//! is asked ([`super::codebook::Codebook::check`]).

use super::codebook::{Codebook, Kind, Question, ValueError};
use super::value::Value;
use serde_json::Value as Json;
use std::collections::BTreeSet;

/// Why a text is no answer.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EntryError {
    /// The codebook refuses it.
    #[error(transparent)]
    Value(#[from] ValueError),
    /// A number was wanted.
    #[error("`{question}` takes a number, not `{found}`")]
    NotANumber {
        /// The question.
        question: String,
        /// What was written.
        found: String,
    },
    /// JSON of another shape.
    #[error("an answer is a text, a number or a list of texts, not {found}")]
    BadShape {
        /// What it is.
        found: &'static str,
    },
}

/// The question that is called so, now or earlier.
pub fn question<'a>(codebook: &'a Codebook, name: &str) -> Result<&'a Question, ValueError> {
    codebook.question_called(name).ok_or_else(|| ValueError::UnknownQuestion {
        question: crate::text::truncate(name, 60).into_owned(),
        known: codebook.questions.iter().map(|question| question.id.as_str()).collect::<Vec<_>>().join(", "),
    })
}

/// A word as the answer to a question.
pub fn of_text(question: &Question, text: &str) -> Result<Value, EntryError> {
    let id = |word: &str| {
        let word = word.trim();
        question.answer_called(word).map_or_else(|| word.to_owned(), |answer| answer.id.clone())
    };
    let value = match &question.kind {
        Kind::Single | Kind::Ordinal | Kind::YesNo => Value::One(id(text)),
        Kind::Multiple => {
            let empty = matches!(text.trim(), "" | "{}");
            let words = text.split(',').filter(|word| !empty && !word.trim().is_empty());
            Value::Many(words.map(id).collect())
        }
        Kind::Number { .. } => {
            let number = text.trim().parse().ok().and_then(Value::number);
            number.ok_or_else(|| not_a_number(question, text))?
        }
        Kind::Text => Value::Text(text.to_owned()),
    };
    question.check(&value)?;
    Ok(value)
}

/// A JSON value as the answer to a question.
pub fn of_json(question: &Question, json: &Json) -> Result<Value, EntryError> {
    match json {
        Json::String(text) => of_text(question, text),
        Json::Bool(yes) if question.kind == Kind::YesNo => of_text(question, if *yes { "yes" } else { "no" }),
        Json::Number(number) if matches!(question.kind, Kind::Number { .. }) => {
            let value = number.as_f64().and_then(Value::number);
            let value = value.ok_or_else(|| not_a_number(question, &number.to_string()))?;
            question.check(&value)?;
            Ok(value)
        }
        Json::Number(number) => of_text(question, &number.to_string()),
        Json::Array(list) => {
            let words: Option<BTreeSet<String>> =
                list.iter().map(|word| word.as_str().map(str::to_owned)).collect();
            let words = words.ok_or(EntryError::BadShape { found: "a list of other things" })?;
            let id = |word: String| question.answer_called(&word).map_or(word, |answer| answer.id.clone());
            let value = Value::Many(words.into_iter().map(id).collect());
            question.check(&value)?;
            Ok(value)
        }
        Json::Null => Err(EntryError::BadShape { found: "null" }),
        Json::Bool(_) => Err(EntryError::BadShape { found: "a truth value" }),
        Json::Object(_) => Err(EntryError::BadShape { found: "an object" }),
    }
}

fn not_a_number(question: &Question, found: &str) -> EntryError {
    EntryError::NotANumber {
        question: question.id.clone(),
        found: crate::text::truncate(found, 60).into_owned(),
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::testing::question;
    use super::*;
    use serde_json::json;

    #[test]
    fn words_are_read_as_the_question_wants_them() {
        let mut single = question("q", Kind::Single, &["A", "B"], None);
        single.answers[0].renamed_from.push("alpha".to_owned());
        assert_eq!(of_text(&single, " B "), Ok(Value::one("B")));
        assert_eq!(of_text(&single, "alpha"), Ok(Value::one("A")));
        assert!(of_text(&single, "Z").unwrap_err().to_string().contains("`Z` is no answer of `q`"));
        let many = question("m", Kind::Multiple, &["A", "B"], None);
        assert_eq!(of_text(&many, "B,A"), Ok(Value::many(["A", "B"])));
        assert_eq!(of_text(&many, "{}"), Ok(Value::many::<&str>([])));
        assert_eq!(of_json(&many, &json!(["B"])), Ok(Value::many(["B"])));
        let number = question("n", Kind::Number { min: None, max: None, unit: None }, &[], None);
        assert_eq!(of_text(&number, "2.5").ok(), Value::number(2.5));
        assert_eq!(of_json(&number, &json!(3)).ok(), Value::number(3.0));
        for bad in ["x", "NaN", "inf"] {
            assert!(of_text(&number, bad).unwrap_err().to_string().contains("takes a number"), "{bad}");
        }
        let yes = question("y", Kind::YesNo, &["yes", "no"], None);
        assert_eq!(of_json(&yes, &json!(true)), Ok(Value::one("yes")));
        for bad in [json!(null), json!({}), json!([1]), json!(7)] {
            assert!(of_json(&yes, &bad).is_err(), "{bad}");
        }
    }
}
