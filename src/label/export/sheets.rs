//! The labels of a study by round, stage and question, then by item.
//!
//! Promises: rounds in the order of the study, stages in their order, questions in that of the codebook, items and
//! annotators in that of the rows.
//! Leaves to others: what is computed from them.

use super::{Answer, Name, Stage, Study};
use std::collections::HashMap;

/// A round, a stage and a question.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Place {
    /// The round.
    pub round: Name,
    /// The stage.
    pub stage: Stage,
    /// The question.
    pub question: Name,
}

/// The labels of one place.
#[derive(Debug, Default)]
pub(super) struct Sheet<'a> {
    items: Vec<(&'a Name, Vec<(&'a Name, &'a Answer)>)>,
    at: HashMap<&'a Name, usize>,
    annotators: Vec<&'a Name>,
    /// Items that had been labelled in an earlier round.
    pub seen_before: u64,
}

impl<'a> Sheet<'a> {
    /// Items with their labels.
    pub fn items(&self) -> impl Iterator<Item = (&'a Name, &[(&'a Name, &'a Answer)])> {
        self.items.iter().map(|(item, cells)| (*item, cells.as_slice()))
    }

    /// Who labelled something here.
    pub fn annotators(&self) -> &[&'a Name] {
        &self.annotators
    }
}

/// All places of a study.
#[derive(Debug)]
pub(super) struct Sheets<'a> {
    places: Vec<(Place, Sheet<'a>)>,
}

impl<'a> Sheets<'a> {
    /// Sorts the rows of a study into their places.
    pub fn of(study: &'a Study) -> Sheets<'a> {
        let mut places: Vec<(Place, Sheet<'a>)> = Vec::new();
        let mut at: HashMap<(&Name, Stage, &Name), usize> = HashMap::new();
        for row in &study.rows {
            let place = *at.entry((&row.round, row.stage, &row.question)).or_insert_with(|| {
                let place =
                    Place { round: row.round.clone(), stage: row.stage, question: row.question.clone() };
                places.push((place, Sheet::default()));
                places.len() - 1
            });
            let sheet = &mut places[place].1;
            let item = *sheet.at.entry(&row.item).or_insert_with(|| {
                sheet.items.push((&row.item, Vec::new()));
                sheet.seen_before += u64::from(row.seen_before);
                sheet.items.len() - 1
            });
            if !sheet.annotators.contains(&&row.annotator) {
                sheet.annotators.push(&row.annotator);
            }
            sheet.items[item].1.push((&row.annotator, &row.answer));
        }
        let position = |place: &Place| {
            let known = |found: Option<usize>| found.unwrap_or(usize::MAX);
            let round = known(study.rounds.iter().position(|round| round.name == *place.round));
            let question = known(study.questions.iter().position(|question| question.id == *place.question));
            (round, place.stage, question)
        };
        places.sort_by_key(|(place, _)| position(place));
        Sheets { places }
    }

    /// All places with labels.
    pub fn places(&self) -> impl Iterator<Item = (&Place, &Sheet<'a>)> {
        self.places.iter().map(|(place, sheet)| (place, sheet))
    }

    /// The labels of a place.
    pub fn get(&self, place: &Place) -> Option<&Sheet<'a>> {
        self.places.iter().find(|(known, _)| known == place).map(|(_, sheet)| sheet)
    }
}
