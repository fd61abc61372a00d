//! Key events of the terminal as keys of the keymap.
//!
//! Promises: every way in which terminals report a key comes to the one form that the keymap knows.
//! Leaves to others: what keys mean (`keymap`).

use crate::keymap::{Key, KeyCode};
use crossterm::event::{self, KeyModifiers};

/// The key of an event, or `None` where the keymap has no name for it (media keys, modifiers alone).
pub fn key_of(event: &event::KeyEvent) -> Option<Key> {
    let code = match event.code {
        event::KeyCode::Char(character) => KeyCode::Char(character),
        event::KeyCode::Enter => KeyCode::Enter,
        event::KeyCode::Esc => KeyCode::Esc,
        event::KeyCode::Tab => KeyCode::Tab,
        event::KeyCode::BackTab => KeyCode::BackTab,
        event::KeyCode::Backspace => KeyCode::Backspace,
        event::KeyCode::Delete => KeyCode::Delete,
        event::KeyCode::Insert => KeyCode::Insert,
        event::KeyCode::Up => KeyCode::Up,
        event::KeyCode::Down => KeyCode::Down,
        event::KeyCode::Left => KeyCode::Left,
        event::KeyCode::Right => KeyCode::Right,
        event::KeyCode::Home => KeyCode::Home,
        event::KeyCode::End => KeyCode::End,
        event::KeyCode::PageUp => KeyCode::PageUp,
        event::KeyCode::PageDown => KeyCode::PageDown,
        event::KeyCode::F(number) => KeyCode::F(number),
        _ => return None,
    };
    let held = |modifier| event.modifiers.contains(modifier);
    // Super, Hyper and Meta belong to the desktop.
    if event.modifiers.intersects(KeyModifiers::SUPER | KeyModifiers::HYPER | KeyModifiers::META) {
        return None;
    }
    Some(Key::new(code, held(KeyModifiers::CONTROL), held(KeyModifiers::ALT), held(KeyModifiers::SHIFT)))
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;
    use crossterm::event::KeyEvent;

    #[test]
    fn ways_to_report_a_key_come_to_one() {
        let key = |code, modifiers| key_of(&KeyEvent::new(code, modifiers)).map(|key| key.to_string());
        let table = [
            (event::KeyCode::Char('G'), KeyModifiers::SHIFT, Some("G")),
            (event::KeyCode::Char('g'), KeyModifiers::SHIFT, Some("G")),
            (event::KeyCode::Char('G'), KeyModifiers::NONE, Some("G")),
            (event::KeyCode::BackTab, KeyModifiers::SHIFT, Some("shift-tab")),
            (event::KeyCode::Char('d'), KeyModifiers::CONTROL, Some("ctrl-d")),
            (event::KeyCode::Char(' '), KeyModifiers::NONE, Some("space")),
            (event::KeyCode::Up, KeyModifiers::ALT, Some("alt-up")),
            (event::KeyCode::Char('q'), KeyModifiers::SUPER, None),
            (event::KeyCode::CapsLock, KeyModifiers::NONE, None),
        ];
        for (code, modifiers, expected) in table {
            assert_eq!(key(code, modifiers).as_deref(), expected, "{code:?} {modifiers:?}");
        }
    }
}
