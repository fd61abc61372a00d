//! Single cells of a CSV file, safe for spreadsheets and not lost for programs.
//!
//! Promises: a spreadsheet takes no cell for a formula, and [`from_cell`] gives back exactly what [`to_cell`] was
//! given. A text that begins with `=`, `+`, `-`, `@`, one of their wide forms, a tab or a line break gets a `'` before
//! it, unless it is a plain number; a text that begins with `'` gets one too, so that taking one away is always right.
//! Leaves to others: quotes and separators (the `csv` crate).

use std::borrow::Cow;

/// What a spreadsheet takes for the start of a formula, or passes over before one.
const STARTS: [char; 11] = ['=', '+', '-', '@', '＝', '＋', '－', '＠', '\t', '\r', '\n'];

/// A text as a cell.
pub fn to_cell(text: &str) -> Cow<'_, str> {
    let risky = text.starts_with(STARTS) && !is_number(text);
    // Spreadsheets that drop blanks at the start would see what stands behind them.
    let hidden = text.starts_with(' ') && text.trim_start_matches(' ').starts_with(STARTS);
    if risky || hidden || text.starts_with('\'') {
        Cow::Owned(format!("'{text}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// The text of a cell.
pub fn from_cell(cell: &str) -> &str {
    cell.strip_prefix('\'').unwrap_or(cell)
}

/// Digits with a sign, a point and an exponent: what every reader takes for a number and none for a formula.
fn is_number(text: &str) -> bool {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    digits.starts_with(|c: char| c.is_ascii_digit())
        && digits.chars().all(|c| c.is_ascii_digit() || matches!(c, '.' | 'e' | 'E' | '-'))
        && text.parse::<f64>().is_ok_and(f64::is_finite)
}

/// A number for an export: as short as it can be read back; nothing where it is not finite.
pub fn number(value: f64) -> String {
    if value.is_finite() { value.to_string() } else { String::new() }
}
