//! The two views of a difference, and folding, over the same rows.
//!
//! Promises: a unified line remembers its row and side, so one cursor serves both views; segments cover
//! all rows, in order; a fold never hides a change.
//! Leaves to others: what a line looks like, which folds a person has opened.

use super::{Diff, RowKind, Side};
use std::ops::Range;

/// How a difference is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Projection {
    /// Old lines above new lines.
    Unified,
    /// Old text beside new text: one line per row.
    #[default]
    SideBySide,
}

/// A line of the unified view.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct UnifiedLine {
    /// Its row.
    pub row: u32,
    /// The side it shows; `None`: an equal row, both at once.
    pub side: Option<Side>,
}

/// Rows that are shown or folded away.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Segment {
    /// Shown rows.
    Rows(Range<usize>),
    /// Equal rows behind one line.
    Folded(Range<usize>),
}

/// Fewer rows than this are not worth a fold.
const SHORTEST_FOLD: usize = 2;

/// The unified view of all rows: in every hunk all old lines, then all new lines.
pub fn unified(diff: &Diff) -> Vec<UnifiedLine> {
    unified_rows(diff, 0..diff.rows.len())
}

/// The unified view of some rows.
pub fn unified_rows(diff: &Diff, rows: Range<usize>) -> Vec<UnifiedLine> {
    let rows = rows.start.min(diff.rows.len())..rows.end.min(diff.rows.len());
    let mut lines = Vec::with_capacity(rows.len() + rows.len() / 8);
    let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
    let mut at = rows.start;
    while at < rows.end {
        if diff.rows[at].kind == RowKind::Equal {
            lines.push(UnifiedLine { row: number(at), side: None });
            at += 1;
            continue;
        }
        let length = diff.rows[at..rows.end].iter().take_while(|row| row.kind != RowKind::Equal).count();
        let run = at..at + length;
        let of = |side: Side| {
            let shown = run.clone().filter(move |at| match side {
                Side::Old => diff.rows[*at].old.is_some(),
                Side::New => diff.rows[*at].new.is_some(),
            });
            shown.map(move |at| UnifiedLine { row: number(at), side: Some(side) })
        };
        lines.extend(of(Side::Old));
        lines.extend(of(Side::New));
        at = run.end;
    }
    lines
}

/// The place of a row and side among unified lines; the row's other side where it has not this one. For
/// lines of [`unified`] or [`unified_rows`]; `None` when they do not show the row.
pub fn place(diff: &Diff, lines: &[UnifiedLine], row: usize, side: Side) -> Option<usize> {
    let hunk = diff.hunk_at_or_after(row).and_then(|at| diff.hunks.get(at));
    let rows = hunk.map(|hunk| hunk.rows.clone()).filter(|rows| rows.contains(&row)).unwrap_or(row..row + 1);
    // Lines of one hunk stand together, though not in the order of their rows.
    let from = lines.partition_point(|line| (line.row as usize) < rows.start);
    let to = lines.partition_point(|line| (line.row as usize) < rows.end);
    let here = &lines[from..to];
    let new_from = here.partition_point(|line| line.side != Some(Side::New));
    let find = |part: Range<usize>| {
        let at = here[part.clone()].partition_point(|line| (line.row as usize) < row) + part.start;
        (part.contains(&at) && here[at].row as usize == row).then_some(from + at)
    };
    let (old, new) = (find(0..new_from), find(new_from..here.len()));
    match side {
        Side::Old => old.or(new),
        Side::New => new.or(old),
    }
}

/// Folds the equal rows that are farther than `context` rows from every hunk.
pub fn fold(diff: &Diff, context: usize) -> Vec<Segment> {
    let mut segments = Vec::new();
    let mut shown = 0;
    let mut close = |fold: Range<usize>| {
        if fold.len() >= SHORTEST_FOLD {
            if shown < fold.start {
                segments.push(Segment::Rows(shown..fold.start));
            }
            shown = fold.end;
            segments.push(Segment::Folded(fold));
        }
    };
    let mut from = 0;
    for hunk in &diff.hunks {
        close(from..hunk.rows.start.saturating_sub(context).max(from));
        from = hunk.rows.end.saturating_add(context);
    }
    close(from.min(diff.rows.len())..diff.rows.len());
    if shown < diff.rows.len() {
        segments.push(Segment::Rows(shown..diff.rows.len()));
    }
    segments
}
