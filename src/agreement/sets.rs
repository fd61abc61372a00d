//! Several labels for one item: each rating is a set of labels, possibly the empty one ("none applies").
//!
//! Promises: an empty set is a rating, a missing one is not; two empty sets are equal.

use super::alpha::alpha;
use super::error::check_categories;
use super::{AgreementError, Counts, Estimate, Kappa, Ratings, Reason, Value, Weights, cohen_kappa};
use std::collections::{BTreeMap, BTreeSet};

/// Most different sets: distances are computed for every two of them.
const MOST_SETS: usize = 8_192;

/// How far apart two sets of labels are, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SetDistance {
    /// 0 for equal sets, else 1.
    ExactMatch,
    /// `1 - |A and B| / |A or B|`; two empty sets 0. Jaccard 1912.
    Jaccard,
    /// `1 - m |A and B| / |A or B|` with `m` 1 for equal sets, 2/3 where one holds the other, 1/3 where they
    /// overlap, 0 where they are disjoint. Passonneau 2006.
    Masi,
}

impl SetDistance {
    /// The distance of these sets.
    pub fn between(self, one: &BTreeSet<usize>, other: &BTreeSet<usize>) -> f64 {
        self.of_sizes(one.len(), other.len(), one.intersection(other).count())
    }

    /// The distance of two sets with this many labels, of which this many are common.
    fn of_sizes(self, one: usize, other: usize, common: usize) -> f64 {
        if one == common && other == common {
            return 0.0;
        }
        let similarity = common as f64 / (one + other - common) as f64;
        match self {
            SetDistance::ExactMatch => 1.0,
            SetDistance::Jaccard => 1.0 - similarity,
            SetDistance::Masi if common == one || common == other => 1.0 - similarity * 2.0 / 3.0,
            SetDistance::Masi => 1.0 - similarity / 3.0,
        }
    }
}

/// Sets of labels by rater and item, some of them missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SetRatings {
    labels: usize,
    /// The different sets.
    sets: Vec<Bits>,
    /// Numbers in `sets`.
    raters: Vec<Vec<Option<usize>>>,
}

/// A set of labels, quick to compare: there are many pairs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Bits {
    words: Vec<u64>,
    size: usize,
}

impl Bits {
    fn of(set: &BTreeSet<usize>) -> Bits {
        let mut words = vec![0; set.last().map_or(0, |last| last / 64 + 1)];
        for label in set {
            words[label / 64] |= 1 << (label % 64);
        }
        Bits { words, size: set.len() }
    }

    fn contains(&self, label: usize) -> bool {
        self.words.get(label / 64).is_some_and(|word| word >> (label % 64) & 1 == 1)
    }

    fn common(&self, other: &Bits) -> usize {
        self.words.iter().zip(&other.words).map(|(one, other)| (one & other).count_ones() as usize).sum()
    }
}

/// The mean of the kappas of the labels that have one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LabelMean {
    /// The mean.
    pub value: Value,
    /// Labels that have a kappa.
    pub labels: usize,
}

impl SetRatings {
    /// One list for each rater, with one entry for each item, in the same order; labels count from 0.
    pub fn new(
        labels: usize,
        raters: Vec<Vec<Option<BTreeSet<usize>>>>,
    ) -> Result<SetRatings, AgreementError> {
        check_categories(labels)?;
        let items = raters.first().map_or(0, Vec::len);
        let mut numbers: BTreeMap<BTreeSet<usize>, usize> = BTreeMap::new();
        let mut numbered = Vec::with_capacity(raters.len());
        for (rater, sets) in raters.into_iter().enumerate() {
            if sets.len() != items {
                let (found, wanted) = (sets.len(), items);
                return Err(AgreementError::UnequalItems { rater: rater + 1, found, wanted });
            }
            let mut of_rater = Vec::with_capacity(items);
            for set in sets {
                if let Some(category) = set.iter().flatten().copied().find(|label| *label >= labels) {
                    return Err(AgreementError::UnknownCategory { category, categories: labels });
                }
                let next = numbers.len();
                of_rater.push(set.map(|set| *numbers.entry(set).or_insert(next)));
            }
            numbered.push(of_rater);
        }
        let mut sets = vec![Bits::default(); numbers.len()];
        for (set, number) in numbers {
            sets[number] = Bits::of(&set);
        }
        Ok(SetRatings { labels, sets, raters: numbered })
    }

    /// Declared labels.
    pub fn labels(&self) -> usize {
        self.labels
    }

    /// Number of raters.
    pub fn raters(&self) -> usize {
        self.raters.len()
    }

    /// Whether each rater gave this label: 1 yes, 0 no.
    pub fn of_label(&self, label: usize) -> Result<Ratings, AgreementError> {
        let given: Vec<usize> = self.sets.iter().map(|set| usize::from(set.contains(label))).collect();
        let answers = |sets: &Vec<Option<usize>>| sets.iter().map(|set| set.map(|set| given[set])).collect();
        Ratings::new(2, self.raters.iter().map(answers).collect())
    }

    /// The distance of two of the different sets.
    fn distance(&self, distance: SetDistance, one: usize, other: usize) -> f64 {
        match (self.sets.get(one), self.sets.get(other)) {
            (Some(one), Some(other)) => distance.of_sizes(one.size, other.size, one.common(other)),
            _ => 1.0,
        }
    }

    /// The labels of each item as counts of whole sets.
    fn counts(&self) -> Counts {
        let mut counts = Counts::of_categories(self.sets.len());
        let items = self.raters.first().map_or(0, Vec::len);
        for item in 0..items {
            let mut sets: Vec<usize> = self.raters.iter().filter_map(|rater| rater[item]).collect();
            counts.push_labels(&mut sets);
        }
        counts
    }
}

/// Krippendorff's alpha with a distance of sets.
pub fn alpha_of_sets(ratings: &SetRatings, distance: SetDistance) -> Estimate {
    let counts = ratings.counts();
    if ratings.sets.len() > MOST_SETS {
        return Estimate::undefined(Reason::TooManySets, counts.items_with(2));
    }
    let mut used = vec![0; ratings.sets.len()];
    for item in counts.each().filter(|item| item.labels >= 2) {
        item.chosen.iter().for_each(|(set, count)| used[*set] += count * item.times);
    }
    alpha(&counts, &used, |one, other| ratings.distance(distance, one, other))
}

/// The mean distance over all pairs of raters and items that both labelled, 0 to 1.
pub fn mean_distance(ratings: &SetRatings, distance: SetDistance) -> Value {
    let (mut sum, mut pairs) = (0.0, 0u64);
    for item in ratings.counts().each() {
        sum += item.times as f64 * item.disagreement(|one, other| ratings.distance(distance, one, other));
        pairs += item.times * item.labels * item.labels.saturating_sub(1);
    }
    if pairs == 0 {
        Value::Undefined(Reason::NoItemWithTwoLabels)
    } else {
        Value::Defined(sum / pairs as f64)
    }
}

/// Cohen's kappa of two raters for each label, given or not. Errors where there are not two raters: none, but
/// every kappa is undefined then.
pub fn kappa_per_label(ratings: &SetRatings) -> Result<Vec<Kappa>, AgreementError> {
    let weights = Weights::nominal(2)?;
    let of_label = |label: usize| {
        if ratings.raters() != 2 {
            let reason = Reason::NotTwoRaters;
            let estimate = Estimate::undefined(reason, 0);
            return Ok(Kappa { estimate, null_standard_error: Value::Undefined(reason) });
        }
        Ok(cohen_kappa(&ratings.of_label(label)?.pair(0, 1)?, &weights))
    };
    (0..ratings.labels()).map(of_label).collect()
}

/// The plain mean of the kappas that are defined, and how many these are.
pub fn mean_kappa_of_labels(kappas: &[Kappa]) -> LabelMean {
    let defined: Vec<f64> = kappas.iter().filter_map(|kappa| kappa.estimate.value.defined()).collect();
    let value = match defined.len() {
        0 => Value::Undefined(Reason::NoLabelDefined),
        labels => Value::Defined(defined.iter().sum::<f64>() / labels as f64),
    };
    LabelMean { value, labels: defined.len() }
}
