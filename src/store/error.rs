//! What can go wrong with a workspace, and what to do then.
//!
//! Promises: every message names the file or the thing, what was wrong, and the next step.

use super::{BlobId, Expected};
use std::path::PathBuf;

/// An error of a store.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The stream has moved on since the caller looked.
    #[error("stream `{stream}` has {actual} events, not {}: somebody else appended; read it again and retry", match .expected { Expected::At(seq) => *seq, Expected::Any => 0 })]
    Conflict {
        /// The stream.
        stream: String,
        /// What the caller took for granted.
        expected: Expected,
        /// The number of its last event.
        actual: u64,
    },
    /// A name that no stream may have.
    #[error("`{stream}` cannot name a stream: 1 to 512 bytes without control characters are allowed")]
    BadStreamName {
        /// The name, cut.
        stream: String,
    },
    /// A name that no dataset may have.
    #[error(
        "`{dataset}` cannot name a dataset: 1 to 200 bytes without `/` and control characters are allowed; choose one with --dataset"
    )]
    BadDatasetName {
        /// The name, cut.
        dataset: String,
    },
    /// An event that cannot be kept.
    #[error("event `{kind}` of stream `{stream}` cannot be kept: {why}")]
    BadEvent {
        /// The stream.
        stream: String,
        /// Its kind.
        kind: String,
        /// What is wrong.
        why: String,
    },
    /// Bytes too large for a blob.
    #[error(
        "{size} bytes are too large for one blob (at most {limit}); keep them in a file and store its hash"
    )]
    BlobTooLarge {
        /// How large they are.
        size: u64,
        /// How large they may be.
        limit: u64,
    },
    /// A blob whose bytes are no longer those that were put.
    #[error("blob {id} is damaged: {why}; import its dataset or bundle again into a new workspace")]
    BlobDamaged {
        /// Which one.
        id: BlobId,
        /// What is wrong.
        why: String,
    },
    /// There is no database.
    #[error("{}: no workspace here; `mendbench import` makes one", path.display())]
    Missing {
        /// Where it was looked for.
        path: PathBuf,
    },
    /// A file that is not an SQLite database.
    #[error("{}: not a workspace database ({why}); it was left as it is: move it away, or choose another folder with --workspace", path.display())]
    NotADatabase {
        /// The file.
        path: PathBuf,
        /// How one can tell.
        why: String,
    },
    /// A database that is not ours.
    #[error("{}: a database of another program (application id {application_id:#010x}); it was left as it is: choose another folder with --workspace", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// Whose it is.
        application_id: u32,
    },
    /// A database that lacks its end.
    #[error("{}: the workspace database is cut off ({actual} of {expected} bytes); it was left as it is: restore it from a copy or a bundle", path.display())]
    Truncated {
        /// The file.
        path: PathBuf,
        /// Bytes that it should have.
        expected: u64,
        /// Bytes that it has.
        actual: u64,
    },
    /// A database whose content contradicts itself.
    #[error("{}: the workspace database is damaged ({detail}); copy the folder away before anything else, then restore it from a bundle", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What was found.
        detail: String,
    },
    /// Written by a newer mendbench.
    #[error("{}: the workspace was written by a newer mendbench (schema {found}, this one knows {known}); it was left as it is: update mendbench, or choose another folder with --workspace", path.display())]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: u32,
        /// The newest schema known here.
        known: u32,
    },
    /// Written by an older mendbench, and it may not be written now.
    #[error("{}: the workspace has an older schema ({found}, now {known}) and may not be written; open it once where it can be, for example with `mendbench import`", path.display())]
    Older {
        /// The file.
        path: PathBuf,
        /// Its schema.
        found: u32,
        /// The schema that is needed.
        known: u32,
    },
    /// The file or its folder cannot be written, or the store was opened for reading.
    #[error("{}: the workspace cannot be written ({why}); check the permissions, or choose another folder with --workspace", path.display())]
    ReadOnly {
        /// The file.
        path: PathBuf,
        /// Why not.
        why: String,
    },
    /// A read-only place with changes that only a writer could fold in.
    #[error("{}: its folder cannot be written and {}-wal holds changes that were not folded in yet; copy the folder to a place that can be written", path.display(), path.display())]
    PendingChanges {
        /// The file.
        path: PathBuf,
    },
    /// The folder is on a network file system.
    #[error("{}: on a network file system ({kind}), where a shared database gets damaged; use a workspace on a local disk (--workspace) and carry it over with `mendbench bundle export` and `import`", path.display())]
    NetworkFileSystem {
        /// The folder.
        path: PathBuf,
        /// Which kind.
        kind: String,
    },
    /// No room left.
    #[error("{}: no room left on the disk; nothing that was acknowledged is lost: make room and do it again", path.display())]
    DiskFull {
        /// The file.
        path: PathBuf,
    },
    /// Another process holds the database for too long.
    #[error("{}: another process keeps the workspace busy; wait for it to finish, or stop it, and retry", path.display())]
    Busy {
        /// The file.
        path: PathBuf,
    },
    /// The file is no longer where it was opened: what is written now would be found by nobody.
    #[error("{}: the workspace was moved, deleted or replaced while it was open, so nothing is written to it any more; put it back, or start again", path.display())]
    Gone {
        /// Where it was.
        path: PathBuf,
    },
    /// The operating system refused something.
    #[error("{}: {source}; check that folder, or choose another one with --workspace", path.display())]
    Io {
        /// What it was about.
        path: PathBuf,
        /// What it said.
        source: std::io::Error,
    },
    /// Anything else that SQLite says.
    #[error("{}: the database said: {detail}", path.display())]
    Database {
        /// The file.
        path: PathBuf,
        /// Its words.
        detail: String,
    },
}

impl StoreError {
    pub(crate) fn io(path: impl Into<PathBuf>) -> impl FnOnce(std::io::Error) -> StoreError {
        let path = path.into();
        move |source| match source.kind() {
            std::io::ErrorKind::StorageFull => StoreError::DiskFull { path },
            _ => StoreError::Io { path, source },
        }
    }
}
