//! The verdict cache: reports by the id of their request.
//!
//! Promises: what is found answers exactly this request; failures of the harness, time that ran out and what was
//! cancelled are never kept; what cannot be read counts as not there, and so does what another user wrote: a workspace
//! that comes with a dataset cannot bring its own verdicts. Leaves to others: whether to look (`--fresh`).

use super::report::VerifyReport;
use super::request::RequestId;
use super::seal::Seal;
use crate::store::{BlobId, Clock, Expected, NewEvent, Store, StoreError};
use serde_json::json;

/// Kind of its events.
const KIND: &str = "verified";

fn stream(id: &RequestId) -> String {
    format!("verdict/{id}")
}

/// The report that is kept for a request.
pub fn look(store: &dyn Store, seal: &Seal, id: &RequestId) -> Result<Option<VerifyReport>, StoreError> {
    let events = store.read(&stream(id), 1, usize::MAX)?;
    let ours = events.iter().rev().filter(|event| event.kind == KIND && event.v == 1).find_map(|event| {
        let text = |key: &str| event.data.get(key).and_then(|value| value.as_str());
        let blob = text("report")?;
        (text("seal")? == seal.of(id.as_str(), blob)).then(|| blob.parse::<BlobId>().ok()).flatten()
    });
    let Some(blob) = ours else { return Ok(None) };
    let Some(bytes) = store.get(&blob)? else { return Ok(None) };
    let report: Option<VerifyReport> = serde_json::from_slice(&bytes).ok();
    Ok(report.filter(|report| report.request == *id && report.can_be_cached()))
}

/// Keeps a report, if it is one to keep; says whether it is.
pub fn keep(
    store: &dyn Store,
    seal: &Seal,
    clock: &dyn Clock,
    report: &VerifyReport,
) -> Result<bool, StoreError> {
    if !report.can_be_cached() {
        return Ok(false);
    }
    let Ok(bytes) = serde_json::to_vec(report) else { return Ok(false) };
    if bytes.len() > crate::store::MAX_BLOB {
        // The outputs are bounded; only a report of very many tests can be so large. It is made again.
        return Ok(false);
    }
    let blob = store.put(&bytes)?;
    let blob = blob.to_string();
    let seal = seal.of(report.request.as_str(), &blob);
    let data = json!({ "verdict": report.verdict, "report": blob, "seal": seal });
    store.append(&stream(&report.request), Expected::Any, &[NewEvent::new(KIND, clock.now(), data)])?;
    Ok(true)
}
