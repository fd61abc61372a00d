//! What can go wrong with a catalogue.

use crate::dataset::DatasetError;
use crate::store::StoreError;
use crate::store::workspace::WorkspaceError;

/// Why tasks could not be had.
#[derive(Debug, thiserror::Error)]
pub enum CatalogueError {
    /// Reading a dataset failed.
    #[error(transparent)]
    Dataset(#[from] DatasetError),
    /// The workspace failed.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// No workspace could be chosen.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// The row is not known.
    #[error("the task is not in this list any more; open it again")]
    Gone,
    /// A stored task could not be read back.
    #[error("a task kept in memory could not be read back: {0}")]
    Damaged(String),
    /// Reading was stopped before its end.
    #[error("reading was stopped before its end")]
    Interrupted,
}
