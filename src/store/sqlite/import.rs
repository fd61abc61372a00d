//! Importing tasks: batches of events, blobs and index rows.
//!
//! Promises: each batch is one transaction, durable before the next is pulled; nothing is pulled or
//! packed while others wait for the writer. An import that is run again finds its tasks unchanged.
//! Leaves to others: reading datasets, and the rows themselves (`derive`).

use super::derive::{self, Imported, Touched};
use super::events::{Line, StreamWriter};
use super::{Fault, SqliteStore, blobs};
use crate::store::blob::{Packed, Packer};
use crate::store::event::micros;
use crate::store::index::{TASK_IMPORTED, TaskImported, check_dataset, dataset_stream};
use crate::store::{ImportReport, NewEvent, PreparedTask, Refused, StoreError};
use rusqlite::{Connection, params};
use std::collections::HashSet;

/// Tasks in one transaction.
const BATCH: usize = 2048;
/// A batch ends early when its tasks are larger than this together.
const BATCH_BYTES: usize = 32 << 20;
/// Refused tasks that are named.
const NAMED: usize = 100;

/// A task that is ready to be written.
struct Ready {
    prepared: PreparedTask,
    json: String,
    packed: Packed,
    event: TaskImported,
}

pub(super) fn import(
    store: &SqliteStore,
    dataset: &str,
    tasks: &mut dyn Iterator<Item = PreparedTask>,
) -> Result<ImportReport, StoreError> {
    check_dataset(dataset)?;
    let mut report = ImportReport::default();
    let mut packer = Packer::new();
    let mut seen = HashSet::new();
    let mut before = None;
    loop {
        let batch = next_batch(dataset, tasks, &mut packer, &mut report);
        if batch.is_empty() {
            break;
        }
        let mut batch_report = BatchReport::default();
        let first = before.is_none();
        let known = store.writing(|transaction| {
            derive::catch_up(transaction)?;
            let known = if first { count_of(transaction, dataset)? } else { 0 };
            batch_report = write_batch(store, transaction, dataset, &batch, &seen)?;
            Ok(known)
        })?;
        before.get_or_insert(known);
        report.added += batch_report.added;
        report.unchanged += batch_report.unchanged;
        report.updated += batch_report.updated;
        report.refreshed += batch_report.refreshed;
        report.duplicates += batch_report.duplicates;
        seen.extend(batch_report.rows);
    }
    let before = match before {
        Some(before) => before,
        None => store.reading(|snapshot| count_of(snapshot, dataset))?,
    };
    let met = report.unchanged + report.updated + report.refreshed;
    report.missing = before.saturating_sub(met);
    Ok(report)
}

/// Pulls tasks and makes them ready: all the work that needs no database.
fn next_batch(
    dataset: &str,
    tasks: &mut dyn Iterator<Item = PreparedTask>,
    packer: &mut Packer,
    report: &mut ImportReport,
) -> Vec<Ready> {
    let mut batch = Vec::new();
    let mut bytes = 0;
    while batch.len() < BATCH && bytes < BATCH_BYTES {
        let Some(prepared) = tasks.next() else { break };
        match make_ready(dataset, prepared, packer) {
            Ok(ready) => {
                bytes += ready.json.len();
                batch.push(ready);
            }
            Err(refused) => {
                report.refused_count += 1;
                if report.refused.len() < NAMED {
                    report.refused.push(refused);
                }
            }
        }
    }
    batch
}

fn make_ready(dataset: &str, prepared: PreparedTask, packer: &mut Packer) -> Result<Ready, Refused> {
    let task = &prepared.task;
    let refused = |why: String| Refused { id: task.id.chars().take(80).collect(), why };
    if task.id.is_empty() || task.id.len() > 1024 || task.id.chars().any(char::is_control) {
        return Err(refused("its id must have 1 to 1024 bytes and no control characters".to_owned()));
    }
    let json = task.canonical_json();
    let packed = packer.pack(json.as_bytes()).map_err(|error| refused(error.to_string()))?;
    let event = TaskImported {
        dataset: dataset.to_owned(),
        id: task.id.clone(),
        revision: packed.id,
        granularity: prepared.summary.granularity,
        added: prepared.summary.added,
        removed: prepared.summary.removed,
        marks: task.marks.clone(),
    };
    Ok(Ready { json, packed, event, prepared })
}

#[derive(Default)]
struct BatchReport {
    added: u64,
    unchanged: u64,
    updated: u64,
    refreshed: u64,
    duplicates: u64,
    /// Rows that the batch met or made.
    rows: HashSet<u64>,
}

fn write_batch(
    store: &SqliteStore,
    transaction: &Connection,
    dataset: &str,
    batch: &[Ready],
    seen: &HashSet<u64>,
) -> Result<BatchReport, Fault> {
    let mut report = BatchReport::default();
    let mut touched = Touched::new();
    let mut writer = StreamWriter::open(transaction, &dataset_stream(dataset))?;
    let now = micros(store.clock.now());
    for ready in batch {
        let marks = ready.event.mark_bits();
        let known = derive::current(transaction, dataset, &ready.event.id)?;
        if let Some(known) = known {
            if seen.contains(&known.row) || !report.rows.insert(known.row) {
                report.duplicates += 1;
                continue;
            }
            let same_revision = known.revision == ready.packed.id;
            if same_revision && known.summary == ready.prepared.summary && known.marks == marks {
                report.unchanged += 1;
                continue;
            }
            *(if same_revision { &mut report.refreshed } else { &mut report.updated }) += 1;
        } else {
            report.added += 1;
        }
        blobs::insert(transaction, &ready.packed, ready.json.as_bytes())?;
        // What is imported now is the newest, even where the clock was set back since.
        let at = known.map_or(now, |known| now.max(known.at.saturating_add(1)));
        let position = push_event(store, &mut writer, ready, at)?;
        let imported = Imported {
            dataset,
            task: &ready.prepared.task,
            summary: ready.prepared.summary,
            marks,
            revision: ready.packed.id,
            position,
            at,
        };
        let row = derive::record(transaction, &imported, known, &mut touched)?;
        report.rows.insert(row);
    }
    writer.finish()?;
    derive::finish(transaction, &touched)?;
    Ok(report)
}

fn push_event(
    store: &SqliteStore,
    writer: &mut StreamWriter<'_>,
    ready: &Ready,
    at: i64,
) -> Result<i64, Fault> {
    let data = serde_json::to_value(&ready.event).unwrap_or_default();
    let event = NewEvent::new(TASK_IMPORTED, crate::store::event::from_micros(at), data);
    let data = event.check(&dataset_stream(&ready.event.dataset))?;
    Ok(writer.push(Line { id: store.ids.next(), at, kind: TASK_IMPORTED, v: event.v, data: &data })?)
}

fn count_of(connection: &Connection, dataset: &str) -> Result<u64, Fault> {
    let sql = "SELECT count(*) FROM task_index WHERE dataset = ?1";
    let mut statement = connection.prepare_cached(sql)?;
    Ok(statement.query_row(params![dataset], |row| super::events::unsigned(row, 0))?)
}
