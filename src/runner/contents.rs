//! Texts, prompts, code and reports behind the hashes in events.
//!
//! Promises: what is not there is an error that names it; what is added is on disk together with the events that name it.

use super::error::RunnerError;
use super::frames::{Frame, MOST_FRAMES, StoredFrames};
use crate::harness::{Changes, VerifyReport};
use crate::model::RawStream;
use crate::repair::Extraction;
use crate::repair::event::ContentHash;
use crate::repair::prompt::Prompt;
use crate::store::{BlobId, Store};
use crate::task::{Task, TaskName};
use serde::de::DeserializeOwned;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// What the events of runs name.
#[derive(Clone)]
pub struct Contents {
    store: Arc<dyn Store>,
    /// What is not on disk yet; clones share it.
    fresh: Arc<Mutex<BTreeMap<ContentHash, Vec<u8>>>>,
}

impl Contents {
    /// Those of a workspace.
    pub fn new(store: Arc<dyn Store>) -> Contents {
        Contents { store, fresh: Arc::default() }
    }

    /// Keeps bytes in mind until the events that name them are written ([`Contents::take_fresh`]).
    pub(super) fn add(&self, bytes: Vec<u8>) -> ContentHash {
        let hash = ContentHash::of(&bytes);
        self.fresh().insert(hash.clone(), bytes);
        hash
    }

    /// Hands what is to be written to `write`; what was written is no longer kept in mind.
    pub(super) fn write_fresh<T, E>(&self, write: impl FnOnce(&[&[u8]]) -> Result<T, E>) -> Result<T, E> {
        let mut fresh = self.fresh();
        let blobs: Vec<&[u8]> = fresh.values().map(Vec::as_slice).collect();
        let written = write(&blobs)?;
        fresh.clear();
        Ok(written)
    }

    fn fresh(&self) -> MutexGuard<'_, BTreeMap<ContentHash, Vec<u8>>> {
        self.fresh.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn get(&self, what: &'static str, hash: &ContentHash) -> Result<Vec<u8>, RunnerError> {
        if let Some(bytes) = self.fresh().get(hash) {
            return Ok(bytes.clone());
        }
        let missing = || RunnerError::Missing { what, hash: hash.short().to_owned() };
        let id: BlobId = hash.as_str().parse().map_err(|_| missing())?;
        self.store.get(&id)?.ok_or_else(missing)
    }

    fn json<T: DeserializeOwned>(&self, what: &'static str, hash: &ContentHash) -> Result<T, RunnerError> {
        let bytes = self.get(what, hash)?;
        serde_json::from_slice(&bytes)
            .map_err(|_| RunnerError::Missing { what, hash: hash.short().to_owned() })
    }

    /// An answer, a reasoning or a feedback: untrusted text.
    pub fn text(&self, hash: &ContentHash) -> Result<String, RunnerError> {
        Ok(String::from_utf8_lossy(&self.get("the text", hash)?).into_owned())
    }

    /// A prompt.
    pub fn prompt(&self, hash: &ContentHash) -> Result<Prompt, RunnerError> {
        self.json("the prompt", hash)
    }

    /// The changed files over the buggy tree, as `applied` and `verified` name them.
    pub fn code(&self, hash: &ContentHash) -> Result<Changes, RunnerError> {
        self.json("the code", hash)
    }

    /// A report of a verification.
    pub fn report(&self, hash: &ContentHash) -> Result<VerifyReport, RunnerError> {
        self.json("the report", hash)
    }

    /// How an answer was read.
    pub fn extraction(&self, hash: &ContentHash) -> Result<Extraction, RunnerError> {
        self.json("the extraction", hash)
    }

    /// Transient events of a call or a verification.
    pub fn frames(&self, hash: &ContentHash) -> Result<Vec<Frame>, RunnerError> {
        match self.json("the frames", hash)? {
            StoredFrames::Whole(frames) => Ok(frames),
            StoredFrames::Pieces { pieces, .. } => {
                let mut all = Vec::new();
                for piece in &pieces {
                    all.extend(self.json::<Vec<Frame>>("a piece of the frames", piece)?);
                    // One piece can be named many times.
                    if all.len() > MOST_FRAMES * 2 {
                        let what = "frames that end";
                        return Err(RunnerError::Missing { what, hash: hash.short().to_owned() });
                    }
                }
                Ok(all)
            }
        }
    }

    /// Names of the pieces of frames; none where they are kept whole.
    pub(super) fn pieces(&self, hash: &ContentHash) -> Vec<ContentHash> {
        match self.json("the frames", hash) {
            Ok(StoredFrames::Pieces { pieces, .. }) => pieces,
            _ => Vec::new(),
        }
    }

    /// The bytes of an answer as they arrived (`raw` of `answer-finished`).
    pub fn raw(&self, hash: &ContentHash) -> Result<RawStream, RunnerError> {
        self.json("the raw answer", hash)
    }

    /// A task by its name and revision.
    pub fn task(&self, name: &TaskName, revision: &ContentHash) -> Result<Task, RunnerError> {
        let mut value: serde_json::Value = self.json("the task", revision)?;
        if let Some(map) = value.as_object_mut() {
            map.insert("dataset".to_owned(), name.dataset.clone().into());
        }
        serde_json::from_value(value)
            .map_err(|_| RunnerError::Missing { what: "the task", hash: revision.short().to_owned() })
    }
}
