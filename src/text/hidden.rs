//! Which characters may not reach a terminal as they are, and what is shown in their place.
//!
//! Promises: every control character, every character that reorders text and every one that takes no
//! room of its own and is not part of a script or an emoji gets a visible stand-in.
//! Leaves to others: combining marks, which are ordinary text as long as they have a base (`cells`).

use std::borrow::Cow;

/// Pictures of U+0000 to U+001F.
const CONTROL_PICTURES: [&str; 32] = [
    "␀", "␁", "␂", "␃", "␄", "␅", "␆", "␇", "␈", "␉", "␊", "␋", "␌", "␍", "␎", "␏", "␐", "␑", "␒", "␓", "␔",
    "␕", "␖", "␗", "␘", "␙", "␚", "␛", "␜", "␝", "␞", "␟",
];

/// What is shown instead of `character`, or `None` where it may be shown itself. `before` is the
/// character in front of it: joiners and variation selectors are honest after some, and hide after others.
pub(super) fn stand_in(character: char, before: Option<char>) -> Option<Cow<'static, str>> {
    let code = character as u32;
    if code < 0x20 {
        return CONTROL_PICTURES.get(code as usize).map(|picture| Cow::Borrowed(*picture));
    }
    if code < 0x7f {
        return None;
    }
    if code == 0x7f {
        return Some(Cow::Borrowed("␡"));
    }
    let hidden = match code {
        0x80..=0x9f => true,
        0xad | 0x34f | 0x61c | 0x115f | 0x1160 | 0x17b4 | 0x17b5 | 0x180b..=0x180f => true,
        // Joiners shape Arabic and Indic words and build emoji; after Latin, Greek or Cyrillic they only hide.
        0x200c | 0x200d => !before.is_some_and(joins),
        0x200b | 0x200e | 0x200f | 0x2028..=0x202e | 0x2060..=0x206f => true,
        0x3164 | 0xfeff | 0xffa0 | 0xfff0..=0xfffb => true,
        // Variation selectors choose between text and picture; after letters they can carry hidden data.
        0xfe00..=0xfe0f => !before.is_some_and(has_variants),
        0x1bca0..=0x1bca3 | 0x1d173..=0x1d17a => true,
        // Tags and the supplementary selectors: a whole alphabet that no one sees.
        0xe0000..=0xe0fff => true,
        // Permanently unassigned.
        0xfdd0..=0xfdef => true,
        _ => code & 0xfffe == 0xfffe,
    };
    hidden.then(|| Cow::Owned(format!("U+{code:04X}")))
}

/// The last character of a text, if it is shown as it is: what stands in for a hidden one joins nothing and has no
/// variants. Looks back over a bounded run of joiners and selectors.
pub(super) fn last_shown(text: &str) -> Option<char> {
    const MOST: usize = 16;
    let run = text.chars().rev().take(MOST).take_while(|character| is_hidden(*character)).count();
    let mut last = text.chars().rev().nth(run);
    let start = text.char_indices().rev().take(run).last().map_or(text.len(), |(at, _)| at);
    for character in text[start..].chars() {
        last = stand_in(character, last).is_none().then_some(character);
    }
    last
}

/// Whether a character may not reach a terminal by itself: a control character, or one that hides or
/// reorders text.
pub fn is_hidden(character: char) -> bool {
    stand_in(character, None).is_some()
}

fn joins(before: char) -> bool {
    let code = before as u32;
    code >= 0x600 && !(0x2000..=0x206f).contains(&code) && !before.is_whitespace()
}

fn has_variants(before: char) -> bool {
    matches!(before, '0'..='9' | '#' | '*' | '©' | '®') || (joins(before) && !is_selector(before))
}

fn is_selector(character: char) -> bool {
    matches!(character, '\u{fe00}'..='\u{fe0f}')
}
