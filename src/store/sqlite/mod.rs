//! The backend that workspaces use: one SQLite file in WAL mode, shared by any number of processes.
//!
//! Promises: one writer at a time, in IMMEDIATE transactions, on disk (`synchronous = FULL`) before a
//! call returns; readers never wait for the writer. A file that is damaged, newer or not ours is
//! refused before SQLite gets to see it, and stays as it is.
//! Leaves to others: which file it is (`workspace`).
//!
//! | file | subject |
//! |---|---|
//! | `open` | finding, making, checking and opening the file |
//! | `header`, `filesystem` | what may not be opened |
//! | `schema` | tables and migrations |
//! | `events`, `blobs`, `leases` | the trait `Store` |
//! | `derive` | task index from events |
//! | `import`, `list`, `search`, `segments` | the trait `TaskIndex` |

mod blobs;
mod derive;
mod events;
pub mod filesystem;
mod header;
mod import;
#[cfg(test)]
mod index_tests;
mod leases;
mod list;
mod open;
#[cfg(test)]
mod open_tests;
pub mod schema;
mod search;
mod segments;

pub use open::{Environment, OpenMode};

use super::{
    BlobId, Clock, Event, EventRow, Expected, Fence, Ids, Merged, NewEvent, Position, Store, StoreError,
    Stored, StreamHead,
};
use jiff::Timestamp;
use open::Access;
use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long a write waits for another process before somebody is told.
const QUIET: Duration = Duration::from_secs(1);

/// Idle connections that are kept for the next reader.
const IDLE_READERS: usize = 4;

/// A workspace database.
pub struct SqliteStore {
    path: PathBuf,
    access: Access,
    clock: Arc<dyn Clock>,
    ids: Arc<dyn Ids>,
    readers: Mutex<Vec<Connection>>,
    waiting: Waiting,
    /// Opened at the first write, so that looking at a workspace costs one connection.
    writer: Mutex<Option<Writer>>,
}

/// The connection that writes, and which file it was opened on.
struct Writer {
    connection: Connection,
    file: FileId,
}

/// Device and number of a file: a path may come to name another one.
type FileId = (u64, u64);

fn file_id(path: &Path) -> Option<FileId> {
    use std::os::unix::fs::MetadataExt;
    let found = std::fs::metadata(path).ok()?;
    Some((found.dev(), found.ino()))
}

/// The file that was opened between two looks at its path; none: that is not known, and what is not known equals
/// nothing, also not something else that is not known.
fn opened(before: Option<FileId>, after: Option<FileId>) -> Option<FileId> {
    before.filter(|before| after == Some(*before))
}

impl std::fmt::Debug for SqliteStore {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SqliteStore").field("path", &self.path).field("access", &self.access).finish()
    }
}

/// What a writer does while another process writes.
struct Waiting {
    /// How long it waits.
    patience: Duration,
    notify: Box<dyn Fn() + Send + Sync>,
    told: AtomicBool,
}

impl Default for Waiting {
    fn default() -> Waiting {
        Waiting { patience: open::BUSY, notify: Box::new(|| ()), told: AtomicBool::new(false) }
    }
}

impl Waiting {
    /// Begins a transaction that writes. After a while `notify` is called, once in the life of a store.
    fn begin<'a>(&self, connection: &'a Connection) -> rusqlite::Result<Transaction<'a>> {
        let begin = || Transaction::new_unchecked(connection, TransactionBehavior::Immediate);
        let quiet = QUIET.min(self.patience);
        if quiet < self.patience && !self.told.load(Ordering::Relaxed) {
            connection.busy_timeout(quiet)?;
            match begin() {
                Err(error) if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy) => {
                    self.told.store(true, Ordering::Relaxed);
                    (self.notify)();
                    connection.busy_timeout(self.patience.saturating_sub(quiet))?;
                }
                begun => return begun,
            }
        } else {
            connection.busy_timeout(self.patience)?;
        }
        begin()
    }
}

/// An error inside a transaction: SQLite's, which still lacks the name of the file, or ours.
#[derive(Debug)]
pub(crate) enum Fault {
    Sql(rusqlite::Error),
    Store(StoreError),
}

impl From<rusqlite::Error> for Fault {
    fn from(error: rusqlite::Error) -> Fault {
        Fault::Sql(error)
    }
}

impl From<StoreError> for Fault {
    fn from(error: StoreError) -> Fault {
        Fault::Store(error)
    }
}

impl Fault {
    /// The error as the caller sees it.
    fn named(self, path: &Path) -> StoreError {
        match self {
            Fault::Store(error) => error,
            Fault::Sql(error) => name_sql_error(path, &error),
        }
    }
}

fn name_sql_error(path: &Path, error: &rusqlite::Error) -> StoreError {
    let path = path.to_owned();
    let detail = error.to_string();
    match error.sqlite_error_code() {
        Some(ErrorCode::DiskFull) => StoreError::DiskFull { path },
        // Not all of SQLite tells a full disk from a broken one: its shared memory, its journal, its syncs do not.
        Some(ErrorCode::SystemIoFailure) if is_full(&path) => StoreError::DiskFull { path },
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => StoreError::Busy { path },
        Some(ErrorCode::DatabaseCorrupt) => StoreError::Damaged { path, detail },
        Some(ErrorCode::NotADatabase) => StoreError::NotADatabase { path, why: detail },
        Some(ErrorCode::ReadOnly) => StoreError::ReadOnly { path, why: detail },
        Some(ErrorCode::PermissionDenied) => {
            StoreError::Io { path, source: std::io::Error::new(std::io::ErrorKind::PermissionDenied, detail) }
        }
        _ => StoreError::Database { path, detail },
    }
}

/// Less room than this on a disk is none for a database: the index of its log grows by as much at once.
const NO_ROOM: u64 = 64 << 10;

/// Whether the disk that a file is on, or would be on, has no room left.
fn is_full(path: &Path) -> bool {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    rustix::fs::statvfs(folder).is_ok_and(|state| state.f_bavail.saturating_mul(state.f_frsize) < NO_ROOM)
}

impl SqliteStore {
    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it can be written.
    pub fn is_writable(&self) -> bool {
        self.access == Access::Write
    }

    /// Has `notify` called, once, when a write has waited about a second for another process.
    pub fn when_waiting(mut self, notify: impl Fn() + Send + Sync + 'static) -> SqliteStore {
        self.waiting.notify = Box::new(notify);
        self
    }

    /// Lets writes wait only this long for other processes.
    pub fn with_patience(mut self, patience: Duration) -> SqliteStore {
        self.waiting.patience = patience;
        self
    }

    /// Bounds the file to `pages` pages of 4 KiB, so that tests can fill a disk.
    #[doc(hidden)]
    pub fn limit_pages(&self, pages: u32) -> Result<(), StoreError> {
        let mut writer = self.lock_writer();
        let Writer { connection, .. } = self.writer(&mut writer)?;
        let set = connection.query_row(&format!("PRAGMA max_page_count = {pages}"), [], |_| Ok(()));
        set.map_err(|error| name_sql_error(&self.path, &error))
    }

    /// Runs `work` in an IMMEDIATE transaction, which is committed when it succeeds.
    fn writing<T>(&self, work: impl FnOnce(&Transaction<'_>) -> Result<T, Fault>) -> Result<T, StoreError> {
        let mut writer = self.lock_writer();
        let Writer { connection, file } = self.writer(&mut writer)?;
        let run = || -> Result<T, Fault> {
            let transaction = self.waiting.begin(connection)?;
            let value = work(&transaction)?;
            // SQLite goes on writing to a file that was deleted or replaced, and says that all is well.
            if file_id(&self.path) != Some(*file) {
                return Err(StoreError::Gone { path: self.path.clone() }.into());
            }
            transaction.commit()?;
            Ok(value)
        };
        run().map_err(|fault| fault.named(&self.path))
    }

    /// Runs `work` on a connection of its own, in one snapshot.
    fn reading<T>(&self, work: impl FnOnce(&Transaction<'_>) -> Result<T, Fault>) -> Result<T, StoreError> {
        let idle = self.readers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut connection = match idle {
            Some(connection) => connection,
            None => open::reader(&self.path, self.access)?,
        };
        let run = |connection: &mut Connection| -> Result<T, Fault> {
            let transaction = Transaction::new(connection, TransactionBehavior::Deferred)?;
            work(&transaction)
        };
        let result = run(&mut connection).map_err(|fault| fault.named(&self.path));
        let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        if readers.len() < IDLE_READERS {
            readers.push(connection);
        }
        result
    }

    fn lock_writer(&self) -> MutexGuard<'_, Option<Writer>> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn writer<'a>(&self, slot: &'a mut MutexGuard<'_, Option<Writer>>) -> Result<&'a mut Writer, StoreError> {
        if self.access != Access::Write {
            let why = "it was opened for reading only".to_owned();
            return Err(StoreError::ReadOnly { path: self.path.clone(), why });
        }
        if slot.is_none() {
            let before = file_id(&self.path);
            let connection = open::writer(&self.path)?;
            // A connection of which it is not known what it writes to is not kept: the next write opens another.
            let gone = || StoreError::Gone { path: self.path.clone() };
            let file = opened(before, file_id(&self.path)).ok_or_else(gone)?;
            **slot = Some(Writer { connection, file });
        }
        slot.as_mut().ok_or_else(|| StoreError::Busy { path: self.path.clone() })
    }
}

impl Store for SqliteStore {
    fn append(&self, stream: &str, expected: Expected, events: &[NewEvent]) -> Result<u64, StoreError> {
        self.append_events(stream, expected, events, &[])
    }

    fn record(
        &self,
        stream: &str,
        expected: Expected,
        events: &[NewEvent],
        blobs: &[&[u8]],
    ) -> Result<u64, StoreError> {
        self.append_events(stream, expected, events, blobs)
    }

    fn read(&self, stream: &str, from_seq: u64, limit: usize) -> Result<Vec<Event>, StoreError> {
        self.read_events(stream, from_seq, limit)
    }

    fn scan(
        &self,
        stream: &str,
        from_seq: u64,
        visit: &mut dyn FnMut(EventRow<'_>),
    ) -> Result<(), StoreError> {
        self.scan_events(stream, from_seq, visit)
    }

    fn tail(&self, after: Position, limit: usize) -> Result<(Vec<Event>, Position), StoreError> {
        self.tail_events(after, limit)
    }

    fn head(&self) -> Result<Position, StoreError> {
        self.head_position()
    }

    fn streams(&self, prefix: &str) -> Result<Vec<StreamHead>, StoreError> {
        self.list_streams(prefix)
    }

    fn put_all(&self, blobs: &[&[u8]]) -> Result<Vec<Stored>, StoreError> {
        self.put_blobs(blobs)
    }

    fn get(&self, id: &BlobId) -> Result<Option<Vec<u8>>, StoreError> {
        self.get_blob(id)
    }

    fn blobs(&self, after: Option<&BlobId>, limit: usize) -> Result<Vec<BlobId>, StoreError> {
        self.list_blobs(after, limit)
    }

    fn merge(&self, events: &[Event]) -> Result<Vec<Merged>, StoreError> {
        self.merge_events(events)
    }

    fn refresh_derived(&self) -> Result<(), StoreError> {
        self.writing(|transaction| {
            derive::catch_up(transaction)?;
            derive::retry_pending(transaction)
        })
    }

    fn acquire(
        &self,
        job: &str,
        owner: &str,
        until: Timestamp,
        now: Timestamp,
    ) -> Result<Option<Fence>, StoreError> {
        self.acquire_lease(job, owner, until, now)
    }

    fn renew(&self, job: &str, fence: Fence, until: Timestamp, now: Timestamp) -> Result<bool, StoreError> {
        self.renew_lease(job, fence, until, now)
    }

    fn release(&self, job: &str, fence: Fence) -> Result<bool, StoreError> {
        self.release_lease(job, fence)
    }
}
