//! The tasks of a workspace.

use super::{Catalogue, CatalogueError, Origin, Progress, Skips};
use crate::store::{IndexRow, SqliteStore, TaskIndex};
use crate::task::Task;
use crate::task::table::{Summary, TaskTable};
use std::collections::HashSet;
use std::sync::Arc;

/// Rows of the first part: enough for a screen.
const FIRST_PART: u64 = 200;

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

/// What to tell of tasks without content.
pub fn missing_notice(missing: u64) -> Option<String> {
    let tasks = match missing {
        0 => return None,
        1 => "the content of 1 task".to_owned(),
        many => format!("the content of {many} tasks"),
    };
    Some(format!(
        "{tasks} is missing from this workspace or damaged: import their dataset, or a whole bundle of them, again"
    ))
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
        let part = |table: TaskTable, complete: bool, missing: u64| Progress {
            table: Arc::new(table),
            complete,
            expected: Some(count),
            skips: Skips::default(),
            missing,
            notice: missing_notice(missing),
        };
        if count > FIRST_PART as usize {
            let mut table = TaskTable::new();
            self.store.page(0, FIRST_PART, &mut |row| {
                table.push(&summary(&row));
            })?;
            if !progress(part(table, false, 0)) {
                return Err(CatalogueError::Interrupted);
            }
        }
        // Ids and titles of real datasets are about this long.
        let mut table = TaskTable::with_capacity(count, count.saturating_mul(64));
        self.store.visit(&mut |row| {
            table.push(&summary(&row));
        })?;
        progress(part(table, true, self.store.missing()?));
        Ok(())
    }

    fn task(&self, key: u64) -> Result<Task, CatalogueError> {
        self.store.task_at(key)?.ok_or(CatalogueError::Gone)
    }

    fn search(
        &self,
        text: &str,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<HashSet<u64>, CatalogueError> {
        Ok(self.store.search(text, cancelled)?.into_iter().collect())
    }
}
