//! Amounts of money.
//!
//! Promises: whole nano-dollars, so that sums of many small amounts are exact and never negative; what does not fit
//! stays at the largest amount. Leaves to others: prices (`models`), what may be spent (`model`).

use serde::{Deserialize, Serialize};
use std::fmt;

/// Nano-dollars in a dollar.
const DOLLAR: f64 = 1e9;

/// An amount of US dollars, in nano-dollars (0 to about 18 thousand million dollars).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Money(pub u64);

impl Money {
    /// Nothing.
    pub const ZERO: Money = Money(0);

    /// An amount in dollars; `None` for what is negative or no number.
    pub fn from_dollars(dollars: f64) -> Option<Money> {
        (dollars.is_finite() && dollars >= 0.0).then(|| Money((dollars * DOLLAR).round() as u64))
    }

    /// In dollars.
    pub fn dollars(self) -> f64 {
        self.0 as f64 / DOLLAR
    }

    /// Both together.
    #[must_use]
    pub fn plus(self, other: Money) -> Money {
        Money(self.0.saturating_add(other.0))
    }

    /// What is left of this without the other; nothing where the other is more.
    #[must_use]
    pub fn less(self, other: Money) -> Money {
        Money(self.0.saturating_sub(other.0))
    }

    /// The cost of so many tokens where this is the price of a million, rounded up.
    #[must_use]
    pub fn for_tokens(self, tokens: u64) -> Money {
        let exact = (u128::from(self.0) * u128::from(tokens)).div_ceil(1_000_000);
        Money(u64::try_from(exact).unwrap_or(u64::MAX))
    }
}

impl fmt::Display for Money {
    /// With at least two decimals, and as many as show two digits that count: `$12.50`, `$0.0034`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let dollars = self.dollars();
        let decimals = match dollars {
            0.0 => 2,
            small if small < 0.1 => (1 - small.log10().floor() as i32).clamp(2, 9) as usize,
            _ => 2,
        };
        write!(f, "${dollars:.decimals$}")
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    #[test]
    fn amounts_are_exact_bounded_and_readable() {
        let price = Money::from_dollars(0.15).unwrap();
        assert_eq!(price.for_tokens(1), Money(150));
        assert_eq!(price.for_tokens(3_000_000), Money::from_dollars(0.45).unwrap());
        assert_eq!(Money(1).for_tokens(1), Money(1), "rounded up, never lost");
        assert_eq!(Money(u64::MAX).for_tokens(u64::MAX), Money(u64::MAX));
        assert_eq!(Money(5).less(Money(7)), Money::ZERO);
        assert_eq!(Money::from_dollars(-0.1), None);
        assert_eq!(Money::from_dollars(f64::NAN), None);
        for (dollars, shown) in [
            (0.0, "$0.00"),
            (12.5, "$12.50"),
            (0.25, "$0.25"),
            (0.0034, "$0.0034"),
            (0.000_000_15, "$0.00000015"),
        ] {
            assert_eq!(Money::from_dollars(dollars).unwrap().to_string(), shown);
        }
    }
}
