//! The bytes behind a request. Promises: what is given has the hash that was asked for. Leaves to others: the store.

use crate::store::{BlobId, Store};
use std::collections::HashMap;
use std::sync::Arc;

/// Gives bytes for their ids.
pub trait Blobs: Send + Sync {
    /// The bytes with this hash; the error says why they are not to be had.
    fn bytes(&self, id: &BlobId) -> Result<Arc<[u8]>, String>;
}

/// Bytes in memory.
#[derive(Debug, Clone, Default)]
pub struct Held(HashMap<BlobId, Arc<[u8]>>);

impl Held {
    /// Takes bytes, and tells their id.
    pub fn hold(&mut self, bytes: &[u8]) -> BlobId {
        let id = BlobId::of(bytes);
        self.0.entry(id).or_insert_with(|| Arc::from(bytes));
        id
    }
}

impl Blobs for Held {
    fn bytes(&self, id: &BlobId) -> Result<Arc<[u8]>, String> {
        self.0.get(id).cloned().ok_or_else(|| format!("blob {id} is not there"))
    }
}

impl Blobs for &dyn Store {
    fn bytes(&self, id: &BlobId) -> Result<Arc<[u8]>, String> {
        match self.get(id) {
            Ok(Some(bytes)) => Ok(Arc::from(bytes)),
            Ok(None) => Err(format!("blob {id} is not in the workspace")),
            Err(error) => Err(error.to_string()),
        }
    }
}
