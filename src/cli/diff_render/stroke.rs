//! A line of code drawn row by row, in the colours of its syntax and of the difference.

use super::ink::{Inks, Palette, Tone};
use crate::syntax::highlight::{Span, SyntaxRole};
use crate::text;
use crate::theme::{Painter, Style};
use std::ops::Range;

/// Bytes of a line that are shown; of a longer one the rest is counted.
const LONGEST_SHOWN: usize = 20_000;

/// A line that is being drawn.
pub(super) struct Stroke<'a> {
    pub(super) tone: Tone,
    line: &'a str,
    /// Spans and changed words that end behind what is drawn.
    spans: &'a [Span],
    words: &'a [Range<u32>],
    palettes: &'a [Palette; 2],
    placeholder: &'a [Style; 2],
    tab_width: u16,
    /// Nothing but printable ASCII and tabs.
    simple: bool,
    byte: usize,
    column: usize,
    /// What stands behind the line: a mark of its end, or how much is left out.
    tail: String,
}

impl<'a> Stroke<'a> {
    pub(super) fn new(
        line: &'a str,
        spans: &'a [Span],
        words: &'a [Range<u32>],
        returns: bool,
        tone: Tone,
        inks: &'a Inks,
        tab_width: u16,
    ) -> Stroke<'a> {
        let mut tail = String::new();
        let mut shown = line;
        if line.len() > LONGEST_SHOWN {
            shown = &line[..line.floor_char_boundary(LONGEST_SHOWN)];
            tail = format!("… {} bytes more", line.len() - shown.len());
        }
        if returns {
            tail.push('␍');
        }
        let simple = tab_width > 0 && shown.bytes().all(|byte| byte == b'\t' || (0x20..0x7f).contains(&byte));
        Stroke {
            tone,
            line: shown,
            spans,
            words,
            palettes: &inks.text[tone as usize],
            placeholder: &inks.placeholder[tone as usize],
            tab_width: tab_width.min(16),
            simple,
            byte: 0,
            column: 0,
            tail,
        }
    }

    /// Whether all of it is drawn.
    pub(super) fn done(&self) -> bool {
        self.byte >= self.line.len() && self.tail.is_empty()
    }

    /// Whether there is nothing to draw at all.
    pub(super) fn is_blank(&self) -> bool {
        self.line.is_empty() && self.column == 0
    }

    /// Draws at most `columns` more columns and says how many were used.
    pub(super) fn row(&mut self, out: &mut String, painter: &mut Painter, columns: usize) -> usize {
        let mut used = if self.simple {
            self.simple_row(out, painter, columns)
        } else {
            self.cells_row(out, painter, columns)
        };
        if self.byte >= self.line.len() && !self.tail.is_empty() {
            let width = text::width(&self.tail);
            if used + width <= columns || used == 0 {
                painter.paint(out, self.placeholder[1], &text::truncate(&self.tail, columns));
                used += width.min(columns);
                self.tail.clear();
            }
        }
        used
    }

    /// The style at the next byte, and up to where it reaches.
    fn style(&mut self) -> (SyntaxRole, bool, usize) {
        let byte = self.byte as u32;
        while let Some((_, rest)) = self.spans.split_first().filter(|(span, _)| span.end <= byte) {
            self.spans = rest;
        }
        while let Some((_, rest)) = self.words.split_first().filter(|(word, _)| word.end <= byte) {
            self.words = rest;
        }
        let (role, end) =
            self.spans.first().map_or((SyntaxRole::Text, usize::MAX), |span| (span.role, span.end as usize));
        let (word, edge) = match self.words.first() {
            Some(word) if word.start <= byte => (true, word.end as usize),
            Some(word) => (false, word.start as usize),
            None => (false, usize::MAX),
        };
        (role, word, end.min(edge))
    }

    fn simple_row(&mut self, out: &mut String, painter: &mut Painter, columns: usize) -> usize {
        let bytes = self.line.as_bytes();
        let tab_width = usize::from(self.tab_width);
        let mut used = 0;
        while self.byte < bytes.len() && used < columns {
            let (role, word, edge) = self.style();
            painter.switch(out, self.palettes[usize::from(word)][role as usize]);
            if bytes[self.byte] == b'\t' {
                let width = tab_width - self.column % tab_width;
                let shown = width.min(columns - used);
                out.extend(std::iter::repeat_n(' ', shown));
                used += shown;
                self.column += width;
                self.byte += 1;
                continue;
            }
            let end = edge.min(bytes.len()).min(self.byte.saturating_add(columns - used));
            let piece = &bytes[self.byte..end];
            let length = piece.iter().position(|byte| *byte == b'\t').unwrap_or(piece.len());
            out.push_str(&self.line[self.byte..self.byte + length]);
            used += length;
            self.column += length;
            self.byte += length;
        }
        used
    }

    fn cells_row(&mut self, out: &mut String, painter: &mut Painter, columns: usize) -> usize {
        let mut used = 0;
        for cell in text::cells_from(self.line, self.tab_width, self.byte, self.column) {
            let width = usize::from(cell.width);
            if width > columns.saturating_sub(used) {
                if used > 0 {
                    break;
                }
                // Wider than a whole row: a stand-in of its width at most.
                painter.paint(out, self.placeholder[0], "…");
                used = 1;
                (self.byte, self.column) = (cell.range.end, cell.column + width);
                break;
            }
            self.byte = cell.range.start;
            let (role, word, _) = self.style();
            let word = usize::from(word);
            let style =
                if cell.placeholder { self.placeholder[word] } else { self.palettes[word][role as usize] };
            painter.paint(out, style, &cell.text);
            used += width;
            (self.byte, self.column) = (cell.range.end, cell.column + width);
        }
        used
    }
}
