//! What PATH means: samples, a folder, a file or a workspace, as one list of tasks.
//!
//! Promises: both front ends see tasks only through [`Catalogue`]; a list that is long is handed over in
//! growing parts; what was skipped while reading is counted and explained.
//! Leaves to others: formats (`dataset`), the database (`store`), choosing and sorting (`task`).

mod error;
mod in_place;
mod items;
mod loaded;
mod open;
mod opened;
mod origin;
mod recordings;
mod workspace;

pub use error::CatalogueError;
pub use items::item_of;
pub use loaded::{LoadedTask, PairColours, colour, colour_in_steps, nothing_to_compare};
pub use open::{Request, open, workspace_for};
pub use origin::{Origin, OriginKind, arguments_of, is_at_a_path};
pub use recordings::{SampleStudy, recording, recording_names, sample_studies};
pub use workspace::missing_notice;

use crate::dataset::Skipped;
use crate::task::table::TaskTable;
use crate::task::{Granularity, Task};
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

/// A list of tasks, wherever they are.
pub trait Catalogue: Send + Sync {
    /// Where the tasks come from.
    fn origin(&self) -> &Origin;

    /// Reads the list and hands it over, in growing parts where it is long; the last part is complete.
    /// Reading stops early when `progress` says false. May be called again.
    fn list(&self, progress: &mut dyn FnMut(Progress) -> bool) -> Result<(), CatalogueError>;

    /// The task of a row, by [`crate::task::table::Summary::key`]. Only after [`Catalogue::list`] has
    /// handed that row over.
    fn task(&self, key: u64) -> Result<Task, CatalogueError>;

    /// How far the fix of a task reaches, as the list says it; `None` where the list does not say. Finding out anew
    /// can mean parsing both versions.
    fn granularity(&self, key: u64) -> Option<Option<Granularity>> {
        let _ = key;
        None
    }

    /// Keys of all tasks that have this piece of text, as [`crate::task::full_text`] means it. `cancelled` is
    /// asked now and then; once it says yes the result is useless.
    fn search(
        &self,
        text: &str,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<HashSet<u64>, CatalogueError>;
}

/// A part of the list.
#[derive(Debug, Clone)]
pub struct Progress {
    /// The rows so far.
    pub table: Arc<TaskTable>,
    /// Whether these are all.
    pub complete: bool,
    /// How many there will be, where that is known.
    pub expected: Option<usize>,
    /// What was skipped so far.
    pub skips: Skips,
    /// How many tasks are named by the source whose content is missing or damaged.
    pub missing: u64,
    /// Something to know about the source, such as that the file has changed since it was last opened.
    pub notice: Option<String>,
}

/// What was skipped while reading, counted by reason; the first ones are kept whole.
#[derive(Debug, Clone, Default)]
pub struct Skips {
    rows: Arc<Vec<Skipped>>,
    counts: BTreeMap<&'static str, usize>,
}

impl Skips {
    /// Skipped rows are kept up to this many, and beyond it where the file breaks off; all are counted.
    pub const KEPT: usize = 10_000;

    /// Counts one more.
    pub fn add(&mut self, skipped: Skipped) {
        *self.counts.entry(skipped.why.kind()).or_default() += 1;
        if self.rows.len() < Skips::KEPT || skipped.why.breaks_off() {
            Arc::make_mut(&mut self.rows).push(skipped);
        }
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.counts.values().sum()
    }

    /// How many for each reason.
    pub fn counts(&self) -> &BTreeMap<&'static str, usize> {
        &self.counts
    }

    /// The first ones, in the order in which they were read.
    pub fn rows(&self) -> &[Skipped] {
        &self.rows
    }

    /// The same, for people: where the file breaks off comes first, for it may have taken more along.
    pub fn worst_first(&self) -> impl Iterator<Item = &Skipped> {
        let which = |wanted| self.rows.iter().filter(move |row| row.why.breaks_off() == wanted);
        which(true).chain(which(false))
    }
}

impl FromIterator<Skipped> for Skips {
    fn from_iter<I: IntoIterator<Item = Skipped>>(rows: I) -> Skips {
        let mut skips = Skips::default();
        rows.into_iter().for_each(|row| skips.add(row));
        skips
    }
}

/// Reads the whole list.
pub fn read(catalogue: &dyn Catalogue) -> Result<Progress, CatalogueError> {
    let mut last = None;
    catalogue.list(&mut |progress| {
        last = Some(progress);
        true
    })?;
    last.filter(|progress| progress.complete).ok_or(CatalogueError::Interrupted)
}
