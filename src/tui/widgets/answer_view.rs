//! A model's answer as it streams: prose, code with syntax colours, reasoning folded away.
//!
//! Promises: a finished line is laid out once, only the last one is made anew; any cut of the stream gives the same
//! rows; the end is followed until somebody scrolls; nothing reaches the terminal but harmless text and theme colours.
//! Leaves to others: finding syntax colours (jobs), which answer it is.

use crate::syntax::highlight::Span;
use crate::text;
use crate::text::thousands;
use crate::theme::Role;
use crate::tui::widgets::canvas::{Canvas, TAB_WIDTH};
use crate::tui::widgets::skin::Skin;
use crate::tui::widgets::trail::Trail;
use ratatui::style::Style;

/// Rows of reasoning that are seen while there is no answer yet.
const THOUGHTS: usize = 6;
/// Columns by which code is indented.
const INDENT: u16 = 2;

/// A laid out row.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Row {
    Prose(String),
    Heading(String),
    /// Line of a piece of code.
    Code(usize, usize),
    /// The line that opens a piece of code: its language.
    Fence(String),
    Blank,
}

/// A piece of code.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Piece {
    language: String,
    lines: Vec<String>,
    spans: Vec<Vec<Span>>,
    /// Lines that colours were asked for.
    asked: usize,
}

/// A fence that was opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fence {
    sign: char,
    length: usize,
}

/// The answer.
#[derive(Debug, Default)]
pub struct AnswerView {
    /// Bytes that are laid out for good.
    laid: usize,
    rows: Vec<Row>,
    tail: Vec<Row>,
    /// The last line, when it is code that has no end yet.
    open_line: String,
    fence: Option<Fence>,
    pieces: Vec<Piece>,
    thoughts: Vec<String>,
    thought: usize,
    thought_tail: Vec<String>,
    thought_length: usize,
    /// The reasoning is shown.
    pub unfolded: bool,
    width: u16,
    trail: Trail,
}

impl AnswerView {
    /// Takes the text so far: of what was taken before only the last line may have changed.
    pub fn set(&mut self, answer: &str, reasoning: &str) {
        if answer.len() < self.laid || reasoning.len() < self.thought || !answer.is_char_boundary(self.laid) {
            self.forget();
        }
        self.lay_answer(answer);
        self.lay_reasoning(reasoning);
        self.trail.clamp(self.len());
    }

    /// Forgets the answer: another one comes.
    pub fn forget(&mut self) {
        let (unfolded, width, height) = (self.unfolded, self.width, self.trail.height());
        *self = AnswerView { unfolded, width, ..AnswerView::default() };
        self.trail.resize(height, 0);
    }

    fn lay_answer(&mut self, answer: &str) {
        while let Some(end) = answer.get(self.laid..).and_then(|rest| rest.find('\n')) {
            let line = answer.get(self.laid..self.laid + end).unwrap_or_default();
            let line = line.strip_suffix('\r').unwrap_or(line);
            let mut rows = std::mem::take(&mut self.rows);
            self.lay_line(line, &mut rows);
            self.rows = rows;
            self.laid += end + 1;
        }
        let rest = answer.get(self.laid..).unwrap_or_default();
        self.open_line.clear();
        self.tail.clear();
        if rest.is_empty() {
            return;
        }
        if let Some(open) = self.fence {
            // An answer may end with the fence, and without an end of line.
            match fence_of(rest) {
                Some(fence) if closes(open, fence) => self.tail.push(Row::Blank),
                _ => rest.clone_into(&mut self.open_line),
            }
            return;
        }
        let mut rows = Vec::new();
        prose(rest, self.columns(), &mut rows);
        self.tail = rows;
    }

    fn lay_line(&mut self, line: &str, rows: &mut Vec<Row>) {
        match (self.fence, fence_of(line)) {
            (Some(open), Some(fence)) if closes(open, fence) => {
                self.fence = None;
                rows.push(Row::Blank);
            }
            (Some(_), _) => {
                let piece = self.pieces.len().saturating_sub(1);
                if let Some(last) = self.pieces.last_mut() {
                    rows.push(Row::Code(piece, last.lines.len()));
                    last.lines.push(line.to_owned());
                }
            }
            (None, Some((fence, language))) => {
                self.fence = Some(fence);
                self.pieces.push(Piece { language: language.to_owned(), ..Piece::default() });
                rows.push(Row::Fence(language.to_owned()));
            }
            (None, None) => prose(line, self.columns(), rows),
        }
    }

    fn lay_reasoning(&mut self, reasoning: &str) {
        self.thought_length = reasoning.chars().count();
        let columns = usize::from(self.columns().saturating_sub(INDENT).max(1));
        while let Some(end) = reasoning.get(self.thought..).and_then(|rest| rest.find('\n')) {
            let line = reasoning.get(self.thought..self.thought + end).unwrap_or_default();
            self.thoughts.extend(text::wrap(line, columns));
            self.thought += end + 1;
        }
        let rest = reasoning.get(self.thought..).unwrap_or_default();
        self.thought_tail = if rest.is_empty() { Vec::new() } else { text::wrap(rest, columns) };
    }

    fn columns(&self) -> u16 {
        self.width.max(1)
    }

    /// The view's size is known; `answer` and `reasoning` are laid out anew for another width.
    pub fn resize(&mut self, width: u16, height: u16, answer: &str, reasoning: &str) {
        if self.width != width {
            // Colours and the place are kept.
            let before = self.len();
            let (pieces, trail) = (std::mem::take(&mut self.pieces), std::mem::take(&mut self.trail));
            self.width = width;
            self.forget();
            self.set(answer, reasoning);
            for (piece, known) in self.pieces.iter_mut().zip(pieces) {
                (piece.spans, piece.asked) = (known.spans, known.asked);
            }
            self.trail = trail;
            self.trail.laid_out_anew(before, self.len());
        }
        self.trail.resize(height, self.len());
    }

    /// Whether there is nothing to show.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    fn has_answer(&self) -> bool {
        !self.rows.is_empty() || !self.tail.is_empty() || !self.open_line.is_empty()
    }

    fn thoughts_shown(&self) -> usize {
        let all = self.thoughts.len() + self.thought_tail.len();
        if self.unfolded {
            all
        } else if self.has_answer() {
            0
        } else {
            all.min(THOUGHTS)
        }
    }

    /// Rows of the reasoning, its head and the blank under it included.
    fn thought_rows(&self) -> usize {
        if self.thought_length == 0 { 0 } else { 1 + self.thoughts_shown() + usize::from(self.has_answer()) }
    }

    fn len(&self) -> usize {
        self.thought_rows() + self.rows.len() + self.tail.len() + usize::from(!self.open_line.is_empty())
    }

    fn shown_top(&self) -> usize {
        self.trail.top(self.len())
    }

    /// Whether the end is followed.
    pub fn follows(&self) -> bool {
        self.trail.follows()
    }

    /// Rows below the view.
    pub fn below(&self) -> usize {
        self.trail.below(self.len())
    }

    /// Scrolls by rows; at the end it is followed again.
    pub fn scroll(&mut self, rows: isize) {
        self.trail.scroll(rows, self.len());
    }

    /// Scrolls by a page or half of one.
    pub fn page(&mut self, down: bool, half: bool) {
        self.trail.page(down, half, self.len());
    }

    /// To the first or the last row.
    pub fn edge(&mut self, last: bool) {
        self.trail.edge(last, self.len());
    }

    /// Scrolls code sideways.
    pub fn scroll_sideways(&mut self, columns: isize) {
        self.trail.scroll_sideways(columns);
    }

    /// The first piece of code whose colours are not known: its number, its language, its text.
    pub fn wants_colours(&mut self) -> Option<(usize, String, String)> {
        let last = self.pieces.len().saturating_sub(1);
        let is_open = self.fence.is_some();
        for (number, piece) in self.pieces.iter_mut().enumerate() {
            let fresh = piece.lines.len().saturating_sub(piece.asked);
            // While a long piece streams its colours come for some lines at a time.
            let enough = if is_open && number == last { 1 + piece.asked / 8 } else { 1 };
            if fresh >= enough {
                piece.asked = piece.lines.len();
                let mut text = piece.lines.join("\n");
                text.push('\n');
                return Some((number, piece.language.clone(), text));
            }
        }
        None
    }

    /// Colours of a piece have come.
    pub fn set_colours(&mut self, piece: usize, spans: Vec<Vec<Span>>) {
        if let Some(piece) = self.pieces.get_mut(piece) {
            piece.spans = spans;
        }
    }

    /// Draws the rows in view; `live`: the place where text comes is marked.
    pub fn draw(&self, canvas: &mut Canvas<'_>, skin: &Skin, live: bool) {
        let top = self.shown_top();
        let mut end = None;
        for y in 0..canvas.height() {
            let index = top + usize::from(y);
            if index >= self.len() {
                break;
            }
            let x = self.draw_row(canvas, skin, y, index);
            end = (index + 1 == self.len()).then_some((x, y));
        }
        if let Some((x, y)) = end.filter(|_| live) {
            let x = x.min(canvas.width().saturating_sub(1));
            canvas.put(x, y, skin.glyphs.cursor, 1, skin.style(Role::Accent));
        }
    }

    /// Draws one row and says in which column it ended.
    fn draw_row(&self, canvas: &mut Canvas<'_>, skin: &Skin, y: u16, index: usize) -> u16 {
        let width = canvas.width();
        let thoughts = self.thought_rows();
        if index < thoughts {
            return self.draw_thought(canvas, skin, y, index);
        }
        let index = index - thoughts;
        let row = self.rows.get(index).or_else(|| self.tail.get(index - self.rows.len()));
        match row {
            Some(Row::Blank) => 0,
            Some(Row::Prose(line)) => draw_prose(canvas, skin, y, line),
            Some(Row::Heading(line)) => canvas.print(0, y, line, skin.style(Role::Title), width),
            Some(Row::Fence(language)) => {
                let name = if language.is_empty() { "code" } else { language };
                let x = canvas.print(0, y, name, skin.style(Role::TextDim), width);
                for column in x + 1..width {
                    canvas.put(column, y, skin.glyphs.rule, 1, skin.style(Role::Border));
                }
                x
            }
            Some(Row::Code(piece, line)) => {
                let Some(piece) = self.pieces.get(*piece) else { return 0 };
                let Some(code) = piece.lines.get(*line) else { return 0 };
                let spans = piece.spans.get(*line).map_or(&[][..], Vec::as_slice);
                self.draw_code(canvas, skin, y, code, spans)
            }
            None => self.draw_code(canvas, skin, y, &self.open_line, &[]),
        }
    }

    fn draw_thought(&self, canvas: &mut Canvas<'_>, skin: &Skin, y: u16, index: usize) -> u16 {
        let dim = skin.style(Role::TextDim);
        let shown = self.thoughts_shown();
        if index == 0 {
            let sign = if shown > 0 { skin.glyphs.open } else { skin.glyphs.closed };
            let x = canvas.print(0, y, sign, dim, 1);
            let size = format!("reasoning, {} characters", thousands(self.thought_length));
            return canvas.print(x + 1, y, &size, dim, canvas.width());
        }
        let all = self.thoughts.len() + self.thought_tail.len();
        let line = (all - shown.min(all)) + index - 1;
        let text = self.thoughts.get(line).or_else(|| self.thought_tail.get(line - self.thoughts.len()));
        match text {
            Some(text) if index <= shown => canvas.print(INDENT, y, text, dim, canvas.width()),
            _ => 0,
        }
    }

    fn draw_code(&self, canvas: &mut Canvas<'_>, skin: &Skin, y: u16, line: &str, spans: &[Span]) -> u16 {
        let room = usize::from(canvas.width().saturating_sub(INDENT));
        let base = skin.style(Role::Text);
        let mut spans = spans.iter().peekable();
        let mut end = INDENT;
        for cell in text::cells(line, TAB_WIDTH).window(self.trail.left(), room) {
            while spans.next_if(|span| span.end as usize <= cell.range.start).is_some() {}
            let mut style = spans.peek().map_or(base, |span| base.patch(skin.syntax(span.role)));
            if cell.placeholder {
                style = style.patch(skin.style(Role::Placeholder));
            }
            let x = INDENT + (cell.column - self.trail.left()) as u16;
            canvas.put(x, y, &cell.text, cell.width, style);
            end = x + cell.width;
        }
        end
    }
}

/// Whether a fence, with the text behind it, ends the code that another one opened.
fn closes(open: Fence, (fence, rest): (Fence, &str)) -> bool {
    fence.sign == open.sign && fence.length >= open.length && rest.is_empty()
}

/// The fence that a line is, and what follows it.
fn fence_of(line: &str) -> Option<(Fence, &str)> {
    let line = line.trim();
    let sign = line.chars().next().filter(|sign| matches!(sign, '`' | '~'))?;
    let length = line.chars().take_while(|character| *character == sign).count();
    let rest = line.get(length..)?.trim();
    // Ticks behind it make it a piece of code inside a line.
    (length >= 3 && !rest.contains('`')).then_some((Fence { sign, length }, rest))
}

fn prose(line: &str, columns: u16, rows: &mut Vec<Row>) {
    if line.trim().is_empty() {
        // The end of a piece of code is a blank already.
        if rows.last() != Some(&Row::Blank) {
            rows.push(Row::Blank);
        }
        return;
    }
    let marks = line.chars().take_while(|character| *character == '#').count();
    let is_heading = (1..=6).contains(&marks) && line.get(marks..).is_some_and(|rest| rest.starts_with(' '));
    let shown = if is_heading { line.get(marks..).unwrap_or(line).trim() } else { line };
    let wrapped = text::wrap(shown, usize::from(columns)).into_iter();
    rows.extend(wrapped.map(|row| if is_heading { Row::Heading(row) } else { Row::Prose(row) }));
}

/// Prose, with what stands between ticks as code.
fn draw_prose(canvas: &mut Canvas<'_>, skin: &Skin, y: u16, line: &str) -> u16 {
    let width = canvas.width();
    let (text, code): (Style, Style) = (skin.style(Role::Text), skin.style(Role::SyntaxString));
    let pairs = line.matches('`').count() / 2;
    let mut x = 0;
    for (number, part) in line.split('`').enumerate() {
        let inside = number % 2 == 1 && number / 2 < pairs;
        // Ticks stay: the answer is shown as it is.
        let shown = match (number, inside) {
            (0, _) => part.to_owned(),
            (_, true) => format!("`{part}`"),
            (_, false) if number / 2 <= pairs && number % 2 == 0 => part.to_owned(),
            (_, false) => format!("`{part}"),
        };
        x = canvas.print(x, y, &shown, if inside { code } else { text }, width.saturating_sub(x));
    }
    x
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;
    use proptest::prelude::{prop_assert_eq, proptest};

    fn view(width: u16, height: u16, answer: &str, reasoning: &str) -> AnswerView {
        let mut view = AnswerView::default();
        view.resize(width, height, answer, reasoning);
        view
    }

    const ANSWER: &str =
        "# Cause\n\nThe check runs `early`.\n```c\nint f(void) {\n  return 1;\n}\n```\nDone.";

    #[test]
    fn prose_and_code_are_told_apart() {
        let mut view = view(20, 40, ANSWER, "");
        let rows: Vec<Row> = view.rows.iter().chain(&view.tail).cloned().collect();
        assert_eq!(
            rows,
            [
                Row::Heading("Cause".into()),
                Row::Blank,
                Row::Prose("The check runs".into()),
                Row::Prose("`early`.".into()),
                Row::Fence("c".into()),
                Row::Code(0, 0),
                Row::Code(0, 1),
                Row::Code(0, 2),
                Row::Blank,
                Row::Prose("Done.".into()),
            ]
        );
        let (piece, language, text) = view.wants_colours().unwrap();
        assert_eq!((piece, language.as_str()), (0, "c"));
        assert_eq!(text, "int f(void) {\n  return 1;\n}\n");
        assert_eq!(view.wants_colours(), None, "once is enough");
    }

    #[test]
    fn a_new_try_begins_anew_and_the_end_is_followed() {
        let mut view = view(20, 3, &"line\n".repeat(10), "");
        assert_eq!((view.shown_top(), view.follows()), (7, true));
        view.scroll(-2);
        view.set(&"line\n".repeat(20), "");
        assert_eq!((view.shown_top(), view.follows(), view.below()), (5, false, 12));
        view.set("other", "");
        assert_eq!(view.rows.len() + view.tail.len(), 1);
    }

    #[test]
    fn reasoning_is_seen_until_there_is_an_answer() {
        let thoughts = "one\n".repeat(20);
        let mut view = view(40, 30, "", &thoughts);
        assert_eq!(view.len(), 1 + THOUGHTS);
        view.set("so", &thoughts);
        assert_eq!(view.len(), 3, "a head, a blank, the answer");
        view.unfolded = true;
        assert_eq!(view.len(), 23);
    }

    #[test]
    fn a_fence_at_the_very_end_is_no_code() {
        let view = view(20, 10, "```c\nint x;\n```", "");
        let rows: Vec<Row> = view.rows.iter().chain(&view.tail).cloned().collect();
        assert_eq!(rows, [Row::Fence("c".into()), Row::Code(0, 0), Row::Blank]);
        assert_eq!(view.open_line, "");
    }

    proptest! {
        #[test]
        fn any_cut_of_the_stream_gives_the_same_rows(
            answer in "([ab`~# \n]|```c\n|é){0,60}", cuts in proptest::collection::vec(0usize..90, 0..8), width in 1u16..30,
        ) {
            let whole = view(width, 10, &answer, "");
            let mut streamed = view(width, 10, "", "");
            let mut places: Vec<usize> = cuts.into_iter().map(|at| answer.floor_char_boundary(at.min(answer.len()))).collect();
            places.sort_unstable();
            for at in places {
                streamed.set(&answer[..at], "");
            }
            streamed.set(&answer, "");
            prop_assert_eq!(&streamed.rows, &whole.rows);
            prop_assert_eq!(&streamed.tail, &whole.tail);
            prop_assert_eq!(&streamed.open_line, &whole.open_line);
            prop_assert_eq!(&streamed.pieces, &whole.pieces);
        }
    }
}
