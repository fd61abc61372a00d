//! Pieces of text to rows, by reading the tasks.
//!
//! Promises: every task that has the text is found, by the same rule that a list in memory follows; several
//! threads read, each in a snapshot of its own. There is no index: splitting texts into pieces of three
//! characters takes about four times as long as splitting them into words, which an import would pay for,
//! and an index of words gives other answers.
//! Leaves to others: what having a text means (`task::full_text`).

use super::events::{number, unsigned};
use super::{Fault, SqliteStore, derive};
use crate::store::{MAX_BLOB, StoreError};
use crate::task::Task;
use crate::task::full_text::{Needle, in_parts};
use rusqlite::params;

/// Rows that one thread takes at a time.
const PART: u64 = 512;

/// Rows whose tasks have this piece of text, in their order. A task whose content cannot be read has none.
pub(super) fn search(
    store: &SqliteStore,
    text: &str,
    cancelled: &(dyn Fn() -> bool + Sync),
) -> Result<Vec<u64>, StoreError> {
    let needle = Needle::new(text);
    let count = store.reading(|snapshot| Ok(derive::count(snapshot)?))?;
    in_parts(1..count.saturating_add(1), PART, cancelled, &|next| {
        store.reading(|snapshot| {
            // The order of the tables is said, so that rows are taken in the order of their numbers.
            let sql = "SELECT i.row, b.size, b.zstd, b.bytes
                FROM task_index i CROSS JOIN blobs b ON b.hash = i.revision
                WHERE i.row >= ?1 AND i.row < ?2";
            let mut statement = snapshot.prepare_cached(sql)?;
            let mut unpacker = Unpacker::default();
            let mut found = Vec::new();
            while let Some(part) = next() {
                let mut rows = statement.query(params![number(part.start), number(part.end)])?;
                while let Some(row) = rows.next()? {
                    let (size, is_zstd) = (unsigned(row, 1)?, row.get(2)?);
                    let bytes = row.get_ref(3)?.as_blob().map_err(rusqlite::Error::from)?;
                    let Some(json) = unpacker.json(size, is_zstd, bytes) else { continue };
                    let has = |task: Task| needle.is_in(&task);
                    if needle.may_be_in(json) && serde_json::from_str(json).is_ok_and(has) {
                        found.push(unsigned(row, 0)?);
                    }
                }
            }
            Ok::<_, Fault>(found)
        })
    })
}

/// Unpacks one task after the other into the same memory, without a look at the hash: whoever opens what
/// was found is told of damage.
#[derive(Default)]
struct Unpacker {
    zstd: Option<zstd::bulk::Decompressor<'static>>,
    buffer: Vec<u8>,
}

impl Unpacker {
    fn json<'a>(&'a mut self, size: u64, is_zstd: bool, bytes: &'a [u8]) -> Option<&'a str> {
        if !is_zstd {
            return std::str::from_utf8(bytes).ok();
        }
        let size = usize::try_from(size).ok().filter(|size| *size <= MAX_BLOB)?;
        if self.zstd.is_none() {
            self.zstd = zstd::bulk::Decompressor::new().ok();
        }
        self.buffer.clear();
        self.buffer.reserve(size);
        self.zstd.as_mut()?.decompress_to_buffer(bytes, &mut self.buffer).ok()?;
        std::str::from_utf8(&self.buffer).ok()
    }
}
