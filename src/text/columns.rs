//! Windows into a line, places in it, and cutting it into rows.
//!
//! Promises: work in the columns asked for, plus a quick pass over the plain ASCII before them; columns
//! are those of [`Cells`].
//! Leaves to others: breaking between words (`wrap`).

use super::cells::{Cell, Cells, cells, plain_prefix};
use std::borrow::Cow;
use std::ops::Range;

impl<'a> Cells<'a> {
    /// Only what lies in `columns` columns from column `from` on. Cells that stick out are cut to blanks, so
    /// that what is shown always fills whole columns.
    pub fn window(mut self, from: usize, columns: usize) -> Window<'a> {
        let mut first = None;
        while self.column() < from {
            if self.skip_plain(from - self.column()) > 0 {
                continue;
            }
            let Some(cell) = self.next() else { break };
            let end = cell.column + usize::from(cell.width);
            if end > from {
                first = Some(blank(cell, from, end));
            }
        }
        Window { cells: self, first, end: from.saturating_add(columns) }
    }
}

/// The part of a line inside some columns, made by [`Cells::window`].
#[derive(Debug, Clone)]
pub struct Window<'a> {
    cells: Cells<'a>,
    first: Option<Cell<'a>>,
    end: usize,
}

impl<'a> Iterator for Window<'a> {
    type Item = Cell<'a>;

    fn next(&mut self) -> Option<Cell<'a>> {
        if self.first.is_none() && self.cells.column() >= self.end {
            return None;
        }
        let cell = self.first.take().or_else(|| self.cells.next())?;
        if cell.column >= self.end {
            return None;
        }
        let end = cell.column + usize::from(cell.width);
        if end > self.end {
            let from = cell.column;
            return Some(blank(cell, from, self.end));
        }
        Some(cell)
    }
}

/// `cell` as blanks from column `from` to `end`.
fn blank(cell: Cell<'_>, from: usize, end: usize) -> Cell<'_> {
    let width = end.saturating_sub(from);
    Cell {
        text: Cow::Owned(" ".repeat(width)),
        width: u16::try_from(width).unwrap_or(u16::MAX),
        column: from,
        ..cell
    }
}

/// Column at which the cell holding `byte` starts; the width of the line where `byte` is past its end.
pub fn column_of(line: &str, tab_width: u16, byte: usize) -> usize {
    let mut walk = cells(line, tab_width);
    loop {
        if walk.position() >= byte {
            return walk.column();
        }
        if walk.skip_plain(byte - walk.position()) > 0 {
            continue;
        }
        match walk.next() {
            Some(cell) if cell.range.end > byte => return cell.column,
            Some(_) => {}
            None => return walk.column(),
        }
    }
}

/// Byte at which the cell covering `column` starts; the length of the line past its end.
pub fn byte_at(line: &str, tab_width: u16, column: usize) -> usize {
    cells(line, tab_width).window(column, 1).next().map_or(line.len(), |cell| cell.range.start)
}

/// A row of a line that was cut into rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// Bytes of the original line.
    pub range: Range<usize>,
    /// Column of the line at which the row starts: to be given to [`cells_from`](super::cells_from), so
    /// that tabs keep their width.
    pub column: usize,
    /// Columns it takes. More than asked for only where a single cell is wider than that.
    pub width: usize,
}

/// Cuts `line` into rows of at most `columns` columns, between cells. An empty line is one empty row.
pub fn wrap_cells(line: &str, tab_width: u16, columns: usize) -> Segments<'_> {
    Segments { cells: cells(line, tab_width), columns: columns.max(1), started: false }
}

/// Number of rows that [`wrap_cells`] makes.
pub fn segment_count(line: &str, tab_width: u16, columns: usize) -> usize {
    let columns = columns.max(1);
    if plain_prefix(line.as_bytes()) == line.len() {
        return line.len().div_ceil(columns).max(1);
    }
    wrap_cells(line, tab_width, columns).count()
}

/// Iterator over the rows of a line, made by [`wrap_cells`].
#[derive(Debug, Clone)]
pub struct Segments<'a> {
    cells: Cells<'a>,
    columns: usize,
    started: bool,
}

impl Iterator for Segments<'_> {
    type Item = Segment;

    fn next(&mut self) -> Option<Segment> {
        let (start, column) = (self.cells.position(), self.cells.column());
        if start >= self.cells.line.len() && self.started {
            return None;
        }
        self.started = true;
        let limit = column + self.columns;
        loop {
            if self.cells.column() >= limit {
                break;
            }
            if self.cells.skip_plain(limit - self.cells.column()) > 0 {
                continue;
            }
            let before = self.cells.clone();
            let Some(cell) = self.cells.next() else { break };
            if cell.column + usize::from(cell.width) > limit && before.position() > start {
                self.cells = before;
                break;
            }
        }
        Some(Segment { range: start..self.cells.position(), column, width: self.cells.column() - column })
    }
}
