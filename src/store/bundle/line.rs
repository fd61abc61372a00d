//! The lines of a bundle, and reading them one at a time.
//!
//! Promises: a line longer than any that we write is skipped without being held in memory. Leaves to
//! others: what the lines do.

use crate::store::event::{MAX_DATA, from_micros, micros};
use crate::store::{BlobId, Event, MAX_BLOB, Position};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::borrow::Cow;
use std::io::{BufRead, Result};
use uuid::Uuid;

/// Version of the format.
pub(super) const VERSION: u32 = 1;

/// A blob is written as text when that takes at most twice its size.
pub(super) const MAX_LINE: usize = {
    let blob = MAX_BLOB * 2;
    let event = MAX_DATA;
    (if blob > event { blob } else { event }) + 4096
};

pub(super) const HEADER: &str = "bundle";
pub(super) const BLOB: &str = "blob";
pub(super) const EVENT: &str = "event";
pub(super) const END: &str = "bundle-end";

/// What all lines have.
#[derive(Deserialize)]
pub(super) struct AnyLine<'a> {
    #[serde(borrow)]
    pub r#type: Cow<'a, str>,
    pub v: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct HeaderLine<'a> {
    #[serde(borrow)]
    pub r#type: Cow<'a, str>,
    pub v: u32,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BlobLine<'a> {
    #[serde(borrow)]
    pub r#type: Cow<'a, str>,
    pub v: u32,
    pub id: BlobId,
    #[serde(default, borrow, skip_serializing_if = "Option::is_none")]
    pub text: Option<Cow<'a, str>>,
    #[serde(default, borrow, skip_serializing_if = "Option::is_none")]
    pub base64: Option<Cow<'a, str>>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EventLine<'a> {
    #[serde(borrow)]
    pub r#type: Cow<'a, str>,
    pub v: u32,
    pub event: WireEvent,
}

/// An event without its position, which is the workspace's own affair.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct WireEvent {
    pub id: Uuid,
    pub stream: String,
    pub seq: u64,
    pub at: Timestamp,
    pub kind: String,
    pub v: u32,
    pub data: Value,
}

impl From<Event> for WireEvent {
    fn from(event: Event) -> WireEvent {
        let Event { id, position: _, stream, seq, at, kind, v, data } = event;
        WireEvent { id, stream, seq, at, kind, v, data }
    }
}

impl From<WireEvent> for Event {
    fn from(event: WireEvent) -> Event {
        let WireEvent { id, stream, seq, at, kind, v, data } = event;
        let at = from_micros(micros(at));
        Event { id, position: Position::START, stream, seq, at, kind, v, data }
    }
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EndLine<'a> {
    #[serde(borrow)]
    pub r#type: Cow<'a, str>,
    pub v: u32,
    pub blobs: u64,
    pub events: u64,
    pub sha256: BlobId,
}

/// What came of reading a line.
pub(super) enum Read {
    /// The buffer holds it, without its line break.
    Line,
    /// It was longer than the limit and was skipped.
    TooLong,
    /// There are no more.
    End,
}

/// Reads a line into `buffer`; shows all its bytes, line break included, to `watch`.
pub(super) fn read_line(
    input: &mut dyn BufRead,
    buffer: &mut Vec<u8>,
    limit: usize,
    watch: &mut dyn FnMut(&[u8]),
) -> Result<Read> {
    buffer.clear();
    let (mut any, mut too_long) = (false, false);
    loop {
        let bytes = match input.fill_buf() {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let end = bytes.iter().position(|byte| *byte == b'\n');
        let text = &bytes[..end.unwrap_or(bytes.len())];
        any |= !bytes.is_empty();
        too_long |= buffer.len() + text.len() > limit;
        if !too_long {
            buffer.extend_from_slice(text);
        }
        let finished = end.is_some() || bytes.is_empty();
        let used = end.map_or(bytes.len(), |end| end + 1);
        watch(&bytes[..used]);
        input.consume(used);
        if finished {
            break;
        }
    }
    if !any {
        return Ok(Read::End);
    }
    // A buffer that one huge line has blown up is not kept for all the small ones.
    if buffer.capacity() > 4 << 20 && buffer.len() < 1 << 20 {
        buffer.shrink_to(1 << 20);
    }
    Ok(if too_long { Read::TooLong } else { Read::Line })
}
