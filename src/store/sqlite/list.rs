//! The list of tasks, and tasks themselves.
//!
//! Promises: a page or a task costs what it shows, however long the list is. Leaves to others: the
//! quick way through the whole list (`segments`), words (`search`).

use super::events::{number, unsigned};
use super::{Fault, SqliteStore, blobs, derive, import, search, segments};
use crate::store::index::{TaskImported, TaskIndex};
use crate::store::{BlobId, ImportReport, IndexRow, PreparedTask, RebuildReport, StoreError};
use crate::task::{FaultClass, Granularity, Kind, Mark, Revision, Task};
use rusqlite::types::FromSqlError;
use rusqlite::{Connection, OptionalExtension, Row, params};

impl TaskIndex for SqliteStore {
    fn import(
        &self,
        dataset: &str,
        tasks: &mut dyn Iterator<Item = PreparedTask>,
    ) -> Result<ImportReport, StoreError> {
        import::import(self, dataset, tasks)
    }

    fn count(&self) -> Result<u64, StoreError> {
        self.reading(|snapshot| Ok(derive::count(snapshot)?))
    }

    fn page(&self, offset: u64, limit: u64, visit: &mut dyn FnMut(IndexRow<'_>)) -> Result<u64, StoreError> {
        self.reading(|snapshot| select_rows(snapshot, offset, limit, visit))
    }

    fn visit(&self, visit: &mut dyn FnMut(IndexRow<'_>)) -> Result<u64, StoreError> {
        self.reading(|snapshot| segments::visit_all(snapshot, visit))
    }

    fn find(&self, dataset: &str, id: &str) -> Result<Option<u64>, StoreError> {
        self.reading(|snapshot| Ok(derive::current(snapshot, dataset, id)?.map(|current| current.row)))
    }

    fn task(&self, dataset: &str, id: &str, revision: Option<&Revision>) -> Result<Option<Task>, StoreError> {
        self.reading(|snapshot| {
            let Some(current) = derive::current(snapshot, dataset, id)? else { return Ok(None) };
            match revision.map(BlobId::of_revision) {
                None => read_task(snapshot, current.row, None),
                Some(None) => Ok(None),
                Some(Some(wanted)) => read_task(snapshot, current.row, Some(wanted)),
            }
        })
    }

    fn task_at(&self, row: u64) -> Result<Option<Task>, StoreError> {
        self.reading(|snapshot| read_task(snapshot, row, None))
    }

    fn revisions(&self, dataset: &str, id: &str) -> Result<Vec<Revision>, StoreError> {
        self.reading(|snapshot| {
            let Some(current) = derive::current(snapshot, dataset, id)? else { return Ok(Vec::new()) };
            let sql = "SELECT revision FROM task_history WHERE row = ?1 ORDER BY at DESC, position DESC";
            let mut statement = snapshot.prepare_cached(sql)?;
            let mut rows = statement.query([number(current.row)])?;
            let mut found = vec![current.revision];
            while let Some(row) = rows.next()? {
                let revision = BlobId::from_bytes(row.get(0)?);
                if !found.contains(&revision) {
                    found.push(revision);
                }
            }
            Ok(found.iter().map(BlobId::revision).collect())
        })
    }

    fn search(&self, text: &str, cancelled: &(dyn Fn() -> bool + Sync)) -> Result<Vec<u64>, StoreError> {
        search::search(self, text, cancelled)
    }

    fn missing(&self) -> Result<u64, StoreError> {
        self.reading(|snapshot| derive::missing(snapshot))
    }

    fn rebuild_index(&self) -> Result<RebuildReport, StoreError> {
        self.writing(|transaction| derive::rebuild(transaction))
    }
}

/// The task of a row, in its newest revision or a given one that was imported under its name.
fn read_task(snapshot: &Connection, row: u64, wanted: Option<BlobId>) -> Result<Option<Task>, Fault> {
    let sql = "SELECT revision, position, dataset FROM (
            SELECT row, revision, position, at, dataset FROM task_index
            UNION ALL
            SELECT h.row, h.revision, h.position, h.at, i.dataset
            FROM task_history h JOIN task_index i ON i.row = h.row)
        WHERE row = ?1 AND (?2 IS NULL OR revision = ?2) ORDER BY at DESC, position DESC LIMIT 1";
    let newest = "SELECT revision, position, dataset FROM task_index WHERE row = ?1 AND ?2 IS NULL";
    let found = snapshot
        .prepare_cached(if wanted.is_some() { sql } else { newest })?
        .query_row(params![number(row), wanted.as_ref().map(BlobId::as_bytes)], |row| {
            Ok((BlobId::from_bytes(row.get(0)?), row.get::<_, i64>(1)?, row.get::<_, String>(2)?))
        })
        .optional()?;
    let Some((revision, position, dataset)) = found else { return Ok(None) };
    let unreadable = |why: String| StoreError::BlobDamaged { id: revision, why };
    let bytes =
        blobs::select(snapshot, &revision)?.ok_or_else(|| unreadable("it is not there".to_owned()))?;
    let mut task: Task =
        serde_json::from_slice(&bytes).map_err(|error| unreadable(format!("it is not a task: {error}")))?;
    task.dataset = dataset;
    task.marks = marks_at(snapshot, position)?;
    Ok(Some(task))
}

/// The marks, which are no part of a revision, from the event of the import.
fn marks_at(snapshot: &Connection, position: i64) -> Result<Vec<Mark>, Fault> {
    let mut statement = snapshot.prepare_cached("SELECT data FROM events WHERE position = ?1")?;
    let data = statement.query_row([position], |row| {
        let data = row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?;
        Ok(serde_json::from_str::<TaskImported>(data).ok())
    });
    Ok(data.optional()?.flatten().map_or_else(Vec::new, |event| event.marks))
}

/// Shows the rows behind `offset`: they are numbered without gaps, so the offset is a row.
pub(super) fn select_rows(
    connection: &Connection,
    offset: u64,
    limit: u64,
    visit: &mut dyn FnMut(IndexRow<'_>),
) -> Result<u64, Fault> {
    let sql = "SELECT row, dataset, id, origin, title, kind, language, error_type, class, granularity,
            added, removed, tests, marks, revision
        FROM task_index WHERE row > ?1 ORDER BY row LIMIT ?2";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(params![number(offset), number(limit)])?;
    let mut count = 0;
    while let Some(row) = rows.next()? {
        visit(index_row(row)?);
        count += 1;
    }
    Ok(count)
}

fn index_row<'a>(row: &'a Row<'_>) -> rusqlite::Result<IndexRow<'a>> {
    let text = |column: usize| row.get_ref(column)?.as_str().map_err(rusqlite::Error::from);
    let maybe = |column: usize| row.get_ref(column)?.as_str_or_null().map_err(rusqlite::Error::from);
    Ok(IndexRow {
        row: unsigned(row, 0)?,
        dataset: text(1)?,
        id: text(2)?,
        group: text(3)?,
        title: text(4)?,
        kind: Kind::parse(text(5)?).ok_or(FromSqlError::InvalidType)?,
        language: text(6)?,
        error_type: maybe(7)?,
        class: maybe(8)?.and_then(class_named),
        granularity: maybe(9)?.and_then(Granularity::parse),
        added: row.get(10)?,
        removed: row.get(11)?,
        tests: row.get(12)?,
        marks: row.get(13)?,
        revision: BlobId::from_bytes(row.get(14)?),
    })
}

/// The class with this name.
pub(super) fn class_named(name: &str) -> Option<FaultClass> {
    [FaultClass::Bug, FaultClass::Vulnerability].into_iter().find(|class| class.as_str() == name)
}
