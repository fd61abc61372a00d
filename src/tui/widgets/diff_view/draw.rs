//! Drawing the visible lines of a difference.
//!
//! Promises: work in the size of the view, whatever the length of the difference or of its lines.

use super::lines::Line;
use super::search::Search;
use super::{DiffView, FileColours, MarkKind};
use crate::diff::{Diff, LineEnding, Lines, RowKind, Side};
use crate::diff::{FileBody, FileStatus};
use crate::syntax::highlight::Span;
use crate::text::{self, Segment};
use crate::theme::Role;
use crate::tui::widgets::canvas::{Canvas, TAB_WIDTH};
use crate::tui::widgets::skin::Skin;
use ratatui::style::{Modifier, Style};
use std::ops::Range;

/// A wrapped line takes at most this many rows; the rest is reached by scrolling sideways without wrap.
pub const MOST_WRAPPED_ROWS: usize = 50;

/// What the drawing needs beside the view.
pub struct Look<'a> {
    /// Colours and glyphs.
    pub skin: &'a Skin,
    /// Whether the cursor is shown.
    pub cursor: bool,
}

/// Where things stand in a row of the view.
struct Columns {
    /// Digits of a line number.
    digits: u16,
    /// Columns of one half with its number and sign (unified: of the whole row).
    half: u16,
    /// Columns of text.
    text: u16,
}

fn columns(view: &DiffView, width: u16) -> Columns {
    let most = view
        .diff
        .files
        .iter()
        .filter_map(|file| match &file.body {
            FileBody::Text { diff: body, .. } => Some(body.old.len().max(body.new.len())),
            _ => None,
        })
        .max()
        .unwrap_or(1);
    let digits = most.max(1).ilog10() as u16 + 1;
    if view.side_by_side() {
        let half = width.saturating_sub(1) / 2;
        Columns { digits, half, text: half.saturating_sub(digits + 4) }
    } else {
        Columns { digits, half: width, text: width.saturating_sub(2 * digits + 5) }
    }
}

/// Columns that the text of one side has.
pub fn text_columns(view: &DiffView) -> usize {
    usize::from(columns(view, view.width).text.max(1))
}

/// Draws the view; it has been told its size by [`DiffView::resize`].
pub fn draw(view: &DiffView, canvas: &mut Canvas<'_>, look: &Look<'_>) {
    let columns = columns(view, canvas.width());
    let mut y = 0;
    let mut index = view.top;
    while y < canvas.height() && index < view.lines.len() {
        let here = look.cursor && index == view.cursor;
        y += match view.lines[index] {
            Line::File { file } => draw_file(view, canvas, look, y, file, here),
            Line::Note { file } => draw_note(view, canvas, look, y, file),
            Line::Fold { file, start, end } => draw_fold(view, canvas, look, y, (file, start, end), here),
            Line::Row { file, row } => draw_row(view, canvas, look, &columns, y, (file, row), here),
            Line::Half { file, row, side } => {
                draw_half(view, canvas, look, &columns, y, (file, row, side), here)
            }
            Line::Gap => 1,
        };
        index += 1;
    }
}

fn draw_file(
    view: &DiffView,
    canvas: &mut Canvas<'_>,
    look: &Look<'_>,
    y: u16,
    file: u32,
    here: bool,
) -> u16 {
    let Some(entry) = view.diff.files.get(file as usize) else { return 1 };
    let style = look.skin.style(Role::DiffHeader);
    canvas.style_row(y, style);
    let cursor = if here { look.skin.style(Role::Cursor) } else { style };
    canvas.put(0, y, if here { look.skin.glyphs.cursor } else { " " }, 1, cursor);
    let x = canvas.print(2, y, &entry.path, style, canvas.width().saturating_sub(22));
    let status = match entry.status {
        FileStatus::Modified => "",
        FileStatus::Added => "  added",
        FileStatus::Deleted => "  removed",
        FileStatus::Renamed => "  renamed",
        FileStatus::Copied => "  copied",
        FileStatus::ModeChanged => "  mode changed",
    };
    let mut x = canvas.print(x, y, status, look.skin.over(Role::DiffHeader, Role::TextDim), 12);
    if let FileBody::Text { diff: body, .. } = &entry.body {
        x = canvas.print(
            x + 2,
            y,
            &format!("+{}", body.added),
            look.skin.ink(Role::DiffHeader, Role::DiffAddedGutter),
            8,
        );
        x = canvas.print(
            x + 1,
            y,
            &format!("{}{}", look.skin.glyphs.minus, body.removed),
            look.skin.ink(Role::DiffHeader, Role::DiffRemovedGutter),
            8,
        );
        if body.cut_short {
            canvas.print(
                x + 2,
                y,
                "difference cut short: time was up",
                look.skin.over(Role::DiffHeader, Role::StatusWarn),
                40,
            );
        }
    }
    1
}

fn draw_note(view: &DiffView, canvas: &mut Canvas<'_>, look: &Look<'_>, y: u16, file: u32) -> u16 {
    let Some(entry) = view.diff.files.get(file as usize) else { return 1 };
    let note = match &entry.body {
        FileBody::Text { .. } => String::new(),
        FileBody::Binary { old_len, new_len } => {
            let bytes = |count: usize| format!("{count} byte{}", if count == 1 { "" } else { "s" });
            format!("binary file: {} before, {} after", bytes(*old_len), bytes(*new_len))
        }
        FileBody::TooLarge { old_len, new_len } => {
            format!("too large to compare on the screen: {old_len} bytes before, {new_len} bytes after")
        }
        FileBody::NotRead { .. } => {
            format!("cannot be compared: it {}", entry.body.not_compared().unwrap_or_default())
        }
    };
    canvas.print(2, y, &note, look.skin.style(Role::TextDim), canvas.width());
    1
}

fn draw_fold(
    view: &DiffView,
    canvas: &mut Canvas<'_>,
    look: &Look<'_>,
    y: u16,
    (file, start, end): (u32, u32, u32),
    here: bool,
) -> u16 {
    let style = look.skin.style(Role::Fold);
    canvas.style_row(y, style);
    if here {
        canvas.put(0, y, look.skin.glyphs.cursor, 1, look.skin.style(Role::Cursor));
    }
    let count = end - start;
    let text = format!("{} {count} equal line{}", look.skin.glyphs.fold, if count == 1 { "" } else { "s" });
    let x = canvas.print(2, y, &text, style, canvas.width());
    if let Some(function) = view.function_after(file, end) {
        canvas.print(x + 2, y, function, look.skin.over(Role::Fold, Role::TextDim), canvas.width());
    }
    1
}

/// One side of a row, ready to be painted.
struct Part<'a> {
    number: Option<u32>,
    line: &'a str,
    ending: Option<&'static str>,
    spans: &'a [Span],
    emphasis: &'a [Range<u32>],
    matches: Vec<Range<usize>>,
    base: Role,
    word: Role,
    gutter: Role,
    sign: &'static str,
    mark: Option<MarkKind>,
}

fn side_lines(body: &Diff, side: Side) -> &Lines {
    if side == Side::Old { &body.old } else { &body.new }
}

fn part<'a>(
    body: &'a Diff,
    colours: &'a FileColours,
    emphasis: &'a [Range<u32>],
    search: Option<&Search>,
    (side, row): (Side, crate::diff::Row),
) -> Option<Part<'a>> {
    let number = if side == Side::Old { row.old } else { row.new }?;
    let lines = side_lines(body, side);
    let line = lines.line(number as usize);
    let spans = colours.as_ref().map_or(&[][..], |pair| {
        let file = if side == Side::Old { &pair.0 } else { &pair.1 };
        file.line(number as usize)
    });
    let (base, word, gutter, sign) = match (row.kind, side) {
        (RowKind::Equal, _) => (Role::Text, Role::Text, Role::LineNumber, " "),
        (_, Side::Old) => (Role::DiffRemoved, Role::DiffRemovedWord, Role::DiffRemovedGutter, "-"),
        (_, Side::New) => (Role::DiffAdded, Role::DiffAddedWord, Role::DiffAddedGutter, "+"),
    };
    // Line ends are invisible; they are shown where they are the difference.
    let ending = (row.kind != RowKind::Equal).then(|| ending_mark(body, row, side)).flatten();
    let matches = search.map_or_else(Vec::new, |search| search.ranges(line));
    let number = Some(number);
    Some(Part { number, line, ending, spans, emphasis, matches, base, word, gutter, sign, mark: None })
}

fn ending_mark(body: &Diff, row: crate::diff::Row, side: Side) -> Option<&'static str> {
    let ending = |side: Side, number: Option<u32>| number.map(|n| side_lines(body, side).ending(n as usize));
    let (old, new) = (ending(Side::Old, row.old), ending(Side::New, row.new));
    let own = if side == Side::Old { old } else { new }?;
    match own {
        LineEnding::None => Some("no newline at end"),
        LineEnding::CrLf if old != new => Some("CRLF"),
        LineEnding::Lf if old == Some(LineEnding::CrLf) || new == Some(LineEnding::CrLf) => Some("LF"),
        _ => None,
    }
}

fn draw_row(
    view: &DiffView,
    canvas: &mut Canvas<'_>,
    look: &Look<'_>,
    columns: &Columns,
    y: u16,
    (file, row_number): (u32, u32),
    here: bool,
) -> u16 {
    let Some(body) = view.body(file) else { return 1 };
    let Some(row) = body.rows.get(row_number as usize).copied() else { return 1 };
    let colours = view.colours.get(file as usize).unwrap_or(&None);
    let emphasis = view.emphasis(file, row_number);
    let (old_words, new_words) = emphasis.as_ref().map_or((&[][..], &[][..]), |e| (&e.old[..], &e.new[..]));
    let mut parts = [
        part(body, colours, old_words, view.search.as_ref(), (Side::Old, row)),
        part(body, colours, new_words, view.search.as_ref(), (Side::New, row)),
    ];
    for (part, (side, line)) in parts.iter_mut().zip([(Side::Old, row.old), (Side::New, row.new)]) {
        if let Some(part) = part {
            part.mark = view.mark_kind(file, side, line);
        }
    }
    let room = usize::from(columns.text.max(1));
    let height = parts.iter().flatten().map(|part| rows_of(view, part, room)).max().unwrap_or(1);
    let bar = look.skin.style(Role::Border);
    for (index, part) in parts.iter().enumerate() {
        let x = if index == 0 { 0 } else { columns.half + 1 };
        let mut half = canvas.part(x, y, columns.half, height);
        match part {
            Some(part) => {
                draw_part(view, &mut half, look, columns, part, here && (index == 1 || parts[1].is_none()));
                if here {
                    mark_cursor(&mut half, look);
                }
            }
            None => {
                let empty = look.skin.style(Role::DiffEmpty);
                for line in 0..height {
                    for column in 0..half.width() {
                        half.put(column, line, look.skin.glyphs.empty, 1, empty);
                    }
                }
                if here && index == 0 {
                    mark_cursor(&mut half, look);
                }
            }
        }
    }
    canvas.bar(columns.half, y, y.saturating_add(height), look.skin.glyphs.bar, bar);
    height
}

fn mark_cursor(canvas: &mut Canvas<'_>, look: &Look<'_>) {
    canvas.put(0, 0, look.skin.glyphs.cursor, 1, look.skin.style(Role::Cursor));
}

fn draw_half(
    view: &DiffView,
    canvas: &mut Canvas<'_>,
    look: &Look<'_>,
    columns: &Columns,
    y: u16,
    (file, row_number, side): (u32, u32, Side),
    here: bool,
) -> u16 {
    let Some(body) = view.body(file) else { return 1 };
    let Some(row) = body.rows.get(row_number as usize).copied() else { return 1 };
    let colours = view.colours.get(file as usize).unwrap_or(&None);
    let emphasis = view.emphasis(file, row_number);
    let words =
        emphasis.as_ref().map_or(&[][..], |e| if side == Side::Old { &e.old[..] } else { &e.new[..] });
    let Some(part) = part(body, colours, words, view.search.as_ref(), (side, row)) else { return 1 };
    let height = rows_of(view, &part, usize::from(columns.text.max(1)));
    let mut area = canvas.part(0, y, canvas.width(), height);
    // Both numbers stand in the gutter: the old one first, then the new one in its usual place.
    let other = columns.digits + 1;
    let base = look.skin.style(part.base);
    for line in 0..height {
        area.style(0, line, other, base);
    }
    let number_style = look.skin.over(part.base, Role::LineNumber);
    if side == Side::Old || row.kind == RowKind::Equal {
        let number = row.old.map_or_else(String::new, |n| (n + 1).to_string());
        area.print_end(1, 0, &number, number_style, columns.digits);
    }
    let mut rest = area.part(other, 0, area.width().saturating_sub(other), height);
    let number = if row.kind == RowKind::Equal || side == Side::New { row.new } else { None };
    // One row stands for both sides where they are equal.
    let (old, new) = (view.mark_kind(file, Side::Old, row.old), view.mark_kind(file, Side::New, row.new));
    let mark = match (row.kind, side) {
        (RowKind::Equal, _) => old.max(new),
        (_, Side::Old) => old,
        (_, Side::New) => new,
    };
    let part = Part { number, mark, ..part };
    draw_part(view, &mut rest, look, columns, &part, here);
    if here {
        mark_cursor(&mut area, look);
    }
    height
}

fn rows_of(view: &DiffView, part: &Part<'_>, room: usize) -> u16 {
    if view.choices.wrap {
        text::segment_count(part.line, TAB_WIDTH, room).min(MOST_WRAPPED_ROWS) as u16
    } else {
        1
    }
}

/// ` 123E- text`: cursor mark, number, letter of a remark, sign, text.
fn draw_part(
    view: &DiffView,
    canvas: &mut Canvas<'_>,
    look: &Look<'_>,
    columns: &Columns,
    part: &Part<'_>,
    here: bool,
) {
    let base = look.skin.style(part.base);
    for line in 0..canvas.height() {
        canvas.style_row(line, base);
    }
    let role = if here { Role::LineNumberCursor } else { Role::LineNumber };
    if let Some(number) = part.number {
        canvas.print_end(1, 0, &(number + 1).to_string(), look.skin.over(part.base, role), columns.digits);
    }
    if let Some(mark) = part.mark {
        let style = look.skin.ink(part.base, mark.role()).add_modifier(Modifier::BOLD);
        canvas.put(columns.digits + 1, 0, mark.letter(), 1, style);
    }
    let sign = columns.digits + 2;
    canvas.put(sign, 0, part.sign, 1, look.skin.over(part.base, part.gutter));
    let x = sign + 2;
    let room = canvas.width().saturating_sub(x);
    let mut area = canvas.part(x, 0, room, canvas.height());
    let end = if view.choices.wrap {
        let mut end = (0, 0);
        for (y, segment) in text::wrap_cells(part.line, TAB_WIDTH, usize::from(room.max(1)))
            .take(usize::from(area.height()))
            .enumerate()
        {
            end = (paint(&mut area, y as u16, look, part, Place::Segment(&segment)), y as u16);
        }
        end
    } else {
        (paint(&mut area, 0, look, part, Place::Window { from: view.left }), 0)
    };
    if let Some(ending) = part.ending {
        let style = look.skin.over(part.base, Role::Placeholder);
        let x = area.print(end.0 + 1, end.1, look.skin.glyphs.ending, style, 1);
        area.print(x + 1, end.1, ending, style, 20);
    }
}

enum Place<'a> {
    Window { from: usize },
    Segment(&'a Segment),
}

/// Paints one row of a line and says in which column its text ends.
fn paint(canvas: &mut Canvas<'_>, y: u16, look: &Look<'_>, part: &Part<'_>, place: Place<'_>) -> u16 {
    let room = usize::from(canvas.width());
    let base = look.skin.style(part.base);
    let word = look.skin.style(part.word);
    let found = look.skin.style(Role::Match);
    let (cells, first) = match place {
        // One column more than there is room for tells whether the line goes on.
        Place::Window { from } => {
            (text::cells(part.line, TAB_WIDTH).window(from, room.saturating_add(1)), from)
        }
        Place::Segment(segment) => {
            let cells = text::cells_from(part.line, TAB_WIDTH, segment.range.start, segment.column);
            (cells.window(segment.column, segment.width.min(room)), segment.column)
        }
    };
    let mut spans = part.spans.iter().peekable();
    let mut end = 0;
    // The style holds until the next boundary of a span, a marked word or a match: few cells have one.
    let (mut plain, mut until) = (base, 0);
    for cell in cells {
        if cell.column.saturating_sub(first) + usize::from(cell.width) > room {
            let style = base.patch(look.skin.style(Role::Placeholder));
            canvas.put((room as u16).saturating_sub(1), y, look.skin.glyphs.more, 1, style);
            return room as u16;
        }
        let start = cell.range.start;
        if start >= until {
            while spans.next_if(|span| span.end as usize <= start).is_some() {}
            until = spans.peek().map_or(usize::MAX, |span| span.end as usize);
            plain = spans.peek().map_or(base, |span| base.patch(look.skin.syntax(span.role)));
            for range in part.emphasis {
                let (from, to) = (range.start as usize, range.end as usize);
                plain = narrowed(plain, word, start, from..to, &mut until);
            }
            for range in &part.matches {
                plain = narrowed(plain, found, start, range.clone(), &mut until);
            }
        }
        let mut style = plain;
        if cell.placeholder {
            style = style.patch(look.skin.style(Role::Placeholder));
        }
        let x = (cell.column - first) as u16;
        canvas.put(x, y, &cell.text, cell.width, style);
        end = x + cell.width;
    }
    end
}

/// `style` with `over` on it where `start` lies in `range`; `until` is moved to the next boundary of the range.
fn narrowed(style: Style, over: Style, start: usize, range: Range<usize>, until: &mut usize) -> Style {
    if start < range.start {
        *until = (*until).min(range.start);
        style
    } else if start < range.end {
        *until = (*until).min(range.end);
        style.patch(over)
    } else {
        style
    }
}
