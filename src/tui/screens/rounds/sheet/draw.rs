//! Drawing the sheet: the fields, and what the seed gives.

use super::fields::Field;
use super::{Making, Sheet};
use crate::study::Preview;
use crate::text;
use crate::theme::Role;
use crate::tui::screens::rounds::words::counted;
use crate::tui::widgets::canvas::Canvas;
use crate::tui::widgets::numbers::thousands;
use crate::tui::widgets::panel;
use crate::tui::widgets::skin::Skin;
use ratatui::style::Modifier;

/// Column of the values.
const VALUES: u16 = 12;
/// Columns from which on the preview stands beside the fields.
const BESIDE: u16 = 116;

impl Sheet {
    /// Draws it over the screen.
    pub fn draw(&self, canvas: &mut Canvas<'_>, skin: &Skin) {
        let wide = canvas.width() >= BESIDE;
        let size = (canvas.width().min(132), canvas.height().min(if wide { 24 } else { 40 }));
        let foot = match self.making {
            Making::Not => "Enter makes it · ctrl-y copies the command · Esc leaves it",
            Making::Drawing(_) => "drawing…",
            Making::Reading(_) => "reading its tasks…",
            Making::Writing(_) => "saving…",
        };
        let foot = foot.replace('·', skin.glyphs.dot);
        let title = format!("A new round of {}", self.source);
        let mut inner = panel::popup(canvas, skin, (&title, &foot), size);
        let (width, height) = (inner.width(), inner.height());
        if wide {
            let left = width * 58 / 100;
            self.fields(&mut inner.part(0, 1, left, height - 1), skin);
            inner.bar(left, 0, height, skin.glyphs.bar, skin.over(Role::Overlay, Role::Border));
            self.given(&mut inner.part(left + 2, 1, width - left - 2, height - 1), skin);
        } else {
            let rows = Field::ALL.len() as u16;
            self.fields(&mut inner.part(0, 0, width, rows), skin);
            if height > rows {
                inner.rule(rows, skin.glyphs.rule, skin.over(Role::Overlay, Role::Border));
                inner.print(1, rows, " what the seed gives ", skin.over(Role::Overlay, Role::Title), width);
                self.given(&mut inner.part(0, rows + 1, width, height - rows - 1), skin);
            }
        }
    }

    fn fields(&self, canvas: &mut Canvas<'_>, skin: &Skin) {
        let width = canvas.width();
        for (y, field) in (0..).zip(Field::ALL) {
            let here = usize::from(y) == self.field;
            let base = if here { Role::Selection } else { Role::Overlay };
            if here {
                canvas.style_row(y, skin.style(base));
            }
            canvas.print(1, y, field.name(), skin.over(base, Role::TextDim), VALUES - 1);
            let room = width.saturating_sub(VALUES + 1);
            let (end, hint) = match self.inputs.iter().find(|(one, _)| *one == field) {
                Some((_, input)) => {
                    let end = self.text(input, here, base, (y, room), canvas, skin);
                    (end, field.hint().to_owned())
                }
                None => {
                    let (value, hint) = self.choice(field);
                    let mut x = VALUES;
                    if here {
                        canvas.print(x - 2, y, "<", skin.over(base, Role::Key), 1);
                    }
                    x = canvas.print(x, y, &value, skin.over(base, Role::TextStrong), room);
                    if here {
                        x = canvas.print(x + 1, y, ">", skin.over(base, Role::Key), 1);
                    }
                    (x, hint)
                }
            };
            // Hints stand below each other where values leave them the room.
            let x = (end + 2).max(VALUES + if field.is_text() { 20 } else { 14 });
            let left = width.saturating_sub(x + 1);
            if usize::from(left) >= text::width(&hint).min(20) {
                canvas.print(x, y, &hint, skin.over(base, Role::TextDim), left);
            }
        }
    }

    /// A typed value; the end near the cursor stays in view. Says in which column it ends.
    fn text(
        &self,
        input: &crate::tui::widgets::input::Input,
        here: bool,
        base: Role,
        (y, room): (u16, u16),
        canvas: &mut Canvas<'_>,
        skin: &Skin,
    ) -> u16 {
        let before = text::width(&input.text()[..input.cursor()]);
        let from = if here { before.saturating_sub(usize::from(room.saturating_sub(2))) } else { 0 };
        let style = skin.over(base, Role::TextStrong);
        let mut end = VALUES;
        for cell in text::cells(input.text(), 0).window(from, usize::from(room)) {
            let x = VALUES + (cell.column - from) as u16;
            canvas.put(x, y, &cell.text, cell.width, style);
            end = x + cell.width;
        }
        if here {
            let x = VALUES + before.saturating_sub(from) as u16;
            canvas.style(x, y, 1, style.add_modifier(Modifier::REVERSED));
            end = end.max(x + 1);
        }
        end
    }

    fn choice(&self, field: Field) -> (String, String) {
        match field {
            Field::Codebook => match self.codebooks.get(self.codebook) {
                Some(codebook) => {
                    let count = counted(codebook.questions.len(), "question");
                    let words = format!("v{}: {}, {count}", codebook.version, codebook.title);
                    (codebook.id.clone(), words)
                }
                None => ("none".to_owned(), "no codebook asks about tasks".to_owned()),
            },
            Field::Pairing => {
                let (word, meaning) = self.pairing.words();
                (word.to_owned(), meaning.to_owned())
            }
            _ => {
                let people = super::fields::names(self.input(Field::Annotators)).len();
                let count = self.pairing.of(self.per_item, people).1;
                let words = if count == 1 { "annotator labels each item" } else { Field::PerItem.hint() };
                (count.to_string(), words.to_owned())
            }
        }
    }

    /// What the seed gives.
    fn given(&self, canvas: &mut Canvas<'_>, skin: &Skin) {
        let width = canvas.width();
        let rows = canvas.height();
        let mut y = 0;
        let mut say = |words: &str, role: Role| {
            for line in text::wrap(words, usize::from(width.saturating_sub(2).max(1))) {
                if y < rows {
                    canvas.print(1, y, &line, skin.over(Role::Overlay, role), width.saturating_sub(1));
                }
                y += 1;
            }
        };
        let bad = self.filter_error.clone().or_else(|| self.draft().err());
        if let Some(why) = bad {
            say(&why, Role::StatusError);
            return;
        }
        let Some(preview) = &self.preview else {
            say("looking it up…", Role::TextDim);
            return;
        };
        let main = if self.stale { Role::TextDim } else { Role::Text };
        for problem in &preview.problems {
            say(problem, Role::StatusError);
        }
        if preview.items == 0 {
            return;
        }
        let left_out = match preview.left_out {
            0 => String::new(),
            count => format!(", {} left out", thousands(count)),
        };
        let words = format!(
            "{} of {} that pass{left_out}",
            counted(preview.items, "item"),
            thousands(preview.population)
        );
        say(&words, if self.stale { Role::TextDim } else { Role::TextStrong });
        if !preview.queues.is_empty() {
            let queues: Vec<String> =
                preview.queues.iter().map(|(who, count)| format!("{who} {}", thousands(*count))).collect();
            say(&format!("to label: {}", queues.join(", ")), main);
        }
        if preview.again > 0 {
            let words = format!(
                "{} were in an earlier round of the study: re-verified, not independent",
                counted(preview.again, "item")
            );
            say(&words, Role::StatusWarn);
        }
        // Beside the fields there are rows enough for one each.
        if rows > 12 {
            say("", main);
            for line in strata(preview).iter().take(usize::from(rows / 2)) {
                say(line, main);
            }
            say("", main);
            let first = preview.first.iter().take(usize::from(rows));
            say("the first items", Role::Title);
            first.for_each(|name| say(name, main));
        } else {
            say(&format!("strata: {}", strata(preview).join("; ")), main);
            say(&format!("first: {}", preview.first.join(", ")), main);
        }
    }
}

/// The strata, each with what is drawn of it.
fn strata(preview: &Preview) -> Vec<String> {
    let one = preview.strata.iter().map(|(stratum, ..)| &stratum.dataset);
    let one_dataset = one.collect::<std::collections::BTreeSet<_>>().len() < 2;
    let line = |(stratum, drawn, of): &(crate::label::item::Stratum, usize, usize)| {
        let mut parts = Vec::new();
        if !one_dataset {
            parts.push(stratum.dataset.as_str());
        }
        parts.extend([stratum.language.as_str(), stratum.error_type.as_str()]);
        let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
        let name = if parts.is_empty() { "all".to_owned() } else { parts.join(" ") };
        format!("{name} {} of {}", thousands(*drawn), thousands(*of))
    };
    preview.strata.iter().map(line).collect()
}
