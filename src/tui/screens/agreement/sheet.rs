//! What leaves as a file: the forms, of this round or of all, and the name of the file.
//!
//! Promises: the command that writes the same is always in view; nothing is overwritten. Leaves to others: writing
//! (`runtime::study::agreement`).

use crate::study::TableForm;
use crate::text;
use crate::theme::Role;
use crate::tui::widgets::canvas::Canvas;
use crate::tui::widgets::input::Input;
use crate::tui::widgets::skin::Skin;
use crate::tui::widgets::{field, panel};

/// The sheet.
#[derive(Debug)]
pub struct Sheet {
    /// Study and round, as commands name them.
    pub round: String,
    /// The question, for counts.
    pub question: String,
    /// Number of the form.
    pub form: usize,
    /// All rounds of the study.
    pub all_rounds: bool,
    /// The name of the file.
    pub name: Input,
    /// The name is being typed.
    pub typing: bool,
}

impl Sheet {
    /// A sheet for a round.
    pub fn new(study: &str, round: &str, question: &str) -> Sheet {
        let mut sheet = Sheet {
            round: format!("{study}/{round}"),
            question: question.to_owned(),
            form: 0,
            all_rounds: false,
            name: Input::default(),
            typing: false,
        };
        sheet.rename();
        sheet
    }

    /// The form.
    pub fn form(&self) -> TableForm {
        TableForm::ALL[self.form.min(TableForm::ALL.len() - 1)]
    }

    /// Whether all rounds are in it: counts are of one.
    pub fn all(&self) -> bool {
        self.all_rounds && self.form() != TableForm::Counts
    }

    /// The name that fits the form.
    pub fn rename(&mut self) {
        let form = self.form();
        let (study, round) = self.round.split_once('/').unwrap_or((&self.round, ""));
        let whose = if self.all() { study.to_owned() } else { format!("{study}-{round}") };
        let plain = |c: char| if c.is_alphanumeric() || matches!(c, '-' | '_' | '.') { c } else { '-' };
        let stem: String = whose.chars().map(plain).collect();
        let stem = stem.trim_matches(['-', '.']).to_owned();
        let question = match form {
            TableForm::Counts => format!("-{}", self.question.chars().map(plain).collect::<String>()),
            _ => String::new(),
        };
        self.name = Input::new(&format!("{stem}{question}-{}.{}", form.name(), form.ending()));
    }

    /// The command that writes the same.
    pub fn command(&self) -> String {
        let form = self.form();
        let mut words = ["mendbench", "label", "export", self.name.text(), "--form", form.name()].to_vec();
        words.extend(["--round", &self.round]);
        if form == TableForm::Counts {
            words.extend(["--question", &self.question]);
        }
        if self.all() {
            words.push("--all-rounds");
        }
        shlex::try_join(words.iter().copied()).unwrap_or_else(|_| words.join(" "))
    }

    /// Draws it.
    pub fn draw(&self, skin: &Skin, canvas: &mut Canvas<'_>) {
        let width = canvas.width().min(76);
        let wide = usize::from(width.saturating_sub(4).max(1));
        let command = text::wrap(&self.command(), wide.saturating_sub(2).max(1));
        let height = (TableForm::ALL.len() + 6 + command.len()) as u16;
        let foot = match self.typing {
            true => "enter write · esc back",
            false => "enter name it · h l this round or all · y copy command · esc close",
        };
        let mut inner = panel::popup(canvas, skin, ("Export", foot), (width, height));
        let room = inner.width();
        let style = |role: Role| skin.over(Role::Overlay, role);
        let whose = if self.all() { "all rounds of the study" } else { "this round" };
        inner.print(1, 0, &format!("{}: {whose}", self.round), style(Role::TextStrong), room);
        for (number, form) in TableForm::ALL.iter().enumerate() {
            let y = number as u16 + 1;
            let here = number == self.form;
            let on = |role: Role| if here { skin.over(Role::Selection, role) } else { style(role) };
            if here {
                inner.style_row(y, skin.style(Role::Selection));
                inner.put(0, y, skin.glyphs.cursor, 1, on(Role::Accent));
            }
            inner.print(1, y, form.name(), on(Role::TextStrong), 10);
            let words = match form {
                TableForm::Counts => format!("{} of {}", form.words(), self.question),
                _ => form.words().to_owned(),
            };
            inner.print(11, y, &words, on(Role::Text), room.saturating_sub(11));
        }
        let y = TableForm::ALL.len() as u16 + 1;
        field::draw(&mut inner, skin, y + 1, " file", &self.name, self.typing, room);
        for (line, y) in command.iter().zip(y + 2..) {
            inner.print(1, y, line, style(Role::TextDim), room.saturating_sub(1));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Sheet, TableForm};

    #[test]
    fn names_fit_the_form_and_commands_say_the_same() {
        let mut sheet = Sheet::new("linux bugs", "r/1", "cause");
        assert_eq!(sheet.name.text(), "linux-bugs-r-1-long.csv");
        assert_eq!(
            sheet.command(),
            "mendbench label export linux-bugs-r-1-long.csv --form long --round 'linux bugs/r/1'"
        );
        sheet.all_rounds = true;
        sheet.form = TableForm::ALL.iter().position(|form| *form == TableForm::Latex).unwrap_or(0);
        sheet.rename();
        assert_eq!(sheet.name.text(), "linux-bugs-latex.tex");
        assert!(sheet.command().ends_with("--all-rounds"));
        sheet.form = TableForm::ALL.iter().position(|form| *form == TableForm::Counts).unwrap_or(0);
        sheet.rename();
        assert_eq!(sheet.name.text(), "linux-bugs-r-1-cause-counts.csv");
        assert!(sheet.command().ends_with("--question cause"), "{}", sheet.command());
    }
}
