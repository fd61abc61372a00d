//! The lines that a prompt marks as those to be replaced (forms `hunk` and `line`).
//!
//! Promises: pure; a place in the buggy code is found again in newer code only where nothing else changed.
//! Leaves to others: hiding the lines (`view`). Whoever shows a place tells where the reference changes something.

use crate::diff::{Diff, DiffOptions};
use crate::repair::file::{FileText, plain};
use crate::repair::form::Place;
use crate::task::Task;
use std::ops::Range;

/// The runs of lines of the buggy tree that the reference changes, in path order. Added and deleted files, and files that
/// are not text, have none.
pub fn reference_places(task: &Task) -> Vec<Place> {
    let mut places = Vec::new();
    for file in task.changed_files() {
        let (Some(buggy), Some(reference)) = (file.buggy, file.reference) else { continue };
        let (Some(buggy), Some(reference)) = (FileText::read(buggy), FileText::read(reference)) else {
            continue;
        };
        let diff = Diff::compute(&plain(&buggy.text), &plain(&reference.text), &DiffOptions::default());
        let found = diff.hunks.into_iter();
        places.extend(found.map(|hunk| Place { file: file.path.to_owned(), lines: hunk.old }));
    }
    places
}

/// Where a place of the buggy text lies in a newer one; `None` where anything outside of it changed.
pub fn follow_place(place: &Range<u32>, buggy: &str, newer: &str) -> Option<Range<u32>> {
    let (old, new): (Vec<&str>, Vec<&str>) = (buggy.lines().collect(), newer.lines().collect());
    let (start, end) = (place.start as usize, place.end as usize);
    let before = old.get(..start)?;
    let after = old.get(end..)?;
    let new_end = new.len().checked_sub(after.len())?;
    let fits = new_end >= start && new.get(..start) == Some(before) && new.get(new_end..) == Some(after);
    fits.then_some(())?;
    Some(place.start..u32::try_from(new_end).ok()?)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used, clippy::reversed_empty_ranges)]
    use super::*;
    use crate::task::Content;

    #[test]
    fn a_place_moves_with_its_lines_and_with_nothing_else() {
        let buggy = "a\nb\nc\nd\n";
        for (place, newer, expected) in [
            (1..2, "a\nB\nc\nd\n", Some(1..2)),
            (1..2, "a\nB\nB\nB\nc\nd\n", Some(1..4)),
            (1..3, "a\nd\n", Some(1..1)),
            (1..1, "a\nx\nb\nc\nd\n", Some(1..2)),
            (0..4, "", Some(0..0)),
            (1..2, "A\nB\nc\nd\n", None),
            (1..2, "a\nB\nc\n", None),
            (3..9, "a\nb\nc\nd\n", None),
            (3..2, "a\nb\nc\nd\n", None),
        ] {
            assert_eq!(follow_place(&place, buggy, newer), expected, "{place:?} {newer:?}");
        }
    }

    #[test]
    fn places_are_what_the_reference_changes() {
        let mut task = Task::new("d", "t");
        task.files.base.insert("a.py".to_owned(), Content::from("1\n2\n3\n4\n5\n6\n7\n8\n"));
        task.files.reference.insert("a.py".to_owned(), Content::from("1\nx\n3\n4\n5\n6\n7\n8\n9\n"));
        task.files.reference.insert("new.py".to_owned(), Content::from("n\n"));
        let places = reference_places(&task);
        let lines: Vec<_> = places.iter().map(|place| (place.file.as_str(), place.lines.clone())).collect();
        assert_eq!(lines, [("a.py", 1..2), ("a.py", 8..8)]);
    }
}
