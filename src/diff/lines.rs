//! A text as a table of lines.
//!
//! Promises: a line ends with `\n` or at the end of the text, as in git; its ending is known and its text
//! comes without it; a lone `\r` is a part of the line. Copies share the text.

use std::ops::Range;
use std::sync::Arc;

/// How a line ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LineEnding {
    /// `\n`.
    Lf,
    /// `\r\n`.
    CrLf,
    /// The text ends without a line end.
    None,
}

/// A text and where its lines start.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lines {
    text: Arc<str>,
    /// Start of each line, then the length of the text.
    starts: Arc<[usize]>,
}

impl Default for Lines {
    fn default() -> Lines {
        Lines::new("")
    }
}

impl Lines {
    /// The lines of a text. An empty text has none.
    pub fn new(text: impl Into<Arc<str>>) -> Lines {
        let text: Arc<str> = text.into();
        let mut starts = vec![0];
        starts.extend(text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n').map(|(at, _)| at + 1));
        if starts.last() != Some(&text.len()) {
            starts.push(text.len());
        }
        Lines { text, starts: starts.into() }
    }

    /// Number of lines.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The whole text, shared.
    pub fn shared(&self) -> Arc<str> {
        Arc::clone(&self.text)
    }

    /// A line without its ending; an empty string past the end.
    pub fn line(&self, index: usize) -> &str {
        let line = self.whole(index);
        line.strip_suffix('\n').map_or(line, |line| line.strip_suffix('\r').unwrap_or(line))
    }

    /// A line with its ending; an empty string past the end.
    pub fn whole(&self, index: usize) -> &str {
        match (self.starts.get(index), self.starts.get(index + 1)) {
            (Some(start), Some(end)) => &self.text[*start..*end],
            _ => "",
        }
    }

    /// How a line ends; [`LineEnding::None`] past the end.
    pub fn ending(&self, index: usize) -> LineEnding {
        let line = self.whole(index);
        if line.ends_with("\r\n") {
            LineEnding::CrLf
        } else if line.ends_with('\n') {
            LineEnding::Lf
        } else {
            LineEnding::None
        }
    }

    /// All lines without their endings.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map(|index| self.line(index))
    }

    /// The bytes of lines, with their endings.
    pub(super) fn bytes(&self, lines: Range<usize>) -> impl Iterator<Item = &[u8]> {
        lines.map(|index| self.whole(index).as_bytes())
    }

    /// The byte at which a line starts; the length of the text past the end.
    pub fn start(&self, index: usize) -> usize {
        self.starts.get(index).copied().unwrap_or(self.text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use LineEnding::{CrLf, Lf, None};
    use proptest::prelude::*;

    #[test]
    fn table() {
        for (text, expected) in [
            ("", &[][..]),
            ("\n", &[("", Lf)]),
            ("a", &[("a", None)]),
            ("a\n", &[("a", Lf)]),
            ("a\r\nb", &[("a", CrLf), ("b", None)]),
            ("a\r", &[("a\r", None)]),
            ("a\rb\n\r\n", &[("a\rb", Lf), ("", CrLf)]),
            ("\r\r\n", &[("\r", CrLf)]),
        ] {
            let lines = Lines::new(text);
            let found: Vec<_> = (0..lines.len()).map(|n| (lines.line(n), lines.ending(n))).collect();
            assert_eq!(found, expected, "{text:?}");
            assert_eq!(lines.line(lines.len() + 3), "");
        }
    }

    proptest! {
        #[test]
        fn lines_make_the_text(text in "(\\PC|\r|\n){0,30}") {
            let lines = Lines::new(text.as_str());
            prop_assert_eq!((0..lines.len()).map(|n| lines.whole(n)).collect::<String>(), text.clone());
            prop_assert_eq!(lines.iter().count(), lines.len());
            prop_assert!((0..lines.len()).all(|n| text[lines.start(n)..].starts_with(lines.whole(n))));
        }
    }
}
