//! What was read: for each question and round, who said what about which item.

use super::{BadReason, BadRow};
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// All that files of ratings hold.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RatingsFile {
    /// One for each question and round, in the order of their first rows.
    pub sheets: Vec<Sheet>,
    /// Rows, column names not counted, bad ones included.
    pub rows: u64,
    /// Labels that are empty, or a word for missing.
    pub missing: u64,
    /// Of these, labels that are white space only.
    pub blank: u64,
    /// Labels that were taken as an earlier spelling of theirs.
    pub folded: u64,
    /// Bad rows, the first of them (see `bad_count`).
    pub bad: Vec<BadRow>,
    /// All bad rows.
    pub bad_count: u64,
}

/// Most bad rows that are kept; all are counted.
const MOST_BAD: usize = 10_000;

impl RatingsFile {
    /// Notes a bad row.
    pub fn refuse(&mut self, file: &str, line: u64, reason: BadReason) {
        self.bad_count += 1;
        if self.bad.len() < MOST_BAD {
            self.bad.push(BadRow { file: file.to_owned(), line, reason });
        }
    }
}

/// The ratings of one question in one round.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Sheet {
    /// The question, where there is a column for it.
    pub question: Option<String>,
    /// The round, where there is a column for it.
    pub round: Option<String>,
    /// Raters, items and labels by number.
    pub raters: Names,
    /// Items.
    pub items: Names,
    /// Different labels.
    pub labels: Names,
    cells: Vec<Vec<Option<Cell>>>,
}

/// What a row says about a rater and an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cell {
    /// The number of the label; none: missing.
    pub label: Option<usize>,
    /// The number of the file.
    pub file: usize,
    /// The line, from 1.
    pub line: u64,
}

/// Texts with numbers.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    texts: Vec<String>,
    numbers: HashMap<String, usize>,
}

impl Names {
    /// The number of a text, which is new or known.
    pub(super) fn number(&mut self, text: &str) -> usize {
        match self.numbers.get(text) {
            Some(number) => *number,
            None => self.add(text.to_owned(), text),
        }
    }

    /// The number of a text that is known by a key; and whether it is spelt otherwise there.
    pub(super) fn number_by(&mut self, key: String, text: &str) -> (usize, bool) {
        match self.numbers.get(&key) {
            Some(number) => (*number, self.texts.get(*number).is_some_and(|known| known != text)),
            None => (self.add(key, text), false),
        }
    }

    fn add(&mut self, key: String, text: &str) -> usize {
        let next = self.texts.len();
        match self.numbers.entry(key) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(place) => {
                place.insert(next);
                self.texts.push(text.to_owned());
                next
            }
        }
    }

    /// The texts, by number.
    pub fn texts(&self) -> &[String] {
        &self.texts
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.texts.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.texts.is_empty()
    }
}

impl Sheet {
    /// A sheet without rows.
    pub(super) fn new(question: Option<String>, round: Option<String>) -> Sheet {
        Sheet { question, round, ..Sheet::default() }
    }

    /// What a rater's rows say about each item, by number of the item; `None` where there is no row.
    pub fn cells(&self, rater: usize) -> impl Iterator<Item = Option<Cell>> + '_ {
        let row = self.cells.get(rater).map_or(&[][..], Vec::as_slice);
        (0..self.items.len()).map(move |item| row.get(item).copied().flatten())
    }

    /// Puts a cell into its place; gives the one that is there already.
    pub(super) fn put(&mut self, rater: usize, item: usize, cell: Cell) -> Result<(), Cell> {
        if self.cells.len() <= rater {
            self.cells.resize(rater + 1, Vec::new());
        }
        let row = &mut self.cells[rater];
        if row.len() <= item {
            row.resize(item + 1, None);
        }
        match row[item] {
            Some(there) => Err(there),
            None => {
                row[item] = Some(cell);
                Ok(())
            }
        }
    }
}
