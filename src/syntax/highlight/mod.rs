//! Syntax colours, as roles: which part of each line is a keyword, a string, a comment.
//!
//! Promises: pure; colours are not decided here, so the result fits every theme and can be kept when the
//! theme changes; equal to reading the text from its top, however it was computed; bounded: a text or a
//! line beyond the limits stays plain and says so ([`HighlightedFile::limited`]).
//! Leaves to others: colours (`theme`), drawing (`cli`, `tui`), and when to work: nothing here belongs
//! on the path that draws a frame. [`highlight_pair`] is the quick way through a whole pair of texts,
//! [`Highlighter`] the way in steps.

mod engine;
mod language;
mod pair;
mod role;
mod scopes;
mod steps;
#[cfg(test)]
mod tests;

pub use language::{Syntax, syntax_for};
pub use pair::{highlight, highlight_pair, highlight_pair_calmly};
pub use role::SyntaxRole;
pub use steps::Highlighter;

/// A run of bytes with one role; it begins where the one before it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    /// First byte of the line that does not belong to it.
    pub end: u32,
    /// What it is.
    pub role: SyntaxRole,
}

/// Why a text, or some of its lines, stayed plain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Limit {
    /// The text is larger than 2 MB.
    Bytes,
    /// The text has more than 50,000 lines.
    Lines,
    /// Lines of more than 5,000 bytes are plain, the others are not.
    LongLine,
    /// The work was called off; the lines after it are plain.
    Cancelled,
}

/// Largest text that is highlighted, in bytes.
const MOST_BYTES: usize = 2_000_000;

/// Longest text that is highlighted, in lines.
const MOST_LINES: usize = 50_000;

impl Limit {
    /// The limit that a whole text is beyond, if any.
    pub fn of(text: &str) -> Option<Limit> {
        if text.len() > MOST_BYTES {
            return Some(Limit::Bytes);
        }
        let lines = text.bytes().filter(|byte| *byte == b'\n').count();
        (lines > MOST_LINES).then_some(Limit::Lines)
    }

    /// What happened, for people.
    pub fn as_str(self) -> &'static str {
        match self {
            Limit::Bytes => "over 2 MB: shown without syntax colours",
            Limit::Lines => "over 50,000 lines: shown without syntax colours",
            Limit::LongLine => "lines over 5,000 bytes are shown without syntax colours",
            Limit::Cancelled => "syntax colours were called off",
        }
    }
}

/// The spans of the lines of a text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HighlightedFile {
    spans: Vec<Span>,
    /// Where the spans of each line end in `spans`.
    ends: Vec<u32>,
    limited: Option<Limit>,
}

impl HighlightedFile {
    /// The spans of a line, counted from 0. What follows the last span is [`SyntaxRole::Text`], and a line
    /// that is plain, not read yet or not there has none.
    pub fn line(&self, line: usize) -> &[Span] {
        let Some(to) = self.ends.get(line) else { return &[] };
        let from = line.checked_sub(1).and_then(|before| self.ends.get(before)).copied().unwrap_or(0);
        self.spans.get(from as usize..*to as usize).unwrap_or(&[])
    }

    /// How many lines were read.
    pub fn lines(&self) -> usize {
        self.ends.len()
    }

    /// Why some of it is plain, if so.
    pub fn limited(&self) -> Option<Limit> {
        self.limited
    }

    /// A text that stays plain.
    fn plain(limited: Option<Limit>) -> HighlightedFile {
        HighlightedFile { limited, ..HighlightedFile::default() }
    }

    fn push(&mut self, spans: &[Span]) {
        self.spans.extend_from_slice(spans);
        self.ends.push(self.spans.len() as u32);
    }

    /// Forgets the lines from `line` on.
    fn truncate(&mut self, line: usize) {
        self.ends.truncate(line);
        self.spans.truncate(self.ends.last().map_or(0, |end| *end as usize));
    }
}
