//! Which runs of lines differ: the line difference itself, without any alignment.
//!
//! Promises: the work is bounded by a budget of time, the one place in the pure rooms where a clock is
//! read; when the budget is used up the rest is found in one pass (`common`) and
//! [`Comparison::cut_short`] is set. No run has the same line on both of its sides: counts, patches and
//! aligned rows all say the same about it.
//! Leaves to others: pairing the lines of a run (`align`).

use super::common::divide;
use super::{Algorithm, DiffOptions, Whitespace};
use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::time::Instant;

/// A run of old lines and the new lines that take its place: not both are empty, and no line is in both.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    pub old: Range<u32>,
    pub new: Range<u32>,
}

/// Two texts whose lines are numbers: equal numbers mean equal lines.
pub(super) struct Comparison {
    pub old: Vec<u32>,
    pub new: Vec<u32>,
    pub changes: Vec<Change>,
    pub cut_short: bool,
    pub(super) deadline: Option<Instant>,
    pub(super) algorithm: Algorithm,
}

/// Compares lines, given with their endings.
pub(super) fn compare<'a>(
    old: impl Iterator<Item = &'a [u8]>,
    new: impl Iterator<Item = &'a [u8]>,
    options: &DiffOptions,
) -> Comparison {
    let deadline = Instant::now().checked_add(options.budget);
    let mut known = HashMap::new();
    let old = numbers(&mut known, old, options.whitespace);
    let new = numbers(&mut known, new, options.whitespace);
    let changes = divide(changes(options.algorithm, &old, &new, deadline), &old, &new);
    let cut_short = !changes.is_empty() && deadline.is_some_and(|deadline| Instant::now() > deadline);
    Comparison { old, new, changes, cut_short, deadline, algorithm: options.algorithm }
}

/// Numbers for lines; the same number for lines that count as the same.
pub(super) fn numbers<'a>(
    known: &mut HashMap<Cow<'a, [u8]>, u32>,
    lines: impl Iterator<Item = &'a [u8]>,
    whitespace: Whitespace,
) -> Vec<u32> {
    lines
        .map(|line| {
            let next = u32::try_from(known.len()).unwrap_or(u32::MAX);
            *known.entry(key(line, whitespace)).or_insert(next)
        })
        .collect()
}

/// What of a line counts. White space is git's: blank, tab, `\r`, `\n`.
fn key(line: &[u8], whitespace: Whitespace) -> Cow<'_, [u8]> {
    let is_space = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r' | b'\n');
    match whitespace {
        Whitespace::Exact => Cow::Borrowed(line),
        Whitespace::IgnoreAmount => {
            let end = line.iter().rposition(|byte| !is_space(byte)).map_or(0, |last| last + 1);
            let mut key = Vec::with_capacity(end);
            for byte in &line[..end] {
                match is_space(byte) {
                    true if key.last() == Some(&b' ') => {}
                    true => key.push(b' '),
                    false => key.push(*byte),
                }
            }
            Cow::Owned(key)
        }
        Whitespace::IgnoreAll => Cow::Owned(line.iter().copied().filter(|byte| !is_space(byte)).collect()),
    }
}

/// The runs that differ, in order, with at least one equal line between two of them.
pub(super) fn changes(
    algorithm: Algorithm,
    old: &[u32],
    new: &[u32],
    deadline: Option<Instant>,
) -> Vec<Change> {
    let algorithm = match algorithm {
        Algorithm::Myers => similar::Algorithm::Myers,
        Algorithm::Patience => similar::Algorithm::Patience,
        Algorithm::Histogram => similar::Algorithm::Histogram,
    };
    let mut changes: Vec<Change> = Vec::new();
    for operation in similar::capture_diff_slices_deadline(algorithm, old, new, deadline) {
        if operation.tag() == similar::DiffTag::Equal {
            continue;
        }
        let (old, new) = (narrow(operation.old_range()), narrow(operation.new_range()));
        match changes.last_mut() {
            Some(last) if last.old.end == old.start && last.new.end == new.start => {
                last.old.end = old.end;
                last.new.end = new.end;
            }
            _ => changes.push(Change { old, new }),
        }
    }
    changes
}

/// Lines count in `u32`: a text of four thousand million lines does not reach this place.
fn narrow(range: Range<usize>) -> Range<u32> {
    let narrow = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    narrow(range.start)..narrow(range.end)
}

/// Line ranges as indices.
pub(super) fn wide(range: &Range<u32>) -> Range<usize> {
    range.start as usize..range.end as usize
}
