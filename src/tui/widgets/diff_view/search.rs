//! Searching inside a difference.
//!
//! Promises: plain text, case ignored unless a capital was typed; matches in folded rows are found and
//! unfolded on arrival; at most ten thousand are kept.

use super::lines::{Place, find};
use super::{DiffView, Projection};
use crate::diff::FileBody;
use crate::diff::{RowKind, Side};

/// Most matches that are kept.
const MOST: usize = 10_000;

/// A search and what it found.
#[derive(Debug, Clone)]
pub struct Search {
    words: String,
    exact_case: bool,
    matches: Vec<Place>,
}

impl Search {
    /// Byte ranges of the words in a line.
    pub fn ranges(&self, line: &str) -> Vec<std::ops::Range<usize>> {
        occurrences(line, &self.words, self.exact_case)
    }
}

/// Byte ranges where `words` occur in `line`.
pub fn occurrences(line: &str, words: &str, exact_case: bool) -> Vec<std::ops::Range<usize>> {
    if words.is_empty() {
        return Vec::new();
    }
    let mut ranges = Vec::new();
    if exact_case {
        ranges.extend(line.match_indices(words).map(|(start, found)| start..start + found.len()));
        return ranges;
    }
    // ASCII letters are folded; others must be typed as they are. Byte positions stay those of the line.
    let (hay, needle) = (line.as_bytes(), words.as_bytes());
    let mut start = 0;
    while start + needle.len() <= hay.len() {
        let end = start + needle.len();
        if hay[start..end].eq_ignore_ascii_case(needle)
            && line.is_char_boundary(start)
            && line.is_char_boundary(end)
        {
            ranges.push(start..end);
            start = end;
        } else {
            start += 1;
        }
    }
    ranges
}

impl DiffView {
    /// Starts a search (an empty text ends it) and goes to the first match at or after the cursor. Says how
    /// many matches there are.
    pub fn search(&mut self, words: &str) -> usize {
        if words.is_empty() {
            self.search = None;
            return 0;
        }
        let exact_case = words.chars().any(char::is_uppercase);
        let mut matches = Vec::new();
        'files: for (number, file) in self.diff.files.iter().enumerate() {
            let FileBody::Text { diff: body, .. } = &file.body else { continue };
            for (index, row) in body.rows.iter().enumerate() {
                let old = row.old.filter(|_| row.kind != RowKind::Equal || row.new.is_none());
                for (side, line) in [(Side::Old, old), (Side::New, row.new)] {
                    let Some(line) = line else { continue };
                    let lines = if side == Side::Old { &body.old } else { &body.new };
                    if !occurrences(lines.line(line as usize), words, exact_case).is_empty() {
                        matches.push(Place {
                            file: number as u32,
                            row: Some(index as u32),
                            side: Some(side),
                        });
                        if matches.len() == MOST {
                            break 'files;
                        }
                    }
                }
            }
        }
        let count = matches.len();
        self.search = Some(Search { words: words.to_owned(), exact_case, matches });
        let here = self.cursor_place();
        if let Some(at) = self.search.as_ref().and_then(|search| {
            let later = search.matches.iter().find(|place| (place.file, place.row) >= here);
            later.or(search.matches.first()).copied()
        }) {
            self.arrive(at);
        }
        count
    }

    /// The words that are searched for.
    pub fn searched(&self) -> Option<&str> {
        self.search.as_ref().map(|search| search.words.as_str())
    }

    /// To the next or previous match, round the end; the number of the match and how many there are.
    pub fn search_step(&mut self, forward: bool) -> Option<(usize, usize)> {
        let here = self.cursor_place();
        let search = self.search.as_ref()?;
        let count = search.matches.len();
        let at = |place: &Place| (place.file, place.row);
        let index = if forward {
            search.matches.iter().position(|place| at(place) > here).unwrap_or(0)
        } else {
            search.matches.iter().rposition(|place| at(place) < here).unwrap_or(count.saturating_sub(1))
        };
        let place = *search.matches.get(index)?;
        self.arrive(place);
        Some((index + 1, count))
    }

    fn cursor_place(&self) -> (u32, Option<u32>) {
        let line = self.lines.get(self.cursor).copied();
        line.map_or((0, None), |line| (line.file().unwrap_or(0), line.row()))
    }

    fn arrive(&mut self, place: Place) {
        let index = find(&self.lines, place);
        if let Some(super::Line::Fold { file, start, .. }) = self.lines.get(index).copied() {
            self.folding.opened.insert((file, start));
            self.rebuild();
        }
        let place =
            if self.projection == Projection::SideBySide { Place { side: None, ..place } } else { place };
        self.cursor = find(&self.lines, place);
        self.keep_visible();
    }
}

#[cfg(test)]
mod tests {
    use super::occurrences;

    #[test]
    fn capitals_make_the_search_exact() {
        assert_eq!(occurrences("Ring ring RING", "ring", false), [0..4, 5..9, 10..14]);
        assert_eq!(occurrences("Ring ring", "Ring", true), vec![0..4; 1]);
        assert_eq!(occurrences("ééa", "éa", false), vec![2..5; 1]);
        assert!(occurrences("abc", "", false).is_empty());
    }
}
