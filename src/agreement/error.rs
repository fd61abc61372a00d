//! Input that is no table, no ratings and no weights at all: a mistake of the caller, told with its place.

/// What is wrong with the input.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum AgreementError {
    /// Without a category there is nothing to agree on.
    #[error("there is no category; declare at least one")]
    NoCategory,
    /// More categories than tables of them can be kept.
    #[error("{found} categories are more than {most}; is this the column of the labels?")]
    TooManyCategories {
        /// How many there are.
        found: usize,
        /// How many there may be.
        most: usize,
    },
    /// A table or matrix must have as many columns as rows.
    #[error("row {row} has {found} numbers where the table has {wanted} rows; it must be square")]
    NotSquare {
        /// The row, from 1.
        row: usize,
        /// Its length.
        found: usize,
        /// The number of rows.
        wanted: usize,
    },
    /// A row of counts or a list of values is not as long as there are categories.
    #[error("row {row} has {found} numbers for {wanted} categories")]
    WrongLength {
        /// The row, from 1.
        row: usize,
        /// Its length.
        found: usize,
        /// The number of categories.
        wanted: usize,
    },
    /// A label that is not one of the declared categories.
    #[error("category {category} is not one of the {categories} declared ones, which count from 0")]
    UnknownCategory {
        /// The label.
        category: usize,
        /// How many categories are declared.
        categories: usize,
    },
    /// One rater has more or fewer items than another.
    #[error("rater {rater} has {found} items where the first has {wanted}")]
    UnequalItems {
        /// The rater, from 1.
        rater: usize,
        /// Its items.
        found: usize,
        /// The items of the first rater.
        wanted: usize,
    },
    /// Counts that cannot be summed exactly.
    #[error("the counts are too large: an item may have 2^32 labels, a table 2^53 items")]
    TooManyItems,
    /// A weight that is not between 0 and 1.
    #[error("the weight {weight} in row {row}, column {column} is not a disagreement between 0 and 1")]
    BadWeight {
        /// The weight.
        weight: f64,
        /// The row, from 1.
        row: usize,
        /// The column, from 1.
        column: usize,
    },
    /// A category must not disagree with itself.
    #[error("the weight of category {category} with itself is {weight}; it must be 0")]
    DiagonalNotZero {
        /// The category, from 1.
        category: usize,
        /// Its weight.
        weight: f64,
    },
    /// The raters must be interchangeable.
    #[error("the weights in row {row}, column {column} and the other way round differ; they must be equal")]
    NotSymmetric {
        /// The row, from 1.
        row: usize,
        /// The column, from 1.
        column: usize,
    },
    /// A value that is no number.
    #[error("value {place} is not a finite number")]
    BadValue {
        /// Its place, from 1.
        place: usize,
    },
}

/// Most categories: tables have the square of it.
pub(super) const MOST_CATEGORIES: usize = 500;

/// Refuses numbers of categories that cannot be worked with.
pub(super) fn check_categories(categories: usize) -> Result<(), AgreementError> {
    match categories {
        0 => Err(AgreementError::NoCategory),
        found if found > MOST_CATEGORIES => {
            Err(AgreementError::TooManyCategories { found, most: MOST_CATEGORIES })
        }
        _ => Ok(()),
    }
}
