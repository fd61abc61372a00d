//! Records of checks in the workspace: the baseline of tasks, and the quarantine.
//!
//! Promises: a record belongs to one revision of a task; the newest one counts; a check about which nothing was learned
//! takes no earlier one away; what another user or a dataset wrote counts as not there. Leaves to others: making them ([`super::check`]).

use super::check::{Check, Standing};
use super::seal::Seal;
use crate::store::{BlobId, Clock, Expected, NewEvent, Store, StoreError};
use crate::task::Revision;
use serde_json::json;

/// Kind of its events.
const KIND: &str = "checked";

fn stream(revision: &Revision) -> String {
    format!("check/{revision}")
}

/// Keeps the record of a check.
pub fn keep(store: &dyn Store, seal: &Seal, clock: &dyn Clock, check: &Check) -> Result<(), StoreError> {
    if check.standing == Standing::Unknown {
        return Ok(());
    }
    let Ok(record) = serde_json::to_string(check) else { return Ok(()) };
    // The text itself is kept, for it is what is sealed.
    let data = json!({ "seal": sealed(seal, check.revision.as_str(), &record), "record": record });
    store.append(&stream(&check.revision), Expected::Any, &[NewEvent::new(KIND, clock.now(), data)])?;
    Ok(())
}

/// The newest record of this revision.
pub fn look(store: &dyn Store, seal: &Seal, revision: &Revision) -> Result<Option<Check>, StoreError> {
    let events = store.read(&stream(revision), 1, usize::MAX)?;
    let newest = events.iter().rev().filter(|event| event.kind == KIND && event.v == 1);
    let mut ours = newest.filter_map(|event| {
        let text = |key: &str| event.data.get(key).and_then(|value| value.as_str());
        let record = text("record")?;
        (text("seal")? == sealed(seal, revision.as_str(), record))
            .then(|| serde_json::from_str(record).ok())?
    });
    Ok(ours.find(|check: &Check| check.revision == *revision))
}

fn sealed(seal: &Seal, revision: &str, record: &str) -> String {
    seal.of(revision, &BlobId::of(record.as_bytes()).to_string())
}
