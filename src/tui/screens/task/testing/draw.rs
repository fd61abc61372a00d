//! Drawing the Tests tab.
//!
//! Promises: the verdict first, then whose fault it is, then the tests with failures on top; the output beside them where
//! there is room, below them where there is less, in their place where there is little.

use super::{Focus, Run, TestsTab, words};
use crate::harness::State;
use crate::text;
use crate::text::thousands;
use crate::theme::Role;
use crate::tui::widgets::canvas::Canvas;
use crate::tui::widgets::skin::Skin;
use ratatui::layout::Rect;
use ratatui::style::Modifier;

/// Columns from which on the output stands beside the tests.
const BESIDE_FROM: u16 = 100;
/// Rows under the verdict from which on both are shown.
const BOTH_FROM: u16 = 11;
/// Columns of the bar.
const BAR: u16 = 12;

/// Where things stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Places {
    /// Rows of the verdict.
    pub head: u16,
    /// The tests.
    pub list: Rect,
    /// The output.
    pub output: Option<Rect>,
}

impl Places {
    /// For a tab of this size.
    pub fn of((width, height): (u16, u16), said: u16, has_output: bool, output_has_keys: bool) -> Places {
        let head = said.min(if height >= 11 { 3 } else { 2 }).min(height);
        let under = head + u16::from(height > head + 4);
        let rest = height.saturating_sub(under);
        let whole = Rect { x: 0, y: under, width, height: rest };
        let titled = |rect: Rect| Rect { y: rect.y + 1, height: rect.height.saturating_sub(1), ..rect };
        if !has_output {
            return Places { head, list: whole, output: None };
        }
        if width >= BESIDE_FROM && rest > 4 {
            let left = width / 2;
            let list = Rect { width: left, ..whole };
            let output = Rect { x: left + 2, width: width - left - 3, ..whole };
            return Places { head, list, output: Some(titled(output)) };
        }
        if rest >= BOTH_FROM {
            let share = if output_has_keys { rest - rest / 3 } else { rest / 5 * 2 };
            let list = Rect { height: rest - share, ..whole };
            let output = Rect { x: 1, y: under + list.height, width: width.saturating_sub(2), height: share };
            return Places { head, list, output: Some(titled(output)) };
        }
        let none = Rect { height: 0, ..whole };
        if output_has_keys {
            let output = Rect { x: 1, width: width.saturating_sub(2), ..whole };
            return Places { head, list: none, output: Some(titled(output)) };
        }
        Places { head, list: whole, output: None }
    }
}

/// Draws the tab; it has been told its size by [`TestsTab::resize`].
pub fn draw(tab: &TestsTab, canvas: &mut Canvas<'_>, skin: &Skin) {
    let places = tab.places();
    draw_head(tab, &mut canvas.part(0, 0, canvas.width(), places.head), skin);
    let in_list = tab.focus == Focus::List;
    let Rect { x, y, width, height } = places.list;
    tab.list.draw(&mut canvas.part(x, y, width, height), skin, in_list);
    let Some(Rect { x, y, width, height }) = places.output else { return };
    let border = if in_list { Role::Border } else { Role::BorderFocus };
    if places.list.height > 0 && x > 1 {
        canvas.bar(x - 2, y - 1, y + height, skin.glyphs.bar, skin.style(Role::Border));
    }
    let start = x.saturating_sub(1);
    let mut title = canvas.part(start, y - 1, width + 2, 1);
    title.rule(0, skin.glyphs.rule, skin.style(border));
    let name_role = if in_list { Role::TextDim } else { Role::Accent };
    let end = title.print(1, 0, " output ", skin.style(name_role), title.width().saturating_sub(1));
    let mut facts = Vec::new();
    if !tab.output.is_empty() {
        let count = tab.output.count() as usize;
        facts.push(format!("{} line{}", thousands(count), if count == 1 { "" } else { "s" }));
    }
    if tab.is_running() {
        facts.push(if tab.output.follows() { "following" } else { "held" }.to_owned());
    }
    let facts = facts.join(" · ");
    if !facts.is_empty() {
        let room = title.width().saturating_sub(end + 2);
        title.print_end(end, 0, &format!(" {facts} "), skin.style(Role::Count), room);
    }
    tab.output.draw(&mut canvas.part(x, y, width, height), skin);
}

fn draw_head(tab: &TestsTab, canvas: &mut Canvas<'_>, skin: &Skin) {
    let width = canvas.width();
    let (word, role) = words::headline(&tab.run);
    let badge = format!(" {word} ");
    let weight = if matches!(tab.run, Run::None) { Modifier::empty() } else { Modifier::REVERSED };
    let style = skin.style(role).add_modifier(Modifier::BOLD | weight);
    let mut x = canvas.print(1, 0, &badge, style, width.saturating_sub(1)) + 2;
    if let Some((done, of, text)) = progress(&tab.run) {
        x = canvas.print(x, 0, &text, skin.style(Role::TextStrong), width.saturating_sub(x)) + 1;
        if of > 0 && x + BAR + 20 < width {
            let filled = (done.min(of) * usize::from(BAR)).div_ceil(of) as u16;
            // Full only when everything is.
            let filled = if done < of { filled.min(BAR - 1) } else { filled };
            for column in 0..BAR {
                let (glyph, role) = if column < filled {
                    (skin.glyphs.full, Role::VerdictPassed)
                } else {
                    (skin.glyphs.rest, rest_role(&tab.run))
                };
                canvas.put(x + column, 0, glyph, 1, skin.style(role));
            }
            x += BAR + 1;
        }
        x += 1;
    }
    let facts = words::facts(&tab.run).join(&format!(" {} ", skin.glyphs.dot));
    let room = width.saturating_sub(x + 1);
    if text::width(&facts) <= usize::from(room) {
        canvas.print(x, 0, &facts, skin.style(Role::TextDim), room);
    } else if let Some(first) = words::facts(&tab.run).first() {
        canvas.print(x, 0, first, skin.style(Role::TextDim), room);
    }
    if let Some(command) = tab.command() {
        canvas.print(2, 1, command, skin.style(Role::TextDim), width.saturating_sub(3));
    }
    let why = words::why(&tab.run);
    let blame = words::blame(&tab.run);
    // Where there is little room whose fault it is counts more than the reason.
    let mut y = 1;
    if !why.is_empty() && canvas.height() > 2 {
        canvas.print(2, y, &why, skin.style(Role::Text), width.saturating_sub(3));
        y += 1;
    }
    if let Some((question, answer, role)) = blame {
        let x = canvas.print(2, y, question, skin.style(Role::TextDim), width.saturating_sub(3));
        canvas.print(x + 1, y, &answer, skin.style(role), width.saturating_sub(x + 2));
    }
}

/// Tests done or passed, of how many, and that in words.
fn progress(run: &Run) -> Option<(usize, usize, String)> {
    match run {
        Run::Running { state: State::Testing(seen, Some(of)), .. } if seen <= of => {
            Some((*seen, *of, String::new()))
        }
        Run::Finished(summary) if summary.counts.1 > 0 => {
            let (passed, executed) = summary.counts;
            Some((passed, executed, format!("{} of {} passed", thousands(passed), thousands(executed))))
        }
        _ => None,
    }
}

fn rest_role(run: &Run) -> Role {
    match run {
        Run::Finished(_) => Role::VerdictFailed,
        _ => Role::TextDim,
    }
}
