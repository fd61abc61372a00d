//! The tasks of a workspace.

use super::{Catalogue, CatalogueError, Origin, Progress, Skips};
use crate::store::{IndexRow, SqliteStore, TaskIndex};
use crate::task::Task;
use crate::task::table::{Summary, TaskTable};
use std::collections::HashSet;
use std::sync::Arc;

/// Rows of the first part: enough for a screen.
const FIRST_PART: u64 = 200;

/// Most rows that a full-text term gives.
const MOST_FOUND: usize = 10_000;

/// Tasks that were imported.
pub struct WorkspaceTasks {
    origin: Origin,
    store: SqliteStore,
}

impl WorkspaceTasks {
    /// The tasks of an open workspace.
    pub fn new(origin: Origin, store: SqliteStore) -> WorkspaceTasks {
        WorkspaceTasks { origin, store }
    }
}

fn summary<'a>(row: &IndexRow<'a>) -> Summary<'a> {
    Summary {
        dataset: row.dataset,
        id: row.id,
        group: row.group,
        title: row.title,
        kind: row.kind,
        language: row.language,
        error_type: row.error_type.unwrap_or(""),
        class: row.class,
        granularity: row.granularity,
        added: row.added,
        removed: row.removed,
        tests: row.tests,
        marks: row.marks,
        key: row.row,
    }
}

impl Catalogue for WorkspaceTasks {
    fn origin(&self) -> &Origin {
        &self.origin
    }

    fn list(&self, progress: &mut dyn FnMut(Progress) -> bool) -> Result<(), CatalogueError> {
        let count = usize::try_from(self.store.count()?).unwrap_or(usize::MAX);
        let part = |table: TaskTable, complete: bool| Progress {
            table: Arc::new(table),
            complete,
            expected: Some(count),
            skips: Skips::default(),
            notice: None,
        };
        if count > FIRST_PART as usize {
            let mut table = TaskTable::new();
            self.store.page(0, FIRST_PART, &mut |row| {
                table.push(&summary(&row));
            })?;
            if !progress(part(table, false)) {
                return Err(CatalogueError::Interrupted);
            }
        }
        // Ids and titles of real datasets are about this long.
        let mut table = TaskTable::with_capacity(count, count.saturating_mul(64));
        self.store.visit(&mut |row| {
            table.push(&summary(&row));
        })?;
        progress(part(table, true));
        Ok(())
    }

    fn task(&self, key: u64) -> Result<Task, CatalogueError> {
        self.store.task_at(key)?.ok_or(CatalogueError::Gone)
    }

    fn search(&self, words: &str) -> Result<HashSet<u64>, CatalogueError> {
        Ok(self.store.search(words, MOST_FOUND)?.into_iter().collect())
    }
}
