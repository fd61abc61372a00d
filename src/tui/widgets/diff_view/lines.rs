//! The lines of a difference as they stand on the screen, for both projections.
//!
//! Promises: pure; every row of every file is reachable by unfolding; a place (file, row, side) found in
//! one projection is found again in the other. Leaves to others: colours and cells (`draw`).

use crate::diff::{FileBody, TaskDiff};
use crate::diff::{Projection, RowKind, Segment, Side, fold, unified_rows};
use std::collections::HashSet;

/// One line of the view.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Line {
    /// The heading of a file.
    File {
        /// Its number.
        file: u32,
    },
    /// A remark instead of text: binary, too large.
    Note {
        /// The file it is about.
        file: u32,
    },
    /// Equal rows that are folded away.
    Fold {
        /// The file.
        file: u32,
        /// First row.
        start: u32,
        /// Row after the last.
        end: u32,
    },
    /// Both sides of a row, next to each other.
    Row {
        /// The file.
        file: u32,
        /// The row.
        row: u32,
    },
    /// One side of a row (the old one stands for both where they are equal).
    Half {
        /// The file.
        file: u32,
        /// The row.
        row: u32,
        /// Which side is shown.
        side: Side,
    },
    /// An empty line between files.
    Gap,
}

impl Line {
    /// The file that the line belongs to.
    pub fn file(self) -> Option<u32> {
        match self {
            Line::File { file }
            | Line::Note { file }
            | Line::Fold { file, .. }
            | Line::Row { file, .. }
            | Line::Half { file, .. } => Some(file),
            Line::Gap => None,
        }
    }

    /// The row, or the first one of a fold.
    pub fn row(self) -> Option<u32> {
        match self {
            Line::Row { row, .. } | Line::Half { row, .. } => Some(row),
            Line::Fold { start, .. } => Some(start),
            _ => None,
        }
    }
}

/// A place that both projections know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// File.
    pub file: u32,
    /// Row, `None` for the heading.
    pub row: Option<u32>,
    /// Side, where it matters.
    pub side: Option<Side>,
}

/// Which equal rows are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Folding {
    /// Equal rows kept around a hunk; `None` shows everything.
    pub context: Option<usize>,
    /// Folds that were opened, by file and first row.
    pub opened: HashSet<(u32, u32)>,
}

impl Default for Folding {
    fn default() -> Folding {
        Folding { context: Some(3), opened: HashSet::new() }
    }
}

/// All lines of the view.
pub fn lines(diff: &TaskDiff, projection: Projection, folding: &Folding) -> Vec<Line> {
    let mut lines = Vec::new();
    for (number, file) in diff.files.iter().enumerate() {
        let number = number as u32;
        if number > 0 {
            lines.push(Line::Gap);
        }
        lines.push(Line::File { file: number });
        let FileBody::Text { diff: body, .. } = &file.body else {
            lines.push(Line::Note { file: number });
            continue;
        };
        let segments = match folding.context {
            Some(context) => fold(body, context),
            None => vec![Segment::Rows(0..body.rows.len())],
        };
        for segment in segments {
            match segment {
                Segment::Folded(rows) if !folding.opened.contains(&(number, rows.start as u32)) => {
                    lines.push(Line::Fold { file: number, start: rows.start as u32, end: rows.end as u32 });
                }
                Segment::Folded(rows) | Segment::Rows(rows) => match projection {
                    Projection::SideBySide => {
                        lines.extend(rows.map(|row| Line::Row { file: number, row: row as u32 }));
                    }
                    Projection::Unified => lines.extend(unified_rows(body, rows).into_iter().map(|line| {
                        Line::Half { file: number, row: line.row, side: line.side.unwrap_or(Side::Old) }
                    })),
                },
            }
        }
    }
    lines
}

/// The place of a line.
pub fn place(line: Line) -> Option<Place> {
    let side = match line {
        Line::Half { side, .. } => Some(side),
        _ => None,
    };
    line.file().map(|file| Place { file, row: line.row(), side })
}

/// The line that shows a place, or else the last line before it in the same file.
pub fn find(lines: &[Line], wanted: Place) -> usize {
    let mut best = 0;
    let mut best_rank = None;
    for (index, line) in lines.iter().enumerate() {
        let Some(at) = place(*line) else { continue };
        if at.file > wanted.file {
            break;
        }
        if at.file < wanted.file || at.row > wanted.row {
            continue;
        }
        let closeness = match at.row == wanted.row {
            false => 0,
            true if at.side.is_some() && wanted.side.is_some() && at.side != wanted.side => 1,
            true => 2,
        };
        // The old half of a late row stands before the new half of an early one: compare rows, not lines.
        let rank = Some((closeness, at.row));
        if rank > best_rank {
            (best, best_rank) = (index, rank);
        }
    }
    best
}

/// The first line of every hunk, in order.
pub fn hunk_starts(diff: &TaskDiff, lines: &[Line]) -> Vec<usize> {
    let mut starts = Vec::new();
    let mut inside = false;
    for (index, line) in lines.iter().enumerate() {
        let changed = match *line {
            Line::Row { file, row } | Line::Half { file, row, .. } => {
                kind(diff, file, row) != Some(RowKind::Equal)
            }
            _ => false,
        };
        if changed && !inside {
            starts.push(index);
        }
        inside = changed;
    }
    starts
}

fn kind(diff: &TaskDiff, file: u32, row: u32) -> Option<RowKind> {
    match &diff.files.get(file as usize)?.body {
        FileBody::Text { diff: body, .. } => body.rows.get(row as usize).map(|row| row.kind),
        _ => None,
    }
}
