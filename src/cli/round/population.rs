//! What the items of a round are drawn from: tasks, or turns of repair runs.
//!
//! Promises: the same source gives the same candidates in the same order, so that a seed draws the same again.
//! Leaves to others: which turns there are (`turns`), drawing (`label::sample`).

use super::flags::Create;
use crate::catalogue::{Catalogue, open, read};
use crate::cli::tasks::{note_skips, selected};
use crate::cli::{Arguments, Failure, Output, request};
use crate::label::item::{Item, Purpose, Stratum};
use crate::task::filter::Filter;
use crate::task::table::Summary;
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

/// Something that could be an item.
pub struct Candidate {
    /// Its name; of tasks with very long ids the beginning, as lists have it.
    pub name: String,
    /// By what it is sampled.
    pub stratum: Stratum,
    /// What it is.
    pub subject: Subject,
}

/// What a candidate is.
pub enum Subject {
    /// The task with this key in the list.
    Task(u64),
    /// A turn, with the hash of what it made.
    Turn(String),
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
            all: rows.map(|row| Candidate::of_task(&row)).collect(),
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
        let (name, revision) = match (&candidate.subject, &self.catalogue) {
            (Subject::Task(key), Some(catalogue)) => {
                let task = catalogue.task(*key)?;
                // The list keeps the beginning of long names only.
                (task.name().to_string(), task.revision().as_str().to_owned())
            }
            (Subject::Task(_), None) => return Err(crate::catalogue::CatalogueError::Gone.into()),
            (Subject::Turn(made), _) => (candidate.name.clone(), made.clone()),
        };
        Ok(Item { name, revision, stratum: candidate.stratum.clone(), purpose, seen_in: Vec::new() })
    }
}

impl Candidate {
    fn of_task(row: &Summary<'_>) -> Candidate {
        Candidate {
            name: format!("{}/{}", row.dataset, row.id),
            stratum: stratum(row),
            subject: Subject::Task(row.key),
        }
    }
}

/// What a task is sampled by, and with it its turns.
pub fn stratum(row: &Summary<'_>) -> Stratum {
    Stratum {
        dataset: row.dataset.to_owned(),
        language: row.language.to_owned(),
        error_type: row.error_type.to_owned(),
    }
}
