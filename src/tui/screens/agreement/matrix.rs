//! The confusion matrix of a pair as a heat map.
//!
//! Promises: every number is printed; what is agreed and what is not have shades of their own, and the shade of a cell
//! says its share of the largest such cell, or of its row; where there are more categories than columns the cursor stays
//! in view. Leaves to others: the items behind a cell (`cases`).

use super::AgreementScreen;
use super::bars::shade;
use crate::agreement::PairTable;
use crate::agreement::remarks::percent;
use crate::label::overview::{Line, Pair, Who};
use crate::text;
use crate::text::three;
use crate::theme::Role;
use crate::tui::widgets::canvas::Canvas;
use crate::tui::widgets::panel;
use crate::tui::widgets::skin::Skin;

/// How a table is laid out.
struct Layout {
    /// Columns of the names of rows.
    names: u16,
    /// Columns of a cell, and rows.
    cell: u16,
    tall: u16,
    /// Cells of a row in view, and rows in view.
    across: usize,
    down: usize,
    /// The first of them.
    left: usize,
    top: usize,
}

impl Layout {
    fn of(
        (categories, rater): (&[String], &str),
        table: &PairTable,
        (width, height): (u16, u16),
        at: (usize, usize),
    ) -> Layout {
        let longest = categories.iter().map(|name| text::width(name)).max().unwrap_or(1) as u16;
        let count = categories.len().max(1) as u16;
        let names = longest.max(text::width(rater) as u16 + 2).clamp(5, if width >= 100 { 24 } else { 14 });
        let digits = (0..table.categories()).map(|row| table.rows()[row].max(table.columns()[row]));
        let digits = digits.max().unwrap_or(0).to_string().len() as u16;
        // The sums stand behind the last column.
        let room = width.saturating_sub(names + 2 + digits + 3);
        let least = digits.max(2) + 3;
        let cell = (room / count).clamp(least, (longest + 3).clamp(10, 16));
        let across = usize::from((room / cell).max(1)).min(categories.len());
        // Names of the columns above, sums below.
        let free = height.saturating_sub(3).max(1);
        let tall = if count * 3 <= free { 3 } else { 1 };
        let down = usize::from(free / tall).min(categories.len());
        let first = |cursor: usize, shown: usize| (cursor + 1).saturating_sub(shown);
        Layout { names, cell, tall, across, down, left: first(at.1, across), top: first(at.0, down) }
    }

    /// Rows that all of it needs.
    fn height(&self) -> u16 {
        3 + self.down as u16 * self.tall
    }
}

impl AgreementScreen {
    pub(super) fn draw_matrix(&self, skin: &Skin, canvas: &mut Canvas<'_>) {
        let (width, height) = (canvas.width(), canvas.height());
        let Some((line, who)) = self.chosen() else { return };
        self.draw_subject(skin, canvas);
        match self.chosen_pair() {
            Some((_, pair)) if pair.table.is_some() => {}
            _ => {
                let body = match who {
                    Who::All => {
                        "A matrix is of two annotators: ] and [ go to the next pair and the one before."
                            .to_owned()
                    }
                    Who::Pair(_) => format!(
                        "There are {} different answers, more than a matrix can hold.",
                        line.categories.len()
                    ),
                };
                let mut rest = canvas.part(0, 2, width, height.saturating_sub(2));
                panel::message(&mut rest, skin, "No matrix here", &body, Role::TextDim);
                return;
            }
        }
        let words = self.cell_lines(width);
        // The sentence is told whole: the rows that it needs are its own.
        let foot = 1 + (words.len() as u16).clamp(1, 4);
        let free = height.saturating_sub(1 + foot);
        let used = self.draw_table(skin, &mut canvas.part(0, 1, width, free), true) + 1;
        if free > used + 2 {
            self.draw_remarks(skin, &mut canvas.part(0, 1 + used, width, free - used));
        }
        self.draw_cell_words(skin, &mut canvas.part(0, height.saturating_sub(foot), width, foot), &words);
    }

    /// What is looked at, in a row.
    pub(super) fn draw_subject(&self, skin: &Skin, canvas: &mut Canvas<'_>) {
        let Some((line, who)) = self.chosen() else { return };
        let width = canvas.width();
        let mut x = canvas.print(1, 0, &line.question, skin.style(Role::TextStrong), width / 3);
        let scope = super::scope_words(line);
        if !scope.is_empty() {
            x = canvas.print(x, 0, &format!(" · {scope}"), skin.style(Role::TextDim), width / 3);
        }
        x = canvas.print(x + 2, 0, &super::who_words(line, who), skin.style(Role::Accent), width / 3);
        if let Some((main, _, joint)) = line.told(who) {
            let value = match main.estimate.value.defined() {
                Some(value) => three(value),
                None => "undefined".to_owned(),
            };
            let range = main
                .interval
                .defined()
                .map_or_else(String::new, |ends| format!(" ({} to {})", three(ends.low), three(ends.high)));
            let room = width.saturating_sub(x + 3);
            let short = format!("{value}{range}, n {joint}");
            let long = format!("{} {short}", main.name);
            let words = if text::width(&long) <= usize::from(room) { long } else { short };
            canvas.print_end(x + 2, 0, &words, skin.style(Role::Text), room);
        }
    }

    /// The table; `live`: with the cursor. Says how many rows it took.
    pub(super) fn draw_table(&self, skin: &Skin, canvas: &mut Canvas<'_>, live: bool) -> u16 {
        let Some((line, pair)) = self.chosen_pair() else { return 0 };
        let Some(table) = &pair.table else { return 0 };
        let (width, height) = (canvas.width(), canvas.height());
        if height < 4 {
            return 0;
        }
        let [one, other] = line.names(pair);
        let layout = Layout::of((&line.categories, one), table, (width, height), self.cell);
        let dim = skin.style(Role::TextDim);
        let start = 1 + layout.names + 1;
        let places = |first: usize, shown: usize| first..first + shown;
        let x_of = |column: usize| start + (column - layout.left) as u16 * layout.cell;
        canvas.print(start, 0, &format!("{other} →"), skin.style(Role::Accent), width.saturating_sub(start));
        // Both are cut alike, so that they stay different; the arrow is never cut off.
        let names = text::apart(&[one, other], usize::from(layout.names.saturating_sub(2)));
        let one = names.first().map_or(one, String::as_str);
        canvas.print_end(1, 1, &format!("{one} ↓"), skin.style(Role::Accent), layout.names);
        for column in places(layout.left, layout.across) {
            let name = line.categories.get(column).map_or("?", String::as_str);
            let role = if live && column == self.cell.1 { Role::TextStrong } else { Role::TextDim };
            let name = text::truncate(name, usize::from(layout.cell - 1));
            let gap = (layout.cell - 1).saturating_sub(text::width(&name) as u16) / 2;
            canvas.print(x_of(column) + gap, 1, &name, skin.style(role), layout.cell - 1);
        }
        let sums = x_of(layout.left + layout.across);
        let sum_room = width.saturating_sub(sums).min(7);
        canvas.print_end(sums, 1, "all", dim, sum_room);
        let most = Most::of(table);
        let middle = layout.tall / 2;
        for row in places(layout.top, layout.down) {
            let y = 2 + (row - layout.top) as u16 * layout.tall;
            let name = line.categories.get(row).map_or("?", String::as_str);
            let role = if live && row == self.cell.0 { Role::TextStrong } else { Role::TextDim };
            canvas.print_end(1, y + middle, name, skin.style(role), layout.names);
            for column in places(layout.left, layout.across) {
                let count = table.count(row, column);
                let share = match self.by_share {
                    true => count as f64 / table.rows()[row].max(1) as f64,
                    false => most.share(count, row == column),
                };
                let here = live && (row, column) == self.cell;
                let style = match shade(share, row == column) {
                    _ if here => skin.style(Role::MatchCurrent),
                    Some(role) => skin.over(Role::Text, role),
                    None => dim,
                };
                let words = match (count, here) {
                    // Without colours the brackets tell the cursor from a dark cell.
                    (count, true) => format!("[{count}]"),
                    (0, false) => skin.glyphs.dot.to_owned(),
                    (count, false) => count.to_string(),
                };
                let gap = (layout.cell - 1).saturating_sub(words.chars().count() as u16) / 2;
                for line in 0..layout.tall {
                    for blank in 0..layout.cell - 1 {
                        canvas.put(x_of(column) + blank, y + line, " ", 1, style);
                    }
                }
                canvas.print(x_of(column) + gap, y + middle, &words, style, layout.cell - 1);
            }
            canvas.print_end(sums, y + middle, &table.rows()[row].to_string(), dim, sum_room);
        }
        let y = 2 + layout.down as u16 * layout.tall;
        canvas.print_end(1, y, "all", dim, layout.names);
        for column in places(layout.left, layout.across) {
            let words = table.columns()[column].to_string();
            let gap = (layout.cell - 1).saturating_sub(words.len() as u16) / 2;
            canvas.print(x_of(column) + gap, y, &words, dim, layout.cell - 1);
        }
        canvas.print_end(sums, y, &table.total().to_string(), skin.style(Role::TextStrong), sum_room);
        let hidden = line.categories.len() - layout.across;
        if hidden > 0 {
            let words = format!("{} of {} columns", layout.across, line.categories.len());
            canvas.print_end(0, 0, &words, dim, width.saturating_sub(1));
        }
        layout.height()
    }

    /// The cell under the cursor, in words that fit into so many columns.
    fn cell_lines(&self, width: u16) -> Vec<String> {
        let Some((line, pair)) = self.chosen_pair() else { return Vec::new() };
        let Some(table) = &pair.table else { return Vec::new() };
        text::wrap(&cell_words(line, pair, table, self.cell), usize::from(width.saturating_sub(2).max(1)))
    }

    fn draw_cell_words(&self, skin: &Skin, canvas: &mut Canvas<'_>, words: &[String]) {
        let width = canvas.width();
        canvas.rule(0, skin.glyphs.rule, skin.style(Role::Border));
        for (y, line) in (1..canvas.height()).zip(words) {
            canvas.print(1, y, line, skin.style(Role::Text), width.saturating_sub(2));
        }
        let shading = if self.by_share { " shaded by share of the row " } else { " shaded by count " };
        canvas.print_end(0, 0, shading, skin.style(Role::TextDim), width.saturating_sub(2));
    }
}

/// What a cell counts.
fn cell_words(line: &Line, pair: &Pair, table: &PairTable, (row, column): (usize, usize)) -> String {
    let [one, other] = line.names(pair);
    let name = |place: usize| line.categories.get(place).map_or("?", String::as_str);
    let count = table.count(row, column);
    let items = if count == 1 { "1 item".to_owned() } else { format!("{count} items") };
    let of_row = table.rows().get(row).copied().unwrap_or(0);
    let share = match of_row {
        0 => String::new(),
        all => format!(" ({} of the row's {all})", percent(count as f64 / all as f64)),
    };
    match row == column {
        true => format!("{items}: both said {}{share}", name(row)),
        false => format!("{items}: {one} said {}, {other} said {}{share}", name(row), name(column)),
    }
}

/// The largest counts on the diagonal and off it.
struct Most {
    agreed: u64,
    apart: u64,
}

impl Most {
    fn of(table: &PairTable) -> Most {
        let mut most = Most { agreed: 1, apart: 1 };
        for (row, column, count) in table.cells() {
            let place = if row == column { &mut most.agreed } else { &mut most.apart };
            *place = count.max(*place);
        }
        most
    }

    fn share(&self, count: u64, agreed: bool) -> f64 {
        count as f64 / if agreed { self.agreed } else { self.apart } as f64
    }
}
