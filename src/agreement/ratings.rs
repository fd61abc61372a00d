//! Labels by rater and item, some of them missing.
//!
//! Promises: a missing label is no category; a pair of raters is compared on the items that both labelled, and
//! the items that only one of them labelled are counted beside it.

use super::error::check_categories;
use super::{AgreementError, Counts, PairTable};

/// What each rater said about each item.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ratings {
    categories: usize,
    items: usize,
    raters: Vec<Vec<Option<usize>>>,
}

/// Items that only one of two raters labelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OneSided {
    /// Labelled by the first only.
    pub first: u64,
    /// Labelled by the second only.
    pub second: u64,
}

impl Ratings {
    /// One list for each rater, with one entry for each item, in the same order; categories count from 0.
    pub fn new(categories: usize, raters: Vec<Vec<Option<usize>>>) -> Result<Ratings, AgreementError> {
        check_categories(categories)?;
        let items = raters.first().map_or(0, Vec::len);
        for (rater, labels) in raters.iter().enumerate() {
            if labels.len() != items {
                let (found, wanted) = (labels.len(), items);
                return Err(AgreementError::UnequalItems { rater: rater + 1, found, wanted });
            }
            if let Some(category) = labels.iter().flatten().copied().find(|label| *label >= categories) {
                return Err(AgreementError::UnknownCategory { category, categories });
            }
        }
        Ok(Ratings { categories, items, raters })
    }

    /// The items with at least two labels alone, as [`Counts::joint`].
    #[must_use]
    pub fn joint(&self) -> Ratings {
        let labels = |item: usize| self.raters.iter().filter(|labels| labels[item].is_some()).count();
        let kept: Vec<usize> = (0..self.items).filter(|item| labels(*item) >= 2).collect();
        let raters =
            self.raters.iter().map(|labels| kept.iter().map(|item| labels[*item]).collect()).collect();
        Ratings { categories: self.categories, items: kept.len(), raters }
    }

    /// Declared categories.
    pub fn categories(&self) -> usize {
        self.categories
    }

    /// Items, those without a label included.
    pub fn items(&self) -> usize {
        self.items
    }

    /// Number of raters, those without a label included.
    pub fn raters(&self) -> usize {
        self.raters.len()
    }

    /// The labels of a rater, one for each item; empty for a rater that does not exist.
    pub fn labels(&self, rater: usize) -> &[Option<usize>] {
        self.raters.get(rater).map_or(&[], Vec::as_slice)
    }

    /// The table of two raters, on the items that both labelled.
    pub fn pair(&self, first: usize, second: usize) -> Result<PairTable, AgreementError> {
        let both = self.labels(first).iter().zip(self.labels(second));
        PairTable::of_pairs(self.categories, both.filter_map(|(one, other)| Some(((*one)?, (*other)?))))
    }

    /// The items that only one of two raters labelled.
    pub fn one_sided(&self, first: usize, second: usize) -> OneSided {
        let mut counted = OneSided { first: 0, second: 0 };
        for (one, other) in self.labels(first).iter().zip(self.labels(second)) {
            counted.first += u64::from(one.is_some() && other.is_none());
            counted.second += u64::from(one.is_none() && other.is_some());
        }
        counted
    }

    /// The labels of each item, without who gave them.
    pub fn counts(&self) -> Counts {
        let mut counts = Counts::of_categories(self.categories);
        let mut labels = Vec::with_capacity(self.raters.len());
        for item in 0..self.items {
            labels.clear();
            labels.extend(self.raters.iter().filter_map(|rater| rater[item]));
            counts.push_labels(&mut labels);
        }
        counts
    }
}
