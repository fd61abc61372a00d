//! Events: append, read, tail, merge.
//!
//! Promises: numbers of a stream without gaps; positions in the order of commits, because there is one
//! writer and they are given inside its transaction. Leaves to others: blobs and leases.

use super::blobs::insert;
use super::{Fault, SqliteStore};
use crate::store::blob::Packer;
use crate::store::event::{PAGE_BYTES, check_stream, from_micros, micros};
use crate::store::{
    Event, EventRow, Expected, Merged, NewEvent, PAGE_LIMIT, Position, StoreError, StreamHead,
};
use rusqlite::{Connection, OptionalExtension, Row, params};
use uuid::Uuid;

/// An event on its way into the table.
pub(super) struct Line<'a> {
    pub id: Uuid,
    pub at: i64,
    pub kind: &'a str,
    pub v: u32,
    pub data: &'a str,
}

const COLUMNS: &str = "SELECT e.position, e.id, s.name, e.seq, e.at, e.kind, e.v, e.data
    FROM events e JOIN streams s ON s.id = e.stream";

impl SqliteStore {
    pub(super) fn append_events(
        &self,
        stream: &str,
        expected: Expected,
        events: &[NewEvent],
        blobs: &[&[u8]],
    ) -> Result<u64, StoreError> {
        check_stream(stream)?;
        let data = events.iter().map(|event| event.check(stream)).collect::<Result<Vec<_>, _>>()?;
        // Packed before the transaction begins: other writers need not wait for it.
        let mut packer = Packer::new();
        let packed = blobs.iter().map(|bytes| packer.pack(bytes)).collect::<Result<Vec<_>, _>>()?;
        self.writing(|transaction| {
            let known = head_of(transaction, stream)?;
            let actual = known.map_or(0, |(_, head)| head);
            if let Expected::At(seq) = expected
                && seq != actual
            {
                return Err(StoreError::Conflict { stream: stream.to_owned(), expected, actual }.into());
            }
            for (packed, bytes) in packed.iter().zip(blobs) {
                insert(transaction, packed, bytes)?;
            }
            if events.is_empty() {
                return Ok(actual);
            }
            let mut writer = StreamWriter::open(transaction, stream)?;
            for (event, data) in events.iter().zip(&data) {
                let at = micros(event.at);
                writer.push(Line { id: self.ids.next(), at, kind: &event.kind, v: event.v, data })?;
            }
            Ok(writer.finish()?)
        })
    }

    pub(super) fn read_events(
        &self,
        stream: &str,
        from_seq: u64,
        limit: usize,
    ) -> Result<Vec<Event>, StoreError> {
        let sql = format!("{COLUMNS} WHERE s.name = ?1 AND e.seq >= ?2 ORDER BY e.seq LIMIT ?3");
        self.reading(|snapshot| events(snapshot, &sql, params![stream, number(from_seq), page(limit)]))
    }

    pub(super) fn scan_events(
        &self,
        stream: &str,
        from_seq: u64,
        visit: &mut dyn FnMut(EventRow<'_>),
    ) -> Result<(), StoreError> {
        self.reading(|snapshot| {
            let Some((stream, _)) = head_of(snapshot, stream)? else { return Ok(()) };
            let sql =
                "SELECT id, seq, at, kind, v, data FROM events WHERE stream = ?1 AND seq >= ?2 ORDER BY seq";
            let mut statement = snapshot.prepare_cached(sql)?;
            let mut rows = statement.query(params![stream, number(from_seq)])?;
            while let Some(row) = rows.next()? {
                let text = |column| Ok::<_, rusqlite::Error>(row.get_ref(column)?.as_str()?);
                let id: [u8; 16] = row.get(0)?;
                visit(EventRow {
                    id: Uuid::from_bytes(id),
                    seq: unsigned(row, 1)?,
                    at: from_micros(row.get(2)?),
                    kind: text(3)?,
                    v: row.get(4)?,
                    data: text(5)?,
                });
            }
            Ok(())
        })
    }

    pub(super) fn tail_events(
        &self,
        after: Position,
        limit: usize,
    ) -> Result<(Vec<Event>, Position), StoreError> {
        let sql = format!("{COLUMNS} WHERE e.position > ?1 ORDER BY e.position LIMIT ?2");
        let events =
            self.reading(|snapshot| events(snapshot, &sql, params![number(after.0), page(limit)]))?;
        let last = events.last().map_or(after, |event| event.position);
        Ok((events, last))
    }

    pub(super) fn head_position(&self) -> Result<Position, StoreError> {
        self.reading(|snapshot| Ok(newest_position(snapshot)?))
    }

    pub(super) fn list_streams(&self, prefix: &str) -> Result<Vec<StreamHead>, StoreError> {
        self.reading(|snapshot| {
            let sql = "SELECT name, head FROM streams WHERE name >= ?1 ORDER BY name";
            let mut statement = snapshot.prepare_cached(sql)?;
            let mut rows = statement.query([prefix])?;
            let mut found = Vec::new();
            while let Some(row) = rows.next()? {
                let name: String = row.get(0)?;
                if !name.starts_with(prefix) {
                    break;
                }
                found.push(StreamHead { name, seq: unsigned(row, 1)? });
            }
            Ok(found)
        })
    }

    pub(super) fn merge_events(&self, events: &[Event]) -> Result<Vec<Merged>, StoreError> {
        let data = events.iter().map(Event::check).collect::<Result<Vec<_>, _>>()?;
        self.writing(|transaction| {
            events.iter().zip(&data).map(|(event, data)| merge_one(transaction, event, data)).collect()
        })
    }
}

fn merge_one(transaction: &Connection, event: &Event, data: &str) -> Result<Merged, Fault> {
    let sql = format!("{COLUMNS} WHERE e.id = ?1");
    if let Some(ours) = events(transaction, &sql, params![event.id.as_bytes()])?.first() {
        return Ok(if ours.same_content(event) { Merged::Duplicate } else { Merged::Conflict });
    }
    let mut writer = StreamWriter::open(transaction, &event.stream)?;
    writer.push(Line { id: event.id, at: micros(event.at), kind: &event.kind, v: event.v, data })?;
    Ok(Merged::Added { seq: writer.finish()? })
}

/// Appends to one stream inside a transaction.
pub(super) struct StreamWriter<'a> {
    transaction: &'a Connection,
    stream: i64,
    head: u64,
}

impl<'a> StreamWriter<'a> {
    pub(super) fn open(transaction: &'a Connection, name: &str) -> rusqlite::Result<StreamWriter<'a>> {
        let (stream, head) = match head_of(transaction, name)? {
            Some(known) => known,
            None => {
                let sql = "INSERT INTO streams (name, head) VALUES (?1, 0)";
                transaction.prepare_cached(sql)?.execute([name])?;
                (transaction.last_insert_rowid(), 0)
            }
        };
        Ok(StreamWriter { transaction, stream, head })
    }

    /// Appends one event and answers with its position.
    pub(super) fn push(&mut self, line: Line<'_>) -> rusqlite::Result<i64> {
        let sql =
            "INSERT INTO events (stream, seq, at, kind, v, id, data) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)";
        let seq = number(self.head + 1);
        let id = line.id.as_bytes();
        self.transaction.prepare_cached(sql)?.execute(params![
            self.stream,
            seq,
            line.at,
            line.kind,
            line.v,
            id,
            line.data
        ])?;
        self.head += 1;
        Ok(self.transaction.last_insert_rowid())
    }

    /// Notes the stream's new last number.
    pub(super) fn finish(self) -> rusqlite::Result<u64> {
        let sql = "UPDATE streams SET head = ?2 WHERE id = ?1";
        self.transaction.prepare_cached(sql)?.execute(params![self.stream, number(self.head)])?;
        Ok(self.head)
    }
}

fn head_of(connection: &Connection, stream: &str) -> rusqlite::Result<Option<(i64, u64)>> {
    connection
        .prepare_cached("SELECT id, head FROM streams WHERE name = ?1")?
        .query_row([stream], |row| Ok((row.get(0)?, unsigned(row, 1)?)))
        .optional()
}

pub(super) fn newest_position(connection: &Connection) -> rusqlite::Result<Position> {
    let sql = "SELECT coalesce(max(position), 0) FROM events";
    connection.prepare_cached(sql)?.query_row([], |row| Ok(Position(unsigned(row, 0)?)))
}

fn events(
    connection: &Connection,
    sql: &str,
    parameters: impl rusqlite::Params,
) -> Result<Vec<Event>, Fault> {
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query(parameters)?;
    let mut found = Vec::new();
    let mut bytes = 0;
    while let Some(row) = rows.next()? {
        let (event, size) = event(row)?;
        found.push(event);
        bytes += size;
        if bytes > PAGE_BYTES {
            break;
        }
    }
    Ok(found)
}

fn event(row: &Row<'_>) -> Result<(Event, usize), Fault> {
    let position = Position(unsigned(row, 0)?);
    let id: [u8; 16] = row.get(1)?;
    let data = row.get_ref(7)?.as_str().map_err(rusqlite::Error::from)?;
    let size = data.len();
    let data = serde_json::from_str(data).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(7, rusqlite::types::Type::Text, Box::new(error))
    })?;
    let event = Event {
        id: Uuid::from_bytes(id),
        position,
        stream: row.get(2)?,
        seq: unsigned(row, 3)?,
        at: from_micros(row.get(4)?),
        kind: row.get(5)?,
        v: row.get(6)?,
        data,
    };
    Ok((event, size))
}

/// A number for SQLite, whose integers are signed.
pub(super) fn number(value: u64) -> i64 {
    i64::try_from(value).unwrap_or(i64::MAX)
}

/// A number that was never negative when it was written.
pub(super) fn unsigned(row: &Row<'_>, column: usize) -> rusqlite::Result<u64> {
    let value: i64 = row.get(column)?;
    u64::try_from(value).map_err(|_| rusqlite::Error::IntegralValueOutOfRange(column, value))
}

fn page(limit: usize) -> i64 {
    number(limit.min(PAGE_LIMIT) as u64)
}
