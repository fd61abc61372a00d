//! What happens in the very moment in which something is written.
#![allow(clippy::unwrap_used)]

use super::*;
use crate::store::{
    BlobId, Event, Expected, Fence, Merged, NewEvent, Position, StoreError, Stored, StreamHead,
};
use std::sync::Mutex;

type Deed = Box<dyn FnOnce() + Send>;

/// Does something once, right before an append to a stream whose name begins so.
struct Between {
    store: Arc<dyn Store>,
    deed: Mutex<Option<(&'static str, Deed)>>,
}

impl Store for Between {
    fn append(&self, stream: &str, expected: Expected, events: &[NewEvent]) -> Result<u64, StoreError> {
        let deed = self.deed.lock().unwrap().take_if(|(prefix, _)| stream.starts_with(*prefix));
        if let Some((_, deed)) = deed {
            deed();
        }
        self.store.append(stream, expected, events)
    }
    fn read(&self, stream: &str, from_seq: u64, limit: usize) -> Result<Vec<Event>, StoreError> {
        self.store.read(stream, from_seq, limit)
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
    fn get(&self, id: &BlobId) -> Result<Option<Vec<u8>>, StoreError> {
        self.store.get(id)
    }
    fn blobs(&self, after: Option<&BlobId>, limit: usize) -> Result<Vec<BlobId>, StoreError> {
        self.store.blobs(after, limit)
    }
    fn merge(&self, events: &[Event]) -> Result<Vec<Merged>, StoreError> {
        self.store.merge(events)
    }
    fn acquire(
        &self,
        job: &str,
        owner: &str,
        until: jiff::Timestamp,
        now: jiff::Timestamp,
    ) -> Result<Option<Fence>, StoreError> {
        self.store.acquire(job, owner, until, now)
    }
    fn renew(
        &self,
        job: &str,
        fence: Fence,
        until: jiff::Timestamp,
        now: jiff::Timestamp,
    ) -> Result<bool, StoreError> {
        self.store.renew(job, fence, until, now)
    }
    fn release(&self, job: &str, fence: Fence) -> Result<bool, StoreError> {
        self.store.release(job, fence)
    }
}

fn plan(seed: u64) -> Plan {
    Plan { pairs: Pairs::Rotating, per_item: 2, seed }
}

/// A round of three annotators of whom two label each item: the same store with and without a moment in between.
fn rounds() -> (Arc<Between>, Studies, Studies) {
    let store: Arc<dyn Store> = Arc::new(MemoryStore::new(Arc::new(FixedIds::default())));
    let clock = Arc::new(FixedClock::default());
    let plain = Studies::with_clock(store.clone(), clock.clone());
    let created = Created {
        name: "r".to_owned(),
        study: "s".to_owned(),
        codebook: codebook(),
        annotators: ["anna", "ben", "cem"].map(str::to_owned).into(),
        arbitrator: "zoe".to_owned(),
        lead: "lea".to_owned(),
        sampling: Sampling::default(),
    };
    let new = NewRound { created, items: testing::items(9), plan: Some(plan(1)), repeats: 0 };
    plain.create(Uuid::now_v7(), new).unwrap();
    let between = Arc::new(Between { store, deed: Mutex::new(None) });
    (between.clone(), plain, Studies::with_clock(between, clock))
}

/// The items of anna, by number.
fn queue(studies: &Studies) -> Vec<usize> {
    let desk = studies.desk(Some("r"), "anna").unwrap();
    desk.round.queue(0).collect()
}

#[test]
fn an_answer_to_an_item_that_was_given_to_others_in_that_moment_does_not_stand() {
    let (between, plain, watched) = rounds();
    let before = queue(&plain);
    // A seed that takes an item away from anna.
    let mut desk = plain.desk(Some("r"), "lea").unwrap();
    let (seed, lost) = (2..100)
        .find_map(|seed| {
            let new = desk.preview(plan(seed), 0).unwrap().0.queues[0].clone();
            Some((seed, *before.iter().find(|item| !new.contains(&(**item as u32)))?))
        })
        .unwrap();
    let mut writer = watched.desk(Some("r"), "anna").unwrap().writer().unwrap();
    *between.deed.lock().unwrap() = Some(("label/", Box::new(move || desk.assign(plan(seed), 0).unwrap())));
    let error = writer.set(&entry(lost, "no")).unwrap_err();
    assert!(matches!(error, StudyError::NotYours { .. }), "{error}");
    assert!(!queue(&plain).contains(&lost));
    let sheet = plain.desk(Some("r"), "anna").unwrap().sheet(0).unwrap();
    assert!(sheet.present.is_empty(), "{:?}", sheet.present);
}

#[test]
fn who_answers_while_somebody_assigns_keeps_their_items() {
    let (between, plain, watched) = rounds();
    let before = queue(&plain);
    let mut writer = plain.desk(Some("r"), "anna").unwrap().writer().unwrap();
    let item = before[0];
    let deed = move || drop(writer.set(&entry(item, "no")).unwrap());
    *between.deed.lock().unwrap() = Some(("round/", Box::new(deed)));
    let error = watched.desk(Some("r"), "lea").unwrap().assign(plan(7), 0).unwrap_err();
    assert!(matches!(error, StudyError::LabelsExist), "{error}");
    assert_eq!(queue(&plain), before);
    let sheet = plain.desk(Some("r"), "anna").unwrap().sheet(0).unwrap();
    assert_eq!(sheet.present.len(), 1);
}
