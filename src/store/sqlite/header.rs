//! The first hundred bytes of a database, read without SQLite.
//!
//! SQLite makes `-wal` and `-shm` files as soon as it opens a database in WAL mode, even for reading.
//! Promises: a file that we must not touch is recognised from its bytes alone, before SQLite sees it.
//! Leaves to others: damage deeper inside, which SQLite finds when it gets there.

use super::schema::{APPLICATION_ID, NEWEST};
use crate::store::StoreError;
use std::fs::File;
use std::io::Read;
use std::path::Path;

const MAGIC: &[u8; 16] = b"SQLite format 3\0";
const HEADER: usize = 100;

/// What a file is, as far as its head tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Head {
    /// No bytes: a database that was never begun.
    Empty,
    /// One of ours, with this schema version (an unfinished log beside it may hold a newer one).
    Ours { version: u32 },
}

/// Looks at the file. `Ok(None)`: there is none.
pub(super) fn look(path: &Path) -> Result<Option<Head>, StoreError> {
    // Asked before opening: opening a pipe would wait for somebody to write into it.
    let metadata = match std::fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(StoreError::io(path)(error)),
    };
    if !metadata.is_file() {
        let why = "it is not a file".to_owned();
        return Err(StoreError::NotADatabase { path: path.to_owned(), why });
    }
    let mut file = File::open(path).map_err(StoreError::io(path))?;
    let mut head = Vec::with_capacity(HEADER);
    file.by_ref().take(HEADER as u64).read_to_end(&mut head).map_err(StoreError::io(path))?;
    let pending = wal_size(path) > 0;
    judge(path, &head, metadata.len(), pending).map(Some)
}

/// Size of the log beside a database; 0 when there is none.
pub(super) fn wal_size(path: &Path) -> u64 {
    let mut name = path.as_os_str().to_owned();
    name.push("-wal");
    std::fs::metadata(name).map_or(0, |metadata| metadata.len())
}

/// The pure part of [`look`]: `pending` says that a log lies beside the file.
fn judge(path: &Path, head: &[u8], length: u64, pending: bool) -> Result<Head, StoreError> {
    let path = || path.to_owned();
    if length == 0 {
        return Ok(Head::Empty);
    }
    let magic = head.get(..16).unwrap_or(head);
    if !MAGIC.starts_with(magic) {
        let why = "it does not begin like an SQLite file".to_owned();
        return Err(StoreError::NotADatabase { path: path(), why });
    }
    if head.len() < HEADER {
        return Err(StoreError::Truncated { path: path(), expected: 4096, actual: length });
    }
    let application_id = number(head, 68);
    if application_id != APPLICATION_ID {
        return Err(StoreError::Foreign { path: path(), application_id });
    }
    let version = number(head, 60);
    if version > NEWEST {
        return Err(StoreError::Newer { path: path(), found: version, known: NEWEST });
    }
    let page = match u16::from_be_bytes([head[16], head[17]]) {
        1 => 65_536,
        size => u64::from(size),
    };
    if page < 512 || !page.is_power_of_two() {
        let why = format!("its page size is {page}");
        return Err(StoreError::NotADatabase { path: path(), why });
    }
    // The page count is valid when both counters agree. While a log is pending, another process may
    // just be copying it into the file, whose length then says nothing.
    let valid = number(head, 24) == number(head, 92);
    let expected = u64::from(number(head, 28)) * page;
    if !pending && valid && length < expected {
        return Err(StoreError::Truncated { path: path(), expected, actual: length });
    }
    Ok(Head::Ours { version })
}

fn number(head: &[u8], at: usize) -> u32 {
    head.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()).map_or(0, u32::from_be_bytes)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn head(application_id: u32, version: u32, pages: u32) -> Vec<u8> {
        let mut head = vec![0; HEADER];
        head[..16].copy_from_slice(MAGIC);
        head[16..18].copy_from_slice(&4096_u16.to_be_bytes());
        head[28..32].copy_from_slice(&pages.to_be_bytes());
        head[60..64].copy_from_slice(&version.to_be_bytes());
        head[68..72].copy_from_slice(&application_id.to_be_bytes());
        head
    }

    #[test]
    fn heads_are_told_apart() {
        let path = Path::new("w.db");
        let ours = head(APPLICATION_ID, NEWEST, 3);
        assert_eq!(judge(path, &[], 0, false).unwrap(), Head::Empty);
        assert_eq!(judge(path, &ours, 3 * 4096, false).unwrap(), Head::Ours { version: NEWEST });
        assert!(matches!(judge(path, b"hello", 5, false), Err(StoreError::NotADatabase { .. })));
        assert!(matches!(judge(path, b"SQLite f", 8, false), Err(StoreError::Truncated { .. })));
        assert!(matches!(
            judge(path, &ours, 2 * 4096, false),
            Err(StoreError::Truncated { expected: 12_288, actual: 8192, .. })
        ));
        assert!(judge(path, &ours, 2 * 4096, true).is_ok(), "a checkpoint may be under way");
        assert!(matches!(
            judge(path, &head(7, 1, 3), 3 * 4096, false),
            Err(StoreError::Foreign { application_id: 7, .. })
        ));
        assert!(matches!(
            judge(path, &head(APPLICATION_ID, NEWEST + 1, 3), 3 * 4096, true),
            Err(StoreError::Newer { .. })
        ));
        let mut odd = ours;
        odd[16..18].copy_from_slice(&777_u16.to_be_bytes());
        assert!(matches!(judge(path, &odd, 3 * 4096, false), Err(StoreError::NotADatabase { .. })));
    }

    proptest! {
        #[test]
        fn no_head_panics(bytes in proptest::collection::vec(any::<u8>(), 0..120), length: u64, ours: bool) {
            let mut bytes = bytes;
            if ours && bytes.len() >= 72 {
                bytes[..16].copy_from_slice(MAGIC);
                bytes[68..72].copy_from_slice(&APPLICATION_ID.to_be_bytes());
            }
            let _ = judge(Path::new("w.db"), &bytes, length, false).is_ok();
        }
    }
}
