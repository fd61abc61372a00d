//! Ratings in: comma-separated files of who labelled what how, and small tables of numbers.
//!
//! Promises: every row becomes labels or a [`BadRow`] with its line and reason, all of them counted; a row that
//! says again what a rater said about an item is refused, never merged; an empty label is missing, never a
//! category; texts are taken as they are (see [`lookalikes`] for those that differ in case or white space only);
//! reading is bounded.
//! Leaves to others: what the labels mean and whether they are declared (`cli`), statistics (`agreement`).

mod error;
mod lines;
mod matrix;
mod names;
mod read;
mod rows;
mod sheet;

#[cfg(test)]
mod tests;

pub use error::RatingsError;
pub(in crate::dataset) use lines::Lines;
pub use matrix::{Matrix, MatrixRow, looks_inline, parse_matrix};
pub use names::{fold, lookalikes};
pub(in crate::dataset) use read::MOST_ROWS;
pub use read::{Columns, Layout, read_ratings, read_text};
pub use rows::{BadReason, BadRow};
pub use sheet::{Cell, RatingsFile, Sheet};
