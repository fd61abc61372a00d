//! Scrolling through prepared text: descriptions, tests, context, help.
//!
//! Promises: only visible lines are laid out; prose is wrapped once for a width; code keeps its lines.
//! Leaves to others: what the text says (`screens`, `overlays`).

use crate::syntax::highlight::Span;
use crate::text;
use crate::theme::Role;
use crate::tui::widgets::canvas::{Canvas, TAB_WIDTH};
use crate::tui::widgets::diff_view::occurrences;
use crate::tui::widgets::skin::Skin;
use std::sync::Arc;

/// A piece of a document.
#[derive(Debug, Clone)]
pub enum Block {
    /// A heading, with a remark beside it.
    Heading(String, String),
    /// Prose, wrapped at the width of the view.
    Prose(String),
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
    Code(Arc<Code>, usize),
    Blank,
}

impl Row {
    fn text(&self) -> &str {
        match self {
            Row::Heading(text, _) | Row::Text(text, _) | Row::Field(_, text, _) => text,
            Row::Code(code, line) => code.lines.get(*line).map_or("", String::as_str),
            Row::Blank => "",
        }
    }
}

/// Columns of the names of fields.
const NAMES: u16 = 16;

/// A document and where it is scrolled to.
#[derive(Debug, Default)]
pub struct TextView {
    blocks: Vec<Block>,
    rows: Vec<Row>,
    width: u16,
    height: u16,
    top: usize,
    left: usize,
    search: Option<(String, bool)>,
}

impl TextView {
    /// A view of these blocks.
    pub fn new(blocks: Vec<Block>) -> TextView {
        TextView { blocks, ..TextView::default() }
    }

    /// The view's size is known. A height of `u16::MAX` only lays out, to learn how many rows there are.
    pub fn resize(&mut self, width: u16, height: u16) {
        self.height = height;
        if self.width != width || self.rows.is_empty() {
            let share = if self.rows.is_empty() { 0.0 } else { self.top as f64 / self.rows.len() as f64 };
            self.width = width;
            self.rows = layout(&self.blocks, width);
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

    /// Scrolls sideways, for code.
    pub fn scroll_sideways(&mut self, columns: isize) {
        self.left = self.left.saturating_add_signed(columns).min(10_000);
    }

    /// Rows in view and in all: `(1, 24, 80)`.
    pub fn position(&self) -> (usize, usize, usize) {
        let end = (self.top + usize::from(self.height)).min(self.rows.len());
        (self.top + 1, end, self.rows.len())
    }

    /// All text, for copying.
    pub fn text(&self) -> String {
        self.rows.iter().map(Row::text).collect::<Vec<_>>().join("\n")
    }

    /// Starts a search and goes to the first match from the top of the view; says how many rows match.
    pub fn search(&mut self, words: &str) -> usize {
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

    /// To the next or previous matching row; its number and how many there are.
    pub fn search_step(&mut self, forward: bool) -> Option<(usize, usize)> {
        let matching = self.matching();
        let here = self.top + usize::from(self.height) / 3;
        let index = if forward {
            matching.iter().position(|row| *row > here).unwrap_or(0)
        } else {
            matching.iter().rposition(|row| *row < here).unwrap_or(matching.len().saturating_sub(1))
        };
        self.show(*matching.get(index)?);
        Some((index + 1, matching.len()))
    }

    fn matching(&self) -> Vec<usize> {
        let Some((words, exact)) = &self.search else { return Vec::new() };
        (0..self.rows.len())
            .filter(|row| !occurrences(self.rows[*row].text(), words, *exact).is_empty())
            .collect()
    }

    fn show(&mut self, row: usize) {
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
                canvas.print(0, y, name, skin.style(Role::TextDim), NAMES - 1);
                canvas.print(NAMES, y, value, skin.style(*role), width);
                found_from = NAMES;
            }
            Row::Code(code, line) => {
                let Some(text) = code.lines.get(*line) else { return };
                let mut x = 0;
                if code.numbered {
                    let digits = code.lines.len().max(1).ilog10() as u16 + 1;
                    canvas.print_end(0, y, &(line + 1).to_string(), skin.style(Role::LineNumber), digits);
                    x = digits + 2;
                }
                let room = usize::from(width.saturating_sub(x));
                let mut spans = code.spans.get(*line).map_or(&[][..], Vec::as_slice).iter().peekable();
                let base = skin.style(Role::Text);
                for cell in text::cells(text, TAB_WIDTH).window(self.left, room) {
                    while spans.next_if(|span| span.end as usize <= cell.range.start).is_some() {}
                    let mut style = spans.peek().map_or(base, |span| base.patch(skin.syntax(span.role)));
                    if cell.placeholder {
                        style = style.patch(skin.style(Role::Placeholder));
                    }
                    canvas.put(x + (cell.column - self.left) as u16, y, &cell.text, cell.width, style);
                }
                found_from = x;
            }
            Row::Blank => {}
        }
        if let Some((words, exact)) = &self.search {
            let left = if matches!(row, Row::Code(..)) { self.left } else { 0 };
            for range in occurrences(row.text(), words, *exact) {
                let start = text::column_of(row.text(), TAB_WIDTH, range.start);
                let end = text::column_of(row.text(), TAB_WIDTH, range.end);
                if end > left {
                    let from = start.saturating_sub(left) as u16;
                    let columns = (end - start.max(left)) as u16;
                    canvas.style(found_from.saturating_add(from), y, columns, skin.style(Role::Match));
                }
            }
        }
    }
}

fn layout(blocks: &[Block], width: u16) -> Vec<Row> {
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
            Block::Field(name, value) => field(&mut rows, name, value, Role::Text, width),
            Block::Marked(name, value, role) => field(&mut rows, name, value, *role, width),
            Block::Line(text, role) => rows.push(Row::Text(text.clone(), *role)),
            Block::Code(code) => rows.extend((0..code.lines.len()).map(|line| Row::Code(code.clone(), line))),
            Block::Blank => rows.push(Row::Blank),
        }
    }
    rows
}

fn field(rows: &mut Vec<Row>, name: &str, value: &str, role: Role, width: u16) {
    let room = usize::from(width.saturating_sub(NAMES).max(8));
    for (number, line) in text::wrap(value, room).into_iter().enumerate() {
        rows.push(Row::Field(if number == 0 { name.to_owned() } else { String::new() }, line, role));
    }
}
