//! Bytes from the keyboard as events.
//!
//! Promises: pure; the same events however the bytes are cut into pieces; answers of the terminal to questions
//! are swallowed, early or late; what cannot be understood is dropped, never taken for keys that do something; a
//! paste is bounded.
//! Leaves to others: reading (`reader`), deciding that an unfinished sequence was a key (it calls
//! [`Parser::give_up`] when nothing more came for a moment).

use crossterm::event::{
    Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers, MouseButton, MouseEvent, MouseEventKind,
};

/// Bytes of a paste that are kept.
const PASTE_LIMIT: usize = 1 << 20;

/// Bytes of the longest sequence that is waited for.
const SEQUENCE_LIMIT: usize = 4096;

/// What ends a paste.
const PASTE_END: &[u8] = b"\x1b[201~";

/// What the start of the buffer is.
enum Piece {
    /// Not complete yet.
    Unfinished,
    /// This many bytes that mean this, or nothing.
    Whole(usize, Option<Event>),
    /// This many bytes that begin a paste.
    Paste(usize),
}

/// Turns bytes into events.
#[derive(Debug, Default)]
pub(super) struct Parser {
    buffer: Vec<u8>,
    paste: Option<Vec<u8>>,
}

impl Parser {
    /// Takes in `bytes` and adds the events that are complete.
    pub fn feed(&mut self, bytes: &[u8], events: &mut Vec<Event>) {
        self.buffer.extend_from_slice(bytes);
        let buffer = std::mem::take(&mut self.buffer);
        let mut rest = buffer.as_slice();
        while !rest.is_empty() {
            if self.paste.is_some() {
                match self.pasted(rest, events) {
                    0 => break,
                    taken => rest = &rest[taken..],
                }
                continue;
            }
            match piece(rest) {
                Piece::Unfinished if rest.len() < SEQUENCE_LIMIT => break,
                Piece::Unfinished => rest = &[],
                Piece::Whole(length, event) => {
                    events.extend(event);
                    rest = &rest[length..];
                }
                Piece::Paste(length) => {
                    self.paste = Some(Vec::new());
                    rest = &rest[length..];
                }
            }
        }
        self.buffer = rest.to_vec();
    }

    /// Whether a key may be waiting for the rest of a sequence that will not come.
    pub fn is_waiting(&self) -> bool {
        self.paste.is_none() && matches!(self.buffer.as_slice(), [0x1b] | [0x1b, _])
    }

    /// Takes what is unfinished for what it is: Escape, or Alt with `[`, `O`, `]`, `P`, …
    pub fn give_up(&mut self, events: &mut Vec<Event>) {
        if !self.is_waiting() {
            return;
        }
        match self.buffer.as_slice() {
            [_, second] => events.push(key(KeyCode::Char(char::from(*second)), KeyModifiers::ALT)),
            _ => events.push(key(KeyCode::Esc, KeyModifiers::NONE)),
        }
        self.buffer.clear();
    }

    /// Takes what belongs to the paste and says how many bytes that were; 0: wait for more.
    fn pasted(&mut self, rest: &[u8], events: &mut Vec<Event>) -> usize {
        let Some(paste) = self.paste.as_mut() else { return 0 };
        let end = rest.windows(PASTE_END.len()).position(|window| window == PASTE_END);
        // Without the end, its first bytes may be there already.
        let length = end.unwrap_or_else(|| {
            let longest = PASTE_END.len().min(rest.len());
            rest.len() - (1..=longest).rev().find(|length| rest.ends_with(&PASTE_END[..*length])).unwrap_or(0)
        });
        let room = PASTE_LIMIT.saturating_sub(paste.len()).min(length);
        paste.extend_from_slice(&rest[..room]);
        if end.is_some() {
            let text = String::from_utf8_lossy(paste).replace("\r\n", "\n").replace('\r', "\n");
            events.push(Event::Paste(text));
            self.paste = None;
            return length + PASTE_END.len();
        }
        length
    }
}

fn key(code: KeyCode, modifiers: KeyModifiers) -> Event {
    Event::Key(KeyEvent::new(code, modifiers))
}

/// What `bytes`, which are not empty, begin with.
fn piece(bytes: &[u8]) -> Piece {
    match bytes[0] {
        0x1b => escape(bytes),
        byte @ (0..=0x1f | 0x7f) => Piece::Whole(1, Some(control(byte, KeyModifiers::NONE))),
        _ => character(bytes, 0, KeyModifiers::NONE),
    }
}

/// A control character, as a terminal sends it for a key.
fn control(byte: u8, modifiers: KeyModifiers) -> Event {
    let with_control = |character| key(KeyCode::Char(character), modifiers | KeyModifiers::CONTROL);
    match byte {
        b'\r' => key(KeyCode::Enter, modifiers),
        b'\t' => key(KeyCode::Tab, modifiers),
        0x7f => key(KeyCode::Backspace, modifiers),
        0x1b => key(KeyCode::Esc, modifiers),
        0 => with_control(' '),
        1..=0x1a => with_control(char::from(byte - 1 + b'a')),
        _ => with_control(char::from(byte - 0x1c + b'\\')),
    }
}

/// A character of one to four bytes after `skip` others.
fn character(bytes: &[u8], skip: usize, modifiers: KeyModifiers) -> Piece {
    let rest = &bytes[skip..];
    let length = match rest[0] {
        0..=0x7f => 1,
        0xc2..=0xdf => 2,
        0xe0..=0xef => 3,
        0xf0..=0xf4 => 4,
        _ => return Piece::Whole(skip + 1, None),
    };
    let present = &rest[..length.min(rest.len())];
    match std::str::from_utf8(present) {
        Ok(text) => {
            let event = text.chars().next().map(|character| {
                let shift = if character.is_uppercase() { KeyModifiers::SHIFT } else { KeyModifiers::NONE };
                key(KeyCode::Char(character), modifiers | shift)
            });
            Piece::Whole(skip + length, event)
        }
        Err(error) if error.error_len().is_none() => Piece::Unfinished,
        Err(_) => Piece::Whole(skip + 1, None),
    }
}

/// What begins with Escape.
fn escape(bytes: &[u8]) -> Piece {
    match bytes.get(1) {
        None => Piece::Unfinished,
        Some(b'[') => sequence(bytes),
        Some(b'O') => match bytes.get(2) {
            None => Piece::Unfinished,
            Some(last) => Piece::Whole(3, named(*last).map(|code| key(code, KeyModifiers::NONE))),
        },
        // Answers in the form of strings: colours, names, capabilities.
        Some(b']' | b'P' | b'_' | b'^' | b'X') => string(bytes),
        // Two Escapes: the first was pressed.
        Some(0x1b) => Piece::Whole(1, Some(key(KeyCode::Esc, KeyModifiers::NONE))),
        Some(byte @ (0..=0x1f | 0x7f)) => Piece::Whole(2, Some(control(*byte, KeyModifiers::ALT))),
        Some(_) => character(bytes, 1, KeyModifiers::ALT),
    }
}

/// A string up to `BEL` or `ESC \\`, dropped.
fn string(bytes: &[u8]) -> Piece {
    for (index, byte) in bytes.iter().enumerate().skip(2) {
        match byte {
            0x07 => return Piece::Whole(index + 1, None),
            0x1b => {
                return match bytes.get(index + 1) {
                    None => Piece::Unfinished,
                    Some(b'\\') => Piece::Whole(index + 2, None),
                    Some(_) => Piece::Whole(index, None),
                };
            }
            _ => {}
        }
    }
    Piece::Unfinished
}

/// `ESC [`, numbers, a last byte.
fn sequence(bytes: &[u8]) -> Piece {
    // The Linux console's function keys.
    if bytes.get(2) == Some(&b'[') {
        return match bytes.get(3) {
            None => Piece::Unfinished,
            Some(last @ b'A'..=b'E') => {
                Piece::Whole(4, Some(key(KeyCode::F(last - b'A' + 1), KeyModifiers::NONE)))
            }
            Some(_) => Piece::Whole(4, None),
        };
    }
    let body = bytes.iter().skip(2).take_while(|byte| matches!(byte, 0x20..=0x3f)).count();
    let Some(last) = bytes.get(2 + body) else { return Piece::Unfinished };
    let length = 3 + body;
    if !matches!(last, 0x40..=0x7e) {
        // Broken off: what follows is something new.
        return Piece::Whole(length - 1, None);
    }
    let body = &bytes[2..2 + body];
    // The oldest reports of the mouse: three bytes follow. They are not asked for.
    if *last == b'M' && body.is_empty() {
        return if bytes.len() < length + 3 { Piece::Unfinished } else { Piece::Whole(length + 3, None) };
    }
    if body == b"200" && *last == b'~' {
        return Piece::Paste(length);
    }
    Piece::Whole(length, meaning(body, *last))
}

/// What a whole sequence means, if anything.
fn meaning(body: &[u8], last: u8) -> Option<Event> {
    let body = std::str::from_utf8(body).ok()?;
    if let Some(report) = body.strip_prefix('<') {
        return mouse(report, last);
    }
    // Answers of the terminal begin like that.
    if body.starts_with(['?', '>', '=']) {
        return None;
    }
    let mut fields = body.split(';');
    let mut number = |default: u32| -> Option<u32> {
        let field = fields.next().and_then(|field| field.split(':').next()).unwrap_or("");
        if field.is_empty() { Some(default) } else { field.parse().ok() }
    };
    let (first, second, third) = (number(1)?, number(1)?, number(0)?);
    let held = modifiers(second);
    let kind = match body.split(';').nth(1).and_then(|field| field.split(':').nth(1)) {
        Some("2") => KeyEventKind::Repeat,
        Some("3") => KeyEventKind::Release,
        _ => KeyEventKind::Press,
    };
    let code = match last {
        b'I' if body.is_empty() => return Some(Event::FocusGained),
        b'O' if body.is_empty() => return Some(Event::FocusLost),
        // Where the cursor is: an answer, unless it is F3.
        b'R' if first != 1 => return None,
        b'Z' => return Some(key(KeyCode::BackTab, KeyModifiers::SHIFT)),
        b'~' if first == 27 => return encoded(third, held, KeyEventKind::Press),
        b'~' => numbered(first)?,
        b'u' => return encoded(first, held, kind),
        _ => named(last)?,
    };
    Some(Event::Key(KeyEvent::new_with_kind(code, held, kind)))
}

/// A key by its Unicode number, as terminals send it that tell all keys apart.
fn encoded(number: u32, held: KeyModifiers, kind: KeyEventKind) -> Option<Event> {
    let code = match number {
        9 if held.contains(KeyModifiers::SHIFT) => KeyCode::BackTab,
        9 => KeyCode::Tab,
        13 => KeyCode::Enter,
        27 => KeyCode::Esc,
        127 => KeyCode::Backspace,
        // Keys without a character, of which none is of use here.
        0xe000..=0xf8ff => return None,
        _ => KeyCode::Char(char::from_u32(number).filter(|character| !character.is_control())?),
    };
    Some(Event::Key(KeyEvent::new_with_kind(code, held, kind)))
}

fn modifiers(number: u32) -> KeyModifiers {
    let bits = number.saturating_sub(1);
    [
        (1, KeyModifiers::SHIFT),
        (2, KeyModifiers::ALT),
        (4, KeyModifiers::CONTROL),
        (8, KeyModifiers::SUPER),
        (16, KeyModifiers::HYPER),
        (32, KeyModifiers::META),
    ]
    .into_iter()
    .filter(|(bit, _)| bits & bit != 0)
    .fold(KeyModifiers::NONE, |held, (_, modifier)| held | modifier)
}

/// Keys by the last byte.
fn named(last: u8) -> Option<KeyCode> {
    Some(match last {
        b'A' => KeyCode::Up,
        b'B' => KeyCode::Down,
        b'C' => KeyCode::Right,
        b'D' => KeyCode::Left,
        b'F' => KeyCode::End,
        b'H' => KeyCode::Home,
        b'M' => KeyCode::Enter,
        b'P'..=b'S' => KeyCode::F(last - b'P' + 1),
        _ => return None,
    })
}

/// Keys by the number before `~`.
fn numbered(number: u32) -> Option<KeyCode> {
    Some(match number {
        1 | 7 => KeyCode::Home,
        2 => KeyCode::Insert,
        3 => KeyCode::Delete,
        4 | 8 => KeyCode::End,
        5 => KeyCode::PageUp,
        6 => KeyCode::PageDown,
        11..=15 => KeyCode::F(number as u8 - 10),
        17..=21 => KeyCode::F(number as u8 - 11),
        23..=26 => KeyCode::F(number as u8 - 12),
        28 | 29 => KeyCode::F(number as u8 - 13),
        31..=34 => KeyCode::F(number as u8 - 14),
        _ => return None,
    })
}

/// `button;column;row`, `M` for down and `m` for up.
fn mouse(report: &str, last: u8) -> Option<Event> {
    let mut numbers = report.split(';').map(str::parse::<u16>);
    let (button, column, row) = (numbers.next()?.ok()?, numbers.next()?.ok()?, numbers.next()?.ok()?);
    let pressed = match button & 3 {
        0 => Some(MouseButton::Left),
        1 => Some(MouseButton::Middle),
        2 => Some(MouseButton::Right),
        _ => None,
    };
    let kind = match (button & 0xc0, button & 32 != 0, last, pressed) {
        (0x40, _, b'M', _) => match button & 3 {
            0 => MouseEventKind::ScrollUp,
            1 => MouseEventKind::ScrollDown,
            2 => MouseEventKind::ScrollLeft,
            _ => MouseEventKind::ScrollRight,
        },
        (0, true, b'M', Some(button)) => MouseEventKind::Drag(button),
        (0, true, b'M', None) => MouseEventKind::Moved,
        (0, false, b'M', Some(button)) => MouseEventKind::Down(button),
        (0, false, b'm', Some(button)) => MouseEventKind::Up(button),
        _ => return None,
    };
    let held = [(4, KeyModifiers::SHIFT), (8, KeyModifiers::ALT), (16, KeyModifiers::CONTROL)];
    let modifiers = held
        .into_iter()
        .filter(|(bit, _)| button & bit != 0)
        .fold(KeyModifiers::NONE, |held, (_, modifier)| held | modifier);
    let (column, row) = (column.saturating_sub(1), row.saturating_sub(1));
    Some(Event::Mouse(MouseEvent { kind, column, row, modifiers }))
}

#[cfg(test)]
mod tests;
