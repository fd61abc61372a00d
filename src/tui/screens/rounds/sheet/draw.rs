//! Drawing the sheet: the fields, and what the seed gives.

use super::fields::Field;
use super::{Making, Sheet};
use crate::study::Preview;
use crate::text;
use crate::text::counted;
use crate::text::thousands;
use crate::theme::Role;
use crate::tui::screens::rounds::rows::Row;
use crate::tui::widgets::canvas::Canvas;
use crate::tui::widgets::panel;
use crate::tui::widgets::skin::Skin;

/// Columns from which on the preview stands beside the fields.
const BESIDE: u16 = 116;
/// Rows that what the seed gives keeps below the fields, with the line above it.
const GIVEN: u16 = 5;

impl Sheet {
    /// Draws it over the screen.
    pub fn draw(&self, canvas: &mut Canvas<'_>, skin: &Skin) {
        let wide = canvas.width() >= BESIDE;
        let size = (canvas.width().min(132), canvas.height().min(if wide { 25 } else { 40 }));
        let foot = match self.making {
            Making::Not => "Enter goes on · ctrl-y copies the command · Esc leaves it",
            Making::Drawing(_) => "drawing…",
            Making::Reading(_) => "reading its tasks…",
            Making::Writing(_) => "saving…",
        };
        let foot = foot.replace('·', skin.glyphs.dot);
        let title = format!("A new round of {}", self.source);
        let mut inner = panel::popup(canvas, skin, (&title, &foot), size);
        let (width, height) = (inner.width(), inner.height());
        let all = Field::ALL.len() as u16;
        if wide {
            let left = width * 58 / 100;
            let top = self.field.saturating_sub(usize::from(height.saturating_sub(2)));
            self.fields(&mut inner.part(0, 1, left, height - 1), skin, top);
            inner.bar(left, 0, height, skin.glyphs.bar, skin.over(Role::Overlay, Role::Border));
            self.given(&mut inner.part(left + 2, 1, width - left - 2, height - 1), skin);
        } else {
            // What the seed gives keeps some rows; fields that find none are scrolled to.
            let rows = all.min(height.saturating_sub(GIVEN).max(1)).min(height);
            let top = self.field.saturating_sub(usize::from(rows).saturating_sub(1));
            self.fields(&mut inner.part(0, 0, width, rows), skin, top);
            if height > rows {
                inner.rule(rows, skin.glyphs.rule, skin.over(Role::Overlay, Role::Border));
                inner.print(1, rows, " what the seed gives ", skin.over(Role::Overlay, Role::Title), width);
                let hidden = [(top, "above"), (usize::from(all - rows) - top, "below")];
                let hidden: Vec<String> = hidden
                    .into_iter()
                    .filter(|(count, _)| *count > 0)
                    .map(|(count, place)| format!("{} {place}", counted(count, "more field")))
                    .collect();
                if !hidden.is_empty() {
                    let words = format!(" {} ", hidden.join(", "));
                    inner.print_end(0, rows, &words, skin.over(Role::Overlay, Role::TextDim), width - 1);
                }
                self.given(&mut inner.part(0, rows + 1, width, height - rows - 1), skin);
            }
        }
        if self.confirms {
            self.last_step(canvas, skin);
        }
    }

    /// What is about to be made, in a sentence.
    fn last_step(&self, canvas: &mut Canvas<'_>, skin: &Skin) {
        let Some(sentence) = self.sentence() else { return };
        let armed = self.unarmed == 0;
        let foot = match (self.making, armed, self.too_soon) {
            (Making::Not, true, false) => "Enter makes it · ctrl-y copies the command · Esc goes back",
            // It stays, as nobody reads it in the time that is waited.
            (Making::Not, true, true) => "pressed too soon: read this, then Enter makes it · Esc goes back",
            (Making::Not, false, true) => "pressed too soon: read this, then Enter · Esc goes back",
            (Making::Not, false, false) => "Esc goes back",
            _ => "being made…",
        };
        let foot = foot.replace('·', skin.glyphs.dot);
        let width = canvas.width().saturating_sub(4).min(76);
        let lines = text::wrap(&sentence, usize::from(width.saturating_sub(4).max(8)));
        let height = (lines.len() as u16 + 4).min(canvas.height());
        let mut inner = panel::popup(canvas, skin, ("Make this round?", &foot), (width, height));
        let columns = inner.width();
        for (y, line) in (1..inner.height()).zip(&lines) {
            inner.print(0, y, line, skin.over(Role::Overlay, Role::TextStrong), columns);
        }
    }

    /// The fields from the first that is in view.
    fn fields(&self, canvas: &mut Canvas<'_>, skin: &Skin, top: usize) {
        for (y, (number, field)) in (0..canvas.height()).zip(Field::ALL.into_iter().enumerate().skip(top)) {
            let here = number == self.field;
            match self.inputs.iter().find(|(one, _)| *one == field) {
                Some((_, input)) => {
                    let row = Row { name: field.name(), hint: field.hint(), here };
                    row.typed(input, canvas, skin, y);
                }
                None => {
                    let (value, hint) = self.choice(field);
                    Row { name: field.name(), hint: &hint, here }.chosen(&value, canvas, skin, y);
                }
            }
        }
    }

    fn choice(&self, field: Field) -> (String, String) {
        match field {
            Field::Codebook => match self.codebooks.get(self.codebook) {
                Some(codebook) => {
                    let count = counted(codebook.questions.len(), "question");
                    let words = format!("v{}: {}, {count}", codebook.version, codebook.title);
                    (codebook.id.clone(), words)
                }
                None => ("none".to_owned(), "no codebook can be read".to_owned()),
            },
            Field::Pairing => {
                let (word, meaning) = self.pairing.words();
                (word.to_owned(), meaning.to_owned())
            }
            _ => {
                let people = super::fields::names(self.input(Field::Annotators)).len();
                let Some((_, count)) = self.pairing.of(self.per_item, people) else {
                    return ("-".to_owned(), "said when it is assigned".to_owned());
                };
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
        let strong = if self.stale { Role::TextDim } else { Role::TextStrong };
        let queues: Vec<String> =
            preview.queues.iter().map(|(who, count)| format!("{who} {}", thousands(*count))).collect();
        let to_label = format!("to label: {}", queues.join(", "));
        let again = format!(
            "{} in an earlier round: re-verified, not independent",
            match preview.again {
                1 => "1 item was".to_owned(),
                count => format!("{} were", counted(count, "item")),
            }
        );
        // Beside the fields there are rows enough for one each.
        let roomy = rows > 12;
        let mut facts = beside(preview);
        if !queues.is_empty() {
            facts.push(to_label);
        }
        if roomy {
            say(&words, strong);
            facts.iter().for_each(|words| say(words, main));
        } else {
            facts.insert(0, words);
            say(&facts.join("; "), strong);
        }
        if preview.again > 0 {
            say(&again, Role::StatusWarn);
        }
        if roomy {
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

/// What is there beside the sample.
pub(super) fn beside(preview: &Preview) -> Vec<String> {
    let kinds = [
        (preview.verified, "of an earlier round, to verify them"),
        (preview.training, "for training"),
        (preview.gold, "with known answers"),
    ];
    let told = kinds.into_iter().filter(|(count, _)| *count > 0);
    told.map(|(count, words)| format!("{} {words}", counted(count, "item"))).collect()
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
