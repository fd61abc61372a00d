//! Drawing the Task screen.

use super::{Tab, TaskScreen, testing};
use crate::task::taxonomy;
use crate::theme::Role;
use crate::tui::screens::Context;
use crate::tui::widgets::canvas::Canvas;
use crate::tui::widgets::diff_view::{self, Look};
use crate::tui::widgets::{field, panel};

/// Row of the tabs in the body.
pub const TABS_ROW: u16 = 1;
/// Rows above the text: title, tabs, a rule.
pub const ROWS_ABOVE: u16 = 3;
/// Blank columns beside text that is read.
pub const MARGIN: u16 = 2;

/// Each tab with its name, and where that starts and ends; short names and no gaps where there is little room.
fn tab_places(width: u16) -> Vec<(Tab, &'static str, u16, u16)> {
    let places = |name: fn(Tab) -> &'static str, mut x: u16, gap: u16| {
        let place = |tab: Tab| {
            let start = x;
            x += name(tab).len() as u16 + 4 + gap;
            (tab, name(tab), start, x - gap)
        };
        Tab::ALL.into_iter().map(place).collect::<Vec<_>>()
    };
    // Beside the names there is room for where one is.
    let fits = |places: &Vec<(Tab, &'static str, u16, u16)>| {
        places.last().is_none_or(|(_, _, _, end)| *end + 16 <= width)
    };
    let middling = |tab: Tab| if tab == Tab::Provenance { tab.short_name() } else { tab.name() };
    let tiers = [places(Tab::name, 1, 1), places(Tab::name, 0, 0), places(middling, 0, 0)];
    tiers.into_iter().find(fits).unwrap_or_else(|| places(Tab::short_name, 0, 0))
}

/// The tab at a column.
pub fn tab_at(x: u16, width: u16) -> Option<Tab> {
    let places = tab_places(width);
    places.into_iter().find(|(_, _, start, end)| (*start..*end).contains(&x)).map(|(tab, _, _, _)| tab)
}

/// Draws the screen; it has been told its size by [`TaskScreen::resize`].
pub fn draw(screen: &TaskScreen, ctx: &Context, canvas: &mut Canvas<'_>) {
    let skin = &ctx.skin;
    if let Some(failure) = &screen.failure {
        panel::message(canvas, skin, "This task could not be read", failure, Role::StatusError);
        return;
    }
    let Some(loaded) = screen.loaded.clone() else {
        panel::message(canvas, skin, "Reading the task…", "", Role::TextDim);
        return;
    };
    let width = canvas.width();
    let task = &loaded.task;
    let mut facts = vec![crate::syntax::language::display_name(&task.language).to_owned()];
    if let Some(id) = &task.provenance.error_type {
        facts.push(match taxonomy::error_type(id) {
            Some((_, name)) if width >= 120 => format!("{id} {name}"),
            _ => id.clone(),
        });
    }
    facts.extend(loaded.granularity.map(|granularity| granularity.to_string()));
    let facts = facts.join(" · ");
    let facts_width = if width >= 60 { crate::text::width(&facts) as u16 + 2 } else { 0 };
    let mut x = 1;
    if !task.marks.is_empty() {
        x = canvas.print(x, 0, skin.glyphs.mark, skin.style(Role::Mark), 1) + 1;
    }
    canvas.print(x, 0, &task.title, skin.style(Role::Title), width.saturating_sub(facts_width + x + 1));
    if facts_width > 0 {
        canvas.print_end(0, 0, &facts, skin.style(Role::TextDim), width.saturating_sub(1));
    }
    for ((tab, name, start, _), number) in tab_places(width).into_iter().zip(1..) {
        let active = tab == screen.tab;
        let role = if active { Role::TabActive } else { Role::Tab };
        let style = skin.style(role);
        canvas.print(start, TABS_ROW, &format!(" {number} {name} "), style, width.saturating_sub(start));
    }
    draw_tabs_right(screen, ctx, canvas);
    canvas.rule(2, skin.glyphs.rule, skin.style(Role::Border));
    let typing = screen.typing;
    let body = canvas.height().saturating_sub(ROWS_ABOVE + u16::from(typing));
    let (tab, page) = (screen.tab, &screen.page);
    match (tab, &screen.view) {
        (Tab::Diff, Some(view)) => {
            let mut area = canvas.part(0, ROWS_ABOVE, width, body);
            if view.diff().files.is_empty() {
                panel::message(
                    &mut area,
                    skin,
                    "No difference to show",
                    &loaded.nothing_to_compare(),
                    Role::Text,
                );
            } else {
                diff_view::draw(view, &mut area, &Look { skin, cursor: true });
            }
        }
        (Tab::Tests, _) => testing::draw(&screen.tests, &mut canvas.part(0, ROWS_ABOVE, width, body), skin),
        _ => {
            let margin = MARGIN.min(width / 8);
            let inner = width.saturating_sub(2 * margin);
            page.draw(&mut canvas.part(margin, ROWS_ABOVE + 1, inner, body.saturating_sub(1)), skin);
        }
    }
    if typing {
        let y = canvas.height().saturating_sub(1);
        let mut line = canvas.part(0, y, width, 1);
        let x = field::draw(&mut line, skin, 0, "/", &screen.input, true, width.saturating_sub(16));
        if let Some(found) = &screen.found {
            line.print(x + 2, 0, found, skin.style(Role::TextDim), 20);
        }
    }
}

/// Where one is: change 2 of 5, or how far one has scrolled; and what is searched for.
fn draw_tabs_right(screen: &TaskScreen, ctx: &Context, canvas: &mut Canvas<'_>) {
    let mut parts = Vec::new();
    if let Some(found) = screen.found.as_ref().filter(|_| !screen.typing) {
        parts.push(format!("/{} {found}", screen.input.text()));
    }
    match (screen.tab, &screen.view) {
        (Tab::Diff, Some(view)) => {
            let (at, all) = view.hunk_position();
            match (at, all) {
                (_, 0) => {}
                (0, all) => parts.push(format!("{all} change{}", if all == 1 { "" } else { "s" })),
                (at, all) => parts.push(format!("change {at} of {all}")),
            }
        }
        // The verdict and the titles of its parts tell where one is.
        (Tab::Tests, _) => {}
        _ => {
            let (_, end, rows) = screen.page.position();
            if rows > end || end > 0 && screen.page.position().0 > 1 {
                parts.push(format!("{}%", end * 100 / rows.max(1)));
            }
        }
    }
    let left = tab_places(canvas.width()).last().map_or(0, |(_, _, _, end)| *end);
    let room = canvas.width().saturating_sub(left + 2);
    // Where there is no room for all, what was searched for goes first, then what is left over.
    let mut candidates = vec![parts.join(" · ")];
    candidates.extend(parts.first().cloned());
    candidates.extend(screen.found.clone().filter(|_| !screen.typing));
    let fits = |text: &&String| crate::text::width(text) <= usize::from(room);
    if let Some(text) = candidates.iter().find(fits) {
        canvas.print_end(left, TABS_ROW, text, ctx.skin.style(Role::TextDim), room + 1);
    }
}
