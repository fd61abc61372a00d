//! A line as the cells a terminal shows, each with the bytes of the original line it stands for.
//!
//! Promises: the ranges cover the line without gap or overlap, in order; no cell has width 0; no text of
//! a cell holds a control character; asking for the first hundred cells of a megabyte reads about a
//! hundred bytes.
//! Leaves to others: where a line ends (a newline inside is shown as ␊), windows and wrapping (`columns`).

use super::hidden::{last_shown, stand_in};
use std::borrow::Cow;
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Spaces that a tab is cut from.
const SPACES: &str = "                ";

/// Characters of one cluster shown in one cell; more marks than that on one letter only smear over the
/// lines around it. The longest emoji families have eleven.
const CLUSTER_LIMIT: usize = 16;

/// One cell (or run of cells) on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cell<'a> {
    /// Bytes of the original line that it stands for.
    pub range: Range<usize>,
    /// What to print.
    pub text: Cow<'a, str>,
    /// Columns it takes; at least 1.
    pub width: u16,
    /// First column, counted from the start of the line.
    pub column: usize,
    /// Whether `text` stands in for something that cannot be shown (␛, U+202E, a mark without base).
    pub placeholder: bool,
}

/// The cells of `line`; tabs reach to the next multiple of `tab_width` (at most 16), and are shown as ␉
/// where it is 0.
pub fn cells(line: &str, tab_width: u16) -> Cells<'_> {
    cells_from(line, tab_width, 0, 0)
}

/// The cells of `line` from `byte` on, which lies at `column`: to go on where an earlier walk stopped. A
/// position that is not the start of a cell is moved back to the start of its character.
pub fn cells_from(line: &str, tab_width: u16, byte: usize, column: usize) -> Cells<'_> {
    let position = line.floor_char_boundary(byte);
    Cells { line, tab_width: tab_width.min(SPACES.len() as u16), position, cluster_end: position, column }
}

/// Iterator over the cells of a line, made by [`cells`].
#[derive(Debug, Clone)]
pub struct Cells<'a> {
    pub(super) line: &'a str,
    tab_width: u16,
    position: usize,
    /// End of the grapheme cluster that `position` is inside of; not beyond `position` between clusters.
    cluster_end: usize,
    column: usize,
}

impl<'a> Cells<'a> {
    /// Byte at which the next cell starts.
    pub fn position(&self) -> usize {
        self.position
    }

    /// Column at which the next cell starts.
    pub fn column(&self) -> usize {
        self.column
    }

    /// Passes over at most `columns` columns of plain ASCII and says how many: cheap, whatever their number.
    pub(super) fn skip_plain(&mut self, columns: usize) -> usize {
        if self.position < self.cluster_end || columns == 0 {
            return 0;
        }
        let rest = &self.line.as_bytes()[self.position..];
        let looked_at = &rest[..rest.len().min(columns.saturating_add(1))];
        let plain = plain_prefix(looked_at);
        // The last one could carry a combining mark, unless another plain byte or the end follows.
        let sure = if plain == rest.len() { plain } else { plain.saturating_sub(1) };
        let skipped = sure.min(columns);
        self.position += skipped;
        self.column += skipped;
        skipped
    }

    fn emit(
        &mut self,
        end: usize,
        text: impl Into<Cow<'a, str>>,
        width: u16,
        placeholder: bool,
    ) -> Option<Cell<'a>> {
        let cell =
            Cell { range: self.position..end, text: text.into(), width, column: self.column, placeholder };
        self.position = end;
        self.column += usize::from(width);
        Some(cell)
    }

    fn tab(&mut self) -> Option<Cell<'a>> {
        let tab_width = usize::from(self.tab_width);
        let width = tab_width - self.column % tab_width;
        self.emit(self.position + 1, &SPACES[..width], width as u16, false)
    }

    /// The next piece of the cluster that `position` is inside of.
    fn piece(&mut self) -> Option<Cell<'a>> {
        let line = self.line;
        let start = self.position;
        let mut before = last_shown(&line[..start]);
        let mut end = start;
        for (count, character) in line[start..self.cluster_end].chars().enumerate() {
            if count == CLUSTER_LIMIT {
                break;
            }
            if let Some(text) = stand_in(character, before) {
                if end > start {
                    break;
                }
                let width = columns_of(&text);
                return self.emit(start + character.len_utf8(), text, width, true);
            }
            before = Some(character);
            end += character.len_utf8();
        }
        let text = &line[start..end];
        let width = columns_of(text);
        if width > 0 {
            return self.emit(end, text, width, false);
        }
        let character = text.chars().next()?;
        let text = without_base(character);
        let width = columns_of(&text);
        self.emit(start + character.len_utf8(), text, width, true)
    }
}

/// What is shown for a character that takes no room and has nothing to sit on: Unicode's dotted circle
/// with the mark, or the number of one that would not join the circle.
fn without_base(character: char) -> String {
    let circled = format!("◌{character}");
    if circled.graphemes(true).count() == 1 && columns_of(&circled) > 0 {
        circled
    } else {
        format!("U+{:04X}", character as u32)
    }
}

impl<'a> Iterator for Cells<'a> {
    type Item = Cell<'a>;

    fn next(&mut self) -> Option<Cell<'a>> {
        let bytes = self.line.as_bytes();
        let first = *bytes.get(self.position)?;
        if self.position >= self.cluster_end {
            if is_plain(first) && bytes.get(self.position + 1).is_none_or(u8::is_ascii) {
                return self.emit(self.position + 1, &self.line[self.position..=self.position], 1, false);
            }
            if first == b'\t' && self.tab_width > 0 {
                return self.tab();
            }
            // A control character never shares its cell, not even CR with LF.
            let length = if first < 0x20 {
                1
            } else {
                self.line[self.position..].graphemes(true).next().map_or(1, str::len)
            };
            self.cluster_end = self.position + length;
        }
        self.piece()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let rest = self.line.len() - self.position;
        (usize::from(rest > 0), Some(rest))
    }
}

fn is_plain(byte: u8) -> bool {
    (0x20..0x7f).contains(&byte)
}

/// Length of the longest prefix of printable ASCII.
pub(super) fn plain_prefix(bytes: &[u8]) -> usize {
    // Whole blocks without leaving early, which the compiler turns into vector instructions.
    let whole = bytes
        .chunks(64)
        .take_while(|block| !block.iter().fold(false, |bad, byte| bad | !is_plain(*byte)))
        .map(<[u8]>::len)
        .sum::<usize>();
    whole + bytes[whole..].iter().take(64).take_while(|byte| is_plain(**byte)).count()
}

/// Columns that `text`, one cluster or a stand-in, takes on a terminal.
fn columns_of(text: &str) -> u16 {
    if text.is_ascii() {
        return u16::try_from(text.len()).unwrap_or(u16::MAX);
    }
    // The drawing library adds a column for each halfwidth sound mark, and what it draws is what counts.
    let sound_marks = text.chars().filter(|character| matches!(character, '\u{ff9e}' | '\u{ff9f}')).count();
    u16::try_from(text.width() + sound_marks).unwrap_or(u16::MAX)
}
