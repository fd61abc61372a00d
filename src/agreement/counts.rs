//! How many raters chose each category, item by item; raters are not told apart.
//!
//! Promises: items may have different numbers of labels, also none; categories that nobody chose take no room.

use super::error::check_categories;
use super::{AgreementError, PairTable};

/// Labels by item and category.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Counts {
    categories: usize,
    /// For each run of equal items: their chosen categories in order, each with its count, and how many items.
    rows: Vec<(Vec<(usize, u64)>, u64)>,
    /// What is taken off the number of items where a variance is divided by it.
    spare: u64,
}

/// Labels of an item: categories in order, each with its count, and their sum.
#[derive(Debug, Clone, Copy)]
pub(super) struct Item<'a> {
    /// Categories that were chosen, each with its count.
    pub chosen: &'a [(usize, u64)],
    /// Labels.
    pub labels: u64,
    /// How many items are like this.
    pub times: u64,
}

impl Counts {
    /// One row for each item, with one count for each category.
    pub fn new(categories: usize, rows: &[Vec<u64>]) -> Result<Counts, AgreementError> {
        check_categories(categories)?;
        let mut counts = Counts::of_categories(categories);
        for (number, row) in rows.iter().enumerate() {
            if row.len() != categories {
                let (row, found) = (number + 1, row.len());
                return Err(AgreementError::WrongLength { row, found, wanted: categories });
            }
            let sum = row.iter().try_fold(0u64, |sum, count| sum.checked_add(*count));
            if sum.is_none_or(|sum| sum > 1 << 32) {
                return Err(AgreementError::TooManyItems);
            }
            let chosen = row.iter().copied().enumerate().filter(|(_, count)| *count > 0).collect();
            counts.push(chosen, 1);
        }
        Ok(counts)
    }

    /// The items of a table of two raters, each with its two labels. Variances over a table are divided by its
    /// items, as in Fleiss, Cohen and Everitt 1969, and those over lists of items by one less; Gwet 2014 keeps
    /// the two apart in the same way (chapter 5, tables and raw ratings).
    pub fn of_pair(table: &PairTable) -> Counts {
        let mut counts = Counts { spare: 0, ..Counts::of_categories(table.categories()) };
        for (first, second, times) in table.cells() {
            let chosen = match first == second {
                true => vec![(first, 2)],
                false => vec![(first.min(second), 1), (first.max(second), 1)],
            };
            counts.push(chosen, times);
        }
        counts
    }

    /// The same as a list of items: variances are divided by one less than there are.
    #[must_use]
    pub fn as_items(self) -> Counts {
        Counts { spare: 1, ..self }
    }

    /// No item yet.
    pub(super) fn of_categories(categories: usize) -> Counts {
        Counts { categories, rows: Vec::new(), spare: 1 }
    }

    /// One more item with these labels, which are put in order.
    pub(super) fn push_labels(&mut self, labels: &mut [usize]) {
        labels.sort_unstable();
        let runs = labels.chunk_by(|one, other| one == other);
        self.push(runs.map(|run| (run[0], run.len() as u64)).collect(), 1);
    }

    fn push(&mut self, chosen: Vec<(usize, u64)>, times: u64) {
        match self.rows.last_mut() {
            Some((last, count)) if *last == chosen => *count += times,
            _ => self.rows.push((chosen, times)),
        }
    }

    /// Declared categories.
    pub fn categories(&self) -> usize {
        self.categories
    }

    /// Items, those without a label included.
    pub fn items(&self) -> u64 {
        self.rows.iter().map(|(_, times)| times).sum()
    }

    /// Items with at least this many labels.
    pub fn items_with(&self, labels: u64) -> u64 {
        self.each().filter(|item| item.labels >= labels).map(|item| item.times).sum()
    }

    /// The items with at least two labels alone. Studies measure these: an item that one annotator saw says nothing
    /// about agreement, and would still move the margins of [`fleiss_kappa`](super::fleiss_kappa) and
    /// [`gwet_ac`](super::gwet_ac).
    #[must_use]
    pub fn joint(&self) -> Counts {
        let labels = |chosen: &[(usize, u64)]| chosen.iter().map(|(_, count)| count).sum::<u64>();
        let rows = self.rows.iter().filter(|(chosen, _)| labels(chosen) >= 2).cloned().collect();
        Counts { categories: self.categories, rows, spare: self.spare }
    }

    /// The most labels that an item has.
    pub fn most_labels(&self) -> u64 {
        self.each().map(|item| item.labels).max().unwrap_or(0)
    }

    /// All labels.
    pub fn labels(&self) -> u64 {
        self.each().map(|item| item.labels * item.times).sum()
    }

    /// Labels of each category.
    pub fn by_category(&self) -> Vec<u64> {
        let mut sums = vec![0; self.categories];
        for item in self.each() {
            item.chosen.iter().for_each(|(category, count)| sums[*category] += count * item.times);
        }
        sums
    }

    /// Two categories: this one, and all the others together.
    pub fn against_the_rest(&self, category: usize) -> Counts {
        let mut counts = Counts { spare: self.spare, ..Counts::of_categories(2) };
        for item in self.each() {
            let own: u64 = item.chosen.iter().filter(|(other, _)| *other == category).map(|(_, n)| n).sum();
            let both = [(0, own), (1, item.labels - own)];
            counts.push(both.into_iter().filter(|(_, count)| *count > 0).collect(), item.times);
        }
        counts
    }

    /// What a variance over the items is divided by.
    pub(super) fn divisor(&self, items: u64) -> f64 {
        (items - self.spare.min(items)) as f64
    }

    /// The items, equal neighbours as one.
    pub(super) fn each(&self) -> impl Iterator<Item = Item<'_>> + Clone {
        self.rows.iter().map(|(chosen, times)| {
            let labels = chosen.iter().map(|(_, count)| count).sum();
            Item { chosen, labels, times: *times }
        })
    }
}

impl Item<'_> {
    /// Sum over ordered pairs of different labels of the item of how much they disagree.
    pub(super) fn disagreement(&self, weight: impl Fn(usize, usize) -> f64) -> f64 {
        let mut sum = 0.0;
        for (at, (category, count)) in self.chosen.iter().enumerate() {
            for (other, others) in &self.chosen[at + 1..] {
                sum += weight(*category, *other) * (count * others) as f64;
            }
        }
        2.0 * sum
    }

    /// Sum over the labels of the item of a number for each category.
    pub(super) fn sum(&self, of_category: &[f64]) -> f64 {
        self.chosen.iter().map(|(category, count)| of_category[*category] * *count as f64).sum()
    }
}
