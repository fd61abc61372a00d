//! Labels as a codebook reads them: present, stale, or of a codebook that nobody has.
//!
//! Promises: a label that was given with an earlier codebook stands under its present names, or is told as stale
//! with what changed; so is one that its codebook never had, as a copy of a workspace from elsewhere may hold;
//! nothing is dropped in silence. Leaves to others: what changes between codebooks
//! (`codebook::changes`).

use super::codebook::{Carried, Change, Changes, Codebook, Stamp, changes};
use super::fold::{Given, Sheet};
use super::phase::Phase;
use super::round::Round;
use super::value::{Labels, Value};
use std::collections::{BTreeMap, HashMap};

/// A label that has to be looked at again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stale {
    /// The item.
    pub item: String,
    /// The question, by the name that it had.
    pub question: String,
    /// What was answered.
    pub value: Value,
    /// The codebook by which it was answered.
    pub codebook: Stamp,
    /// What changed since; none: that codebook is not here.
    pub changes: Vec<Change>,
}

impl Stale {
    /// Whether it never was a label of the round: the codebook by which it was given has no such question, or the
    /// question no such answer.
    pub fn is_foreign(&self) -> bool {
        self.changes.iter().any(|change| matches!(change, Change::NeverAsked | Change::NeverTaken))
    }

    /// Why it does not hold, in words.
    pub fn why(&self) -> String {
        if self.changes.is_empty() {
            return "its codebook is not here".to_owned();
        }
        let changes: Vec<String> = self.changes.iter().map(Change::to_string).collect();
        format!("the question {}", changes.join(", "))
    }
}

/// Labels as a codebook reads them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Reading {
    /// By item: the labels that hold, also those of questions that do not apply any more.
    pub labels: BTreeMap<String, Labels>,
    /// Those that do not hold.
    pub stale: Vec<Stale>,
}

impl Reading {
    /// Reads answers of a round, the earliest first, by one of its codebooks.
    pub fn of(round: &Round, codebook: &Codebook, answers: &[&Given]) -> Reading {
        let mut reader = Reader { round, codebook, stamp: codebook.stamp(), changes: HashMap::new() };
        let mut reading = Reading::default();
        for given in answers {
            let answer = &given.answer;
            match reader.carry(&answer.codebook, &answer.question, &answer.value) {
                Ok((question, value)) => {
                    reading.labels.entry(answer.item.clone()).or_default().insert(question, value);
                }
                Err(changes) => reading.stale.push(Stale {
                    item: answer.item.clone(),
                    question: answer.question.clone(),
                    value: answer.value.clone(),
                    codebook: answer.codebook.clone(),
                    changes,
                }),
            }
        }
        // Somebody who has answered again under the new name has nothing stale there.
        let labels = &reading.labels;
        reading.stale.retain(|stale| {
            let today =
                codebook.question_called(&stale.question).map_or(&stale.question, |question| &question.id);
            labels.get(&stale.item).is_none_or(|labels| !labels.contains_key(today))
        });
        reading
    }

    /// The labels of an item.
    pub fn item(&self, item: &str) -> Option<&Labels> {
        self.labels.get(item)
    }

    /// Whether an item has a stale label.
    pub fn is_stale(&self, item: &str) -> bool {
        self.stale.iter().any(|stale| stale.item == item)
    }
}

/// One annotator's labels, the blind ones read by the codebook that was in force when labelling ended, or is: what
/// several tables of a round are made of is read once.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Labelled {
    /// The labels.
    pub sheet: Sheet,
    /// The blind ones.
    pub blind: Reading,
}

impl Labelled {
    /// The labels of an annotator of a round.
    pub fn of(round: &Round, sheet: Sheet) -> Labelled {
        let blind = Reading::of(round, round.codebook_in(Phase::Labelling), &sheet.answers(Phase::Labelling));
        Labelled { sheet, blind }
    }

    /// Those of all annotators.
    pub fn all(round: &Round, sheets: impl IntoIterator<Item = Sheet>) -> Vec<Labelled> {
        sheets.into_iter().map(|sheet| Labelled::of(round, sheet)).collect()
    }
}

struct Reader<'a> {
    round: &'a Round,
    codebook: &'a Codebook,
    stamp: Stamp,
    changes: HashMap<Stamp, Option<Changes>>,
}

impl Reader<'_> {
    fn carry(
        &mut self,
        stamp: &Stamp,
        question: &str,
        value: &Value,
    ) -> Result<(String, Value), Vec<Change>> {
        if *stamp == self.stamp {
            // Codebooks have few questions and answers: nothing is looked up in tables or made on the way.
            return match self.codebook.question(question) {
                None => Err(vec![Change::NeverAsked]),
                Some(asked) if asked.check(value).is_err() => Err(vec![Change::NeverTaken]),
                Some(_) => Ok((question.to_owned(), value.clone())),
            };
        }
        if !self.changes.contains_key(stamp) {
            let since = self.round.codebook_of(stamp).map(|old| changes(old, self.codebook));
            self.changes.insert(stamp.clone(), since);
        }
        match self.changes.get(stamp).and_then(Option::as_ref) {
            None => Err(Vec::new()),
            Some(changes) => match changes.carry(question, value) {
                Carried::Kept { question, value } => Ok((question, value)),
                Carried::Stale(changes) => Err(changes),
            },
        }
    }
}
