//! Paragraphs broken between words, for descriptions and messages.
//!
//! Promises: no row is wider than asked; every character that shows something is still there and in
//! order; indentation and list markers hang, so that wrapped items stay readable.
//! Leaves to others: Markdown; code, which is cut by [`wrap_cells`](super::wrap_cells).

use super::cells::cells;
use super::clean::expand_tabs;

/// Tabs in descriptions.
const TAB_WIDTH: u16 = 4;

/// `text` sanitised and broken into rows of at most `columns` columns. Each line of `text` starts a new row;
/// rows that go on are indented like the text of the line they belong to. Words wider than a row are cut.
pub fn wrap(text: &str, columns: usize) -> Vec<String> {
    let columns = columns.max(1);
    let mut rows = Vec::new();
    for line in text.split('\n') {
        let line = line.strip_suffix('\r').unwrap_or(line);
        wrap_line(expand_tabs(line, TAB_WIDTH).trim_end(), columns, &mut rows);
    }
    // A text that ends with a newline has no further, empty line.
    if text.ends_with('\n') {
        rows.pop();
    }
    rows
}

fn wrap_line(line: &str, columns: usize, rows: &mut Vec<String>) {
    let words = words(line);
    let leading = words.iter().take_while(|(word, _)| word.is_empty()).count();
    // Deep indentation must leave room for text.
    let hanging = (leading + marker_width(line.get(leading..).unwrap_or(""))).min(columns / 2);
    let mut row = Row::indented(leading.min(columns / 2));
    let last = words.len().saturating_sub(1);
    for (number, (word, width)) in words.into_iter().enumerate() {
        if row.has_text() && row.width + width > columns {
            rows.push(row.finish());
            row = Row::indented(hanging);
        }
        if row.width + width <= columns {
            row.push(word, width);
        } else {
            for cell in cells(word, 0) {
                row = row.with_cell(&cell.text, usize::from(cell.width), columns, hanging, rows);
            }
        }
        // Spaces between words stay as they are; at the start of a row the indentation stands for them.
        if number < last && row.has_text() && row.width < columns {
            row.push(" ", 1);
        }
    }
    rows.push(row.finish());
}

/// What stands between the spaces of `line`, with its width. A space that carries a mark is no space.
fn words(line: &str) -> Vec<(&str, usize)> {
    let mut words = Vec::new();
    let (mut start, mut width) = (0, 0);
    for cell in cells(line, 0) {
        if cell.text == " " {
            words.push((&line[start..cell.range.start], width));
            (start, width) = (cell.range.end, 0);
        } else {
            width += usize::from(cell.width);
        }
    }
    words.push((&line[start..], width));
    words
}

struct Row {
    text: String,
    width: usize,
    indent: usize,
}

impl Row {
    fn indented(columns: usize) -> Row {
        Row { text: " ".repeat(columns), width: columns, indent: columns }
    }

    fn has_text(&self) -> bool {
        self.width > self.indent
    }

    fn push(&mut self, text: &str, width: usize) {
        self.text.push_str(text);
        self.width += width;
    }

    /// This row with one cell more, or the next row that begins with it.
    fn with_cell(
        mut self,
        text: &str,
        width: usize,
        columns: usize,
        hanging: usize,
        rows: &mut Vec<String>,
    ) -> Row {
        if self.has_text() && self.width + width > columns {
            rows.push(self.finish());
            self = Row::indented(hanging);
        }
        if self.width + width > columns {
            self = Row::indented(0);
        }
        // A wide character where there is a single column: say at least that something is there.
        if width > columns {
            self.push("…", 1);
        } else {
            self.push(text, width);
        }
        self
    }

    fn finish(self) -> String {
        let mut text = self.text;
        text.truncate(text.trim_end_matches(' ').len());
        text
    }
}

/// Columns of `- `, `* `, `• `, `> `, `1. `, `2) ` at the start of `rest`.
fn marker_width(rest: &str) -> usize {
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let mut characters = rest[digits..].chars();
    let marker = match (digits, characters.next()) {
        (0, Some('-' | '*' | '+' | '•' | '>' | '–')) => 1,
        (1..=3, Some('.' | ')')) => digits + 1,
        _ => return 0,
    };
    let blanks = characters.take_while(|character| *character == ' ').count();
    if blanks == 0 { 0 } else { marker + blanks }
}
