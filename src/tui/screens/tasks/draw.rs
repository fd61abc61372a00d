//! Drawing the Tasks screen.

use super::columns::{Column, Present, columns};
use super::{PREVIEW_FROM, Tasks, labels};
use crate::catalogue::OriginKind;
use crate::task::list::{Entry, GroupBy, SortKey};
use crate::task::table::Summary;
use crate::task::{Granularity, taxonomy};
use crate::text;
use crate::text::thousands;
use crate::theme::Role;
use crate::tui::screens::Context;
use crate::tui::widgets::canvas::Canvas;
use crate::tui::widgets::diff_view::{self, Look};
use crate::tui::widgets::numbers::short;
use crate::tui::widgets::{field, panel};

/// Where the parts of the screen are.
struct Frame {
    welcome: bool,
    heading: u16,
    list: u16,
    list_height: u16,
    list_width: u16,
    preview: Option<(u16, u16)>,
}

fn frame(tasks: &Tasks, ctx: &Context, width: u16, height: u16) -> Frame {
    let welcome = ctx.origin.kind == OriginKind::Samples && height >= 10;
    let heading = 1 + u16::from(welcome);
    let list = heading + 1;
    let preview = (tasks.preview.wanted && width >= PREVIEW_FROM).then(|| {
        let list_width = (width / 2).clamp(48, 100);
        (list_width + 1, width - list_width - 1)
    });
    Frame {
        welcome,
        heading,
        list,
        list_height: height.saturating_sub(list),
        list_width: preview.map_or(width, |(x, _)| x - 1),
        preview,
    }
}

/// Rows that the list has in a body of this size.
pub fn list_height(tasks: &Tasks, ctx: &Context, width: u16, height: u16) -> u16 {
    frame(tasks, ctx, width, height).list_height
}

/// Columns and rows of the preview in a body of this size, when it is shown.
pub fn preview_size(tasks: &Tasks, ctx: &Context, width: u16, height: u16) -> Option<(u16, u16)> {
    let frame = frame(tasks, ctx, width, height);
    frame.preview.map(|(_, wide)| (wide.saturating_sub(1), height.saturating_sub(frame.heading)))
}

/// Row of the list under a row of the body, and whether the column is in the list at all.
pub fn list_row(
    tasks: &Tasks,
    ctx: &Context,
    (x, y): (u16, u16),
    (width, height): (u16, u16),
) -> Option<u16> {
    let frame = frame(tasks, ctx, width, height);
    (x < frame.list_width && y >= frame.list && y < frame.list + frame.list_height).then(|| y - frame.list)
}

/// The right end of the header: how many tasks there are.
pub fn header(tasks: &Tasks) -> String {
    let all = tasks.table.len();
    let mut parts = Vec::new();
    if !tasks.complete {
        let expected = tasks.expected.map_or_else(String::new, |total| format!(" of {}", thousands(total)));
        parts.push(format!("reading… {}{expected}", thousands(all)));
    } else {
        let plural = if all == 1 { "task" } else { "tasks" };
        if tasks.filter.is_empty() {
            parts.push(format!("{} {plural}", thousands(all)));
        } else {
            parts.push(format!("{} of {} {plural}", thousands(tasks.arranged.rows.len()), thousands(all)));
        }
    }
    if tasks.failure.is_some() {
        match all {
            0 => return String::new(),
            _ => parts.push("reading broke off (!)".to_owned()),
        }
    }
    let skipped = tasks.skips.count();
    if skipped > 0 {
        parts.push(format!("{} row{} skipped (!)", thousands(skipped), if skipped == 1 { "" } else { "s" }));
    }
    parts.join(" · ")
}

/// Draws the screen; it has been told its size by [`Tasks::resize`].
pub fn draw(tasks: &Tasks, ctx: &Context, canvas: &mut Canvas<'_>) {
    let frame = frame(tasks, ctx, canvas.width(), canvas.height());
    draw_filter(tasks, ctx, canvas);
    if frame.welcome {
        draw_welcome(ctx, canvas);
    }
    if let Some((x, width)) = frame.preview {
        let top = frame.heading;
        canvas.bar(x - 1, top, canvas.height(), ctx.skin.glyphs.bar, ctx.skin.style(Role::Border));
        let height = canvas.height().saturating_sub(top);
        draw_preview(tasks, ctx, &mut canvas.part(x + 1, top, width.saturating_sub(1), height));
    }
    let mut list = canvas.part(0, frame.heading, frame.list_width, frame.list_height + 1);
    if let Some(failure) = tasks.failure.as_ref().filter(|_| tasks.table.is_empty()) {
        panel::message(&mut list, &ctx.skin, "These tasks could not be read", failure, Role::StatusError);
    } else if tasks.entries.is_empty() {
        draw_empty(tasks, ctx, &mut list);
    } else {
        draw_list(tasks, ctx, &mut list);
    }
}

/// What this is and which key to press, in one glance.
fn draw_welcome(ctx: &Context, canvas: &mut Canvas<'_>) {
    let skin = &ctx.skin;
    let width = canvas.width();
    let mut x =
        canvas.print(1, 1, "Ten bugs to read against their fixes.", skin.style(Role::TextStrong), width);
    for (key, what) in [("enter", "opens one"), ("/", "filters"), ("?", "shows all keys")] {
        if x + 3 + (key.len() + what.len()) as u16 > width {
            return;
        }
        x = canvas.print(x + 2, 1, key, skin.style(Role::Key), width);
        x = canvas.print(x + 1, 1, what, skin.style(Role::Text), width);
    }
    let own = "mendbench FILE opens your own dataset";
    if x + 3 + (own.len() as u16) < width {
        canvas.print(x + 3, 1, own, skin.style(Role::TextDim), width);
    }
}

fn draw_filter(tasks: &Tasks, ctx: &Context, canvas: &mut Canvas<'_>) {
    let skin = &ctx.skin;
    let width = canvas.width();
    let mut right = Vec::new();
    if tasks.arrangement.group_by != GroupBy::Nothing {
        right.push(format!("by {}", tasks.arrangement.group_by.as_str()));
    }
    if tasks.arrangement.sort != SortKey::Natural {
        right.push(format!("sorted by {}", tasks.arrangement.sort.as_str()));
    }
    if tasks.arrangement.reversed {
        right.push("reversed".to_owned());
    }
    let right = right.join(" · ");
    let right_width = text::width(&right) as u16;
    let room = width.saturating_sub(right_width + 3);
    if let Some(error) = tasks.filter_error.as_ref().filter(|_| !tasks.typing) {
        let used = field::draw(canvas, skin, 0, "/", &tasks.input, tasks.typing, room / 2);
        canvas.print(used + 2, 0, error, skin.style(Role::StatusError), width.saturating_sub(used + 3));
        return;
    }
    if tasks.typing || !tasks.input.text().is_empty() {
        field::draw(canvas, skin, 0, "/", &tasks.input, tasks.typing, room);
    } else {
        let hint = "/ to filter: lang:c  type:B  granularity:line  changed:>5  any words";
        canvas.print(1, 0, hint, skin.style(Role::TextDim), room);
    }
    canvas.print_end(0, 0, &right, skin.style(Role::Accent), width.saturating_sub(1));
}

fn draw_empty(tasks: &Tasks, ctx: &Context, canvas: &mut Canvas<'_>) {
    if !tasks.complete {
        panel::message(canvas, &ctx.skin, "Reading tasks…", &ctx.origin.label, Role::TextDim);
    } else if !tasks.filter.is_empty() {
        let what = format!(
            "`{}` lets none of the {} tasks pass.\nEsc clears the filter.",
            tasks.input.text(),
            thousands(tasks.table.len())
        );
        panel::message(canvas, &ctx.skin, "No task matches", &what, Role::Text);
    } else {
        let skipped = tasks.skips.count();
        let what = if skipped > 0 {
            format!("All {skipped} rows were skipped; ! shows why.")
        } else {
            "Bring some in with `mendbench import FILE`, or open a dataset with `mendbench FILE`.".to_owned()
        };
        panel::message(canvas, &ctx.skin, "No tasks here", &what, Role::Text);
    }
}

fn draw_list(tasks: &Tasks, ctx: &Context, canvas: &mut Canvas<'_>) {
    let skin = &ctx.skin;
    // A column for the cursor, one for marks, and a blank at the end.
    let inner = canvas.width().saturating_sub(3);
    let columns = columns(inner, Present { labels: tasks.labels.is_shown(), ..tasks.present });
    let of_labels = columns.iter().find(|(column, _)| *column == Column::Labels);
    let labels = of_labels.map_or_else(String::new, |(_, width)| tasks.labels.heading(*width));
    let mut x = 2;
    for (column, width) in &columns {
        let name = match column {
            Column::Id => "id",
            Column::Title => "title",
            Column::Dataset => "dataset",
            Column::Language => "lang",
            Column::ErrorType => "type",
            Column::Granularity => "granularity",
            Column::Changed => "changed",
            Column::Tests => "tests",
            Column::Kind => "kind",
            Column::Labels => &labels,
        };
        let style = skin.style(Role::TextDim);
        if matches!(column, Column::Changed | Column::Tests) {
            canvas.print_end(x, 0, name, style, *width);
        } else {
            canvas.print(x, 0, name, style, *width);
        }
        x += width + 1;
    }
    for y in 0..canvas.height().saturating_sub(1) {
        let index = tasks.top + usize::from(y);
        let Some(entry) = tasks.entries.get(index) else { break };
        let here = index == tasks.cursor;
        let row = y + 1;
        let base = if here { Role::Selection } else { Role::Text };
        if here {
            canvas.style_row(row, skin.style(Role::Selection));
            canvas.put(0, row, skin.glyphs.cursor, 1, skin.over(Role::Selection, Role::Cursor));
        }
        match entry {
            Entry::Group(number) => {
                let Some(group) = tasks.arranged.groups.get(*number as usize) else { continue };
                let glyph = if tasks.collapsed.contains(&group.label) {
                    skin.glyphs.closed
                } else {
                    skin.glyphs.open
                };
                let x = canvas.print(1, row, glyph, skin.over(base, Role::Accent), 1);
                let mut label = group.label.clone();
                if tasks.arrangement.group_by == GroupBy::ErrorType
                    && let Some((category, name)) = taxonomy::error_type(&label)
                {
                    label = format!("{label}  {category}: {name}");
                }
                let x = canvas.print(
                    x + 1,
                    row,
                    &label,
                    skin.over(base, Role::TextStrong),
                    inner.saturating_sub(10),
                );
                canvas.print(x + 2, row, &thousands(group.rows.len()), skin.over(base, Role::Count), 10);
            }
            Entry::Task(number) => {
                let Some(summary) = tasks.table.get(*number) else { continue };
                if summary.marks != 0 {
                    canvas.print(1, row, skin.glyphs.mark, skin.over(base, Role::Mark), 1);
                }
                let matched = if tasks.filter.ranks() {
                    tasks.filter.positions(tasks.table.haystack(*number))
                } else {
                    Vec::new()
                };
                draw_task(ctx, canvas, &columns, row, base, &summary, &matched);
                let x = 2 + columns.iter().rev().skip(1).map(|(_, width)| width + 1).sum::<u16>();
                if let Some((Column::Labels, width)) = columns.last()
                    && let Some(tag) = tasks.labels.of(&summary)
                {
                    labels::draw(tag, ctx, canvas, (x, row, *width), base);
                }
            }
        }
    }
}

fn draw_task(
    ctx: &Context,
    canvas: &mut Canvas<'_>,
    columns: &[(Column, u16)],
    y: u16,
    base: Role,
    summary: &Summary<'_>,
    matched: &[u32],
) {
    let skin = &ctx.skin;
    let mut x = 2;
    for (column, width) in columns {
        match column {
            Column::Id => {
                canvas.print(x, y, summary.id, skin.over(base, Role::Accent), *width);
                emphasise(ctx, canvas, (x, y, *width), summary.id, matched, 0, base);
            }
            Column::Title => {
                canvas.print(x, y, summary.title, skin.style(base), *width);
                let before = summary.id.chars().count() as u32 + 1;
                emphasise(ctx, canvas, (x, y, *width), summary.title, matched, before, base);
            }
            Column::Dataset => {
                canvas.print(x, y, summary.dataset, skin.over(base, Role::TextDim), *width);
            }
            Column::Language => {
                let language = crate::syntax::language::display_name(summary.language);
                canvas.print(x, y, short_language(language), skin.over(base, Role::BadgeLanguage), *width);
            }
            Column::ErrorType => {
                canvas.print(x, y, summary.error_type, skin.over(base, Role::BadgeType), *width);
            }
            Column::Granularity => {
                let reach = summary.granularity.map_or("", Granularity::as_str);
                canvas.print(x, y, reach, skin.over(base, Role::TextDim), *width);
            }
            Column::Changed => {
                let removed = format!("{}{}", skin.glyphs.minus, short(summary.removed));
                let added = format!("+{}", short(summary.added));
                let end = x + width;
                canvas.print_end(x, y, &removed, skin.ink(base, Role::DiffRemovedGutter), *width);
                let taken = text::width(&removed) as u16 + 1;
                canvas.print_end(
                    x,
                    y,
                    &added,
                    skin.ink(base, Role::DiffAddedGutter),
                    (end - x).saturating_sub(taken),
                );
            }
            Column::Tests => {
                let tests = if summary.tests == 0 { String::new() } else { summary.tests.to_string() };
                canvas.print_end(x, y, &tests, skin.over(base, Role::Count), *width);
            }
            Column::Kind => {
                canvas.print(x, y, summary.kind.as_str(), skin.over(base, Role::BadgeKind), *width);
            }
            // It stands last, and is not of the task itself.
            Column::Labels => {}
        }
        x += width + 1;
    }
}

fn short_language(name: &str) -> &str {
    match name {
        "JavaScript" => "JS",
        "TypeScript" => "TS",
        other => other,
    }
}

/// Lays the style of a match over the characters that matched.
fn emphasise(
    ctx: &Context,
    canvas: &mut Canvas<'_>,
    (x, y, width): (u16, u16, u16),
    shown: &str,
    matched: &[u32],
    before: u32,
    base: Role,
) {
    if matched.is_empty() {
        return;
    }
    let fits = text::width(shown) <= usize::from(width);
    let mut column = 0;
    for (number, character) in shown.chars().enumerate() {
        let wide = text::width(character.encode_utf8(&mut [0; 4])) as u16;
        if column + wide > width || (!fits && column + wide >= width) {
            break;
        }
        if matched.binary_search(&(before + number as u32)).is_ok() {
            canvas.style(x + column, y, wide, ctx.skin.over(base, Role::Match));
        }
        column += wide;
    }
}

fn draw_preview(tasks: &Tasks, ctx: &Context, canvas: &mut Canvas<'_>) {
    let skin = &ctx.skin;
    if tasks.preview.is_idle() {
        return;
    }
    if let Some(failure) = tasks.preview.failure() {
        panel::message(canvas, skin, "This task could not be read", failure, Role::StatusError);
        return;
    }
    let Some((loaded, view)) = tasks.preview.shown() else { return };
    let width = canvas.width();
    let lines = tasks.preview.summary();
    for (y, parts) in lines.iter().enumerate() {
        let mut x = 0;
        for (text, role) in parts {
            x = canvas.print(x, y as u16, text, skin.style(*role), width) + 2;
        }
    }
    let y = lines.len() as u16;
    let mut area = canvas.part(0, y, width, canvas.height().saturating_sub(y));
    if loaded.diff.files.is_empty() {
        area.print(0, 0, &loaded.nothing_to_compare(), skin.style(Role::TextDim), width);
    } else {
        diff_view::draw(view, &mut area, &Look { skin, cursor: false });
    }
}
