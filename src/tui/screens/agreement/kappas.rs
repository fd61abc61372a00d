//! The kappa of each question, and what has to be said about the one under the cursor.
//!
//! Promises: a value never stands without its interval and its n, or says why it has none. Leaves to others: the
//! sentences (`detail`).

use super::bars::{self, Scale};
use super::{AgreementScreen, scope_words, who_words};
use crate::agreement::Value;
use crate::agreement::remarks::percent;
use crate::label::overview::{Line, Who};
use crate::text;
use crate::text::thousands;
use crate::text::three;
use crate::theme::Role;
use crate::tui::widgets::canvas::Canvas;
use crate::tui::widgets::skin::Skin;

/// Columns of the list, from the left.
struct Columns {
    name: u16,
    kappa: u16,
    range: u16,
    bar: u16,
    scale: Scale,
    agree: u16,
    n: u16,
}

impl Columns {
    fn of(width: u16, least: impl Iterator<Item = f64>) -> Columns {
        let name = if width >= 110 { 40 } else { (width / 3).clamp(14, 30) };
        let kappa = 1 + name;
        let range = kappa + 7 + 2;
        // Two numbers below zero are the longest.
        let bar = range + 17;
        // The last two columns keep their place at the right end.
        let n = width.saturating_sub(8);
        let agree = n.saturating_sub(7);
        let room = agree.saturating_sub(bar + 1).min(52);
        Columns { name, kappa, range, bar, scale: Scale::holding(least, room), agree, n }
    }
}

/// A row of the list as it is drawn.
enum Shown {
    /// The head of a question with several pairs.
    Head(usize),
    /// A row that the cursor can be on, with its number.
    Row(usize),
}

impl AgreementScreen {
    /// The rows as they are drawn: a head before the pairs of a question where there are several.
    fn shown(&self) -> Vec<Shown> {
        let lines = self.overview().map_or(&[][..], |round| &round.lines);
        let mut shown = Vec::new();
        let mut last = None;
        for (number, (line, _)) in self.rows.iter().enumerate() {
            let several = lines.get(*line).is_some_and(|line| line.whos().count() > 1);
            if several && last != Some(*line) {
                shown.push(Shown::Head(*line));
            }
            last = Some(*line);
            shown.push(Shown::Row(number));
        }
        shown
    }

    pub(super) fn draw_kappas(&self, skin: &Skin, canvas: &mut Canvas<'_>) {
        let (width, height) = (canvas.width(), canvas.height());
        let Some(overview) = self.overview() else { return };
        if self.rows.is_empty() {
            let text = "No question of this codebook counts for agreement, or nothing is assigned yet.";
            canvas.print(1, 1, text, skin.style(Role::TextDim), width.saturating_sub(2));
            return;
        }
        let ends = self.rows.iter().filter_map(|(line, who)| {
            let (main, _, _) = overview.lines.get(*line)?.told(*who)?;
            main.interval.defined().map(|interval| interval.low).or(main.estimate.value.defined())
        });
        let columns = Columns::of(width, ends);
        head(skin, canvas, &columns);
        let shown = self.shown();
        let here = shown.iter().position(|row| matches!(row, Shown::Row(at) if *at == self.row.cursor));
        let here = here.unwrap_or(0);
        // The list has what it needs, but leaves some room for the sentences.
        let rows = (shown.len() as u16).min(height.saturating_sub(2).max(3) * 3 / 5).max(1);
        let top = usize::from((here as u16 + 1).saturating_sub(rows.saturating_sub(1).max(1)));
        let top = top.min(shown.len().saturating_sub(usize::from(rows)));
        for (y, row) in (1..=rows).zip(shown.iter().skip(top)) {
            match row {
                Shown::Head(line) => {
                    if let Some(line) = overview.lines.get(*line) {
                        question(skin, canvas, (1, y), line, width.saturating_sub(2), false);
                    }
                }
                Shown::Row(number) => {
                    let Some((line, who)) = self.rows.get(*number) else { continue };
                    let Some(line) = overview.lines.get(*line) else { continue };
                    draw_row(skin, canvas, y, &columns, (line, *who), *number == self.row.cursor);
                }
            }
        }
        let below = rows + 1;
        if height <= below + 1 {
            return;
        }
        let more = shown.len().saturating_sub(top + usize::from(rows));
        canvas.rule(below, skin.glyphs.rule, skin.style(Role::Border));
        if more > 0 {
            let words = format!(" {more} more below ");
            canvas.print_end(0, below, &words, skin.style(Role::TextDim), width.saturating_sub(2));
        }
        self.draw_sentences(skin, &mut canvas.part(0, below + 1, width, height - below - 1));
    }

    /// What has to be said about the row under the cursor; beside it the matrix, where there is room.
    fn draw_sentences(&self, skin: &Skin, canvas: &mut Canvas<'_>) {
        let Some((line, who)) = self.chosen() else { return };
        let (width, height) = (canvas.width(), canvas.height());
        let beside = width >= 110 && self.chosen_pair().is_some_and(|(_, pair)| pair.table.is_some());
        let wide = if beside { width / 2 - 2 } else { width };
        let over_time = beside && height >= 22 && self.ids.len() > 1;
        let height = if over_time { height / 2 } else { height };
        if over_time {
            let rest = canvas.height() - height;
            canvas.rule(height, skin.glyphs.rule, skin.style(Role::Border));
            self.draw_chart(skin, &mut canvas.part(0, height + 1, width, rest - 1));
        }
        let x = question(skin, canvas, (1, 0), line, wide.saturating_sub(3), true);
        let between = format!("  {}", who_words(line, who));
        canvas.print(x, 0, &between, skin.style(Role::Accent), wide.saturating_sub(x));
        self.draw_remarks(skin, &mut canvas.part(0, 1, wide, height.saturating_sub(1)));
        if beside {
            let mut right = canvas.part(wide + 1, 0, width - wide - 2, height);
            self.draw_table(skin, &mut right, false);
        }
    }

    /// The sentences about the row under the cursor.
    pub(super) fn draw_remarks(&self, skin: &Skin, canvas: &mut Canvas<'_>) {
        let Some(detail) = &self.detail else { return };
        let (room, height) = (canvas.width().saturating_sub(4), canvas.height());
        let facts = detail.facts.iter().map(|fact| ("", fact, Role::Text));
        let remarks = detail.remarks.iter().map(|remark| (skin.glyphs.mark, remark, Role::Text));
        let band = detail.band.iter().map(|band| ("", band, Role::TextDim));
        let deviations: Vec<String> = self
            .overview()
            .into_iter()
            .flat_map(|round| &round.deviations)
            .map(|deviation| format!("Deviation, {deviation}."))
            .chain(self.overview().into_iter().flat_map(|round| round.aside.words()))
            .collect();
        let deviations = deviations.iter().map(|text| (skin.glyphs.mark, text, Role::TextDim));
        let mut y = 0;
        for (mark, text, role) in facts.chain(remarks).chain(band).chain(deviations) {
            let lines = text::wrap(text, usize::from(room.max(1)));
            if y + lines.len() as u16 > height && y > 0 {
                canvas.print(3, y, "…", skin.style(Role::TextDim), room);
                return;
            }
            canvas.print(1, y, mark, skin.style(Role::Mark), 2);
            for line in lines {
                canvas.print(3, y, &line, skin.style(role), room);
                y += 1;
            }
        }
    }
}

fn head(skin: &Skin, canvas: &mut Canvas<'_>, columns: &Columns) {
    let dim = skin.style(Role::TextDim);
    canvas.print(1, 0, "question", dim, columns.name);
    canvas.print_end(columns.kappa, 0, "kappa", dim, 7);
    canvas.print(columns.range, 0, "95 % interval", dim, 16);
    if columns.scale.width > 8 {
        let zero = columns.scale.column(0.0);
        canvas.print(columns.bar + zero, 0, "0", dim, 1);
        canvas.print(columns.bar + columns.scale.width - 1, 0, "1", dim, 1);
    }
    canvas.print_end(columns.agree, 0, "agree", dim, 7);
    canvas.print_end(columns.n, 0, "n", dim, 7);
}

/// A question and on which items, and where that ends.
fn question(
    skin: &Skin,
    canvas: &mut Canvas<'_>,
    (x, y): (u16, u16),
    line: &Line,
    room: u16,
    strong: bool,
) -> u16 {
    let role = if strong { Role::TextStrong } else { Role::Group };
    let end = canvas.print(x, y, &line.question, skin.style(role), room);
    let scope = scope_words(line);
    if scope.is_empty() {
        return end;
    }
    let left = room.saturating_sub(end.saturating_sub(x));
    canvas.print(end, y, &format!(" · {scope}"), skin.style(Role::TextDim), left)
}

fn draw_row(
    skin: &Skin,
    canvas: &mut Canvas<'_>,
    y: u16,
    columns: &Columns,
    (line, who): (&Line, Who),
    here: bool,
) {
    if here {
        canvas.style_row(y, skin.style(Role::Selection));
        canvas.put(0, y, skin.glyphs.cursor, 1, skin.over(Role::Selection, Role::Accent));
    }
    let style = |role: Role| if here { skin.over(Role::Selection, role) } else { skin.style(role) };
    let Some((main, agreement, joint)) = line.told(who) else { return };
    if line.whos().count() > 1 {
        let mut words = who_words(line, who);
        if main.name != "Cohen's kappa" {
            words = format!("{words} · {}", main.name);
        }
        canvas.print(3, y, &words, style(Role::Text), columns.name.saturating_sub(2));
    } else {
        let end = canvas.print(1, y, &line.question, style(Role::TextStrong), columns.name);
        let mut scope = scope_words(line);
        if main.name != "Cohen's kappa" {
            scope = [scope.as_str(), main.name].join(" ").trim().to_owned();
        }
        if !scope.is_empty() {
            let left = (columns.name + 1).saturating_sub(end);
            canvas.print(end, y, &format!(" · {scope}"), style(Role::TextDim), left);
        }
    }
    canvas.print_end(columns.n, y, &thousands(joint as usize), style(Role::Count), 7);
    if let Value::Defined(share) = agreement {
        canvas.print_end(columns.agree, y, &percent(share), style(Role::Text), 7);
    }
    match (main.estimate.value, main.interval) {
        (Value::Undefined(reason), _) => {
            let words = format!("undefined: {reason}");
            let room = columns.agree.saturating_sub(columns.kappa + 2);
            canvas.print(columns.kappa + 1, y, &words, style(Role::StatusWarn), room);
        }
        (Value::Defined(value), interval) => {
            canvas.print_end(columns.kappa, y, &three(value), style(Role::TextStrong), 7);
            let words = match interval {
                Value::Defined(ends) => format!("{} to {}", three(ends.low), three(ends.high)),
                Value::Undefined(_) => "no interval".to_owned(),
            };
            canvas.print(columns.range, y, &words, style(Role::Text), 16);
            if columns.scale.width > 8 {
                if !here {
                    bars::ground(canvas, skin, columns.bar, y, columns.scale);
                }
                bars::interval(canvas, skin, (columns.bar, y), columns.scale, value, interval, Role::Accent);
                if here {
                    canvas.style(columns.bar, y, columns.scale.width, skin.style(Role::Selection));
                }
            }
        }
    }
}
