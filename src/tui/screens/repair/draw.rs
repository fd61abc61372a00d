//! Drawing the Repair screen.
//!
//! Promises: the state and the tests come first; four parts where there is room, one at a time where there is less;
//! nothing is drawn outside at any size. Leaves to others: the parts themselves (`panes`), the words (`words`).

use super::{Pane, RepairScreen, Shown, panes, words};
use crate::repair::live::State;
use crate::text;
use crate::theme::Role;
use crate::tui::screens::Context;
use crate::tui::widgets::canvas::Canvas;
use crate::tui::widgets::skin::Skin;
use crate::tui::widgets::{field, panel};
use ratatui::layout::Rect;
use ratatui::style::Modifier;

/// Columns and rows from which on all parts are seen at once.
const FOUR_FROM: (u16, u16) = (100, 18);
/// Columns of the bar of tests.
const BAR: u16 = 16;

/// Where the parts stand; those that are not seen are `None`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Places {
    /// Rows above them.
    pub head: u16,
    /// Row of the state.
    pub state: u16,
    /// Column of the rule between left and right, if there is one.
    pub middle: Option<u16>,
    /// Row of the lower titles, if there are any.
    pub lower: Option<u16>,
    /// The answer.
    pub answer: Option<Rect>,
    /// The change.
    pub change: Option<Rect>,
    /// The tests.
    pub tests: Option<Rect>,
    /// The turns.
    pub turns: Option<Rect>,
}

impl Places {
    /// For a screen of this size.
    pub fn of((width, height): (u16, u16), pane: Pane) -> Places {
        if width >= FOUR_FROM.0 && height >= FOUR_FROM.1 {
            return Places::four(width, height);
        }
        // State, line, tabs, rule; the line goes first.
        let head = if height >= 10 { 4 } else { height.min(3) };
        let whole =
            Rect { x: 1, y: head, width: width.saturating_sub(2), height: height.saturating_sub(head) };
        let mut places = Places { head, ..Places::default() };
        let slot = match pane {
            Pane::Answer => &mut places.answer,
            Pane::Change => &mut places.change,
            Pane::Tests => &mut places.tests,
            Pane::Turns => &mut places.turns,
        };
        *slot = Some(whole);
        // Both are short, and belong together.
        if pane == Pane::Tests && whole.height >= 12 {
            let upper = whole.height - 7;
            places.tests = Some(Rect { height: upper, ..whole });
            places.lower = Some(head + upper);
            places.turns = Some(Rect { y: head + upper + 1, height: 6, ..whole });
        }
        places
    }

    fn four(width: u16, height: u16) -> Places {
        // Where there is room the state stands free.
        let state = u16::from(height >= 28);
        let head = 3 + state;
        let rest = height - head;
        // The lower parts need less: a row for each failure and each turn.
        let under = (rest / 3).clamp(7, 14);
        let lower = head + (rest - under);
        let middle = width / 2;
        let left = |y: u16, rows: u16| Rect { x: 1, y, width: middle.saturating_sub(2), height: rows };
        let right = |y: u16, rows: u16| Rect {
            x: middle + 2,
            y,
            width: width.saturating_sub(middle + 3),
            height: rows,
        };
        let (upper_rows, lower_rows) = (lower - head - 1, height - lower - 1);
        Places {
            head,
            state,
            middle: Some(middle),
            lower: Some(lower),
            answer: Some(left(head + 1, upper_rows)),
            // A difference has its own margin.
            change: Some(Rect {
                x: middle + 1,
                width: width.saturating_sub(middle + 1),
                ..right(head + 1, upper_rows)
            }),
            tests: Some(left(lower + 1, lower_rows)),
            turns: Some(right(lower + 1, lower_rows)),
        }
    }

    fn place(&self, pane: Pane) -> Option<Rect> {
        match pane {
            Pane::Answer => self.answer,
            Pane::Change => self.change,
            Pane::Tests => self.tests,
            Pane::Turns => self.turns,
        }
    }

    /// The part at a place of the body, its title included.
    pub fn pane_at(&self, x: u16, y: u16) -> Option<Pane> {
        Pane::ALL.into_iter().find(|pane| {
            self.place(*pane).is_some_and(|place| {
                let titled = Rect { y: place.y.saturating_sub(1), height: place.height + 1, ..place };
                titled.contains((x, y).into())
            })
        })
    }
}

/// Draws the screen; it has been told its size by [`RepairScreen::resize`].
pub fn draw(screen: &RepairScreen, ctx: &Context, canvas: &mut Canvas<'_>) {
    let skin = &ctx.skin;
    if let Some(failure) = screen.failure.as_ref().filter(|_| screen.current().is_none()) {
        panel::message(canvas, skin, "Nothing was started", failure, Role::StatusError);
        return;
    }
    let Some(shown) = screen.current() else {
        let heading = if screen.opening != 0 { "Reading the trajectory…" } else { "No repair yet" };
        let body = if screen.opening != 0 {
            ""
        } else {
            "r on a task starts one; g u lists those of the workspace."
        };
        panel::message(canvas, skin, heading, body, Role::TextDim);
        return;
    };
    let places = Places::of((canvas.width(), canvas.height()), screen.pane);
    let (state, head) = (places.state, places.head.saturating_sub(places.state));
    draw_head(shown, skin, &mut canvas.part(0, state, canvas.width(), head));
    match (places.middle, places.lower) {
        (Some(middle), Some(lower)) => draw_grid(screen, shown, skin, canvas, (places.head, middle, lower)),
        _ => draw_tabs(screen, shown, skin, canvas, (places.head, places.lower)),
    }
    for pane in Pane::ALL {
        let Some(Rect { x, y, width, height }) = places.place(pane) else { continue };
        let mut area = canvas.part(x, y, width, height);
        let focused = screen.pane == pane;
        match pane {
            Pane::Answer => panes::answer(shown, skin, &mut area),
            Pane::Change => panes::change(shown, skin, &mut area, focused),
            Pane::Tests if screen.in_output => shown.output.draw(&mut area, skin),
            Pane::Tests => panes::tests(shown, skin, &mut area),
            Pane::Turns => panes::turns(shown, skin, &mut area, focused),
        }
    }
    if screen.typing {
        draw_field(screen, skin, canvas);
    }
}

/// The state, the tests, what it took; whose a failure is.
fn draw_head(shown: &Shown, skin: &Skin, canvas: &mut Canvas<'_>) {
    let width = canvas.width();
    let (word, role) = words::badge(shown);
    let style = skin.style(role).add_modifier(Modifier::BOLD | Modifier::REVERSED);
    let mut x = canvas.print(1, 0, &format!(" {word} "), style, width.saturating_sub(2)) + 2;
    x = draw_bar(shown, skin, canvas, x);
    let mut facts = words::figures(shown);
    let sign = format!(" {} ", skin.glyphs.dot);
    // What does not fit goes from the end of the row, the speed last.
    while !facts.is_empty() {
        let joined = facts.join(&sign);
        if x + text::width(&joined) as u16 + 2 <= width {
            canvas.print_end(x, 0, &joined, skin.style(Role::TextDim), width.saturating_sub(x + 1));
            break;
        }
        facts.pop();
    }
    if canvas.height() < 2 || canvas.height() == 3 && width < FOUR_FROM.0 {
        return;
    }
    if let Some((lead, line, role)) = words::line(shown) {
        let mut x = 2;
        if !lead.is_empty() && width >= 60 {
            x = canvas.print(x, 1, &lead, skin.style(Role::TextDim), width.saturating_sub(3)) + 1;
        }
        canvas.print(x, 1, &line, skin.style(role), width.saturating_sub(x + 1));
    }
}

/// The tests of the turn that is shown, or of the newest one before it that has some.
fn draw_bar(shown: &Shown, skin: &Skin, canvas: &mut Canvas<'_>, x: u16) -> u16 {
    let turns = shown.live.turns();
    let at = shown.at();
    let found = (0..=at).rev().find_map(|at| Some((at, turns.get(at)?.counts()?)));
    let Some((of, (passed, executed))) = found else { return x };
    let width = canvas.width();
    let planned = match shown.live.state() {
        State::Testing { planned: Some(planned), .. } if shown.live.is_under_way(of) => planned.max(executed),
        _ => executed,
    };
    let testing = planned > executed;
    let mut x = x;
    if x + BAR + 16 < width && planned > 0 {
        let share = |count: u64| {
            let cells = u64::from(BAR.min(u16::try_from(planned).unwrap_or(BAR)));
            u16::try_from(count.saturating_mul(cells) / planned).unwrap_or(0)
        };
        let (good, seen, all) = (share(passed), share(executed), share(planned));
        for column in 0..all {
            let (glyph, role) = if column < good {
                (skin.glyphs.full, Role::VerdictPassed)
            } else if column < seen {
                (skin.glyphs.rest, Role::VerdictFailed)
            } else {
                (skin.glyphs.dot, Role::TextDim)
            };
            canvas.put(x + column, 0, glyph, 1, skin.style(role));
        }
        x += all + 1;
    }
    let so_far = if testing { " so far" } else { "" };
    let count = format!("{passed} of {executed} passed{so_far}");
    let role = if of == at { Role::TextStrong } else { Role::TextDim };
    x = canvas.print(x, 0, &count, skin.style(role), width.saturating_sub(x));
    if of != at || shown.selected.is_some() {
        let position = turns.get(of).map_or((0, 0), |turn| turn.position());
        let turn = if position.1 == 0 {
            "buggy".to_owned()
        } else {
            format!("turn {}", words::label(shown, position))
        };
        x = canvas.print(
            x + 1,
            0,
            &format!("({turn})"),
            skin.style(Role::TextDim),
            width.saturating_sub(x + 1),
        );
    }
    x + 2
}

/// The answer, and of which turn where that is not the newest.
fn answer_title(shown: &Shown) -> String {
    match shown.turn().filter(|_| shown.selected.is_some()) {
        Some(turn) => format!("answer of turn {}", words::label(shown, turn.position())),
        None => "answer".to_owned(),
    }
}

/// Title and remark of a part.
fn title(screen: &RepairScreen, shown: &Shown, pane: Pane) -> (String, String) {
    match pane {
        Pane::Answer => (answer_title(shown), panes::answer_remark(shown)),
        Pane::Change => (words::change_title(shown), panes::change_remark(shown)),
        Pane::Tests if screen.in_output => ("output".to_owned(), panes::output_remark(shown)),
        Pane::Tests => ("tests".to_owned(), panes::tests_remark(shown)),
        Pane::Turns => ("turns".to_owned(), panes::turns_remark(shown)),
    }
}

fn draw_grid(
    screen: &RepairScreen,
    shown: &Shown,
    skin: &Skin,
    canvas: &mut Canvas<'_>,
    (upper, middle, lower): (u16, u16, u16),
) {
    let (width, height) = (canvas.width(), canvas.height());
    let border = skin.style(Role::Border);
    canvas.rule(upper, skin.glyphs.rule, border);
    canvas.rule(lower, skin.glyphs.rule, border);
    canvas.bar(middle, upper + 1, height, skin.glyphs.bar, border);
    canvas.put(middle, upper, "┬", 1, border);
    canvas.put(middle, lower, "┼", 1, border);
    for (pane, x, y, end) in [
        (Pane::Answer, 0, upper, middle),
        (Pane::Change, middle + 1, upper, width),
        (Pane::Tests, 0, lower, middle),
        (Pane::Turns, middle + 1, lower, width),
    ] {
        let (name, remark) = title(screen, shown, pane);
        let focused = screen.pane == pane;
        let mut area = canvas.part(x, y, end - x, 1);
        let room = area.width();
        let style = if focused {
            skin.style(Role::Accent).add_modifier(Modifier::BOLD)
        } else {
            skin.style(Role::Title)
        };
        if focused {
            area.rule(0, skin.glyphs.rule, skin.style(Role::BorderFocus));
        }
        let from = area.print(1, 0, &format!(" {name} "), style, room.saturating_sub(2));
        if !remark.is_empty() && from + text::width(&remark) as u16 + 4 < room {
            area.print_end(
                from,
                0,
                &format!(" {remark} "),
                skin.style(Role::Count),
                room.saturating_sub(from + 1),
            );
        }
    }
}

/// The tabs, where one part is seen at a time.
fn draw_tabs(
    screen: &RepairScreen,
    shown: &Shown,
    skin: &Skin,
    canvas: &mut Canvas<'_>,
    (head, lower): (u16, Option<u16>),
) {
    if head < 3 {
        return;
    }
    if let Some(lower) = lower {
        canvas.rule(lower, skin.glyphs.rule, skin.style(Role::Border));
        canvas.print(1, lower, " turns ", skin.style(Role::Title), canvas.width().saturating_sub(2));
        let remark = format!(" {} ", panes::turns_remark(shown));
        canvas.print_end(9, lower, &remark, skin.style(Role::Count), canvas.width().saturating_sub(10));
    }
    let width = canvas.width();
    let y = head - 2;
    let mut x = u16::from(width >= 44);
    for (number, pane) in (1..).zip(Pane::ALL) {
        let active = screen.pane == pane;
        let mut name =
            if screen.in_output && pane == Pane::Tests { "output" } else { pane.name() }.to_owned();
        let count = match pane {
            Pane::Tests => panes::tests_remark(shown),
            Pane::Turns => shown.live.turns().len().saturating_sub(1).to_string(),
            _ => String::new(),
        };
        if width >= 70 && !count.is_empty() {
            name = format!("{name} {count}");
        }
        let style = skin.style(if active { Role::TabActive } else { Role::Tab });
        let words = if width >= 44 { format!(" {number} {name} ") } else { format!("{number} {name} ") };
        x = canvas.print(x, y, &words, style, width.saturating_sub(x)) + u16::from(width >= 60);
    }
    let (name, remark) = title(screen, shown, screen.pane);
    let remark = match screen.pane {
        Pane::Change => name,
        Pane::Tests | Pane::Turns => String::new(),
        Pane::Answer => remark,
    };
    if x + text::width(&remark) as u16 + 2 <= width {
        canvas.print_end(x, y, &remark, skin.style(Role::TextDim), width.saturating_sub(x + 1));
    }
    canvas.rule(head - 1, skin.glyphs.rule, skin.style(Role::Border));
}

fn draw_field(screen: &RepairScreen, skin: &Skin, canvas: &mut Canvas<'_>) {
    let width = canvas.width().saturating_sub(4).min(90);
    let mut inner =
        panel::popup(canvas, skin, ("Your feedback, in the place of the next one", ""), (width, 5));
    let columns = inner.width();
    let y = u16::from(inner.height() > 2);
    field::draw(&mut inner, skin, y, ">", &screen.input, true, columns);
}
