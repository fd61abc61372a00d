//! Remembers files that were opened in place, by their hash, in the workspace.
//!
//! Promises: a file that has changed since it was last opened is noticed; that the workspace cannot be
//! written never keeps a file from being read.

use crate::dataset::Summary;
use crate::store::workspace::Workspace;
use crate::store::{Clock, Expected, NewEvent, Store, StoreError, SystemClock};
use serde_json::json;
use sha2::{Digest, Sha256};
use std::path::Path;
use std::time::Duration;

/// Kind of the event.
const DATASET_OPENED: &str = "dataset-opened";

/// How long remembering waits for other processes: the list is not complete before.
const PATIENCE: Duration = Duration::from_secs(1);

/// The memory of opened files.
pub struct Remembered {
    workspace: Workspace,
}

impl Remembered {
    /// Kept in this workspace, which is made when the first file is remembered.
    pub fn new(workspace: Workspace) -> Remembered {
        Remembered { workspace }
    }

    /// Compares a file's hash with the one of its last opening, and remembers it if it is new. The answer
    /// is something to tell the user.
    pub fn check_and_remember(&self, path: &Path, sha256: &str, read: &Summary) -> Option<String> {
        match self.remember(path, sha256, read) {
            Ok(notice) => notice,
            Err(error) => Some(format!("this opening is not remembered: {error}")),
        }
    }

    fn remember(&self, path: &Path, sha256: &str, read: &Summary) -> Result<Option<String>, StoreError> {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let digest = Sha256::digest(path.as_os_str().as_encoded_bytes());
        let stream = format!("opened/{}", crate::task::hex(&digest));
        let store = self.workspace.open_or_create()?.with_patience(PATIENCE);
        let mut last = None;
        let mut from = 1;
        loop {
            let events = store.read(&stream, from, 100)?;
            let Some(newest) = events.last() else { break };
            from = newest.seq + 1;
            last = newest.data.get("sha256").and_then(|hash| hash.as_str()).map(str::to_owned);
        }
        if last.as_deref() == Some(sha256) {
            return Ok(None);
        }
        let event = NewEvent {
            kind: DATASET_OPENED.to_owned(),
            v: 1,
            at: SystemClock.now(),
            data: json!({
                "path": path.to_string_lossy(),
                "sha256": sha256,
                "bytes": read.file.as_ref().map(|file| file.bytes),
                "format": read.format,
                "dataset": read.dataset,
                "rows": read.rows,
                "tasks": read.tasks,
                "skipped": read.skipped,
            }),
        };
        store.append(&stream, Expected::Any, &[event])?;
        Ok(last.map(|_| "this file has changed since it was last opened".to_owned()))
    }
}
