//! Searching inside a difference.
//!
//! Promises: plain text, case ignored unless a capital was typed; matches in folded rows are found and
//! unfolded on arrival; each line that holds a match is visited once in a round, in the order of the
//! screen; at most ten thousand are kept. Leaves to others: marking the words (`draw`).

use super::lines::{Line, Place, find};
use super::{DiffView, Projection};
use crate::diff::FileBody;
use crate::diff::{Diff, RowKind, Side};
use std::collections::HashSet;

/// Most matches that are kept.
const MOST: usize = 10_000;

/// A search and what it found.
#[derive(Debug, Clone)]
pub struct Search {
    words: String,
    exact_case: bool,
    /// In the order of the screen.
    matches: Vec<(Order, Place)>,
}

/// Where a line stands: file, first row of its hunk, old before new, row. Side by side there is one line for
/// a row; unified all old lines of a hunk stand above all new ones.
type Order = (u32, u32, u8, u32);

impl Search {
    /// Byte ranges of the words in a line.
    pub fn ranges(&self, line: &str) -> Vec<std::ops::Range<usize>> {
        occurrences(line, &self.words, self.exact_case)
    }
}

/// Where one was when a search was begun.
#[derive(Debug)]
pub(super) struct SearchStart {
    cursor: usize,
    top: usize,
    opened: HashSet<(u32, u32)>,
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
    /// many lines match.
    ///
    /// Between [`DiffView::begin_search`] and [`DiffView::end_search`] every search starts from where the first one
    /// did, so that a word that is not there, or a search called off, leaves everything as it was.
    pub fn search(&mut self, words: &str) -> usize {
        self.return_to_start();
        if words.is_empty() {
            self.search = None;
            return 0;
        }
        let exact_case = words.chars().any(char::is_uppercase);
        self.search = Some(Search { words: words.to_owned(), exact_case, matches: Vec::new() });
        self.find_matches();
        let here = self.cursor_order();
        let Some(search) = &self.search else { return 0 };
        let count = search.matches.len();
        let later = search.matches.iter().find(|(order, _)| *order >= here);
        if let Some((_, place)) = later.or(search.matches.first()).copied() {
            self.arrive(place);
        }
        count
    }

    /// A search is about to be typed.
    pub fn begin_search(&mut self) {
        let opened = self.folding.opened.clone();
        self.search_start = Some(SearchStart { cursor: self.cursor, top: self.top, opened });
    }

    /// The search was typed; the cursor stays where it is.
    pub fn end_search(&mut self) {
        self.search_start = None;
    }

    fn return_to_start(&mut self) {
        let Some(start) = &self.search_start else { return };
        let (cursor, top) = (start.cursor, start.top);
        if self.folding.opened != start.opened {
            self.folding.opened = start.opened.clone();
            self.rebuild();
        }
        (self.cursor, self.top) = (cursor, top);
        self.keep_visible();
    }

    /// Looks for the words again: the difference or the projection is another one.
    pub(super) fn find_matches(&mut self) {
        let Some(mut search) = self.search.take() else { return };
        search.matches.clear();
        'files: for (file, entry) in self.diff.files.iter().enumerate() {
            let FileBody::Text { diff: body, .. } = &entry.body else { continue };
            let mut hunk = 0;
            for (number, row) in body.rows.iter().enumerate() {
                if number == 0 || row.kind == RowKind::Equal || body.rows[number - 1].kind == RowKind::Equal {
                    hunk = number;
                }
                let old = row.old.filter(|_| row.kind != RowKind::Equal || row.new.is_none());
                for (side, line) in [(Side::Old, old), (Side::New, row.new)] {
                    let Some(line) = line else { continue };
                    let lines = if side == Side::Old { &body.old } else { &body.new };
                    if occurrences(lines.line(line as usize), &search.words, search.exact_case).is_empty() {
                        continue;
                    }
                    let place = Place { file: file as u32, row: Some(number as u32), side: Some(side) };
                    let order = self.order(place.file, hunk as u32, number as u32, side, row.kind);
                    search.matches.push((order, place));
                    if search.matches.len() == MOST {
                        break 'files;
                    }
                }
            }
        }
        search.matches.sort_by_key(|(order, _)| *order);
        search.matches.dedup_by_key(|(order, _)| *order);
        self.search = Some(search);
    }

    fn order(&self, file: u32, hunk: u32, row: u32, side: Side, kind: RowKind) -> Order {
        match self.projection {
            Projection::Unified if kind != RowKind::Equal => (file, hunk, u8::from(side == Side::New), row),
            Projection::Unified => (file, row, 0, row),
            Projection::SideBySide => (file, row, 0, row),
        }
    }

    /// The words that are searched for.
    pub fn searched(&self) -> Option<&str> {
        self.search.as_ref().map(|search| search.words.as_str())
    }

    /// To the next or previous match, round the end; the number of the match and how many there are.
    pub fn search_step(&mut self, forward: bool) -> Option<(usize, usize)> {
        let here = self.cursor_order();
        let matches = &self.search.as_ref()?.matches;
        let count = matches.len();
        let index = if forward {
            matches.iter().position(|(order, _)| *order > here).unwrap_or(0)
        } else {
            matches.iter().rposition(|(order, _)| *order < here).unwrap_or(count.saturating_sub(1))
        };
        let (_, place) = *matches.get(index)?;
        self.arrive(place);
        Some((index + 1, count))
    }

    fn cursor_order(&self) -> Order {
        let Some(line) = self.lines.get(self.cursor).copied() else { return (0, 0, 0, 0) };
        // The empty line between files belongs to the file above.
        let above = || self.lines[..self.cursor].iter().rev().find_map(|line| line.file());
        let Some(file) = line.file() else { return (above().unwrap_or(0), u32::MAX, u8::MAX, u32::MAX) };
        let Some(row) = line.row() else { return (file, 0, 0, 0) };
        let side = match line {
            Line::Half { side, .. } => side,
            _ => Side::Old,
        };
        let kind = self.body(file).and_then(|body| Some(body.rows.get(row as usize)?.kind));
        let hunk = self.body(file).map_or(row, |body| hunk_start(body, row));
        self.order(file, hunk, row, side, kind.unwrap_or(RowKind::Equal))
    }

    fn arrive(&mut self, place: Place) {
        let index = find(&self.lines, place);
        if let Some(Line::Fold { file, start, .. }) = self.lines.get(index).copied() {
            self.folding.opened.insert((file, start));
            self.rebuild();
        }
        let place =
            if self.projection == Projection::SideBySide { Place { side: None, ..place } } else { place };
        self.cursor = find(&self.lines, place);
        self.keep_visible();
    }
}

/// The first of the changed rows around a row; the row itself where it is equal.
fn hunk_start(body: &Diff, row: u32) -> u32 {
    let rows = &body.rows[..(row as usize + 1).min(body.rows.len())];
    let changed = rows.iter().rev().take_while(|row| row.kind != RowKind::Equal).count();
    (row + 1).saturating_sub(changed.max(1) as u32)
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
