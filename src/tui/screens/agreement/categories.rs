//! Each category of a question, and the relatives of its kappa.
//!
//! Promises: a value that is undefined says so where it stands; what the statistics are of stands above them. Leaves to
//! others: computing them (`detail`).

use super::detail::{Category, Detail, Figure};
use super::{AgreementScreen, Place};
use crate::agreement::remarks::percent;
use crate::agreement::{Interval, Value};
use crate::label::overview::{Line, Who};
use crate::text;
use crate::text::three;
use crate::theme::Role;
use crate::tui::widgets::canvas::Canvas;
use crate::tui::widgets::skin::Skin;

/// From this width on the categories and the statistics stand side by side.
const WIDE: u16 = 126;

impl AgreementScreen {
    pub(super) fn draw_categories(&self, skin: &Skin, canvas: &mut Canvas<'_>) {
        let (width, height) = (canvas.width(), canvas.height());
        let (Some((line, who)), Some(detail)) = (self.chosen(), &self.detail) else { return };
        self.draw_subject(skin, canvas);
        let height = height.saturating_sub(2);
        let count = detail.categories.len();
        let at = self.category.cursor;
        let figure = at.checked_sub(count);
        if width >= WIDE {
            let left = width - 68;
            self.draw_each(skin, &mut canvas.part(0, 2, left, height), line, who, detail);
            canvas.bar(left, 2, 2 + height, skin.glyphs.bar, skin.style(Role::Border));
            let mut right = canvas.part(left + 1, 2, width - left - 1, height);
            figures(skin, &mut right, &detail.figures, figure);
            return;
        }
        // One below the other; the one with the cursor has what it needs.
        let all = count as u16 + 1;
        let below = detail.figures.len() as u16;
        let rows = match figure {
            _ if all + 1 + below <= height => all,
            None => all.min(height.saturating_sub(4)),
            Some(_) => all.min(height.saturating_sub(below + 1).max(4)),
        };
        self.draw_each(skin, &mut canvas.part(0, 2, width, rows), line, who, detail);
        canvas.rule(2 + rows, skin.glyphs.rule, skin.style(Role::Border));
        let rest = height.saturating_sub(rows + 1);
        let hidden = below.saturating_sub(rest);
        if hidden > 0 {
            let words = format!(" {below} statistics, j goes on to them ");
            canvas.print_end(0, 2 + rows, &words, skin.style(Role::TextDim), width.saturating_sub(2));
        }
        figures(skin, &mut canvas.part(0, 3 + rows, width, rest), &detail.figures, figure);
    }

    /// One row for each category.
    fn draw_each(&self, skin: &Skin, canvas: &mut Canvas<'_>, line: &Line, who: Who, detail: &Detail) {
        let (width, height) = (canvas.width(), canvas.height());
        let dim = skin.style(Role::TextDim);
        if detail.categories.is_empty() {
            canvas.print(1, 0, "no table of categories here", dim, width);
            return;
        }
        let names: Vec<String> = match who {
            Who::Pair(number) => line
                .pairs
                .get(number)
                .map_or_else(Vec::new, |pair| line.names(pair).map(str::to_owned).to_vec()),
            Who::All => vec!["used".to_owned()],
        };
        let name = width.saturating_sub(60).clamp(8, 30);
        let counts = 1 + name + 1;
        let after = counts + 8 * names.len() as u16;
        let both = matches!(who, Who::Pair(_));
        let kappa = after + if both { 6 } else { 0 };
        canvas.print(1, 0, "category", dim, name);
        let shown: Vec<&str> = names.iter().map(String::as_str).collect();
        for (at, rater) in (0..).zip(&text::apart(&shown, 7)) {
            canvas.print_end(counts + at * 8, 0, rater, dim, 7);
        }
        if both {
            canvas.print_end(after, 0, "both", dim, 5);
        }
        canvas.print_end(kappa, 0, "kappa", dim, 8);
        canvas.print(kappa + 10, 0, "95 % interval", dim, 15);
        if both {
            canvas.print_end(kappa + 26, 0, "specific", dim, 9);
        }
        let rows = usize::from(height.saturating_sub(1));
        let at = self.category.cursor.min(detail.categories.len() - 1);
        let top = Place { cursor: at, top: 0 }.top(detail.categories.len(), rows);
        let shown = detail.categories.iter().enumerate().skip(top).take(rows);
        for (y, (number, category)) in (1..).zip(shown) {
            let here = number == self.category.cursor;
            if here {
                canvas.style_row(y, skin.style(Role::Selection));
                canvas.put(0, y, skin.glyphs.cursor, 1, skin.over(Role::Selection, Role::Accent));
            }
            let style = |role: Role| if here { skin.over(Role::Selection, role) } else { skin.style(role) };
            let words = line.categories.get(number).map_or("?", String::as_str);
            canvas.print(1, y, words, style(Role::TextStrong), name);
            for (at, used) in (0..).zip(&category.used) {
                canvas.print_end(counts + at * 8, y, &used.to_string(), style(Role::Text), 7);
            }
            if both {
                canvas.print_end(after, y, &category.both.to_string(), style(Role::Text), 5);
            }
            values(canvas, (kappa, y), category, both, &style);
        }
    }
}

/// Kappa, its interval and the specific agreement of a category.
fn values(
    canvas: &mut Canvas<'_>,
    (x, y): (u16, u16),
    category: &Category,
    both: bool,
    style: &dyn Fn(Role) -> ratatui::style::Style,
) {
    let unused = category.used.iter().all(|used| *used == 0);
    match category.kappa {
        Value::Defined(kappa) => {
            canvas.print_end(x, y, &three(kappa), style(Role::TextStrong), 8);
            let range = match category.interval {
                Value::Defined(Interval { low, high }) => format!("{} to {}", three(low), three(high)),
                Value::Undefined(_) => "no interval".to_owned(),
            };
            canvas.print(x + 10, y, &range, style(Role::Text), 16);
        }
        Value::Undefined(_) => {
            let why = if unused { "nobody used it" } else { "undefined: always used" };
            canvas.print(x + 3, y, why, style(Role::TextDim), 23);
        }
    }
    if both && let Value::Defined(specific) = category.specific {
        canvas.print_end(x + 26, y, &percent(specific), style(Role::Text), 9);
    }
}

/// The statistics, with the one under the cursor in view.
fn figures(skin: &Skin, canvas: &mut Canvas<'_>, all: &[Figure], here: Option<usize>) {
    let (width, height) = (canvas.width(), canvas.height());
    let rows = usize::from(height);
    let at = Place { cursor: here.unwrap_or(0), top: 0 };
    let top = at.top(all.len(), rows);
    let name = 31.min(width / 2);
    for (y, (number, figure)) in (0..).zip(all.iter().enumerate().skip(top).take(rows)) {
        let on = here == Some(number);
        if on {
            canvas.style_row(y, skin.style(Role::Selection));
            canvas.put(0, y, skin.glyphs.cursor, 1, skin.over(Role::Selection, Role::Accent));
        }
        let style = |role: Role| if on { skin.over(Role::Selection, role) } else { skin.style(role) };
        canvas.print(1, y, &figure.name, style(Role::TextDim), name);
        match &figure.value {
            Ok(value) => {
                canvas.print_end(1 + name, y, value, style(Role::TextStrong), 9);
                let x = name + 12;
                canvas.print(x, y, &figure.beside, style(Role::Text), width.saturating_sub(x));
            }
            Err(why) => {
                let words = format!("undefined: {why}");
                canvas.print(name + 2, y, &words, style(Role::StatusWarn), width.saturating_sub(name + 2));
            }
        }
    }
}
