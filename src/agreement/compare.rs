//! Did kappa change? The difference of two kappas, of different items or of the same ones.

use super::bootstrap::{Bootstrap, resample};
use super::distribution::normal_reach;
use super::kappa::{difference_test, kappa_value};
use super::{AgreementError, Interval, Kappa, PairTable, Reason, Value, Weights};
use std::collections::BTreeMap;

/// The second kappa minus the first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Difference {
    /// The difference, -2 to 2.
    pub difference: f64,
    /// Its standard error.
    pub standard_error: f64,
    /// Its 95 % interval.
    pub interval: Interval,
    /// Two-sided probability of such a difference if there were none; by bootstrap not below `2/resamples`.
    pub p_two_sided: f64,
    /// Resamples in which one of the kappas was undefined; 0 where nothing was resampled.
    pub undefined_resamples: u32,
}

/// What two raters said about one item in two rounds, or two pairs of raters about one item.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PairedItem {
    /// The labels of the first pair.
    pub before: (usize, usize),
    /// The labels of the second pair.
    pub after: (usize, usize),
}

/// The difference of two kappas from different items (halves of a set, say):
/// `z = (k2 - k1) / sqrt(se1² + se2²)`. Fleiss 1981.
pub fn independent_difference(before: &Kappa, after: &Kappa) -> Value<Difference> {
    let parts = |kappa: &Kappa| {
        kappa.estimate.value.then(|value| kappa.estimate.standard_error.map(|error| (value, error)))
    };
    parts(before).then(|(first, first_error)| {
        parts(after).then(|(second, second_error)| {
            let difference = second - first;
            let standard_error = first_error.hypot(second_error);
            let reach = normal_reach(0.95) * standard_error;
            difference_test(difference, standard_error).map(|test| Difference {
                difference,
                standard_error,
                interval: Interval { low: difference - reach, high: difference + reach },
                p_two_sided: test.p_two_sided,
                undefined_resamples: 0,
            })
        })
    })
}

/// The difference of two kappas from the same items, by drawing items with all four labels again; percentile
/// interval, `p` twice the smaller share of resamples on one side of 0. Efron and Tibshirani 1993; for kappa
/// Vanbelle and Albert 2008.
///
/// Errors: labels that are not declared.
pub fn paired_difference(
    items: &[PairedItem],
    weights: &Weights,
    how: Bootstrap,
) -> Result<Value<Difference>, AgreementError> {
    let mut kinds: BTreeMap<PairedItem, u64> = BTreeMap::new();
    for item in items {
        *kinds.entry(*item).or_default() += 1;
    }
    let counts: Vec<u64> = kinds.values().copied().collect();
    let kinds: Vec<PairedItem> = kinds.into_keys().collect();
    let tables = |counts: &[u64]| -> Result<[PairTable; 2], AgreementError> {
        let mut before = PairTable::empty(weights.categories())?;
        let mut after = before.clone();
        for (kind, count) in kinds.iter().zip(counts) {
            before.add(kind.before.0, kind.before.1, *count)?;
            after.add(kind.after.0, kind.after.1, *count)?;
        }
        Ok([before, after])
    };
    let [before, after] = tables(&counts)?;
    if before.total() == 0 {
        return Ok(Value::Undefined(Reason::NoJointItem));
    }
    let kappas = (kappa_value(&before, weights), kappa_value(&after, weights));
    let (Some(first), Some(second)) = kappas else {
        return Ok(Value::Undefined(Reason::ExpectedAgreementIsOne));
    };
    let resampled = resample(&counts, how, 0.95, |drawn| {
        let [before, after] = tables(drawn).ok()?;
        Some(kappa_value(&after, weights)? - kappa_value(&before, weights)?)
    });
    Ok(resampled.map(|resampled| {
        let smaller = resampled.below_zero.min(1.0 - resampled.below_zero);
        let defined = f64::from(resampled.resamples - resampled.undefined_resamples);
        Difference {
            difference: second - first,
            standard_error: resampled.standard_error,
            interval: resampled.interval,
            p_two_sided: (2.0 * smaller).max(2.0 / defined).min(1.0),
            undefined_resamples: resampled.undefined_resamples,
        }
    }))
}
