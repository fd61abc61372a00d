//! The drawing library's cells as escape sequences.
//!
//! Promises: as few bytes as lead from one frame to the next, over SSH above all: colours and places are
//! remembered, the end of a line is erased, not filled; a frame is handed over in one piece between the marks of a
//! synchronized update, and a frame without changes writes nothing; the terminal is never asked anything.
//! Leaves to others: which cells changed (the drawing library), the writing itself (`output`).

mod pen;

use super::output;
use pen::{Pen, SHOWS_ON_BLANK};
use ratatui::backend::{Backend, ClearType, WindowSize};
use ratatui::buffer::{Buffer, Cell, CellWidth};
use ratatui::layout::{Position, Size};
use ratatui::style::Color;
use std::fmt;
use std::io::{self, Write};

/// Takes the bytes of a frame.
type Sink = Box<dyn FnMut(&[u8]) -> io::Result<()> + Send>;

/// Blanks up to the end of a line that are worth erasing instead.
const WORTH_ERASING: usize = 4;

/// A drawing surface that collects a frame and hands it over when it is complete.
pub(super) struct Screen {
    frame: Vec<u8>,
    sink: Sink,
    size: fn() -> Size,
    pen: Pen,
    /// Where the terminal's cursor is, if that is sure. A column as great as the width means: behind the last
    /// character of the line, before the next one wraps.
    at: Option<Position>,
    /// Where it is to be shown, if anywhere.
    wanted: Option<Position>,
    visible: bool,
    /// Which cells are sure to show nothing, for this size.
    blank: Vec<bool>,
    noted: Size,
}

impl fmt::Debug for Screen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Screen").field("pen", &self.pen).field("at", &self.at).finish_non_exhaustive()
    }
}

impl Screen {
    /// The surface on standard output.
    pub fn on_standard_output() -> Screen {
        Screen::new(Box::new(output::write), output::size)
    }

    /// A surface of this size that gives its frames to `sink`.
    pub fn new(sink: Sink, size: fn() -> Size) -> Screen {
        Screen {
            frame: Vec::with_capacity(16 * 1024),
            sink,
            size,
            pen: Pen::PLAIN,
            at: None,
            wanted: None,
            visible: false,
            blank: Vec::new(),
            noted: Size::ZERO,
        }
    }

    /// Forgets what the terminal was told: another program had it.
    pub fn forget(&mut self) {
        self.frame.extend_from_slice(b"\x1b[m");
        self.pen = Pen::PLAIN;
        self.at = None;
        self.visible = false;
        self.blank.fill(false);
    }

    fn go(&mut self, to: Position, size: Size) {
        if self.at == Some(to) {
            return;
        }
        match self.at {
            Some(at) if to.y == at.y && to.x == 0 => self.frame.push(b'\r'),
            Some(at) if to.y == at.y + 1 && to.x == 0 => self.frame.extend_from_slice(b"\r\n"),
            Some(at) if to.y == at.y && to.x > at.x && at.x < size.width => {
                self.forward(at, to.x - at.x, size)
            }
            // 1 is what terminals assume where a number is left out.
            _ if to == Position::ORIGIN => self.frame.extend_from_slice(b"\x1b[H"),
            _ if to.x == 0 => self.sequence(&[usize::from(to.y) + 1], b'H'),
            _ => self.sequence(&[usize::from(to.y) + 1, usize::from(to.x) + 1], b'H'),
        }
        self.at = Some(to);
    }

    /// Over `columns` columns to the right.
    fn forward(&mut self, at: Position, columns: u16, size: Size) {
        let invisible = self.pen.bg == Color::Reset && !self.pen.modifier.intersects(SHOWS_ON_BLANK);
        let start = place(at, size);
        let passed = self.blank.get(start..start + usize::from(columns));
        if columns < 4 && invisible && passed.is_some_and(|passed| passed.iter().all(|blank| *blank)) {
            self.frame.extend(std::iter::repeat_n(b' ', usize::from(columns)));
        } else if columns == 1 {
            self.frame.extend_from_slice(b"\x1b[C");
        } else {
            self.sequence(&[usize::from(columns)], b'C');
        }
    }

    /// Makes the notes about blanks fit the size.
    fn measure(&mut self) -> Size {
        let size = (self.size)();
        let cells = usize::from(size.width) * usize::from(size.height);
        if self.noted != size {
            // The second screen is empty at first; what it shows after a change of size is the terminal's affair.
            let empty = self.noted == Size::ZERO;
            (self.noted, self.blank) = (size, vec![empty; cells]);
            self.at = None;
        }
        size
    }

    /// A sequence with these numbers.
    fn sequence(&mut self, numbers: &[usize], end: u8) {
        self.frame.extend_from_slice(b"\x1b[");
        for (index, number) in numbers.iter().enumerate() {
            if index > 0 {
                self.frame.push(b';');
            }
            // Writing to memory cannot fail.
            let _ = write!(self.frame, "{number}");
        }
        self.frame.push(end);
    }

    /// How many of these changes, which begin at `at`, are done by erasing the rest of the line; `None` where
    /// something is to stay there or too little would be gained.
    fn erasable(&self, changes: &[(u16, u16, &Cell)], at: Position, size: Size) -> Option<usize> {
        let mut count = 0;
        for x in at.x..size.width {
            match changes.get(count) {
                Some((column, row, cell)) if (*column, *row) == (x, at.y) => {
                    if !is_erasable(cell) {
                        return None;
                    }
                    count += 1;
                }
                _ if self.blank.get(place(Position { x, y: at.y }, size)) == Some(&true) => {}
                _ => return None,
            }
        }
        (count >= WORTH_ERASING).then_some(count)
    }

    fn switch(&mut self, to: Pen) {
        if self.pen == to {
            return;
        }
        if to == Pen::PLAIN {
            self.frame.extend_from_slice(b"\x1b[m");
            self.pen = to;
            return;
        }
        let codes = self.pen.codes_to(to);
        self.sequence(&codes, b'm');
        self.pen = to;
    }

    fn print(&mut self, cell: &Cell, at: Position, size: Size) {
        let symbol = cell.symbol();
        self.frame.extend_from_slice(symbol.as_bytes());
        let columns = symbol.cell_width();
        // Terminals disagree about emoji and marks: after those the place is given anew.
        let end = at.x.saturating_add(columns);
        self.at =
            (width_is_sure(symbol, columns) && end <= size.width).then_some(Position { x: end, y: at.y });
        let start = place(at, size);
        let covered = start..start + usize::from(columns.max(1));
        let blank = is_erasable(cell);
        self.blank.iter_mut().take(covered.end).skip(covered.start).for_each(|known| *known = blank);
    }
}

/// Makes a blank of every wide character that something else was drawn over the right half of. A terminal cannot show
/// both, the comparison of frames takes the hidden one for shown, and a border is worth more than half a letter.
pub fn blank_covered(buffer: &mut Buffer) {
    let width = usize::from(buffer.area.width).max(1);
    for row in buffer.content.chunks_mut(width) {
        for at in 0..row.len().saturating_sub(1) {
            let is_wide = row[at].symbol().len() > 1 && row[at].symbol().cell_width() > 1;
            if is_wide && row[at + 1].symbol() != " " {
                row[at].set_symbol(" ");
            }
        }
    }
}

/// Number of the cell at a place.
fn place(at: Position, size: Size) -> usize {
    usize::from(at.y) * usize::from(size.width) + usize::from(at.x)
}

/// Whether every terminal gives `symbol` this many columns.
fn width_is_sure(symbol: &str, columns: u16) -> bool {
    let mut characters = symbol.chars();
    match (characters.next(), characters.next()) {
        (Some(character), None) => match columns {
            1 => !matches!(character as u32, 0x2600..=0x27bf | 0x1f000..=0x1ffff | 0xff9e | 0xff9f),
            2 => {
                matches!(character as u32, 0x2e80..=0x303e | 0x3041..=0x9fff | 0xac00..=0xd7a3 | 0xf900..=0xfaff | 0xff01..=0xff60)
            }
            _ => false,
        },
        _ => false,
    }
}

fn is_erasable(cell: &Cell) -> bool {
    cell.symbol() == " " && cell.bg == Color::Reset && !cell.modifier.intersects(SHOWS_ON_BLANK)
}

impl Backend for Screen {
    type Error = io::Error;

    fn draw<'a, I>(&mut self, content: I) -> io::Result<()>
    where
        I: Iterator<Item = (u16, u16, &'a Cell)>,
    {
        let size = self.measure();
        let cells: Vec<(u16, u16, &Cell)> = content.collect();
        let mut next = 0;
        while let Some((x, y, cell)) = cells.get(next).copied() {
            let at = Position { x, y };
            if let Some(count) = self.erasable(&cells[next..], at, size) {
                self.go(at, size);
                if self.pen.bg != Color::Reset || self.pen.modifier.intersects(SHOWS_ON_BLANK) {
                    self.switch(Pen::PLAIN);
                }
                self.frame.extend_from_slice(b"\x1b[K");
                let row = place(at, size)..place(Position { x: 0, y }, size) + usize::from(size.width);
                self.blank.iter_mut().take(row.end).skip(row.start).for_each(|known| *known = true);
                next += count;
                continue;
            }
            self.go(at, size);
            // The colour of the text does not matter on a blank: leave it as it is.
            let mut pen = Pen::of(cell);
            if cell.symbol() == " " && !cell.modifier.intersects(SHOWS_ON_BLANK) {
                let kept = self.pen.modifier - SHOWS_ON_BLANK;
                pen = Pen { bg: pen.bg, modifier: kept, ..self.pen };
            }
            self.switch(pen);
            self.print(cell, at, size);
            next += 1;
        }
        Ok(())
    }

    fn hide_cursor(&mut self) -> io::Result<()> {
        self.wanted = None;
        Ok(())
    }

    fn show_cursor(&mut self) -> io::Result<()> {
        self.wanted = self.wanted.or(self.at).or(Some(Position::ORIGIN));
        Ok(())
    }

    fn get_cursor_position(&mut self) -> io::Result<Position> {
        // What the terminal would say; asking it would take keys from the event stream.
        Ok(self.wanted.or(self.at).unwrap_or(Position::ORIGIN))
    }

    fn set_cursor_position<P: Into<Position>>(&mut self, position: P) -> io::Result<()> {
        let position = position.into();
        if self.wanted.is_some() {
            self.wanted = Some(position);
        }
        Ok(())
    }

    fn clear(&mut self) -> io::Result<()> {
        self.clear_region(ClearType::All)
    }

    fn clear_region(&mut self, region: ClearType) -> io::Result<()> {
        // Terminals erase with the colour they were told.
        self.switch(Pen::PLAIN);
        self.measure();
        if region == ClearType::All {
            self.blank.fill(true);
        }
        self.frame.extend_from_slice(match region {
            ClearType::All => b"\x1b[2J",
            ClearType::AfterCursor => b"\x1b[0J",
            ClearType::BeforeCursor => b"\x1b[1J",
            ClearType::CurrentLine => b"\x1b[2K",
            ClearType::UntilNewLine => b"\x1b[0K",
        });
        Ok(())
    }

    fn size(&self) -> io::Result<Size> {
        Ok((self.size)())
    }

    fn window_size(&mut self) -> io::Result<WindowSize> {
        Ok(WindowSize { columns_rows: (self.size)(), pixels: Size::ZERO })
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.visible && (self.wanted.is_none() || !self.frame.is_empty()) {
            self.frame.splice(0..0, *b"\x1b[?25l");
            self.visible = false;
        }
        if let Some(wanted) = self.wanted {
            let size = self.measure();
            self.go(wanted, size);
            if !self.visible {
                self.frame.extend_from_slice(b"\x1b[?25h");
                self.visible = true;
            }
        }
        if self.frame.is_empty() {
            return Ok(());
        }
        self.frame.splice(0..0, *b"\x1b[?2026h");
        self.frame.extend_from_slice(b"\x1b[?2026l");
        let result = (self.sink)(&self.frame);
        self.frame.clear();
        result
    }
}

#[cfg(test)]
mod tests;
