//! How far a change reaches: line, hunk, function, file, repository.
//!
//! Promises: follows the definition of Defects4C; looks at functions only when several places of one file
//! changed.
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
pub fn granularity(files: &[FileVersions<'_>]) -> Option<Granularity> {
    let mut changed =
        files.iter().map(|file| (file, changes_of(file))).filter(|(_, reach)| reach.is_change());
    let (file, reach) = changed.next()?;
    if changed.next().is_some() {
        return Some(Granularity::Repository);
    }
    Some(reach.granularity(file))
}

/// What changed in one file.
pub(super) enum Reach {
    /// These runs of lines; none: nothing changed.
    Runs(Vec<Change>),
    /// The file as a whole: added, removed, or not text.
    Whole,
}

impl Reach {
    pub(super) fn is_change(&self) -> bool {
        !matches!(self, Reach::Runs(runs) if runs.is_empty())
    }

    /// How far this reaches, when it is all that changed.
    pub(super) fn granularity(&self, file: &FileVersions<'_>) -> Granularity {
        match self {
            Reach::Whole => Granularity::File,
            Reach::Runs(runs) => match runs.as_slice() {
                [run] if run.old.len() <= 1 && run.new.len() <= 1 => Granularity::Line,
                [_] => Granularity::Hunk,
                runs if in_one_function(file, runs) => Granularity::Function,
                _ => Granularity::File,
            },
        }
    }
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
    let holds = |text: Option<&str>, side: fn(&Change) -> &Range<u32>| {
        let spans = text.and_then(|text| functions(file.language, text)).unwrap_or_default();
        spans.iter().any(|span| runs.iter().all(|run| is_inside(side(run), span)))
    };
    holds(file.old, |run| &run.old) || holds(file.new, |run| &run.new)
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
