//! Do the raters use the categories alike? Tests of symmetry of a table of two raters.

use super::distribution::{chi_squared_above, fair_coin_two_sided};
use super::{PairTable, Reason, Value};

/// A chi-squared test.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Symmetry {
    /// The statistic.
    pub statistic: f64,
    /// Degrees of freedom; with 0 there was nothing to test, and `p` is 1.
    pub degrees: u64,
    /// Probability of a larger statistic, 0 to 1.
    pub p: f64,
}

/// McNemar's exact test: the two-sided probability of so uneven a split of the disagreements of a two-by-two
/// table if both directions were equally likely. McNemar 1947, exact binomial form.
pub fn mcnemar(table: &PairTable) -> Value {
    if table.categories() != 2 {
        return Value::Undefined(Reason::NotTwoCategories);
    }
    if table.total() == 0 {
        return Value::Undefined(Reason::NoJointItem);
    }
    let (one, other) = (table.count(0, 1), table.count(1, 0));
    match one + other {
        0 => Value::Undefined(Reason::NoDisagreement),
        all => Value::Defined(fair_coin_two_sided(one.min(other), all)),
    }
}

/// Bowker's test of symmetry: `sum over i < j of (n(i,j) - n(j,i))² / (n(i,j) + n(j,i))` on `k(k-1)/2` degrees
/// of freedom, pairs of categories that nobody confused included. Bowker 1948.
pub fn bowker(table: &PairTable) -> Value<Symmetry> {
    if table.total() == 0 {
        return Value::Undefined(Reason::NoJointItem);
    }
    let size = table.categories();
    let mut statistic = 0.0;
    for (first, second, count) in table.cells().filter(|(first, second, _)| first != second) {
        let back = table.count(second, first);
        // Each pair once, from the side that has it, or from the upper triangle where both have.
        if first < second || back == 0 {
            statistic += (count.abs_diff(back) as f64).powi(2) / (count + back) as f64;
        }
    }
    let degrees = (size * (size - 1) / 2) as u64;
    Value::Defined(Symmetry { statistic, degrees, p: chi_squared_above(statistic, degrees) })
}

/// The Stuart-Maxwell test of equal margins: `d' S⁻¹ d` with `d(i) = row(i) - column(i)`,
/// `S(i,i) = row(i) + column(i) - 2 n(i,i)`, `S(i,j) = -(n(i,j) + n(j,i))`. Stuart 1955, Maxwell 1970.
///
/// `S` over all categories always lacks at least one rank, and more where categories are never confused with the
/// rest; the generalised inverse is used and the degrees of freedom are the rank of `S`: `k - 1` as a rule.
pub fn stuart_maxwell(table: &PairTable) -> Value<Symmetry> {
    if table.total() == 0 {
        return Value::Undefined(Reason::NoJointItem);
    }
    let size = table.categories();
    let at = |first: usize, second: usize| table.count(first, second) as f64;
    let (rows, columns) = (table.rows(), table.columns());
    // The matrix with the vector as its last column, for symmetric elimination.
    let mut system: Vec<Vec<f64>> = (0..size)
        .map(|i| {
            let own = (rows[i] + columns[i]) as f64 - 2.0 * at(i, i);
            let mut row: Vec<f64> =
                (0..size).map(|j| if i == j { own } else { -(at(i, j) + at(j, i)) }).collect();
            row.push(rows[i] as f64 - columns[i] as f64);
            row
        })
        .collect();
    let largest = (0..size).map(|i| system[i][i]).fold(0.0, f64::max);
    let (mut statistic, mut degrees) = (0.0, 0);
    for step in 0..size {
        let pivot = system[step][step];
        // The matrix has no negative eigenvalue: a diagonal of 0 is a row of 0, which adds nothing.
        if pivot <= 1e-9 * largest {
            continue;
        }
        let (done, rest) = system.split_at_mut(step + 1);
        let row = &done[step];
        statistic += row[size].powi(2) / pivot;
        degrees += 1;
        for other in rest.iter_mut().filter(|other| other[step] != 0.0) {
            let factor = other[step] / pivot;
            other.iter_mut().zip(row).skip(step).for_each(|(cell, above)| *cell -= factor * above);
        }
    }
    Value::Defined(Symmetry { statistic, degrees, p: chi_squared_above(statistic, degrees) })
}
