//! Leases: who works on a job, and until when.
//!
//! Promises: a number that grows with each lease of a job. Leaves to others: deciding what a job is.
//! Leases are disposable: they are no part of a bundle, and losing them costs repeated work only.

use std::fmt;

/// Grows with every lease of a job; a worker shows it with its results, and the smaller one loses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fence(pub u64);

impl fmt::Display for Fence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}
