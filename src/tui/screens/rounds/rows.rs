//! A row of a sheet: a name, a value that is typed or chosen, and what can stand there.
//!
//! Promises: the sheets of rounds look alike; nothing outside at any size.

use crate::text;
use crate::theme::Role;
use crate::tui::widgets::canvas::Canvas;
use crate::tui::widgets::input::Input;
use crate::tui::widgets::skin::Skin;
use ratatui::style::Modifier;

/// Column of the values.
const VALUES: u16 = 12;

/// A row.
pub struct Row<'a> {
    /// The word before the value.
    pub name: &'a str,
    /// What can stand there.
    pub hint: &'a str,
    /// Whether the cursor is in it.
    pub here: bool,
}

impl Row<'_> {
    /// Draws it with a value that is typed.
    pub fn typed(&self, input: &Input, canvas: &mut Canvas<'_>, skin: &Skin, y: u16) {
        let base = self.start(canvas, skin, y);
        let room = canvas.width().saturating_sub(VALUES + 1);
        let before = text::width(&input.text()[..input.cursor()]);
        // The end near the cursor stays in view.
        let from = if self.here { before.saturating_sub(usize::from(room.saturating_sub(2))) } else { 0 };
        let style = skin.over(base, Role::TextStrong);
        // What the next character takes the place of looks as if it were selected.
        let selected = if self.here && input.is_proposal() { Modifier::REVERSED } else { Modifier::empty() };
        let mut end = VALUES;
        for cell in text::cells(input.text(), 0).window(from, usize::from(room)) {
            let x = VALUES + (cell.column - from) as u16;
            canvas.put(x, y, &cell.text, cell.width, style.add_modifier(selected));
            end = x + cell.width;
        }
        if self.here {
            let x = VALUES + before.saturating_sub(from) as u16;
            canvas.style(x, y, 1, style.add_modifier(Modifier::REVERSED));
            end = end.max(x + 1);
        }
        self.hint(end, 20, canvas, skin, y);
    }

    /// Draws it with a value that is chosen.
    pub fn chosen(&self, value: &str, canvas: &mut Canvas<'_>, skin: &Skin, y: u16) {
        let base = self.start(canvas, skin, y);
        let room = canvas.width().saturating_sub(VALUES + 1);
        if self.here {
            canvas.print(VALUES - 2, y, "<", skin.over(base, Role::Key), 1);
        }
        let mut x = canvas.print(VALUES, y, value, skin.over(base, Role::TextStrong), room);
        if self.here {
            x = canvas.print(x + 1, y, ">", skin.over(base, Role::Key), 1);
        }
        self.hint(x, 14, canvas, skin, y);
    }

    fn base(&self) -> Role {
        if self.here { Role::Selection } else { Role::Overlay }
    }

    fn start(&self, canvas: &mut Canvas<'_>, skin: &Skin, y: u16) -> Role {
        let base = self.base();
        if self.here {
            canvas.style_row(y, skin.style(base));
        }
        canvas.print(1, y, self.name, skin.over(base, Role::TextDim), VALUES - 1);
        base
    }

    /// Hints stand below each other where values leave them the room.
    fn hint(&self, end: u16, column: u16, canvas: &mut Canvas<'_>, skin: &Skin, y: u16) {
        let x = (end + 2).max(VALUES + column);
        let left = canvas.width().saturating_sub(x + 1);
        if usize::from(left) >= text::width(self.hint).min(20) {
            canvas.print(x, y, self.hint, skin.over(self.base(), Role::TextDim), left);
        }
    }
}
