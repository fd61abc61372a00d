//! A one-line text field: the filter, the search, the palette.
//!
//! Promises: the cursor stands between grapheme clusters; what is pasted loses line breaks and control
//! characters; at most 1,000 bytes.

use crate::keymap::{Action, Key};
use unicode_segmentation::UnicodeSegmentation;

/// Longest text, in bytes.
const LONGEST: usize = 1000;

/// The field's text and cursor.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Input {
    text: String,
    cursor: usize,
    /// Whether the text is only proposed: nobody has edited it yet.
    proposal: bool,
}

/// What a key did to the field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edit {
    /// The text changed.
    Changed,
    /// Only the cursor moved.
    Moved,
    /// The key means nothing here.
    Ignored,
}

impl Input {
    /// A field with a text, the cursor at its end.
    pub fn new(text: &str) -> Input {
        let mut input = Input::default();
        input.insert(text);
        input
    }

    /// A field with a text that is only proposed: the first character that is typed, or a paste, takes its place; a key
    /// that moves or deletes edits it.
    pub fn proposed(text: &str) -> Input {
        let input = Input::new(text);
        Input { proposal: !input.text.is_empty(), ..input }
    }

    /// Whether what is typed next takes the place of the text.
    pub fn is_proposal(&self) -> bool {
        self.proposal
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Bytes before the cursor.
    pub fn cursor(&self) -> usize {
        self.cursor
    }

    /// Empties the field and says whether there was something.
    pub fn clear(&mut self) -> bool {
        self.cursor = 0;
        self.proposal = false;
        !std::mem::take(&mut self.text).is_empty()
    }

    /// Inserts at the cursor, as typing or pasting does.
    pub fn insert(&mut self, text: &str) -> bool {
        let clean: String = text
            .chars()
            .map(|c| if c.is_whitespace() { ' ' } else { c })
            .filter(|c| !c.is_control())
            .collect();
        if self.proposal && !clean.is_empty() {
            self.clear();
        }
        let mut room = LONGEST.saturating_sub(self.text.len()).min(clean.len());
        while !clean.is_char_boundary(room) {
            room -= 1;
        }
        self.text.insert_str(self.cursor, &clean[..room]);
        self.cursor += room;
        room > 0
    }

    /// A key, with what the keymap says it means where text is typed.
    pub fn key(&mut self, key: Key, action: Option<Action>) -> Edit {
        let before = self.text.len();
        let was_proposal = self.proposal;
        if action.is_some_and(edits) {
            self.proposal = false;
        }
        match action {
            Some(Action::DeleteBack) => {
                let start = self.previous();
                self.text.replace_range(start..self.cursor, "");
                self.cursor = start;
            }
            Some(Action::DeleteForward) => {
                let end = self.next();
                self.text.replace_range(self.cursor..end, "");
            }
            Some(Action::DeleteWord) => {
                let head = self.text[..self.cursor].trim_end();
                let start = head.rfind(' ').map_or(0, |space| space + 1);
                self.text.replace_range(start..self.cursor, "");
                self.cursor = start;
            }
            Some(Action::ClearInput) => {
                self.clear();
            }
            Some(Action::InputLeft) => return self.moved_to(self.previous()),
            Some(Action::InputRight) => return self.moved_to(self.next()),
            Some(Action::InputStart) => return self.moved_to(0),
            Some(Action::InputEnd) => return self.moved_to(before),
            Some(_) => return Edit::Ignored,
            None => match key.typed() {
                Some(character) => {
                    self.insert(character.encode_utf8(&mut [0; 4]));
                }
                None => return Edit::Ignored,
            },
        }
        let replaced = action.is_none() && was_proposal;
        if self.text.len() == before && !replaced { Edit::Moved } else { Edit::Changed }
    }

    fn moved_to(&mut self, cursor: usize) -> Edit {
        self.cursor = cursor;
        Edit::Moved
    }

    fn previous(&self) -> usize {
        self.text[..self.cursor].grapheme_indices(true).next_back().map_or(0, |(start, _)| start)
    }

    fn next(&self) -> usize {
        self.text[self.cursor..]
            .graphemes(true)
            .next()
            .map_or(self.cursor, |cluster| self.cursor + cluster.len())
    }
}

/// Whether an action edits the text of a field, or moves about in it.
fn edits(action: Action) -> bool {
    use Action::{ClearInput, DeleteBack, DeleteForward, DeleteWord};
    use Action::{InputEnd, InputLeft, InputRight, InputStart};
    matches!(
        action,
        DeleteBack | DeleteForward | DeleteWord | ClearInput | InputLeft | InputRight | InputStart | InputEnd
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn act(input: &mut Input, action: Action) {
        input.key(Key::char('x'), Some(action));
    }

    fn kind(input: &mut Input, text: &str) {
        for character in text.chars() {
            input.key(Key::char(character), None);
        }
    }

    #[test]
    fn editing_actions_do_what_readline_users_expect() {
        let mut input = Input::new("lang:c ring");
        act(&mut input, Action::DeleteWord);
        assert_eq!(input.text(), "lang:c ");
        kind(&mut input, "x");
        act(&mut input, Action::InputLeft);
        kind(&mut input, "y");
        act(&mut input, Action::InputStart);
        kind(&mut input, "z");
        act(&mut input, Action::InputEnd);
        act(&mut input, Action::DeleteBack);
        assert_eq!(input.text(), "zlang:c y");
        act(&mut input, Action::ClearInput);
        assert_eq!((input.text(), input.cursor()), ("", 0));
    }

    #[test]
    fn what_is_typed_takes_the_place_of_a_proposal_unless_it_was_edited_before() {
        let proposed = |action: Option<Action>, typed: &str| {
            let mut input = Input::proposed("41");
            assert!(input.is_proposal());
            action.into_iter().for_each(|action| act(&mut input, action));
            kind(&mut input, typed);
            assert!(!input.is_proposal());
            input.text().to_owned()
        };
        assert_eq!(proposed(None, "7"), "7");
        assert_eq!(proposed(None, "75"), "75");
        assert_eq!(proposed(Some(Action::InputEnd), "7"), "417");
        assert_eq!(proposed(Some(Action::InputLeft), "7"), "471");
        assert_eq!(proposed(Some(Action::InputStart), "7"), "741");
        assert_eq!(proposed(Some(Action::DeleteBack), "7"), "47");
        assert_eq!(proposed(Some(Action::ClearInput), "7"), "7");
        let mut input = Input::proposed("4");
        assert_eq!(input.key(Key::char('7'), None), Edit::Changed, "also where the length is the same");
        let mut input = Input::proposed("4");
        input.key(Key::char('x'), Some(Action::CursorDown));
        assert!(input.is_proposal(), "what means nothing in a field changes nothing");
        assert!(input.insert("8") && input.text() == "8" && input.cursor() == 1);
        assert!(!Input::proposed("").is_proposal());
    }

    #[test]
    fn clusters_are_deleted_whole_and_pastes_are_cleaned() {
        let mut input = Input::new("e\u{301}👩‍🚀");
        act(&mut input, Action::DeleteBack);
        assert_eq!(input.text(), "e\u{301}");
        act(&mut input, Action::DeleteBack);
        assert_eq!(input.text(), "");
        input.insert("a\nb\u{1b}[31m\tc");
        assert_eq!(input.text(), "a b[31m c");
        input.insert(&"é".repeat(2000));
        assert!(input.text().len() <= LONGEST);
    }
}
