//! The difference between the buggy and the reference version, as people read it.
//!
//! Promises: one cursor for both projections, kept when the projection, the folding or the width
//! changes; only visible lines are laid out and word-marked, so a difference of any length answers a key
//! at once. Leaves to others: computing differences and colours (worker threads), keys (`keymap`).

mod draw;
mod keys;
mod lines;
mod marks;
mod search;

pub use draw::{Look, MOST_WRAPPED_ROWS, draw};
pub use marks::{Mark, MarkKind};
pub use search::occurrences;

use crate::diff::{Diff, Emphasis, Projection, RowKind, Segment, Side, fold, words};
use crate::diff::{FileBody, TaskDiff};
use crate::syntax::highlight::HighlightedFile;
use crate::syntax::{FunctionSpan, enclosing};
use crate::tui::widgets::canvas::TAB_WIDTH;
use lines::{Folding, Line, Place};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;

/// Columns from which on the sides stand next to each other, unless the user chose otherwise.
pub const SIDE_BY_SIDE_FROM: u16 = 110;

/// Equal rows kept around a hunk at least.
const LEAST_CONTEXT: usize = 3;

/// Syntax colours of both sides of one file; `None` until they are known.
pub type FileColours = Option<Arc<(HighlightedFile, HighlightedFile)>>;

/// How sides are placed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layout {
    /// By the width of the view.
    #[default]
    Auto,
    /// One above the other.
    Unified,
    /// Next to each other.
    SideBySide,
}

/// What the user chose; it is kept from task to task.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Choices {
    /// Placement of the sides.
    pub layout: Layout,
    /// Long lines go on in the next row.
    pub wrap: bool,
    /// Everything is shown, nothing folded.
    pub whole_file: bool,
}

/// State of the view.
#[derive(Debug)]
pub struct DiffView {
    diff: Arc<TaskDiff>,
    colours: Vec<FileColours>,
    functions: Vec<Vec<FunctionSpan>>,
    /// The user's choices.
    pub choices: Choices,
    folding: Folding,
    lines: Vec<Line>,
    /// First line of every hunk.
    hunk_starts: Vec<usize>,
    projection: Projection,
    cursor: usize,
    top: usize,
    /// Columns scrolled to the right.
    left: usize,
    width: u16,
    height: u16,
    search: Option<search::Search>,
    search_start: Option<search::SearchStart>,
    emphasis: RefCell<HashMap<(u32, u32), Arc<Emphasis>>>,
    marks: marks::Marks,
}

fn text(body: &FileBody) -> Option<&Diff> {
    match body {
        FileBody::Text { diff, .. } => Some(diff),
        _ => None,
    }
}

impl DiffView {
    /// A view of a difference, the cursor on the first change.
    pub fn new(diff: Arc<TaskDiff>, choices: Choices) -> DiffView {
        let mut view = DiffView {
            colours: vec![None; diff.files.len()],
            functions: Vec::new(),
            diff,
            choices,
            folding: Folding::default(),
            lines: Vec::new(),
            hunk_starts: Vec::new(),
            projection: Projection::Unified,
            cursor: 0,
            top: 0,
            left: 0,
            width: 0,
            height: 0,
            search: None,
            search_start: None,
            emphasis: RefCell::default(),
            marks: marks::Marks::default(),
        };
        view.folding.context = if choices.whole_file { None } else { Some(LEAST_CONTEXT) };
        view.rebuild();
        view.cursor = view.hunk_starts.first().copied().unwrap_or(0);
        view.top = 0;
        view
    }

    /// The difference.
    pub fn diff(&self) -> &Arc<TaskDiff> {
        &self.diff
    }

    /// Takes another difference of the same files (other white space or algorithm), the cursor kept near.
    pub fn replace_diff(&mut self, diff: Arc<TaskDiff>) {
        let line = self.source_line();
        self.diff = diff;
        self.emphasis.borrow_mut().clear();
        self.folding.opened.clear();
        if self.colours.len() != self.diff.files.len() {
            self.colours = vec![None; self.diff.files.len()];
        }
        self.place_marks();
        self.rebuild();
        self.find_matches();
        if let Some((file, side, number)) = line {
            self.go_to_source_line(file, side, number);
        }
        self.keep_visible();
    }

    /// Syntax colours of a file have arrived.
    pub fn set_colours(&mut self, file: usize, colours: FileColours) {
        if let Some(slot) = self.colours.get_mut(file) {
            *slot = colours;
        }
    }

    /// Functions of the new version of each file are known: folds name the one that follows.
    pub fn set_functions(&mut self, functions: Vec<Vec<FunctionSpan>>) {
        self.functions = functions;
    }

    /// The function that the row after a fold lies in.
    fn function_after(&self, file: u32, row: u32) -> Option<&str> {
        let line = self.body(file)?.rows.get(row as usize)?.new?;
        let function = enclosing(self.functions.get(file as usize)?, line)?;
        Some(&function.qualified)
    }

    /// The view's size is known; asked before every drawing.
    pub fn resize(&mut self, width: u16, height: u16) {
        if (self.width, self.height) == (width, height) {
            return;
        }
        (self.width, self.height) = (width, height);
        let fits = self.fitting_context();
        if self.projection != self.wanted_projection() || self.folding.context != fits {
            self.folding.context = fits;
            self.rebuild();
        }
        self.keep_visible();
    }

    /// Equal rows kept around a hunk: as many as still let the whole difference fit the view, at least three.
    fn fitting_context(&self) -> Option<usize> {
        if self.choices.whole_file {
            return None;
        }
        let rows: usize =
            self.diff.files.iter().filter_map(|file| text(&file.body)).map(|body| body.rows.len()).sum();
        let height = usize::from(self.height);
        let fits = |context: Option<usize>| {
            let folding = Folding { context, opened: HashSet::new() };
            lines::lines(&self.diff, self.wanted_projection(), &folding).len() <= height
        };
        // What is far longer than the view need not be tried.
        if rows > 50 * height.max(1) {
            return Some(LEAST_CONTEXT);
        }
        if fits(None) {
            return None;
        }
        [24, 16, 12, 9, 7, 5].into_iter().find(|context| fits(Some(*context))).or(Some(LEAST_CONTEXT))
    }

    fn wanted_projection(&self) -> Projection {
        match self.choices.layout {
            Layout::Unified => Projection::Unified,
            Layout::SideBySide => Projection::SideBySide,
            Layout::Auto if self.width >= SIDE_BY_SIDE_FROM => Projection::SideBySide,
            Layout::Auto => Projection::Unified,
        }
    }

    fn rebuild(&mut self) {
        let place = self.lines.get(self.cursor).copied().and_then(lines::place);
        let projection = self.wanted_projection();
        let before = std::mem::replace(&mut self.projection, projection);
        self.lines = lines::lines(&self.diff, self.projection, &self.folding);
        self.hunk_starts = lines::hunk_starts(&self.diff, &self.lines);
        self.cursor = place.map_or(0, |place| lines::find(&self.lines, place));
        if self.projection != before {
            self.find_matches();
        }
    }

    /// Which hunk the cursor is at or after, and how many there are: `(2, 5)`.
    pub fn hunk_position(&self) -> (usize, usize) {
        (self.hunk_starts.partition_point(|start| *start <= self.cursor), self.hunk_starts.len())
    }

    /// Whether something is folded away.
    pub fn has_folds(&self) -> bool {
        self.lines.iter().any(|line| matches!(line, Line::Fold { .. }))
    }

    /// Number of lines that the view has.
    pub fn len(&self) -> usize {
        self.lines.len()
    }

    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Whether the sides stand next to each other now.
    pub fn side_by_side(&self) -> bool {
        self.projection == Projection::SideBySide
    }

    /// Moves the cursor by lines.
    pub fn move_by(&mut self, lines: isize) {
        self.cursor = self.cursor.saturating_add_signed(lines).min(self.lines.len().saturating_sub(1));
        self.keep_visible();
    }

    /// Moves by pages (halves: `numerator` 1, `denominator` 2), the view with the cursor.
    pub fn page(&mut self, down: bool, half: bool) {
        let page = usize::from(self.height.max(2)) - 1;
        let step = if half { page.div_ceil(2) } else { page } as isize;
        let step = if down { step } else { -step };
        self.top = self.top.saturating_add_signed(step).min(self.last_top());
        self.move_by(step);
    }

    /// Scrolls without a cursor, for a view that has none.
    pub fn scroll(&mut self, lines: isize) {
        self.top = self.top.saturating_add_signed(lines).min(self.last_top());
        self.cursor = self.top;
    }

    /// To the first or the last line.
    pub fn edge(&mut self, last: bool) {
        self.cursor = if last { self.lines.len().saturating_sub(1) } else { 0 };
        self.keep_visible();
    }

    /// Scrolls sideways; wrapped lines have nothing to scroll to.
    pub fn scroll_sideways(&mut self, columns: isize) {
        if !self.choices.wrap {
            let longest = self.longest_visible();
            self.left = self.left.saturating_add_signed(columns).min(longest.saturating_sub(1));
        }
    }

    /// Back to the first column.
    pub fn scroll_home(&mut self) {
        self.left = 0;
    }

    /// To the next or previous hunk; says whether there was one.
    pub fn hunk(&mut self, forward: bool) -> bool {
        let target = if forward {
            self.hunk_starts.iter().find(|start| **start > self.cursor).copied()
        } else {
            self.hunk_starts.iter().rev().find(|start| **start < self.cursor).copied()
        };
        let Some(target) = target else { return false };
        self.cursor = target;
        // A jump puts the hunk where reading starts, a third down, with what comes before it in view.
        if target < self.top || target >= self.top + usize::from(self.height) {
            self.top = target.saturating_sub(usize::from(self.height) / 3).min(self.last_top());
        }
        self.keep_visible();
        true
    }

    /// Switches between unified and side by side.
    pub fn toggle_side_by_side(&mut self) {
        self.choices.layout =
            if self.projection == Projection::SideBySide { Layout::Unified } else { Layout::SideBySide };
        self.rebuild();
        self.keep_visible();
    }

    /// Switches wrapping of long lines.
    pub fn toggle_wrap(&mut self) {
        self.choices.wrap = !self.choices.wrap;
        self.left = 0;
        self.keep_visible();
    }

    /// Opens the fold under the cursor, folds again what was opened around it, or else opens the nearest fold; says
    /// whether it could.
    pub fn toggle_fold(&mut self) -> bool {
        match self.lines.get(self.cursor).copied() {
            Some(Line::Fold { file, start, .. }) => {
                self.folding.opened.insert((file, start));
            }
            Some(line) => {
                let (Some(file), Some(row)) = (line.file(), line.row()) else { return false };
                match self.opened_around(file, row) {
                    Some(fold) => {
                        self.folding.opened.remove(&fold);
                    }
                    None => {
                        let Some(fold) = self.nearest_fold() else { return false };
                        self.folding.opened.insert(fold);
                    }
                }
            }
            None => return false,
        }
        self.rebuild();
        self.keep_visible();
        true
    }

    /// Shows everything, or folds again.
    pub fn toggle_whole_file(&mut self) {
        self.choices.whole_file = !self.choices.whole_file;
        self.folding.context = self.fitting_context();
        self.folding.opened.clear();
        self.rebuild();
        self.keep_visible();
    }

    /// File and first row of the fold that is nearest to the cursor.
    fn nearest_fold(&self) -> Option<(u32, u32)> {
        let fold = |(index, line): (usize, &Line)| match line {
            Line::Fold { file, start, .. } => Some((index.abs_diff(self.cursor), (*file, *start))),
            _ => None,
        };
        self.lines.iter().enumerate().filter_map(fold).min().map(|(_, fold)| fold)
    }

    /// Equal rows that are kept around a change now; `None`: all of them.
    pub fn context(&self) -> Option<usize> {
        self.folding.context
    }

    /// The fold that would hide this row, if it was opened.
    fn opened_around(&self, file: u32, row: u32) -> Option<(u32, u32)> {
        let segments = fold(self.body(file)?, self.folding.context?);
        segments.into_iter().find_map(|segment| match segment {
            Segment::Folded(rows) if rows.contains(&(row as usize)) => {
                Some((file, rows.start as u32)).filter(|fold| self.folding.opened.contains(fold))
            }
            _ => None,
        })
    }

    fn body(&self, file: u32) -> Option<&Diff> {
        text(&self.diff.files.get(file as usize)?.body)
    }

    /// The text of the cursor's line: what the copy key takes. The reference side of a changed row.
    pub fn current_text(&self) -> Option<String> {
        let line = *self.lines.get(self.cursor)?;
        match line {
            Line::File { file } => Some(self.diff.files.get(file as usize)?.path.clone()),
            Line::Fold { .. } | Line::Note { .. } | Line::Gap => None,
            _ => {
                let (file, side, number) = self.source_line()?;
                let body = self.body(file)?;
                let lines = if side == Side::Old { &body.old } else { &body.new };
                ((number as usize) < lines.len()).then(|| lines.line(number as usize).to_owned())
            }
        }
    }

    /// File, side and line number (from 0) of the cursor, for the editor and for keeping the place.
    pub fn source_line(&self) -> Option<(u32, Side, u32)> {
        let line = *self.lines.get(self.cursor)?;
        let (file, row) = (line.file()?, line.row().unwrap_or(0));
        let row = self.body(file)?.rows.get(row as usize)?;
        let preferred = match line {
            Line::Half { side, .. } if row.kind != RowKind::Equal => side,
            _ => Side::New,
        };
        match (preferred, row.old, row.new) {
            (Side::Old, Some(old), _) | (_, Some(old), None) => Some((file, Side::Old, old)),
            (_, _, Some(new)) => Some((file, Side::New, new)),
            _ => None,
        }
    }

    fn go_to_source_line(&mut self, file: u32, side: Side, number: u32) {
        let Some(body) = self.body(file) else { return };
        let row = body
            .rows
            .iter()
            .position(|row| if side == Side::Old { row.old } else { row.new } == Some(number));
        if let Some(row) = row {
            self.cursor = lines::find(&self.lines, Place { file, row: Some(row as u32), side: Some(side) });
        }
    }

    /// Moves the cursor to the line that was clicked, counted from the top of the view.
    pub fn click(&mut self, row: u16) {
        let mut left = usize::from(row);
        for index in self.top..self.lines.len() {
            let height = self.line_height(index);
            if left < height {
                self.cursor = index;
                return;
            }
            left -= height;
        }
    }

    fn last_top(&self) -> usize {
        self.lines.len().saturating_sub(usize::from(self.height))
    }

    fn keep_visible(&mut self) {
        self.cursor = self.cursor.min(self.lines.len().saturating_sub(1));
        let height = usize::from(self.height.max(1));
        let margin = if height > 8 { 2 } else { 0 };
        if self.cursor < self.top + margin {
            self.top = self.cursor.saturating_sub(margin);
        }
        if self.choices.wrap {
            // The cursor's line and the margin below must fit; heights are looked at from the cursor up.
            let end = (self.cursor + margin).min(self.lines.len().saturating_sub(1));
            let mut room = height;
            let mut first = end;
            for index in (0..=end).rev() {
                let tall = self.line_height(index).min(height);
                if tall > room {
                    break;
                }
                room -= tall;
                first = index;
                if room == 0 || index <= self.top {
                    break;
                }
            }
            self.top = self.top.max(first.min(self.cursor));
            // No row stays free below the end while lines are hidden above.
            let below: usize =
                (self.top..self.lines.len()).map(|index| self.line_height(index)).take(height).sum();
            let mut free = height.saturating_sub(below);
            while let Some(above) = self.top.checked_sub(1) {
                let Some(rest) = free.checked_sub(self.line_height(above)) else { break };
                (self.top, free) = (above, rest);
            }
        } else {
            if self.cursor + margin >= self.top + height {
                self.top = self.cursor + margin + 1 - height;
            }
            self.top = self.top.min(self.last_top());
        }
    }

    fn line_height(&self, index: usize) -> usize {
        if !self.choices.wrap {
            return 1;
        }
        let room = draw::text_columns(self);
        let tall = |file: u32, side: Side, number: Option<u32>| {
            let body = self.body(file)?;
            let lines = if side == Side::Old { &body.old } else { &body.new };
            let text = lines.line(number? as usize);
            Some(crate::text::segment_count(text, TAB_WIDTH, room).min(MOST_WRAPPED_ROWS))
        };
        let Some(line) = self.lines.get(index) else { return 1 };
        match *line {
            Line::Row { file, row } => {
                let Some(row) = self.body(file).and_then(|body| body.rows.get(row as usize)) else {
                    return 1;
                };
                tall(file, Side::Old, row.old).unwrap_or(1).max(tall(file, Side::New, row.new).unwrap_or(1))
            }
            Line::Half { file, row, side } => {
                let Some(row) = self.body(file).and_then(|body| body.rows.get(row as usize)) else {
                    return 1;
                };
                tall(file, side, if side == Side::Old { row.old } else { row.new }).unwrap_or(1)
            }
            _ => 1,
        }
    }

    fn longest_visible(&self) -> usize {
        let end = (self.top + usize::from(self.height)).min(self.lines.len());
        let mut longest = 0;
        for line in &self.lines[self.top.min(end)..end] {
            let (Some(file), Some(row)) = (line.file(), line.row()) else { continue };
            let Some((body, row)) =
                self.body(file).and_then(|body| Some((body, body.rows.get(row as usize)?)))
            else {
                continue;
            };
            for (lines, number) in [(&body.old, row.old), (&body.new, row.new)] {
                if let Some(number) = number {
                    let text = lines.line(number as usize);
                    longest = longest.max(crate::text::column_of(text, TAB_WIDTH, text.len()));
                }
            }
        }
        longest
    }

    /// Words to emphasise in a changed row; found when first drawn and kept.
    fn emphasis(&self, file: u32, row: u32) -> Option<Arc<Emphasis>> {
        if let Some(known) = self.emphasis.borrow().get(&(file, row)) {
            return Some(known.clone());
        }
        let body = self.body(file)?;
        let at = body.rows.get(row as usize)?;
        if at.kind != RowKind::Changed {
            return None;
        }
        let found = Arc::new(words(body.old.line(at.old? as usize), body.new.line(at.new? as usize)));
        let mut known = self.emphasis.borrow_mut();
        if known.len() > 5000 {
            known.clear();
        }
        known.insert((file, row), found.clone());
        Some(found)
    }
}
