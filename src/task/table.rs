//! The list of tasks, kept so that two hundred thousand of them are filtered between two keypresses.
//!
//! Promises: one row per task in the order of arrival; all text in one arena; repeated names stored
//! once. Leaves to others: choosing rows (`filter`, `order`), reading whole tasks (`catalogue`).

use super::{FaultClass, Granularity, Kind, Task};
use std::collections::HashMap;

/// What a list needs to know about a task.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Summary<'a> {
    /// Dataset of the task.
    pub dataset: &'a str,
    /// Id inside the dataset.
    pub id: &'a str,
    /// Origin that variants share.
    pub group: &'a str,
    /// One line for lists.
    pub title: &'a str,
    /// What is asked.
    pub kind: Kind,
    /// Language name.
    pub language: &'a str,
    /// Error type; empty where unknown.
    pub error_type: &'a str,
    /// Bug or vulnerability.
    pub class: Option<FaultClass>,
    /// How far the reference fix reaches.
    pub granularity: Option<Granularity>,
    /// Lines that the reference fix adds.
    pub added: u32,
    /// Lines that it removes.
    pub removed: u32,
    /// Tests that the task lists by name.
    pub tests: u32,
    /// Marks as bits of [`super::MarkKind::bit`].
    pub marks: u16,
    /// Where whoever filled the table finds the whole task again.
    pub key: u64,
}

impl<'a> Summary<'a> {
    /// The summary of a task; granularity and line counts come from the caller, who compared the trees.
    pub fn of(
        task: &'a Task,
        granularity: Option<Granularity>,
        added: u32,
        removed: u32,
        key: u64,
    ) -> Summary<'a> {
        Summary {
            dataset: &task.dataset,
            id: &task.id,
            group: &task.group,
            title: &task.title,
            kind: task.kind,
            language: &task.language,
            error_type: task.provenance.error_type.as_deref().unwrap_or(""),
            class: task.provenance.class,
            granularity,
            added,
            removed,
            tests: u32::try_from(task.test.fail_to_pass.len() + task.test.pass_to_pass.len())
                .unwrap_or(u32::MAX),
            marks: task.mark_bits(),
            key,
        }
    }
}

/// Longest id, title and group that a list keeps, in bytes; the whole text is in the task.
const LONGEST: usize = 1000;

#[derive(Debug, Clone, Copy)]
struct Packed {
    key: u64,
    /// Letters and digits that occur in id and title, one bit each: most rows that cannot match a word
    /// are refused by one comparison.
    letters: u64,
    start: u32,
    added: u32,
    removed: u32,
    tests: u32,
    group: u32,
    id_len: u16,
    title_len: u16,
    dataset: u16,
    language: u16,
    error_type: u16,
    marks: u16,
    kind: u8,
    class: u8,
    granularity: u8,
}

/// Names stored once.
#[derive(Debug, Clone, Default)]
struct Names {
    list: Vec<String>,
    numbers: HashMap<String, u32>,
    /// The number given last.
    last: u32,
}

impl Names {
    fn number(&mut self, name: &str) -> u32 {
        // Tasks of one dataset, language or group come one after the other.
        if self.list.get(self.last as usize).is_some_and(|last| last == name) {
            return self.last;
        }
        if let Some(number) = self.numbers.get(name) {
            self.last = *number;
            return *number;
        }
        let number = self.list.len() as u32;
        self.list.push(name.to_owned());
        self.numbers.insert(name.to_owned(), number);
        self.last = number;
        number
    }

    fn get(&self, number: u32) -> &str {
        self.list.get(number as usize).map_or("", String::as_str)
    }
}

/// All tasks of a catalogue, as rows.
#[derive(Debug, Clone, Default)]
pub struct TaskTable {
    text: String,
    rows: Vec<Packed>,
    names: Names,
    groups: Names,
}

impl TaskTable {
    /// An empty list.
    pub fn new() -> TaskTable {
        TaskTable::default()
    }

    /// Room for this many rows with this much text, so that filling does not move memory.
    pub fn with_capacity(rows: usize, text: usize) -> TaskTable {
        TaskTable {
            text: String::with_capacity(text),
            rows: Vec::with_capacity(rows),
            ..TaskTable::default()
        }
    }

    /// Number of tasks.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds a row. Ids and titles are cut at 1,000 bytes; beyond 4 GiB of text a row is refused (false).
    pub fn push(&mut self, summary: &Summary<'_>) -> bool {
        let Ok(start) = u32::try_from(self.text.len()) else { return false };
        let id = cut(summary.id);
        let title = cut(summary.title);
        self.text.push_str(id);
        self.text.push(' ');
        self.text.push_str(title);
        let group =
            if summary.group == summary.id { u32::MAX } else { self.groups.number(cut(summary.group)) };
        let number =
            |names: &mut Names, name: &str| u16::try_from(names.number(cut(name))).unwrap_or(u16::MAX);
        self.rows.push(Packed {
            key: summary.key,
            letters: letters(id) | letters(title),
            start,
            added: summary.added,
            removed: summary.removed,
            tests: summary.tests,
            group,
            id_len: id.len() as u16,
            title_len: title.len() as u16,
            dataset: number(&mut self.names, summary.dataset),
            language: number(&mut self.names, summary.language),
            error_type: number(&mut self.names, summary.error_type),
            marks: summary.marks,
            kind: Kind::ALL.iter().position(|kind| *kind == summary.kind).unwrap_or(0) as u8,
            class: match summary.class {
                None => 0,
                Some(FaultClass::Bug) => 1,
                Some(FaultClass::Vulnerability) => 2,
            },
            granularity: summary.granularity.map_or(u8::MAX, |granularity| granularity as u8),
        });
        true
    }

    /// The row's summary. `row` must be below [`TaskTable::len`].
    pub fn get(&self, row: u32) -> Option<Summary<'_>> {
        let packed = self.rows.get(row as usize)?;
        let (id, title) = self.id_and_title(packed);
        Some(Summary {
            dataset: self.names.get(u32::from(packed.dataset)),
            id,
            group: if packed.group == u32::MAX { id } else { self.groups.get(packed.group) },
            title,
            kind: Kind::ALL.get(usize::from(packed.kind)).copied().unwrap_or(Kind::Repair),
            language: self.names.get(u32::from(packed.language)),
            error_type: self.names.get(u32::from(packed.error_type)),
            class: match packed.class {
                1 => Some(FaultClass::Bug),
                2 => Some(FaultClass::Vulnerability),
                _ => None,
            },
            granularity: Granularity::ALL.get(usize::from(packed.granularity)).copied(),
            added: packed.added,
            removed: packed.removed,
            tests: packed.tests,
            marks: packed.marks,
            key: packed.key,
        })
    }

    /// `id title` of a row, as one text: what words are matched against.
    pub fn haystack(&self, row: u32) -> &str {
        self.rows.get(row as usize).map_or("", |packed| {
            let start = packed.start as usize;
            &self.text[start..start + packed.id_len as usize + 1 + packed.title_len as usize]
        })
    }

    /// Letters and digits of a row's id and title, one bit each.
    pub fn letters(&self, row: u32) -> u64 {
        self.rows.get(row as usize).map_or(0, |packed| packed.letters)
    }

    /// The distinct datasets, languages and error types in the table, with the number of rows each.
    pub fn counts(&self) -> Counts<'_> {
        let mut dataset = vec![0_u32; self.names.list.len()];
        let mut language = dataset.clone();
        let mut error_type = dataset.clone();
        for row in &self.rows {
            for (counts, number) in [
                (&mut dataset, row.dataset),
                (&mut language, row.language),
                (&mut error_type, row.error_type),
            ] {
                if let Some(count) = counts.get_mut(usize::from(number)) {
                    *count += 1;
                }
            }
        }
        let named = |counts: Vec<u32>| {
            let mut list: Vec<(&str, u32)> = counts
                .into_iter()
                .enumerate()
                .filter(|(number, count)| *count > 0 && !self.names.list[*number].is_empty())
                .map(|(number, count)| (self.names.get(number as u32), count))
                .collect();
            list.sort();
            list
        };
        Counts { datasets: named(dataset), languages: named(language), error_types: named(error_type) }
    }

    fn id_and_title(&self, packed: &Packed) -> (&str, &str) {
        let start = packed.start as usize;
        let title = start + packed.id_len as usize + 1;
        (&self.text[start..title - 1], &self.text[title..title + packed.title_len as usize])
    }
}

/// Distinct values of a table with their counts, by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counts<'a> {
    /// Datasets.
    pub datasets: Vec<(&'a str, u32)>,
    /// Languages.
    pub languages: Vec<(&'a str, u32)>,
    /// Error types.
    pub error_types: Vec<(&'a str, u32)>,
}

fn cut(text: &str) -> &str {
    if text.len() <= LONGEST {
        return text;
    }
    let mut end = LONGEST;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

/// One bit for each ASCII letter (either case) and digit of a text, and one for anything outside ASCII.
pub(crate) fn letters(text: &str) -> u64 {
    text.bytes().fold(0, |bits, byte| bits | LETTERS[usize::from(byte)])
}

/// The bit of everything that is not ASCII.
pub(crate) const BEYOND_ASCII: u64 = 1 << 63;

/// The bit of each byte.
const LETTERS: [u64; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        table[byte] = match byte as u8 {
            letter @ b'a'..=b'z' => 1 << (letter - b'a'),
            letter @ b'A'..=b'Z' => 1 << (letter - b'A'),
            digit @ b'0'..=b'9' => 1 << (26 + (digit - b'0')),
            128.. => BEYOND_ASCII,
            _ => 0,
        };
        byte += 1;
    }
    table
};

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn a_row_gives_back_what_was_pushed() {
        let mut table = TaskTable::new();
        let summary = Summary {
            dataset: "samples",
            id: "c-ring-buffer",
            group: "c-ring-buffer",
            title: "Ring buffer reports full too early",
            kind: Kind::Repair,
            language: "c",
            error_type: "B",
            class: Some(FaultClass::Vulnerability),
            granularity: Some(Granularity::Line),
            added: 1,
            removed: 1,
            tests: 6,
            marks: 3,
            key: 7,
        };
        assert!(table.push(&summary));
        let other = Summary { group: "origin", class: None, granularity: None, ..summary };
        assert!(table.push(&other));
        assert_eq!(table.get(0).unwrap(), summary);
        assert_eq!(table.get(1).unwrap(), other);
        assert_eq!(table.get(2), None);
        assert_eq!(table.counts().languages, vec![("c", 2)]);
    }

    #[test]
    fn overlong_text_is_cut_between_characters() {
        let mut task = Task::new("d", "é".repeat(900));
        task.title = "x".repeat(5000);
        let mut table = TaskTable::new();
        assert!(table.push(&Summary::of(&task, None, 0, 0, 0)));
        let row = table.get(0).unwrap();
        assert_eq!(row.id.len(), 1000);
        assert_eq!(row.title.len(), 1000);
    }
}
