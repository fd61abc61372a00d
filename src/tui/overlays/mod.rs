//! Overlays: a stack above the screen; the top one gets the keys.

pub mod help;
pub mod launch;
pub mod palette;
pub mod reader;

use crate::keymap::{Action, Key};
use crate::task::Task;
use crate::tui::msg::repair::LaunchChoice;
use crate::tui::widgets::canvas::Canvas;
use crate::tui::widgets::skin::Skin;
use std::sync::Arc;

/// One of them.
#[derive(Debug)]
pub enum Overlay {
    /// All keys of where one is.
    Help(reader::Reader),
    /// Text to be read: skipped rows, a long message.
    Reader(reader::Reader),
    /// Actions and themes by name.
    Palette(palette::Palette),
    /// How a task is repaired.
    Launch(Box<launch::Launch>),
}

/// What an overlay wants after a key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Wish {
    /// To stay.
    Stay,
    /// To be closed.
    Close,
    /// To be closed, and this to be carried out.
    Act(Action),
    /// To be closed, and this theme to be used.
    Theme(String),
    /// To stay, and this to be carried out.
    Aside(Action),
    /// To stay, and to be shown the first prompt of what is chosen.
    Preview,
    /// To be closed, and this task to be repaired so.
    Start(Arc<Task>, LaunchChoice),
}

impl Overlay {
    /// A key; `action` is what the keymap says it means in an overlay.
    pub fn key(&mut self, key: Key, action: Option<Action>) -> Wish {
        match self {
            Overlay::Help(reader) | Overlay::Reader(reader) => reader.key(action),
            Overlay::Palette(palette) => palette.key(key, action),
            Overlay::Launch(launch) => launch.key(action),
        }
    }

    /// Pasted text; says whether there is a field for it.
    pub fn paste(&mut self, text: &str) -> bool {
        match self {
            Overlay::Palette(palette) => {
                palette.paste(text);
                true
            }
            Overlay::Help(_) | Overlay::Reader(_) | Overlay::Launch(_) => false,
        }
    }

    /// The wheel was turned.
    pub fn wheel(&mut self, down: bool) {
        match self {
            Overlay::Help(reader) | Overlay::Reader(reader) => reader.wheel(down),
            Overlay::Palette(palette) => palette.step(if down { 1 } else { -1 }),
            Overlay::Launch(launch) => launch.wheel(down),
        }
    }

    /// The screen's size is known.
    pub fn layout(&mut self, width: u16, height: u16) {
        match self {
            Overlay::Help(reader) | Overlay::Reader(reader) => reader.layout(width, height),
            Overlay::Launch(launch) => launch.layout(width, height),
            Overlay::Palette(_) => {}
        }
    }

    /// Draws it over the screen.
    pub fn draw(&self, canvas: &mut Canvas<'_>, skin: &Skin) {
        match self {
            Overlay::Help(reader) | Overlay::Reader(reader) => reader.draw(canvas, skin),
            Overlay::Palette(palette) => palette.draw(canvas, skin),
            Overlay::Launch(launch) => launch.draw(canvas, skin),
        }
    }
}
