//! What changed between two versions of a codebook, and which labels that makes stale.
//!
//! Promises: a label is stale exactly where it might be another one today. That is every label of a question whose
//! text, kind or unit changed, or that has a new answer, or an answer with another definition or another place in the
//! hierarchy (answers are chosen against each other); and the labels that hold an answer that is gone or a number
//! that is no longer allowed. Renaming keeps labels, and so do other keys, examples, headings of the page, and
//! conditions: those decide which labels count, not what they mean.
//! Leaves to others: which labels there are.

use super::{Answer, Codebook, Kind, Question};
use crate::label::value::Value;
use std::collections::BTreeMap;
use std::fmt;

/// What changed between two versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Changes {
    /// Tasks are labelled where turns were, or the other way round: no label can stay.
    pub subject_changed: bool,
    /// The questions with a change, in the order of the new version; those that are gone at the end.
    pub questions: Vec<QuestionChange>,
    new: Codebook,
}

/// What changed in a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct QuestionChange {
    /// Its id in the old version; none for a new question.
    pub old: Option<String>,
    /// Its id in the new version; none for one that is gone.
    pub new: Option<String>,
    /// What changed, at least one thing.
    pub changes: Vec<Change>,
}

/// One change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// The question is new.
    Added,
    /// The question is gone.
    Removed,
    /// The question has another id.
    Renamed,
    /// Something else is asked.
    Text,
    /// It is answered in another way.
    Kind,
    /// The number counts something else.
    Unit,
    /// Other numbers are allowed.
    Range,
    /// The scale has another order.
    Order,
    /// There is another answer to choose.
    AnswerAdded(String),
    /// An answer can no longer be chosen (its old id).
    AnswerRemoved(String),
    /// An answer has another id.
    AnswerRenamed {
        /// The old id.
        from: String,
        /// The new id.
        to: String,
    },
    /// An answer means something else (its new id).
    AnswerMeaning(String),
    /// An answer stands elsewhere in the hierarchy (its new id).
    AnswerMoved(String),
    /// It is asked of other subjects.
    Condition,
    /// It is answered, read or counted more easily: keys, labels, examples, `counts`, `required`.
    Presentation,
    /// Nothing changed: no codebook of the round ever asked it. Only a label has this, one that came from elsewhere.
    NeverAsked,
    /// Nothing changed: it never took what was answered. Only a label has this, one that came from elsewhere.
    NeverTaken,
}

/// What becomes of a label of the old version.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Carried {
    /// It stays, under these names.
    Kept {
        /// The id of the question in the new version.
        question: String,
        /// The value with the ids of the new version.
        value: Value,
    },
    /// It is to be looked at again.
    Stale(Vec<Change>),
}

impl Change {
    /// Whether every label of the question is stale by it.
    pub const fn touches_all(&self) -> bool {
        matches!(
            self,
            Change::Removed
                | Change::Text
                | Change::Kind
                | Change::Unit
                | Change::Order
                | Change::AnswerAdded(_)
                | Change::AnswerMeaning(_)
                | Change::AnswerMoved(_)
        )
    }
}

impl fmt::Display for Change {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Change::Added => f.write_str("is new"),
            Change::Removed => f.write_str("is gone"),
            Change::Renamed => f.write_str("has another id"),
            Change::Text => f.write_str("asks something else"),
            Change::Kind => f.write_str("is answered in another way"),
            Change::Unit => f.write_str("counts in another unit"),
            Change::Range => f.write_str("allows other numbers"),
            Change::Order => f.write_str("has its scale in another order"),
            Change::AnswerAdded(id) => write!(f, "has the new answer `{id}`"),
            Change::AnswerRemoved(id) => write!(f, "has no answer `{id}` any more"),
            Change::AnswerRenamed { from, to } => write!(f, "calls its answer `{from}` now `{to}`"),
            Change::AnswerMeaning(id) => write!(f, "defines its answer `{id}` in another way"),
            Change::AnswerMoved(id) => write!(f, "has its answer `{id}` elsewhere in the hierarchy"),
            Change::Condition => f.write_str("is asked of other subjects"),
            Change::Presentation => f.write_str("has other keys, labels, examples or switches"),
            Change::NeverAsked => f.write_str("is not in the codebook"),
            Change::NeverTaken => f.write_str("does not take such an answer"),
        }
    }
}

/// Compares two versions of a codebook, which need not follow each other: `renamed_from` names every id that there
/// was.
pub fn changes(old: &Codebook, new: &Codebook) -> Changes {
    let mut questions = Vec::new();
    for question in &new.questions {
        let before = before(&old.questions, |question| &question.id, &question.id, &question.renamed_from);
        let changes = match before {
            Some(before) => between(before, question),
            None => vec![Change::Added],
        };
        if !changes.is_empty() {
            questions.push(QuestionChange {
                old: before.map(|before| before.id.clone()),
                new: Some(question.id.clone()),
                changes,
            });
        }
    }
    for question in old.questions.iter().filter(|question| new.question_called(&question.id).is_none()) {
        let changes = vec![Change::Removed];
        questions.push(QuestionChange { old: Some(question.id.clone()), new: None, changes });
    }
    Changes { subject_changed: old.subject != new.subject, questions, new: new.clone() }
}

impl Changes {
    /// Whether the two versions are the same but for title, guide and version.
    pub fn is_empty(&self) -> bool {
        !self.subject_changed && self.questions.is_empty()
    }

    /// What becomes of a label that was given with the old version.
    pub fn carry(&self, question: &str, value: &Value) -> Carried {
        let change = self.questions.iter().find(|change| change.old.as_deref() == Some(question));
        let changes = change.map_or(&[][..], |change| &change.changes);
        let id = match change {
            Some(change) => change.new.as_deref(),
            None => Some(question),
        };
        let found = id.and_then(|id| self.new.question(id));
        let (false, Some(found)) = (self.subject_changed, found) else {
            // A question that is gone is among the changes.
            let never = !self.subject_changed && change.is_none();
            return Carried::Stale(vec![if never { Change::NeverAsked } else { Change::Removed }]);
        };
        let mut stale: Vec<Change> = changes.iter().filter(|change| change.touches_all()).cloned().collect();
        let mut renamed = BTreeMap::new();
        for change in changes {
            match change {
                Change::AnswerRemoved(gone) if value.answers().contains(&gone.as_str()) => {
                    stale.push(change.clone());
                }
                Change::AnswerRenamed { from, to } => {
                    renamed.insert(from.as_str(), to.as_str());
                }
                _ => {}
            }
        }
        let called = |id: &String| renamed.get(id.as_str()).map_or_else(|| id.clone(), |id| (*id).to_owned());
        let value = match value {
            Value::One(answer) => Value::One(called(answer)),
            Value::Many(answers) => Value::Many(answers.iter().map(called).collect()),
            other => other.clone(),
        };
        if stale.is_empty() && found.check(&value).is_err() {
            let ranged = changes.contains(&Change::Range);
            stale.push(if ranged { Change::Range } else { Change::NeverTaken });
        }
        match stale.is_empty() {
            true => Carried::Kept { question: found.id.clone(), value },
            false => Carried::Stale(stale),
        }
    }
}

/// What something was before: the one with its id, else the one with an id that it had.
fn before<'a, T>(all: &'a [T], id_of: impl Fn(&T) -> &String, id: &str, earlier: &[String]) -> Option<&'a T> {
    all.iter()
        .find(|other| id_of(other) == id)
        .or_else(|| all.iter().find(|other| earlier.contains(id_of(other))))
}

fn between(old: &Question, new: &Question) -> Vec<Change> {
    let mut changes = Vec::new();
    let mut note = |happened: bool, change: Change| {
        if happened {
            changes.push(change);
        }
    };
    note(old.id != new.id, Change::Renamed);
    note(!same_words(&old.text, &new.text), Change::Text);
    match (&old.kind, &new.kind) {
        (Kind::Number { min, max, unit }, Kind::Number { min: new_min, max: new_max, unit: new_unit }) => {
            note(unit != new_unit, Change::Unit);
            note((min, max) != (new_min, new_max), Change::Range);
        }
        (old, new) => note(old != new, Change::Kind),
    }
    let was = |answer: &Answer| before(&old.answers, |other| &other.id, &answer.id, &answer.renamed_from);
    // Answers by their new ids, so that a renamed parent or neighbour is the same one.
    let today = |id: &str| new.answer_called(id).map_or_else(|| id.to_owned(), |answer| answer.id.clone());
    let mut presentation = (old.counts, old.required) != (new.counts, new.required);
    for answer in &new.answers {
        let id = || answer.id.clone();
        let Some(was) = was(answer) else {
            note(answer.can_be_given(), Change::AnswerAdded(id()));
            continue;
        };
        note(was.id != answer.id, Change::AnswerRenamed { from: was.id.clone(), to: id() });
        note(!was.can_be_given() && answer.can_be_given(), Change::AnswerAdded(id()));
        note(was.can_be_given() && !answer.can_be_given(), Change::AnswerRemoved(was.id.clone()));
        note(was.parent.as_deref().map(today) != answer.parent, Change::AnswerMoved(id()));
        note(!same_words(meaning(was), meaning(answer)), Change::AnswerMeaning(id()));
        presentation |= (was.key, &was.label, &was.positive, &was.negative)
            != (answer.key, &answer.label, &answer.positive, &answer.negative);
    }
    for gone in old.answers.iter().filter(|answer| new.answer_called(&answer.id).is_none()) {
        note(gone.can_be_given(), Change::AnswerRemoved(gone.id.clone()));
    }
    if new.kind == Kind::Ordinal && old.kind == Kind::Ordinal {
        let order: Vec<String> = old
            .categories()
            .map(|answer| today(&answer.id))
            .filter(|id| new.answer(id).is_some_and(Answer::can_be_given))
            .collect();
        let kept: Vec<String> =
            new.categories().map(|answer| answer.id.clone()).filter(|id| order.contains(id)).collect();
        note(order != kept, Change::Order);
    }
    note(old.when != new.when, Change::Condition);
    note(presentation, Change::Presentation);
    changes
}

/// What an answer means: its definition, and where there is none its label.
fn meaning(answer: &Answer) -> &str {
    if answer.definition.trim().is_empty() { &answer.label } else { &answer.definition }
}

/// Whether two texts are the same but for white space.
fn same_words(one: &str, other: &str) -> bool {
    one.split_whitespace().eq(other.split_whitespace())
}
