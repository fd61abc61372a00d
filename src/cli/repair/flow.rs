//! A model's answer as it streams onto a terminal.
//!
//! Promises: nothing of it is obeyed by the terminal, however it is cut; a line that does not end costs no more than its
//! length. Leaves to others: whether there is a terminal (`stage`).

use crate::text::{cells, expand_tabs};

/// Columns of a tab.
const TAB: u16 = 4;
/// A line longer than this, in bytes, is gone on with as if it began anew.
const MOST_LINE: usize = 2_048;

/// The line under way.
#[derive(Debug, Default)]
pub struct Flow {
    line: String,
    /// Bytes of the sanitised line that were given out.
    given: usize,
    /// Whether something of the line was given out.
    begun: bool,
}

impl Flow {
    /// What can be printed once this piece has come. `gutter` stands before each line.
    pub fn push(&mut self, piece: &str, gutter: &str) -> String {
        let mut out = String::new();
        let mut lines = piece.split('\n');
        self.add(lines.next().unwrap_or(""), gutter, &mut out);
        for line in lines {
            self.rest(gutter, &mut out);
            out.push('\n');
            *self = Flow::default();
            self.add(line, gutter, &mut out);
        }
        out
    }

    /// What is left of the line under way, ended; nothing where there is none.
    pub fn end(&mut self, gutter: &str) -> String {
        let mut out = String::new();
        if self.begun || !self.line.is_empty() {
            self.rest(gutter, &mut out);
            out.push('\n');
        }
        *self = Flow::default();
        out
    }

    fn add(&mut self, text: &str, gutter: &str, out: &mut String) {
        self.line.push_str(text);
        // A carriage return before a line feed is a part of it; the last cell may still grow, by an accent for instance.
        let stable = cells(&self.line, TAB).last().map_or(0, |cell| cell.range.start);
        let clean = expand_tabs(&self.line[..stable], TAB).into_owned();
        self.give(&clean, gutter, out);
        if self.line.len() > MOST_LINE {
            self.line.drain(..stable);
            self.given = 0;
        }
    }

    fn rest(&mut self, gutter: &str, out: &mut String) {
        let line = self.line.strip_suffix('\r').unwrap_or(&self.line);
        let clean = expand_tabs(line, TAB).into_owned();
        self.give(&clean, gutter, out);
        if !self.begun {
            out.push_str(gutter.trim_end());
        }
    }

    fn give(&mut self, clean: &str, gutter: &str, out: &mut String) {
        let Some(fresh) = clean.get(self.given..).filter(|fresh| !fresh.is_empty()) else { return };
        if !std::mem::replace(&mut self.begun, true) {
            out.push_str(gutter);
        }
        out.push_str(fresh);
        self.given = clean.len();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn flown(pieces: &[&str]) -> String {
        let mut flow = Flow::default();
        let mut out: String = pieces.iter().map(|piece| flow.push(piece, "| ")).collect();
        out.push_str(&flow.end("| "));
        out
    }

    #[test]
    fn lines_have_a_gutter_and_nothing_is_obeyed() {
        for (pieces, expected) in [
            (&["ab", "c\nd"][..], "| abc\n| d\n"),
            (&["a\r\n", "\n", "b\n"], "| a\n|\n| b\n"),
            (&["\u{1b}", "[31mred\u{1b}]0;title\u{7}"], "| ␛[31mred␛]0;title␇\n"),
            (&["e", "\u{301}", "x"], "| e\u{301}x\n"),
            (&["\tx"], "|     x\n"),
            (&[""], ""),
        ] {
            assert_eq!(flown(pieces), expected, "{pieces:?}");
        }
    }

    proptest! {
        #[test]
        fn how_it_is_cut_changes_nothing(
            pieces in prop::collection::vec("[a-z\\n\\t\u{1b}é\u{301}\u{202e}]{0,6}", 0..12)
        ) {
            let pieces: Vec<&str> = pieces.iter().map(String::as_str).collect();
            let out = flown(&pieces);
            prop_assert_eq!(&out, &flown(&[&pieces.concat()]));
            prop_assert!(!out.chars().any(|c| (c.is_control() && c != '\n') || c == '\u{202e}'), "{:?}", out);
        }

        #[test]
        fn a_line_without_end_is_given_whole(length in 0_usize..9_000) {
            let line = "x".repeat(length);
            let mut flow = Flow::default();
            let mut out = String::new();
            for piece in line.as_bytes().chunks(700) {
                out.push_str(&flow.push(&String::from_utf8_lossy(piece), ""));
                prop_assert!(flow.line.len() <= MOST_LINE + 700);
            }
            out.push_str(&flow.end(""));
            prop_assert_eq!(out.trim_end(), line);
        }
    }
}
