//! Remarks on lines: what compilers, analysers and failed tests have to say.
//!
//! Promises: a remark stays on its line whatever is folded, wrapped or compared anew; of several on one line the
//! worst is shown and all are told. Leaves to others: where remarks come from, telling them (`screens::task`).

use super::{DiffView, lines, text};
use crate::diff::{FileBody, Segment, Side, fold};
use crate::theme::Role;
use std::collections::{BTreeMap, HashMap};

/// What a remark is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MarkKind {
    /// Explains another.
    Note,
    /// Worth a look.
    Warning,
    /// It does not build.
    Error,
    /// A test failed here.
    Failure,
}

impl MarkKind {
    /// The letter in the gutter.
    pub fn letter(self) -> &'static str {
        match self {
            MarkKind::Note => "N",
            MarkKind::Warning => "W",
            MarkKind::Error => "E",
            MarkKind::Failure => "F",
        }
    }

    /// Its role.
    pub fn role(self) -> Role {
        match self {
            MarkKind::Note => Role::StatusInfo,
            MarkKind::Warning => Role::StatusWarn,
            MarkKind::Error | MarkKind::Failure => Role::StatusError,
        }
    }
}

/// A remark on a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mark {
    /// Path inside the tree.
    pub file: String,
    /// Which version.
    pub side: Side,
    /// Line, from 0.
    pub line: u32,
    /// What it is.
    pub kind: MarkKind,
    /// What it says, untrusted.
    pub message: String,
}

/// Marks by file, and old or new line.
#[derive(Debug, Default)]
pub(super) struct Marks {
    all: Vec<Mark>,
    by_line: HashMap<(u32, bool, u32), Vec<usize>>,
}

impl Marks {
    fn on(&self, file: u32, side: Side, line: Option<u32>) -> &[usize] {
        let found = line.and_then(|line| self.by_line.get(&(file, side == Side::Old, line)));
        found.map_or(&[], Vec::as_slice)
    }
}

impl DiffView {
    /// Takes these remarks in the place of earlier ones.
    pub fn set_marks(&mut self, marks: Vec<Mark>) {
        self.marks = Marks { all: marks, by_line: HashMap::new() };
        self.place_marks();
    }

    /// Finds the lines of the remarks again, after the files changed their numbers.
    pub(super) fn place_marks(&mut self) {
        let files: BTreeMap<&str, u32> = self
            .diff
            .files
            .iter()
            .enumerate()
            .map(|(number, file)| (file.path.as_str(), number as u32))
            .collect();
        self.marks.by_line.clear();
        for (index, mark) in self.marks.all.iter().enumerate() {
            if let Some(file) = files.get(mark.file.as_str()) {
                let place = (*file, mark.side == Side::Old, mark.line);
                self.marks.by_line.entry(place).or_default().push(index);
            }
        }
    }

    /// The worst remark on a line of a side.
    pub(super) fn mark_kind(&self, file: u32, side: Side, line: Option<u32>) -> Option<MarkKind> {
        let marks = self.marks.on(file, side, line).iter();
        marks.filter_map(|index| self.marks.all.get(*index)).map(|mark| mark.kind).max()
    }

    /// Whether any remark is on a line of these files.
    pub fn has_marks(&self) -> bool {
        !self.marks.by_line.is_empty()
    }

    /// What is said of the cursor's line: the worst first.
    pub fn remarks_here(&self) -> Vec<&Mark> {
        let mut found: Vec<&Mark> = self
            .lines
            .get(self.cursor)
            .map_or_else(Vec::new, |line| self.marks_of(*line))
            .into_iter()
            .collect();
        found.sort_by_key(|mark| std::cmp::Reverse(mark.kind));
        found
    }

    fn marks_of(&self, line: lines::Line) -> Vec<&Mark> {
        let (file, number, sides): (u32, u32, &[Side]) = match line {
            lines::Line::Row { file, row } => (file, row, &[Side::Old, Side::New]),
            lines::Line::Half { file, row, side } => match side {
                Side::Old => (file, row, &[Side::Old]),
                Side::New => (file, row, &[Side::New]),
            },
            _ => return Vec::new(),
        };
        let Some(row) = self.body(file).and_then(|body| body.rows.get(number as usize)) else {
            return Vec::new();
        };
        let equal = row.old.is_some() && row.kind == crate::diff::RowKind::Equal;
        let sides = if equal { &[Side::Old, Side::New][..] } else { sides };
        sides
            .iter()
            .flat_map(|side| self.marks.on(file, *side, if *side == Side::Old { row.old } else { row.new }))
            .filter_map(|index| self.marks.all.get(*index))
            .collect()
    }

    /// To the next or previous remark, unfolding what hides it; says whether there was one.
    pub fn mark_step(&mut self, forward: bool) -> bool {
        let here = self.lines.get(self.cursor).and_then(|line| Some((line.file()?, line.row().unwrap_or(0))));
        let here = here.unwrap_or((0, 0));
        let mut places: Vec<(u32, u32, Side, u32)> = self
            .marks
            .by_line
            .keys()
            .filter_map(|(file, old, line)| {
                let side = if *old { Side::Old } else { Side::New };
                Some((*file, self.row_of(*file, side, *line)?, side, *line))
            })
            .collect();
        places.sort_unstable_by_key(|(file, row, side, _)| (*file, *row, *side == Side::New));
        let found = if forward {
            places.iter().find(|(file, row, ..)| (*file, *row) > here)
        } else {
            places.iter().rev().find(|(file, row, ..)| (*file, *row) < here)
        };
        let Some((file, row, side, _)) = found.copied() else { return false };
        self.show_row(file, row, side);
        true
    }

    /// The row that shows a line of a side, or the nearest one.
    fn row_of(&self, file: u32, side: Side, line: u32) -> Option<u32> {
        let body = self.body(file)?;
        let number = |row: &crate::diff::Row| if side == Side::Old { row.old } else { row.new };
        let rows =
            body.rows.iter().enumerate().filter_map(|(at, row)| Some((number(row)?.abs_diff(line), at)));
        rows.min().map(|(_, at)| at as u32)
    }

    /// Goes to a line (from 1) of a file, unfolding what hides it; says whether the file is here.
    pub fn go_to(&mut self, path: &str, side: Side, line: u32) -> bool {
        let file = self.diff.files.iter().position(|file| file.path == path);
        let Some(file) = file.map(|file| file as u32) else { return false };
        let is_text =
            self.diff.files.get(file as usize).is_some_and(|file| matches!(file.body, FileBody::Text { .. }));
        match self.row_of(file, side, line.saturating_sub(1)).filter(|_| is_text) {
            Some(row) => self.show_row(file, row, side),
            None => {
                self.cursor = lines::find(&self.lines, lines::Place { file, row: None, side: None });
                self.keep_visible();
            }
        }
        true
    }

    fn show_row(&mut self, file: u32, row: u32, side: Side) {
        let folded = self.folding.context.and_then(|context| {
            let segments = fold(text(&self.diff.files.get(file as usize)?.body)?, context);
            segments.into_iter().find_map(|segment| match segment {
                Segment::Folded(rows) if rows.contains(&(row as usize)) => Some(rows.start as u32),
                _ => None,
            })
        });
        if let Some(start) = folded
            && self.folding.opened.insert((file, start))
        {
            self.rebuild();
        }
        let place = lines::Place { file, row: Some(row), side: Some(side) };
        self.cursor = lines::find(&self.lines, place);
        // A jump puts the line where reading starts, a third down.
        if self.cursor < self.top || self.cursor >= self.top + usize::from(self.height) {
            self.top = self.cursor.saturating_sub(usize::from(self.height) / 3).min(self.last_top());
        }
        self.keep_visible();
    }
}
