//! Words in a line of text, fuzzily: quick enough to look through 200,000 lines between two keypresses.
//!
//! Promises: a word matches where its letters occur in this order, in any case unless the word has capitals, accents
//! aside; the same lines as `nucleo` finds, as the tests ask it. A word that stands there as such ranks before letters
//! scattered over other words, and the beginning of a word before its middle. Leaves to others: which letters to
//! emphasise, words with letters beyond ASCII (both `filter`, with `nucleo`).
//!
//! Why not `nucleo` for the lines too: it finds the best placing of scattered letters, which nobody sees in a list, in
//! time that grows with the product of both lengths, and one `·` in a title makes it five times slower again.

use nucleo_matcher::chars::normalize;

/// For each letter that is found.
const MATCH: u32 = 16;
/// For a letter that begins a word; more at the beginning of the text or after a blank.
const BEGINS_WORD: u32 = 8;
const AFTER_BLANK: u32 = 10;
/// For a capital after a small letter.
const BEGINS_HUMP: u32 = 5;
/// For a letter right behind the one before.
const CONSECUTIVE: u32 = 4;
/// The first letter of a word counts this much more at the beginning of one.
const FIRST_LETTER: u32 = 2;
/// What a gap costs, and each further letter of it; at most so much in all, that every letter found is worth something.
const GAP: u32 = 3;
const LONGER_GAP: u32 = 1;
const COSTLIEST_GAP: u32 = 12;

/// A word that is looked for.
#[derive(Debug, Clone)]
pub(super) struct Word {
    /// In small letters, unless their case counts.
    letters: Vec<u8>,
    case_counts: bool,
}

impl Word {
    /// A word of ASCII letters; `None` for any other.
    pub fn new(word: &str) -> Option<Word> {
        (!word.is_empty() && word.is_ascii()).then(|| Word {
            letters: word.as_bytes().to_vec(),
            case_counts: word.bytes().any(|letter| letter.is_ascii_uppercase()),
        })
    }

    /// How well the word matches a line, the higher the better; `None`: not at all.
    pub fn score(&self, line: Line<'_>) -> Option<u32> {
        let text = if self.case_counts { line.as_written } else { line.small };
        let (first, rest) = self.letters.split_first()?;
        let length = self.letters.len() as u32;
        let mut best = None;
        // Letters side by side: the first place where a word begins, or else the first place.
        let mut from = 0;
        while let Some(at) = find(text, *first, from) {
            if text.get(at + 1..at + self.letters.len()).is_some_and(|found| found == rest) {
                let bonus = bonus(line.as_written, at);
                let score = length * MATCH + bonus * FIRST_LETTER + (length - 1) * bonus.max(CONSECUTIVE);
                best = best.max(Some(score));
                if bonus >= BEGINS_WORD {
                    return best;
                }
            }
            from = at + 1;
        }
        best.or_else(|| self.scattered(text, line.as_written))
    }

    /// The score of letters that stand apart: each at its first place, or, from there, the shortest way back.
    fn scattered(&self, text: &[u8], as_written: &[u8]) -> Option<u32> {
        let last = self.letters.len() - 1;
        let (mut forth, mut after) = (0, 0);
        for (number, letter) in self.letters.iter().enumerate() {
            let at = find(text, *letter, after)?;
            forth += worth(as_written, at, number) - if number == 0 { 0 } else { gap(at - after) };
            after = at + 1;
        }
        let (mut back, mut before) = (0, after);
        for (number, letter) in self.letters.iter().enumerate().rev() {
            // The way there found all of them, so the way back does.
            let at = text.get(..before)?.iter().rposition(|found| found == letter)?;
            back += worth(as_written, at, number) - if number == last { 0 } else { gap(before - at - 1) };
            before = at;
        }
        Some(forth.max(back))
    }
}

/// What it is worth that a letter of a word stands at this place.
fn worth(text: &[u8], at: usize, number: usize) -> u32 {
    MATCH + bonus(text, at) * if number == 0 { FIRST_LETTER } else { 1 }
}

/// What so many letters between two that were found cost.
fn gap(letters: usize) -> u32 {
    match letters {
        0 => 0,
        more => GAP + (more as u32 - 1).min(COSTLIEST_GAP - GAP) * LONGER_GAP,
    }
}

/// Where a byte occurs from a place on.
fn find(text: &[u8], byte: u8, from: usize) -> Option<usize> {
    text.get(from..)?.iter().position(|found| *found == byte).map(|at| from + at)
}

/// What a letter at this place is worth more than one in the middle of a word.
fn bonus(text: &[u8], at: usize) -> u32 {
    let letter = text.get(at).copied().unwrap_or(b' ');
    match at.checked_sub(1).and_then(|before| text.get(before)) {
        None => AFTER_BLANK,
        Some(before) if before.is_ascii_whitespace() => AFTER_BLANK,
        Some(before) if letter.is_ascii_alphanumeric() && !before.is_ascii_alphanumeric() => BEGINS_WORD,
        Some(before) if before.is_ascii_lowercase() && letter.is_ascii_uppercase() => BEGINS_HUMP,
        Some(before) if !before.is_ascii_digit() && letter.is_ascii_digit() => BEGINS_HUMP,
        Some(_) => 0,
    }
}

/// A line of text as it was written, and in small letters.
#[derive(Debug, Clone, Copy)]
pub(super) struct Line<'a> {
    as_written: &'a [u8],
    small: &'a [u8],
}

/// Room in which lines are prepared, one after the other.
#[derive(Debug, Default)]
pub(super) struct Lines {
    plain: Vec<u8>,
    small: Vec<u8>,
}

impl Lines {
    /// Prepares a line: accents are taken off, and whatever else is not ASCII is made of bytes that no letter equals.
    pub fn prepare<'a>(&'a mut self, text: &'a str) -> Line<'a> {
        let mut as_written = text.as_bytes();
        if may_have_accents(text) {
            self.plain.clear();
            self.plain.extend(text.chars().map(plain));
            as_written = &self.plain;
        }
        self.small.clear();
        self.small.extend(as_written.iter().map(u8::to_ascii_lowercase));
        Line { as_written, small: &self.small }
    }
}

/// Whether there may be letters with accents: all of them are encoded with a byte from here on.
pub(super) fn may_have_accents(text: &str) -> bool {
    text.bytes().any(|byte| byte >= 0xc3)
}

/// A character without its accent; a byte that no letter equals, where there is no such letter in ASCII.
pub(super) fn plain(character: char) -> u8 {
    if character.is_ascii() {
        return character as u8;
    }
    u8::try_from(normalize(character)).ok().filter(u8::is_ascii).unwrap_or(0xff)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use nucleo_matcher::pattern::{Atom, AtomKind, CaseMatching, Normalization};
    use nucleo_matcher::{Config, Matcher, Utf32Str};
    use proptest::prelude::*;

    fn score(word: &str, text: &str) -> Option<u32> {
        Word::new(word).unwrap().score(Lines::default().prepare(text))
    }

    #[test]
    fn the_better_match_comes_first() {
        for (word, better, worse) in [
            ("ring", "c-ring-buffer", "stirring"),
            ("ring", "stirring", "crimping"),
            ("buf", "ring buffer", "ring-buffer"),
            ("buf", "read buf", "bad useful"),
            ("rb", "ring buffer", "curb"),
            ("rb", "ring buffer", "riibii"),
            ("eb", "EventBus", "ev-tbus"),
            ("42", "task-42", "task-142"),
        ] {
            assert!(score(word, better) > score(word, worse), "{word}: {better} before {worse}");
        }
    }

    #[test]
    fn case_and_accents() {
        assert!(score("resume", "Résumé · RESUME").is_some());
        assert!(score("Resume", "resume").is_none());
        assert!(score("Resume", "Résumé").is_some());
        assert_eq!(score("x", "·"), None);
        assert!(Word::new("é").is_none() && Word::new("").is_none());
        // Longer than any title, and nothing overflows.
        let long = "ab".repeat(2_000);
        assert!(score(&long, &"a.b.".repeat(2_000)).is_some());
        assert!(score(&long, &long).is_some());
    }

    proptest! {
        #[test]
        fn finds_what_nucleo_finds(word in "[a-cA-C1 -]{1,4}", text in "[a-dA-D1é·я _-]{0,12}") {
            let atom = Atom::new(&word, CaseMatching::Smart, Normalization::Smart, AtomKind::Fuzzy, false);
            let mut buffer = Vec::new();
            let found = atom.score(Utf32Str::new(&text, &mut buffer), &mut Matcher::new(Config::DEFAULT));
            prop_assert_eq!(score(&word, &text).is_some(), found.is_some());
        }
    }
}
