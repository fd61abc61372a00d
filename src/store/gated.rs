//! A store that asks before every append, so that tests decide what happens in that moment: somebody else writes, the
//! disk is full, the process dies.
//!
//! Promises: whatever is no append is handed on as it is. Leaves to others: keeping anything.

use super::{
    BlobId, Event, EventRow, Expected, Fence, Merged, NewEvent, Position, Store, StoreError, Stored,
    StreamHead,
};
use jiff::Timestamp;
use std::sync::Arc;

/// What is asked before an append.
pub trait Gate: Send + Sync {
    /// Lets events go to a stream, or fails in the place of the store.
    ///
    /// # Errors
    /// What the append is to fail with.
    fn before(&self, stream: &str, events: &[NewEvent]) -> Result<(), StoreError>;
}

impl<Asked> Gate for Asked
where
    Asked: Fn(&str, &[NewEvent]) -> Result<(), StoreError> + Send + Sync,
{
    fn before(&self, stream: &str, events: &[NewEvent]) -> Result<(), StoreError> {
        self(stream, events)
    }
}

/// A store with a gate before it.
pub struct Gated<Asked> {
    /// Where everything is kept.
    pub store: Arc<dyn Store>,
    /// What is asked before an append.
    pub gate: Asked,
}

impl<Asked: Gate> Store for Gated<Asked> {
    fn append(&self, stream: &str, expected: Expected, events: &[NewEvent]) -> Result<u64, StoreError> {
        self.gate.before(stream, events)?;
        self.store.append(stream, expected, events)
    }
    fn read(&self, stream: &str, from_seq: u64, limit: usize) -> Result<Vec<Event>, StoreError> {
        self.store.read(stream, from_seq, limit)
    }
    fn scan(
        &self,
        stream: &str,
        from_seq: u64,
        visit: &mut dyn FnMut(EventRow<'_>),
    ) -> Result<(), StoreError> {
        self.store.scan(stream, from_seq, visit)
    }
    fn tail(&self, after: Position, limit: usize) -> Result<(Vec<Event>, Position), StoreError> {
        self.store.tail(after, limit)
    }
    fn head(&self) -> Result<Position, StoreError> {
        self.store.head()
    }
    fn streams(&self, prefix: &str) -> Result<Vec<StreamHead>, StoreError> {
        self.store.streams(prefix)
    }
    fn put_all(&self, blobs: &[&[u8]]) -> Result<Vec<Stored>, StoreError> {
        self.store.put_all(blobs)
    }
    fn record(
        &self,
        stream: &str,
        expected: Expected,
        events: &[NewEvent],
        blobs: &[&[u8]],
    ) -> Result<u64, StoreError> {
        self.gate.before(stream, events)?;
        self.store.record(stream, expected, events, blobs)
    }
    fn get(&self, id: &BlobId) -> Result<Option<Vec<u8>>, StoreError> {
        self.store.get(id)
    }
    fn blobs(&self, after: Option<&BlobId>, limit: usize) -> Result<Vec<BlobId>, StoreError> {
        self.store.blobs(after, limit)
    }
    fn merge(&self, events: &[Event]) -> Result<Vec<Merged>, StoreError> {
        self.store.merge(events)
    }
    fn refresh_derived(&self) -> Result<(), StoreError> {
        self.store.refresh_derived()
    }
    fn acquire(
        &self,
        job: &str,
        owner: &str,
        until: Timestamp,
        now: Timestamp,
    ) -> Result<Option<Fence>, StoreError> {
        self.store.acquire(job, owner, until, now)
    }
    fn renew(&self, job: &str, fence: Fence, until: Timestamp, now: Timestamp) -> Result<bool, StoreError> {
        self.store.renew(job, fence, until, now)
    }
    fn release(&self, job: &str, fence: Fence) -> Result<bool, StoreError> {
        self.store.release(job, fence)
    }
}
