//! Differences as text for a terminal or a file.
//!
//! Promises: pure; whatever the texts hold, what comes out holds no control character but line feeds and
//! our own colours; side by side keeps to the width that is asked for and wraps; unified leaves each line
//! whole, so that it can be copied; exactly the changed words carry the style of changed words.
//! Leaves to others: what a task's files are (`task`), highlighting them (`syntax::highlight`), which
//! theme and how many colours (`theme::choose`, [`Theme::quantise`]), the pager, writing.

mod ink;
mod stroke;
#[cfg(test)]
mod tests;

use crate::diff::{Diff, Emphasis, LineEnding, Projection, Row, RowKind, Segment, Side, fold, unified_rows};
use crate::syntax::highlight::{HighlightedFile, Span};
use crate::text;
use crate::theme::{Painter, Style, Theme};
use ink::{Inks, Tone};
use std::ops::Range;
use stroke::Stroke;

/// How differences are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct View {
    /// Unified or side by side.
    pub projection: Projection,
    /// Columns of the terminal.
    pub width: usize,
    /// Equal lines shown around each change; `None`: all of them.
    pub context: Option<usize>,
    /// Whether lines carry their numbers.
    pub line_numbers: bool,
    /// Columns from one tab stop to the next.
    pub tab_width: u16,
}

impl Default for View {
    fn default() -> View {
        View {
            projection: Projection::Unified,
            width: 80,
            context: Some(3),
            line_numbers: true,
            tab_width: 4,
        }
    }
}

/// A file with its difference.
#[derive(Clone, Copy)]
pub struct FileView<'a> {
    /// What stands above it: the path, or both paths.
    pub name: &'a str,
    /// The difference.
    pub diff: &'a Diff,
    /// Both texts highlighted; `None`: without syntax colours.
    pub syntax: Option<(&'a HighlightedFile, &'a HighlightedFile)>,
}

/// Adds the differences of some files to `out`, each line ended. Without a theme there are no escape
/// sequences at all.
pub fn render(out: &mut String, files: &[FileView<'_>], view: &View, theme: Option<&Theme>) {
    let inks = Inks::new(theme);
    for (at, file) in files.iter().enumerate() {
        if at > 0 {
            out.push('\n');
        }
        Sheet::new(file, view, &inks).draw(out);
    }
}

/// Said below a last line that is not ended.
const NO_LINE_END: &str = "\\ no line end at the end of the file";

/// Columns of text that a side has at least, however narrow the terminal.
const LEAST_COLUMNS: usize = 8;

/// Rows that are worth another thread.
const ROWS_A_THREAD: usize = 1_000;

/// One file, and what is the same for all of its lines.
struct Sheet<'a> {
    file: &'a FileView<'a>,
    diff: &'a Diff,
    view: &'a View,
    inks: &'a Inks,
    /// Width of line numbers; 0: there are none.
    digits: usize,
    /// Columns of text on the left and on the right.
    columns: (usize, usize),
    /// Line ends of both kinds occur, so those with a carriage return are marked.
    mark_returns: bool,
}

impl<'a> Sheet<'a> {
    fn new(file: &'a FileView<'a>, view: &'a View, inks: &'a Inks) -> Sheet<'a> {
        let diff = file.diff;
        let most = diff.old.len().max(diff.new.len());
        let digits = if view.line_numbers { most.max(10).ilog10() as usize + 1 } else { 0 };
        let gutter = digits + usize::from(digits > 0) + 2;
        let left = view.width.saturating_sub(1) / 2;
        let right = view.width.saturating_sub(1) - left;
        let columns = (left.saturating_sub(gutter), right.saturating_sub(gutter));
        let columns = (columns.0.max(LEAST_COLUMNS), columns.1.max(LEAST_COLUMNS));
        Sheet { file, diff, view, inks, digits, columns, mark_returns: mixes_line_ends(diff) }
    }

    fn draw(&self, out: &mut String) {
        let mut pen = Pen { out, painter: Painter::new() };
        self.head(&mut pen);
        if self.diff.is_same() {
            pen.line(self.inks.fold, "no difference");
        }
        let segments = match self.view.context {
            Some(context) if !self.diff.is_same() => fold(self.diff, context),
            Some(_) => Vec::new(),
            None => vec![Segment::Rows(0..self.diff.rows.len())],
        };
        self.segments(pen.out, &segments);
    }

    fn head(&self, pen: &mut Pen<'_>) {
        let inks = self.inks;
        pen.paint(inks.header, &text::sanitise(self.file.name));
        for (tone, sign, count) in
            [(Tone::Added, '+', self.diff.added), (Tone::Removed, '-', self.diff.removed)]
        {
            if count > 0 {
                let style = Style { bg: None, ..inks.gutters[tone as usize] };
                pen.paint(style, &format!(" {sign}{count}"));
            }
        }
        pen.end();
        if self.diff.cut_short {
            pen.line(inks.warning, "the comparison took too long: a part is shown as one change");
        }
        let (old, new) = self.file.syntax.unzip();
        let limits = [old, new].map(|file| file.and_then(HighlightedFile::limited));
        if let Some(limit) = limits[0].or(limits[1]).filter(|_| inks.coloured) {
            pen.line(inks.fold, limit.as_str());
        }
    }

    /// Draws segments, on several threads where there are many rows.
    fn segments(&self, out: &mut String, segments: &[Segment]) {
        let rows: usize = segments.iter().map(shown_rows).sum();
        let cores = std::thread::available_parallelism().map_or(1, usize::from);
        let parts = (rows / ROWS_A_THREAD).min(cores).min(4);
        let mut cut = segments.len();
        if parts > 1 {
            let mut sum = 0;
            let enough = |segment: &Segment| {
                sum += shown_rows(segment);
                sum >= rows / parts
            };
            cut = segments.iter().position(enough).map_or(cut, |at| at + 1);
        }
        let (here, rest) = segments.split_at(cut);
        if rest.is_empty() {
            return self.plainly(out, here);
        }
        let rest = std::thread::scope(|scope| {
            let thread = scope.spawn(|| {
                let mut out = String::new();
                self.segments(&mut out, rest);
                out
            });
            self.plainly(out, here);
            thread.join()
        });
        // The thread only fails if drawing panics, and then so would drawing here.
        out.push_str(&rest.unwrap_or_default());
    }

    fn plainly(&self, out: &mut String, segments: &[Segment]) {
        out.reserve(segments.iter().map(shown_rows).sum::<usize>() * 2 * self.view.width);
        let mut pen = Pen { out, painter: Painter::new() };
        for segment in segments {
            match segment {
                Segment::Folded(rows) => {
                    let lines = if rows.len() == 1 { "line" } else { "lines" };
                    pen.line(self.inks.fold, &format!("⋯ {} equal {lines}", rows.len()));
                }
                Segment::Rows(rows) if self.view.projection == Projection::Unified => {
                    self.unified(&mut pen, rows.clone());
                }
                Segment::Rows(rows) => self.side_by_side(&mut pen, rows.clone()),
            }
        }
    }

    fn side_by_side(&self, pen: &mut Pen<'_>, rows: Range<usize>) {
        for row in &self.diff.rows[rows] {
            let words = self.diff.words(row);
            let mut left = row.old.map(|line| self.stroke(row, Side::Old, line, &words));
            let mut right = row.new.map(|line| self.stroke(row, Side::New, line, &words));
            let mut first = true;
            loop {
                self.half(pen, left.as_mut(), row.old.filter(|_| first), self.columns.0, true);
                pen.paint(self.inks.border, "│");
                self.half(pen, right.as_mut(), row.new.filter(|_| first), self.columns.1, false);
                pen.end();
                first = false;
                if left.as_ref().is_none_or(Stroke::done) && right.as_ref().is_none_or(Stroke::done) {
                    break;
                }
            }
            let open = |side, line: Option<u32>| line.is_some_and(|line| self.is_open(side, line));
            let (left, right) = (open(Side::Old, row.old), open(Side::New, row.new));
            if left || right {
                self.remark(pen, left, self.columns.0);
                pen.paint(self.inks.border, "│");
                self.remark(pen, right, 0);
                pen.end();
            }
        }
    }

    /// One side of a row on the screen. `number`: the line's, on its first row.
    fn half(
        &self,
        pen: &mut Pen<'_>,
        stroke: Option<&mut Stroke<'_>>,
        number: Option<u32>,
        columns: usize,
        fill: bool,
    ) {
        let Some(stroke) = stroke else {
            let gutter = self.digits + usize::from(self.digits > 0) + 2;
            if fill || self.inks.empty.bg.is_some() {
                pen.blank(self.inks.empty, gutter + columns);
            }
            return;
        };
        let tone = stroke.tone;
        let gutter = self.inks.gutters[tone as usize];
        if self.digits > 0 {
            pen.number(gutter, number, self.digits);
            pen.paint(gutter, " ");
        }
        // A row that goes on has no sign, so that signs count lines.
        pen.paint(gutter, if number.is_some() { tone.sign() } else { "  " });
        let used = stroke.row(pen.out, &mut pen.painter, columns);
        let ground = self.inks.grounds[tone as usize];
        if fill || ground.bg.is_some() {
            pen.blank(ground, columns.saturating_sub(used));
        } else if used == 0 {
            pen.trim(self.inks);
        }
    }

    fn remark(&self, pen: &mut Pen<'_>, shown: bool, fill: usize) {
        let gutter = self.digits + usize::from(self.digits > 0) + 2;
        let remark = if shown { NO_LINE_END } else { "" };
        let remark = text::truncate(remark, self.columns.0.min(self.columns.1));
        if shown || fill > 0 {
            pen.blank(Style::PLAIN, gutter);
        }
        pen.paint(self.inks.fold, &remark);
        pen.blank(Style::PLAIN, fill.saturating_sub(text::width(&remark)));
    }

    fn unified(&self, pen: &mut Pen<'_>, rows: Range<usize>) {
        let words: Vec<Emphasis> =
            self.diff.rows[rows.clone()].iter().map(|row| self.diff.words(row)).collect();
        let from = rows.start;
        for line in unified_rows(self.diff, rows) {
            let at = line.row as usize;
            let (Some(row), Some(words)) = (self.diff.rows.get(at), words.get(at - from)) else { continue };
            let side = line.side.unwrap_or(Side::New);
            let Some(number) = (if side == Side::Old { row.old } else { row.new }) else { continue };
            let mut stroke = self.stroke(row, side, number, words);
            let tone = stroke.tone;
            let gutter = self.inks.gutters[tone as usize];
            if self.digits > 0 {
                pen.number(gutter, row.old.filter(|_| tone != Tone::Added), self.digits);
                pen.paint(gutter, " ");
                pen.number(gutter, row.new.filter(|_| tone != Tone::Removed), self.digits);
                pen.paint(gutter, " ");
            }
            pen.paint(gutter, tone.sign());
            let mut used = stroke.row(pen.out, &mut pen.painter, usize::MAX);
            used += 2 * (self.digits + usize::from(self.digits > 0)) + 2;
            let ground = self.inks.grounds[tone as usize];
            if ground.bg.is_some() {
                pen.blank(ground, self.view.width.saturating_sub(used));
            } else if stroke.is_blank() {
                pen.trim(self.inks);
            }
            pen.end();
            if self.is_open(side, number) {
                pen.line(self.inks.fold, NO_LINE_END);
            }
        }
    }

    fn stroke<'s>(&'s self, row: &Row, side: Side, line: u32, words: &'s Emphasis) -> Stroke<'s> {
        let at = line as usize;
        let (lines, words, syntax) = match side {
            Side::Old => (&self.diff.old, &words.old, self.file.syntax.map(|(old, _)| old)),
            Side::New => (&self.diff.new, &words.new, self.file.syntax.map(|(_, new)| new)),
        };
        let tone = match (row.kind, side) {
            (RowKind::Equal, _) => Tone::Equal,
            (_, Side::Old) => Tone::Removed,
            (_, Side::New) => Tone::Added,
        };
        let spans: &[Span] = syntax.map_or(&[], |file| file.line(at));
        let returns = lines.ending(at) == LineEnding::CrLf && row.kind != RowKind::Equal && self.mark_returns;
        Stroke::new(lines.line(at), spans, words, returns, tone, self.inks, self.view.tab_width)
    }

    /// Whether a line is the last one and not ended.
    fn is_open(&self, side: Side, line: u32) -> bool {
        let lines = if side == Side::Old { &self.diff.old } else { &self.diff.new };
        line as usize + 1 == lines.len() && lines.ending(line as usize) == LineEnding::None
    }
}

fn shown_rows(segment: &Segment) -> usize {
    match segment {
        Segment::Rows(rows) => rows.len(),
        Segment::Folded(_) => 1,
    }
}

/// Whether lines that end in `\r\n` stand beside lines that end in `\n`, on whichever side.
fn mixes_line_ends(diff: &Diff) -> bool {
    let has = |wanted| {
        [&diff.old, &diff.new].iter().any(|lines| (0..lines.len()).any(|line| lines.ending(line) == wanted))
    };
    has(LineEnding::CrLf) && has(LineEnding::Lf)
}

/// Where the text goes, and what colours the terminal is in by then.
struct Pen<'o> {
    out: &'o mut String,
    painter: Painter,
}

impl Pen<'_> {
    fn paint(&mut self, style: Style, text: &str) {
        self.painter.paint(self.out, style, text);
    }

    fn blank(&mut self, style: Style, columns: usize) {
        if columns > 0 {
            self.painter.switch(self.out, style);
            self.out.extend(std::iter::repeat_n(' ', columns));
        }
    }

    /// A line number, which people count from 1.
    fn number(&mut self, style: Style, number: Option<u32>, digits: usize) {
        let mut buffer = [b' '; 10];
        let mut rest = number.map_or(0, |number| number.saturating_add(1));
        let mut at = buffer.len();
        while rest > 0 && at > 0 {
            at -= 1;
            buffer[at] = b'0' + (rest % 10) as u8;
            rest /= 10;
        }
        let from = buffer.len().saturating_sub(digits).min(at);
        self.paint(style, std::str::from_utf8(&buffer[from..]).unwrap_or_default());
    }

    /// Takes back the space behind the sign of an empty line, where there are no colours.
    fn trim(&mut self, inks: &Inks) {
        if !inks.coloured {
            self.out.truncate(self.out.trim_end_matches(' ').len());
        }
    }

    /// Ends a line in plain colours: pagers and `head` cut between lines.
    fn end(&mut self) {
        self.painter.finish(self.out);
        self.out.push('\n');
    }

    fn line(&mut self, style: Style, text: &str) {
        self.paint(style, text);
        self.end();
    }
}
