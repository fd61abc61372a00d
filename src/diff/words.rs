//! Which words of a changed line changed.
//!
//! Promises: ranges of whole tokens, in order, apart, and only what differs: outside of them the two
//! lines are the same but for white space beside a changed word. Where almost nothing is common there are no ranges: the line as a whole changed.
//! Leaves to others: which lines belong together (`align`).

use super::token::{Token, TokenKind, tokenise};
use std::ops::Range;

/// The changed words of two lines, as byte ranges.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Emphasis {
    /// Ranges of the old line.
    pub old: Vec<Range<u32>>,
    /// Ranges of the new line.
    pub new: Vec<Range<u32>>,
}

impl Emphasis {
    /// Whether nothing is to be emphasised.
    pub fn is_empty(&self) -> bool {
        self.old.is_empty() && self.new.is_empty()
    }
}

/// Longest changed part of a line, in bytes, that is compared word by word.
const MAX_BYTES: usize = 4_000;
/// Largest table for the exact comparison, tokens times tokens; beyond it Myers' heuristics do.
const MAX_TABLE: usize = 40_000;
/// Least common part, in thousandths of both lines.
const LEAST_COMMON: u64 = 300;

/// The words by which two lines (without their endings) differ.
///
/// Empty for equal lines, for lines with almost nothing in common, and where the part that differs is
/// longer than 4,000 bytes.
pub fn words(old: &str, new: &str) -> Emphasis {
    if old == new {
        return Emphasis::default();
    }
    let (prefix, suffix) = common_ends(old, new);
    let old_middle = &old[prefix..old.len() - suffix];
    let new_middle = &new[prefix..new.len() - suffix];
    if old_middle.len().max(new_middle.len()) > MAX_BYTES {
        return Emphasis::default();
    }
    let (mut a, mut b) = (Vec::new(), Vec::new());
    tokenise(old_middle, &mut a);
    tokenise(new_middle, &mut b);
    let mut pair = Pair {
        old: old_middle.as_bytes(),
        new: new_middle.as_bytes(),
        a,
        b,
        kept_a: Vec::new(),
        kept_b: Vec::new(),
    };
    pair.compare();
    if !pair.enough_in_common(&old[..prefix], &old[old.len() - suffix..]) {
        return Emphasis::default();
    }
    Emphasis { old: ranges(&pair.a, &pair.kept_a, prefix), new: ranges(&pair.b, &pair.kept_b, prefix) }
}

/// Bytes that are common at the start and at the end, cut back to where a token surely ends.
fn common_ends(old: &str, new: &str) -> (usize, usize) {
    let (a, b) = (old.as_bytes(), new.as_bytes());
    let prefix = a.iter().zip(b).take_while(|(a, b)| a == b).count();
    let prefix = a[..prefix].iter().rposition(|byte| is_border(*byte)).unwrap_or(0);
    let (a, b) = (&a[prefix..], &b[prefix..]);
    let suffix = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    let tail = &a[a.len() - suffix..];
    // Behind the border must not be what would join it, a combining mark.
    let ends_token = |at: &usize| is_border(tail[*at]) && tail.get(at + 1).is_none_or(u8::is_ascii);
    let suffix = (0..tail.len()).find(ends_token).map_or(0, |at| suffix - at - 1);
    (prefix, suffix)
}

/// ASCII punctuation that begins a token whatever stands before it.
fn is_border(byte: u8) -> bool {
    byte.is_ascii_punctuation() && !matches!(byte, b'_' | b'.')
}

struct Pair<'a> {
    old: &'a [u8],
    new: &'a [u8],
    a: Vec<Token>,
    b: Vec<Token>,
    /// Which tokens of `a` and of `b` have a counterpart.
    kept_a: Vec<bool>,
    kept_b: Vec<bool>,
}

impl Pair<'_> {
    fn same(&self, i: usize, j: usize) -> bool {
        let (a, b) = (&self.a[i], &self.b[j]);
        a.hash == b.hash
            && self.old[a.start as usize..a.end as usize] == self.new[b.start as usize..b.end as usize]
    }

    /// Marks the tokens of both sides as common or changed.
    fn compare(&mut self) {
        let mut common: Vec<(usize, usize)> = Vec::new();
        let (n, m) = (self.a.len(), self.b.len());
        let head = (0..n.min(m)).take_while(|at| self.same(*at, *at)).count();
        let tail = (0..n.min(m) - head).take_while(|at| self.same(n - 1 - at, m - 1 - at)).count();
        common.extend((0..head).map(|at| (at, at)));
        let (rows, columns) = (head..n - tail, head..m - tail);
        if rows.len().saturating_mul(columns.len()) <= MAX_TABLE {
            self.heaviest(rows, columns, &mut common);
        } else {
            let a: Vec<u32> = self.a[rows].iter().map(|token| token.hash).collect();
            let b: Vec<u32> = self.b[columns].iter().map(|token| token.hash).collect();
            for operation in similar::capture_diff_slices(similar::Algorithm::Myers, &a, &b) {
                if operation.tag() == similar::DiffTag::Equal {
                    let pairs = operation.old_range().zip(operation.new_range());
                    let pairs = pairs.map(|(i, j)| (head + i, head + j));
                    common.extend(pairs.filter(|(i, j)| self.same(*i, *j)));
                }
            }
        }
        common.extend((0..tail).map(|at| (n - 1 - at, m - 1 - at)));
        self.kept_a = vec![false; n];
        self.kept_b = vec![false; m];
        for (i, j) in common {
            self.kept_a[i] = true;
            self.kept_b[j] = true;
        }
    }

    /// The common subsequence that weighs most; words weigh more than punctuation, so that lines are held
    /// together by what people read.
    fn heaviest(&self, rows: Range<usize>, columns: Range<usize>, common: &mut Vec<(usize, usize)>) {
        let width = columns.len() + 1;
        let mut best = vec![0_u32; (rows.len() + 1) * width];
        for i in (0..rows.len()).rev() {
            for j in (0..columns.len()).rev() {
                let skip = best[(i + 1) * width + j].max(best[i * width + j + 1]);
                best[i * width + j] = if self.same(rows.start + i, columns.start + j) {
                    skip.max(best[(i + 1) * width + j + 1] + self.a[rows.start + i].weight())
                } else {
                    skip
                };
            }
        }
        let (mut i, mut j) = (0, 0);
        while i < rows.len() && j < columns.len() {
            let here = best[i * width + j];
            if self.same(rows.start + i, columns.start + j)
                && here == best[(i + 1) * width + j + 1] + self.a[rows.start + i].weight()
            {
                common.push((rows.start + i, columns.start + j));
                i += 1;
                j += 1;
            } else if here == best[(i + 1) * width + j] {
                i += 1;
            } else {
                j += 1;
            }
        }
    }

    fn enough_in_common(&self, prefix: &str, suffix: &str) -> bool {
        let weigh = |tokens: &[Token], kept: &[bool]| {
            tokens.iter().zip(kept).fold((0, 0), |(all, common), (token, kept)| {
                let weight = u64::from(token.solid_weight());
                (all + weight, common + if *kept { weight } else { 0 })
            })
        };
        let (all_a, common_a) = weigh(&self.a, &self.kept_a);
        let (all_b, common_b) = weigh(&self.b, &self.kept_b);
        // The common ends are not cut into tokens: a byte that is not blank counts like a letter.
        let ends =
            prefix.bytes().chain(suffix.bytes()).filter(|byte| !byte.is_ascii_whitespace()).count() as u64;
        let all = all_a + all_b + 2 * ends;
        let common = common_a + common_b + 2 * ends;
        all == 0 || common * 1000 >= LEAST_COMMON * all
    }
}

/// The changed stretches, joined where only white space lies between, without white space at their ends
/// unless there is nothing else.
fn ranges(tokens: &[Token], kept: &[bool], offset: usize) -> Vec<Range<u32>> {
    let mut stretches: Vec<Range<usize>> = Vec::new();
    for (at, _) in kept.iter().enumerate().filter(|(_, kept)| !**kept) {
        match stretches.last_mut() {
            Some(last)
                if last.end == at
                    || tokens[last.end..at].iter().all(|token| token.kind == TokenKind::Space) =>
            {
                last.end = at + 1;
            }
            _ => stretches.push(at..at + 1),
        }
    }
    let offset = u32::try_from(offset).unwrap_or(u32::MAX);
    let range = |stretch: Range<usize>| {
        let stretch = &tokens[stretch];
        let solid = |token: &&Token| token.kind != TokenKind::Space;
        let first = stretch.iter().find(solid).or(stretch.first())?;
        let last = stretch.iter().rev().find(solid).or(stretch.last())?;
        Some(offset + first.start..offset + last.end)
    };
    stretches.into_iter().filter_map(range).collect()
}

#[cfg(test)]
#[path = "words_tests.rs"]
mod tests;
