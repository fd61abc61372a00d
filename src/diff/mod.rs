//! The difference between two texts, as rows that both views share.
//!
//! Promises: pure; bounded work ([`DiffOptions::budget`]) and a difference that was cut short says so;
//! unified and side-by-side are projections of the same rows, so a cursor survives the change of view.
//! Leaves to others: colours (`theme`), drawing (`cli`, `tui`), applying patches.

use std::ops::Range;
use std::time::Duration;

/// How two texts are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DiffOptions {
    /// Algorithm for lines.
    pub algorithm: Algorithm,
    /// What counts as the same line.
    pub whitespace: Whitespace,
    /// Time for the line difference; when it is used up the rest is one replaced block and
    /// [`Diff::cut_short`] is set.
    pub budget: Duration,
}

impl Default for DiffOptions {
    fn default() -> DiffOptions {
        DiffOptions {
            algorithm: Algorithm::Myers,
            whitespace: Whitespace::Exact,
            budget: Duration::from_secs(2),
        }
    }
}

/// Line-difference algorithm.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Algorithm {
    /// The usual one.
    #[default]
    Myers,
    /// Anchored at lines that occur once.
    Patience,
    /// As git's histogram.
    Histogram,
}

/// What counts as the same line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Whitespace {
    /// Every byte counts.
    #[default]
    Exact,
    /// Runs of white space are equal, white space at the end of a line is ignored (`git diff -b`).
    IgnoreAmount,
    /// White space is ignored (`git diff -w`).
    IgnoreAll,
}

/// What a row shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RowKind {
    /// The same line on both sides.
    Equal,
    /// A line that was changed: both sides, and words to emphasise.
    Changed,
    /// A line only the old text has.
    Removed,
    /// A line only the new text has.
    Added,
}

/// One aligned row: line numbers count from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Row {
    /// Line of the old text.
    pub old: Option<u32>,
    /// Line of the new text.
    pub new: Option<u32>,
    /// What happened to it.
    pub kind: RowKind,
}

/// A run of rows that are not equal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Hunk {
    /// Rows of the run.
    pub rows: Range<usize>,
    /// Lines of the old text that it replaces (may be empty: an insertion point).
    pub old: Range<u32>,
    /// Lines of the new text that it puts there (may be empty).
    pub new: Range<u32>,
}

/// A side of a difference.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Side {
    /// The old text: buggy.
    Old,
    /// The new text: reference.
    New,
}
