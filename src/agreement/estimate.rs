//! A coefficient with its standard error, and the interval and test that follow.
//!
//! Promises: intervals are not clipped unless their name says so; where the standard error is 0 there is none,
//! for the formula then only says that it fails (perfect agreement, a rater who always says the same).

use super::distribution::{normal_reach, normal_two_sided, t_reach};
use super::{Reason, Value};

/// A coefficient `1 - Do/De` and what belongs to it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Estimate {
    /// The coefficient: at most 1; 0 at chance; negative below it.
    pub value: Value,
    /// Observed agreement, 0 to 1 (weighted where weights were given).
    pub observed: Value,
    /// Agreement expected by chance, 0 to 1.
    pub expected: Value,
    /// Standard error of the coefficient; 0 where its formula finds no spread.
    pub standard_error: Value,
    /// Items that the standard error rests on; its degrees of freedom are one less.
    pub items: u64,
}

/// A confidence interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// A test against zero.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Test {
    /// The standard normal statistic.
    pub z: f64,
    /// Probability of one at least as far from 0, 0 to 1.
    pub p_two_sided: f64,
}

impl Estimate {
    /// An estimate of nothing.
    pub(super) fn undefined(reason: Reason, items: u64) -> Estimate {
        let nothing = Value::Undefined(reason);
        Estimate { value: nothing, observed: nothing, expected: nothing, standard_error: nothing, items }
    }

    /// Value plus and minus the normal quantile times the standard error, not clipped. `level` as 0.95.
    pub fn normal_interval(&self, level: f64) -> Value<Interval> {
        self.around(|| Value::Defined(normal_reach(level)))
    }

    /// Value plus and minus the quantile of Student's t with `items - 1` degrees of freedom times the standard
    /// error, the upper end at most 1. Gwet 2014, chapter 5.
    pub fn t_interval(&self, level: f64) -> Value<Interval> {
        let reach = || match t_reach(level, self.items.saturating_sub(1)) {
            Some(reach) => Value::Defined(reach),
            None => Value::Undefined(Reason::OneItem),
        };
        self.around(reach).map(|interval| Interval { high: interval.high.min(1.0), ..interval })
    }

    fn around(&self, reach: impl Fn() -> Value) -> Value<Interval> {
        self.value.then(|value| {
            self.standard_error.then(|error| match error > 0.0 {
                true => {
                    reach().map(|reach| Interval { low: value - reach * error, high: value + reach * error })
                }
                false => Value::Undefined(Reason::NoSpread),
            })
        })
    }
}

/// `value / error` as a standard normal.
pub(super) fn test_against_zero(value: Value, error: Value) -> Value<Test> {
    value.then(|value| {
        error.then(|error| match error > 0.0 {
            true => Value::Defined(Test { z: value / error, p_two_sided: normal_two_sided(value / error) }),
            false => Value::Undefined(Reason::NoSpread),
        })
    })
}

/// The square root of a variance; what rounding left of a 0 is 0. `scale` is the size of one item's deviation.
pub(super) fn root(variance: f64, scale: f64) -> f64 {
    let root = variance.max(0.0).sqrt();
    if root < 1e-12 * scale { 0.0 } else { root }
}
