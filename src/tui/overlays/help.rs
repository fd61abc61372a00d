//! What the help says, all of it made from the keymap.

use crate::catalogue::Skips;
use crate::keymap::{Context, HelpGroup, Key, Keymap};
use crate::task::filter::Field;
use crate::theme::Role;
use crate::tui::widgets::canvas::Canvas;
use crate::tui::widgets::panel;
use crate::tui::widgets::skin::Skin;
use crate::tui::widgets::text_view::Block;
use ratatui::layout::Rect;

/// Keys that mean something in these contexts, by group, and the fields of a filter.
pub fn blocks(keymap: &Keymap, contexts: &[Context]) -> Vec<Block> {
    let mut blocks = Vec::new();
    for HelpGroup { group, rows } in keymap.help(contexts) {
        if !blocks.is_empty() {
            blocks.push(Block::Blank);
        }
        blocks.push(Block::Heading(group.title().to_owned(), String::new()));
        blocks.extend(
            rows.into_iter()
                .map(|row| Block::Field(row.keys.join("  "), row.action.description().to_owned())),
        );
    }
    if contexts.contains(&Context::Tasks) {
        blocks.push(Block::Blank);
        blocks.push(Block::Heading(
            "What a filter may hold".to_owned(),
            "words match fuzzily; -field: excludes".to_owned(),
        ));
        blocks.extend(
            Field::ALL
                .into_iter()
                .map(|field| Block::Field(format!("{}:", field.as_str()), field.describe().to_owned())),
        );
    }
    blocks
}

/// What was skipped while reading, and why; `failure` is what ended reading early.
pub fn skipped(skips: &Skips, failure: Option<&str>) -> Vec<Block> {
    let mut blocks = Vec::new();
    if let Some(failure) = failure {
        blocks.push(Block::Heading(
            "Reading broke off".to_owned(),
            "what came before is in the list".to_owned(),
        ));
        blocks.push(Block::Prose(failure.to_owned()));
        if skips.count() == 0 {
            return blocks;
        }
        blocks.push(Block::Blank);
    }
    if skips.count() == 0 {
        return vec![Block::Prose("Nothing was skipped: every row became a task.".to_owned())];
    }
    for (reason, count) in skips.counts() {
        blocks.push(Block::Marked((*reason).to_owned(), count.to_string(), Role::Count));
    }
    blocks.push(Block::Blank);
    blocks.extend(skips.rows().iter().map(|row| Block::Item(row.to_string())));
    let left = skips.count() - skips.rows().len();
    if left > 0 {
        blocks
            .push(Block::Remark(format!("and {left} more; `mendbench tasks list --json` prints the counts")));
    }
    blocks
}

/// The keys that may follow those already pressed, in a box at the bottom right.
pub fn draw_continuations(
    canvas: &mut Canvas<'_>,
    skin: &Skin,
    keymap: &Keymap,
    contexts: &[Context],
    pending: &[Key],
) {
    let next = keymap.continuations(contexts, pending);
    let width =
        next.iter().map(|next| crate::text::width(next.action.description())).max().unwrap_or(0) as u16 + 12;
    let height = next.len() as u16 + 2;
    let (columns, rows) = (canvas.width(), canvas.height());
    let place = Rect {
        x: columns.saturating_sub(width + 1),
        y: rows.saturating_sub(height + 1),
        width: width.min(columns),
        height: height.min(rows),
    };
    let pressed = pending.iter().map(Key::to_string).collect::<Vec<_>>().join(" ");
    let mut inner = panel::framed(canvas, skin, (&pressed, ""), place);
    for (y, next) in next.iter().enumerate() {
        let y = y as u16;
        inner.print(0, y, &next.keys, skin.over(Role::Overlay, Role::Key), 6);
        inner.print(7, y, next.action.description(), skin.style(Role::Overlay), width);
    }
}
