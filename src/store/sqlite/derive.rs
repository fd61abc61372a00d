//! The task index as a fold of `task-imported` events.
//!
//! Promises: [`record`] is the only writer of the derived tables, whether an event is just being
//! appended, comes with a bundle or is read again for a rebuild; so all three give the same rows. It
//! runs inside the caller's transaction: index and events never disagree.
//! Leaves to others: making the events (`import`), showing the rows (`list`, `segments`, `search`).

use super::events::{newest_position, number, unsigned};
use super::{Fault, blobs, segments};
use crate::store::index::{IndexRow, Summary, TASK_IMPORTED, TaskImported};
use crate::store::{BlobId, RebuildReport};
use crate::task::Task;
use rusqlite::{Connection, OptionalExtension, params};
use std::collections::BTreeSet;

/// The import of one task, as the index sees it.
pub(super) struct Imported<'a> {
    pub dataset: &'a str,
    pub task: &'a Task,
    pub summary: Summary,
    pub marks: u16,
    pub revision: BlobId,
    pub position: i64,
    pub at: i64,
}

/// What the index holds of a task now.
#[derive(Debug, Clone, Copy)]
pub(super) struct Current {
    pub row: u64,
    pub revision: BlobId,
    pub summary: Summary,
    pub marks: u16,
    pub at: i64,
    position: i64,
}

/// Looks a task up.
pub(super) fn current(connection: &Connection, dataset: &str, id: &str) -> Result<Option<Current>, Fault> {
    let sql = "SELECT row, revision, granularity, added, removed, marks, at, position
        FROM task_index WHERE dataset = ?1 AND id = ?2";
    let found = connection.prepare_cached(sql)?.query_row([dataset, id], |row| {
        let granularity = row.get_ref(2)?.as_str_or_null().map_err(rusqlite::Error::from)?;
        Ok(Current {
            row: unsigned(row, 0)?,
            revision: BlobId::from_bytes(row.get(1)?),
            summary: Summary {
                granularity: granularity.and_then(crate::task::Granularity::parse),
                added: row.get(3)?,
                removed: row.get(4)?,
            },
            marks: row.get(5)?,
            at: row.get(6)?,
            position: row.get(7)?,
        })
    });
    Ok(found.optional()?)
}

/// Segments of the quick list that a transaction has touched.
pub(super) type Touched = BTreeSet<u64>;

/// Takes an import into the index. Of several imports of a task the newest by time counts, and of the
/// same time the last to come; the others go into its history.
pub(super) fn record(
    transaction: &Connection,
    imported: &Imported<'_>,
    known: Option<Current>,
    touched: &mut Touched,
) -> Result<u64, Fault> {
    let row = match known {
        None => append_row(transaction, imported)?,
        Some(known) if imported.at < known.at => {
            remember(transaction, known.row, imported.position, imported.at, imported.revision)?;
            return Ok(known.row);
        }
        Some(known) => {
            remember(transaction, known.row, known.position, known.at, known.revision)?;
            write_row(transaction, known.row, imported)?;
            known.row
        }
    };
    touched.insert(segments::segment_of(row));
    Ok(row)
}

fn append_row(transaction: &Connection, imported: &Imported<'_>) -> Result<u64, Fault> {
    let sql = "SELECT coalesce(max(row), 0) + 1 FROM task_index";
    let row = transaction.prepare_cached(sql)?.query_row([], |row| unsigned(row, 0))?;
    write_row(transaction, row, imported)?;
    Ok(row)
}

fn write_row(transaction: &Connection, row: u64, imported: &Imported<'_>) -> Result<(), Fault> {
    let Imported { dataset, task, summary, marks, revision, position, at } = imported;
    let line = IndexRow::of(row, dataset, task, *summary, *marks, *revision);
    let sql = "INSERT INTO task_index (row, dataset, id, origin, title, kind, language, error_type, class,
            granularity, added, removed, tests, marks, revision, position, at)
        VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)
        ON CONFLICT (row) DO UPDATE SET origin = ?4, title = ?5, kind = ?6, language = ?7, error_type = ?8,
            class = ?9, granularity = ?10, added = ?11, removed = ?12, tests = ?13, marks = ?14,
            revision = ?15, position = ?16, at = ?17";
    transaction.prepare_cached(sql)?.execute(params![
        number(row),
        line.dataset,
        line.id,
        line.group,
        line.title,
        line.kind.as_str(),
        line.language,
        line.error_type,
        line.class.map(crate::task::FaultClass::as_str),
        line.granularity.map(crate::task::Granularity::as_str),
        line.added,
        line.removed,
        line.tests,
        line.marks,
        revision.as_bytes(),
        position,
        at,
    ])?;
    Ok(())
}

fn remember(
    transaction: &Connection,
    row: u64,
    position: i64,
    at: i64,
    revision: BlobId,
) -> Result<(), Fault> {
    let sql = "INSERT INTO task_history (row, position, at, revision) VALUES (?1, ?2, ?3, ?4)";
    transaction.prepare_cached(sql)?.execute(params![number(row), position, at, revision.as_bytes()])?;
    Ok(())
}

/// Writes the touched parts of the quick list anew and notes how far the index has come.
pub(super) fn finish(transaction: &Connection, touched: &Touched) -> Result<(), Fault> {
    for segment in touched {
        segments::repack(transaction, *segment)?;
    }
    let position = number(newest_position(transaction)?.0);
    transaction.prepare_cached("UPDATE index_state SET position = ?1")?.execute([position])?;
    Ok(())
}

/// Takes in the imports that others appended since the index was last written.
pub(super) fn catch_up(transaction: &Connection) -> Result<RebuildReport, Fault> {
    let from: i64 =
        transaction.prepare_cached("SELECT position FROM index_state")?.query_row([], |row| row.get(0))?;
    if from != number(newest_position(transaction)?.0) {
        let sql = "SELECT position, at, data FROM events WHERE position > ?1 AND kind = ?2 ORDER BY position";
        fold(transaction, sql, params![from, TASK_IMPORTED])?;
    }
    let sql = "SELECT count(*) FROM index_pending";
    let unreadable = transaction.prepare_cached(sql)?.query_row([], |row| unsigned(row, 0))?;
    Ok(RebuildReport { tasks: count(transaction)?, unreadable })
}

/// Looks again at the imports that could not be read: a bundle may have brought their blobs.
pub(super) fn retry_pending(transaction: &Connection) -> Result<(), Fault> {
    let sql = "SELECT position, at, data FROM events
        WHERE position IN (SELECT position FROM index_pending) ORDER BY position";
    fold(transaction, sql, [])
}

/// Records the events that a query of position, time and data gives.
fn fold(transaction: &Connection, sql: &str, parameters: impl rusqlite::Params) -> Result<(), Fault> {
    let mut touched = Touched::new();
    let mut statement = transaction.prepare_cached(sql)?;
    let mut rows = statement.query(parameters)?;
    while let Some(row) = rows.next()? {
        let (position, at): (i64, i64) = (row.get(0)?, row.get(1)?);
        let data = row.get_ref(2)?.as_str().map_err(rusqlite::Error::from)?;
        let Some((event, task)) = readable(transaction, data)? else {
            let sql = "INSERT INTO index_pending (position) VALUES (?1) ON CONFLICT DO NOTHING";
            transaction.prepare_cached(sql)?.execute([position])?;
            continue;
        };
        let imported = Imported {
            dataset: &event.dataset,
            task: &task,
            summary: event.summary(),
            marks: event.mark_bits(),
            revision: event.revision,
            position,
            at,
        };
        let known = current(transaction, &event.dataset, &task.id)?;
        record(transaction, &imported, known, &mut touched)?;
        transaction.prepare_cached("DELETE FROM index_pending WHERE position = ?1")?.execute([position])?;
    }
    finish(transaction, &touched)
}

/// The event and its task; `None` when a bundle brought an event that we cannot follow.
fn readable(transaction: &Connection, data: &str) -> Result<Option<(TaskImported, Task)>, Fault> {
    let Ok(event) = serde_json::from_str::<TaskImported>(data) else { return Ok(None) };
    if crate::store::index::check_dataset(&event.dataset).is_err() {
        return Ok(None);
    }
    let blob = match blobs::select(transaction, &event.revision) {
        Err(Fault::Store(_)) => None,
        other => other?,
    };
    let task = blob.and_then(|blob| serde_json::from_slice::<Task>(&blob).ok());
    Ok(task.filter(|task| task.id == event.id).map(|task| (event, task)))
}

/// Number of tasks: rows are numbered without gaps.
pub(super) fn count(connection: &Connection) -> rusqlite::Result<u64> {
    let sql = "SELECT coalesce(max(row), 0) FROM task_index";
    connection.prepare_cached(sql)?.query_row([], |row| unsigned(row, 0))
}

/// Throws everything derived away and folds all events again.
pub(super) fn rebuild(transaction: &Connection) -> Result<RebuildReport, Fault> {
    transaction.execute_batch(
        "DELETE FROM task_index;
         DELETE FROM task_history;
         DELETE FROM index_segments;
         DELETE FROM index_pending;
         UPDATE index_state SET position = 0;",
    )?;
    catch_up(transaction)
}

/// Number of tasks whose content is missing or unreadable: those that wait for it, and those of the list
/// whose blob has gone since.
pub(super) fn missing(connection: &Connection) -> Result<u64, Fault> {
    let mut named = BTreeSet::new();
    let mut unnamed = 0;
    let sql = "SELECT data FROM events WHERE position IN (SELECT position FROM index_pending)";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        match serde_json::from_str::<TaskImported>(row.get_ref(0)?.as_str().map_err(rusqlite::Error::from)?) {
            Ok(event) => drop(named.insert((event.dataset, event.id))),
            Err(_) => unnamed += 1,
        }
    }
    let sql = "SELECT dataset, id FROM task_index WHERE revision NOT IN (SELECT hash FROM blobs)";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        named.insert((row.get(0)?, row.get(1)?));
    }
    Ok(named.len() as u64 + unnamed)
}
