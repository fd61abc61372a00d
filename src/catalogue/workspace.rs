//! The tasks of a workspace.

use super::{Catalogue, CatalogueError, Origin, Progress, Skips};
use crate::store::{IndexRow, SqliteStore, TaskIndex};
use crate::task::table::{Summary, TaskTable};
use crate::task::{Granularity, Task};
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
        let part = |table: Arc<TaskTable>, complete: bool, missing: u64| Progress {
            table,
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
            if !progress(part(Arc::new(table), false, 0)) {
                return Err(CatalogueError::Interrupted);
            }
        }
        // Ids and titles of real datasets are about this long.
        let mut table = TaskTable::with_capacity(count, count.saturating_mul(64));
        self.store.visit(&mut |row| {
            table.push(&summary(&row));
        })?;
        let table = Arc::new(table);
        // Counting what is missing takes longer than reading the list; nobody needs to wait for it.
        if progress(part(table.clone(), true, 0)) {
            let missing = self.store.missing()?;
            if missing > 0 {
                progress(part(table, true, missing));
            }
        }
        Ok(())
    }

    fn task(&self, key: u64) -> Result<Task, CatalogueError> {
        self.store.task_at(key)?.ok_or(CatalogueError::Gone)
    }

    fn granularity(&self, key: u64) -> Option<Option<Granularity>> {
        let mut found = None;
        let mut take = |row: IndexRow<'_>| found = (row.row == key).then_some(row.granularity);
        self.store.page(key.checked_sub(1)?, 1, &mut take).ok()?;
        found
    }

    fn search(
        &self,
        text: &str,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<HashSet<u64>, CatalogueError> {
        Ok(self.store.search(text, cancelled)?.into_iter().collect())
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::super::read;
    use super::*;
    use crate::diff;
    use crate::store::workspace::{ChosenBy, Workspace};
    use crate::store::{PreparedTask, Summary as StoredSummary};

    /// What the list says of every task is what its versions say.
    fn assert_agrees(catalogue: &dyn Catalogue, count: usize) {
        let table = read(catalogue).unwrap().table;
        assert_eq!(table.len(), count);
        for row in 0..count as u32 {
            let key = table.get(row).unwrap().key;
            let found = diff::summary(&catalogue.task(key).unwrap()).granularity;
            assert!(found.is_some());
            assert_eq!(catalogue.granularity(key), Some(found), "{key}");
        }
        assert_eq!(catalogue.granularity(u64::MAX), None);
    }

    #[test]
    fn the_list_knows_how_far_each_fix_reaches() {
        let folder = tempfile::tempdir().unwrap();
        let store = Workspace::in_folder(folder.path().to_owned(), ChosenBy::Flag).open_or_create().unwrap();
        let mut tasks = crate::dataset::sample_tasks().tasks.into_iter().map(|task| {
            let granularity = diff::summary(&task).granularity;
            PreparedTask { task, summary: StoredSummary { granularity, ..Default::default() } }
        });
        store.import("samples", &mut tasks).unwrap();
        assert_agrees(&WorkspaceTasks::new(Origin::samples(), store), 10);
    }
}
