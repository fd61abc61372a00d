//! How much two categories disagree: nothing or all, by their distance in an order, by a taxonomy, or as given.
//!
//! Promises: symmetric, 0 on the diagonal, everything between 0 and 1; positions are those of the *declared*
//! categories, so that a declared end category which nobody used stretches the linear and quadratic scale.

use super::AgreementError;
use super::error::check_categories;

/// Disagreement weights of `k` categories. The agreement weights of the literature are one minus these.
#[derive(Debug, Clone, PartialEq)]
pub struct Weights {
    categories: usize,
    disagreement: Vec<f64>,
    nominal: bool,
}

impl Weights {
    /// Every disagreement counts as much as any other: unweighted.
    pub fn nominal(categories: usize) -> Result<Weights, AgreementError> {
        let mut weights = Weights::by(categories, |one, other| f64::from(u8::from(one != other)))?;
        weights.nominal = true;
        Ok(weights)
    }

    /// `|i - j| / (k - 1)`. Cicchetti and Allison 1971.
    pub fn linear(categories: usize) -> Result<Weights, AgreementError> {
        Weights::by(categories, |one, other| distance(one, other, categories))
    }

    /// `((i - j) / (k - 1))²`. Fleiss and Cohen 1973.
    pub fn quadratic(categories: usize) -> Result<Weights, AgreementError> {
        Weights::by(categories, |one, other| distance(one, other, categories).powi(2))
    }

    /// By a taxonomy: each category is the path from the root to it. The agreement of two is twice their common
    /// steps over the sum of their depths (Wu and Palmer 1994): in a tree of two levels, 0 for the same leaf,
    /// 0.5 for two leaves of one parent, 1 otherwise.
    pub fn taxonomy<Step: PartialEq>(paths: &[Vec<Step>]) -> Result<Weights, AgreementError> {
        Weights::by(paths.len(), |one, other| {
            let (left, right) = (&paths[one], &paths[other]);
            let common = left.iter().zip(right).take_while(|(step, step_)| step == step_).count();
            let depths = left.len() + right.len();
            match one == other {
                true => 0.0,
                false if depths == 0 => 1.0,
                false => 1.0 - 2.0 * common as f64 / depths as f64,
            }
        })
    }

    /// As given: one row for each category, disagreements between 0 and 1. Cohen 1968.
    pub fn custom(rows: &[Vec<f64>]) -> Result<Weights, AgreementError> {
        check_categories(rows.len())?;
        for (row, weights) in rows.iter().enumerate() {
            if weights.len() != rows.len() {
                let (found, wanted) = (weights.len(), rows.len());
                return Err(AgreementError::NotSquare { row: row + 1, found, wanted });
            }
        }
        for (row, weights) in rows.iter().enumerate() {
            for (column, weight) in weights.iter().copied().enumerate() {
                if !(0.0..=1.0).contains(&weight) {
                    return Err(AgreementError::BadWeight { weight, row: row + 1, column: column + 1 });
                }
                if row == column && weight != 0.0 {
                    return Err(AgreementError::DiagonalNotZero { category: row + 1, weight });
                }
                if (weight - rows[column][row]).abs() > 1e-9 {
                    return Err(AgreementError::NotSymmetric { row: row + 1, column: column + 1 });
                }
            }
        }
        Weights::by(rows.len(), |one, other| rows[one][other])
    }

    fn by(categories: usize, weight: impl Fn(usize, usize) -> f64) -> Result<Weights, AgreementError> {
        check_categories(categories)?;
        let places = (0..categories * categories).map(|at| (at / categories, at % categories));
        let disagreement = places.map(|(one, other)| weight(one, other)).collect();
        Ok(Weights { categories, disagreement, nominal: false })
    }

    /// The categories that they are for.
    pub fn categories(&self) -> usize {
        self.categories
    }

    /// Whether every disagreement counts 1.
    pub fn is_nominal(&self) -> bool {
        self.nominal
    }

    /// How much these two disagree; 1 for categories that are not declared.
    pub fn disagreement(&self, one: usize, other: usize) -> f64 {
        if one < self.categories && other < self.categories {
            self.disagreement[one * self.categories + other]
        } else {
            1.0
        }
    }

    /// How much each category disagrees with a mix of categories: `sum over j of d(i, j) share(j)`.
    pub(super) fn against(&self, shares: &[f64]) -> Vec<f64> {
        if self.nominal {
            // One minus the own share would be shorter, and would not be 0 exactly where all is one category.
            let used = shares.iter().filter(|share| **share > 0.0).count();
            let total: f64 = shares.iter().sum();
            return shares
                .iter()
                .map(|share| if used == 1 && *share > 0.0 { 0.0 } else { total - share })
                .collect();
        }
        let row = |one: usize| &self.disagreement[one * self.categories..(one + 1) * self.categories];
        (0..self.categories)
            .map(|one| row(one).iter().zip(shares).map(|(weight, share)| weight * share).sum())
            .collect()
    }

    /// The sum of all disagreements.
    pub(super) fn sum(&self) -> f64 {
        self.disagreement.iter().sum()
    }
}

fn distance(one: usize, other: usize, categories: usize) -> f64 {
    if one == other { 0.0 } else { one.abs_diff(other) as f64 / (categories - 1) as f64 }
}
