//! What the items of a round are drawn from: tasks, or turns of repair runs.
//!
//! Promises: the same source gives the same candidates in the same order, so that a seed draws the same again.
//! Leaves to others: which turns there are (`turns`), drawing (`label::sample`).

use super::flags::Create;
use crate::catalogue::{Catalogue, item_of, open, read};
use crate::cli::tasks::{note_skips, selected};
use crate::cli::{Arguments, Failure, Output, request};
use crate::label::item::{Item, Purpose};
use crate::study::{Candidate, Source};
use crate::task::filter::Filter;
use std::sync::Arc;

/// All that can be drawn.
pub struct Population {
    /// Where it comes from, for people.
    pub source: String,
    /// All that could be an item.
    pub all: Vec<Candidate>,
    /// The numbers of those that pass the filter, ascending.
    pub passing: Vec<usize>,
    /// Where the tasks are, if these are tasks.
    catalogue: Option<Arc<dyn Catalogue>>,
}

impl Population {
    /// The tasks of a dataset, folder or workspace.
    pub fn of_tasks(
        arguments: &Arguments,
        what: &Create,
        filter: &Filter,
        output: &mut Output,
    ) -> Result<Population, Failure> {
        let catalogue = open(&request(arguments, what.path.as_ref()))?;
        let list = read(&*catalogue)?;
        let selected = selected(&*catalogue, &list.table, filter)?;
        note_skips(&list.skips, output);
        let mut passing: Vec<usize> = selected.iter().map(|(row, _)| *row as usize).collect();
        passing.sort_unstable();
        let rows = (0..list.table.len() as u32).filter_map(|row| list.table.get(row));
        Ok(Population {
            source: catalogue.origin().label.clone(),
            all: rows.map(|row| Candidate::of(&row)).collect(),
            passing,
            catalogue: Some(catalogue),
        })
    }

    /// Turns, from where they come.
    pub fn of_turns(source: String, all: Vec<Candidate>, passing: Vec<usize>) -> Population {
        Population { source, all, passing, catalogue: None }
    }

    /// A candidate as an item of a round.
    pub fn item(&self, candidate: &Candidate, purpose: Purpose) -> Result<Item, Failure> {
        match (&candidate.source, &self.catalogue) {
            (Source::Task(key), Some(catalogue)) => {
                Ok(item_of(&**catalogue, *key, candidate.stratum.clone(), purpose)?)
            }
            (Source::Task(_), None) => Err(crate::catalogue::CatalogueError::Gone.into()),
            (Source::Turn(made), _) => Ok(Item {
                name: candidate.name.clone(),
                revision: made.clone(),
                stratum: candidate.stratum.clone(),
                purpose,
                seen_in: Vec::new(),
            }),
        }
    }
}
