//! A whole workspace as JSON Lines: `bundle export` and `bundle import`.
//!
//! The first line is a header, then come blobs by their id, then events in the order of their commits,
//! then a closing line with counts and the sha256 of all bytes before it, so that a file that lost its
//! end, or was changed, is noticed. Blobs are text where they are UTF-8, else base64. Leases, positions
//! and the task index are no part of it.
//!
//! Promises: importing a bundle into an empty store and exporting it again gives the same bytes;
//! importing it twice changes nothing; a bundle can be checked as a whole before
//! anything is taken; where it is not whole, every bad line is reported and the others can be taken; memory is
//! bounded by the largest line (an export keeps the ids of the blobs, too). Leaves to others: files, pipes, compression.

mod check;
mod export;
mod import;
mod line;
#[cfg(test)]
mod tests;

pub use check::{check, first_line};
pub use export::{Exported, export, export_streams};
pub use import::{BundleError, Imported, Problem, import, import_lazily};
