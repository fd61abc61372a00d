//! The difference between two texts, as rows that both views share.
//!
//! Promises: pure; bounded work ([`DiffOptions::budget`]) and a difference that was cut short says so;
//! unified and side-by-side are projections of the same rows, so a cursor survives the change of view.
//! Leaves to others: colours (`theme`), drawing (`cli`, `tui`), applying patches.

mod align;
mod common;
mod compare;
mod granularity;
mod lines;
mod patch;
mod patch_between;
mod patch_error;
mod patch_parse;
mod patch_path;
mod patch_write;
mod projection;
mod task;
mod token;
mod words;

pub use crate::syntax::enclosing;
pub use granularity::{FileVersions, granularity};
pub use lines::{LineEnding, Lines};
pub use patch::{FilePatch, FileStatus, LineKind, Patch, PatchHunk, PatchLine};
pub use patch_between::FileBytes;
pub use patch_error::{CountCheck, PatchError, PatchErrorKind};
pub use projection::{Projection, Segment, UnifiedLine, fold, place, unified, unified_rows};
pub use task::{FileBody, FileDiff, Summary, TaskDiff, summary, task_files};
pub use words::{Emphasis, words};

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

/// How two texts are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DiffOptions {
    /// Algorithm for lines.
    pub algorithm: Algorithm,
    /// What counts as the same line.
    pub whitespace: Whitespace,
    /// Time for the line difference; when it is used up the rest is compared in one quick pass, not as
    /// small as it could be, and [`Diff::cut_short`] is set.
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

/// The difference between two texts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diff {
    /// The old text.
    pub old: Lines,
    /// The new text.
    pub new: Lines,
    /// Every line of both texts, aligned.
    pub rows: Vec<Row>,
    /// The runs of rows that are not equal.
    pub hunks: Vec<Hunk>,
    /// Lines of the new text that are not equal to their old line.
    pub added: usize,
    /// Lines of the old text that are not equal to their new line.
    pub removed: usize,
    /// The budget was used up before the difference was as small as it could be.
    pub cut_short: bool,
}

impl Diff {
    /// Compares two texts.
    pub fn compute(old: &str, new: &str, options: &DiffOptions) -> Diff {
        Diff::of_lines(Lines::new(old), Lines::new(new), options)
    }

    /// Compares two texts that somebody else keeps too.
    pub fn compute_shared(old: Arc<str>, new: Arc<str>, options: &DiffOptions) -> Diff {
        Diff::of_lines(Lines::new(old), Lines::new(new), options)
    }

    /// Compares two tables of lines.
    pub fn of_lines(old: Lines, new: Lines, options: &DiffOptions) -> Diff {
        let comparison = compare::compare(old.bytes(0..old.len()), new.bytes(0..new.len()), options);
        let rows = align::rows(&old, &new, &comparison);
        let hunks = hunks(&rows);
        let added = hunks.iter().map(|hunk| hunk.new.len()).sum();
        let removed = hunks.iter().map(|hunk| hunk.old.len()).sum();
        Diff { old, new, rows, hunks, added, removed, cut_short: comparison.cut_short }
    }

    /// Whether the texts count as the same.
    pub fn is_same(&self) -> bool {
        self.hunks.is_empty()
    }

    /// The line that a row shows on a side, without its ending.
    pub fn line(&self, row: &Row, side: Side) -> Option<&str> {
        match side {
            Side::Old => row.old.map(|n| self.old.line(n as usize)),
            Side::New => row.new.map(|n| self.new.line(n as usize)),
        }
    }

    /// The endings of a changed row whose lines do not end alike: the change is, or is also, one of line
    /// ends or of the end of the file.
    pub fn ending_change(&self, row: &Row) -> Option<(LineEnding, LineEnding)> {
        let (RowKind::Changed, Some(old), Some(new)) = (row.kind, row.old, row.new) else { return None };
        let endings = (self.old.ending(old as usize), self.new.ending(new as usize));
        (endings.0 != endings.1).then_some(endings)
    }

    /// The changed words of a changed row; nothing for other rows.
    pub fn words(&self, row: &Row) -> Emphasis {
        match (row.kind, self.line(row, Side::Old), self.line(row, Side::New)) {
            (RowKind::Changed, Some(old), Some(new)) => words(old, new),
            _ => Emphasis::default(),
        }
    }

    /// The hunk that holds a row, or the first one after it.
    pub fn hunk_at_or_after(&self, row: usize) -> Option<usize> {
        let at = self.hunks.partition_point(|hunk| hunk.rows.end <= row);
        (at < self.hunks.len()).then_some(at)
    }

    /// The row that shows a line of a side.
    pub fn row_of_line(&self, side: Side, line: u32) -> Option<usize> {
        let of = |row: &Row| if side == Side::Old { row.old } else { row.new };
        let end = |hunk: &Hunk| if side == Side::Old { hunk.old.end } else { hunk.new.end };
        let next = self.hunks.partition_point(|hunk| end(hunk) <= line);
        let from = next.checked_sub(1).map_or(0, |passed| self.hunks[passed].rows.end);
        let hunk = self.hunks.get(next).map_or(self.rows.len()..self.rows.len(), |hunk| hunk.rows.clone());
        // Equal rows up to the hunk count on by one; inside the hunk there are gaps.
        let first = self.rows[from..hunk.start].first().and_then(of);
        let counted = first.and_then(|first| line.checked_sub(first)).map(|offset| from + offset as usize);
        counted
            .filter(|row| *row < hunk.start)
            .or_else(|| hunk.clone().find(|row| of(&self.rows[*row]) == Some(line)))
    }
}

fn hunks(rows: &[Row]) -> Vec<Hunk> {
    let mut hunks: Vec<Hunk> = Vec::new();
    let (mut old, mut new) = (0, 0);
    for (at, row) in rows.iter().enumerate() {
        let (old_end, new_end) = (row.old.map_or(old, |n| n + 1), row.new.map_or(new, |n| n + 1));
        if row.kind != RowKind::Equal {
            match hunks.last_mut() {
                Some(last) if last.rows.end == at => {
                    last.rows.end = at + 1;
                    last.old.end = old_end;
                    last.new.end = new_end;
                }
                _ => hunks.push(Hunk { rows: at..at + 1, old: old..old_end, new: new..new_end }),
            }
        }
        (old, new) = (old_end, new_end);
    }
    hunks
}

#[cfg(test)]
#[path = "diff_tests.rs"]
mod tests;
