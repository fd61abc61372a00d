//! Krippendorff's alpha.
//!
//! Promises: any number of raters, labels may be missing; items with fewer than two labels are left out; unused
//! categories change nothing.

use super::counts::Item;
use super::estimate::root;
use super::value::beyond_chance;
use super::{AgreementError, Counts, Estimate, Reason, Value};

/// How far apart two categories are.
#[derive(Debug, Clone, PartialEq)]
pub enum Metric {
    /// 1 where they differ.
    Nominal,
    /// `(sum of n(g) for g from i to j, less half of n(i) and n(j))²`, with `n` the labels of each category in
    /// items with two labels: categories are as far apart as labels lie between them.
    Ordinal,
    /// `(a - b)²` of the numeric values.
    Interval(Vec<f64>),
    /// `((a - b) / (a + b))²` of the numeric values, which must not be negative; 0 where both are 0.
    Ratio(Vec<f64>),
}

impl Metric {
    /// Refuses lists of values that do not fit the categories.
    fn check(&self, categories: usize) -> Result<(), AgreementError> {
        let (Metric::Interval(values) | Metric::Ratio(values)) = self else { return Ok(()) };
        if values.len() != categories {
            return Err(AgreementError::WrongLength { row: 1, found: values.len(), wanted: categories });
        }
        match values.iter().position(|value| !value.is_finite()) {
            Some(place) => Err(AgreementError::BadValue { place: place + 1 }),
            None => Ok(()),
        }
    }

    /// The distance of two categories, given the labels of each.
    fn distance(&self, used: &[u64]) -> impl Fn(usize, usize) -> f64 {
        // Labels up to the middle of each category.
        let mut below = 0;
        let middles: Vec<f64> = used
            .iter()
            .map(|count| {
                let middle = below as f64 + *count as f64 / 2.0;
                below += count;
                middle
            })
            .collect();
        move |one: usize, other: usize| match self {
            Metric::Nominal => f64::from(u8::from(one != other)),
            Metric::Ordinal => (middles[one] - middles[other]).powi(2),
            Metric::Interval(values) => (values[one] - values[other]).powi(2),
            Metric::Ratio(values) => match values[one] + values[other] {
                0.0 => 0.0,
                sum => ((values[one] - values[other]) / sum).powi(2),
            },
        }
    }
}

/// Krippendorff's alpha, `1 - Do/De`, from coincidences: each item of `m >= 2` labels adds each of its ordered pairs
/// with `1/(m-1)`; `Do` is the mean distance of these pairs, `De` that of all pairs of labels of different
/// position, `sum n(i) n(j) d(i,j) / (n (n-1))`. Krippendorff 2011.
///
/// Standard error: Gwet 2014, chapter 6 (linearisation); none for the ordinal metric, whose distances are
/// themselves estimated. Errors: a list of values that does not fit the categories.
pub fn krippendorff_alpha(counts: &Counts, metric: &Metric) -> Result<Estimate, AgreementError> {
    metric.check(counts.categories())?;
    let pairable = counts.each().filter(|item| item.labels >= 2);
    let mut used = vec![0; counts.categories()];
    for item in pairable {
        item.chosen.iter().for_each(|(category, count)| used[*category] += count * item.times);
    }
    if let Metric::Ratio(values) = metric
        && values.iter().zip(&used).any(|(value, used)| *value < 0.0 && *used > 0)
    {
        return Ok(Estimate::undefined(Reason::NegativeValue, counts.items_with(2)));
    }
    let mut estimate = alpha(counts, &used, metric.distance(&used));
    if matches!(metric, Metric::Ordinal | Metric::Interval(_)) {
        (estimate.observed, estimate.expected) =
            (Value::Undefined(Reason::NoShare), Value::Undefined(Reason::NoShare));
    }
    if *metric == Metric::Ordinal {
        estimate.standard_error = estimate.value.then(|_| Value::Undefined(Reason::NoStandardError));
    }
    Ok(estimate)
}

/// Alpha with any distance; `used` holds the labels of each category in items with two labels.
pub(super) fn alpha(counts: &Counts, used: &[u64], distance: impl Fn(usize, usize) -> f64) -> Estimate {
    let pairable = || counts.each().filter(|item| item.labels >= 2);
    let items = counts.items_with(2);
    if items == 0 {
        return Estimate::undefined(Reason::NoItemWithTwoLabels, 0);
    }
    let labels = used.iter().sum::<u64>() as f64;
    let n = items as f64;
    let seen = |item: &Item<'_>| item.disagreement(&distance) / (item.labels - 1) as f64;
    let observed = pairable().map(|item| item.times as f64 * seen(&item)).sum::<f64>() / labels;
    // How far each category is from all labels together.
    let chosen: Vec<(usize, f64)> = used
        .iter()
        .enumerate()
        .filter(|(_, count)| **count > 0)
        .map(|(at, count)| (at, *count as f64))
        .collect();
    let mut away = vec![0.0; used.len()];
    for (one, _) in &chosen {
        away[*one] = chosen.iter().map(|(other, count)| distance(*one, *other) * count).sum::<f64>() / labels;
    }
    // With replacement; the small-sample factor (n-1)/n comes after.
    let expected = chosen.iter().map(|(one, count)| count * away[*one]).sum::<f64>() / labels;
    let uncorrected = beyond_chance(observed, expected, Reason::ExpectedDisagreementIsZero);
    let value = uncorrected.map(|value| 1.0 - (1.0 - value) * (labels - 1.0) / labels);
    let mean = labels / n;
    // Gwet's formula takes the observed disagreement with the small-sample factor here.
    let corrected = observed * (labels - 1.0) / labels;
    let standard_error = uncorrected.then(|value| {
        if items < 2 {
            return Value::Undefined(Reason::OneItem);
        }
        let squares: f64 = pairable()
            .map(|item| {
                let surplus = (item.labels as f64 - mean) / mean;
                let own_seen = seen(&item) / mean - corrected * surplus;
                let own_expected = item.sum(&away) / mean - expected * surplus;
                let deviation = (expected - own_seen) / expected
                    - 2.0 * (1.0 - value) * (expected - own_expected) / expected
                    - value;
                item.times as f64 * deviation.powi(2)
            })
            .sum();
        Value::Defined(root(squares / counts.divisor(items), 1.0) / n.sqrt())
    });
    Estimate {
        value,
        observed: Value::Defined(1.0 - observed),
        expected: Value::Defined(1.0 - expected * labels / (labels - 1.0)),
        standard_error,
        items,
    }
}
