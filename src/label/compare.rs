//! What is compared between annotators: which labels, on which items, of which question.
//!
//! Promises: pure; blind labels are those that were frozen when labelling ended, whatever was said later; revised
//! ones stand apart and are so named; items that an annotator had seen in an earlier round are marked, for labels
//! of those are no independent ones; a question that is asked only after another is compared twice: on the items
//! where everybody was asked it, and on all items with "not asked" as a category. Leaves to others: the statistics
//! (`agreement`), whether somebody may see them (`visible`).

use super::codebook::{Applies, Codebook, Kind, Question};
use super::fold::{Given, Sheet};
use super::phase::Phase;
use super::reading::Reading;
use super::round::Round;
use super::value::{Labels, NOT_APPLICABLE, Value};
use std::collections::BTreeSet;

/// Which labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Basis {
    /// As they were when labelling ended, or are while it goes on: nobody knew of the others.
    Blind,
    /// As they are after annotators talked about them.
    Revised,
}

impl Basis {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Basis::Blind => "blind",
            Basis::Revised => "revised",
        }
    }
}

/// On which items a question that is asked only after another is compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    /// Those where all of their annotators were asked it.
    Asked,
    /// All; not being asked is a category.
    All,
}

impl Scope {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Scope::Asked => "asked",
            Scope::All => "all",
        }
    }
}

/// Which items.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Part {
    /// All that are compared.
    Every,
    /// Those that no annotator had seen before.
    New,
    /// Those that were labelled in an earlier round and are verified again.
    Reverified,
}

impl Part {
    /// The word for it.
    pub fn as_str(self) -> &'static str {
        match self {
            Part::Every => "every",
            Part::New => "new",
            Part::Reverified => "re-verified",
        }
    }
}

/// The labels of one question, ready to be counted.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// The question.
    pub question: String,
    /// Which labels.
    pub basis: Basis,
    /// On which items.
    pub scope: Scope,
    /// Which of them.
    pub part: Part,
    /// Names of the annotators.
    pub raters: Vec<String>,
    /// Names of the items.
    pub items: Vec<String>,
    /// Items among these that were seen before.
    pub reverified: usize,
    /// The categories in their order; for numbers, those that occur.
    pub categories: Vec<String>,
    /// Whether their order means something.
    pub ordered: bool,
    /// Whether a label is a set of categories.
    pub sets: bool,
    /// By rater and item; none: no label, or not asked in [`Scope::Asked`].
    pub cells: Vec<Vec<Option<Value>>>,
    /// Stale labels that were left out.
    pub stale: usize,
}

impl Compared {
    /// Whether nobody had spoken about the items before.
    pub fn is_independent(&self) -> bool {
        self.basis == Basis::Blind && self.reverified == 0
    }

    /// The category of a label.
    pub fn category(&self, value: &Value) -> Option<usize> {
        let name = value.to_string();
        self.categories.iter().position(|category| *category == name)
    }
}

/// The codebook by which labels of a basis are read.
pub(super) fn codebook_of(round: &Round, basis: Basis) -> &Codebook {
    match basis {
        Basis::Blind => round.codebook_in(Phase::Labelling),
        Basis::Revised => round.codebook(),
    }
}

/// Everything that is compared on a basis: each question that counts, and of those that are asked only after
/// another both scopes; where some items were seen before, all of them, the new and the others.
pub fn compared(round: &Round, sheets: &[Sheet], basis: Basis) -> Vec<Compared> {
    let codebook = codebook_of(round, basis);
    let read = |sheet: &Sheet| {
        let answers: Vec<&Given> = match basis {
            Basis::Blind => sheet.answers(Phase::Labelling),
            Basis::Revised => sheet.answers_now(),
        };
        Reading::of(round, codebook, &answers)
    };
    let readings: Vec<Reading> = sheets.iter().map(read).collect();
    compared_in(round, &readings.iter().collect::<Vec<_>>(), basis)
}

/// The same where the labels were read before.
pub(super) fn compared_in(round: &Round, readings: &[&Reading], basis: Basis) -> Vec<Compared> {
    let codebook = codebook_of(round, basis);
    let owners = round.owners();
    let numbers = |part: Part| -> Vec<usize> {
        let fits = |seen: bool| match part {
            Part::Every => true,
            Part::New => !seen,
            Part::Reverified => seen,
        };
        let items = round.items.list().iter().enumerate();
        items
            .filter(|(_, item)| item.purpose.is_compared() && fits(!item.seen_in.is_empty()))
            .map(|(number, _)| number)
            .collect()
    };
    let parts: &[Part] = match (numbers(Part::New).is_empty(), numbers(Part::Reverified).is_empty()) {
        (false, false) => &[Part::Every, Part::New, Part::Reverified],
        _ => &[Part::Every],
    };
    let labels: Vec<Vec<Option<&Labels>>> = readings
        .iter()
        .map(|reading| round.items.list().iter().map(|item| reading.item(&item.name)).collect())
        .collect();
    let mut all = Vec::new();
    for question in
        codebook.questions.iter().filter(|question| question.counts && question.kind != Kind::Text)
    {
        let scopes: &[Scope] =
            if question.when.is_some() { &[Scope::Asked, Scope::All] } else { &[Scope::Asked] };
        for scope in scopes {
            for part in parts {
                let table = Table { round, codebook, question, readings, labels: &labels, owners: &owners };
                all.push(table.compared(basis, *scope, *part, &numbers(*part)));
            }
        }
    }
    all
}

struct Table<'a> {
    round: &'a Round,
    codebook: &'a Codebook,
    question: &'a Question,
    readings: &'a [&'a Reading],
    /// Labels by annotator and number of the item.
    labels: &'a [Vec<Option<&'a Labels>>],
    owners: &'a [Vec<usize>],
}

/// What somebody's labels of an item say to a question.
enum Said {
    Value(Value),
    NotAsked,
    Nothing,
}

impl Table<'_> {
    fn said(&self, annotator: usize, item: usize) -> Said {
        let none = Labels::new();
        let labels = self.labels.get(annotator).and_then(|labels| *labels.get(item)?).unwrap_or(&none);
        match (self.codebook.applies(self.question, labels), labels.get(&self.question.id)) {
            (Applies::Yes, Some(value)) => Said::Value(value.clone()),
            (Applies::No, _) => Said::NotAsked,
            _ => Said::Nothing,
        }
    }

    fn compared(&self, basis: Basis, scope: Scope, part: Part, numbers: &[usize]) -> Compared {
        let question = self.question;
        let people = self.round.annotators.len();
        let mut cells: Vec<Vec<Option<Value>>> = vec![Vec::new(); people];
        let mut items = Vec::new();
        let mut reverified = 0;
        for number in numbers {
            let Some(item) = self.round.items.get(*number) else { continue };
            let mut row: Vec<Option<Value>> = vec![None; people];
            let mut ruled_out = false;
            for annotator in &self.owners[*number] {
                row[*annotator] = match self.said(*annotator, *number) {
                    Said::Value(value) => Some(value),
                    Said::NotAsked if scope == Scope::All => Some(not_asked(question)),
                    Said::NotAsked => {
                        ruled_out = true;
                        None
                    }
                    Said::Nothing => None,
                };
            }
            if ruled_out {
                continue;
            }
            reverified += usize::from(!item.seen_in.is_empty());
            items.push(item.name.clone());
            for (cell, value) in cells.iter_mut().zip(row) {
                cell.push(value);
            }
        }
        let mut categories: Vec<String> = match question.kind {
            Kind::Number { .. } => {
                let numbers: BTreeSet<&Value> = cells.iter().flatten().flatten().collect();
                let numbers = numbers.into_iter().filter(|value| matches!(value, Value::Number(_)));
                numbers.map(ToString::to_string).collect()
            }
            _ => question.categories().map(|answer| answer.id.clone()).collect(),
        };
        if scope == Scope::All {
            categories.push(NOT_APPLICABLE.to_owned());
        }
        let inside: BTreeSet<&str> = items.iter().map(String::as_str).collect();
        let old_name =
            |name: &str| self.codebook.question_called(name).is_some_and(|now| now.id == question.id);
        let stale = self.readings.iter().flat_map(|reading| &reading.stale);
        let stale =
            stale.filter(|stale| inside.contains(stale.item.as_str()) && old_name(&stale.question)).count();
        Compared {
            question: question.id.clone(),
            basis,
            scope,
            part,
            raters: self.round.annotators.iter().map(|person| person.name.clone()).collect(),
            items,
            reverified,
            categories,
            ordered: scope == Scope::Asked && matches!(question.kind, Kind::Ordinal | Kind::Number { .. }),
            sets: question.kind == Kind::Multiple,
            cells,
            stale,
        }
    }
}

/// "Not asked" as a label of a question.
fn not_asked(question: &Question) -> Value {
    match question.kind {
        Kind::Multiple => Value::many([NOT_APPLICABLE]),
        _ => Value::one(NOT_APPLICABLE),
    }
}

#[cfg(test)]
#[path = "compare_tests.rs"]
mod tests;
