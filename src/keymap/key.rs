//! Keys and sequences of keys: how they are written, read and told apart.
//!
//! Promises: one way to write a key: what [`Key`] shows it also reads; keys that no terminal can tell apart
//! are one key, and writing the one that does not exist is an error that names the other.
//! Leaves to others: where keys come from (`tui`), what they do.

use std::fmt;
use std::str::FromStr;
use thiserror::Error;

/// The key itself, without Ctrl and Alt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum KeyCode {
    /// A character; letters with Shift are capitals.
    Char(char),
    /// Enter.
    Enter,
    /// Escape.
    Esc,
    /// Tab.
    Tab,
    /// Shift and Tab.
    BackTab,
    /// Backspace.
    Backspace,
    /// Delete.
    Delete,
    /// Insert.
    Insert,
    /// Arrow.
    Up,
    /// Arrow.
    Down,
    /// Arrow.
    Left,
    /// Arrow.
    Right,
    /// Home.
    Home,
    /// End.
    End,
    /// Page up.
    PageUp,
    /// Page down.
    PageDown,
    /// A function key.
    F(u8),
}

const NAMED: [(KeyCode, &str); 17] = [
    (KeyCode::Char(' '), "space"),
    (KeyCode::Enter, "enter"),
    (KeyCode::Esc, "esc"),
    (KeyCode::Tab, "tab"),
    (KeyCode::BackTab, "shift-tab"),
    (KeyCode::Backspace, "backspace"),
    (KeyCode::Delete, "delete"),
    (KeyCode::Insert, "insert"),
    (KeyCode::Up, "up"),
    (KeyCode::Down, "down"),
    (KeyCode::Left, "left"),
    (KeyCode::Right, "right"),
    (KeyCode::Home, "home"),
    (KeyCode::End, "end"),
    (KeyCode::PageUp, "pageup"),
    (KeyCode::PageDown, "pagedown"),
    (KeyCode::Char('-'), "-"),
];

/// One press of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Key {
    code: KeyCode,
    ctrl: bool,
    alt: bool,
    shift: bool,
}

impl Key {
    /// A press as a terminal reports it, in the one form that stands for all its ways to report it: Shift and
    /// a letter is the capital, Shift and Tab is its own key, Ctrl and a letter knows no Shift.
    pub fn new(code: KeyCode, ctrl: bool, alt: bool, shift: bool) -> Key {
        let (code, shift) = match code {
            KeyCode::Char(character) if ctrl => (KeyCode::Char(character.to_ascii_lowercase()), false),
            KeyCode::Char(character) if shift => {
                let mut upper = character.to_uppercase();
                match (upper.next(), upper.next()) {
                    (Some(upper), None) => (KeyCode::Char(upper), false),
                    _ => (code, false),
                }
            }
            KeyCode::Tab if shift => (KeyCode::BackTab, false),
            KeyCode::Char(_) | KeyCode::BackTab => (code, false),
            _ => (code, shift),
        };
        Key { code, ctrl, alt, shift }
    }

    /// A character without Ctrl and Alt.
    pub fn char(character: char) -> Key {
        Key::new(KeyCode::Char(character), false, false, false)
    }

    /// A key without Ctrl, Alt and Shift.
    pub fn plain(code: KeyCode) -> Key {
        Key::new(code, false, false, false)
    }

    /// The key itself.
    pub fn code(self) -> KeyCode {
        self.code
    }

    /// Whether Ctrl was held.
    pub fn ctrl(self) -> bool {
        self.ctrl
    }

    /// Whether Alt was held.
    pub fn alt(self) -> bool {
        self.alt
    }

    /// The character that this key types, if it types one.
    pub fn typed(self) -> Option<char> {
        match self.code {
            KeyCode::Char(character) if !self.ctrl && !self.alt => Some(character),
            _ => None,
        }
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.ctrl {
            f.write_str("ctrl-")?;
        }
        if self.alt {
            f.write_str("alt-")?;
        }
        if self.shift {
            f.write_str("shift-")?;
        }
        match (NAMED.iter().find(|(code, _)| *code == self.code), self.code) {
            (Some((_, name)), _) => f.write_str(name),
            (None, KeyCode::Char(character)) => write!(f, "{character}"),
            (None, KeyCode::F(number)) => write!(f, "f{number}"),
            (None, _) => Ok(()),
        }
    }
}

/// A key that cannot be read, or that no terminal sends.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum KeyError {
    /// Nothing was written.
    #[error("there is no key; write for example \"ctrl-d\", \"g g\", \"space\" or \"?\"")]
    Empty,
    /// No key has this name.
    #[error(
        "`{0}` is no key; write a character, space, enter, esc, tab, backspace, delete, insert, up, down, left, right, home, end, pageup, pagedown or f1 to f24, after ctrl-, alt- or shift- if need be"
    )]
    Unknown(String),
    /// Terminals send another key for it.
    #[error("terminals send `{same}` for `{written}`: write `{same}`")]
    Indistinct {
        /// What was written.
        written: String,
        /// What arrives.
        same: &'static str,
    },
    /// Too many keys one after the other.
    #[error("`{0}` has more than {LONGEST} keys", LONGEST = LONGEST)]
    TooLong(String),
}

impl FromStr for Key {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Key, KeyError> {
        let unknown = || KeyError::Unknown(text.to_owned());
        let (mut ctrl, mut alt, mut shift) = (false, false, false);
        let mut rest = text;
        while let Some((modifier, after)) = rest.split_once('-') {
            let flag = match modifier.to_ascii_lowercase().as_str() {
                "ctrl" => &mut ctrl,
                "alt" => &mut alt,
                "shift" => &mut shift,
                _ => break,
            };
            if after.is_empty() || *flag {
                return Err(unknown());
            }
            *flag = true;
            rest = after;
        }
        let code = code(rest).ok_or_else(unknown)?;
        if ctrl
            && !alt
            && let Some(same) = indistinct(code)
        {
            return Err(KeyError::Indistinct { written: text.to_owned(), same });
        }
        Ok(Key::new(code, ctrl, alt, shift))
    }
}

fn code(name: &str) -> Option<KeyCode> {
    let mut characters = name.chars();
    if let (Some(character), None) = (characters.next(), characters.next()) {
        return (!character.is_control() && !character.is_whitespace()).then_some(KeyCode::Char(character));
    }
    let lower = name.to_ascii_lowercase();
    if let Some((code, _)) = NAMED.iter().find(|(_, known)| *known == lower) {
        return Some(*code);
    }
    let number: u8 = lower.strip_prefix('f')?.parse().ok()?;
    (1..=24).contains(&number).then_some(KeyCode::F(number))
}

/// The key that a terminal sends for Ctrl and this one.
fn indistinct(code: KeyCode) -> Option<&'static str> {
    match code {
        KeyCode::Char('i' | 'I') => Some("tab"),
        KeyCode::Char('m' | 'M') => Some("enter"),
        KeyCode::Char('[') => Some("esc"),
        _ => None,
    }
}

/// Keys of the longest sequence.
const LONGEST: usize = 3;

/// Keys pressed one after the other, as `g t`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Sequence(Vec<Key>);

impl Sequence {
    /// The keys; at least one.
    pub fn keys(&self) -> &[Key] {
        &self.0
    }
}

impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (number, key) in self.0.iter().enumerate() {
            if number > 0 {
                f.write_str(" ")?;
            }
            write!(f, "{key}")?;
        }
        Ok(())
    }
}

impl FromStr for Sequence {
    type Err = KeyError;

    fn from_str(text: &str) -> Result<Sequence, KeyError> {
        let keys: Vec<Key> = text.split_whitespace().map(str::parse).collect::<Result<_, _>>()?;
        match keys.len() {
            0 => Err(KeyError::Empty),
            1..=LONGEST => Ok(Sequence(keys)),
            _ => Err(KeyError::TooLong(text.to_owned())),
        }
    }
}
