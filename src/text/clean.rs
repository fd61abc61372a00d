//! Whole strings made fit for a terminal: sanitised, measured, cut and filled up.
//!
//! Promises: every string that comes out is clean (see [`sanitise`]) and clean strings come out unchanged,
//! without a copy; [`width`] of what [`truncate`] gives never exceeds what was asked.
//! Leaves to others: byte ranges of the original (`cells`), paragraphs (`wrap`).

use super::cells::{cells, plain_prefix};
use std::borrow::Cow;
use std::path::Path;

/// `text` as one line that is safe on a terminal: control characters become pictures (␛, ␊, ␉), other
/// characters that hide or reorder become `U+202E`, marks without a base get a dotted circle.
pub fn sanitise(text: &str) -> Cow<'_, str> {
    printable(text, 0)
}

/// A path in a message: one line, whatever bytes it is made of.
pub fn shown(path: &Path) -> String {
    sanitise(&path.to_string_lossy()).into_owned()
}

/// `line` sanitised, with tabs expanded to multiples of `tab_width`.
pub fn expand_tabs(line: &str, tab_width: u16) -> Cow<'_, str> {
    printable(line, tab_width)
}

/// Several lines: newlines stay (CR LF counts as one), tabs are expanded, the rest is sanitised.
pub fn sanitise_lines(text: &str, tab_width: u16) -> Cow<'_, str> {
    let clean = |line: &str| matches!(printable(line, tab_width), Cow::Borrowed(_));
    if text.split('\n').all(clean) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for (number, line) in text.split('\n').enumerate() {
        if number > 0 {
            out.push('\n');
        }
        out.push_str(&printable(line.strip_suffix('\r').unwrap_or(line), tab_width));
    }
    Cow::Owned(out)
}

fn printable(line: &str, tab_width: u16) -> Cow<'_, str> {
    if is_plain(line) {
        return Cow::Borrowed(line);
    }
    let mut walk = cells(line, tab_width);
    // Up to the first cell that prints something else than its own bytes, the line is clean as it is.
    let Some(first) = walk.find(|cell| line.get(cell.range.clone()) != Some(cell.text.as_ref())) else {
        return Cow::Borrowed(line);
    };
    let mut out = String::with_capacity(line.len() + 16);
    out.push_str(&line[..first.range.start]);
    out.push_str(&first.text);
    walk.for_each(|cell| out.push_str(&cell.text));
    Cow::Owned(out)
}

/// Columns that [`sanitise`]d `text` takes.
pub fn width(text: &str) -> usize {
    if is_plain(text) {
        return text.len();
    }
    cells(text, 0).map(|cell| usize::from(cell.width)).sum()
}

/// `text` sanitised and, where it is wider than `columns`, cut at the end with `…`.
pub fn truncate(text: &str, columns: usize) -> Cow<'_, str> {
    if is_plain(text) && text.len() <= columns {
        return Cow::Borrowed(text);
    }
    if columns == 0 {
        return Cow::Borrowed("");
    }
    let mut out = String::new();
    // Length of what stays if the ellipsis has to be put.
    let mut kept = 0;
    for cell in cells(text, 0) {
        let end = cell.column + usize::from(cell.width);
        if end > columns {
            out.truncate(kept);
            out.push('…');
            return Cow::Owned(out);
        }
        out.push_str(&cell.text);
        if end < columns {
            kept = out.len();
        }
    }
    if out == text { Cow::Borrowed(text) } else { Cow::Owned(out) }
}

/// `text` sanitised and, where it is wider than `columns`, cut at the start with `…`: paths, whose end
/// tells most.
pub fn truncate_start(text: &str, columns: usize) -> Cow<'_, str> {
    if columns == 0 {
        return Cow::Borrowed("");
    }
    if is_plain(text) {
        if text.len() <= columns {
            return Cow::Borrowed(text);
        }
        return Cow::Owned(format!("…{}", &text[text.len() - (columns - 1)..]));
    }
    let all: Vec<_> = cells(text, 0).collect();
    let total = all.last().map_or(0, |cell| cell.column + usize::from(cell.width));
    if total <= columns {
        return sanitise(text);
    }
    let from = total - (columns - 1);
    let mut out = String::from("…");
    all.iter().filter(|cell| cell.column >= from).for_each(|cell| out.push_str(&cell.text));
    Cow::Owned(out)
}

/// `text` in exactly `columns` columns: cut as by [`truncate`], filled with spaces at the end.
pub fn pad(text: &str, columns: usize) -> String {
    let mut out = truncate(text, columns).into_owned();
    let fill = columns.saturating_sub(width(&out));
    out.extend(std::iter::repeat_n(' ', fill));
    out
}

/// As [`pad`], with the spaces at the start: numbers.
pub fn pad_start(text: &str, columns: usize) -> String {
    let cut = truncate(text, columns);
    let mut out = " ".repeat(columns.saturating_sub(width(&cut)));
    out.push_str(&cut);
    out
}

fn is_plain(text: &str) -> bool {
    plain_prefix(text.as_bytes()) == text.len()
}
