//! A backend without a file: for tests, and for sessions that may not write.
//!
//! Promises: the same answers as every other backend (`conformance`). Leaves to others: durability;
//! everything is gone with the value.

use super::blob::MAX_BLOB;
use super::event::{PAGE_BYTES, check_stream, from_micros, micros};
use super::{
    BlobId, Event, Expected, Fence, Ids, Merged, NewEvent, PAGE_LIMIT, Position, Store, StoreError, Stored,
    StreamHead, SystemIds,
};
use jiff::Timestamp;
use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use uuid::Uuid;

/// A store in memory.
pub struct MemoryStore {
    ids: Arc<dyn Ids>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The event at place `n` has position `n + 1`; its data's size is kept beside it.
    events: Vec<(Event, usize)>,
    /// Places of each stream's events.
    streams: BTreeMap<String, Vec<usize>>,
    by_id: HashMap<Uuid, usize>,
    blobs: BTreeMap<BlobId, Vec<u8>>,
    leases: HashMap<String, (Fence, Timestamp)>,
}

impl Default for MemoryStore {
    fn default() -> MemoryStore {
        MemoryStore::new(Arc::new(SystemIds))
    }
}

impl MemoryStore {
    /// An empty store whose events get these ids.
    pub fn new(ids: Arc<dyn Ids>) -> MemoryStore {
        MemoryStore { ids, state: Mutex::default() }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn push(&mut self, event: Event, size: usize) -> u64 {
        let place = self.events.len();
        let places = self.streams.entry(event.stream.clone()).or_default();
        places.push(place);
        let seq = places.len() as u64;
        self.by_id.insert(event.id, place);
        let at = from_micros(micros(event.at));
        self.events.push((Event { position: Position(place as u64 + 1), seq, at, ..event }, size));
        seq
    }
}

/// Up to a page of events.
fn page<'a>(events: impl Iterator<Item = &'a (Event, usize)>, limit: usize) -> Vec<Event> {
    let mut bytes = 0;
    let mut page = Vec::new();
    for (event, size) in events.take(limit.min(PAGE_LIMIT)) {
        page.push(event.clone());
        bytes += size;
        if bytes > PAGE_BYTES {
            break;
        }
    }
    page
}

impl Store for MemoryStore {
    fn append(&self, stream: &str, expected: Expected, events: &[NewEvent]) -> Result<u64, StoreError> {
        check_stream(stream)?;
        let sizes = events
            .iter()
            .map(|event| event.check(stream).map(|data| data.len()))
            .collect::<Result<Vec<_>, _>>()?;
        let mut state = self.state();
        let mut actual = state.streams.get(stream).map_or(0, |places| places.len() as u64);
        if let Expected::At(seq) = expected
            && seq != actual
        {
            return Err(StoreError::Conflict { stream: stream.to_owned(), expected, actual });
        }
        for (event, size) in events.iter().zip(sizes) {
            let event = Event {
                id: self.ids.next(),
                position: Position::START,
                stream: stream.to_owned(),
                seq: 0,
                at: event.at,
                kind: event.kind.clone(),
                v: event.v,
                data: event.data.clone(),
            };
            actual = state.push(event, size);
        }
        Ok(actual)
    }

    fn read(&self, stream: &str, from_seq: u64, limit: usize) -> Result<Vec<Event>, StoreError> {
        let state = self.state();
        let places = state.streams.get(stream).map_or(&[][..], Vec::as_slice);
        let skip = usize::try_from(from_seq.saturating_sub(1)).unwrap_or(usize::MAX);
        let places = places.get(skip..).unwrap_or(&[]);
        Ok(page(places.iter().filter_map(|place| state.events.get(*place)), limit))
    }

    fn tail(&self, after: Position, limit: usize) -> Result<(Vec<Event>, Position), StoreError> {
        let state = self.state();
        let skip = usize::try_from(after.0).unwrap_or(usize::MAX);
        let events = page(state.events.get(skip..).unwrap_or(&[]).iter(), limit);
        let last = events.last().map_or(after, |event| event.position);
        Ok((events, last))
    }

    fn head(&self) -> Result<Position, StoreError> {
        Ok(Position(self.state().events.len() as u64))
    }

    fn streams(&self, prefix: &str) -> Result<Vec<StreamHead>, StoreError> {
        let state = self.state();
        let from = state.streams.range(prefix.to_owned()..);
        let found = from.take_while(|(name, _)| name.starts_with(prefix));
        Ok(found.map(|(name, places)| StreamHead { name: name.clone(), seq: places.len() as u64 }).collect())
    }

    fn put_all(&self, blobs: &[&[u8]]) -> Result<Vec<Stored>, StoreError> {
        if let Some(bytes) = blobs.iter().find(|bytes| bytes.len() > MAX_BLOB) {
            return Err(StoreError::BlobTooLarge { size: bytes.len() as u64, limit: MAX_BLOB as u64 });
        }
        let mut state = self.state();
        let stored = blobs.iter().map(|bytes| {
            let id = BlobId::of(bytes);
            Stored { id, added: state.blobs.insert(id, bytes.to_vec()).is_none() }
        });
        Ok(stored.collect())
    }

    fn get(&self, id: &BlobId) -> Result<Option<Vec<u8>>, StoreError> {
        Ok(self.state().blobs.get(id).cloned())
    }

    fn blobs(&self, after: Option<&BlobId>, limit: usize) -> Result<Vec<BlobId>, StoreError> {
        use std::ops::Bound::{Excluded, Unbounded};
        let state = self.state();
        let from = after.map_or(Unbounded, |id| Excluded(*id));
        Ok(state.blobs.range((from, Unbounded)).take(limit).map(|(id, _)| *id).collect())
    }

    fn merge(&self, events: &[Event]) -> Result<Vec<Merged>, StoreError> {
        let sizes =
            events.iter().map(|event| event.check().map(|data| data.len())).collect::<Result<Vec<_>, _>>()?;
        let mut state = self.state();
        let merged = events.iter().zip(sizes).map(|(event, size)| {
            let known = state.by_id.get(&event.id).and_then(|place| state.events.get(*place));
            match known {
                Some((ours, _)) if ours.same_content(event) => Merged::Duplicate,
                Some(_) => Merged::Conflict,
                None => Merged::Added { seq: state.push(event.clone(), size) },
            }
        });
        Ok(merged.collect())
    }

    fn acquire(
        &self,
        job: &str,
        _owner: &str,
        until: Timestamp,
        now: Timestamp,
    ) -> Result<Option<Fence>, StoreError> {
        let mut state = self.state();
        let fence = match state.leases.get(job) {
            Some((_, held)) if *held > now => return Ok(None),
            Some((fence, _)) => Fence(fence.0 + 1),
            None => Fence(1),
        };
        state.leases.insert(job.to_owned(), (fence, until));
        Ok(Some(fence))
    }

    fn renew(&self, job: &str, fence: Fence, until: Timestamp, now: Timestamp) -> Result<bool, StoreError> {
        let mut state = self.state();
        let lease = state.leases.get_mut(job).filter(|(held, end)| *held == fence && *end > now);
        Ok(lease.map(|lease| lease.1 = until).is_some())
    }

    fn release(&self, job: &str, fence: Fence) -> Result<bool, StoreError> {
        let mut state = self.state();
        let lease = state.leases.get_mut(job).filter(|(held, end)| *held == fence && *end > Timestamp::MIN);
        Ok(lease.map(|lease| lease.1 = Timestamp::MIN).is_some())
    }
}
