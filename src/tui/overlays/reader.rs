//! A box with text to be read.

use super::Wish;
use crate::keymap::Action;
use crate::tui::widgets::canvas::Canvas;
use crate::tui::widgets::panel;
use crate::tui::widgets::skin::Skin;
use crate::tui::widgets::text_view::{Block, TextView};

/// The box.
#[derive(Debug)]
pub struct Reader {
    title: String,
    view: TextView,
    size: (u16, u16),
}

impl Reader {
    /// A box with a title and a text.
    pub fn new(title: &str, blocks: Vec<Block>) -> Reader {
        Reader { title: title.to_owned(), view: TextView::new(blocks), size: (0, 0) }
    }

    /// A box with a list of keys.
    pub fn of_keys(title: &str, blocks: Vec<Block>) -> Reader {
        Reader { view: TextView::of_keys(blocks), ..Reader::new(title, Vec::new()) }
    }

    /// The same, its long lines going on in the next row.
    #[must_use]
    pub fn wrapped(mut self) -> Reader {
        self.view.set_wrap(true);
        self
    }

    /// What an action does in it.
    pub fn key(&mut self, action: Option<Action>) -> Wish {
        match action {
            Some(Action::CursorDown) => self.view.scroll(1),
            Some(Action::CursorUp) => self.view.scroll(-1),
            Some(Action::PageDown) => self.view.page(true, false),
            Some(Action::PageUp) => self.view.page(false, false),
            Some(Action::HalfPageDown) => self.view.page(true, true),
            Some(Action::HalfPageUp) => self.view.page(false, true),
            Some(Action::First) => self.view.edge(false),
            Some(Action::Last) => self.view.edge(true),
            Some(Action::Back | Action::Help | Action::Open) => return Wish::Close,
            Some(other) => return Wish::Act(other),
            None => return Wish::Stay,
        }
        Wish::Stay
    }

    /// The wheel was turned.
    pub fn wheel(&mut self, down: bool) {
        self.view.scroll(if down { 3 } else { -3 });
    }

    /// The screen's size is known.
    pub fn layout(&mut self, width: u16, height: u16) {
        let (wide, high) = (width.saturating_sub(4).min(96), height.saturating_sub(2));
        // Laid out once without a limit it tells how high it wants to be.
        let inner = if wide < 4 { wide } else { wide - 4 };
        self.view.resize(inner, u16::MAX);
        let rows = u16::try_from(self.view.position().2).unwrap_or(u16::MAX);
        let tall = rows.saturating_add(2).min(high);
        self.size = (wide, tall);
        self.view.resize(inner, if tall < 3 { tall } else { tall - 2 });
    }

    /// Draws it.
    pub fn draw(&self, canvas: &mut Canvas<'_>, skin: &Skin) {
        let foot = self.view.part_in_view();
        let mut inner = panel::popup(canvas, skin, (&self.title, &foot), self.size);
        self.view.draw(&mut inner, skin);
    }
}
