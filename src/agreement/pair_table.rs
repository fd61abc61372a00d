//! The confusion table of two raters.
//!
//! Promises: square, as large as the declared categories, counts that add up to at most 2^53, so that sums
//! and products of them lose nothing that matters.

use super::AgreementError;
use super::error::check_categories;

/// Sums up to here are exact as doubles.
const MOST_ITEMS: u64 = 1 << 53;

/// How often the first rater said `i` (row) where the second said `j` (column).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PairTable {
    categories: usize,
    counts: Vec<u64>,
    rows: Vec<u64>,
    columns: Vec<u64>,
    total: u64,
}

impl PairTable {
    /// A table without items.
    pub fn empty(categories: usize) -> Result<PairTable, AgreementError> {
        check_categories(categories)?;
        Ok(PairTable {
            categories,
            counts: vec![0; categories * categories],
            rows: vec![0; categories],
            columns: vec![0; categories],
            total: 0,
        })
    }

    /// The table with these rows.
    pub fn new(rows: &[Vec<u64>]) -> Result<PairTable, AgreementError> {
        let mut table = PairTable::empty(rows.len())?;
        for (first, row) in rows.iter().enumerate() {
            if row.len() != rows.len() {
                let (found, wanted) = (row.len(), rows.len());
                return Err(AgreementError::NotSquare { row: first + 1, found, wanted });
            }
            for (second, count) in row.iter().enumerate() {
                table.add(first, second, *count)?;
            }
        }
        Ok(table)
    }

    /// The table of these pairs of labels.
    pub fn of_pairs(
        categories: usize,
        pairs: impl IntoIterator<Item = (usize, usize)>,
    ) -> Result<PairTable, AgreementError> {
        let mut table = PairTable::empty(categories)?;
        for (first, second) in pairs {
            table.add(first, second, 1)?;
        }
        Ok(table)
    }

    /// Counts `times` more items with this pair of labels.
    pub fn add(&mut self, first: usize, second: usize, times: u64) -> Result<(), AgreementError> {
        let categories = self.categories;
        for category in [first, second] {
            if category >= categories {
                return Err(AgreementError::UnknownCategory { category, categories });
            }
        }
        let total = self.total.checked_add(times).filter(|total| *total <= MOST_ITEMS);
        self.total = total.ok_or(AgreementError::TooManyItems)?;
        self.counts[first * categories + second] += times;
        self.rows[first] += times;
        self.columns[second] += times;
        Ok(())
    }

    /// Declared categories.
    pub fn categories(&self) -> usize {
        self.categories
    }

    /// Items.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Items with this pair of labels; 0 for categories that are not declared.
    pub fn count(&self, first: usize, second: usize) -> u64 {
        if first < self.categories && second < self.categories {
            self.counts[first * self.categories + second]
        } else {
            0
        }
    }

    /// How often the first rater used each category.
    pub fn rows(&self) -> &[u64] {
        &self.rows
    }

    /// How often the second rater used each category.
    pub fn columns(&self) -> &[u64] {
        &self.columns
    }

    /// Items on which both said the same.
    pub fn agreed(&self) -> u64 {
        (0..self.categories).map(|category| self.count(category, category)).sum()
    }

    /// The cells that are not empty: first label, second label, items.
    pub fn cells(&self) -> impl Iterator<Item = (usize, usize, u64)> + '_ {
        let place = |at: usize| (at / self.categories, at % self.categories);
        self.counts.iter().enumerate().filter(|(_, count)| **count > 0).map(move |(at, count)| {
            let (first, second) = place(at);
            (first, second, *count)
        })
    }

    /// The table with the raters exchanged.
    pub fn transposed(&self) -> PairTable {
        let size = self.categories;
        let counts = (0..size * size).map(|at| self.counts[(at % size) * size + at / size]).collect();
        PairTable { counts, rows: self.columns.clone(), columns: self.rows.clone(), ..*self }
    }

    /// Two categories: this one, and all the others together.
    pub fn against_the_rest(&self, category: usize) -> PairTable {
        let both = self.count(category, category);
        let (row, column) = match (self.rows.get(category), self.columns.get(category)) {
            (Some(row), Some(column)) => (*row, *column),
            _ => (0, 0),
        };
        let neither = self.total - (row + column - both);
        PairTable {
            categories: 2,
            counts: vec![both, row - both, column - both, neither],
            rows: vec![row, self.total - row],
            columns: vec![column, self.total - column],
            total: self.total,
        }
    }
}
