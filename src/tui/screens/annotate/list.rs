//! The list of one's items: where each stands.
//!
//! Promises: only what the annotator said; rows in view are all that is drawn, whatever their number. Leaves to
//! others: going to an item.

use super::work::Work;
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

/// Draws the list.
pub fn draw(work: &Work, at: usize, canvas: &mut Canvas<'_>, skin: &Skin) {
    let (width, height) = (canvas.width(), canvas.height());
    let rows = work.rows();
    let head = format!("Your items: {} of {} done", work.done, rows.len());
    canvas.print(1, 0, &head, skin.style(Role::Title), width.saturating_sub(2));
    let room = usize::from(height.saturating_sub(1));
    let top = at.saturating_sub(room / 2).min(rows.len().saturating_sub(room));
    let name_width = (width / 2).clamp(12, 48);
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
        let x = 8 + name_width + 2;
        canvas.print(x, y, word, style(role), 10);
        let mut words: Vec<String> = work
            .opened
            .codebook
            .questions
            .iter()
            .filter_map(|question| Some(format!("{}={}", question.id, row.state.labels.get(&question.id)?)))
            .collect();
        if row.state.marks.flagged {
            words.insert(0, "flagged".to_owned());
        }
        if !row.state.marks.note.is_empty() {
            words.insert(0, format!("\u{201c}{}\u{201d}", row.state.marks.note));
        }
        let x = x + 11;
        canvas.print(x, y, &words.join("  "), style(Role::TextDim), width.saturating_sub(x + 1));
    }
}
