//! Which removed line became which added line.
//!
//! Promises: pairs keep the order of both sides, so every line has one row; the work is bounded whatever
//! the block looks like. A block of at most [`CELLS`] pairs is solved exactly (the best sum of squared
//! similarities). A larger one is first cut at lines that are equal but for white space and line ends; of
//! what is then still too large, each old line looks at the next [`WINDOW`] new lines only. After
//! [`CELLS_IN_ALL`] comparisons the remaining lines of a difference stay unpaired.
//! Leaves to others: which words of a pair changed (`words`).

use super::compare::{Change, Comparison, changes, numbers, wide};
use super::token::{Token, tokenise};
use super::{Lines, Row, RowKind, Whitespace};
use std::collections::HashMap;
use std::ops::Range;

/// Largest block, old lines times new lines, that is solved exactly.
const CELLS: usize = 10_000;
/// New lines that an old line of a larger block is compared with.
const WINDOW: usize = 8;
/// Comparisons of one difference.
const CELLS_IN_ALL: usize = 4_000_000;
/// Least similarity of a pair, in thousandths.
const THRESHOLD: u32 = 400;
/// The same where one line replaces one line, so that nothing else could be meant.
const THRESHOLD_ALONE: u32 = 300;
/// Score of a pair of blank lines: better than no pair, worse than any other.
const BLANK_SCORE: u32 = 1;
/// A longer line is judged by its first and last half of this many bytes.
const JUDGED_BYTES: usize = 4_000;

/// The rows of a comparison, in order.
pub(super) fn rows(old: &Lines, new: &Lines, comparison: &Comparison) -> Vec<Row> {
    let mut aligner = Aligner {
        old,
        new,
        comparison,
        rows: Vec::with_capacity(comparison.old.len().max(comparison.new.len())),
        cells_left: CELLS_IN_ALL,
        tokens: Vec::new(),
    };
    let (mut at_old, mut at_new) = (0, 0);
    for change in &comparison.changes {
        aligner.equal(at_old..change.old.start, at_new);
        aligner.block(change);
        (at_old, at_new) = (change.old.end, change.new.end);
    }
    aligner.equal(at_old..line_count(comparison.old.len()), at_new);
    aligner.rows
}

fn line_count(len: usize) -> u32 {
    u32::try_from(len).unwrap_or(u32::MAX)
}

/// What similarity looks at: the hashes of a line's words and punctuation, sorted.
struct Features {
    hashes: Vec<(u32, u32)>,
    weight: u32,
}

impl Features {
    /// Similarity in thousandths.
    fn similarity(&self, other: &Features) -> u32 {
        let sum = self.weight + other.weight;
        if sum == 0 {
            return 0;
        }
        let (mut common, mut i, mut j) = (0, 0, 0);
        while let (Some(a), Some(b)) = (self.hashes.get(i), other.hashes.get(j)) {
            match a.0.cmp(&b.0) {
                std::cmp::Ordering::Less => i += 1,
                std::cmp::Ordering::Greater => j += 1,
                std::cmp::Ordering::Equal => {
                    common += a.1.min(b.1);
                    i += 1;
                    j += 1;
                }
            }
        }
        2 * common * 1000 / sum
    }

    /// The score of a pair; zero: no pair.
    fn score(&self, other: &Features, threshold: u32) -> u32 {
        let (less, more) = (self.weight.min(other.weight), self.weight.max(other.weight));
        if more == 0 {
            return BLANK_SCORE;
        }
        // Even if all of the lighter line is common it may not be enough.
        if 2 * less * 1000 < threshold * (less + more) {
            return 0;
        }
        let similarity = self.similarity(other);
        if similarity < threshold { 0 } else { similarity * similarity / 100 }
    }
}

struct Aligner<'a> {
    old: &'a Lines,
    new: &'a Lines,
    comparison: &'a Comparison,
    rows: Vec<Row>,
    cells_left: usize,
    tokens: Vec<Token>,
}

impl Aligner<'_> {
    fn equal(&mut self, old: Range<u32>, new: u32) {
        let pairs = old.clone().zip(new..);
        self.rows.extend(pairs.map(|(old, new)| Row {
            old: Some(old),
            new: Some(new),
            kind: RowKind::Equal,
        }));
    }

    fn unpaired(&mut self, old: Range<u32>, new: Range<u32>) {
        self.rows.extend(old.map(|old| Row { old: Some(old), new: None, kind: RowKind::Removed }));
        self.rows.extend(new.map(|new| Row { old: None, new: Some(new), kind: RowKind::Added }));
    }

    /// A pair inside a replaced run is never equal: the comparison leaves no line on both sides of one.
    fn pair(&mut self, old: u32, new: u32) {
        self.rows.push(Row { old: Some(old), new: Some(new), kind: RowKind::Changed });
    }

    fn block(&mut self, change: &Change) {
        let (old, new) = (change.old.clone(), change.new.clone());
        if old.len().saturating_mul(new.len()) <= CELLS {
            return self.part(old, new);
        }
        let mut known = HashMap::new();
        let old_keys = numbers(&mut known, self.old.bytes(wide(&old)), Whitespace::IgnoreAll);
        let new_keys = numbers(&mut known, self.new.bytes(wide(&new)), Whitespace::IgnoreAll);
        let parts = changes(self.comparison.algorithm, &old_keys, &new_keys, self.comparison.deadline);
        let (mut at_old, mut at_new) = (old.start, new.start);
        for part in parts {
            let (part_old, part_new) = (
                old.start + part.old.start..old.start + part.old.end,
                new.start + part.new.start..new.start + part.new.end,
            );
            for (old, new) in (at_old..part_old.start).zip(at_new..) {
                self.pair(old, new);
            }
            (at_old, at_new) = (part_old.end, part_new.end);
            self.part(part_old, part_new);
        }
        for (old, new) in (at_old..old.end).zip(at_new..) {
            self.pair(old, new);
        }
    }

    fn part(&mut self, old: Range<u32>, new: Range<u32>) {
        let cells = old.len().saturating_mul(new.len());
        let window = old.len().saturating_mul(WINDOW);
        if cells == 0 || cells.min(window) > self.cells_left {
            self.unpaired(old, new);
        } else if cells <= CELLS && cells <= self.cells_left {
            self.cells_left -= cells;
            self.exact(old, new);
        } else {
            self.cells_left -= window;
            self.greedy(old, new);
        }
    }

    fn features(&mut self, old: bool, lines: &Range<u32>) -> Vec<Features> {
        let table = if old { self.old } else { self.new };
        wide(lines).map(|n| features(table.line(n), &mut self.tokens)).collect()
    }

    fn exact(&mut self, old: Range<u32>, new: Range<u32>) {
        let threshold = if old.len() == 1 && new.len() == 1 { THRESHOLD_ALONE } else { THRESHOLD };
        let (a, b) = (self.features(true, &old), self.features(false, &new));
        let width = b.len() + 1;
        let mut scores = vec![0_u32; a.len() * width];
        let mut best = vec![0_u32; (a.len() + 1) * width];
        for i in (0..a.len()).rev() {
            for j in (0..b.len()).rev() {
                let score = a[i].score(&b[j], threshold);
                scores[i * width + j] = score;
                let paired = if score > 0 { score + best[(i + 1) * width + j + 1] } else { 0 };
                best[i * width + j] = paired.max(best[(i + 1) * width + j]).max(best[i * width + j + 1]);
            }
        }
        let (mut i, mut j) = (0, 0);
        let (mut open_old, mut open_new) = (old.start, new.start);
        while i < a.len() && j < b.len() {
            let here = best[i * width + j];
            let score = scores[i * width + j];
            if score > 0 && here == score + best[(i + 1) * width + j + 1] {
                let (line_old, line_new) = (old.start + line_count(i), new.start + line_count(j));
                self.unpaired(open_old..line_old, open_new..line_new);
                self.pair(line_old, line_new);
                (open_old, open_new) = (line_old + 1, line_new + 1);
                i += 1;
                j += 1;
            } else if here == best[(i + 1) * width + j] {
                i += 1;
            } else {
                j += 1;
            }
        }
        self.unpaired(open_old..old.end, open_new..new.end);
    }

    fn greedy(&mut self, old: Range<u32>, new: Range<u32>) {
        let b = self.features(false, &new);
        let (mut open_old, mut open_new) = (old.start, new.start);
        for line_old in old.clone() {
            let a = features(self.old.line(line_old as usize), &mut self.tokens);
            let from = (open_new - new.start) as usize;
            let mut found: Option<(u32, u32)> = None;
            for (candidate, line_new) in b.iter().skip(from).take(WINDOW).zip(open_new..) {
                let score = a.score(candidate, THRESHOLD);
                if score > found.map_or(0, |(score, _)| score) {
                    found = Some((score, line_new));
                }
            }
            if let Some((_, line_new)) = found {
                self.unpaired(open_old..line_old, open_new..line_new);
                self.pair(line_old, line_new);
                (open_old, open_new) = (line_old + 1, line_new + 1);
            }
        }
        self.unpaired(open_old..old.end, open_new..new.end);
    }
}

fn features(line: &str, tokens: &mut Vec<Token>) -> Features {
    let mut hashes: Vec<(u32, u32)> = Vec::new();
    let mut add = |text: &str| {
        tokenise(text, tokens);
        hashes.extend(
            tokens.iter().map(|token| (token.hash, token.solid_weight())).filter(|(_, weight)| *weight > 0),
        );
    };
    if line.len() <= JUDGED_BYTES {
        add(line);
    } else {
        add(&line[..line.floor_char_boundary(JUDGED_BYTES / 2)]);
        add(&line[line.ceil_char_boundary(line.len() - JUDGED_BYTES / 2)..]);
    }
    hashes.sort_unstable();
    let weight = hashes.iter().map(|(_, weight)| *weight).sum();
    Features { hashes, weight }
}
