//! A statistic that may not exist.
//!
//! Promises: what is `Defined` is a finite number; what is not says why, in words that stand behind
//! "undefined: ".

/// A statistic, or the reason why there is none.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value<T = f64> {
    /// It exists.
    Defined(T),
    /// It does not exist for these data.
    Undefined(Reason),
}

/// Why a statistic does not exist.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, thiserror::Error)]
pub enum Reason {
    /// No item has a label of both raters.
    #[error("no jointly rated item")]
    NoJointItem,
    /// No item has two labels.
    #[error("no item with two ratings")]
    NoItemWithTwoLabels,
    /// Fewer than two raters labelled anything.
    #[error("fewer than two raters have labels")]
    FewerThanTwoRaters,
    /// All labels are the same category, or categories that count as the same.
    #[error("expected agreement is 1")]
    ExpectedAgreementIsOne,
    /// All labels of items with two labels are the same category.
    #[error("expected disagreement is 0")]
    ExpectedDisagreementIsZero,
    /// The formula divides by what one declared category makes zero.
    #[error("only one category declared")]
    OneCategoryDeclared,
    /// Nobody used the category.
    #[error("nobody used this category")]
    CategoryUnused,
    /// A mean over pairs of raters has a pair without a value.
    #[error("a pair has no defined kappa")]
    PairUndefined,
    /// A mean over labels has no label with a value.
    #[error("no label has a defined kappa")]
    NoLabelDefined,
    /// The statistic belongs to tables of two categories.
    #[error("only for two categories")]
    NotTwoCategories,
    /// The statistic belongs to two raters.
    #[error("only for two raters")]
    NotTwoRaters,
    /// A test of direction has nothing to look at.
    #[error("the raters never disagree")]
    NoDisagreement,
    /// The spread of one item cannot be known.
    #[error("a standard error needs two items")]
    OneItem,
    /// The estimated standard error is 0, which says that the formula fails here, not that the value is sure.
    #[error("not estimable: the standard error is 0")]
    NoSpread,
    /// The distances themselves depend on the data.
    #[error("there is no closed form of the standard error for this metric")]
    NoStandardError,
    /// Observed and expected agreement are shares, and distances of this metric are not.
    #[error("distances of this metric are not shares")]
    NoShare,
    /// A metric needs numbers for the categories.
    #[error("the categories have no numeric values")]
    NoValues,
    /// The ratio metric is for numbers that start at zero.
    #[error("the ratio metric needs values that are not negative")]
    NegativeValue,
    /// Kappa was undefined in every resample.
    #[error("kappa is undefined in every resample")]
    NoDefinedResample,
    /// Nothing was resampled.
    #[error("no resamples were asked for")]
    NoResamples,
    /// More different sets than their distances can be computed for.
    #[error("more different label sets than can be compared")]
    TooManySets,
    /// A table of them would be too large.
    #[error("more different answers than can be compared")]
    TooManyAnswers,
}

impl<T> Value<T> {
    /// The value, if there is one.
    pub fn defined(self) -> Option<T> {
        match self {
            Value::Defined(value) => Some(value),
            Value::Undefined(_) => None,
        }
    }

    /// The reason, if there is no value.
    pub fn why(&self) -> Option<Reason> {
        match self {
            Value::Defined(_) => None,
            Value::Undefined(reason) => Some(*reason),
        }
    }

    /// The value, changed.
    pub fn map<U>(self, change: impl FnOnce(T) -> U) -> Value<U> {
        self.then(|value| Value::Defined(change(value)))
    }

    /// What follows from the value.
    pub fn then<U>(self, next: impl FnOnce(T) -> Value<U>) -> Value<U> {
        match self {
            Value::Defined(value) => next(value),
            Value::Undefined(reason) => Value::Undefined(reason),
        }
    }
}

impl<T> From<Result<T, Reason>> for Value<T> {
    fn from(result: Result<T, Reason>) -> Value<T> {
        match result {
            Ok(value) => Value::Defined(value),
            Err(reason) => Value::Undefined(reason),
        }
    }
}

impl<T> From<Value<T>> for Result<T, Reason> {
    fn from(value: Value<T>) -> Result<T, Reason> {
        match value {
            Value::Defined(value) => Ok(value),
            Value::Undefined(reason) => Err(reason),
        }
    }
}

/// `1 - observed/expected` of two disagreements; where nothing could disagree, the reason.
pub(super) fn beyond_chance(observed: f64, expected: f64, otherwise: Reason) -> Value {
    if expected > 0.0 { Value::Defined(1.0 - observed / expected) } else { Value::Undefined(otherwise) }
}
