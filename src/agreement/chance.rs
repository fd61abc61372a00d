//! Coefficients for any number of raters who are not told apart: percent agreement, Scott, Fleiss, Brennan and
//! Prediger, Gwet.
//!
//! They share the observed part, the mean over items with at least two labels of the share of disagreeing pairs,
//! and differ in what they expect by chance. What is expected rests on all items with a label (Gwet 2014,
//! chapter 2): an item with a single label says something about how often a category is used.
//!
//! Standard errors: Gwet 2014, chapter 5 (linearisation, conditional on the raters). With `n` items that have a
//! label, `n2` that have two, and `e(i)` what item `i` alone expects, the variance is that of
//! `x(i) = (n/n2) [two labels] (De - Do(i))/De - 2 (1 - value) (De - e(i))/De`, over `n`.

use super::counts::Item;
use super::estimate::root;
use super::value::beyond_chance;
use super::{Counts, Estimate, PairTable, Reason, Value, Weights};

/// The mean over items with at least two labels of the share of pairs of labels that are equal, 0 to 1. For two
/// raters: the share of jointly labelled items with equal labels.
pub fn percent_agreement(counts: &Counts) -> Value {
    let (mut sum, mut items) = (0.0, 0);
    for item in counts.each().filter(|item| item.labels >= 2) {
        let pairs = item.labels as f64 * (item.labels - 1) as f64;
        let differ = item.disagreement(|one, other| f64::from(u8::from(one != other)));
        sum += item.times as f64 * (differ / pairs);
        items += item.times;
    }
    match items {
        0 => Value::Undefined(Reason::NoItemWithTwoLabels),
        _ => Value::Defined(1.0 - sum / items as f64),
    }
}

/// Fleiss' kappa, generalised: `De = sum d(i,j) p(i) p(j)` with `p` the mean over items of the within-item shares.
/// Equals Fleiss 1971 where all items have the same number of labels; for unequal numbers and for weights Gwet 2014.
pub fn fleiss_kappa(counts: &Counts, weights: &Weights) -> Estimate {
    let shares = mean_shares(counts);
    let against = weights.against(&shares);
    let expected = shares.iter().zip(&against).map(|(share, against)| share * against).sum();
    coefficient(counts, weights, expected, Reason::ExpectedAgreementIsOne, |item| {
        item.sum(&against) / item.labels as f64
    })
}

/// Scott's pi: as kappa, with the margins of both raters pooled. Scott 1955. It is Fleiss' kappa of two raters.
pub fn scott_pi(table: &PairTable) -> Estimate {
    match Weights::nominal(table.categories()) {
        Ok(weights) if table.total() > 0 => fleiss_kappa(&Counts::of_pair(table), &weights),
        _ => Estimate::undefined(Reason::NoJointItem, 0),
    }
}

/// Fleiss' kappa of each category against the rest. Fleiss 1971.
pub fn fleiss_kappa_per_category(counts: &Counts) -> Vec<Estimate> {
    (0..counts.categories())
        .map(|category| match Weights::nominal(2) {
            Ok(weights) => fleiss_kappa(&counts.against_the_rest(category), &weights),
            // Two categories are always allowed.
            Err(_) => Estimate::undefined(Reason::CategoryUnused, 0),
        })
        .collect()
}

/// Brennan and Prediger's coefficient: chance picks each declared category equally often, `De = sum d / k²`.
/// Brennan and Prediger 1981; unweighted with two categories it is [`super::pabak`].
pub fn brennan_prediger(counts: &Counts, weights: &Weights) -> Estimate {
    let size = counts.categories() as f64;
    let expected = weights.sum() / (size * size);
    coefficient(counts, weights, expected, one_category(counts), |_| expected)
}

/// Gwet's AC1 (nominal weights) and AC2 (others): `pe = (sum of w) / (k (k-1)) * sum p(i) (1 - p(i))` with `k`
/// declared categories and `p` as in [`fleiss_kappa`]. Gwet 2008, 2014.
pub fn gwet_ac(counts: &Counts, weights: &Weights) -> Estimate {
    let size = counts.categories() as f64;
    if counts.categories() < 2 {
        let items = counts.items_with(1);
        let mut estimate = Estimate::undefined(Reason::OneCategoryDeclared, items);
        estimate.observed = percent_agreement(counts);
        return estimate;
    }
    let shares = mean_shares(counts);
    let factor = (size * size - weights.sum()) / (size * (size - 1.0));
    let rest: Vec<f64> = shares.iter().map(|share| 1.0 - share).collect();
    let by_chance = factor * shares.iter().zip(&rest).map(|(share, rest)| share * rest).sum::<f64>();
    coefficient(counts, weights, 1.0 - by_chance, Reason::ExpectedAgreementIsOne, |item| {
        1.0 - factor * item.sum(&rest) / item.labels as f64
    })
}

fn one_category(counts: &Counts) -> Reason {
    if counts.categories() == 1 { Reason::OneCategoryDeclared } else { Reason::ExpectedAgreementIsOne }
}

/// The mean over items with a label of the share of each category in the item.
pub(super) fn mean_shares(counts: &Counts) -> Vec<f64> {
    let mut shares = vec![0.0; counts.categories()];
    let mut items = 0;
    for item in counts.each().filter(|item| item.labels > 0) {
        items += item.times;
        for (category, count) in item.chosen {
            shares[*category] += (count * item.times) as f64 / item.labels as f64;
        }
    }
    shares.iter_mut().for_each(|share| *share /= items.max(1) as f64);
    shares
}

/// What an item with at least one label shows and expects.
pub(super) struct Seen {
    /// How many items are like this.
    pub times: u64,
    /// The share of disagreement among its pairs of labels, where it has two.
    pub disagreement: Option<f64>,
    /// The disagreement that it alone expects.
    pub expected: f64,
}

/// The share of disagreement among the pairs of labels of an item, where it has two.
pub(super) fn share_of_pairs(item: &Item<'_>, weights: &Weights) -> Option<f64> {
    let pairs = item.labels as f64 * item.labels.saturating_sub(1) as f64;
    let weight = |one: usize, other: usize| weights.disagreement(one, other);
    (item.labels >= 2).then(|| item.disagreement(weight) / pairs)
}

/// A coefficient from its expected disagreement and what each item alone expects.
fn coefficient(
    counts: &Counts,
    weights: &Weights,
    expected: f64,
    otherwise: Reason,
    of_item: impl Fn(&Item<'_>) -> f64,
) -> Estimate {
    let seen = |item: Item<'_>| Seen {
        times: item.times,
        disagreement: share_of_pairs(&item, weights),
        expected: of_item(&item),
    };
    let items: Vec<Seen> = counts.each().filter(|item| item.labels > 0).map(seen).collect();
    linearised(&items, expected, otherwise, counts)
}

/// A coefficient from what is expected and what each item with a label shows and expects.
pub(super) fn linearised(items: &[Seen], expected: f64, otherwise: Reason, counts: &Counts) -> Estimate {
    let labelled: u64 = items.iter().map(|item| item.times).sum();
    let paired: u64 = items.iter().filter(|item| item.disagreement.is_some()).map(|item| item.times).sum();
    if paired == 0 {
        return Estimate::undefined(Reason::NoItemWithTwoLabels, labelled);
    }
    let share = |item: &Seen| item.disagreement.map(|share| share * item.times as f64);
    let observed = items.iter().filter_map(share).sum::<f64>() / paired as f64;
    let value = beyond_chance(observed, expected, otherwise);
    let n = labelled as f64;
    let more = n / paired as f64;
    let standard_error = value.then(|value| {
        if labelled < 2 {
            return Value::Undefined(Reason::OneItem);
        }
        let square = |item: &Seen| {
            let seen = item.disagreement.map_or(0.0, |share| more * (expected - share) / expected);
            let chance = 2.0 * (1.0 - value) * (expected - item.expected) / expected;
            item.times as f64 * (seen - chance - value).powi(2)
        };
        let squares: f64 = items.iter().map(square).sum();
        Value::Defined(root(squares / counts.divisor(labelled), 1.0) / n.sqrt())
    });
    Estimate {
        value,
        observed: Value::Defined(1.0 - observed),
        expected: Value::Defined(1.0 - expected),
        standard_error,
        items: labelled,
    }
}
