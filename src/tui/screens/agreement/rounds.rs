//! Kappa over the rounds of the study, as a chart and as a table.
//!
//! Promises: blind and revised values have points of their own and are never joined; each point has its interval, and
//! each value its n; what is hidden says so. Leaves to others: opening a round (`acts`).

use super::AgreementScreen;
use super::bars::Scale;
use crate::agreement::remarks::percent;
use crate::agreement::{Interval, Value};
use crate::label::compare::Basis;
use crate::label::overview::{Line, Overview, Who};
use crate::text;
use crate::text::thousands;
use crate::text::three;
use crate::theme::Role;
use crate::tui::widgets::canvas::Canvas;
use crate::tui::widgets::skin::Skin;

/// A value of a round.
struct Point {
    value: Value,
    interval: Value<Interval>,
    agreement: Value,
    n: u64,
    codebook: String,
    independent: bool,
}

/// A round as it stands in the chart.
struct Column<'a> {
    round: &'a Overview,
    blind: Option<Point>,
    revised: Option<Point>,
}

/// The same question between the same people in another round.
fn point(round: &Overview, wanted: &Wanted, basis: Basis) -> Option<Point> {
    let fits = |line: &&Line| line.basis == basis && super::key_of(line) == wanted.key;
    let line = round.lines.iter().find(fits)?;
    let who = match &wanted.names {
        Some([one, other]) => Who::Pair(line.pair_of([one, other])?),
        None => Who::All,
    };
    let (main, agreement, n) = line.told(who)?;
    Some(Point {
        value: main.estimate.value,
        interval: main.interval,
        agreement,
        n,
        codebook: line.codebook.clone(),
        independent: line.is_independent(),
    })
}

/// What is followed over the rounds.
struct Wanted {
    key: super::LineKey,
    /// Names of a pair; none: all together.
    names: Option<[String; 2]>,
    title: String,
}

impl AgreementScreen {
    /// The line under the cursor; where the round in hand has none, the first of the newest round that has.
    fn wanted(&self) -> Option<Wanted> {
        let of = |line: &Line, who: Who| {
            let names = match who {
                Who::Pair(number) => Some(line.names(line.pairs.get(number)?).map(str::to_owned)),
                Who::All => None,
            };
            let scope = super::scope_words(line);
            let scope = if scope.is_empty() { scope } else { format!(" · {scope}") };
            let title = format!("{}{scope}  {}", line.question, super::who_words(line, who));
            Some(Wanted { key: super::key_of(line), names, title })
        };
        if let Some((line, who)) = self.chosen() {
            return of(line, who);
        }
        let line = self.rounds.iter().rev().find_map(|round| round.lines.first())?;
        of(line, line.whos().next()?)
    }

    fn columns(&self, wanted: Option<&Wanted>) -> Vec<Column<'_>> {
        let column = |round| {
            let of = |basis| wanted.and_then(|wanted| point(round, wanted, basis));
            Column { round, blind: of(Basis::Blind), revised: of(Basis::Revised) }
        };
        self.rounds.iter().map(|round| column(round.as_ref())).collect()
    }

    /// The chart alone, with what its points mean.
    pub(super) fn draw_chart(&self, skin: &Skin, canvas: &mut Canvas<'_>) {
        let (width, height) = (canvas.width(), canvas.height());
        let wanted = self.wanted();
        let columns = self.columns(wanted.as_ref());
        canvas.print(1, 0, "over the rounds", skin.style(Role::TextDim), width.saturating_sub(36));
        legend(skin, canvas);
        chart(skin, &mut canvas.part(0, 1, width, height.saturating_sub(1)), &columns, self.hand);
    }

    pub(super) fn draw_rounds(&self, skin: &Skin, canvas: &mut Canvas<'_>) {
        let (width, height) = (canvas.width(), canvas.height());
        let wanted = self.wanted();
        let columns = self.columns(wanted.as_ref());
        if let Some(wanted) = &wanted {
            canvas.print(1, 0, &wanted.title, skin.style(Role::TextStrong), width.saturating_sub(36));
        }
        legend(skin, canvas);
        let rows: u16 = columns.iter().map(|column| column.rows()).sum::<u16>() + 1;
        let table = rows.min(height / 2).max(3);
        let tall = height.saturating_sub(table + 2);
        chart(skin, &mut canvas.part(0, 1, width, tall), &columns, self.hand);
        let y = 1 + tall;
        canvas.rule(y, skin.glyphs.rule, skin.style(Role::Border));
        self.draw_list(skin, &mut canvas.part(0, y + 1, width, height.saturating_sub(y + 1)), &columns);
    }

    fn draw_list(&self, skin: &Skin, canvas: &mut Canvas<'_>, columns: &[Column<'_>]) {
        let (width, height) = (canvas.width(), canvas.height());
        let dim = skin.style(Role::TextDim);
        let name = (width / 6).clamp(8, 24);
        let basis = 1 + name + 1;
        let kappa = basis + 11;
        let range = kappa + 9;
        let agree = range + 17;
        let n = agree + 7;
        let book = n + 8;
        for (x, title, wide, at_end) in [
            (1, "round", name, false),
            (basis, "labels", 11, false),
            (kappa, "kappa", 7, true),
            (range, "95 % interval", 16, false),
            (agree, "agree", 7, true),
            (n, "n", 7, true),
            (book, "codebook", 16, false),
        ] {
            match at_end {
                true => canvas.print_end(x, 0, title, dim, wide),
                false => drop(canvas.print(x, 0, title, dim, wide)),
            }
        }
        // The cursor's round stays in view.
        let starts: Vec<u16> = columns
            .iter()
            .scan(0, |at, column| {
                let start = *at;
                *at += column.rows();
                Some(start)
            })
            .collect();
        let at = self.round_row.cursor.min(columns.len().saturating_sub(1));
        let end = starts.get(at).copied().unwrap_or(0) + columns.get(at).map_or(1, Column::rows);
        let skip = end.saturating_sub(height.saturating_sub(1));
        for (number, (column, start)) in columns.iter().zip(&starts).enumerate() {
            let here = number == at;
            for (line, (basis_word, point)) in (0..).zip(column.points()) {
                let Some(y) = (start + line + 1).checked_sub(skip).filter(|y| *y > 0) else { continue };
                if here {
                    canvas.style_row(y, skin.style(Role::Selection));
                    canvas.put(0, y, skin.glyphs.cursor, 1, skin.over(Role::Selection, Role::Accent));
                }
                let style =
                    |role: Role| if here { skin.over(Role::Selection, role) } else { skin.style(role) };
                if line == 0 {
                    let in_hand = Some(column.round.id) == self.hand;
                    let role = if in_hand { Role::TextStrong } else { Role::Text };
                    canvas.print(1, y, &column.round.name, style(role), name);
                }
                canvas.print(basis, y, basis_word, style(Role::TextDim), 11);
                let Some(point) = point else {
                    let words = match &column.round.hidden {
                        Some(_) => "hidden while labelling is blind",
                        None => "not asked, or not by these",
                    };
                    canvas.print(kappa + 2, y, words, style(Role::TextDim), width.saturating_sub(kappa + 3));
                    continue;
                };
                canvas.print_end(n, y, &thousands(point.n as usize), style(Role::Count), 7);
                if let Value::Defined(share) = point.agreement {
                    canvas.print_end(agree, y, &percent(share), style(Role::Text), 7);
                }
                match point.value {
                    Value::Defined(value) => {
                        canvas.print_end(kappa, y, &three(value), style(Role::TextStrong), 7);
                        let words = match point.interval {
                            Value::Defined(ends) => format!("{} to {}", three(ends.low), three(ends.high)),
                            Value::Undefined(_) => "no interval".to_owned(),
                        };
                        canvas.print(range, y, &words, style(Role::Text), 16);
                    }
                    Value::Undefined(reason) => {
                        let words = format!("undefined: {reason}");
                        canvas.print(
                            kappa + 2,
                            y,
                            &words,
                            style(Role::StatusWarn),
                            agree.saturating_sub(kappa + 3),
                        );
                    }
                }
                let end = canvas.print(
                    book,
                    y,
                    &point.codebook,
                    style(Role::TextDim),
                    width.saturating_sub(book + 1),
                );
                if !point.independent {
                    let words = " not independent";
                    canvas.print(end + 1, y, words, style(Role::StatusWarn), width.saturating_sub(end + 2));
                }
            }
        }
    }
}

impl Column<'_> {
    fn rows(&self) -> u16 {
        self.points().len() as u16
    }

    /// What stands in the table, each with its word.
    fn points(&self) -> Vec<(&'static str, Option<&Point>)> {
        let independent = self.blind.as_ref().is_none_or(|point| point.independent);
        let blind = if independent { "blind" } else { "re-verified" };
        match (&self.blind, &self.revised) {
            (None, None) => vec![("blind", None)],
            (point, None) => vec![(blind, point.as_ref())],
            (None, revised) => vec![("revised", revised.as_ref())],
            (point, revised) => vec![(blind, point.as_ref()), ("revised", revised.as_ref())],
        }
    }
}

/// What the points mean.
fn legend(skin: &Skin, canvas: &mut Canvas<'_>) {
    let (width, dim) = (canvas.width(), skin.style(Role::TextDim));
    let words = format!("{} blind   {} revised", skin.glyphs.point, skin.glyphs.hollow);
    canvas.print_end(0, 0, &words, dim, width.saturating_sub(1));
    let start = width.saturating_sub(1 + text::width(&words) as u16);
    canvas.style(start, 0, 1, skin.style(Role::Accent));
    canvas.style(start + 10, 0, 1, skin.style(Role::StatusInfo));
}

/// The chart: a column for each round, blind points to the left of revised ones.
fn chart(skin: &Skin, canvas: &mut Canvas<'_>, columns: &[Column<'_>], hand: Option<uuid::Uuid>) {
    let (width, height) = (canvas.width(), canvas.height());
    if height < 4 || columns.is_empty() {
        return;
    }
    let points = || columns.iter().flat_map(|column| [&column.blind, &column.revised]).flatten();
    let least = points().filter_map(|point| match point.interval {
        Value::Defined(interval) => Some(interval.low),
        Value::Undefined(_) => point.value.defined(),
    });
    // A row for the names of the rounds.
    let tall = height - 1;
    let scale = Scale::holding(least, tall);
    let row = |value: f64| tall - 1 - scale.column(value);
    let left = 6;
    for value in scale.ticks() {
        let y = row(value);
        canvas.print_end(0, y, &format!("{value:.1}"), skin.style(Role::TextDim), 5);
        for x in (left..width.saturating_sub(1)).step_by(2) {
            canvas.put(x, y, skin.glyphs.dot, 1, skin.style(Role::Border));
        }
    }
    let each = (width.saturating_sub(left + 1) / columns.len() as u16).clamp(1, 40);
    let middle = |number: usize| left + each * number as u16 + each / 2;
    let shift = if each >= 14 { 3 } else { 1 };
    let mut dots: Vec<Dot<'_>> = Vec::new();
    for (number, column) in columns.iter().enumerate() {
        for (basis, point, side) in [(Basis::Blind, &column.blind, -1), (Basis::Revised, &column.revised, 1)]
        {
            let Some(point) = point else { continue };
            if let Value::Defined(value) = point.value {
                let x = middle(number).saturating_add_signed(side * shift);
                dots.push(Dot { basis, x, y: row(value), value, point });
            }
        }
    }
    // Lines lie under intervals, these under points, and numbers on top.
    for basis in [Basis::Revised, Basis::Blind] {
        let of_basis: Vec<&Dot<'_>> = dots.iter().filter(|dot| dot.basis == basis).collect();
        let role = if basis == Basis::Blind { Role::Accent } else { Role::StatusInfo };
        for two in of_basis.windows(2) {
            line(skin, canvas, (two[0].x, two[0].y), (two[1].x, two[1].y), role);
        }
    }
    for dot in &dots {
        if let Value::Defined(Interval { low, high }) = dot.point.interval {
            for at in row(high)..=row(low) {
                canvas.put(dot.x, at, skin.glyphs.bar, 1, skin.style(Role::TextDim));
            }
        }
    }
    for dot in &dots {
        let (symbol, role) = match dot.basis {
            Basis::Blind => (skin.glyphs.point, Role::Accent),
            Basis::Revised => (skin.glyphs.hollow, Role::StatusInfo),
        };
        canvas.put(dot.x, dot.y, symbol, 1, skin.style(role));
        if each >= 20 {
            let words = format!(" {} ", three(dot.value));
            let wide = words.chars().count() as u16;
            let place = if dot.basis == Basis::Blind { dot.x.saturating_sub(wide) } else { dot.x + 1 };
            canvas.print(place, dot.y, &words, skin.style(Role::TextStrong), wide);
        }
    }
    for (number, column) in columns.iter().enumerate() {
        let name = &column.round.name;
        let wide = (text::width(name) as u16).min(each.saturating_sub(1));
        let x = middle(number).saturating_sub(wide / 2);
        let role = if Some(column.round.id) == hand { Role::TextStrong } else { Role::TextDim };
        canvas.print(x, tall, name, skin.style(role), each.saturating_sub(1));
        if column.round.hidden.is_some() {
            let words = "hidden";
            canvas.print(middle(number).saturating_sub(3), tall / 2, words, skin.style(Role::TextDim), each);
        }
    }
}

/// A point in the chart.
struct Dot<'a> {
    basis: Basis,
    x: u16,
    y: u16,
    value: f64,
    point: &'a Point,
}

/// A line of dots between two points.
fn line(skin: &Skin, canvas: &mut Canvas<'_>, from: (u16, u16), to: (u16, u16), role: Role) {
    let run = f64::from(to.0) - f64::from(from.0);
    for x in from.0 + 1..to.0 {
        let share = (f64::from(x) - f64::from(from.0)) / run;
        let y = f64::from(from.1) + share * (f64::from(to.1) - f64::from(from.1));
        canvas.put(x, y.round() as u16, skin.glyphs.trace, 1, skin.style(role));
    }
}
