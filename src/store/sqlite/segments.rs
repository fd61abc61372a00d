//! The quick list: rows of the index packed into segments of a few thousand, for opening a workspace.
//!
//! A workbench wants all rows in memory at once. Stepping through them in SQL costs several times what
//! reading them as a few large records does. Promises: a segment holds exactly the rows of
//! `task_index` in its range; a damaged one is an error, never wrong rows or a panic.
//! Leaves to others: which segments have to be packed anew (`derive`).
//!
//! A segment is: count, number of shared words, the words (dataset, language, error type: length and
//! text), the records of fixed size, the texts of all records (id, group, title) in one string.

use super::Fault;
use super::events::number;
use super::list::select_rows;
use crate::store::{BlobId, IndexRow, StoreError};
use crate::task::{FaultClass, Granularity, Kind};
use rusqlite::{Connection, params};
use std::collections::HashMap;
use std::path::PathBuf;

/// Rows in a segment.
const ROWS: u64 = 2048;
/// Bytes of a record.
const RECORD: usize = 32 + 7 * 4 + 4 * 2 + 3;
/// A text that equals the id, or a word that is absent.
const SAME: u32 = u32::MAX;
const ABSENT: u16 = u16::MAX;

/// The segment that holds a row.
pub(super) fn segment_of(row: u64) -> u64 {
    row.saturating_sub(1) / ROWS
}

/// Packs one segment from the rows of the index.
pub(super) fn repack(transaction: &Connection, segment: u64) -> Result<(), Fault> {
    let mut packer = Packer::default();
    select_rows(transaction, segment * ROWS, ROWS, &mut |row| packer.push(&row))?;
    let sql = "INSERT INTO index_segments (segment, rows) VALUES (?1, ?2)
        ON CONFLICT (segment) DO UPDATE SET rows = ?2";
    transaction.prepare_cached(sql)?.execute(params![number(segment), packer.finish()])?;
    Ok(())
}

/// Shows all rows.
pub(super) fn visit_all(connection: &Connection, visit: &mut dyn FnMut(IndexRow<'_>)) -> Result<u64, Fault> {
    let mut statement = connection.prepare_cached("SELECT rows FROM index_segments ORDER BY segment")?;
    let mut segments = statement.query([])?;
    let mut count = 0;
    while let Some(segment) = segments.next()? {
        let bytes = segment.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?;
        count += unpack(bytes, visit).ok_or_else(|| damaged(connection))?;
    }
    Ok(count)
}

fn damaged(connection: &Connection) -> Fault {
    let path = PathBuf::from(connection.path().unwrap_or_default());
    let detail =
        "the packed task list; events and blobs are not affected, the index can be built anew".to_owned();
    StoreError::Damaged { path, detail }.into()
}

#[derive(Default)]
struct Packer {
    count: u32,
    words: HashMap<String, u16>,
    word_bytes: Vec<u8>,
    records: Vec<u8>,
    texts: Vec<u8>,
}

impl Packer {
    fn push(&mut self, row: &IndexRow<'_>) {
        self.count += 1;
        let words = [
            self.word(Some(row.dataset)),
            self.word(Some(row.language)),
            self.word(row.error_type),
            row.marks,
        ];
        let id = self.text(row.id);
        let group = if row.group == row.id { SAME } else { self.text(row.group) };
        let title = if row.title == row.id { SAME } else { self.text(row.title) };
        self.records.extend_from_slice(row.revision.as_bytes());
        let row_number = u32::try_from(row.row).unwrap_or(u32::MAX);
        for value in [row_number, row.added, row.removed, row.tests, id, group, title] {
            self.records.extend_from_slice(&value.to_le_bytes());
        }
        for word in words {
            self.records.extend_from_slice(&word.to_le_bytes());
        }
        let class = row.class.map_or(0, |class| class as u8 + 1);
        let granularity = row.granularity.map_or(0, |granularity| granularity as u8 + 1);
        self.records.extend_from_slice(&[row.kind as u8, class, granularity]);
    }

    fn word(&mut self, word: Option<&str>) -> u16 {
        let Some(word) = word else { return ABSENT };
        if let Some(known) = self.words.get(word) {
            return *known;
        }
        let number = u16::try_from(self.words.len()).unwrap_or(ABSENT);
        self.words.insert(word.to_owned(), number);
        self.word_bytes.extend_from_slice(&length(word).to_le_bytes());
        self.word_bytes.extend_from_slice(word.as_bytes());
        number
    }

    fn text(&mut self, text: &str) -> u32 {
        self.texts.extend_from_slice(text.as_bytes());
        length(text)
    }

    fn finish(self) -> Vec<u8> {
        let words = u32::try_from(self.words.len()).unwrap_or(u32::MAX);
        let mut bytes = Vec::with_capacity(8 + self.word_bytes.len() + self.records.len() + self.texts.len());
        bytes.extend_from_slice(&self.count.to_le_bytes());
        bytes.extend_from_slice(&words.to_le_bytes());
        bytes.extend_from_slice(&self.word_bytes);
        bytes.extend_from_slice(&self.records);
        bytes.extend_from_slice(&self.texts);
        bytes
    }
}

fn length(text: &str) -> u32 {
    u32::try_from(text.len()).unwrap_or(u32::MAX)
}

/// Shows the rows of a segment; `None` when the bytes do not hold what they announce.
fn unpack(bytes: &[u8], visit: &mut dyn FnMut(IndexRow<'_>)) -> Option<u64> {
    let mut rest = bytes;
    let count = take_u32(&mut rest)? as usize;
    let word_count = take_u32(&mut rest)? as usize;
    let mut words = Vec::with_capacity(word_count.min(ROWS as usize * 3));
    for _ in 0..word_count {
        let length = take_u32(&mut rest)? as usize;
        words.push(std::str::from_utf8(take(&mut rest, length)?).ok()?);
    }
    let mut records = take(&mut rest, count.checked_mul(RECORD)?)?;
    let texts = std::str::from_utf8(rest).ok()?;
    let mut at = 0_usize;
    let mut text = |length: u32| -> Option<&str> {
        let end = at.checked_add(length as usize)?;
        let text = texts.get(at..end)?;
        at = end;
        Some(text)
    };
    for _ in 0..count {
        let revision: [u8; 32] = take(&mut records, 32)?.try_into().ok()?;
        let [row, added, removed, tests, id, group, title] = take_numbers(&mut records)?;
        let dataset = words.get(usize::from(take_u16(&mut records)?))?;
        let language = words.get(usize::from(take_u16(&mut records)?))?;
        let error_type = match take_u16(&mut records)? {
            ABSENT => None,
            word => Some(*words.get(usize::from(word))?),
        };
        let marks = take_u16(&mut records)?;
        let [kind, class, granularity] = take(&mut records, 3)?.try_into().ok()?;
        let id = text(id)?;
        visit(IndexRow {
            row: u64::from(row),
            dataset,
            id,
            group: if group == SAME { id } else { text(group)? },
            title: if title == SAME { id } else { text(title)? },
            kind: *Kind::ALL.get(usize::from(kind))?,
            language,
            error_type,
            class: coded(class, &CLASSES)?,
            granularity: coded(granularity, &Granularity::ALL)?,
            added,
            removed,
            tests,
            marks,
            revision: BlobId::from_bytes(revision),
        });
    }
    Some(count as u64)
}

const CLASSES: [FaultClass; 2] = [FaultClass::Bug, FaultClass::Vulnerability];

/// 0 is none, the others count from 1; `None` for a code that nobody wrote.
fn coded<T: Copy>(code: u8, all: &[T]) -> Option<Option<T>> {
    match usize::from(code) {
        0 => Some(None),
        code => all.get(code - 1).map(|value| Some(*value)),
    }
}

fn take<'a>(rest: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(length)?;
    *rest = left;
    Some(taken)
}

fn take_u32(rest: &mut &[u8]) -> Option<u32> {
    Some(u32::from_le_bytes(take(rest, 4)?.try_into().ok()?))
}

fn take_u16(rest: &mut &[u8]) -> Option<u16> {
    Some(u16::from_le_bytes(take(rest, 2)?.try_into().ok()?))
}

fn take_numbers<const N: usize>(rest: &mut &[u8]) -> Option<[u32; N]> {
    let mut numbers = [0; N];
    for number in &mut numbers {
        *number = take_u32(rest)?;
    }
    Some(numbers)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    fn row<'a>(id: &'a str, group: &'a str, title: &'a str, row: u64) -> IndexRow<'a> {
        IndexRow {
            row,
            dataset: "d",
            id,
            group,
            title,
            kind: Kind::ALL[row as usize % 5],
            language: if row.is_multiple_of(2) { "c" } else { "python" },
            error_type: (row.is_multiple_of(3)).then_some("B.1"),
            class: crate::store::sqlite::list::class_named(["bug", "vulnerability", ""][row as usize % 3]),
            granularity: Granularity::ALL.get(row as usize % 6).copied(),
            added: row as u32,
            removed: 7,
            tests: u32::MAX,
            marks: row as u16,
            revision: BlobId::of(id.as_bytes()),
        }
    }

    fn pack(rows: &[IndexRow<'_>]) -> Vec<u8> {
        let mut packer = Packer::default();
        rows.iter().for_each(|row| packer.push(row));
        packer.finish()
    }

    #[test]
    fn codes_agree_with_the_lists_they_index() {
        assert!(Kind::ALL.iter().enumerate().all(|(at, kind)| *kind as usize == at));
        assert!(Granularity::ALL.iter().enumerate().all(|(at, granularity)| *granularity as usize == at));
        assert!(CLASSES.iter().enumerate().all(|(at, class)| *class as usize == at));
        let (before, after) = (segment_of(ROWS), segment_of(ROWS + 1));
        assert_eq!((segment_of(1), before, after), (0, 0, 1));
    }

    proptest! {
        #[test]
        fn rows_come_back_and_no_damage_panics(
            texts in proptest::collection::vec((".{0,9}", ".{0,9}", ".{0,20}"), 0..12),
            cut: prop::sample::Index, flip: prop::sample::Index, bit in 0_u8..8,
        ) {
            let rows: Vec<IndexRow<'_>> = texts
                .iter()
                .enumerate()
                .map(|(at, (id, group, title))| row(id, if at % 2 == 0 { id } else { group }, title, at as u64))
                .collect();
            let bytes = pack(&rows);
            let mut seen = 0;
            let count = unpack(&bytes, &mut |row| {
                assert_eq!(row, rows[seen]);
                seen += 1;
            });
            prop_assert_eq!(count, Some(rows.len() as u64));
            let _ = unpack(&bytes[..cut.index(bytes.len())], &mut |_| ());
            let mut damaged = bytes;
            let at = flip.index(damaged.len());
            damaged[at] ^= 1 << bit;
            let _ = unpack(&damaged, &mut |_| ());
        }
    }
}
