//! Events, their places, and what an event must look like to be kept.
//!
//! Promises: an event that passes [`NewEvent::check`] can be written, read back and exported with the
//! same value. Leaves to others: what kinds there are.

use super::StoreError;
use jiff::Timestamp;
use serde_json::Value;
use std::fmt;
use uuid::Uuid;

/// At most this many events come in one answer.
pub const PAGE_LIMIT: usize = 10_000;
/// An answer ends early when its data grow beyond this.
pub(crate) const PAGE_BYTES: usize = 32 << 20;
/// Data of one event; what is larger belongs into a blob.
pub(crate) const MAX_DATA: usize = 16 << 20;
/// JSON readers stop at 128 levels; a bundle line wraps an event in two.
const MAX_DEPTH: usize = 100;
const MAX_STREAM: usize = 512;
const MAX_KIND: usize = 128;

/// The place of an event among all events of a workspace; it grows with every commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Position(pub u64);

impl Position {
    /// Before the first event.
    pub const START: Position = Position(0);
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

/// What an append takes for granted about its stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// Nothing.
    Any,
    /// The last event has this number; 0 for a stream without events.
    At(u64),
}

/// An event that is to be appended.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEvent {
    /// What happened.
    pub kind: String,
    /// When; kept in whole microseconds.
    pub at: Timestamp,
    /// Version of the data's shape for this kind.
    pub v: u32,
    /// The particulars.
    pub data: Value,
}

impl NewEvent {
    /// An event of version 1.
    pub fn new(kind: impl Into<String>, at: Timestamp, data: Value) -> NewEvent {
        NewEvent { kind: kind.into(), at, v: 1, data }
    }

    /// The data as JSON text, if the event can be kept in this stream.
    pub(crate) fn check(&self, stream: &str) -> Result<String, StoreError> {
        check_stream(stream)?;
        check_kind(stream, &self.kind)?;
        check_data(stream, &self.kind, &self.data)
    }
}

/// An event as it is kept.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// UUIDv7, the same in every workspace that holds the event.
    pub id: Uuid,
    /// Place among all events of this workspace.
    pub position: Position,
    /// The stream it belongs to.
    pub stream: String,
    /// Its number there, from 1.
    pub seq: u64,
    /// When it happened.
    pub at: Timestamp,
    /// What happened.
    pub kind: String,
    /// Version of the data's shape.
    pub v: u32,
    /// The particulars.
    pub data: Value,
}

impl Event {
    /// Whether both record the same thing, wherever they stand.
    pub(crate) fn same_content(&self, other: &Event) -> bool {
        self.stream == other.stream
            && micros(self.at) == micros(other.at)
            && self.kind == other.kind
            && self.v == other.v
            && self.data == other.data
    }

    /// The data as JSON text, if the event can be kept.
    pub(crate) fn check(&self) -> Result<String, StoreError> {
        check_stream(&self.stream)?;
        check_kind(&self.stream, &self.kind)?;
        check_data(&self.stream, &self.kind, &self.data)
    }
}

/// An event that is lent while a stream is scanned: nothing of it is copied, and its data are still text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EventRow<'a> {
    /// UUIDv7, the same in every workspace that holds the event.
    pub id: Uuid,
    /// Its number in its stream, from 1.
    pub seq: u64,
    /// When it happened.
    pub at: Timestamp,
    /// What happened.
    pub kind: &'a str,
    /// Version of the data's shape.
    pub v: u32,
    /// The particulars, as JSON.
    pub data: &'a str,
}

/// A stream and the number of its last event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamHead {
    /// The stream's name.
    pub name: String,
    /// Number of its last event.
    pub seq: u64,
}

/// What became of an event that was to be merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Merged {
    /// It was added under this number, which differs from its own where the stream held others.
    Added {
        /// Its number here.
        seq: u64,
    },
    /// It was here already.
    Duplicate,
    /// Another event with the same id is here; that one was kept.
    Conflict,
}

/// The time as it is kept.
pub(crate) fn micros(at: Timestamp) -> i64 {
    at.as_microsecond()
}

/// A kept time.
pub(crate) fn from_micros(micros: i64) -> Timestamp {
    Timestamp::from_microsecond(micros).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// Refuses names that could not be told apart on a screen or would not fit an index.
pub(crate) fn check_stream(stream: &str) -> Result<(), StoreError> {
    if stream.is_empty() || stream.len() > MAX_STREAM || stream.chars().any(char::is_control) {
        return Err(StoreError::BadStreamName { stream: stream.chars().take(80).collect() });
    }
    Ok(())
}

fn check_kind(stream: &str, kind: &str) -> Result<(), StoreError> {
    if kind.is_empty() || kind.len() > MAX_KIND || kind.chars().any(char::is_control) {
        let why = format!("a kind has 1 to {MAX_KIND} bytes and no control characters");
        return Err(bad_event(stream, kind, why));
    }
    Ok(())
}

fn check_data(stream: &str, kind: &str, data: &Value) -> Result<String, StoreError> {
    if !depth_within(data, MAX_DEPTH) {
        return Err(bad_event(stream, kind, format!("its data are nested deeper than {MAX_DEPTH} levels")));
    }
    let text = data.to_string();
    if text.len() > MAX_DATA {
        let why = format!(
            "its data have {} bytes, more than {MAX_DATA}; put them into a blob and name its id",
            text.len()
        );
        return Err(bad_event(stream, kind, why));
    }
    Ok(text)
}

fn bad_event(stream: &str, kind: &str, why: String) -> StoreError {
    StoreError::BadEvent { stream: stream.to_owned(), kind: kind.chars().take(80).collect(), why }
}

fn depth_within(value: &Value, left: usize) -> bool {
    match value {
        Value::Array(list) => left > 0 && list.iter().all(|value| depth_within(value, left - 1)),
        Value::Object(map) => left > 0 && map.values().all(|value| depth_within(value, left - 1)),
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use serde_json::json;

    #[test]
    fn names_and_kinds_are_bounded() {
        for good in ["a", "dataset/x", "run/0190-…/t", &"x".repeat(512)] {
            assert!(check_stream(good).is_ok(), "{good}");
        }
        for bad in ["", "a\nb", "\u{0}", &"x".repeat(513)] {
            assert!(check_stream(bad).is_err(), "{bad:?}");
            assert!(check_kind("s", bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn data_that_could_not_be_read_again_are_refused() {
        let mut deep = json!(1);
        for _ in 0..MAX_DEPTH {
            deep = json!([deep]);
        }
        assert!(check_data("s", "k", &deep).is_ok());
        let error = check_data("s", "k", &json!([deep])).unwrap_err();
        assert!(error.to_string().contains("100 levels"), "{error}");
        let error = check_data("s", "k", &json!("x".repeat(MAX_DATA))).unwrap_err();
        assert!(error.to_string().contains("blob"), "{error}");
    }

    #[test]
    fn times_keep_microseconds() {
        let at: Timestamp = "2026-05-01T10:00:00.123456789Z".parse().unwrap();
        assert_eq!(from_micros(micros(at)).to_string(), "2026-05-01T10:00:00.123456Z");
    }
}
