//! How far a change reaches: line, hunk, function, file, repository.
//!
//! Promises: follows the definition of Defects4C, with one rule of our own ([`granularity`]) about blank lines
//! and the ends of lines; looks at functions only when several places of one file changed.
//! Leaves to others: what a dataset says about its own tasks.

use super::DiffOptions;
use super::compare::{Change, compare};
use super::lines::Lines;
use crate::syntax::{FunctionSpan, functions};
use crate::task::Granularity;
use std::ops::Range;

/// Both versions of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileVersions<'a> {
    /// Path inside the tree.
    pub path: &'a str,
    /// Our name of its language.
    pub language: &'a str,
    /// The old text; `None`: the file is new.
    pub old: Option<&'a str>,
    /// The new text; `None`: the file was removed.
    pub new: Option<&'a str>,
}

/// How far the change of these files reaches; `None` when none of them changed.
///
/// - line: one line replaced by one, or one line added, or one removed;
/// - hunk: one run of consecutive lines of one file;
/// - function: several places inside one function, judged by the old text, or else by the new one;
/// - file: several places of one file; also a file that was added or removed as a whole;
/// - repository: several files.
///
/// Our own rule: a place where only blank lines come or go, or only white space at the end of lines changes,
/// does not count while anything else changed; otherwise a reference that begins with a blank line would
/// reach "file" whatever it mends. As in the labels of Defects4C it does count inside the function that holds
/// everything else, and a blank line beside a changed line belongs to that change.
pub fn granularity(files: &[FileVersions<'_>]) -> Option<Granularity> {
    let mut reached = Reached::default();
    for file in files {
        reached.add(file, &changes_of(file));
    }
    reached.granularity()
}

/// How far the files reach that were looked at so far.
#[derive(Default)]
pub(super) struct Reached {
    /// The files with more than white space.
    solid: Option<Granularity>,
    /// Those with white space only.
    blank: Option<Granularity>,
}

impl Reached {
    /// Looks at one more file.
    pub(super) fn add(&mut self, file: &FileVersions<'_>, reach: &Reach) {
        let several = |earlier: Option<Granularity>, this: &dyn Fn() -> Granularity| {
            Some(if earlier.is_some() { Granularity::Repository } else { this() })
        };
        match reach {
            Reach::Whole => self.solid = several(self.solid, &|| Granularity::File),
            Reach::Runs(runs) if runs.is_empty() => {}
            Reach::Runs(runs) => {
                let solid = solid_changes(file, runs);
                if solid.is_empty() {
                    self.blank = several(self.blank, &|| of_runs(file, runs));
                } else {
                    self.solid = several(self.solid, &|| of_solid(file, runs, &solid));
                }
            }
        }
    }

    /// How far all of them reach.
    pub(super) fn granularity(&self) -> Option<Granularity> {
        self.solid.or(self.blank)
    }
}

/// What changed in one file.
pub(super) enum Reach {
    /// These runs of lines; none: nothing changed.
    Runs(Vec<Change>),
    /// The file as a whole: added, removed, or not text.
    Whole,
}

/// How far runs of one file reach, when they are all that changed.
fn of_runs(file: &FileVersions<'_>, runs: &[Change]) -> Granularity {
    match runs {
        [run] if run.old.len() <= 1 && run.new.len() <= 1 => Granularity::Line,
        [_] => Granularity::Hunk,
        runs if in_one_function(file, runs) => Granularity::Function,
        _ => Granularity::File,
    }
}

/// How far the runs of one file reach of which these are more than white space.
fn of_solid(file: &FileVersions<'_>, runs: &[Change], solid: &[Change]) -> Granularity {
    if solid != runs && is_several_in_one_function(file, runs, solid) {
        return Granularity::Function;
    }
    of_runs(file, solid)
}

/// What of the runs is more than blank lines and white space at the end of lines. A run is divided at lines
/// whose ends alone changed, and at nothing else.
fn solid_changes(file: &FileVersions<'_>, runs: &[Change]) -> Vec<Change> {
    let (mut old, mut new) =
        (Walk::new(file.old.unwrap_or_default()), Walk::new(file.new.unwrap_or_default()));
    let mut solid = Vec::new();
    for run in runs {
        let (old, new) = (old.solid(&run.old), new.solid(&run.new));
        let comparison = compare(
            old.iter().map(|(_, text)| text.as_bytes()),
            new.iter().map(|(_, text)| text.as_bytes()),
            &DiffOptions::default(),
        );
        solid.extend(comparison.changes.iter().map(|change| Change {
            old: in_text(&change.old, &old, &run.old),
            new: in_text(&change.new, &new, &run.new),
        }));
    }
    solid
}

/// The lines of a text, passed once from the first to the last.
struct Walk<'a> {
    lines: std::iter::Zip<std::ops::RangeFrom<u32>, std::str::SplitInclusive<'a, char>>,
    at: u32,
}

impl<'a> Walk<'a> {
    fn new(text: &'a str) -> Walk<'a> {
        Walk { lines: (0..).zip(text.split_inclusive('\n')), at: 0 }
    }

    /// The lines of a run that are not blank, with their numbers and without the white space at their ends.
    fn solid(&mut self, run: &Range<u32>) -> Vec<(u32, &'a str)> {
        if run.is_empty() {
            return Vec::new();
        }
        let skipped = run.start.saturating_sub(self.at) as usize;
        self.at = run.end;
        let lines = self.lines.by_ref().skip(skipped).take(run.len());
        lines.map(|(number, line)| (number, line.trim_end())).filter(|(_, line)| !line.is_empty()).collect()
    }
}

/// A range of the solid lines of a run, as a range of lines of the text: from the solid line before it to
/// the one behind it.
fn in_text(range: &Range<u32>, solid: &[(u32, &str)], run: &Range<u32>) -> Range<u32> {
    let line = |index: u32| solid.get(index as usize).map(|(line, _)| *line);
    let start = range.start.checked_sub(1).and_then(line).map_or(run.start, |line| line + 1);
    start..line(range.end).unwrap_or(run.end)
}

pub(super) fn changes_of(file: &FileVersions<'_>) -> Reach {
    let (Some(old), Some(new)) = (file.old, file.new) else {
        return if file.old == file.new { Reach::Runs(Vec::new()) } else { Reach::Whole };
    };
    if old == new {
        return Reach::Runs(Vec::new());
    }
    let (old, new) = (Lines::new(old), Lines::new(new));
    let comparison = compare(old.bytes(0..old.len()), new.bytes(0..new.len()), &DiffOptions::default());
    Reach::Runs(comparison.changes)
}

fn in_one_function(file: &FileVersions<'_>, runs: &[Change]) -> bool {
    any_function(file, |side, span| runs.iter().all(|run| is_inside(side(run), span)))
}

/// Whether a function holds all of what is solid, and at least one more of the runs.
fn is_several_in_one_function(file: &FileVersions<'_>, runs: &[Change], solid: &[Change]) -> bool {
    any_function(file, |side, span| {
        let held = runs.iter().filter(|run| is_inside(side(run), span)).count();
        held > 1 && solid.iter().all(|run| is_inside(side(run), span))
    })
}

/// Whether this is true of a function of the old text, or of one of the new text.
fn any_function(
    file: &FileVersions<'_>,
    holds: impl Fn(fn(&Change) -> &Range<u32>, &FunctionSpan) -> bool,
) -> bool {
    let in_text = |text: Option<&str>, side: fn(&Change) -> &Range<u32>| {
        let spans = text.and_then(|text| functions(file.language, text)).unwrap_or_default();
        spans.iter().any(|span| holds(side, span))
    };
    in_text(file.old, |run| &run.old) || in_text(file.new, |run| &run.new)
}

/// A run without lines is a place between two lines; it is inside when both of them are.
fn is_inside(run: &Range<u32>, span: &FunctionSpan) -> bool {
    if run.is_empty() {
        span.lines.start < run.start && run.start < span.lines.end
    } else {
        span.lines.start <= run.start && run.end <= span.lines.end
    }
}

#[cfg(test)]
#[path = "granularity_tests.rs"]
mod tests;
