//! Whether a value fits its question.
//!
//! Promises: a value that passes can be stored and counted: its answers exist and can be given, its question
//! applies, its number lies in the range. What does not pass says what would.

use super::{Applies, Codebook, Kind, Question};
use crate::label::value::{Labels, Value};
use crate::text::truncate;

/// Longest text of a label, in bytes.
const LONGEST_TEXT: usize = 64 * 1024;

/// Why a value is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    /// No such question.
    #[error("there is no question `{question}`: the codebook asks {known}")]
    UnknownQuestion {
        /// What was written.
        question: String,
        /// The questions that there are.
        known: String,
    },
    /// A value of another form than the kind of the question wants.
    #[error("`{question}` takes {wanted}, not {found}")]
    WrongForm {
        /// The question.
        question: String,
        /// What it takes.
        wanted: &'static str,
        /// What was given.
        found: &'static str,
    },
    /// No such answer.
    #[error("`{answer}` is no answer of `{question}`: choose from {known}")]
    UnknownAnswer {
        /// The question.
        question: String,
        /// What was written.
        answer: String,
        /// The answers that can be given.
        known: String,
    },
    /// A heading.
    #[error("`{answer}` of `{question}` is a heading: choose from {known}")]
    Heading {
        /// The question.
        question: String,
        /// What was written.
        answer: String,
        /// What stands under it and can be given.
        known: String,
    },
    /// A number outside the range.
    #[error("{number} is not allowed for `{question}`: it must be {range}")]
    OutOfRange {
        /// The question.
        question: String,
        /// What was given.
        number: String,
        /// What is allowed.
        range: String,
    },
    /// A text without a character that is not white space.
    #[error("an empty text is no answer to `{question}`: take the label back instead")]
    EmptyText {
        /// The question.
        question: String,
    },
    /// A text that is too long.
    #[error("the text for `{question}` is longer than {LONGEST_TEXT} bytes")]
    LongText {
        /// The question.
        question: String,
    },
    /// The question does not apply.
    #[error("`{question}` does not apply: it is asked where `{earlier}` is {wanted}")]
    NotAsked {
        /// The question.
        question: String,
        /// The question that it depends on.
        earlier: String,
        /// The answers that would enable it.
        wanted: String,
    },
    /// The question depends on one that has no answer yet.
    #[error("`{question}` waits for an answer to `{earlier}`: give that one first")]
    NotYet {
        /// The question.
        question: String,
        /// The question that comes first.
        earlier: String,
    },
}

impl Codebook {
    /// Whether `value` may be the label of a question, where the subject has these other labels already (a label
    /// of the question itself among them does not matter).
    ///
    /// # Errors
    /// What is wrong, and what would be right.
    pub fn check(&self, question: &str, value: &Value, others: &Labels) -> Result<(), ValueError> {
        let Some(found) = self.question(question) else {
            return Err(ValueError::UnknownQuestion {
                question: short(question),
                known: list(self.questions.iter().map(|question| question.id.as_str())),
            });
        };
        found.check(value)?;
        let condition = match (self.applies(found, others), &found.when) {
            (Applies::Yes, _) | (_, None) => return Ok(()),
            (_, Some(condition)) => condition,
        };
        let question = found.id.clone();
        let earlier = condition.question.clone();
        match self.applies(found, others) {
            Applies::NotYet => Err(ValueError::NotYet { question, earlier: self.first_open(found, others) }),
            _ => {
                let wanted = condition.answers.join(" or ");
                Err(ValueError::NotAsked { question, earlier, wanted })
            }
        }
    }

    /// The first question in the chain of conditions that has no answer.
    fn first_open(&self, question: &Question, labels: &Labels) -> String {
        let mut open = question.id.clone();
        let mut at = question;
        for _ in 0..self.questions.len() {
            let Some(earlier) = at.when.as_ref().and_then(|when| self.question(&when.question)) else {
                break;
            };
            if !labels.contains_key(&earlier.id) {
                open.clone_from(&earlier.id);
            }
            at = earlier;
        }
        open
    }
}

impl Question {
    /// Whether the value fits the question, whatever the other labels are.
    ///
    /// # Errors
    /// What is wrong, and what would be right.
    pub fn check(&self, value: &Value) -> Result<(), ValueError> {
        let question = || self.id.clone();
        match (&self.kind, value) {
            (Kind::Single | Kind::Ordinal | Kind::YesNo, Value::One(answer)) => self.check_answer(answer),
            (Kind::Multiple, Value::Many(answers)) => {
                answers.iter().try_for_each(|answer| self.check_answer(answer))
            }
            (Kind::Number { min, max, .. }, Value::Number(number)) => {
                let inside = min.is_none_or(|min| min <= *number) && max.is_none_or(|max| *number <= max);
                let range = match (min, max) {
                    _ if inside => return Ok(()),
                    (Some(min), Some(max)) => format!("{min} to {max}"),
                    (Some(min), None) => format!("at least {min}"),
                    (None, Some(max)) => format!("at most {max}"),
                    (None, None) => return Ok(()),
                };
                Err(ValueError::OutOfRange { question: question(), number: number.to_string(), range })
            }
            (Kind::Text, Value::Text(text)) if text.trim().is_empty() => {
                Err(ValueError::EmptyText { question: question() })
            }
            (Kind::Text, Value::Text(text)) if text.len() > LONGEST_TEXT => {
                Err(ValueError::LongText { question: question() })
            }
            (Kind::Text, Value::Text(_)) => Ok(()),
            (kind, value) => Err(ValueError::WrongForm {
                question: question(),
                wanted: match kind {
                    Kind::Single | Kind::Ordinal | Kind::YesNo => "one answer",
                    Kind::Multiple => "a set of answers",
                    Kind::Number { .. } => "a number",
                    Kind::Text => "a text",
                },
                found: value.form(),
            }),
        }
    }

    fn check_answer(&self, id: &str) -> Result<(), ValueError> {
        let question = || self.id.clone();
        match self.answer(id) {
            None => Err(ValueError::UnknownAnswer {
                question: question(),
                answer: short(id),
                known: list(self.categories().map(|answer| answer.id.as_str())),
            }),
            Some(answer) if !answer.can_be_given() => Err(ValueError::Heading {
                question: question(),
                answer: answer.id.clone(),
                known: list(
                    self.categories()
                        .filter(|below| self.ancestors(&below.id).iter().any(|above| above.id == id))
                        .map(|below| below.id.as_str()),
                ),
            }),
            Some(_) => Ok(()),
        }
    }
}

/// What somebody wrote, short enough for a message.
fn short(text: &str) -> String {
    truncate(text, 60).into_owned()
}

fn list<'a>(ids: impl Iterator<Item = &'a str>) -> String {
    let ids: Vec<&str> = ids.collect();
    if ids.is_empty() { "nothing".to_owned() } else { ids.join(", ") }
}
