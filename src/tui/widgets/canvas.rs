//! Printing text into the screen buffer.
//!
//! Promises: nothing is written outside the area, at any size; every text is measured and made harmless
//! by `text`, whatever it holds. Leaves to others: what is printed where.

use crate::text;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

/// Width of a tab in code.
pub const TAB_WIDTH: u16 = 4;

/// A part of the screen to print into. Coordinates count from its top left corner.
pub struct Canvas<'a> {
    buffer: &'a mut Buffer,
    area: Rect,
}

impl<'a> Canvas<'a> {
    /// The part `area` of a buffer; what lies outside of the buffer is cut off.
    pub fn new(buffer: &'a mut Buffer, area: Rect) -> Canvas<'a> {
        let area = area.intersection(buffer.area);
        Canvas { buffer, area }
    }

    /// Columns.
    pub fn width(&self) -> u16 {
        self.area.width
    }

    /// Rows.
    pub fn height(&self) -> u16 {
        self.area.height
    }

    /// The area on the screen.
    pub fn area(&self) -> Rect {
        self.area
    }

    /// A part of this part.
    pub fn part(&mut self, x: u16, y: u16, width: u16, height: u16) -> Canvas<'_> {
        let wanted =
            Rect { x: self.area.x.saturating_add(x), y: self.area.y.saturating_add(y), width, height };
        let area = if x >= self.area.width || y >= self.area.height {
            Rect { width: 0, height: 0, ..self.area }
        } else {
            wanted.intersection(self.area)
        };
        Canvas { buffer: self.buffer, area }
    }

    /// Fills everything with blanks of this style.
    pub fn clear(&mut self, style: Style) {
        for y in 0..self.area.height {
            self.uncover(self.area.x, self.area.y + y);
            for x in 0..self.area.width {
                if let Some(cell) = self.buffer.cell_mut((self.area.x + x, self.area.y + y)) {
                    cell.reset();
                    cell.set_style(style);
                }
            }
        }
    }

    /// Lays a style over a run of cells, text left as it is.
    pub fn style(&mut self, x: u16, y: u16, width: u16, style: Style) {
        if y >= self.area.height || x >= self.area.width {
            return;
        }
        let width = width.min(self.area.width - x);
        self.buffer.set_style(Rect { x: self.area.x + x, y: self.area.y + y, width, height: 1 }, style);
    }

    /// Lays a style over a whole row.
    pub fn style_row(&mut self, y: u16, style: Style) {
        self.style(0, y, self.area.width, style);
    }

    /// Prints one line of text at (x, y), at most `limit` columns, and says in which column it ended.
    /// A text that does not fit is cut with `…`.
    pub fn print(&mut self, x: u16, y: u16, line: &str, style: Style, limit: u16) -> u16 {
        if y >= self.area.height || x >= self.area.width || limit == 0 {
            return x;
        }
        let room = limit.min(self.area.width - x);
        let fits =
            line.len() <= usize::from(room) && line.is_ascii() || text::width(line) <= usize::from(room);
        let shown = if fits { line.into() } else { text::truncate(line, usize::from(room)) };
        let mut column = x;
        for cell in text::cells(&shown, 0) {
            if column + cell.width > x + room {
                break;
            }
            self.put(column, y, &cell.text, cell.width, style);
            column += cell.width;
        }
        column
    }

    /// Prints a text that ends in the last column of `limit` columns from x on.
    pub fn print_end(&mut self, x: u16, y: u16, line: &str, style: Style, limit: u16) {
        let width = u16::try_from(text::width(line)).unwrap_or(u16::MAX);
        let room = limit.min(self.area.width.saturating_sub(x));
        self.print(x + room.saturating_sub(width), y, line, style, room);
    }

    /// Puts one cluster of known width; the caller has sanitised it.
    pub fn put(&mut self, x: u16, y: u16, symbol: &str, width: u16, style: Style) {
        if y >= self.area.height || width == 0 || x.saturating_add(width) > self.area.width {
            return;
        }
        let (x, y) = (self.area.x + x, self.area.y + y);
        self.uncover(x, y);
        // A stand-in such as `U+202E` or an expanded tab is several plain cells.
        if width > 1 && symbol.is_ascii() {
            for (offset, character) in symbol.char_indices() {
                if let Some(cell) = self.buffer.cell_mut((x + offset as u16, y)) {
                    cell.set_char(character);
                    cell.set_style(style);
                }
            }
            return;
        }
        if let Some(cell) = self.buffer.cell_mut((x, y)) {
            cell.set_symbol(symbol);
            cell.set_style(style);
        }
        for follower in 1..width {
            if let Some(cell) = self.buffer.cell_mut((x + follower, y)) {
                cell.reset();
                cell.set_style(style);
            }
        }
    }

    /// A wide cell whose second half is written over is blanked: a terminal would draw it over what comes
    /// there. Screen coordinates.
    fn uncover(&mut self, x: u16, y: u16) {
        if let Some(before) = x.checked_sub(1)
            && let Some(cell) = self.buffer.cell_mut((before, y))
            && cell.symbol().len() > 1
            && text::width(cell.symbol()) > 1
        {
            cell.set_symbol(" ");
        }
    }

    /// A horizontal rule across the whole width.
    pub fn rule(&mut self, y: u16, symbol: &str, style: Style) {
        for x in 0..self.area.width {
            self.put(x, y, symbol, 1, style);
        }
    }

    /// A vertical rule.
    pub fn bar(&mut self, x: u16, from: u16, to: u16, symbol: &str, style: Style) {
        for y in from..to {
            self.put(x, y, symbol, 1, style);
        }
    }
}
