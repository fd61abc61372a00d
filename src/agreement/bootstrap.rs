//! The bootstrap of kappa: items are drawn again, both raters' labels together.
//!
//! Promises: the same seed gives the same digits; resamples in which kappa is undefined are counted and left
//! out. Drawing `n` items with replacement from a table is drawing one table from a multinomial distribution,
//! which is done cell by cell with binomials: the time does not grow with the number of items.

use super::kappa::kappa_value;
use super::{Interval, PairTable, Reason, Value, Weights};
use rand::SeedableRng;
use rand::rngs::Xoshiro256PlusPlus;
use rand_distr::{Binomial, Distribution};

/// How to resample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Bootstrap {
    /// How many resamples.
    pub resamples: u32,
    /// Seed of the random generator (xoshiro256++).
    pub seed: u64,
}

impl Default for Bootstrap {
    fn default() -> Bootstrap {
        Bootstrap { resamples: 10_000, seed: 1 }
    }
}

/// What the resamples say.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bootstrapped {
    /// Standard deviation of the resamples.
    pub standard_error: f64,
    /// Percentile interval, ends interpolated between neighbouring resamples.
    pub interval: Interval,
    /// Resamples drawn.
    pub resamples: u32,
    /// Resamples in which the statistic was undefined; they are left out.
    pub undefined_resamples: u32,
    /// Share of the defined resamples below 0 plus half of those at 0: for a two-sided test.
    pub(super) below_zero: f64,
}

/// Bootstrap of Cohen's kappa; `level` as 0.95. Efron and Tibshirani 1993, percentile method.
pub fn bootstrap_kappa(
    table: &PairTable,
    weights: &Weights,
    how: Bootstrap,
    level: f64,
) -> Value<Bootstrapped> {
    if table.total() == 0 {
        return Value::Undefined(Reason::NoJointItem);
    }
    let cells: Vec<(usize, usize, u64)> = table.cells().collect();
    let counts: Vec<u64> = cells.iter().map(|(_, _, count)| *count).collect();
    resample(&counts, how, level, |drawn| {
        let mut again = PairTable::empty(table.categories()).ok()?;
        for ((first, second, _), count) in cells.iter().zip(drawn) {
            again.add(*first, *second, *count).ok()?;
        }
        kappa_value(&again, weights)
    })
}

/// Draws counts again from these counts and summarises a statistic of them.
pub(super) fn resample(
    counts: &[u64],
    how: Bootstrap,
    level: f64,
    statistic: impl Fn(&[u64]) -> Option<f64>,
) -> Value<Bootstrapped> {
    if how.resamples == 0 {
        return Value::Undefined(Reason::NoResamples);
    }
    let mut random = Xoshiro256PlusPlus::seed_from_u64(how.seed);
    let mut drawn = vec![0; counts.len()];
    let mut values = Vec::new();
    for _ in 0..how.resamples {
        draw(counts, &mut drawn, &mut random);
        values.extend(statistic(&drawn));
    }
    let Ok(defined) = u32::try_from(values.len()) else { return Value::Undefined(Reason::NoDefinedResample) };
    if defined == 0 {
        return Value::Undefined(Reason::NoDefinedResample);
    }
    values.sort_unstable_by(f64::total_cmp);
    let n = f64::from(defined);
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    let tail = (1.0 - level) / 2.0;
    let below = values.partition_point(|value| *value < 0.0);
    let up_to = values.partition_point(|value| *value <= 0.0);
    Value::Defined(Bootstrapped {
        standard_error: if defined > 1 { (squares / (n - 1.0)).sqrt() } else { 0.0 },
        interval: Interval { low: quantile(&values, tail), high: quantile(&values, 1.0 - tail) },
        resamples: how.resamples,
        undefined_resamples: how.resamples - defined,
        below_zero: (below + up_to) as f64 / 2.0 / n,
    })
}

/// One multinomial draw of as many items as there are.
fn draw(counts: &[u64], drawn: &mut [u64], random: &mut Xoshiro256PlusPlus) {
    let mut mass: u64 = counts.iter().sum();
    let mut left = mass;
    for (count, drawn) in counts.iter().zip(drawn) {
        *drawn = if left == 0 || *count == 0 {
            0
        } else if *count == mass {
            left
        } else {
            match Binomial::new(left, *count as f64 / mass as f64) {
                Ok(binomial) => binomial.sample(random).min(left),
                // The probability lies between 0 and 1.
                Err(_) => 0,
            }
        };
        left -= *drawn;
        mass -= count;
    }
}

/// The quantile of sorted values, interpolated linearly between neighbours.
fn quantile(sorted: &[f64], share: f64) -> f64 {
    let place = share.clamp(0.0, 1.0) * sorted.len().saturating_sub(1) as f64;
    let below = place.floor();
    let at = |place: f64| sorted.get(place as usize).or(sorted.last()).copied().unwrap_or(0.0);
    let (low, high) = (at(below), at(below + 1.0));
    low + (high - low) * (place - below)
}
