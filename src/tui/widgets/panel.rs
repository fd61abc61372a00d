//! Boxes and messages.

use super::canvas::Canvas;
use super::skin::Skin;
use crate::text;
use crate::theme::Role;
use ratatui::layout::Rect;

/// A heading and some lines in the middle of an area: empty, loading and error states.
pub fn message(canvas: &mut Canvas<'_>, skin: &Skin, heading: &str, body: &str, role: Role) {
    let width = canvas.width().saturating_sub(4).min(72);
    let mut lines = text::wrap(body, usize::from(width.max(1)));
    lines.truncate(usize::from(canvas.height()));
    let wanted = (lines.len() as u16).saturating_add(2);
    let mut y = canvas.height().saturating_sub(wanted) / 3;
    let x = canvas.width().saturating_sub(width) / 2;
    let heading_role = if role == Role::StatusError { role } else { Role::TextStrong };
    canvas.print(x, y, heading, skin.style(heading_role), width);
    y += 2;
    for line in lines {
        canvas.print(x, y, &line, skin.style(Role::Text), width);
        y += 1;
    }
}

/// A box in the middle of an area, with a title above and a remark below, at most `width` × `height` with its
/// border; gives what is inside.
pub fn popup<'a>(
    canvas: &'a mut Canvas<'_>,
    skin: &Skin,
    (title, foot): (&str, &str),
    (width, height): (u16, u16),
) -> Canvas<'a> {
    let width = width.min(canvas.width());
    let height = height.min(canvas.height());
    let x = (canvas.width() - width) / 2;
    let y = (canvas.height() - height) / 3;
    framed(canvas, skin, (title, foot), Rect { x, y, width, height })
}

/// A box at a place of an area; gives what is inside. A box too small for a border has none.
pub fn framed<'a>(
    canvas: &'a mut Canvas<'_>,
    skin: &Skin,
    (title, foot): (&str, &str),
    place: Rect,
) -> Canvas<'a> {
    let Rect { x, y, width, height } = place;
    let mut area = canvas.part(x, y, width, height);
    area.clear(skin.style(Role::Overlay));
    if width < 4 || height < 3 {
        return canvas.part(x, y, width, height);
    }
    let border = skin.over(Role::Overlay, Role::OverlayBorder);
    let [horizontal, vertical, corners] = skin.glyphs.frame;
    let mut corner = corners.chars();
    area.rule(0, horizontal, border);
    area.rule(height - 1, horizontal, border);
    area.bar(0, 1, height - 1, vertical, border);
    area.bar(width - 1, 1, height - 1, vertical, border);
    for (x, y) in [(0, 0), (width - 1, 0), (0, height - 1), (width - 1, height - 1)] {
        area.put(x, y, corner.next().unwrap_or('+').encode_utf8(&mut [0; 4]), 1, border);
    }
    if !foot.is_empty() {
        let wide = text::width(foot) as u16 + 2;
        let x = width.saturating_sub(wide + 2);
        area.print(x, height - 1, &format!(" {foot} "), skin.over(Role::Overlay, Role::TextDim), wide);
    }
    if !title.is_empty() {
        area.print(
            2,
            0,
            &format!(" {title} "),
            skin.over(Role::Overlay, Role::Title),
            width.saturating_sub(4),
        );
    }
    canvas.part(x + 2, y + 1, width - 4, height - 2)
}
