//! Each annotator: how far, how fast, against known answers, against themselves, and over time.
//!
//! Promises: a share stands with its n, and what is known of gold items with its interval; who may see nothing of
//! somebody does not see that there is anything. Leaves to others: computing it (`label::drift`).

use super::bars::shade;
use super::cases::Cases;
use super::{AgreementScreen, Place};
use crate::agreement::Value;
use crate::agreement::remarks::percent;
use crate::label::drift::{Again, Drift, Person};
use crate::label::overview::LEVEL;
use crate::label::status::Clock;
use crate::repair::metrics::Rate;
use crate::text::three;
use crate::theme::Role;
use crate::tui::widgets::canvas::Canvas;
use crate::tui::widgets::skin::Skin;

/// Where one is among the annotators.
#[derive(Debug, Default)]
pub struct State {
    /// The annotator.
    pub person: Place,
    /// The question.
    pub question: usize,
    /// The cursor is in the table over time.
    pub inside: bool,
    /// Its row and block.
    pub row: usize,
    /// Its block.
    pub block: usize,
}

impl AgreementScreen {
    /// The annotators that may be seen.
    pub(super) fn persons(&self) -> &[Person] {
        self.overview().map_or(&[], |round| &round.people)
    }

    /// The annotator under the cursor.
    pub(super) fn person(&self) -> Option<&Person> {
        self.persons().get(self.people.person.cursor)
    }

    /// The question over time that is shown.
    pub(super) fn drift(&self) -> Option<&Drift> {
        let drift = &self.person()?.drift;
        drift.get(self.people.question.min(drift.len().saturating_sub(1)))
    }

    /// Rows of the table over time: the categories, and what else can be opened.
    pub(super) fn drift_rows(&self) -> usize {
        self.drift().map_or(0, |drift| drift.categories.len()) + self.more_rows().len()
    }

    /// What can be opened beside the categories: gold items and repeated ones.
    fn more_rows(&self) -> Vec<More<'_>> {
        let Some(person) = self.person() else { return Vec::new() };
        let mut rows = Vec::new();
        if person.gold.is_some() {
            rows.push(More::Gold(person));
        }
        let question = self.drift().map(|drift| drift.question.as_str());
        let again = person.again.iter().find(|again| Some(again.question.as_str()) == question);
        rows.extend(again.filter(|again| again.n > 0).map(More::Again));
        rows
    }

    /// The items behind the cell under the cursor.
    pub(super) fn drift_cases(&self) -> Option<Cases> {
        let (person, drift) = (self.person()?, self.drift()?);
        let name = &person.name;
        if let Some(category) = drift.categories.get(self.people.row) {
            let block = drift.blocks.get(self.people.block)?;
            let rows = block.items.iter().filter(|(_, answer)| *answer == self.people.row);
            let rows = rows.map(|(item, _)| (item.clone(), vec![category.clone()])).collect();
            let (number, all) = (self.people.block + 1, drift.blocks.len());
            let title = format!("{name}: {} {category}, part {number} of {all}", drift.question);
            return Some(Cases::new(title, vec!["said".to_owned()], rows));
        }
        match self.more_rows().into_iter().nth(self.people.row - drift.categories.len())? {
            More::Gold(person) => {
                let gold = person.gold.as_ref()?;
                let row = |wrong: &[String; 4]| {
                    let [item, question, said, right] = wrong.clone();
                    (item, vec![question, said, right])
                };
                let columns = ["question", "said", "known answer"].map(str::to_owned).to_vec();
                let title = format!("{name}: gold items with another answer than the known one");
                Some(Cases::new(title, columns, gold.wrong.iter().map(row).collect()))
            }
            More::Again(again) => {
                let row = |differ: &[String; 3]| {
                    let [item, first, second] = differ.clone();
                    (item, vec![first, second])
                };
                let columns = ["first", "second"].map(str::to_owned).to_vec();
                let title = format!("{name}: {} answered otherwise the second time", again.question);
                Some(Cases::new(title, columns, again.differ.iter().map(row).collect()))
            }
        }
    }

    pub(super) fn draw_people(&self, skin: &Skin, canvas: &mut Canvas<'_>) {
        let (width, height) = (canvas.width(), canvas.height());
        let persons = self.persons();
        if persons.is_empty() {
            let text = "How others label may be seen when the round is further, or is closed.";
            canvas.print(1, 1, text, skin.style(Role::TextDim), width.saturating_sub(2));
            return;
        }
        let rows = (persons.len() as u16).min(height / 3).max(1);
        self.draw_list_of_people(skin, &mut canvas.part(0, 0, width, rows + 1));
        canvas.rule(rows + 1, skin.glyphs.rule, skin.style(Role::Border));
        let mut rest = canvas.part(0, rows + 2, width, height.saturating_sub(rows + 2));
        self.draw_drift(skin, &mut rest);
    }

    fn draw_list_of_people(&self, skin: &Skin, canvas: &mut Canvas<'_>) {
        let (width, height) = (canvas.width(), canvas.height());
        let dim = skin.style(Role::TextDim);
        let name = (width / 6).clamp(8, 24);
        let done = 1 + name + 1;
        let pace = done + 14;
        let gold = pace + 16;
        let again = gold + 16;
        canvas.print(1, 0, "annotator", dim, name);
        canvas.print_end(done, 0, "answered", dim, 11);
        canvas.print(pace, 0, "pace", dim, 15);
        canvas.print(gold, 0, "gold items", dim, 15);
        canvas.print(again, 0, "second time", dim, width.saturating_sub(again));
        let rows = usize::from(height.saturating_sub(1));
        let top = self.people.person.top(self.persons().len(), rows);
        let names: Vec<&str> = self.persons().iter().map(|person| person.name.as_str()).collect();
        let names = crate::text::apart(&names, usize::from(name));
        for (y, (number, person)) in (1..).zip(self.persons().iter().enumerate().skip(top).take(rows)) {
            let here = number == self.people.person.cursor;
            let ground = if self.people.inside { Role::SelectionInactive } else { Role::Selection };
            if here {
                canvas.style_row(y, skin.style(ground));
                canvas.put(0, y, skin.glyphs.cursor, 1, skin.over(ground, Role::Accent));
            }
            let style = |role: Role| if here { skin.over(ground, role) } else { skin.style(role) };
            let shown = names.get(number).map_or("", String::as_str);
            canvas.print(1, y, shown, style(Role::TextStrong), name);
            if person.told.answers {
                let words = format!("{} of {}", person.answered, person.assigned);
                canvas.print_end(done, y, &words, style(Role::Text), 11);
            }
            let words = match person.pace {
                Some(pace) => {
                    let about = if pace.clock == Clock::Between { "~" } else { "" };
                    format!("{about}{:.0} s  n {}", pace.median, pace.items)
                }
                None if person.told.pace => "not known".to_owned(),
                None => String::new(),
            };
            canvas.print(pace, y, &words, style(Role::Text), 15);
            let words = person.gold.as_ref().map_or_else(
                || if person.told.gold { "none".to_owned() } else { String::new() },
                |gold| format!("{}  n {}", percent(gold.right as f64 / gold.n.max(1) as f64), gold.n),
            );
            canvas.print(gold, y, &words, style(Role::Text), 15);
            let shown = self.drift().map(|drift| drift.question.as_str());
            let mine = person.again.iter().find(|again| Some(again.question.as_str()) == shown);
            let words =
                mine.filter(|again| again.n > 0).map_or_else(String::new, |again| match again.kappa.value {
                    Value::Defined(kappa) => format!("kappa {}  n {}", three(kappa), again.n),
                    Value::Undefined(_) => format!("same {} of {}", again.same, again.n),
                });
            canvas.print(again, y, &words, style(Role::Text), width.saturating_sub(again + 1));
        }
    }

    fn draw_drift(&self, skin: &Skin, canvas: &mut Canvas<'_>) {
        let (width, height) = (canvas.width(), canvas.height());
        let dim = skin.style(Role::TextDim);
        let Some(person) = self.person() else { return };
        let Some(drift) = self.drift() else {
            let text = match person.told.answers {
                true => "nothing is answered yet",
                false => "what was answered may not be seen",
            };
            canvas.print(1, 0, text, dim, width);
            return;
        };
        let all = person.drift.len();
        let number = self.people.question.min(all.saturating_sub(1)) + 1;
        let x = canvas.print(
            1,
            0,
            &format!("{} over time", drift.question),
            skin.style(Role::TextStrong),
            width / 2,
        );
        let words = format!("  {} in the order of {}", parts(drift), person.name);
        canvas.print(x, 0, &words, dim, width.saturating_sub(x + 18));
        canvas.print_end(0, 0, &format!("question {number} of {all}"), dim, width.saturating_sub(1));
        let longest = drift.categories.iter().map(|name| crate::text::width(name)).max().unwrap_or(0) as u16;
        let name = longest.clamp(11, if width >= 100 { 30 } else { 18 });
        let count = drift.blocks.len().max(1) as u16;
        let each = (width.saturating_sub(name + 3) / count).clamp(6, 10);
        let start = 1 + name + 1;
        let from = |block: usize| {
            let before: u64 = drift.blocks.iter().take(block).map(|block| block.n).sum();
            before + 1
        };
        canvas.print_end(1, 1, "from item", dim, name);
        for (at, _) in drift.blocks.iter().enumerate() {
            let x = start + at as u16 * each;
            canvas.print_end(x, 1, &from(at).to_string(), dim, each.saturating_sub(2));
        }
        // The last rows: n, agreement, and what can be opened.
        let more = self.more_rows();
        let fixed = 2 + 2 + more.len() as u16;
        let rows = usize::from(height.saturating_sub(fixed).max(1));
        let at = Place { cursor: self.people.row.min(drift.categories.len().saturating_sub(1)), top: 0 };
        let top = at.top(drift.categories.len(), rows);
        let mut y = 2;
        for (number, category) in drift.categories.iter().enumerate().skip(top).take(rows) {
            let here = self.people.inside && number == self.people.row;
            canvas.print_end(
                1,
                y,
                category,
                skin.style(if here { Role::TextStrong } else { Role::Text }),
                name,
            );
            for (block, found) in drift.blocks.iter().enumerate() {
                let x = start + block as u16 * each;
                let times = found.counts.get(number).copied().unwrap_or(0);
                let share = times as f64 / found.n.max(1) as f64;
                let on = here && block == self.people.block;
                let style = match shade(share, true) {
                    _ if on => skin.style(Role::MatchCurrent),
                    Some(role) => skin.over(Role::Text, role),
                    None => dim,
                };
                for blank in x..x + each - 1 {
                    canvas.put(blank, y, " ", 1, style);
                }
                canvas.print_end(x, y, &format!("{:.0} %", share * 100.0), style, each.saturating_sub(2));
            }
            y += 1;
        }
        canvas.print_end(1, y, "n", dim, name);
        for (block, found) in drift.blocks.iter().enumerate() {
            let x = start + block as u16 * each;
            canvas.print_end(x, y, &found.n.to_string(), dim, each.saturating_sub(2));
        }
        y += 1;
        if drift.blocks.iter().any(|block| block.agreed.is_some()) {
            canvas.print_end(1, y, "agreement", skin.style(Role::TextStrong), name);
            for (block, found) in drift.blocks.iter().enumerate() {
                let x = start + block as u16 * each;
                let words = match found.agreed {
                    Some((equal, all)) if all > 0 => format!("{:.0} %", equal as f64 / all as f64 * 100.0),
                    _ => "—".to_owned(),
                };
                canvas.print_end(x, y, &words, skin.style(Role::TextStrong), each.saturating_sub(2));
            }
            y += 1;
        }
        for (number, row) in (drift.categories.len()..).zip(&more) {
            let here = self.people.inside && number == self.people.row;
            if here {
                canvas.style_row(y, skin.style(Role::Selection));
                canvas.put(0, y, skin.glyphs.cursor, 1, skin.over(Role::Selection, Role::Accent));
            }
            let style = |role: Role| if here { skin.over(Role::Selection, role) } else { skin.style(role) };
            let (title, words) = match row {
                More::Gold(person) => {
                    let gold = person.gold.as_ref();
                    ("gold items", gold.map_or_else(String::new, |gold| gold_words(gold.right, gold.n)))
                }
                More::Again(again) => ("repeated", again_words(again)),
            };
            canvas.print_end(1, y, title, style(Role::Text), name);
            canvas.print(start + 1, y, &words, style(Role::Text), width.saturating_sub(start + 2));
            y += 1;
        }
    }
}

enum More<'a> {
    Gold(&'a Person),
    Again(&'a Again),
}

fn parts(drift: &Drift) -> String {
    match drift.blocks.len() {
        1 => "in one part,".to_owned(),
        count => format!("in {count} parts,"),
    }
}

/// `9 of 10, 90.0 % (60 to 98 %)`, with Wilson's interval.
fn gold_words(right: u64, n: u64) -> String {
    let rate = Rate { hits: right, n };
    let share = if n == 0 { 0.0 } else { right as f64 / n as f64 };
    match rate.wilson() {
        Some((low, high)) => {
            format!("{right} of {n}, {} ({:.0} to {:.0} %)", percent(share), low * 100.0, high * 100.0)
        }
        None => format!("{right} of {n}"),
    }
}

fn again_words(again: &Again) -> String {
    let value = match again.kappa.value {
        Value::Defined(kappa) => {
            let range = match again.kappa.normal_interval(LEVEL) {
                Value::Defined(ends) => format!(" ({} to {})", three(ends.low), three(ends.high)),
                Value::Undefined(_) => ", no interval".to_owned(),
            };
            format!("kappa {}{range}", three(kappa))
        }
        Value::Undefined(_) => "kappa undefined".to_owned(),
    };
    format!("{value}, same {} of {}", again.same, again.n)
}
