//! How one annotator labels: over time, against known answers, against themselves, and how fast.
//!
//! Promises: pure; blocks are made of the annotator's own order of serving and hold at least [`LEAST`] items, so that
//! a share is never one of three; every number has its n; gold and repeated items count for nothing else.
//! Leaves to others: whose may be seen (`visible`, `study`), the pace (`status`).

use super::codebook::Kind;
use super::compare::{Basis, Part, Scope};
use super::item::Purpose;
use super::overview::Line;
use super::phase::Phase;
use super::reading::{Labelled, Reading};
use super::round::Round;
use super::status::{Pace, pace};
use super::value::{Labels, Value};
use crate::agreement::{Estimate, PairTable, Weights, cohen_kappa};
use std::collections::HashMap;

/// Fewest items of a block.
pub const LEAST: usize = 10;
/// Most blocks.
pub const MOST_BLOCKS: usize = 8;

/// How much of somebody may be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Told {
    /// What they answered.
    pub answers: bool,
    /// How fast.
    pub pace: bool,
    /// How often they gave the answers that are known.
    pub gold: bool,
    /// How far they agree with others.
    pub agreement: bool,
}

/// One annotator.
#[derive(Debug, Clone, PartialEq)]
pub struct Person {
    /// The number.
    pub number: usize,
    /// The name.
    pub name: String,
    /// What may be told.
    pub told: Told,
    /// Items that they label.
    pub assigned: usize,
    /// Items with an answer.
    pub answered: usize,
    /// How fast.
    pub pace: Option<Pace>,
    /// Against answers that are known.
    pub gold: Option<Gold>,
    /// Against themselves, by question.
    pub again: Vec<Again>,
    /// Over time, by question.
    pub drift: Vec<Drift>,
}

/// Items whose answers are known.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Gold {
    /// Items that were answered.
    pub n: u64,
    /// Those with all the known answers.
    pub right: u64,
    /// The others: item, question, what was said, what is right.
    pub wrong: Vec<[String; 4]>,
}

/// One question on items that were served twice.
#[derive(Debug, Clone, PartialEq)]
pub struct Again {
    /// The question.
    pub question: String,
    /// Items with both answers.
    pub n: u64,
    /// Of these, with the same.
    pub same: u64,
    /// Cohen's kappa of the first and the second serving.
    pub kappa: Estimate,
    /// Those that differ: item, first answer, second answer.
    pub differ: Vec<[String; 3]>,
}

/// One question over time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Drift {
    /// The question.
    pub question: String,
    /// Its categories.
    pub categories: Vec<String>,
    /// The blocks, the earliest first.
    pub blocks: Vec<Block>,
}

/// Some items that follow each other in the annotator's order.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Block {
    /// Items with an answer to the question.
    pub n: u64,
    /// How often each category was the answer.
    pub counts: Vec<u64>,
    /// Pairs of labels with a partner that are equal, and all of them; none where that may not be told.
    pub agreed: Option<(u64, u64)>,
    /// The items, each with the number of its answer.
    pub items: Vec<(String, usize)>,
}

/// What may be told of an annotator; `lines` are those of the round, for agreement over time.
pub fn person(round: &Round, number: usize, own: &Labelled, lines: &[Line], told: Told) -> Person {
    let Labelled { sheet, blind: reading } = own;
    let queue: Vec<usize> = round.queue(number).collect();
    let answered = |at: &&usize| {
        let labels = round.items.get(**at).and_then(|item| reading.item(&item.name));
        labels.is_some_and(|labels| !labels.is_empty())
    };
    let view = View { round, reading, queue: &queue };
    Person {
        number,
        name: round.annotators.get(number).map_or_else(String::new, |person| person.name.clone()),
        told,
        assigned: queue.len(),
        answered: queue.iter().filter(answered).count(),
        pace: told.pace.then(|| pace(sheet)).flatten(),
        gold: told.gold.then(|| view.gold()).filter(|gold| gold.n > 0),
        again: if told.answers { view.again() } else { Vec::new() },
        drift: if told.answers { view.drift(number, lines, told.agreement) } else { Vec::new() },
    }
}

struct View<'a> {
    round: &'a Round,
    reading: &'a Reading,
    queue: &'a [usize],
}

impl View<'_> {
    fn labels(&self, item: &str) -> Option<&Labels> {
        self.reading.item(item)
    }

    fn gold(&self) -> Gold {
        let mut gold = Gold::default();
        for number in self.queue {
            let Some(item) = self.round.items.get(*number) else { continue };
            let Purpose::Gold(known) = &item.purpose else { continue };
            let Some(labels) = self.labels(&item.name).filter(|labels| !labels.is_empty()) else { continue };
            gold.n += 1;
            let wrong: Vec<(&String, &Value)> = known
                .answers
                .iter()
                .filter(|(question, value)| labels.get(*question) != Some(*value))
                .collect();
            gold.right += u64::from(wrong.is_empty());
            for (question, value) in wrong {
                let said = labels.get(question).map_or_else(|| "—".to_owned(), ToString::to_string);
                gold.wrong.push([item.name.clone(), question.clone(), said, value.to_string()]);
            }
        }
        gold
    }

    /// Questions whose answers are names that can be counted.
    fn questions(&self) -> impl Iterator<Item = (&super::codebook::Question, Vec<String>)> {
        let codebook = self.round.codebook_in(Phase::Labelling);
        let counted = codebook.questions.iter().filter(|question| question.counts);
        counted
            .filter(|question| matches!(question.kind, Kind::Single | Kind::YesNo | Kind::Ordinal))
            .map(|question| (question, question.categories().map(|answer| answer.id.clone()).collect()))
    }

    fn again(&self) -> Vec<Again> {
        let twice: Vec<(&str, &str)> = self
            .queue
            .iter()
            .filter_map(|number| self.round.items.get(*number))
            .filter_map(|item| match &item.purpose {
                Purpose::Repeat(first) => Some((first.as_str(), item.name.as_str())),
                _ => None,
            })
            .collect();
        if twice.is_empty() {
            return Vec::new();
        }
        let mut all = Vec::new();
        for (question, categories) in self.questions() {
            let place: HashMap<&str, usize> = categories.iter().map(String::as_str).zip(0..).collect();
            let said = |item: &str| match self.labels(item)?.get(&question.id)? {
                Value::One(id) => place.get(id.as_str()).copied(),
                _ => None,
            };
            let pairs =
                twice.iter().filter_map(|(first, second)| Some((*first, said(first)?, said(second)?)));
            let pairs: Vec<(&str, usize, usize)> = pairs.collect();
            let cells = pairs.iter().map(|(_, one, other)| (*one, *other));
            let (Ok(table), Ok(nominal)) =
                (PairTable::of_pairs(categories.len(), cells), Weights::nominal(categories.len()))
            else {
                continue;
            };
            let differ = pairs.iter().filter(|(_, one, other)| one != other);
            let differ = differ.map(|(item, one, other)| {
                [(*item).to_owned(), categories[*one].clone(), categories[*other].clone()]
            });
            all.push(Again {
                question: question.id.clone(),
                n: table.total(),
                same: table.agreed(),
                kappa: cohen_kappa(&table, &nominal).estimate,
                differ: differ.collect(),
            });
        }
        all
    }

    fn drift(&self, annotator: usize, lines: &[Line], agreement: bool) -> Vec<Drift> {
        let mut all = Vec::new();
        for (question, categories) in self.questions() {
            let place: HashMap<&str, usize> = categories.iter().map(String::as_str).zip(0..).collect();
            let said = |item: &str| match self.labels(item)?.get(&question.id)? {
                Value::One(id) => place.get(id.as_str()).copied(),
                _ => None,
            };
            let items = self.queue.iter().filter_map(|number| self.round.items.get(*number));
            let studied = items.filter(|item| item.purpose.is_compared());
            let answers: Vec<(&str, usize)> =
                studied.filter_map(|item| Some((item.name.as_str(), said(&item.name)?))).collect();
            if answers.is_empty() {
                continue;
            }
            let line = lines.iter().find(|line| {
                (line.question.as_str(), line.basis, line.scope, line.part)
                    == (question.id.as_str(), Basis::Blind, Scope::Asked, Part::Every)
            });
            let line = line.filter(|_| agreement).map(Partners::of);
            let count = (answers.len() / LEAST).clamp(1, MOST_BLOCKS);
            let block = |number: usize| {
                let part = &answers[number * answers.len() / count..(number + 1) * answers.len() / count];
                let mut counts = vec![0; categories.len()];
                part.iter().for_each(|(_, category)| counts[*category] += 1);
                Block {
                    n: part.len() as u64,
                    counts,
                    agreed: line.as_ref().map(|line| line.agreed(annotator, part)),
                    items: part.iter().map(|(item, answer)| ((*item).to_owned(), *answer)).collect(),
                }
            };
            let blocks = (0..count).map(block).collect();
            all.push(Drift { question: question.id.clone(), categories: categories.clone(), blocks });
        }
        all
    }
}

/// A line whose items are found by their names.
struct Partners<'a> {
    line: &'a Line,
    places: HashMap<&'a str, usize>,
}

impl Partners<'_> {
    fn of(line: &Line) -> Partners<'_> {
        let places = line.items.iter().map(String::as_str).zip(0..).collect();
        Partners { line, places }
    }

    /// Equal pairs of labels with partners on these items, and all such pairs.
    fn agreed(&self, annotator: usize, items: &[(&str, usize)]) -> (u64, u64) {
        let (mut equal, mut all) = (0, 0);
        for (item, _) in items {
            let Some(place) = self.places.get(item) else { continue };
            let label =
                |rater: usize| self.line.labels.get(rater).and_then(|row| row.get(*place)).copied().flatten();
            let Some(own) = label(annotator) else { continue };
            for partner in (0..self.line.labels.len()).filter(|partner| *partner != annotator) {
                if let Some(other) = label(partner) {
                    all += 1;
                    equal += u64::from(own == other);
                }
            }
        }
        (equal, all)
    }
}

#[cfg(test)]
#[path = "drift_tests.rs"]
mod tests;
