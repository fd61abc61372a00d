//! Blobs: put and get.
//!
//! Promises: a blob is there once, however often it is put. Leaves to others: packing (`store::blob`).

use super::events::unsigned;
use super::{Fault, SqliteStore};
use crate::store::blob::{Packed, Packer, unpack};
use crate::store::{BlobId, StoreError, Stored};
use rusqlite::{Connection, OptionalExtension, params};

impl SqliteStore {
    pub(super) fn put_blobs(&self, blobs: &[&[u8]]) -> Result<Vec<Stored>, StoreError> {
        // Packed before the transaction begins: other writers need not wait for it.
        let mut packer = Packer::new();
        let packed = blobs.iter().map(|bytes| packer.pack(bytes)).collect::<Result<Vec<_>, _>>()?;
        if packed.is_empty() {
            return Ok(Vec::new());
        }
        self.writing(|transaction| {
            let stored = packed.iter().zip(blobs).map(|(packed, bytes)| {
                Ok(Stored { id: packed.id, added: insert(transaction, packed, bytes)? })
            });
            stored.collect()
        })
    }

    pub(super) fn get_blob(&self, id: &BlobId) -> Result<Option<Vec<u8>>, StoreError> {
        self.reading(|snapshot| select(snapshot, id))
    }

    pub(super) fn list_blobs(&self, after: Option<&BlobId>, limit: usize) -> Result<Vec<BlobId>, StoreError> {
        self.reading(|snapshot| {
            let sql = "SELECT hash FROM blobs WHERE hash > ?1 ORDER BY hash LIMIT ?2";
            let after: &[u8] = after.map_or(&[], |id| id.as_bytes());
            let limit = i64::try_from(limit).unwrap_or(i64::MAX);
            let mut statement = snapshot.prepare_cached(sql)?;
            let ids =
                statement.query_map(params![after, limit], |row| Ok(BlobId::from_bytes(row.get(0)?)))?;
            Ok(ids.collect::<Result<_, _>>()?)
        })
    }
}

/// Keeps a blob unless it is there; says whether it was new.
pub(super) fn insert(transaction: &Connection, packed: &Packed, bytes: &[u8]) -> rusqlite::Result<bool> {
    let sql = "INSERT INTO blobs (hash, size, zstd, bytes) VALUES (?1, ?2, ?3, ?4) ON CONFLICT DO NOTHING";
    let size = i64::try_from(packed.size).unwrap_or(i64::MAX);
    let lie = packed.zstd.as_deref().unwrap_or(bytes);
    let mut statement = transaction.prepare_cached(sql)?;
    Ok(statement.execute(params![packed.id.as_bytes(), size, packed.zstd.is_some(), lie])? > 0)
}

/// The bytes of a blob, checked.
pub(super) fn select(connection: &Connection, id: &BlobId) -> Result<Option<Vec<u8>>, Fault> {
    let mut statement = connection.prepare_cached("SELECT size, zstd, bytes FROM blobs WHERE hash = ?1")?;
    let unpacked = statement
        .query_row([id.as_bytes()], |row| {
            let bytes = row.get_ref(2)?.as_blob().map_err(rusqlite::Error::from)?;
            Ok(unpack(id, unsigned(row, 0)?, row.get(1)?, bytes))
        })
        .optional()?;
    Ok(unpacked.transpose()?)
}
