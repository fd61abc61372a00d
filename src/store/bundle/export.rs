//! Writing a bundle.
//!
//! Promises: every blob that an exported event names is in the bundle, also while others write to the
//! store: the end of the export is fixed before the blobs are listed, and blobs are put before the
//! events that name them.

use super::line::{BLOB, BlobLine, END, EVENT, EndLine, EventLine, HEADER, HeaderLine, VERSION};
use super::{BundleError, line};
use crate::store::index::{TASK_IMPORTED, TaskImported};
use crate::store::{BlobId, Event, Position, Store, StoreError};
use base64::Engine;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::borrow::Cow;
use std::collections::HashSet;
use std::io::Write;

/// Blobs listed, or events read, at once.
const PAGE: usize = 500;

/// What was written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Exported {
    /// Blobs.
    pub blobs: u64,
    /// Events.
    pub events: u64,
    /// Blobs that were left out because they are damaged; `on_damage` was told of each.
    pub damaged: u64,
    /// Tasks that events name and whose content is not in the bundle, because it is damaged or missing.
    pub missing: u64,
}

/// Writes everything in the store. A damaged blob does not stop it: the rest is worth saving.
pub fn export(
    store: &dyn Store,
    out: &mut dyn Write,
    on_damage: &mut dyn FnMut(StoreError),
) -> Result<Exported, BundleError> {
    export_streams(store, out, &|_| true, on_damage)
}

/// As [`export`], without the streams that `keep` does not want. The others keep their numbers.
pub fn export_streams(
    store: &dyn Store,
    out: &mut dyn Write,
    keep: &dyn Fn(&str) -> bool,
    on_damage: &mut dyn FnMut(StoreError),
) -> Result<Exported, BundleError> {
    let mut lines = Lines { out, hash: Sha256::new(), buffer: Vec::new() };
    let mut exported = Exported::default();
    let end = store.head()?;
    lines.write(&HeaderLine { r#type: HEADER.into(), v: VERSION })?;

    let mut written = HashSet::new();
    let mut lacking = Lacking::default();
    let mut after: Option<BlobId> = None;
    loop {
        let ids = store.blobs(after.as_ref(), PAGE)?;
        let Some(last) = ids.last() else { break };
        after = Some(*last);
        for id in ids {
            match store.get(&id) {
                Ok(Some(bytes)) => {
                    lines.write(&blob_line(id, &bytes))?;
                    exported.blobs += 1;
                    written.insert(id);
                }
                Ok(None) => {}
                Err(error @ StoreError::BlobDamaged { .. }) => {
                    exported.damaged += 1;
                    on_damage(error);
                }
                Err(error) => return Err(error.into()),
            }
        }
    }

    let mut position = Position::START;
    while position < end {
        let (events, next) = store.tail(position, PAGE)?;
        if events.is_empty() {
            break;
        }
        position = next;
        for event in events.into_iter().filter(|event| event.position <= end && keep(&event.stream)) {
            lacking.look(&event, &written);
            lines.write(&EventLine { r#type: EVENT.into(), v: VERSION, event: event.into() })?;
            exported.events += 1;
        }
    }
    exported.missing = lacking.count();
    lines.finish(exported)?;
    Ok(exported)
}

/// Tasks whose content was not written.
#[derive(Default)]
struct Lacking {
    named: HashSet<(String, String)>,
    unnamed: u64,
}

impl Lacking {
    fn look(&mut self, event: &Event, written: &HashSet<BlobId>) {
        if event.kind != TASK_IMPORTED {
            return;
        }
        match TaskImported::deserialize(&event.data) {
            Ok(task) if written.contains(&task.revision) => {}
            Ok(task) => drop(self.named.insert((task.dataset, task.id))),
            Err(_) => self.unnamed += 1,
        }
    }

    fn count(&self) -> u64 {
        self.named.len() as u64 + self.unnamed
    }
}

fn blob_line(id: BlobId, bytes: &[u8]) -> BlobLine<'_> {
    let mut line = BlobLine { r#type: BLOB.into(), v: VERSION, id, text: None, base64: None };
    match std::str::from_utf8(bytes) {
        Ok(text) if escaped_len(text) <= 2 * text.len() => line.text = Some(Cow::Borrowed(text)),
        _ => line.base64 = Some(base64::engine::general_purpose::STANDARD.encode(bytes).into()),
    }
    line
}

/// Length of a text as a JSON string, without its quotes.
fn escaped_len(text: &str) -> usize {
    let escaped = |byte: u8| match byte {
        b'"' | b'\\' | b'\n' | b'\r' | b'\t' | 8 | 12 => 2,
        0..32 => 6,
        _ => 1,
    };
    text.bytes().map(escaped).sum()
}

struct Lines<'a> {
    out: &'a mut dyn Write,
    hash: Sha256,
    buffer: Vec<u8>,
}

impl Lines<'_> {
    fn write(&mut self, line: &impl Serialize) -> Result<(), BundleError> {
        self.buffer.clear();
        serde_json::to_writer(&mut self.buffer, line).map_err(|error| BundleError::Write(error.into()))?;
        self.buffer.push(b'\n');
        debug_assert!(self.buffer.len() <= line::MAX_LINE);
        self.hash.update(&self.buffer);
        self.out.write_all(&self.buffer).map_err(BundleError::Write)
    }

    fn finish(mut self, exported: Exported) -> Result<(), BundleError> {
        let sha256 = BlobId::from_bytes(self.hash.clone().finalize().into());
        let Exported { blobs, events, .. } = exported;
        self.write(&EndLine { r#type: END.into(), v: VERSION, blobs, events, sha256 })?;
        self.out.flush().map_err(BundleError::Write)
    }
}
