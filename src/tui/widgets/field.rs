//! Drawing a one-line text field.

use super::canvas::Canvas;
use super::input::Input;
use super::skin::Skin;
use crate::text;
use crate::theme::Role;
use ratatui::style::Modifier;

/// Draws `prompt text` on row `y` in at most `limit` columns and says in which column it ended. The end
/// near the cursor stays in view.
pub fn draw(
    canvas: &mut Canvas<'_>,
    skin: &Skin,
    y: u16,
    prompt: &str,
    input: &Input,
    focused: bool,
    limit: u16,
) -> u16 {
    let x = canvas.print(0, y, prompt, skin.style(Role::Accent), limit) + 1;
    let room = usize::from(limit.saturating_sub(x + 1)).max(1);
    let before = text::width(&input.text()[..input.cursor()]);
    let from = if focused { before.saturating_sub(room.saturating_sub(1)) } else { 0 };
    let mut end = x;
    for cell in text::cells(input.text(), 0).window(from, room) {
        let column = x + (cell.column - from) as u16;
        canvas.put(column, y, &cell.text, cell.width, skin.style(Role::Input));
        end = column + cell.width;
    }
    if focused {
        let column = x + before.saturating_sub(from) as u16;
        canvas.style(column, y, 1, skin.style(Role::Input).add_modifier(Modifier::REVERSED));
        end = end.max(column + 1);
    }
    end
}
