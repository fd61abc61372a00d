//! Leases: acquire, renew, release. Rows stay when a lease ends, so that fences keep growing.

use super::SqliteStore;
use super::events::unsigned;
use crate::store::event::micros;
use crate::store::{Fence, StoreError};
use jiff::Timestamp;
use rusqlite::{OptionalExtension, params};

impl SqliteStore {
    pub(super) fn acquire_lease(
        &self,
        job: &str,
        owner: &str,
        until: Timestamp,
        now: Timestamp,
    ) -> Result<Option<Fence>, StoreError> {
        self.writing(|transaction| {
            let sql = "INSERT INTO leases (job, owner, until, fence) VALUES (?1, ?2, ?3, 1)
                ON CONFLICT (job) DO UPDATE SET owner = ?2, until = ?3, fence = fence + 1 WHERE until <= ?4
                RETURNING fence";
            let fence = transaction
                .prepare_cached(sql)?
                .query_row(params![job, owner, micros(until), micros(now)], |row| unsigned(row, 0))
                .optional()?;
            Ok(fence.map(Fence))
        })
    }

    pub(super) fn renew_lease(
        &self,
        job: &str,
        fence: Fence,
        until: Timestamp,
        now: Timestamp,
    ) -> Result<bool, StoreError> {
        self.writing(|transaction| {
            let sql = "UPDATE leases SET until = ?3 WHERE job = ?1 AND fence = ?2 AND until > ?4";
            let mut statement = transaction.prepare_cached(sql)?;
            let fence = super::events::number(fence.0);
            Ok(statement.execute(params![job, fence, micros(until), micros(now)])? > 0)
        })
    }

    pub(super) fn release_lease(&self, job: &str, fence: Fence) -> Result<bool, StoreError> {
        self.writing(|transaction| {
            let sql = "UPDATE leases SET until = ?3, owner = '' WHERE job = ?1 AND fence = ?2 AND until > ?3";
            let mut statement = transaction.prepare_cached(sql)?;
            let fence = super::events::number(fence.0);
            Ok(statement.execute(params![job, fence, i64::MIN])? > 0)
        })
    }
}
