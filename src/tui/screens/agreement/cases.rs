//! The items behind a number.
//!
//! Promises: what each annotator said stands beside each item, as far as it may be seen; one key opens the task. Leaves
//! to others: which items they are.

use super::Place;
use crate::label::turn::task_of;
use crate::text;
use crate::theme::Role;
use crate::tui::widgets::canvas::Canvas;
use crate::tui::widgets::skin::Skin;

/// A list of items.
#[derive(Debug)]
pub struct Cases {
    /// What they have in common.
    pub title: String,
    /// Names of the columns behind the item.
    pub columns: Vec<String>,
    /// Each item: its name, and what stands in the columns.
    pub rows: Vec<(String, Vec<String>)>,
    /// Where one is.
    pub place: Place,
}

impl Cases {
    /// A list.
    pub fn new(title: String, columns: Vec<String>, rows: Vec<(String, Vec<String>)>) -> Cases {
        Cases { title, columns, rows, place: Place::default() }
    }

    /// The task of the item under the cursor, `dataset/id`: without the turn, and without the mark of a second serving.
    pub fn task(&self) -> Option<String> {
        let (name, _) = self.rows.get(self.place.cursor)?;
        Some(task_of(name).to_owned())
    }

    /// Draws it.
    pub fn draw(&self, skin: &Skin, canvas: &mut Canvas<'_>) {
        let (width, height) = (canvas.width(), canvas.height());
        canvas.print(1, 0, &self.title, skin.style(Role::TextStrong), width.saturating_sub(2));
        let count = self.columns.len().max(1) as u16;
        let each = ((width * 3 / 5) / count).clamp(8, 26);
        let first = width.saturating_sub(each * self.columns.len() as u16 + 3);
        let dim = skin.style(Role::TextDim);
        canvas.print(2, 1, "item", dim, first);
        let names: Vec<&str> = self.columns.iter().map(String::as_str).collect();
        for (column, name) in (0..).zip(&text::apart(&names, usize::from(each.saturating_sub(2)))) {
            canvas.print(2 + first + column * each, 1, name, dim, each.saturating_sub(2));
        }
        let rows = usize::from(height.saturating_sub(3));
        let top = self.place.top(self.rows.len(), rows);
        let shown = self.rows.iter().enumerate().skip(top).take(rows);
        for (y, (number, (item, cells))) in (2..).zip(shown) {
            let here = number == self.place.cursor;
            if here {
                canvas.style_row(y, skin.style(Role::Selection));
                canvas.put(0, y, skin.glyphs.cursor, 1, skin.over(Role::Selection, Role::Accent));
            }
            let style = |role: Role| if here { skin.over(Role::Selection, role) } else { skin.style(role) };
            canvas.print(2, y, item, style(Role::Text), first.saturating_sub(2));
            for (column, cell) in (0..).zip(cells) {
                let x = 2 + first + column * each;
                canvas.print(x, y, cell, style(Role::TextStrong), each.saturating_sub(2));
            }
        }
        let at = format!("{} of {}", (self.place.cursor + 1).min(self.rows.len()), self.rows.len());
        canvas.print_end(0, height.saturating_sub(1), &at, dim, width.saturating_sub(1));
    }
}

#[cfg(test)]
mod tests {
    use super::Cases;

    #[test]
    fn items_name_their_tasks() {
        let task =
            |name: &str| Cases::new(String::new(), Vec::new(), vec![(name.to_owned(), Vec::new())]).task();
        assert_eq!(task("d/1").as_deref(), Some("d/1"));
        assert_eq!(task("d/1~2").as_deref(), Some("d/1"));
        let turn = "d/1#01900000-0000-7000-8000-000000000001/01900000-0000-7000-8000-000000000002/1.2";
        assert_eq!(task(turn).as_deref(), Some("d/1"));
        // The ids of FeedbackEval hold the sign themselves.
        assert_eq!(task("d/HumanEval/0#1").as_deref(), Some("d/HumanEval/0#1"));
    }
}
