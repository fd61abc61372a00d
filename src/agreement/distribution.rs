//! The distributions that intervals and tests are read from; the numbers come from `statrs`.

use statrs::distribution::{Binomial, ChiSquared, ContinuousCDF, DiscreteCDF, Normal, StudentsT};

/// Both tails of a standard normal beyond `z`.
pub(super) fn normal_two_sided(z: f64) -> f64 {
    Normal::standard().sf(z.abs()) * 2.0
}

/// The standard normal below `z`.
pub(super) fn normal_below(z: f64) -> f64 {
    Normal::standard().cdf(z)
}

/// How many standard errors an interval of this level reaches to each side, by the normal distribution.
pub(super) fn normal_reach(level: f64) -> f64 {
    Normal::standard().inverse_cdf(0.5 + level / 2.0)
}

/// Degrees of freedom from which on Student's t is found by its expansion around the normal.
const MANY_DEGREES: u64 = 1_000;

/// The same by Student's t; none without degrees of freedom.
pub(super) fn t_reach(level: f64, degrees: u64) -> Option<f64> {
    if degrees >= MANY_DEGREES {
        return Some(expanded_t(normal_reach(level), degrees as f64));
    }
    let student = StudentsT::new(0.0, 1.0, degrees as f64).ok()?;
    Some(student.inverse_cdf(0.5 + level / 2.0))
}

/// The quantile of Student's t from that of the normal; right to 12 digits from 1,000 degrees of freedom on, where
/// the inverse of `statrs` 0.19 starts to lose them (1.83 instead of 1.96 at ten millions). Fisher and Cornish
/// 1960; Abramowitz and Stegun 26.7.5.
fn expanded_t(z: f64, degrees: f64) -> f64 {
    let terms = [
        (z.powi(3) + z) / 4.0,
        (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0,
        (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0,
    ];
    terms.iter().rev().fold(0.0, |sum, term| (sum + term) / degrees) + z
}

/// A chi-squared variable above `value`; without degrees of freedom it is always 0.
pub(super) fn chi_squared_above(value: f64, degrees: u64) -> f64 {
    match ChiSquared::new(degrees as f64) {
        Ok(chi) => chi.sf(value),
        Err(_) => 1.0,
    }
}

/// Twice the smaller tail of a fair coin that fell `few` times of `all`, at most 1.
pub(super) fn fair_coin_two_sided(few: u64, all: u64) -> f64 {
    // An even split is certain, and not by rounding.
    if few.saturating_mul(2).saturating_add(1) >= all {
        return 1.0;
    }
    match Binomial::new(0.5, all) {
        Ok(coin) => (2.0 * coin.cdf(few)).min(1.0),
        Err(_) => 1.0,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn quantiles_of_t_are_those_of_the_tables_and_meet_where_the_ways_part() {
        for (degrees, wanted) in [
            (1, 12.706_204_736_2),
            (10, 2.228_138_852_0),
            (1_000, 1.962_339_080_8),
            (502_199, 1.959_968_708_3),
        ] {
            assert!((t_reach(0.95, degrees).unwrap() - wanted).abs() < 1e-9, "{degrees}");
        }
        assert_eq!(t_reach(0.95, 0), None);
        let (last, next) = (t_reach(0.95, MANY_DEGREES - 1).unwrap(), t_reach(0.95, MANY_DEGREES).unwrap());
        assert!(next < last && last - next < 3e-6);
        assert!((t_reach(0.95, u64::MAX).unwrap() - normal_reach(0.95)).abs() < 1e-15);
    }

    #[test]
    fn tests_without_anything_to_test_find_nothing() {
        assert_eq!(chi_squared_above(0.0, 0), 1.0);
        assert_eq!(fair_coin_two_sided(0, 0), 1.0);
        assert_eq!(fair_coin_two_sided(1, 2), 1.0);
        assert!((fair_coin_two_sided(0, 12) - 2.0 / 4096.0).abs() < 1e-12);
    }
}
