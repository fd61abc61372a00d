//! Tables of the database and the steps from each version to the next.
//!
//! Promises: each step runs in one transaction together with the new version number, so that a
//! database has always one of the versions listed here. Leaves to others: how the derived tables of
//! step 2 are filled (`sqlite::derive`).

use super::{Fault, derive};
use rusqlite::{Connection, TransactionBehavior};

/// Marks a database as ours in its header: the letters `mend`.
pub const APPLICATION_ID: u32 = 0x6d65_6e64;

/// The newest schema known here.
pub const NEWEST: u32 = 3;

/// One step; its place in the list is its version.
pub(super) const STEPS: [&str; NEWEST as usize] = [
    // 1: what is true. Positions are given inside IMMEDIATE transactions, of which there is one at a
    // time, so AUTOINCREMENT counts in the order of commits and never gives a number twice.
    "CREATE TABLE streams (
        id    INTEGER PRIMARY KEY,
        name  TEXT NOT NULL UNIQUE,
        head  INTEGER NOT NULL
     ) STRICT;
     CREATE TABLE events (
        position  INTEGER PRIMARY KEY AUTOINCREMENT,
        stream    INTEGER NOT NULL REFERENCES streams (id),
        seq       INTEGER NOT NULL,
        at        INTEGER NOT NULL,
        kind      TEXT NOT NULL,
        v         INTEGER NOT NULL,
        id        BLOB NOT NULL UNIQUE,
        data      TEXT NOT NULL,
        UNIQUE (stream, seq)
     ) STRICT;
     CREATE TABLE blobs (
        number  INTEGER PRIMARY KEY,
        hash    BLOB NOT NULL UNIQUE,
        size    INTEGER NOT NULL,
        zstd    INTEGER NOT NULL,
        bytes   BLOB NOT NULL
     ) STRICT;
     CREATE TABLE leases (
        job    TEXT PRIMARY KEY,
        owner  TEXT NOT NULL,
        until  INTEGER NOT NULL,
        fence  INTEGER NOT NULL
     ) STRICT;",
    // 2: the task index, derived from `task-imported` events and their blobs.
    "CREATE TABLE task_index (
        row          INTEGER PRIMARY KEY,
        dataset      TEXT NOT NULL,
        id           TEXT NOT NULL,
        origin       TEXT NOT NULL,
        title        TEXT NOT NULL,
        kind         TEXT NOT NULL,
        language     TEXT NOT NULL,
        error_type   TEXT,
        class        TEXT,
        granularity  TEXT,
        added        INTEGER NOT NULL,
        removed      INTEGER NOT NULL,
        tests        INTEGER NOT NULL,
        marks        INTEGER NOT NULL,
        revision     BLOB NOT NULL,
        position     INTEGER NOT NULL,
        at           INTEGER NOT NULL,
        UNIQUE (dataset, id)
     ) STRICT;
     CREATE TABLE task_history (
        row       INTEGER NOT NULL,
        position  INTEGER NOT NULL,
        at        INTEGER NOT NULL,
        revision  BLOB NOT NULL,
        PRIMARY KEY (row, position)
     ) STRICT, WITHOUT ROWID;
     CREATE TABLE index_segments (
        segment  INTEGER PRIMARY KEY,
        rows     BLOB NOT NULL
     ) STRICT;
     CREATE TABLE index_state (
        only      INTEGER PRIMARY KEY CHECK (only = 1),
        position  INTEGER NOT NULL
     ) STRICT;
     INSERT INTO index_state VALUES (1, 0);
     CREATE TABLE index_pending (
        position  INTEGER PRIMARY KEY
     ) STRICT;
     CREATE VIRTUAL TABLE task_text USING fts5 (
        name, description, code,
        content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 2'
     );",
    // 3: words gave other answers than the tasks themselves, and an index of all pieces of text would be
    // larger than what it indexes; the tasks are read instead.
    "DROP TABLE task_text;",
];

/// The schema version as SQLite sees it, the log included.
pub(super) fn version(connection: &Connection) -> rusqlite::Result<u32> {
    connection.query_row("PRAGMA user_version", [], |row| row.get(0))
}

/// Takes the database to `target`, one transaction per step. Another process may do the same at the
/// same time; each looks at the version again inside its transaction.
pub(super) fn migrate(connection: &mut Connection, target: u32) -> Result<(), Fault> {
    loop {
        let step = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
        let version = version(&step)?;
        let Some(sql) = STEPS.get(version as usize).filter(|_| version < target) else {
            return Ok(step.rollback()?);
        };
        step.execute_batch(sql)?;
        if version == 0 {
            step.pragma_update(None, "application_id", APPLICATION_ID)?;
        }
        // The index may be behind at any step: events can be appended without it.
        if version + 1 >= 2 {
            derive::catch_up(&step)?;
        }
        step.pragma_update(None, "user_version", version + 1)?;
        step.commit()?;
    }
}
