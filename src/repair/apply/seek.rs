//! Where in a file some lines stand: as they are, with other white space or punctuation, or most nearly.
//!
//! Promises: linear in the file for all but the last, bounded step; a place that is one of several equally
//! good ones is never given back without something that tells it from the others.
//! Leaves to others: what is done at the place (`hunks`).

use crate::repair::extract::punctuation;
use crate::repair::outcome::Score;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::ops::Range;

/// The least score at which a place counts as found: four of five lines the same, the others alike.
pub const FUZZY_AT_LEAST: f64 = 0.8;
/// How much better than any other place a fuzzy one must be.
const MARGIN: f64 = 0.05;
/// Most comparisons of lines in one fuzzy search.
const MOST_WORK: usize = 20_000_000;
/// Windows whose lines are compared letter by letter.
const CLOSE_LOOKS: usize = 50;
/// Longest line that is compared letter by letter, in bytes.
const LONG_LINE: usize = 500;
/// Places that are told of.
const PLACES: usize = 1_000;

/// How like the lines are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Likeness {
    /// The same.
    Same,
    /// The same but for white space at line ends.
    Ends,
    /// The same but for white space at both sides, uniformly.
    Indentation,
    /// The same but for white space and typographic punctuation.
    Punctuation,
    /// Most of them are the same.
    Fuzzy(Score),
}

/// A place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Place {
    /// Its first line, from 0.
    pub line: usize,
    /// How like it is.
    pub likeness: Likeness,
}

/// Why there is none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Miss {
    /// Several equally good ones: their lines, from 0.
    Several(Vec<usize>),
    /// None; the best one, with its score.
    None(Option<(usize, Score)>),
}

/// What tells one of several places from the others, in this order.
#[derive(Debug, Clone, Default)]
pub(super) struct Hints {
    /// Lines at which it should begin, the surest first.
    pub lines: Vec<usize>,
    /// Lines of the functions that were asked for.
    pub within: Vec<Range<usize>>,
    /// Lines that the answer names as standing above.
    pub after: Option<usize>,
    /// Whether fuzzy places count.
    pub fuzzy: bool,
}

/// A file's lines, prepared for searching.
pub(super) struct Haystack<'a> {
    lines: Vec<&'a str>,
    levels: Vec<Vec<u64>>,
}

/// A likeness, and the number that equal lines share under it.
type Level = (Likeness, fn(&str) -> u64);

const LEVELS: [Level; 4] = [
    (Likeness::Same, |line| hash(line)),
    (Likeness::Ends, |line| hash(line.trim_end())),
    (Likeness::Indentation, |line| hash(line.trim())),
    (Likeness::Punctuation, |line| hash(punctuation(line).trim())),
];

fn hash(line: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    line.hash(&mut hasher);
    hasher.finish()
}

impl<'a> Haystack<'a> {
    /// Lines come without their ends.
    pub(super) fn new(lines: Vec<&'a str>) -> Haystack<'a> {
        let levels = LEVELS.iter().map(|(_, key)| lines.iter().map(|line| key(line)).collect()).collect();
        Haystack { lines, levels }
    }

    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    pub(super) fn line(&self, line: usize) -> &'a str {
        self.lines.get(line).copied().unwrap_or_default()
    }

    /// The place of `needle`, which holds at least one line.
    pub(super) fn find(&self, needle: &[&str], hints: &Hints) -> Result<Place, Miss> {
        for (level, (likeness, key)) in LEVELS.iter().enumerate() {
            let wanted: Vec<u64> = needle.iter().map(|line| key(line)).collect();
            let mut found = self.levels.get(level).map_or(Vec::new(), |lines| positions(lines, &wanted));
            if *likeness == Likeness::Indentation {
                found.retain(|line| self.shifts_uniformly(*line, needle));
            }
            match found.as_slice() {
                [] => {}
                [line] => return Ok(Place { line: *line, likeness: *likeness }),
                several => {
                    let told = tell_apart(several, needle.len(), hints);
                    return told
                        .map(|line| Place { line, likeness: *likeness })
                        .ok_or_else(|| Miss::Several(several.to_vec()));
                }
            }
        }
        self.find_fuzzy(needle, hints)
    }

    /// Whether every line is moved by the same white space, so that new lines can be moved too.
    fn shifts_uniformly(&self, line: usize, needle: &[&str]) -> bool {
        let mut pairs = needle.iter().enumerate().filter(|(_, text)| !text.trim().is_empty());
        let Some((number, text)) = pairs.next() else { return true };
        let first = shift(text, self.line(line + number));
        pairs.all(|(number, text)| shift(text, self.line(line + number)) == first)
    }

    fn find_fuzzy(&self, needle: &[&str], hints: &Hints) -> Result<Place, Miss> {
        let windows = (self.len() + 1).saturating_sub(needle.len());
        if !hints.fuzzy || windows == 0 || windows.saturating_mul(needle.len()) > MOST_WORK {
            return Err(Miss::None(None));
        }
        let (_, key) = LEVELS[3];
        let wanted: Vec<u64> = needle.iter().map(|line| key(line)).collect();
        let lines = &self.levels[3];
        let same = |start: usize| wanted.iter().zip(&lines[start..]).filter(|(one, two)| one == two).count();
        // Half of the lines must be the same; a single line is compared letter by letter at once.
        let mut likely: Vec<(usize, usize)> = (0..windows)
            .map(|start| (same(start), start))
            .filter(|(same, _)| same * 2 >= needle.len() || needle.len() <= 2)
            .collect();
        likely.sort_by_key(|(same, start)| (std::cmp::Reverse(*same), *start));
        likely.truncate(if needle.len() <= 2 { 5_000 } else { CLOSE_LOOKS });
        let mut scored: Vec<(f64, usize)> =
            likely.iter().map(|(_, start)| (self.score(*start, needle), *start)).collect();
        scored.sort_by(|one, two| two.0.total_cmp(&one.0).then(one.1.cmp(&two.1)));
        let Some(&(best, line)) = scored.first() else { return Err(Miss::None(None)) };
        if best < FUZZY_AT_LEAST {
            return Err(Miss::None(Some((line, Score::new(best)))));
        }
        let near: Vec<usize> =
            scored.iter().take_while(|(score, _)| *score > best - MARGIN).map(|(_, line)| *line).collect();
        match near.as_slice() {
            [_] => Ok(Place { line, likeness: Likeness::Fuzzy(Score::new(best)) }),
            several => match tell_apart(several, needle.len(), hints) {
                Some(line) => Ok(Place { line, likeness: Likeness::Fuzzy(Score::new(best)) }),
                None => Err(Miss::Several(several.to_vec())),
            },
        }
    }

    /// The mean likeness of the lines of a window.
    fn score(&self, start: usize, needle: &[&str]) -> f64 {
        let like = |(number, text): (usize, &&str)| {
            let (one, two) = (text.trim(), self.line(start + number).trim());
            if one == two {
                1.0
            } else if one.len() > LONG_LINE || two.len() > LONG_LINE {
                0.0
            } else {
                strsim::normalized_levenshtein(one, two)
            }
        };
        let sum: f64 = needle.iter().enumerate().map(like).sum();
        sum / needle.len() as f64
    }
}

/// By which white space a line of an answer must be moved to stand as it does in the file: what is taken off
/// and what is put before.
pub(super) fn shift<'t>(answered: &'t str, real: &'t str) -> (&'t str, &'t str) {
    let blanks = |line: &'t str| &line[..line.len() - line.trim_start().len()];
    let (off, on) = (blanks(answered), blanks(real));
    let common = off.bytes().rev().zip(on.bytes().rev()).take_while(|(one, two)| one == two).count();
    (off.get(..off.len() - common).unwrap_or_default(), on.get(..on.len() - common).unwrap_or_default())
}

/// The one of several places that the hints mean.
fn tell_apart(places: &[usize], length: usize, hints: &Hints) -> Option<usize> {
    if let Some(line) = hints.lines.iter().find(|line| places.contains(line)) {
        return Some(*line);
    }
    let inside = |line: &&usize| {
        hints.within.iter().any(|lines| lines.start <= **line && **line + length <= lines.end.max(**line + 1))
    };
    let mut within = places.iter().filter(inside);
    if let (Some(line), None) = (within.next(), within.next()) {
        return Some(*line);
    }
    hints.after.and_then(|after| places.iter().copied().find(|line| *line > after))
}

/// Every position of `wanted` in `lines` (Knuth, Morris and Pratt: linear for any input).
fn positions(lines: &[u64], wanted: &[u64]) -> Vec<usize> {
    let mut found = Vec::new();
    if wanted.is_empty() || wanted.len() > lines.len() {
        return found;
    }
    let mut back = vec![0; wanted.len()];
    let mut matched = 0;
    for at in 1..wanted.len() {
        while matched > 0 && wanted[at] != wanted[matched] {
            matched = back[matched - 1];
        }
        matched += usize::from(wanted[at] == wanted[matched]);
        back[at] = matched;
    }
    matched = 0;
    for (at, line) in lines.iter().enumerate() {
        while matched > 0 && *line != wanted[matched] {
            matched = back[matched - 1];
        }
        matched += usize::from(*line == wanted[matched]);
        if matched == wanted.len() {
            found.push(at + 1 - matched);
            matched = back[matched - 1];
            if found.len() >= PLACES {
                break;
            }
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn find(file: &str, needle: &str, hints: &Hints) -> Result<(usize, Likeness), Miss> {
        let needle: Vec<&str> = needle.lines().collect();
        Haystack::new(file.lines().collect()).find(&needle, hints).map(|place| (place.line, place.likeness))
    }

    #[test]
    fn levels() {
        let file = "a\n  b \n\tc\nsay \u{201c}d\u{201d}\nb\nx\nb\n";
        let plain = Hints::default();
        assert_eq!(find(file, "a\n  b ", &plain), Ok((0, Likeness::Same)));
        assert_eq!(find(file, "a\n  b", &plain), Ok((0, Likeness::Ends)));
        assert_eq!(find(file, "    c", &plain), Ok((2, Likeness::Indentation)));
        assert_eq!(find(file, "say \"d\"", &plain), Ok((3, Likeness::Punctuation)));
        assert_eq!(find(file, "b", &plain), Err(Miss::Several(vec![4, 6])));
        assert_eq!(find(file, "b", &Hints { lines: vec![6], ..Hints::default() }), Ok((6, Likeness::Same)));
        let within = Hints { within: std::iter::once(5..7).collect(), ..Hints::default() };
        assert_eq!(find(file, "b", &within), Ok((6, Likeness::Same)));
        assert_eq!(find(file, "b", &Hints { after: Some(5), ..Hints::default() }), Ok((6, Likeness::Same)));
        assert_eq!(find(file, "nothing of it", &plain), Err(Miss::None(None)));
    }

    #[test]
    fn nearly() {
        let file = "one line\ntwo lines\nthree lines\nfour lines\nfive lines\nsix\n";
        let fuzzy = Hints { fuzzy: true, ..Hints::default() };
        let found = find(file, "two lines\nthree linez\nfour lines", &fuzzy);
        assert!(matches!(found, Ok((1, Likeness::Fuzzy(_)))), "{found:?}");
        assert!(matches!(find(file, "two\nother\nwords", &fuzzy), Err(Miss::None(_))));
        let twice = "alpha one\nalpha two\n";
        assert!(matches!(find(twice, "alpha ona", &fuzzy), Ok((0, _))));
        assert!(matches!(find("alpha oneX\nalpha oneY\n", "alpha one", &fuzzy), Err(Miss::Several(_))));
    }

    proptest! {
        #[test]
        fn positions_are_all_and_right(lines in proptest::collection::vec(0_u64..3, 0..40), wanted in proptest::collection::vec(0_u64..3, 1..5)) {
            let plain: Vec<usize> = (0..lines.len()).filter(|at| lines[*at..].starts_with(&wanted)).collect();
            prop_assert_eq!(positions(&lines, &wanted), plain);
        }
    }
}
