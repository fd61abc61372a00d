//! The workspace: append-only events, blobs by their hash, leases, and a task index derived from them.
//!
//! Promises: what an `append` or `put` has acknowledged is on disk; a reader never sees half of an
//! append; [`Store::tail`] never skips an event, however late it was committed; the task index can be
//! thrown away and built again from events and blobs. Times and ids come from outside ([`Clock`],
//! [`Ids`]), so that tests decide them.
//! Leaves to others: what the events mean (folds live in the pure rooms), reading datasets
//! (`dataset`), computing a task's [`Summary`] (the caller, with `diff`).
//!
//! **The trait is synchronous.** A call may wait for the disk, for another process or, with a server
//! behind it, for the network. Call it from worker threads, never from the loop that draws. A backend
//! on PostgreSQL may block in the same way; it then has to keep the promise of `tail` itself, because
//! its sequence numbers are not handed out in commit order.
//!
//! | file | subject |
//! |---|---|
//! | `event`, `blob`, `lease`, `clock`, `error` | the words of the trait |
//! | `index` | the derived list of tasks: what is imported, listed, searched |
//! | `memory` | a backend without a file |
//! | `sqlite/` | the backend that workspaces use |
//! | `conformance` | what every backend must do |
//! | `gated` | a store that tests hold up |
//! | `workspace` | which folder is the workspace |
//! | `bundle` | a whole workspace as JSON Lines |

mod blob;
pub mod bundle;
mod clock;
#[doc(hidden)]
pub mod conformance;
mod error;
mod event;
#[doc(hidden)]
pub mod gated;
mod index;
mod lease;
mod memory;
pub mod sqlite;
pub mod workspace;

pub use blob::{BlobId, MAX_BLOB, Stored};
pub use clock::{Clock, FixedClock, FixedIds, Ids, SystemClock, SystemIds};
pub use error::StoreError;
pub use event::{Event, EventRow, Expected, Merged, NewEvent, PAGE_LIMIT, Position, StreamHead};
pub use index::{ImportReport, IndexRow, PreparedTask, RebuildReport, Refused, Summary, TaskIndex};
pub use lease::Fence;
pub use memory::MemoryStore;
pub use sqlite::{OpenMode, SqliteStore};
pub use workspace::{Workspace, WorkspaceInputs};

use jiff::Timestamp;

/// A place that keeps events and blobs. Object-safe; every method may block.
///
/// A *stream* is a name with a gapless sequence of events, numbered from 1. All events of all streams
/// also have a *position*, which grows in the order in which they were committed.
pub trait Store: Send + Sync {
    /// Appends events to a stream, all or none, and answers with the stream's new last number (its
    /// present one when `events` is empty). They are on disk when this returns.
    fn append(&self, stream: &str, expected: Expected, events: &[NewEvent]) -> Result<u64, StoreError>;

    /// Events of a stream from number `from_seq` on, at most `limit` of them (and at most
    /// [`PAGE_LIMIT`]; fewer when they are large). An empty answer means that there are no more.
    fn read(&self, stream: &str, from_seq: u64, limit: usize) -> Result<Vec<Event>, StoreError>;

    /// Shows all events of a stream from number `from_seq` on, in their order, without making values of them: for
    /// streams of many thousands, of which [`Store::read`] would make one tree each. What is appended meanwhile may
    /// or may not be shown. `visit` must not write to the store.
    fn scan(
        &self,
        stream: &str,
        from_seq: u64,
        visit: &mut dyn FnMut(EventRow<'_>),
    ) -> Result<(), StoreError> {
        let mut from = from_seq;
        loop {
            let page = self.read(stream, from, PAGE_LIMIT)?;
            let Some(last) = page.last() else { return Ok(()) };
            from = last.seq + 1;
            for event in &page {
                let Event { id, seq, at, v, .. } = *event;
                visit(EventRow { id, seq, at, kind: &event.kind, v, data: &event.data.to_string() });
            }
        }
    }

    /// Events of all streams behind a position, in the order of their commits, bounded as in
    /// [`Store::read`], with the position to continue from. An event that is committed later always
    /// has a later position, so nobody who follows the positions can miss one.
    fn tail(&self, after: Position, limit: usize) -> Result<(Vec<Event>, Position), StoreError>;

    /// The position of the newest event.
    fn head(&self) -> Result<Position, StoreError>;

    /// Streams whose name begins with `prefix`, by name.
    fn streams(&self, prefix: &str) -> Result<Vec<StreamHead>, StoreError>;

    /// Keeps bytes under their sha256. Bytes that are there already are not stored twice.
    fn put(&self, bytes: &[u8]) -> Result<BlobId, StoreError> {
        let stored = self.put_all(&[bytes])?;
        Ok(stored.first().map_or_else(|| BlobId::of(bytes), |stored| stored.id))
    }

    /// Keeps several blobs, all or none: one wait for the disk instead of many.
    fn put_all(&self, blobs: &[&[u8]]) -> Result<Vec<Stored>, StoreError>;

    /// Keeps blobs and appends events that name them, all or none: one wait for the disk. A backend that cannot do
    /// both at once keeps the blobs first, which a failing append leaves behind.
    fn record(
        &self,
        stream: &str,
        expected: Expected,
        events: &[NewEvent],
        blobs: &[&[u8]],
    ) -> Result<u64, StoreError> {
        if !blobs.is_empty() {
            self.put_all(blobs)?;
        }
        self.append(stream, expected, events)
    }

    /// The bytes with this hash. They are checked against it: damage is an error, never other bytes.
    fn get(&self, id: &BlobId) -> Result<Option<Vec<u8>>, StoreError>;

    /// Ids of blobs in their order, behind `after`, at most `limit`. An empty answer means no more.
    fn blobs(&self, after: Option<&BlobId>, limit: usize) -> Result<Vec<BlobId>, StoreError>;

    /// Takes over events that another workspace recorded, with their ids and times, all or none. An id
    /// that is here already is left alone, so doing it twice changes nothing.
    fn merge(&self, events: &[Event]) -> Result<Vec<Merged>, StoreError>;

    /// Brings what the backend derives from events up to date with them.
    fn refresh_derived(&self) -> Result<(), StoreError> {
        Ok(())
    }

    /// Takes the job for `owner` until `until`, unless somebody (also the same owner) holds it at
    /// `now`. The fence grows with every lease of a job: work that carries an older one is stale.
    fn acquire(
        &self,
        job: &str,
        owner: &str,
        until: Timestamp,
        now: Timestamp,
    ) -> Result<Option<Fence>, StoreError>;

    /// Moves the end of a lease that is still this fence's and has not run out at `now`.
    fn renew(&self, job: &str, fence: Fence, until: Timestamp, now: Timestamp) -> Result<bool, StoreError>;

    /// Gives a lease back; `false` when it was no longer this fence's.
    fn release(&self, job: &str, fence: Fence) -> Result<bool, StoreError>;
}
