//! A share of counted things, always with its n.
//!
//! Promises: a rate of nothing has no value, never 0 or NaN. Intervals are Wilson's: for shares of trajectories that do
//! not depend on each other. Leaves to others: intervals of tasks that share a group (bootstrap, `cli`).

use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};
use std::fmt;

/// How many standard errors 95 % of a normal reach to each side.
const REACH: f64 = 1.959_963_984_540_054;

/// So many of so many.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rate {
    /// Those that are meant, at most `n`.
    pub hits: u64,
    /// All that could have been.
    pub n: u64,
}

impl Rate {
    /// The share, 0 to 1; `None` of nothing.
    pub fn share(self) -> Option<f64> {
        // Counts are far below 2^53.
        #[allow(clippy::cast_precision_loss)]
        (self.n > 0).then(|| self.hits as f64 / self.n as f64)
    }

    /// Wilson's interval at 95 %, inside 0 to 1; `None` of nothing.
    ///
    /// E. B. Wilson, Probable inference, the law of succession, and statistical inference, Journal of the American
    /// Statistical Association 22 (1927), 209-212: the shares `p` with `|p - hits/n| <= z * sqrt(p (1 - p) / n)`.
    pub fn wilson(self) -> Option<(f64, f64)> {
        let share = self.share()?;
        #[allow(clippy::cast_precision_loss)]
        let n = self.n as f64;
        let square = REACH * REACH;
        let middle = (share + square / (2.0 * n)) / (1.0 + square / n);
        let reach = REACH / (1.0 + square / n) * (share * (1.0 - share) / n + square / (4.0 * n * n)).sqrt();
        // At the ends the formula is exact and rounding is not.
        let low = if self.hits == 0 { 0.0 } else { (middle - reach).max(0.0) };
        let high = if self.hits >= self.n { 1.0 } else { (middle + reach).min(1.0) };
        Some((low, high))
    }
}

impl fmt::Display for Rate {
    /// `3 of 4 (75 %, 30 to 95 %)`; the interval is Wilson's at 95 %.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.hits, self.n)?;
        match (self.share(), self.wilson()) {
            (Some(share), Some((low, high))) => {
                write!(f, " ({:.0} %, {:.0} to {:.0} %)", share * 100.0, low * 100.0, high * 100.0)
            }
            _ => Ok(()),
        }
    }
}

impl Serialize for Rate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = Map::new();
        object.insert("hits".to_owned(), json!(self.hits));
        object.insert("n".to_owned(), json!(self.n));
        object.insert("share".to_owned(), json!(self.share()));
        let interval = self.wilson().map(|(low, high)| json!([low, high]));
        object.insert("wilson_95".to_owned(), interval.unwrap_or(Value::Null));
        object.serialize(serializer)
    }
}
