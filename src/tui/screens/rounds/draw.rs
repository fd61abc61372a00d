//! Drawing the screen of rounds.
//!
//! Promises: list and desk side by side where there is room, else one of them; nothing outside at any size.

use super::desk::{Desk, Line};
use super::words::{codebook, fitted, name, phase_role, waiting};
use super::{Context, RoundsScreen};
use crate::label::extent::Extent;
use crate::label::phase::Phase;
use crate::study::Brief;
use crate::text;
use crate::text::counted;
use crate::text::thousands;
use crate::theme::Role;
use crate::tui::widgets::canvas::Canvas;
use crate::tui::widgets::panel;
use crate::tui::widgets::skin::Skin;

/// Columns from which on both are seen.
pub const WIDE: u16 = 104;
/// Columns of the list where both are seen.
const LIST: u16 = 48;
/// Rows above the first round.
const ABOVE: u16 = 2;
/// Rows of a round in the list.
const CARD: u16 = 4;

/// What stands at a place of the screen.
pub enum Spot {
    /// The card with this number, from the first in view.
    Card(usize),
    /// The row with this number of the desk.
    Line(usize),
    /// Nothing.
    Nothing,
}

/// What stands at a place.
pub fn at((width, height): (u16, u16), in_desk: bool, x: u16, y: u16) -> Spot {
    let _ = height;
    let desk = if width >= WIDE { x > LIST } else { in_desk };
    match y.checked_sub(if desk { 1 } else { ABOVE }) {
        None => Spot::Nothing,
        Some(row) if desk => Spot::Line(usize::from(row)),
        Some(row) => Spot::Card(usize::from(row / CARD)),
    }
}

/// Rounds that the list shows at a time.
pub fn cards((_, height): (u16, u16)) -> usize {
    usize::from(((height + 1).saturating_sub(ABOVE) / CARD).max(1))
}

/// Columns of the desk's text.
pub fn desk_width((width, _): (u16, u16)) -> u16 {
    let all = if width >= WIDE { width - LIST - 1 } else { width };
    all.saturating_sub(4).min(96)
}

/// Rows of the desk.
pub fn desk_rows((_, height): (u16, u16)) -> usize {
    usize::from(height.saturating_sub(2).max(1))
}

/// Size of the methods paragraph with its border.
pub fn paragraph_size((width, height): (u16, u16)) -> (u16, u16) {
    (width.saturating_sub(4).min(96), height.saturating_sub(2))
}

/// Draws it.
pub fn screen(screen: &RoundsScreen, ctx: &Context, canvas: &mut Canvas<'_>) {
    let skin = &ctx.skin;
    let Some(rows) = &screen.rows else {
        panel::message(canvas, skin, "Reading the rounds…", "", Role::TextDim);
        return;
    };
    if rows.is_empty() {
        empty(screen, skin, canvas);
    } else {
        let (width, height) = (canvas.width(), canvas.height());
        if screen.is_wide() {
            list(screen, rows, skin, &mut canvas.part(0, 0, LIST, height));
            canvas.bar(LIST, 0, height, skin.glyphs.bar, skin.style(Role::Border));
            desk(screen, skin, &mut canvas.part(LIST + 1, 0, width - LIST - 1, height));
        } else if screen.in_desk {
            desk(screen, skin, canvas);
        } else {
            list(screen, rows, skin, canvas);
        }
    }
    if let Some(paragraph) = &screen.paragraph {
        let foot = paragraph.view.part_in_view();
        let size = paragraph_size(screen.size);
        let title = "Methods, as far as you may see them: y copies";
        let mut inner = panel::popup(canvas, skin, (title, &foot), size);
        paragraph.view.draw(&mut inner, skin);
    }
    if let Some(question) = &screen.question {
        question.draw(canvas, skin);
    }
    if let Some(sheet) = &screen.sheet {
        sheet.draw(canvas, skin);
    }
    if let Some(sheet) = &screen.assigning {
        sheet.draw(canvas, skin);
    }
}

fn empty(screen: &RoundsScreen, skin: &Skin, canvas: &mut Canvas<'_>) {
    let mut body = "n makes one of the tasks that are open: whom it is for, what is asked, how much is drawn and by \
                    which seed. On the command line: mendbench round create NAME --codebook defects4c --annotators \
                    anna,ben --arbitrator zoe"
        .to_owned();
    for problem in &screen.problems {
        body.push('\n');
        body.push_str(problem);
    }
    panel::message(canvas, skin, "No rounds in this workspace yet", &body, Role::TextDim);
}

fn list(screen: &RoundsScreen, rows: &[Brief], skin: &Skin, canvas: &mut Canvas<'_>) {
    let (width, height) = (canvas.width(), canvas.height());
    canvas.print(1, 0, "Rounds, newest first", skin.style(Role::Title), width.saturating_sub(2));
    if let Some(problem) = screen.problems.first() {
        let more = match screen.problems.len() {
            1 => String::new(),
            count => format!(" (and {} more)", count - 1),
        };
        let words = format!("{problem}{more}");
        canvas.print(
            1,
            height.saturating_sub(1),
            &words,
            skin.style(Role::StatusError),
            width.saturating_sub(2),
        );
    }
    for (number, row) in rows.iter().enumerate().skip(screen.top).take(cards(screen.size)) {
        let y = ABOVE + (number - screen.top) as u16 * CARD;
        let here = number == screen.cursor;
        let focused = here && !screen.in_desk;
        card(row, skin, &mut canvas.part(0, y, width, CARD - 1), (here, focused));
    }
}

/// A round in three rows: name and phase, what waits, what it is.
fn card(row: &Brief, skin: &Skin, canvas: &mut Canvas<'_>, (here, focused): (bool, bool)) {
    let width = canvas.width();
    let base = match (here, focused) {
        (true, true) => Role::Selection,
        (true, false) => Role::SelectionInactive,
        _ => Role::Text,
    };
    if here {
        for y in 0..canvas.height() {
            canvas.style_row(y, skin.style(base));
            canvas.put(0, y, skin.glyphs.cursor, 1, skin.over(base, Role::Accent));
        }
    }
    let phase = row.round.phase.as_str();
    let room = width.saturating_sub(phase.len() as u16 + 4);
    canvas.print(2, 0, &fitted(&name(&row.round), room), skin.over(base, Role::TextStrong), room);
    canvas.print_end(0, 0, phase, skin.over(base, phase_role(row.round.phase)), width.saturating_sub(1));
    let mut x = 2;
    if let Some((done, of)) = row.progress.filter(|(_, of)| *of > 0) {
        let wide = 10.min(width / 5);
        let full = ((done * usize::from(wide)) / of) as u16;
        for column in 0..wide {
            let (glyph, role) = if column < full {
                (skin.glyphs.full, Role::StatusOk)
            } else {
                (skin.glyphs.rest, Role::TextDim)
            };
            canvas.put(x + column, 1, glyph, 1, skin.over(base, role));
        }
        let word = match row.round.phase {
            Phase::Labelling => "",
            Phase::Discussion if row.role.leads() => " settled",
            Phase::Discussion => " discussed",
            Phase::Adjudication | Phase::Closed => " decided",
        };
        let count = format!("{} of {}{word}", thousands(done), thousands(of));
        x = canvas.print(x + wide + 1, 1, &count, skin.over(base, Role::Count), width) + 2;
    }
    let (words, role) = waiting(row);
    canvas.print(x, 1, &words, skin.over(base, role), width.saturating_sub(x + 1));
    let people: Vec<&str> = row.round.annotators.iter().map(|person| person.name.as_str()).collect();
    let dot = skin.glyphs.dot;
    let facts = [
        Extent::of(&row.round).to_string(),
        people.join(", "),
        format!("you: {}", row.role.as_str()),
        codebook(&row.round),
    ];
    let mut line = String::new();
    for fact in facts {
        let next = if line.is_empty() { fact } else { format!("{line} {dot} {fact}") };
        if text::width(&next) + 3 > usize::from(width) && !line.is_empty() {
            break;
        }
        line = next;
    }
    canvas.print(2, 2, &line, skin.over(base, Role::TextDim), width.saturating_sub(3));
}

fn desk(screen: &RoundsScreen, skin: &Skin, canvas: &mut Canvas<'_>) {
    let Some(desk) = screen.shown_desk() else {
        canvas.print(2, 1, "reading its desk…", skin.style(Role::TextDim), canvas.width());
        return;
    };
    lines(desk, screen.in_desk, skin, canvas);
}

fn lines(desk: &Desk, focused: bool, skin: &Skin, canvas: &mut Canvas<'_>) {
    let width = canvas.width();
    let rows = desk_rows((width, canvas.height()));
    for (y, (number, line)) in (1..).zip(desk.lines.iter().enumerate().skip(desk.top).take(rows)) {
        let here = focused && number == desk.cursor;
        let base = if here { Role::Selection } else { Role::Text };
        if here {
            canvas.style_row(y, skin.style(base));
            canvas.put(0, y, skin.glyphs.cursor, 1, skin.over(base, Role::Accent));
        }
        let Line { parts, .. } = line;
        let mut x = 2;
        for (text, role) in parts {
            x = canvas.print(x, y, text, skin.over(base, *role), width.saturating_sub(x + 1));
        }
    }
    let below = desk.lines.len().saturating_sub(desk.top + rows);
    if below > 0 {
        let words = format!("{} more", counted(below, "line"));
        let y = canvas.height().saturating_sub(1);
        canvas.print_end(0, y, &words, skin.style(Role::TextDim), width.saturating_sub(1));
    }
}
