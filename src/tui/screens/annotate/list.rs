//! The list of one's items: where each stands.
//!
//! Promises: only what the annotator said; state, flag, note and answers each have a place of their own, so that none
//! hides another; rows in view are all that is drawn, whatever their number. Leaves to
//! others: going to an item.

use super::work::Work;
use crate::text;
use crate::theme::Role;
use crate::tui::msg::study::annotate::Row;
use crate::tui::screens::item_name::fitted;
use crate::tui::widgets::canvas::Canvas;
use crate::tui::widgets::skin::Skin;

impl Work {
    /// Moves the cursor of the list.
    pub fn step_list(&mut self, step: isize) {
        let last = self.rows().len().saturating_sub(1);
        self.list = self.list.map(|at| at.saturating_add_signed(step).min(last));
    }
}

/// The word for where an item stands.
fn stands(row: &Row) -> (&'static str, Role) {
    if !row.state.stale.is_empty() {
        ("stale", Role::StatusWarn)
    } else if row.state.open && row.state.back.is_some() {
        ("sent back", Role::StatusWarn)
    } else if row.state.open && row.state.marks.skipped.is_some() {
        ("put aside", Role::StatusWarn)
    } else if row.state.open {
        ("open", Role::TextStrong)
    } else {
        ("done", Role::TextDim)
    }
}

/// Columns of the marks, as the list of tasks has them: flagged, noted, put aside.
const MARKS: u16 = 4;

/// The marks of an item, each in its place.
fn marks(row: &Row) -> [(&'static str, Role); 3] {
    let marks = &row.state.marks;
    let mark = |is: bool, sign, role| if is { (sign, role) } else { (" ", Role::TextDim) };
    [
        mark(marks.flagged, "*", Role::StatusWarn),
        mark(!marks.note.is_empty(), "N", Role::Accent),
        mark(marks.skipped.is_some(), "S", Role::StatusWarn),
    ]
}

/// What was answered: with the questions where that and the note have room, else the answers alone.
fn answers(work: &Work, row: &Row, dot: &str, room: usize) -> String {
    let questions = work.opened.codebook.questions.iter();
    let given: Vec<(&str, String)> = questions
        .filter_map(|question| Some((question.id.as_str(), row.state.labels.get(&question.id)?.to_string())))
        .collect();
    let named: Vec<String> = given.iter().map(|(id, value)| format!("{id}={value}")).collect();
    let named = named.join("  ");
    if text::width(&named) <= room {
        return named;
    }
    let values: Vec<&str> = given.iter().map(|(_, value)| value.as_str()).collect();
    values.join(&format!(" {dot} "))
}

/// Draws the list.
pub fn draw(work: &Work, at: usize, canvas: &mut Canvas<'_>, skin: &Skin) {
    let (width, height) = (canvas.width(), canvas.height());
    let rows = work.rows();
    let head = format!("Your items: {} of {} done", work.done, rows.len());
    let end = canvas.print(1, 0, &head, skin.style(Role::Title), width.saturating_sub(2));
    let legend = "* flagged  N note  S put aside";
    if usize::from(end) + text::width(legend) + 4 <= usize::from(width) {
        canvas.print_end(end, 0, legend, skin.style(Role::TextDim), width.saturating_sub(end + 1));
    }
    let room = usize::from(height.saturating_sub(1));
    let top = at.saturating_sub(room / 2).min(rows.len().saturating_sub(room));
    let name_width = work.longest_name.min(width / 2).clamp(12, 48);
    for (y, (place, row)) in (1..height).zip(rows.iter().enumerate().skip(top)) {
        if place == at {
            canvas.style_row(y, skin.style(Role::Selection));
            canvas.put(0, y, skin.glyphs.cursor, 1, skin.over(Role::Selection, Role::Accent));
        }
        let under = if place == at { Role::Selection } else { Role::Text };
        let style = |role| skin.over(under, role);
        let number = format!("{:>5}", place + 1);
        canvas.print(1, y, &number, style(Role::Count), 6);
        canvas.print(8, y, &fitted(row.name(), name_width.into()), style(Role::Text), name_width);
        let (word, role) = stands(row);
        let mut x = 8 + name_width + 2;
        canvas.print(x, y, word, style(role), 10);
        x += 11;
        for (place, (sign, role)) in (x..).zip(marks(row)) {
            if place < width {
                canvas.put(place, y, sign, 1, style(role));
            }
        }
        x += MARKS;
        let left = width.saturating_sub(x + 1);
        let note = match row.state.marks.note.as_str() {
            "" => String::new(),
            note => format!("\u{201c}{note}\u{201d}"),
        };
        let beside = if note.is_empty() { 0 } else { text::width(&note) + 2 };
        let answers = answers(work, row, skin.glyphs.dot, usize::from(left).saturating_sub(beside));
        if !answers.is_empty() {
            x = canvas.print(x, y, &answers, style(Role::TextDim), left) + 2;
        }
        // Of a word or two nothing can be told.
        let left = width.saturating_sub(x + 1);
        if left >= 6 {
            canvas.print(x, y, &note, style(Role::Text), left);
        }
    }
}
