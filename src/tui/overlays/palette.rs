//! The command palette: actions and themes by name.

use super::Wish;
use crate::keymap::{Action, Key};
use crate::theme::Role;
use crate::tui::widgets::canvas::Canvas;
use crate::tui::widgets::input::{Edit, Input};
use crate::tui::widgets::skin::Skin;
use crate::tui::widgets::{field, panel};
use nucleo_matcher::pattern::{AtomKind, CaseMatching, Normalization, Pattern};
use nucleo_matcher::{Config, Matcher, Utf32Str};

/// What an entry does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Choice {
    /// An action.
    Act(Action),
    /// A theme.
    Theme(String),
}

/// An entry.
#[derive(Debug, Clone)]
pub struct Entry {
    /// What it is called.
    pub label: String,
    /// The key that does the same, or where it belongs.
    pub remark: String,
    /// What it does.
    pub choice: Choice,
}

/// The palette.
#[derive(Debug)]
pub struct Palette {
    entries: Vec<Entry>,
    input: Input,
    shown: Vec<usize>,
    cursor: usize,
}

impl Palette {
    /// A palette of these entries.
    pub fn new(entries: Vec<Entry>) -> Palette {
        let shown = (0..entries.len()).collect();
        Palette { entries, input: Input::default(), shown, cursor: 0 }
    }

    /// Pasted text.
    pub fn paste(&mut self, text: &str) {
        if self.input.insert(text) {
            self.choose();
        }
    }

    /// Moves the cursor.
    pub fn step(&mut self, by: isize) {
        self.cursor = self.cursor.saturating_add_signed(by).min(self.shown.len().saturating_sub(1));
    }

    /// A key, with what it means in the palette.
    pub fn key(&mut self, key: Key, action: Option<Action>) -> Wish {
        match action {
            Some(Action::Back) => return Wish::Close,
            Some(Action::Accept) => {
                return match self.shown.get(self.cursor).map(|index| &self.entries[*index].choice) {
                    Some(Choice::Act(action)) => Wish::Act(*action),
                    Some(Choice::Theme(name)) => Wish::Theme(name.clone()),
                    None => Wish::Stay,
                };
            }
            Some(Action::CursorDown) => self.step(1),
            Some(Action::CursorUp) => self.step(-1),
            Some(Action::PageDown) => self.step(10),
            Some(Action::PageUp) => self.step(-10),
            _ => {
                if self.input.key(key, action) == Edit::Changed {
                    self.choose();
                }
            }
        }
        Wish::Stay
    }

    fn choose(&mut self) {
        let pattern =
            Pattern::new(self.input.text(), CaseMatching::Ignore, Normalization::Smart, AtomKind::Fuzzy);
        let mut matcher = Matcher::new(Config::DEFAULT);
        let mut buffer = Vec::new();
        let mut scored: Vec<(u32, usize)> = self
            .entries
            .iter()
            .enumerate()
            .filter_map(|(index, entry)| {
                pattern
                    .score(Utf32Str::new(&entry.label, &mut buffer), &mut matcher)
                    .map(|score| (score, index))
            })
            .collect();
        scored.sort_by_key(|(score, index)| (std::cmp::Reverse(*score), *index));
        self.shown = scored.into_iter().map(|(_, index)| index).collect();
        self.cursor = 0;
    }

    /// Draws it.
    pub fn draw(&self, canvas: &mut Canvas<'_>, skin: &Skin) {
        let width = canvas.width().saturating_sub(4).min(72);
        let height = canvas.height().saturating_sub(2).min(18);
        let foot = self.shown.len().to_string();
        let mut inner = panel::popup(canvas, skin, ("Commands", &foot), (width, height));
        let columns = inner.width();
        field::draw(&mut inner, skin, 0, ":", &self.input, true, columns);
        let rows = usize::from(inner.height().saturating_sub(2));
        let top = (self.cursor + 1).saturating_sub(rows.max(1));
        for (y, index) in self.shown.iter().skip(top).take(rows).enumerate() {
            let Some(entry) = self.entries.get(*index) else { continue };
            let here = top + y == self.cursor;
            let y = y as u16 + 2;
            let base = if here { Role::Selection } else { Role::Overlay };
            if here {
                inner.style_row(y, skin.style(Role::Selection));
            }
            let remark = crate::text::width(&entry.remark) as u16;
            inner.print(1, y, &entry.label, skin.style(base), columns.saturating_sub(remark + 3));
            inner.print_end(0, y, &entry.remark, skin.over(base, Role::Key), columns.saturating_sub(1));
        }
        if self.shown.is_empty() {
            inner.print(1, 2, "no such command", skin.over(Role::Overlay, Role::TextDim), columns);
        }
    }
}
