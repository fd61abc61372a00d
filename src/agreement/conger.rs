//! Coefficients for raters who are told apart: Conger's kappa, and Cohen's for every pair with Light's mean.

use super::chance::{Seen, linearised, share_of_pairs};
use super::{
    AgreementError, Counts, Estimate, Kappa, OneSided, Ratings, Reason, Value, Weights, cohen_kappa,
};

/// Cohen's kappa of two of several raters.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PairKappa {
    /// The two raters, from 0.
    pub raters: [usize; 2],
    /// Items that both labelled.
    pub items: u64,
    /// Items that one of them labelled.
    pub one_sided: OneSided,
    /// The coefficient.
    pub kappa: Kappa,
}

/// Cohen's kappa of every pair of raters, each on the items that both labelled.
pub fn kappa_pairs(ratings: &Ratings, weights: &Weights) -> Result<Vec<PairKappa>, AgreementError> {
    let pairs = (0..ratings.raters())
        .flat_map(|first| (first + 1..ratings.raters()).map(move |second| [first, second]));
    pairs
        .map(|raters| {
            let table = ratings.pair(raters[0], raters[1])?;
            Ok(PairKappa {
                raters,
                items: table.total(),
                one_sided: ratings.one_sided(raters[0], raters[1]),
                kappa: cohen_kappa(&table, weights),
            })
        })
        .collect()
}

/// The plain mean of the kappas of all pairs; undefined if one of them is. Light 1971.
pub fn light_kappa(pairs: &[PairKappa]) -> Value {
    if pairs.is_empty() {
        return Value::Undefined(Reason::FewerThanTwoRaters);
    }
    let mut sum = 0.0;
    for pair in pairs {
        match pair.kappa.estimate.value {
            Value::Defined(kappa) => sum += kappa,
            Value::Undefined(_) => return Value::Undefined(Reason::PairUndefined),
        }
    }
    Value::Defined(sum / pairs.len() as f64)
}

/// Conger's kappa: what is expected is the mean over pairs of raters of what their own margins expect, each margin
/// over all items that the rater labelled: `De = 1/(r(r-1)) * sum over g != h of sum d(i,j) p_g(i) p_h(j)`.
/// Conger 1980; missing labels and standard error Gwet 2014, chapters 2 and 5. With two raters and no missing
/// label it is Cohen's kappa. Raters without any label are left out.
pub fn conger_kappa(ratings: &Ratings, weights: &Weights) -> Estimate {
    let counts = ratings.counts();
    let labelled = counts.items_with(1);
    let margins: Vec<Margin> = (0..ratings.raters())
        .filter_map(|rater| Margin::of(ratings.labels(rater), ratings.categories()))
        .collect();
    if margins.len() < 2 {
        let reason = match counts.items_with(2) {
            0 => Reason::NoItemWithTwoLabels,
            _ => Reason::FewerThanTwoRaters,
        };
        return Estimate::undefined(reason, labelled);
    }
    let pairs = (margins.len() * (margins.len() - 1)) as f64;
    let against: Vec<Vec<f64>> = margins.iter().map(|margin| weights.against(&margin.shares)).collect();
    // For each rater, how much each category disagrees with all the other raters together.
    let others: Vec<Vec<f64>> = (0..margins.len())
        .map(|rater| {
            let mut sum = vec![0.0; ratings.categories()];
            for (_, against) in against.iter().enumerate().filter(|(other, _)| *other != rater) {
                sum.iter_mut().zip(against).for_each(|(sum, against)| *sum += against);
            }
            sum
        })
        .collect();
    let own: Vec<f64> = margins
        .iter()
        .zip(&others)
        .map(|(margin, others)| margin.shares.iter().zip(others).map(|(share, other)| share * other).sum())
        .collect();
    let expected = own.iter().sum::<f64>() / pairs;
    // What an item alone expects: the derivative of `expected` in the direction of its labels.
    let n = labelled as f64;
    let of_item = |item: usize| -> f64 {
        let of_rater = |(rater, margin): (usize, &Margin)| {
            let rate = margin.labels as f64 / n;
            let (gain, present) = match margin.of_items[item] {
                Some(category) => (others[rater][category], 1.0),
                None => (0.0, 0.0),
            };
            (gain - (present - rate) * own[rater]) / rate
        };
        margins.iter().enumerate().map(of_rater).sum::<f64>() / pairs
    };
    let mut items = Vec::with_capacity(ratings.items());
    let mut labels = Vec::with_capacity(margins.len());
    for item in 0..ratings.items() {
        labels.clear();
        labels.extend(margins.iter().filter_map(|margin| margin.of_items[item]));
        if !labels.is_empty() {
            let mut row = Counts::of_categories(ratings.categories());
            row.push_labels(&mut labels);
            let disagreement = row.each().find_map(|item| share_of_pairs(&item, weights));
            items.push(Seen { times: 1, disagreement, expected: of_item(item) });
        }
    }
    linearised(&items, expected, Reason::ExpectedAgreementIsOne, &counts)
}

/// How often a rater used each category.
struct Margin<'a> {
    of_items: &'a [Option<usize>],
    labels: u64,
    shares: Vec<f64>,
}

impl<'a> Margin<'a> {
    /// None for a rater without labels.
    fn of(of_items: &'a [Option<usize>], categories: usize) -> Option<Margin<'a>> {
        let mut counts = vec![0u64; categories];
        for category in of_items.iter().flatten() {
            counts[*category] += 1;
        }
        let labels: u64 = counts.iter().sum();
        let shares = counts.iter().map(|count| *count as f64 / labels as f64).collect();
        (labels > 0).then_some(Margin { of_items, labels, shares })
    }
}
