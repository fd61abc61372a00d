//! Numbers of a cell: decimal, with at most three places, so that equal settings are equal bytes.
//!
//! Promises: what is printed is read back exactly; nothing is rounded. Leaves to others: which range makes sense.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::fmt;
use std::str::FromStr;

/// A number from 0 to 1,000 in thousandths: a temperature, a share of probability.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct Decimal(u32);

/// Largest number, in thousandths.
const MOST: u32 = 1_000_000;

/// A text or number that is no [`Decimal`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a number from 0 to 1000 with at most three decimals, such as 0.7")]
pub struct DecimalError(pub String);

impl Decimal {
    /// A number from its thousandths; `None` beyond 1,000.
    pub fn from_thousandths(thousandths: u32) -> Option<Decimal> {
        (thousandths <= MOST).then_some(Decimal(thousandths))
    }

    /// The number in thousandths.
    pub fn thousandths(self) -> u32 {
        self.0
    }

    /// The number as models are sent it.
    pub fn as_f64(self) -> f64 {
        f64::from(self.0) / 1000.0
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.0 / 1000, self.0 % 1000);
        if rest == 0 {
            return write!(f, "{whole}");
        }
        let places = format!("{rest:03}");
        write!(f, "{whole}.{}", places.trim_end_matches('0'))
    }
}

impl FromStr for Decimal {
    type Err = DecimalError;

    fn from_str(text: &str) -> Result<Decimal, DecimalError> {
        let error = || DecimalError(super::word::quoted(text));
        let (whole, rest) = text.split_once('.').unwrap_or((text, "0"));
        let digits = |part: &str| !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        let rest = if rest.len() > 3 { rest.trim_end_matches('0') } else { rest };
        let rest = if rest.is_empty() { "0" } else { rest };
        if !digits(whole) || !digits(rest) || rest.len() > 3 || whole.len() > 9 {
            return Err(error());
        }
        let thousandths = format!("{rest:0<3}");
        let whole: u32 = whole.parse().map_err(|_| error())?;
        let rest: u32 = thousandths.parse().map_err(|_| error())?;
        whole
            .checked_mul(1000)
            .and_then(|whole| whole.checked_add(rest))
            .and_then(Decimal::from_thousandths)
            .ok_or_else(error)
    }
}

impl Serialize for Decimal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.is_multiple_of(1000) {
            serializer.serialize_u32(self.0 / 1000)
        } else {
            serializer.serialize_f64(self.as_f64())
        }
    }
}

impl<'de> Deserialize<'de> for Decimal {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Decimal, D::Error> {
        let number = serde_json::Number::deserialize(deserializer)?;
        number.to_string().parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn equal_numbers_have_one_spelling() {
        for (text, shown) in [
            ("0.70", "0.7"),
            ("1.0", "1"),
            ("1", "1"),
            ("0", "0"),
            ("0.125", "0.125"),
            ("2.", "2"),
            ("0.5000", "0.5"),
        ] {
            assert_eq!(text.parse::<Decimal>().unwrap().to_string(), shown, "{text}");
        }
        for bad in ["", "-1", "0.1234", "1e3", "NaN", "1001", ".5", "0,7", "99999999999999999999"] {
            assert!(bad.parse::<Decimal>().is_err(), "{bad}");
        }
    }

    proptest! {
        #[test]
        fn text_and_json_read_back(thousandths in 0..=MOST) {
            let number = Decimal::from_thousandths(thousandths).unwrap();
            prop_assert_eq!(number.to_string().parse::<Decimal>().unwrap(), number);
            let json = serde_json::to_string(&number).unwrap();
            prop_assert_eq!(&json, &number.to_string());
            prop_assert_eq!(serde_json::from_str::<Decimal>(&json).unwrap(), number);
        }

        #[test]
        fn no_text_panics(text in "\\PC{0,20}|[0-9.]{0,20}") {
            if let Ok(number) = text.parse::<Decimal>() {
                prop_assert!(number.as_f64() <= 1000.0);
            }
        }
    }
}
