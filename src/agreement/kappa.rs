//! Cohen's kappa and what stands beside it in a table of two raters.
//!
//! Promises: everything on the items that both raters labelled; sums of integers, one division.

use super::distribution::normal_two_sided;
use super::estimate::{root, test_against_zero};
use super::value::beyond_chance;
use super::{Estimate, Interval, PairTable, Reason, Test, Value, Weights};

/// Cohen's kappa with its two standard errors.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Kappa {
    /// The coefficient; its standard error is the asymptotic one, for intervals.
    pub estimate: Estimate,
    /// Standard error if kappa were 0, for the test.
    pub null_standard_error: Value,
}

impl Kappa {
    /// The normal interval, not clipped.
    pub fn normal_interval(&self, level: f64) -> Value<Interval> {
        self.estimate.normal_interval(level)
    }

    /// The t interval, its upper end at most 1.
    pub fn t_interval(&self, level: f64) -> Value<Interval> {
        self.estimate.t_interval(level)
    }

    /// The test against chance agreement: kappa over its standard error under kappa = 0.
    pub fn test_against_zero(&self) -> Value<Test> {
        test_against_zero(self.estimate.value, self.null_standard_error)
    }
}

/// Cohen's kappa, `1 - Do/De`, with `Do = sum d(i,j) n(i,j) / n` and `De = sum d(i,j) row(i) column(j) / n²`.
///
/// With [`Weights::nominal`] it is Cohen 1960, else weighted kappa, Cohen 1968. Standard errors: Fleiss, Cohen
/// and Everitt 1969. With agreement weights `w = 1 - d`, `wr(i) = sum_j w(i,j) c(j)`, `wc(j) = sum_i w(i,j) r(i)`
/// and `x(i,j) = w(i,j) - (wr(i) + wc(j)) (1 - kappa)`, the variance is that of `x` over the table, divided by
/// `n (1 - pe)²`; under kappa = 0 it is that of `x` with kappa 0 over the product of the margins. (The published
/// form subtracts the squared mean; here the mean is subtracted first, which cannot turn negative.)
///
/// The weights must be for as many categories as the table has; a category beyond them disagrees fully.
pub fn cohen_kappa(table: &PairTable, weights: &Weights) -> Kappa {
    let items = table.total();
    if items == 0 {
        let estimate = Estimate::undefined(Reason::NoJointItem, 0);
        return Kappa { estimate, null_standard_error: Value::Undefined(Reason::NoJointItem) };
    }
    let n = items as f64;
    let (observed, expected) = disagreements(table, weights);
    let value = beyond_chance(observed, expected, Reason::ExpectedAgreementIsOne);
    let shares = |counts: &[u64]| counts.iter().map(|count| *count as f64 / n).collect::<Vec<f64>>();
    let (rows, columns) = (shares(table.rows()), shares(table.columns()));
    let (against_columns, against_rows) = (weights.against(&columns), weights.against(&rows));
    // x with w = 1 - d; the constant parts do not change a variance.
    let deviation = |first: usize, second: usize, kappa: f64| {
        (against_columns[first] + against_rows[second]) * (1.0 - kappa) - weights.disagreement(first, second)
    };
    let standard_error = value.map(|kappa| {
        let cells = || table.cells().map(|(i, j, count)| (count as f64 / n, deviation(i, j, kappa)));
        root(spread(cells), 1.0) / (n.sqrt() * expected)
    });
    let null_standard_error = value.map(|_| {
        let cells = || {
            let used = |shares: &[f64]| -> Vec<(usize, f64)> {
                shares.iter().copied().enumerate().filter(|(_, share)| *share > 0.0).collect()
            };
            let columns = used(&columns);
            used(&rows).into_iter().flat_map(move |(i, row)| {
                columns.clone().into_iter().map(move |(j, column)| (row * column, (i, j)))
            })
        };
        let cells = || cells().map(|(share, (i, j))| (share, deviation(i, j, 0.0)));
        root(spread(cells), 1.0) / (n.sqrt() * expected)
    });
    let estimate = Estimate {
        value,
        observed: Value::Defined(1.0 - observed),
        expected: Value::Defined(1.0 - expected),
        standard_error,
        items,
    };
    Kappa { estimate, null_standard_error }
}

/// Observed and expected disagreement of a table that is not empty.
fn disagreements(table: &PairTable, weights: &Weights) -> (f64, f64) {
    let n = table.total() as f64;
    if weights.is_nominal() {
        // All integers: exact for every table of fewer than 90 million items.
        let wide = |count: u64| u128::from(count);
        let total = wide(table.total());
        let met: u128 =
            table.rows().iter().zip(table.columns()).map(|(row, column)| wide(*row) * wide(*column)).sum();
        let observed = table.total() - table.agreed();
        return (observed as f64 / n, (total * total - met) as f64 / (n * n));
    }
    let observed: f64 = table.cells().map(|(i, j, count)| weights.disagreement(i, j) * count as f64).sum();
    let as_floats = |counts: &[u64]| counts.iter().map(|count| *count as f64).collect::<Vec<f64>>();
    let against = weights.against(&as_floats(table.columns()));
    let expected: f64 = table.rows().iter().zip(&against).map(|(row, against)| *row as f64 * against).sum();
    (observed / n, expected / (n * n))
}

/// The variance of a variable given as (share, value).
fn spread<Cells: Iterator<Item = (f64, f64)>>(cells: impl Fn() -> Cells) -> f64 {
    let mean: f64 = cells().map(|(share, value)| share * value).sum();
    cells().map(|(share, value)| share * (value - mean).powi(2)).sum()
}

/// The value of kappa alone, for the many tables of a bootstrap.
pub(super) fn kappa_value(table: &PairTable, weights: &Weights) -> Option<f64> {
    if table.total() == 0 {
        return None;
    }
    let (observed, expected) = disagreements(table, weights);
    beyond_chance(observed, expected, Reason::ExpectedAgreementIsOne).defined()
}

/// The largest unweighted kappa that the two margins allow: `(sum of min(row, column) / n - pe) / (1 - pe)`.
/// What is missing to 1 is a difference in how often the raters use the categories. Cohen 1960.
pub fn kappa_max(table: &PairTable) -> Value {
    let n = table.total() as f64;
    if table.total() == 0 {
        return Value::Undefined(Reason::NoJointItem);
    }
    let margins = || table.rows().iter().zip(table.columns());
    let best: u64 = margins().map(|(row, column)| *row.min(column)).sum();
    let met: u128 = margins().map(|(row, column)| u128::from(*row) * u128::from(*column)).sum();
    let expected = (u128::from(table.total()).pow(2) - met) as f64 / (n * n);
    beyond_chance((table.total() - best) as f64 / n, expected, Reason::ExpectedAgreementIsOne)
}

/// Unweighted kappa of each category against the rest. Fleiss 1981.
pub fn cohen_kappa_per_category(table: &PairTable) -> Vec<Kappa> {
    (0..table.categories())
        .map(|category| match Weights::nominal(2) {
            Ok(weights) => cohen_kappa(&table.against_the_rest(category), &weights),
            // Two categories are always allowed.
            Err(_) => Kappa {
                estimate: Estimate::undefined(Reason::CategoryUnused, 0),
                null_standard_error: Value::Undefined(Reason::CategoryUnused),
            },
        })
        .collect()
}

/// For each category, `2 n(g,g) / (row(g) + column(g))`: of the times that either rater used it, how often the
/// other did too. Cicchetti and Feinstein 1990 (for two categories: positive and negative agreement).
pub fn specific_agreement(table: &PairTable) -> Vec<Value> {
    (0..table.categories())
        .map(|category| {
            let used = table.rows()[category] + table.columns()[category];
            match used {
                0 => Value::Undefined(Reason::CategoryUnused),
                _ => Value::Defined(2.0 * table.count(category, category) as f64 / used as f64),
            }
        })
        .collect()
}

/// `(a - d) / n` of a two-by-two table with the first category as "yes": how unequal the categories are, -1 to
/// 1. The larger it is, the lower a kappa the same percentage gives. Byrt, Bishop and Carlin 1993, signed.
pub fn prevalence_index(table: &PairTable) -> Value {
    two_by_two(table, |[[a, _], [_, d]], n| (a - d) / n)
}

/// `(b - c) / n` of a two-by-two table: how much more the first rater says "yes", -1 to 1. Byrt, Bishop and
/// Carlin 1993, signed.
pub fn bias_index(table: &PairTable) -> Value {
    two_by_two(table, |[[_, b], [c, _]], n| (b - c) / n)
}

/// `2 po - 1`: kappa if the categories were equally frequent and the raters unbiased; Brennan and Prediger's
/// coefficient for two categories. Byrt, Bishop and Carlin 1993.
pub fn pabak(table: &PairTable) -> Value {
    two_by_two(table, |[[a, _], [_, d]], n| 2.0 * ((a + d) / n) - 1.0)
}

fn two_by_two(table: &PairTable, index: impl Fn([[f64; 2]; 2], f64) -> f64) -> Value {
    if table.categories() != 2 {
        return Value::Undefined(Reason::NotTwoCategories);
    }
    if table.total() == 0 {
        return Value::Undefined(Reason::NoJointItem);
    }
    let at = |first, second| table.count(first, second) as f64;
    Value::Defined(index([[at(0, 0), at(0, 1)], [at(1, 0), at(1, 1)]], table.total() as f64))
}

/// A normal test of a difference.
pub(super) fn difference_test(difference: f64, error: f64) -> Value<Test> {
    match error > 0.0 {
        true => {
            let z = difference / error;
            Value::Defined(Test { z, p_two_sided: normal_two_sided(z) })
        }
        false => Value::Undefined(Reason::NoSpread),
    }
}
