//! Scrolling through prepared text: descriptions, tests, context, help.
//!
//! Promises: only visible lines are laid out; prose is wrapped once for a width; code keeps its lines.
//! Leaves to others: what the text says (`screens`, `overlays`).

use crate::keymap::Action;
use crate::syntax::highlight::Span;
use crate::text::{self, Segment};
use crate::theme::Role;
use crate::tui::widgets::acted::Acted;
use crate::tui::widgets::canvas::{Canvas, TAB_WIDTH};
use crate::tui::widgets::diff_view::{MOST_WRAPPED_ROWS, occurrences};
use crate::tui::widgets::skin::Skin;
use std::sync::Arc;

/// A piece of a document.
#[derive(Debug, Clone)]
pub enum Block {
    /// A heading, with a remark beside it.
    Heading(String, String),
    /// Prose, wrapped at the width of the view.
    Prose(String),
    /// Text whose lines are kept, and broken between words where they are too long.
    Text(String),
    /// A name and its value, the values in one column.
    Field(String, String),
    /// A name and its value, the value in a role of its own.
    Marked(String, String, Role),
    /// Lines as they are, numbered, with syntax colours where they are known.
    Code(Arc<Code>),
    /// An item of a list.
    Item(String),
    /// One line in a role of its own.
    Line(String, Role),
    /// A remark, dimmed.
    Remark(String),
    /// An empty line.
    Blank,
}

/// Code with its colours by line.
#[derive(Debug, Default)]
pub struct Code {
    /// The lines, without their ends.
    pub lines: Vec<String>,
    /// Spans of each line, or none.
    pub spans: Vec<Vec<Span>>,
    /// Whether lines are numbered.
    pub numbered: bool,
}

impl Code {
    /// Columns of the line numbers and the blanks behind them.
    fn gutter(&self) -> u16 {
        if self.numbered { self.lines.len().max(1).ilog10() as u16 + 3 } else { 0 }
    }

    /// The first lines of a text, numbered, without colours.
    pub fn numbered(text: &str, most: usize) -> Code {
        let lines = text.lines().take(most).map(str::to_owned).collect();
        Code { lines, spans: Vec::new(), numbered: true }
    }

    /// Text without colours.
    pub fn plain(text: &str, numbered: bool) -> Code {
        Code { lines: text.lines().map(str::to_owned).collect(), spans: Vec::new(), numbered }
    }
}

/// A laid out line.
#[derive(Debug, Clone)]
enum Row {
    Heading(String, String),
    Text(String, Role),
    Field(String, String, Role),
    /// A line of code, or a row of one that was cut to the width.
    Code(Arc<Code>, usize, Option<Segment>),
    Blank,
}

impl Row {
    fn text(&self) -> &str {
        match self {
            Row::Heading(text, _) | Row::Text(text, _) | Row::Field(_, text, _) => text,
            Row::Code(code, line, _) => code.lines.get(*line).map_or("", String::as_str),
            Row::Blank => "",
        }
    }
}

/// Columns of the names of fields, at least and at most.
const NAMES: (u16, u16) = (14, 26);

/// A document and where it is scrolled to.
#[derive(Debug, Default)]
pub struct TextView {
    blocks: Vec<Block>,
    rows: Vec<Row>,
    /// Columns of the names of fields.
    names: u16,
    /// The names are keys.
    keys: bool,
    /// Long lines of code go on in the next row.
    wrap: bool,
    width: u16,
    height: u16,
    top: usize,
    left: usize,
    search: Option<(String, bool)>,
    /// Where the view was when a search was begun.
    search_start: Option<usize>,
    /// The row of the match that was gone to last.
    found: usize,
    /// The line of code that was gone to.
    lit: Option<(Arc<Code>, usize)>,
}

impl TextView {
    /// A view of these blocks.
    pub fn new(blocks: Vec<Block>) -> TextView {
        TextView { blocks, ..TextView::default() }
    }

    /// A view whose fields name keys.
    pub fn of_keys(blocks: Vec<Block>) -> TextView {
        TextView { blocks, keys: true, ..TextView::default() }
    }

    /// The view's size is known. A height of `u16::MAX` only lays out, to learn how many rows there are.
    pub fn resize(&mut self, width: u16, height: u16) {
        self.height = height;
        if self.width != width || self.rows.is_empty() {
            let share = if self.rows.is_empty() { 0.0 } else { self.top as f64 / self.rows.len() as f64 };
            self.width = width;
            self.names = names(&self.blocks);
            self.rows = layout(&self.blocks, width, self.names, self.wrap);
            self.top = (share * self.rows.len() as f64) as usize;
        }
        if height < u16::MAX {
            self.top = self.top.min(self.last_top());
        }
    }

    fn last_top(&self) -> usize {
        self.rows.len().saturating_sub(usize::from(self.height))
    }

    /// Scrolls by rows.
    pub fn scroll(&mut self, rows: isize) {
        self.top = self.top.saturating_add_signed(rows).min(self.last_top());
    }

    /// Scrolls by a page or half of one.
    pub fn page(&mut self, down: bool, half: bool) {
        let page = (usize::from(self.height.max(2)) - 1) as isize;
        let step = if half { page / 2 } else { page };
        self.scroll(if down { step } else { -step });
    }

    /// To the first or the last row.
    pub fn edge(&mut self, last: bool) {
        self.top = if last { self.last_top() } else { 0 };
    }

    /// Lets long lines of code go on in the next row, or cuts them.
    pub fn set_wrap(&mut self, wrap: bool) {
        if self.wrap != wrap {
            self.wrap = wrap;
            self.left = 0;
            let (width, height) = (self.width, self.height);
            self.width = u16::MAX;
            self.resize(width, height);
        }
    }

    /// Scrolls sideways, for code.
    pub fn scroll_sideways(&mut self, columns: isize) {
        if self.wrap {
            return;
        }
        self.left = self.left.saturating_add_signed(columns).min(10_000);
    }

    /// Whether long lines of code go on in the next row.
    pub fn wraps(&self) -> bool {
        self.wrap
    }

    /// Carries out an action; where it answers [`Acted::Chosen`], long lines wrap or do not any more.
    pub fn act(&mut self, action: Action) -> Acted {
        match action {
            Action::CursorDown => self.scroll(1),
            Action::CursorUp => self.scroll(-1),
            Action::PageDown => self.page(true, false),
            Action::PageUp => self.page(false, false),
            Action::HalfPageDown => self.page(true, true),
            Action::HalfPageUp => self.page(false, true),
            Action::First => self.edge(false),
            Action::Last => self.edge(true),
            Action::ScrollLeft => self.scroll_sideways(-8),
            Action::ScrollRight => self.scroll_sideways(8),
            Action::ScrollHome => self.scroll_sideways(isize::MIN),
            Action::ToggleWrap => {
                self.set_wrap(!self.wrap);
                return Acted::Chosen;
            }
            Action::Copy => return Acted::Copied(self.text()),
            _ => return Acted::Ignored,
        }
        Acted::Done
    }

    /// Rows in view and in all: `(1, 24, 80)`.
    pub fn position(&self) -> (usize, usize, usize) {
        let end = (self.top + usize::from(self.height)).min(self.rows.len());
        (self.top + 1, end, self.rows.len())
    }

    /// Which rows of how many are in view: `3–24 of 80`; nothing where all are, or where no row fits.
    pub fn part_in_view(&self) -> String {
        match self.position() {
            (first, last, all) if first > last || (first == 1 && last == all) => String::new(),
            (first, last, all) => format!("{first}–{last} of {all}"),
        }
    }

    /// All text as it was before it was laid out, for copying.
    pub fn text(&self) -> String {
        let text = |block: &Block| match block {
            Block::Heading(text, remark) if remark.is_empty() => text.clone(),
            Block::Heading(text, remark) => format!("{text} ({remark})"),
            Block::Field(name, value) | Block::Marked(name, value, _) => format!("{name}: {value}"),
            Block::Item(text) => format!("- {text}"),
            Block::Prose(text) | Block::Text(text) | Block::Remark(text) | Block::Line(text, _) => {
                text.clone()
            }
            Block::Code(code) => code.lines.join("\n"),
            Block::Blank => String::new(),
        };
        self.blocks.iter().map(text).collect::<Vec<_>>().join("\n")
    }

    /// A search is about to be typed: until [`TextView::end_search`] each one starts from here.
    pub fn begin_search(&mut self) {
        self.search_start = Some(self.top);
    }

    /// The search was typed.
    pub fn end_search(&mut self) {
        self.search_start = None;
    }

    /// Starts a search and goes to the first match from the top of the view; says how many rows match.
    pub fn search(&mut self, words: &str) -> usize {
        if let Some(top) = self.search_start {
            self.top = top.min(self.last_top());
        }
        if words.is_empty() {
            self.search = None;
            return 0;
        }
        self.search = Some((words.to_owned(), words.chars().any(char::is_uppercase)));
        let matching = self.matching();
        if let Some(row) = matching.iter().find(|row| **row >= self.top).or(matching.first()) {
            self.show(*row);
        }
        matching.len()
    }

    /// To the next or previous matching row; its number and how many there are. Goes on from the match
    /// shown last as long as that is in view, otherwise from what is.
    pub fn search_step(&mut self, forward: bool) -> Option<(usize, usize)> {
        let matching = self.matching();
        let bottom = self.top + usize::from(self.height);
        let in_view = (self.top..bottom).contains(&self.found);
        let index = match (forward, in_view) {
            (true, true) => matching.iter().position(|row| *row > self.found),
            (true, false) => matching.iter().position(|row| *row >= self.top),
            (false, true) => matching.iter().rposition(|row| *row < self.found),
            (false, false) => matching.iter().rposition(|row| *row < bottom),
        };
        let index = index.unwrap_or(if forward { 0 } else { matching.len().saturating_sub(1) });
        self.show(*matching.get(index)?);
        Some((index + 1, matching.len()))
    }

    fn matching(&self) -> Vec<usize> {
        let Some((words, exact)) = &self.search else { return Vec::new() };
        let holds = |row: &Row| {
            let text = row.text();
            // Of a wrapped line the row in which the words begin.
            let (start, end) = match row {
                Row::Code(_, _, Some(segment)) => {
                    (segment.range.start, (segment.range.end + words.len() - 1).min(text.len()))
                }
                _ => (0, text.len()),
            };
            !occurrences(&text[start..text.floor_char_boundary(end)], words, *exact).is_empty()
        };
        (0..self.rows.len()).filter(|row| holds(&self.rows[*row])).collect()
    }

    /// Goes to a line (from 1) of the code under a heading; says whether it is here.
    pub fn go_to(&mut self, heading: &str, line: u32) -> bool {
        let wanted = (line as usize).saturating_sub(1);
        let under = self.rows.iter().position(|row| matches!(row, Row::Heading(text, _) if text == heading));
        let Some(under) = under else { return false };
        let after = self.rows.iter().enumerate().skip(under + 1);
        let code = after.take_while(|(_, row)| matches!(row, Row::Code(..)));
        let found = code.filter_map(|(at, row)| match row {
            Row::Code(code, line, _) if *line == wanted => Some((at, code.clone())),
            _ => None,
        });
        let Some((row, code)) = found.min_by_key(|(at, _)| *at) else { return false };
        self.lit = Some((code, wanted));
        self.show(row);
        true
    }

    fn show(&mut self, row: usize) {
        self.found = row;
        self.top = row.saturating_sub(usize::from(self.height) / 3).min(self.last_top());
    }

    /// Draws the rows in view.
    pub fn draw(&self, canvas: &mut Canvas<'_>, skin: &Skin) {
        for y in 0..canvas.height() {
            let Some(row) = self.rows.get(self.top + usize::from(y)) else { break };
            self.draw_row(canvas, skin, y, row);
        }
    }

    fn draw_row(&self, canvas: &mut Canvas<'_>, skin: &Skin, y: u16, row: &Row) {
        let width = canvas.width();
        let mut found_from = 0;
        match row {
            Row::Heading(text, remark) => {
                let x = canvas.print(0, y, text, skin.style(Role::Title), width);
                canvas.print(x + 2, y, remark, skin.style(Role::TextDim), width);
            }
            Row::Text(text, role) => {
                canvas.print(0, y, text, skin.style(*role), width);
            }
            Row::Field(name, value, role) => {
                let name_role = if self.keys { Role::Key } else { Role::TextDim };
                canvas.print(0, y, name, skin.style(name_role), self.names - 1);
                canvas.print(self.names, y, value, skin.style(*role), width);
                found_from = self.names;
            }
            Row::Code(code, line, segment) => {
                let Some(text) = code.lines.get(*line) else { return };
                let x = code.gutter();
                let lit = self.lit.as_ref().is_some_and(|(lit, at)| at == line && Arc::ptr_eq(lit, code));
                if lit {
                    canvas.style_row(y, skin.style(Role::Cursor));
                }
                if code.numbered && segment.as_ref().is_none_or(|segment| segment.column == 0) {
                    let number = (line + 1).to_string();
                    let role = if lit { Role::LineNumberCursor } else { Role::LineNumber };
                    canvas.print_end(0, y, &number, skin.style(role), x - 2);
                }
                if lit && x > 1 {
                    canvas.put(x - 2, y, skin.glyphs.cursor, 1, skin.style(Role::Accent));
                }
                let from = segment.as_ref().map_or(self.left, |segment| segment.column);
                let start = segment.as_ref().map_or(0, |segment| segment.range.start);
                let room = usize::from(width.saturating_sub(x));
                let mut spans = code.spans.get(*line).map_or(&[][..], Vec::as_slice).iter().peekable();
                let base = skin.style(Role::Text);
                let first = if start == 0 { 0 } else { from };
                for cell in text::cells_from(text, TAB_WIDTH, start, first).window(from, room) {
                    while spans.next_if(|span| span.end as usize <= cell.range.start).is_some() {}
                    let mut style = spans.peek().map_or(base, |span| base.patch(skin.syntax(span.role)));
                    if cell.placeholder {
                        style = style.patch(skin.style(Role::Placeholder));
                    }
                    canvas.put(x + (cell.column - from) as u16, y, &cell.text, cell.width, style);
                }
                found_from = x;
            }
            Row::Blank => {}
        }
        if let Some((words, exact)) = &self.search {
            let (left, tab, seen) = match row {
                Row::Code(_, _, Some(segment)) => (segment.column, TAB_WIDTH, segment.width),
                Row::Code(..) => (self.left, TAB_WIDTH, usize::from(width)),
                _ => (0, 0, usize::from(width)),
            };
            let right = left + seen;
            // Of a line of a megabyte only what is in view is looked at, and a word that begins before it.
            let line = row.text();
            let before = text::byte_at(line, tab, left).saturating_sub(words.len());
            let after = text::byte_at(line, tab, right) + words.len();
            let start = line.floor_char_boundary(before);
            for range in
                occurrences(&line[start..line.ceil_char_boundary(after.min(line.len()))], words, *exact)
            {
                let from = text::column_of(line, tab, start + range.start).max(left);
                let to = text::column_of(line, tab, start + range.end).min(right);
                if from < to {
                    let x = found_from.saturating_add((from - left) as u16);
                    canvas.style(x, y, (to - from) as u16, skin.style(Role::Match));
                }
            }
        }
    }
}

/// Columns that the names of a document's fields need.
fn names(blocks: &[Block]) -> u16 {
    let widest = blocks.iter().filter_map(|block| match block {
        Block::Field(name, _) | Block::Marked(name, _, _) => Some(text::width(name)),
        _ => None,
    });
    (widest.max().unwrap_or(0) as u16).saturating_add(2).clamp(NAMES.0, NAMES.1)
}

fn layout(blocks: &[Block], width: u16, names: u16, wrap: bool) -> Vec<Row> {
    let mut rows = Vec::new();
    // Lines of prose longer than this are tiring to read.
    let prose = usize::from(width.clamp(1, 100));
    for block in blocks {
        match block {
            Block::Heading(text, remark) => rows.push(Row::Heading(text.clone(), remark.clone())),
            Block::Prose(text) => {
                let lines = text::wrap(&text::reflow(text), prose);
                rows.extend(lines.into_iter().map(|line| Row::Text(line, Role::Text)));
            }
            Block::Text(text) => {
                let lines = text::wrap(text, usize::from(width.max(1)));
                rows.extend(lines.into_iter().map(|line| Row::Text(line, Role::Text)));
            }
            Block::Remark(text) => {
                rows.extend(text::wrap(text, prose).into_iter().map(|line| Row::Text(line, Role::TextDim)));
            }
            Block::Item(text) => {
                let wrapped = text::wrap(text, prose.saturating_sub(2).max(1));
                for (number, line) in wrapped.into_iter().enumerate() {
                    rows.push(Row::Text(
                        format!("{} {line}", if number == 0 { "•" } else { " " }),
                        Role::Text,
                    ));
                }
            }
            Block::Field(name, value) => {
                field(&mut rows, name, value, Role::Text, width.saturating_sub(names))
            }
            Block::Marked(name, value, role) => {
                field(&mut rows, name, value, *role, width.saturating_sub(names))
            }
            Block::Line(text, role) => rows.push(Row::Text(text.clone(), *role)),
            Block::Code(code) if wrap => {
                let room = usize::from(width.saturating_sub(code.gutter()).max(1));
                for (number, line) in code.lines.iter().enumerate() {
                    let segments = text::wrap_cells(line, TAB_WIDTH, room).take(MOST_WRAPPED_ROWS);
                    rows.extend(segments.map(|segment| Row::Code(code.clone(), number, Some(segment))));
                }
            }
            Block::Code(code) => {
                rows.extend((0..code.lines.len()).map(|line| Row::Code(code.clone(), line, None)))
            }
            Block::Blank => rows.push(Row::Blank),
        }
    }
    rows
}

fn field(rows: &mut Vec<Row>, name: &str, value: &str, role: Role, room: u16) {
    let room = usize::from(room.max(8));
    for (number, line) in text::wrap(value, room).into_iter().enumerate() {
        rows.push(Row::Field(if number == 0 { name.to_owned() } else { String::new() }, line, role));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_is_named_where_there_is_one_and_it_can_be_seen() {
        let lines = (0..5).map(|number| Block::Line(format!("line {number}"), Role::Text));
        let mut view = TextView::new(lines.collect());
        let mut named = |height: u16| {
            view.resize(20, height);
            view.part_in_view()
        };
        assert_eq!([named(0), named(2), named(5), named(9)], ["", "1–2 of 5", "", ""]);
        view.resize(20, 2);
        view.scroll(2);
        assert_eq!(view.part_in_view(), "3–4 of 5");
    }
}
